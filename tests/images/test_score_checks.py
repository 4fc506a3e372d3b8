"""Programs for protocol 2 that each do one thing wrong."""

import pytest
from tests.images.samples import RUN, ResultOf

SED = f"{RUN} | sed -u"
WRONG_SCORES: list[tuple[str, str, str]] = [
    ("score-header", "read -r line; " + RUN, "it had not ended after 3 s"),
    ("score-header", f"{SED} '1s/version/v/'", '"version": 2, "model": ...}, and is '),
    (
        "score-header",
        f'{SED} \'1s/"name"/"n"/\'',
        "this is no header: 'name' is a required property (at model)",
    ),
    ("score-header", f"{SED} '1i loading...'", "and is 'loading...': this is not JSON"),
    ("score-header", f"{SED} '1i [1]'", "and is '[1]': this is no JSON object"),
    (
        "score-header",
        f'{SED} \'1s/"model": .*/"model": "gpt2"}}/\'',
        "'gpt2' is not of type 'object' (at model)",
    ),
    (
        "score-header",
        "head -c 70000 /dev/zero | tr '\\0' x; echo; read -r line",
        "its first line has more than 65536 characters",
    ),
    ("score-header", "exit 0", "it ended before it printed its first line"),
    ("score-header", "exit 5", "it ended with exit status 5"),
    (
        "score-answers",
        RUN + ' | { read -r line; echo "$line"; cat > /dev/null; }',
        "it had not ended after 3 s",
    ),
    ("score-answers", f'{SED} \'s/"id": 101/"id": 100/\'', "and nothing is asked under this id"),
    ("score-answers", f'{SED} \'s/"id": 101/"id": [7]/\'', "and nothing is asked under this id"),
    (
        "score-answers",
        f'{SED} \'2,$s/.*/{{"id": [{"1," * 200}1], "tokens": []}}/\'',
        "…, and nothing is asked under this id",
    ),
    ("score-tokens", f'{SED} \'s/"tokens"/"words"/\'', "'tokens' has to be a list"),
    ("score-tokens", f"{SED} 's/0, 3,/0, 2,/'", "no token stands for 'e' (character 2)"),
    ("score-tokens", f'{SED} \'s/"tokens".*/"error": "no"}}/\'', "all sentences are answered"),
    ("score-tokens", f'{SED} \'4s/"tokens".*/"error": ""}}/\'', "the error '' says nothing"),
    (
        "score-policies",
        f'sed -u \'s/"eos": "never"/"eos": "auto"/\' | {RUN}',
        "under eos=never, an answer has an eos token",
    ),
    (
        "score-policies",
        f'sed -u \'s/"eos": "always"/"eos": "never"/\' | {RUN}',
        "under eos=always, an answer has no eos token",
    ),
    (
        "score-policies",
        f"sed -u 's/always/auto/' | {SED} '1s/\"bos\": [^,]*,/\"bos\": null,/'",
        "bos=always is no error, though the header has bos null",
    ),
    (
        "score-errors",
        f'{SED} \'1s/"max_tokens": null/"max_tokens": 20/\'',
        "a sentence of more words than max_tokens is no error",
    ),
    (
        "score-errors",
        (
            f'{SED} -e \'1s/"max_tokens": null/"max_tokens": 50/\' '
            # From the long sentence on.
            '-e \'/"[a-z]*", 208,/,/^$/s/"tokens".*/"error": "too long"}/\''
        ),
        "a sentence that is too long makes those beside it fail",
    ),
    ("score-end", f"{RUN}; exit 4", "it ended with exit status 4"),
    ("score-end", f"{RUN}; echo bye", "it printed more than it was asked for: 'bye'"),
    (
        "score-agrees",
        f"{SED} '3s/\\(\"The\", 0, 3,\\) [0-9.]*/\\1 1/'",
        "'The' has 1 bits, and ",
    ),
    (
        "score-many-sentences",
        f"{SED} '150,$s/0, 3, [0-9.]*/0, 3, 1/'",
        "bits, and 1 as sentence 149",
    ),
]


@pytest.mark.parametrize(("name", "script", "message"), WRONG_SCORES)
def test_scores_that_do_one_thing_wrong(
    result: ResultOf, name: str, script: str, message: str
) -> None:
    # Those that hang do so until their time is up; the others have enough for a busy machine.
    timeout_s = 3 if "3 s" in message else 10
    found = result(name, {"score": script}, timeout_s=timeout_s)
    assert message in found.message
    assert (found.status, bool(found.mend)) == ("failed", True)


def test_a_score_that_refuses_long_sentences_and_goes_on(result: ResultOf) -> None:
    script = (
        f'{SED} -e \'1s/"max_tokens": null/"max_tokens": 50/\' '
        '-e \'/"[a-z]*", 208,/s/"tokens".*/"error": "too long"}/\''
    )
    found = result("score-errors", {"score": script})
    assert (found.status, found.message) == ("ok", "")


def test_a_header_whose_model_is_a_word_ends_nothing(result: ResultOf) -> None:
    script = f'{SED} \'1s/"model": .*/"model": "gpt2"}}/\''
    for name in ("score-policies", "score-errors"):
        found = result(name, {"score": script})
        assert found.status == "skipped"
        assert found.message == "score has failed before, at 'header'"
