"""Commands of protocol 1 that each do one thing wrong."""

import pytest
from tests.images.samples import RUN, ResultOf

WRONG_COMMANDS: list[tuple[str, dict[str, str], str]] = [
    ("spec", {"spec": "echo hello"}, "this is not JSON"),
    ("tokenize", {"tokenize": f"{RUN} | sed 3d"}, "it printed 30 lines for 31 sentences"),
    ("tokenize", {"tokenize": f"{RUN}; exit 3"}, "it ended with exit status 3"),
    ("marks", {"tokenize": f"{RUN} | sed 's:^:</s> :'"}, "'</s>' stands where it does not belong"),
    ("unkify", {"unkify": f"{RUN} | sed 's/^. //'"}, "prints 8 flags for the 9 tokens"),
    ("unkify", {"unkify": f"{RUN} | sed 's/1/2/'"}, "and not 0 or 1 for each token"),
    (
        "unknown-words",
        {"unkify": f"{RUN} | sed 's/1/0/g'"},
        "`unkify` prints 0 for '<unk>'",
    ),
    (
        "get_surprisals",
        {"get_surprisals": f"{RUN} | sed 1d"},
        "its first line has to be sentence_id token_id token surprisal",
    ),
    ("get_surprisals", {"get_surprisals": f"{RUN} | sed '5s/[0-9.]*$/-1/'"}, "is negative"),
    (
        "get_surprisals",
        {"get_surprisals": f"echo WARNING; {RUN} | sed '5s/[0-9.]*$/inf/'"},
        "its image prints infinite surprisals and lines before its table",
    ),
    (
        "same-tokens",
        {"get_surprisals": f"{RUN} | sed 's/\tis\t/\twas\t/'"},
        "tokenize and get_surprisals do not agree in ",
    ),
    (
        "vocabulary",
        {"tokenize": f"{RUN} | sed 's/ \\. / zz /'"},
        "'zz' is not in vocabulary.items",
    ),
    (
        "tokens-spell-plain",
        {"get_surprisals": f"{RUN} | sed 's/\tis\t/\twas\t/'"},
        "the tokens are not this sentence's",
    ),
    (
        "long-sentence",
        # The first hundred tokens of each sentence.
        {"get_surprisals": RUN + " | awk -F '\t' 'NR == 1 || $2 <= 100'"},
        "a sentence of 400 words has 100 tokens",
    ),
    (
        "empty-lines-tokenize",
        {"tokenize": f"grep . | {RUN}"},
        "it prints 2 lines for a sentence, an empty line and a sentence",
    ),
    (
        "empty-lines-tokenize",
        {"tokenize": RUN + " | awk 'NR == 3 {$0 = \"The \" $0} {print}'"},
        "the sentences about an empty line have other tokens than without it",
    ),
    (
        "empty-lines-surprisals",
        {"get_surprisals": f"grep . | {RUN}"},
        "with an empty second line, sentence_id 3 is not sentence 3",
    ),
    (
        "last-line",
        {"get_surprisals": f'while read -r line; do echo "$line"; done | {RUN}'},
        "it gave surprisals for 4 of 5 sentences",
    ),
    (
        "deterministic",
        # A new digit in each process.
        {"get_surprisals": f'{RUN} | sed "3s/$/0/; 3s/[0-9.]*$/$$/"'},
        "bits, and",
    ),
    (
        "deterministic",
        {
            "get_surprisals": RUN
            + " | awk -F '\t' -v OFS='\t' -v new=$$ 'NR == 3 {$3 = new} {print}'"
        },
        "has other tokens ",
    ),
    (
        "many-sentences",
        {"get_surprisals": RUN + " | awk -F '\t' 'NR == 1 || $1 <= 250'"},
        "it gave surprisals for 250 of 300 sentences",
    ),
    (
        "independent",
        # Surprisals grow with the number of the sentence.
        {
            "get_surprisals": RUN
            + " | awk -F '\t' -v OFS='\t' '$1 > 100 && $2 == 2 {$4 += 1} {print}'"
        },
        " as sentence 101",
    ),
    (
        "independent",
        # The first sentence of a start is another model's.
        {
            "get_surprisals": RUN
            + " | awk -F '\t' -v OFS='\t' '$1 == 1 && $2 == 2 {$4 += 1} {print}'"
        },
        " alone",
    ),
    ("unkify", {"unkify": "exit 99"}, "the image does not support this (exit status 99)"),
    (
        "exit-status-1",
        {"tokenize": '[ -e "$1" ] || exit 99'},
        "tokenize ends with exit status 99 for a file that is not there",
    ),
    ("exit-status-1", {"tokenize": f"{RUN}; true"}, "exit status 0 for a file that is not there"),
    (
        "exit-status-1",
        {"tokenize": f'[ "$1" ] || exit 0; {RUN}'},
        "tokenize ends with exit status 0 for no file at all",
    ),
    (
        "exit-status-1",
        {"tokenize": f'[ "$1" ] || exit 127; {RUN}'},
        "tokenize is not there (exit status 127)",
    ),
    (
        "checkpoint",
        {"get_surprisals": f"unset LMZOO_CHECKPOINT_PATH; {RUN}"},
        "with an empty checkpoint, it answers as if nothing were wrong",
    ),
    (
        "checkpoint",
        {"get_surprisals": f"{RUN} 2>/dev/null"},
        "with an empty checkpoint, it fails without a message",
    ),
]


@pytest.mark.parametrize(("name", "scripts", "message"), WRONG_COMMANDS)
def test_commands_that_do_one_thing_wrong(
    result: ResultOf, name: str, scripts: dict[str, str], message: str
) -> None:
    found = result(name, scripts)
    assert message in found.message
    assert (found.status, bool(found.mend)) == ("failed", True)


@pytest.mark.parametrize(
    ("name", "command", "refused", "message"),
    [
        ("empty-lines-tokenize", "tokenize", "!NF", "an empty line is refused"),
        ("long-sentence", "get_surprisals", "NF > 300", "a sentence of 400 words is refused"),
    ],
)
def test_what_a_command_may_refuse(
    result: ResultOf, name: str, command: str, refused: str, message: str
) -> None:
    script = (
        f'awk \'{refused} {{exit 3}} {{print}}\' "$1" > "$0.in" && {{ set -- "$0.in"; {RUN}; }}'
    )
    found = result(name, {command: script})
    assert (found.status, found.message) == ("ok", message)
