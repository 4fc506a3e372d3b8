"""Tokens without a surprisal where a prediction looks."""

import json
from typing import Any, get_args

import pytest
from tests.builders import by_word, token
from tests.leaderboard.submission.samples import AGREEMENT, SOURCE, Parts, surprisals

from pommel.leaderboard.submission import SubmissionError, parse_submission, recomputed
from pommel.leaderboard.submission.recomputing import unscored_fault
from pommel.models.model import Method
from pommel.surprisal import ScoredSentence, Token, Unscored

TEXT = "The dogs bark ."
LEFT_TO_RIGHT = ("auto", "causal", "ngram")


def sentence(*tokens: Token, text: str = TEXT) -> ScoredSentence:
    return ScoredSentence(text=text, tokens=tokens)


@pytest.mark.parametrize("method", get_args(Method))
def test_the_first_may_have_no_context_where_a_model_reads_from_the_left(method: Method) -> None:
    fault = unscored_fault(by_word(TEXT, {"The": None}), None, method)
    assert fault == (
        ""
        if method in LEFT_TO_RIGHT
        else (
            f"the token 'The' has no surprisal in {TEXT!r}, in a region that a prediction names; "
            f"under the method {method} no token is without context"
        )
    )


@pytest.mark.parametrize("word", ["dogs", "bark", "."])
def test_no_other_may(word: str) -> None:
    assert unscored_fault(by_word(TEXT, {"The": None, word: None}), None, "causal") == (
        f"the token {word!r} has no surprisal in {TEXT!r}, in a region that a prediction names; "
        f"only the first token of a sentence can be without context"
    )


def test_marks_and_pieces_of_a_character_before_it_may() -> None:
    marked = sentence(token("<s>", 0, None, end=0, role="bos"), token("a", 0, None), text="a")
    assert unscored_fault(marked, None, "causal") == ""
    pieces = [token(name, 1, None, end=end) for name, end in (("ð", 1), ("Ł", 1), ("Ķ", 2))]
    assert unscored_fault(sentence(*pieces, text=" é"), None, "causal") == ""


def test_a_mark_at_the_end_may_not() -> None:
    scored = sentence(token("a", 0, 1.0), token("</s>", 1, None, end=1, role="eos"), text="a")
    assert unscored_fault(scored, None, "causal").startswith("the token '</s>' has no surprisal")
    nothing = sentence(token("</s>", 0, None, end=0, role="eos"), text="")
    assert unscored_fault(nothing, None, "causal") == ""


@pytest.mark.parametrize(
    ("spans", "is_seen"), [((), False), (((0, 9),), False), (((9, 10),), True), (None, True)]
)
def test_where_no_prediction_looks_any_may(
    spans: tuple[tuple[int, int], ...] | None, *, is_seen: bool
) -> None:
    assert bool(unscored_fault(by_word(TEXT, {"bark": None}), spans, "causal")) == is_seen


def test_what_was_not_asked_for_is_not_looked_at() -> None:
    tokens = [token(word, TEXT.index(word), 1.0) for word in TEXT.split()[:-2]]
    for why in get_args(Unscored)[1:]:
        scored = sentence(*tokens, token("bark", 9, None, why=why), token(".", 14, 1.0))
        assert unscored_fault(scored, None, "causal") == ""


def test_a_submission_without_a_surprisal_is_refused(sound: Parts) -> None:
    def forget(lines: Any) -> None:
        for line in lines[1:]:
            for each in line["tokens"]:
                each[3] = None

    submission = parse_submission(sound.with_lines(forget).packed(), source=SOURCE)
    with pytest.raises(SubmissionError) as caught:
        recomputed(submission, [AGREEMENT], score_rule="all")
    assert str(caught.value) == (
        f"{SOURCE}: suite agreement: the token 'dogs' has no surprisal in {TEXT!r}, in a region "
        f"that a prediction names; only the first token of a sentence can be without context"
    )
    assert json.loads(sound.files[surprisals()].splitlines()[1])["sentence"] == TEXT
