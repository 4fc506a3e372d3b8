"""What the commands of protocol 1 may print, and what is said of anything else."""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import example, given, strategies as st
from tests.harmless import is_harmless
from tests.models.container.conftest import CommandsOf
from tests.models.container.local_engine import LocalEngine
from tests.models.container.toy_image import SPEC

from pommel.errors import ContainerError, ModelError, UnsupportedFeatureError
from pommel.models.container.answers import sentence_chunks
from pommel.models.container.commands import ImageCommands
from pommel.models.container.engines.process import place, shortened

SENTENCES = ("The cat", "A dog", "Unbelievable")
ROWS = ["1\t1\tThe\t0", "1\t2\tcat\t3", "2\t1\tA\t0", "2\t2\tdog\t3.5", "3\t1\t<unk>\t0"]


def printing(*lines: str, end: str = "\n", status: int = 0, stderr: str = "") -> str:
    text = "".join(f"{line}{end}" for line in lines)
    return (
        f"sys.stdout.buffer.write({text.encode(errors='surrogateescape')!r})\n"
        f"sys.stdout.flush(); sys.stderr.write({stderr!r}); sys.exit({status})\n"
    )


def table(*rows: str, end: str = "\n") -> str:
    return printing("sentence_id\ttoken_id\ttoken\tsurprisal", *rows, end=end)


def test_what_is_right(commands: CommandsOf) -> None:
    image = commands()
    assert image.tokenize(SENTENCES) == [
        ["The", "cat", "<eos>"],
        ["A", "dog", "<eos>"],
        ["<unk>", "<eos>"],
    ]
    assert image.unkify(SENTENCES) == [[False] * 3, [False] * 3, [True, False]]
    printed = image.get_surprisals(SENTENCES)
    assert [[(row.text, row.surprisal_bits) for row in rows] for rows in printed] == [
        [("The", 0), ("cat", 3), ("<eos>", 5)],
        [("A", 0), ("dog", 3), ("<eos>", 5)],
        [("<unk>", 0), ("<eos>", 5)],
    ]


@pytest.mark.parametrize("token", ["NA", "null", '"', "007", "True", "\u2028", "\x85", "NaN"])
def test_tokens_are_read_literally(commands: CommandsOf, token: str) -> None:
    rows = [f"1\t1\t{token}\t1", f"1\t2\t{token}\t-0.000000"]
    image = commands(tokenize=printing(f"{token} {token}"), get_surprisals=table(*rows))
    assert image.tokenize(["a"]) == [[token, token]]
    ((first, second),) = image.get_surprisals(["a"])
    assert (first.text, second.text, str(second.surprisal_bits)) == (token, token, "0.0")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_blank_lines_at_the_end(commands: CommandsOf, end: str) -> None:
    image = commands(
        tokenize=printing("a  b ", "", "", end=end),
        unkify=printing("0  1 ", "", end=end),
        get_surprisals=table("1\t1\ta\t1", "", "", end=end),
    )
    assert image.tokenize(["a b"]) == [["a", "b"]]
    assert image.unkify(["a b"]) == [[False, True]]
    assert len(image.get_surprisals(["a b"])) == 1


HEADER = "sentence_id\ttoken_id\ttoken\tsurprisal"
TWO = ["1\t1\tThe\t0", "1\t2\tcat\t3"]
# What is printed against the protocol and read all the same, with what is told of it.
HABITS = [
    (
        "get_surprisals",
        printing("WARNING: a GPU", "", "Loading ...", HEADER, *TWO),
        "lines before its table",
    ),
    ("get_surprisals", printing(f"\ufeff{HEADER}", *TWO), "a byte order mark"),
    (
        "get_surprisals",
        printing(f"{HEADER}\tunk\tnote", *(f"{row}\t0\tx y" for row in TWO)),
        "further columns",
    ),
    (
        "get_surprisals",
        printing(
            "sentence_id token_id token surprisal unk",
            *(f"{row} 0".replace("\t", " ") for row in TWO),
        ),
        "further columns",
    ),
    ("get_surprisals", printing(HEADER, TWO[0], "1\t2\tcat\tinf"), "infinite surprisals"),
    ("tokenize", printing("WARNING:tensorflow:old", "The cat"), "warnings before its answers"),
    ("tokenize", printing("\ufeffThe cat"), "a byte order mark"),
    (
        "unkify",
        printing("WARNING: a GPU is here", "WARNING: b", "0 0"),
        "warnings before its answers",
    ),
]


