"""Protocol 2: what is said of a program that does not keep to it; nothing of it is left."""

from typing import Any

import pytest
from tests.models.container.asking import answers_of, failure, scored
from tests.models.container.conftest import ImageOf
from tests.models.container.local_engine import LocalEngine

from pommel.errors import ContainerError
from pommel.models.container.commands import ImageCommands, ScoreSession
from pommel.models.container.engines.engine import Sandbox
from pommel.models.model import LoadOptions, Policy

FIRST = 'its first line has to be {"format": "pommel-score", "version": 2, "model": ...}, and is '


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("", "it ended before it printed its first line"),
        (
            "print('Loading...', flush=True)\nsay(HEADER)\nsys.stdin.read()\n",
            f"{FIRST}'Loading...': this is not JSON: Expecting value (column 1)",
        ),
        ("say([])\nsys.stdin.read()\n", f"{FIRST}'[]': this is no JSON object"),
        ("print('[' * 100_000, flush=True)\nsys.stdin.read()\n", None),
        ("say({'format': 'pommel-score', 'version': 3})\n", None),
        ("HEADER['model'] = {'name': 'x'}\nsay(HEADER)\n", None),
        ("print('loading', file=sys.stderr)\nsys.exit(3)\n", None),
    ],
)
def test_headers_that_are_none(image: ImageOf, script: str, message: str | None) -> None:
    with pytest.raises(ContainerError) as caught:
        answers_of(image(2, score=script))
    assert str(caught.value).startswith("local://toy: score: ")
    if message is not None:
        assert str(caught.value) == f"local://toy: score: {message}"
    assert len(str(caught.value)) < 700


AT_2 = "sentence 2 ('A dog')"


def answering(code: str, *, end: str = "sys.stdin.read()\n") -> str:
    """Return a script that answers the first sentence, and then does something else."""
    return (
        f"say(HEADER)\nblock = next(blocks())\nr = block[1]\nsay(answer(block[0]))\n{code}\n{end}"
    )


def with_tokens(tokens: str) -> str:
    return answering(f"say({{'id': r['id'], 'tokens': {tokens}}})")


def refusing(error: str) -> str:
    return answering(f"say({{'id': r['id'], 'error': {error}}})\nsay(answer(block[2]))")


LAST_WORDS = "the last it wrote to standard error:"
MEMORY = "its use of memory (the limit is 8 GiB; --sandbox memory=SIZE allows more)"

WRONG: list[tuple[str, str]] = [
    (refusing("'longer than 9 tokens'"), f"{AT_2}: longer than 9 "),
    (refusing("{'a': '\\033'}"), f"{AT_2}: {{'a': '\\x1b'}}"),
    (
        answering("print('oops', flush=True)"),
        "its answer is 'oops': this is not JSON: Expecting value (column 1)",
    ),
    (
        answering("print(flush=True)"),
        "its answer is '': this is not JSON: Expecting value (column 1)",
    ),
    (answering("say([1])"), "its answer is '[1]': this is no JSON object"),
    (answering("print('{\"id\": ' + '1' * 5000 + '}', flush=True)"), 'its answer is \'{"id": 1111'),
    (
        answering("say({'id': 7})"),
        "its answer is '{\"id\": 7}', and nothing is asked under this id",
    ),
    (
        answering("say({'id': True})"),
        "its answer is '{\"id\": true}', and nothing is asked under this id",
    ),
    (
        answering("say({'id': block[0]['id']})"),
        "its answer is '{\"id\": 0}', and nothing is asked under this id",
    ),
    (
        answering("say({'tokens': []})"),
        "its answer is '{\"tokens\": []}', and nothing is asked under this id",
    ),
    (answering("say({'id': r['id']})"), f"its answer: 'tokens' has to be a list, at {AT_2}"),
    (
        with_tokens("[['A', 0, 1]]"),
        "its answer: token 1 is ['A', 0, 1]; it has to be [text, start, end, ",
    ),
    (
        with_tokens("[['A', 0, 1, 'x', False, 'text']]"),
        f"its answer: token 1 has the surprisal 'x', which is not a number, at {AT_2}",
    ),
    (
        with_tokens("[['A', 0, 1, float('nan'), False, 'text']]"),
        """its answer is '{"id": 1, "tokens": [["A", 0, 1, NaN, false, "text"]]}': NaN is not""",
    ),
    (
        with_tokens("[['A', 0, 1, 1, False, 'text']]"),
        f"no token stands for 'dog' (character 1) in 'A dog', at {AT_2}",
    ),
    (answering("pass", end=""), "it ended before it had answered"),
    (
        answering("print('no cats', file=sys.stderr)", end="sys.exit(5)\n"),
        f"it ended with exit status 5; {LAST_WORDS}\n    no cats",
    ),
    (
        answering("print('{\"id\": 1, \"tok', end='')", end="sys.exit(5)\n"),
        "it ended with exit status 5",
    ),
    (
        answering("pass", end="sys.exit(99)\n"),
        "the image does not support this (exit status 99)",
    ),
    (
        answering("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"),
        f"it was killed (exit status 137), probably for {MEMORY}",
    ),
    (
        answering("sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()"),
        "line 3 of its output is not UTF-8",
    ),
]


