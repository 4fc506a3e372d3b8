"""Protocol 2: what a program with the command `score` may answer, and what is said of the rest."""

import time

import pytest
from tests.models.container.asking import answers_of, scored
from tests.models.container.conftest import ImageOf
from tests.models.container.toy_image import HEADER

from pommel.models.container import commands as image_commands
from pommel.models.container.engines.engine import Sandbox
from pommel.models.model import Policy
from pommel.surprisal import Token


def test_tokens_are_as_they_are_answered(image: ImageOf) -> None:
    answers = answers_of(image(2))
    (_, _, third) = scored(answers)
    assert third.tokens == (
        Token(text="<unk>", start=0, end=12, surprisal_bits=None, oov=True),
        Token(text="<eos>", start=12, end=12, surprisal_bits=5.0, role="eos"),
    )
    (plain,) = scored(answers, ["a b"], Policy(eos="never", first_token="zero"))
    assert [token.surprisal_bits for token in plain.tokens] == [0.0, 1.0]
    assert answers.header == HEADER["model"]
    answers.close()


def test_the_request_has_sentence_and_policy(image: ImageOf) -> None:
    echo = """
say(HEADER)
for block in blocks():
    for r in block:
        assert list(r) == ["id", "sentence", "bos", "eos"], r
        text = r["bos"] + "/" + r["eos"]
        say({"id": r["id"], "tokens": [[text, 0, len(r["sentence"]), None, False, "text"]]})
"""
    answers = answers_of(image(2, score=echo))
    (first,) = scored(answers, ["é\n\u2028🦒"], Policy(bos="tokenizer"))
    assert first.tokens[0].text == "tokenizer/auto"
    (retired,) = scored(answers, ["a"], Policy.SYNTAXGYM)
    assert retired.tokens[0].text == "auto/auto"
    answers.close()


def test_answers_in_any_order_and_only_when_asked_for(image: ImageOf) -> None:
    late = """
say(HEADER)
for block in blocks():
    for request in reversed(block):
        print(json.dumps(answer(request)))
    sys.stdout.flush()
"""
    answers = answers_of(image(2, score=late))
    sentences = [f"number {n}" for n in range(100)]
    assert [index for index, _ in answers.score(sentences, Policy())] == list(range(99, -1, -1))
    assert [each.text for each in scored(answers, sentences)] == sentences
    answers.close()


@pytest.mark.parametrize("n_sentences", [1, 6, 7, 8, 13, 14, 15, 50])
def test_blocks(image: ImageOf, monkeypatch: pytest.MonkeyPatch, n_sentences: int) -> None:
    monkeypatch.setattr(image_commands, "BLOCK", 7)
    sizes = """
say(HEADER)
for block in blocks():
    for request in block:
        say({"id": request["id"], "tokens": [[str(len(block)), 0, 1, None, False, "text"]]})
"""
    answers = answers_of(image(2, score=sizes))
    for _ in range(2):
        found = [each.tokens[0].text for each in scored(answers, ["x"] * n_sentences)]
        full, rest = divmod(n_sentences, 7)
        assert found == ["7"] * 7 * full + [str(rest)] * rest
    answers.close()


def test_the_next_block_is_there_before_this_one_is_answered(
    image: ImageOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_commands, "BLOCK", 2)
    ahead = """
say(HEADER)
asked = blocks()
waiting = next(asked)
for block in asked:
    for request in waiting: say(answer(request))
    waiting = block
for request in waiting: say(answer(request))
"""
    answers = answers_of(image(2, score=ahead))
    scoring = answers.score(["a b"] * 6, Policy())
    # A program that waits for a block more than it owes gets four answers, and never the rest.
    assert [next(scoring)[0] for _ in range(4)] == [0, 1, 2, 3]
    scoring.close()  # type: ignore[attr-defined]
    answers.close()


def test_a_probability_of_zero(image: ImageOf) -> None:
    never = """
say(HEADER)
for block in blocks():
    for r in block: say({"id": r["id"], "tokens": [["a", 0, 1, "Infinity", False, "text"]]})
"""
    answers = answers_of(image(2, score=never))
    assert scored(answers, ["a"])[0].tokens[0].surprisal_bits == float("inf")
    answers.close()


def test_each_block_has_its_time(image: ImageOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_commands, "BLOCK", 1)
    slow = "import time\nsay(HEADER)\nfor block in blocks():\n    time.sleep(0.4)\n"
    slow += "    for request in block: say(answer(request))\n"
    answers = answers_of(image(2, score=slow), Sandbox(timeout_s=1.5))
    began = time.monotonic()
    assert len(scored(answers, ["a b"] * 6)) == 6
    assert time.monotonic() - began > 2
    answers.close()
