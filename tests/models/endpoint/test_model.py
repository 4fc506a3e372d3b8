"""A model behind a server, held against the same model in this process."""

from collections.abc import Sequence

import pytest
from tests.endpoint_server import faults
from tests.endpoint_server.language_model import (
    BOS,
    LanguageModel,
    Writing,
    as_bytes,
    as_names,
    as_text,
    as_whole_characters,
    without_parts,
)
from tests.models.endpoint.serving import Open, Serve

from pommel.api import load_suite
from pommel.errors import ModelError, UnsupportedFeatureError
from pommel.models.model import Bos, Policy, score_all
from pommel.surprisal import ScoredSentence

BITS = 1e-3
# Their characters are several tokens each.
FOREIGN = ["的的的的", "我是学生。", "été — naïve", "ééé", "日本語"]
SENTENCES = [
    "The author near the pilots knows the cat .",
    "The naïve pilot knows “many” 🙂 things .",
    "I",
    "  two  blanks ",
]


def suite_sentences() -> list[str]:
    """The sentences of a shipped suite."""
    suite = load_suite("number_prep")
    conditions = (condition for item in suite.items for condition in item.conditions)
    return list(dict.fromkeys(condition.sentence(suite.joiner).text for condition in conditions))


def assert_same(scored: Sequence[ScoredSentence], expected: Sequence[ScoredSentence]) -> None:
    """Assert that sentences have the same tokens, at the same places, with the same bits."""
    for mine, own in zip(scored, expected, strict=True):
        assert mine.text == own.text
        for token, other in zip(mine.tokens, own.tokens, strict=True):
            assert (token.start, token.end) == (other.start, other.end)
            if other.surprisal_bits is None:
                assert token.surprisal_bits is None
            else:
                assert token.surprisal_bits == pytest.approx(other.surprisal_bits, abs=BITS)


@pytest.mark.parametrize(
    ("behaviour", "setting", "bos", "own_bos"),
    [
        ({}, "", "auto", "never"),
        ({}, "", "never", "never"),
        ({}, "", "tokenizer", "never"),
        ({}, f"?bos={BOS}", "auto", "always"),
        ({}, f"?bos={BOS}", "always", "always"),
        ({}, f"?bos={BOS}", "never", "never"),
        ({}, f"?bos={BOS}", "tokenizer", "never"),
        ({"adds_bos": True}, "", "auto", "always"),
        ({"adds_bos": True}, "", "always", "always"),
        ({"adds_bos": True}, "", "tokenizer", "always"),
        ({"adds_bos": True}, "", "never", "never"),
        ({"adds_bos": True, "shows_bos": False}, "", "always", "always"),
        ({"adds_bos": True, "shows_bos": False}, "", "never", "never"),
        ({"adds_bos": True, "ignores_logprobs": True, "has_generate": True}, "", "auto", "always"),
    ],
)
def test_every_policy_gives_the_bits_of_the_model_itself(  # noqa: PLR0913, PLR0917 - a table
    serve: Serve,
    opened: Open,
    language_model: LanguageModel,
    behaviour: dict[str, bool],
    setting: str,
    bos: Bos,
    own_bos: Bos,
) -> None:
    _, url = serve(**behaviour)
    sentences = suite_sentences()[::12]
    scored = score_all(opened(f"{url}{setting}"), sentences, Policy(bos=bos))
    assert_same(scored, score_all(language_model.model, sentences, Policy(bos=own_bos)))


@pytest.mark.parametrize("bos", ["auto", "never"])
def test_a_shipped_suite_has_the_bits_of_the_model_itself(
    serve: Serve, opened: Open, language_model: LanguageModel, bos: Bos
) -> None:
    _, url = serve(adds_bos=True)
    sentences = suite_sentences()
    scored = score_all(opened(url), sentences, Policy(bos=bos))
    assert len(scored) == 96
    assert_same(scored, score_all(language_model.model, sentences, Policy(bos=bos)))


@pytest.mark.parametrize(
    "writing", [as_text, as_names, as_bytes, as_whole_characters, without_parts]
)
@pytest.mark.parametrize("tells_usage", [True, False])
def test_however_tokens_are_written(
    serve: Serve,
    opened: Open,
    language_model: LanguageModel,
    writing: Writing,
    tells_usage: bool,  # noqa: FBT001
) -> None:
    _, url = serve(adds_bos=True, writing=writing, tells_usage=tells_usage)
    scored = score_all(opened(url), SENTENCES, Policy())
    assert_same(scored, score_all(language_model.model, SENTENCES, Policy()))


@pytest.mark.parametrize("writing", [as_text, as_whole_characters, without_parts])
@pytest.mark.parametrize("tells_usage", [True, False])
def test_every_part_of_a_character_is_a_token(
    serve: Serve,
    opened: Open,
    language_model: LanguageModel,
    writing: Writing,
    tells_usage: bool,  # noqa: FBT001
) -> None:
    _, url = serve(adds_bos=True, writing=writing, tells_usage=tells_usage)
    model = opened(url)
    for text in FOREIGN:
        (own,) = score_all(language_model.model, [text], Policy())
        (scored,) = score_all(model, [text], Policy())
        assert [each.surprisal_bits for each in scored.tokens] == pytest.approx(
            [each.surprisal_bits for each in own.tokens], abs=BITS
        )


def test_a_blank_sentence(serve: Serve, opened: Open) -> None:
    server, url = serve(tells_usage=False)
    model = opened(url)
    server.behaviour.edit = faults.edited(tokens=["zz"], token_logprobs=[None])
    assert score_all(model, [" "], Policy()) == [ScoredSentence(text=" ", tokens=())]