@pytest.mark.parametrize(("script", "message"), WRONG)
def test_answers_that_are_none(
    image: ImageOf, engine: LocalEngine, script: str, message: str
) -> None:
    assert failure(image(2, score=script)).startswith(message)
    assert engine.n_running == 0


def test_a_program_that_hangs(image: ImageOf) -> None:
    script = answering("import time; time.sleep(60)")
    assert failure(image(2, score=script), Sandbox(timeout_s=1)) == (
        "it had not ended after 1 s and was stopped (--sandbox time=SECONDS allows more)"
    )


def test_a_program_that_prints_for_ever(image: ImageOf) -> None:
    script = answering("while True: sys.stderr.write('x' * 1000 + '\\n')")
    found = failure(image(2, score=script), Sandbox(output_bytes=1 << 20))
    assert found.startswith("it printed more than 1 MiB and was stopped ")
    assert f"; {LAST_WORDS}\n    xxx" in found


def test_a_line_that_is_too_long_for_every_sentence(image: ImageOf) -> None:
    script = answering("say({'id': r['id'], 'error': 'x' * 30_000})")
    assert failure(image(2, score=script)) == ("it printed a line of more than 28672 characters")


def test_a_header_that_is_too_long(image: ImageOf) -> None:
    with pytest.raises(ContainerError) as caught:
        answers_of(image(2, score="HEADER['more'] = 'x' * 70_000\nsay(HEADER)\nsys.stdin.read()\n"))
    assert str(caught.value) == "local://toy: score: its first line has more than 65536 characters"


@pytest.mark.parametrize("key", ["name", "fingerprint", "bos", "eos", "dtype", "device"])
@pytest.mark.parametrize(
    ("value", "fault"),
    [("\x1b[2J", "cannot be shown"), ("x" * 201, "has more than 200 characters")],
)
def test_what_a_header_says_can_be_shown(image: ImageOf, key: str, value: str, fault: str) -> None:
    code = f"HEADER['model'][{key!r}] = {value!r}\nsay(HEADER)\nsys.stdin.read()\n"
    with pytest.raises(ContainerError) as caught:
        answers_of(image(2, score=code))
    shown = repr(value) if len(value) <= 80 else f"{value[:80]!r}…"
    assert str(caught.value).endswith(f": its {key}, {shown}, {fault}")


@pytest.mark.parametrize(
    ("eos", "tokens", "what"),
    [
        ("never", [["a", 0, 1, 1, False, "text"], ["</s>", 1, 1, 1, False, "eos"]], "an"),
        ("always", [["a", 0, 1, 1, False, "text"]], "no"),
    ],
)
def test_a_policy_that_is_not_followed(image: ImageOf, eos: Any, tokens: Any, what: str) -> None:
    script = f"say(HEADER)\nr = next(blocks())[0]\nsay({{'id': r['id'], 'tokens': {tokens!r}}})\n"
    answers = answers_of(image(2, score=script + "sys.stdin.read()\n"))
    with pytest.raises(ContainerError) as caught:
        scored(answers, ["a"], Policy(eos=eos))
    assert str(caught.value) == (
        f"local://toy: score: its answer has {what} eos token under eos={eos}, at sentence 1 ('a')"
    )


def test_a_session_is_not_kept_that_does_not_begin(image: ImageOf, engine: LocalEngine) -> None:
    commands = ImageCommands.open(image(2, score="say(1)\nsys.stdin.read()\n"), LoadOptions())
    with pytest.raises(ContainerError):
        ScoreSession(commands)
    assert engine.n_running == 0