@pytest.mark.parametrize(("name", "script", "habit"), HABITS)
def test_what_is_read_with_a_remark(
    commands: CommandsOf, name: str, script: str, habit: str
) -> None:
    image = commands(**{name: script})
    (answer,) = getattr(image, name)(["The cat"])
    assert len(answer) == 2
    if name == "get_surprisals":
        bits = math.inf if habit == "infinite surprisals" else 3
        assert [(row.text, row.surprisal_bits) for row in answer] == [("The", 0), ("cat", bits)]
    elif name == "tokenize":
        assert answer == ["The", "cat"]
    assert image.remarks == [f"its image prints {habit}, which is read all the same"]


def test_a_sentence_that_begins_as_warnings_do_is_one(commands: CommandsOf) -> None:
    image = commands(tokenize=printing("WARNING it bites", "a"))
    assert image.tokenize(["WARNING it bites", "a"]) == [["WARNING", "it", "bites"], ["a"]]
    assert image.remarks == []


def test_a_spec_behind_warnings_and_a_mark(commands: CommandsOf) -> None:
    image = commands(spec_script=printing("\ufeffWARNING: a GPU is here", json.dumps(SPEC)))
    assert image.spec()["name"] == "toy"
    told = "a byte order mark and warnings before its spec"
    assert image.remarks == [f"its image prints {told}, which is read all the same"]


WRONG: list[tuple[str, str, str]] = [
    (
        "tokenize",
        printing("The cat", "A dog"),
        "it printed 2 lines for 3 sentences",
    ),
    (
        "tokenize",
        printing("The cat", "A dog", "x", "y"),
        "it printed more than one line for each of 3 sentences: 'y'",
    ),
    (
        "tokenize",
        printing("The cat", "caf\udce9", "x"),
        "line 2 of its output is not UTF-8, at sentence 2 ('A dog')",
    ),
    (
        "tokenize",
        printing("The cat", "x" * 21_505, "x"),
        "it printed a line of more than 21504 characters, at sentence 2 ('A dog')",
    ),
    (
        "unkify",
        printing("0 0", "0\t" * 2000, "0"),
        (
            f"it printed {('0' + chr(9)) * 40!r}…, and not 0 or 1 for each token, "
            "at sentence 2 ('A dog')"
        ),
    ),
    (
        "unkify",
        printing("0 0", "\t" * 21_505, "0"),
        "it printed a line of more than 21504 characters, at sentence 2 ('A dog')",
    ),
    (
        "get_surprisals",
        table(*ROWS[:2], f"2\t1\t{'x' * 40_000}\t1"),
        "it printed a line of more than 23552 characters, at sentence 1 ('The cat')",
    ),
    (
        "get_surprisals",
        table(*(f"1\t{n}\t{'x' * 6000}\t1" for n in range(1, 6))),
        "it printed more than 23552 characters about one sentence, at sentence 1 ('The cat')",
    ),
    (
        "get_surprisals",
        printing("sentence_id" + " " * 24_000 + "token_id token surprisal"),
        "it printed a line of more than 23552 characters, at sentence 1 ('The cat')",
    ),
    (
        "get_surprisals",
        table(f"1\t{'1' * 5000}\tThe\t0"),
        f"line 2: the token_id '{'1' * 80}'… has 5000 digits, at sentence 1 ('The cat')",
    ),
    (
        "unkify",
        printing("0 0", "0 2", "0"),
        "it printed '0 2', and not 0 or 1 for each token, at sentence 2 ('A dog')",
    ),
    ("unkify", printing(), "it printed 0 lines for 3 sentences"),
    (
        "get_surprisals",
        printing(),
        "it printed nothing",
    ),
    (
        "get_surprisals",
        printing("WARNING: a GPU is here", *ROWS),
        (
            "its first line has to be sentence_id token_id token surprisal, and is "
            "'WARNING: a GPU is here'"
        ),
    ),
    (
        "get_surprisals",
        table(*ROWS[:4]),
        "it gave surprisals for 2 of 3 sentences",
    ),
    ("get_surprisals", table(*ROWS, "4\t1\tx\t1"), "it printed sentence_id 4 for 3 sentences"),
    (
        "get_surprisals",
        table(*ROWS[:2], "3\t1\tx\t1"),
        (
            "line 4: sentence_id 3 comes after 1; sentences are numbered 1, 2, 3 and so on, in "
            "this order, at sentence 2 ('A dog')"
        ),
    ),
    (
        "get_surprisals",
        table(*ROWS[:3], "2\t2\tdog\tnan"),
        (
            "line 5: the surprisal 'nan' of 'dog' is not a number; write it in bits, "
            "at sentence 2 ('A dog')"
        ),
    ),
    (
        "get_surprisals",
        printing("WARNING: a GPU", "", HEADER, "1\t1\tThe\tone"),
        (
            "line 4: the surprisal 'one' of 'The' is not a number; write it in bits, "
            "at sentence 1 ('The cat')"
        ),
    ),
    (
        "get_surprisals",
        table("1\t1\tThe\t0", "1\t2\tcaf\udce9\t1"),
        "line 3 of its output is not UTF-8, at sentence 1 ('The cat')",
    ),
    (
        "get_surprisals",
        table(*ROWS[:2], *(f"2\t{n}\tx\t1" for n in range(1, 3000))),
        "it printed more than 21504 characters about one sentence, at sentence 2 ('A dog')",
    ),
]