def test_a_hidden_mark_whose_token_is_not_scored(
    serve: Serve, opened: Open, language_model: LanguageModel
) -> None:
    _, url = serve(adds_bos=True, shows_bos=False, scores_first=False)
    (scored,) = score_all(opened(url), SENTENCES[:1], Policy())
    (own,) = score_all(language_model.model, SENTENCES[:1], Policy())
    assert scored.tokens[0].surprisal_bits is None
    assert scored.tokens[0].why_unscored == "no context"
    for token, other in zip(scored.tokens[1:], own.tokens[1:], strict=True):
        assert other.surprisal_bits is not None
        assert token.surprisal_bits == pytest.approx(other.surprisal_bits, abs=BITS)


def test_a_first_token_without_context(serve: Serve, opened: Open) -> None:
    _, url = serve()
    model = opened(url)
    (unscored,) = score_all(model, ["The author"], Policy())
    (zero,) = score_all(model, ["The author"], Policy(first_token="zero"))
    assert unscored.tokens[0].surprisal_bits is None
    assert zero.tokens[0].surprisal_bits == 0.0
    assert zero.tokens[1:] == unscored.tokens[1:]


def test_a_mark_is_put_in_front_once(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(f"{url}?bos={BOS}")
    (plain,) = score_all(model, ["The author"], Policy())
    (marked,) = score_all(model, [f"{BOS}The author"], Policy())
    assert server.seen.prompts[-1] == server.seen.prompts[-2] == f"{BOS}The author"
    assert [each.text for each in marked.tokens] == [BOS, *[each.text for each in plain.tokens]]
    assert marked.tokens[0].surprisal_bits is None
    assert [each.surprisal_bits for each in marked.tokens[1:]] == [
        each.surprisal_bits for each in plain.tokens
    ]


def test_equal_sentences_are_asked_for_once(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url)
    n_before = len(server.seen.prompts)
    scored = dict(model.score(["I", "The", "I", "I"], Policy()))
    assert sorted(scored) == [0, 1, 2, 3]
    assert scored[0] is scored[3]
    assert len(server.seen.prompts) == n_before + 2


def test_nothing_is_asked_about_an_empty_sentence(serve: Serve, opened: Open) -> None:
    server, url = serve()
    model = opened(url)
    n_before = len(server.seen.prompts)
    assert score_all(model, ["", ""], Policy()) == [ScoredSentence(text="", tokens=())] * 2
    assert score_all(model, [], Policy()) == []
    assert len(server.seen.prompts) == n_before


def test_answers_come_in_any_order_and_belong_to_their_sentences(
    serve: Serve, opened: Open, language_model: LanguageModel
) -> None:
    slow, *others = suite_sentences()[:8]
    _, url = serve(delays={slow: 0.3}, adds_bos=True)
    answers = list(opened(url, n_parallel=3).score([slow, *others], Policy()))
    assert answers[-1][0] == 0
    scored = [sentence for _, sentence in sorted(answers, key=lambda answer: answer[0])]
    assert_same(scored, score_all(language_model.model, [slow, *others], Policy()))


@pytest.mark.parametrize("n_parallel", [1, 3])
def test_so_many_requests_are_under_way_at_once(
    serve: Serve, opened: Open, n_parallel: int
) -> None:
    sentences = suite_sentences()[:9]
    server, url = serve(delays=dict.fromkeys(sentences, 0.03))
    score_all(opened(url, n_parallel=n_parallel), sentences, Policy())
    assert server.seen.most_open == n_parallel


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            Policy(bos="always"),
            (
                "bos=always: the server puts no mark in front of a sentence; name the model's: "
                "http://HOST/v1?bos=MARK#MODEL"
            ),
        ),
        (
            Policy(eos="always"),
            (
                "eos=always: a server scores a prompt as it is, without a mark at its end; write "
                "eos=auto"
            ),
        ),
    ],
)
def test_policies_that_no_server_follows(
    serve: Serve, opened: Open, policy: Policy, message: str
) -> None:
    _, url = serve()
    with pytest.raises(UnsupportedFeatureError) as raised:
        opened(url).score(["I"], policy)
    assert str(raised.value) == f"{url}#en-gpt2: {message}"


def test_a_mark_that_cannot_be_left_out(serve: Serve, opened: Open) -> None:
    _, url = serve(adds_bos=True, takes_special_tokens=False)
    with pytest.raises(UnsupportedFeatureError) as raised:
        opened(url).score(["I"], Policy(bos="never"))
    assert str(raised.value) == (
        f"{url}#en-gpt2: bos=never: the server puts a mark in front of every sentence; "
        "write bos=auto"
    )


def test_methods_and_boundaries_that_a_server_does_not_have(serve: Serve, opened: Open) -> None:
    _, url = serve()
    model = opened(url)
    with pytest.raises(UnsupportedFeatureError, match="does not take the method 'pll'"):
        model.score(["I"], Policy(method="pll"))
    with pytest.raises(UnsupportedFeatureError, match="does not take the boundary 'corrected'"):
        model.score(["I"], Policy(boundary="corrected"))


def test_half_a_pair_is_no_text(serve: Serve, opened: Open) -> None:
    _, url = serve()
    with pytest.raises(ModelError, match=r"the character .* at 2 is half of a pair and no text"):
        opened(url).score(["I \ud83d"], Policy())
