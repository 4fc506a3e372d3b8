"""Results again from a submission's tokens: the same as were run, and nothing on trust."""

import hashlib
import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st
from tests.builders import by_word, token
from tests.leaderboard.submission.samples import (
    AGREEMENT,
    BIRDS,
    SONG,
    SOURCE,
    SUITES,
    Parts,
    packed,
    results,
    surprisals,
    word_model,
)
from tests.store.run_samples import agreement, assert_same_result
from tests.word_model import WordModel

from pommel.leaderboard.submission import SubmissionError, Submitter, parse_submission, recomputed
from pommel.leaderboard.submission.recomputing import region_sums_sha256, unscored_fault
from pommel.models.model import RECOVERED, Method, Policy
from pommel.scoring import Choices
from pommel.scoring.regions import RegionTable, region_table
from pommel.scoring.run_record import RunRecord
from pommel.surprisal import ScoredSentence, Token, Unscored

UNNAMED = Submitter(by="A. Linguist")


def refusal(raw: bytes, suites: Any = SUITES) -> str:
    with pytest.raises(SubmissionError) as caught:
        recomputed(parse_submission(raw, source=SOURCE), suites)
    return str(caught.value).removeprefix(f"{SOURCE}: ")


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"score_rule": "first"},
        {"score_rule": "each"},
        {"oov": "skip"},
        {"regions": "needed"},
        {"policy": Policy(bos="never", first_token="zero")},
        {"compat": "syntaxgym", "model": word_model(details={"offsets": RECOVERED})},
        {"model": word_model(bits={"bark": 1 / 3, "sat": 0.1 + 0.2, "The": None, "owl": 1e-5})},
        {"model": word_model(bits={"bark": -1e-5, "purrs": 99_999.0})},
    ],
)
def test_the_runs_are_those_that_were_packed(tmp_path: Path, choices: dict[str, Any]) -> None:
    raw, runs = packed(tmp_path, about=UNNAMED, **choices)
    submission = parse_submission(raw, source=SOURCE)
    again = recomputed(submission, [SONG, AGREEMENT])
    for run, found in zip(runs, reversed(again), strict=True):
        assert found.surprisals.suite.name == run.surprisals.suite.name
        assert found.surprisals.sentences == run.surprisals.sentences
        assert found.surprisals.method == run.surprisals.method
        assert found.surprisals.assigner is run.surprisals.assigner
        assert RunRecord.of(found).run_id == RunRecord.of(run).run_id
        assert found.result.provenance["policy"]["method"] == "causal"
        # The policy that was asked for leaves the method to the model.
        shown = [{**each.result.provenance, "policy": {}} for each in (run, found)]
        assert shown[0] == shown[1]
        assert_same_result(
            *(replace(each.result, provenance={}, model_name="") for each in (run, found))
        )


def test_another_score_rule_and_what_becomes_of_unknown_words(tmp_path: Path) -> None:
    raw, (run,) = packed(tmp_path, (AGREEMENT,))
    submission = parse_submission(raw, source=SOURCE)
    (found,) = recomputed(submission, [AGREEMENT], Choices(score_rule="each", oov="skip"))
    wanted = run.surprisals.evaluate(Choices(score_rule="each", oov="skip"))
    assert found.result.scores == wanted.scores
    assert found.result.model_name == "Words"
    assert found.result.provenance["oov"] == "skip"


def test_only_the_suites_that_are_asked_for_are_looked_at(sound: Parts) -> None:
    def worse(claims: Any) -> None:
        claims["predictions"][0]["margin_bits"][0] = 9.0

    raw = sound.with_claims(worse, SONG).packed()
    submission = parse_submission(raw, source=SOURCE)
    (run,) = recomputed(submission, [AGREEMENT])
    assert run.result.suite_name == "agreement"
    assert refusal(raw).startswith("suite song, item 1, prediction 0: margin is claimed to be 9")


def test_a_suite_that_is_missing(sound: Parts) -> None:
    other = agreement("wrens", BIRDS)
    assert refusal(sound.packed(), [other]) == (
        f"has no run on wrens (SHA-256 {other.sha256[:12]}...)"
    )


def test_another_version_of_a_suite(sound: Parts) -> None:
    other = agreement("song", BIRDS, version="1.1.0")
    assert refusal(sound.packed(), [other]) == (
        f"has no run on song (SHA-256 {other.sha256[:12]}...); it has another version of song"
    )


def test_provenance_cannot_say_what_the_manifest_says(sound: Parts) -> None:
    def lie(manifest: Any) -> None:
        manifest["suites"][0]["provenance"].update(suite={"sha256": "0"}, compat="magic", oov="no")

    submission = parse_submission(sound.with_manifest(lie).packed(), source=SOURCE)
    (run,) = recomputed(submission, [AGREEMENT])
    assert run.result.provenance["suite"]["sha256"] == AGREEMENT.sha256
    assert run.result.provenance["compat"] is None
    assert run.result.provenance["oov"] == "keep"