@pytest.mark.parametrize(("name", "script", "message"), WRONG)
def test_what_is_wrong(commands: CommandsOf, name: str, script: str, message: str) -> None:
    with pytest.raises(ContainerError) as caught:
        getattr(commands(**{name: script}), name)(SENTENCES)
    assert str(caught.value) == f"local://toy: {name} /dev/stdin: {message}"
    assert caught.value.exit_status == 1


@pytest.mark.parametrize("name", ["tokenize", "unkify", "get_surprisals"])
@pytest.mark.parametrize("half", ["0 0\n0", "sentence_id token_id token surprisal\n1\t1\tx", ""])
def test_a_command_that_fails_half_way(commands: CommandsOf, name: str, half: str) -> None:
    # That its last line cannot be read is not what is wrong.
    image = commands(**{name: printing(half, end="", status=1, stderr="out of cats\n")})
    with pytest.raises(ContainerError) as caught:
        getattr(image, name)(SENTENCES)
    assert str(caught.value) == (
        f"local://toy: {name} /dev/stdin: it ended with exit status 1; "
        "the last it wrote to standard error:\n    out of cats"
    )
    assert type(caught.value) is ContainerError


def test_all_answers_and_then_a_failure(commands: CommandsOf) -> None:
    image = commands(tokenize=printing("a", "b", "c", status=1))
    with pytest.raises(ContainerError, match=r"tokenize /dev/stdin: it ended with exit status 1$"):
        image.tokenize(SENTENCES)


@pytest.mark.parametrize("said", ["", "not supported, sorry\n"])
@pytest.mark.parametrize("name", ["tokenize", "unkify", "get_surprisals"])
def test_99_is_a_feature_that_is_not_there(commands: CommandsOf, name: str, said: str) -> None:
    image = commands(**{name: printing(said, end="", status=99)})
    with pytest.raises(UnsupportedFeatureError, match=r"does not support this \(exit status 99\)"):
        getattr(image, name)(SENTENCES)


def test_a_command_that_hangs(commands: CommandsOf) -> None:
    hanging = "print('The cat', flush=True)\nimport time\ntime.sleep(60)\n"
    with pytest.raises(ContainerError) as caught:
        limited(commands(tokenize=hanging), timeout_s=0.5).tokenize(SENTENCES)
    assert str(caught.value) == (
        "local://toy: tokenize /dev/stdin: it had not ended after 0.5 s and was stopped "
        "(--sandbox time=SECONDS allows more)"
    )


@pytest.mark.parametrize("name", ["tokenize", "get_surprisals"])
def test_a_command_that_prints_for_ever(commands: CommandsOf, name: str) -> None:
    flood = "while True: print('sentence_id token_id token surprisal' + 60_000 * ' ' )\n"
    with pytest.raises(ContainerError) as caught:
        getattr(limited(commands(**{name: flood}), output_bytes=1 << 20), name)(SENTENCES * 1000)
    assert str(caught.value).startswith(f"local://toy: {name} /dev/stdin: ")


def test_a_flood_after_the_answers(commands: CommandsOf) -> None:
    flood = "print('a\\nb\\nc')\nwhile True: print()\n"
    with pytest.raises(ContainerError) as caught:
        limited(commands(tokenize=flood), output_bytes=1 << 20).tokenize(SENTENCES)
    assert str(caught.value) == (
        "local://toy: tokenize /dev/stdin: it printed more than 1 MiB and was stopped "
        "(--sandbox output=SIZE allows more)"
    )


def test_what_is_quoted_is_short_and_harmless(commands: CommandsOf) -> None:
    row = f"1\t1\t\x1b[31m{'x' * 5000}\tnan"
    with pytest.raises(ContainerError) as caught:
        commands(get_surprisals=table(row)).get_surprisals(["y" * 5000])
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 700


def limited(image: ImageCommands, **limits: float) -> ImageCommands:
    return replace(image, sandbox=replace(image.sandbox, **limits))  # type: ignore[arg-type]


REFUSED = [
    ("a\nb", "sentence 2 ('a\\nb'): it has a line break, and the image takes one sentence a line"),
    ("a\r", "sentence 2 ('a\\r'): it has a line break, and the image takes one sentence a line"),
    ("", "sentence 2 (''): it is blank, and the image takes one sentence a line"),
    (
        " \t\u3000",
        "sentence 2 (' \\t\\u3000'): it is blank, and the image takes one sentence a line",
    ),
    (
        "a\ud83d",
        (
            "sentence 2 ('a\\ud83d'): it holds half of a surrogate pair, which cannot be written "
            "as UTF-8"
        ),
    ),
]


@pytest.mark.parametrize(("sentence", "message"), REFUSED)
@pytest.mark.parametrize("name", ["tokenize", "unkify", "get_surprisals"])
def test_sentences_that_are_no_lines(
    commands: CommandsOf, engine: LocalEngine, name: str, sentence: str, message: str
) -> None:
    with pytest.raises(ModelError) as caught:
        getattr(commands(), name)(["fine", sentence])
    assert str(caught.value) == f"local://toy: {message}"
    assert engine.commands == []


def test_no_sentences_cost_nothing(commands: CommandsOf, engine: LocalEngine) -> None:
    image = commands()
    assert (image.tokenize([]), image.unkify([]), image.get_surprisals([])) == ([], [], ())
    assert engine.commands == []


def test_a_sentence_has_its_number() -> None:
    assert place(3, "The cat") == "sentence 3 ('The cat')"


def test_what_is_long_is_not() -> None:
    assert shortened("x" * 401) == f"{'x' * 400}…"


@example("\u200c")
@given(st.text(max_size=300))
def test_nothing_steers_a_terminal(text: str) -> None:
    assert is_harmless(shortened(text).replace("\n", ""))


LINES = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))


@given(st.lists(LINES))
def test_every_sentence_is_a_line(sentences: list[str]) -> None:
    text = b"".join(sentence_chunks(sentences)).decode()
    assert text == "".join(f"{sentence}\n" for sentence in sentences)


def test_pieces_are_small() -> None:
    pieces = list(sentence_chunks(["x" * 1000] * 1000))
    assert len(pieces) > 10
    assert max(map(len, pieces)) <= (1 << 16) + 1001