def test_margins_may_differ_by_rounding(sound: Parts) -> None:
    def round_otherwise(claims: Any) -> None:
        margins = claims["predictions"][0]["margin_bits"]
        margins[:] = [each + 1e-9 for each in margins]

    submission = parse_submission(sound.with_claims(round_otherwise).packed(), source=SOURCE)
    assert len(recomputed(submission, SUITES)) == 2


def test_margins_that_are_no_numbers(tmp_path: Path) -> None:
    items = [{"good": ("A dog", "", "barks"), "bad": ("A dog", "now", "barks")}]
    suite = agreement(items=items, formulas=("(2;%good%) < (2;%bad%)",), metric="mean")
    raw, (run,) = packed(tmp_path, (suite,))
    assert str(run.result.predictions[0].margin_bits.tolist()) == "[nan]"
    claims = json.loads(Parts.of(raw).files[results(suite)])
    assert claims["predictions"][0]["margin_bits"] == [None]
    submission = parse_submission(raw, source=SOURCE)
    (found,) = recomputed(submission, [suite])
    assert found.result.scores == run.result.scores


def test_what_is_consistent_is_taken_whatever_the_model_says(tmp_path: Path) -> None:
    """A forger who makes everything anew from better surprisals is found by the model only."""
    model = word_model(bits={"barks": 50.0, "purr": 50.0, "sit": 50.0})
    raw, _ = packed(tmp_path, (AGREEMENT,), model)
    submission = parse_submission(raw, source=SOURCE)
    (run,) = recomputed(submission, [AGREEMENT])
    assert run.result.score == 1.0


def test_regions_that_nobody_asked_for_are_not_there(tmp_path: Path) -> None:
    suite = agreement(formulas=("(2;%good%) < (2;%bad%)",))
    raw, (run,) = packed(tmp_path, (suite,), regions="needed")
    line = json.loads(Parts.of(raw).files[surprisals(suite)].splitlines()[1])
    assert line["why_unscored"] == {"not asked for": [0, 1, 3]}
    (found,) = recomputed(parse_submission(raw, source=SOURCE), [suite])
    assert found.surprisals.sentences == run.surprisals.sentences


def test_words_that_cannot_be_compared(tmp_path: Path) -> None:
    """Under focus-mask a word may have no number, and its item does not count."""
    text = "The cat purr ."
    tokens = [
        token(word, text.index(word), None if word == "purr" else 1.0, why="not comparable")
        for word in text.split()
    ]
    scored = ScoredSentence(text=text, tokens=tuple(tokens))
    model = WordModel(methods=("focus-mask",), sentences={text: scored})
    raw, (run,) = packed(tmp_path, (AGREEMENT,), model)
    assert run.result.predictions[0].results == (True, None, False)
    (found,) = recomputed(parse_submission(raw, source=SOURCE), [AGREEMENT])
    assert_same_result(
        *(replace(each.result, provenance={}, model_name="") for each in (run, found))
    )


def table_of(bits: dict[str, float | None]) -> RegionTable:
    rows = AGREEMENT.sentences()
    scored = [[by_word(each.text, bits) for each in row] for row in rows]
    return region_table(AGREEMENT, scored, ("sum",))


def test_it_is_that_of_sums_and_counts_as_documented() -> None:
    """The words of a region are added up from left to right, in bits."""
    sums, counts = [], []
    for row in AGREEMENT.sentences():
        for sentence in row:
            for start, end in sentence.spans:
                words = sentence.text[start:end].split()
                sums.append(float(sum(map(len, words))))
                counts.append(len(words))
    raw = struct.pack(f"<{len(sums)}d{len(counts)}q", *sums, *counts)
    assert region_sums_sha256(table_of({})) == hashlib.sha256(raw).hexdigest()


def test_zero_has_no_sign() -> None:
    assert region_sums_sha256(table_of({"bark": 0.0})) == region_sums_sha256(
        table_of({"bark": -0.0})
    )


@given(bits=st.floats(0, 50), other=st.floats(0, 50))
def test_it_tells_any_two_surprisals_apart(bits: float, other: float) -> None:
    one, two = (region_sums_sha256(table_of({"bark": each})) for each in (bits, other))
    assert (one == two) == (bits == other)


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
        recomputed(submission, [AGREEMENT])
    assert str(caught.value) == (
        f"{SOURCE}: suite agreement: the token 'dogs' has no surprisal in {TEXT!r}, in a region "
        f"that a prediction names; only the first token of a sentence can be without context"
    )
    assert json.loads(sound.files[surprisals()].splitlines()[1])["sentence"] == TEXT
