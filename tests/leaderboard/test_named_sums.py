"""The same numbers under another name: sums of the regions that predictions name."""

import base64
import json
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.builders import by_word
from tests.leaderboard.samples import RIGHT, added, board_at, model, submission
from tests.leaderboard.submission.samples import ABOUT
from tests.store.run_samples import agreement

from pommel.leaderboard.entry import (
    are_same,
    entry_from,
    entry_of,
    packed_sums,
    sealed,
    unpacked_sums,
    unsealed,
)
from pommel.leaderboard.submission import SubmissionError, read_submission
from pommel.models.model import Policy
from pommel.scoring.regions import region_table
from pommel.suite.suite import Suite

# Predictions look at the verb, and not at what stands around it.
VERBS = agreement(formulas=("(2;%good%) < (2;%bad%)",))
BOTH = agreement(formulas=("(2;%good%) < (*;%bad%)", "(2;%bad%) > (2;%good%)"))


def packed(suite: Suite, bits: dict[str, float | None]) -> str:
    scored = [[by_word(each.text, bits) for each in row] for row in suite.sentences()]
    return packed_sums(suite, region_table(suite, scored, ("sum",)))


def test_they_are_the_sums_of_the_named_regions_in_order() -> None:
    """`*` of bad, then region 2 of bad, then region 2 of good; words have their lengths in bits."""
    expected = [13.0, 11.0, 9.0, 5.0, 4.0, 3.0, 4.0, 5.0, 3.0]
    assert base64.b64decode(packed(BOTH, {})) == struct.pack("<9f", *expected)
    assert unpacked_sums(packed(BOTH, {})).tolist() == expected


def test_other_regions_do_not_count() -> None:
    assert packed(VERBS, {"The": 99.0, ".": None}) == packed(VERBS, {})
    assert packed(VERBS, {"barks": 5.1}) != packed(VERBS, {})


@given(change=st.floats(-3, 3))
def test_sums_are_the_same_within_a_hundredth_of_a_bit(change: float) -> None:
    one, other = ({"a": packed(VERBS, {"bark": each})} for each in (4.0, 4.0 + change))
    if abs(abs(change) - 0.01) > 1e-4:
        assert are_same(one, other) == are_same(other, one) == (abs(change) < 0.01)


def test_one_sum_that_differs_is_enough() -> None:
    one = {"a": packed(VERBS, {}), "b": packed(BOTH, {})}
    assert are_same(one, dict(one))
    assert not are_same(one, {**one, "b": packed(BOTH, {"sit": 3.1})})
    assert not are_same(one, {"a": one["a"]})
    assert not are_same(one, {**one, "b": one["a"]})


@pytest.mark.parametrize("bits", [None, float("inf")])
def test_what_has_no_number_is_the_same_where_the_other_has_none_either(bits: float | None) -> None:
    one = {"a": packed(VERBS, {"bark": bits})}
    assert are_same(one, dict(one))
    assert not are_same(one, {"a": packed(VERBS, {})})


def test_where_no_region_is_named_nothing_is_the_same() -> None:
    assert not are_same({"a": ""}, {"a": ""})


def refusal(place: object, path: Path) -> str:
    with pytest.raises(SubmissionError) as caught:
        added(place, path)  # type: ignore[arg-type]
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize("regions", ["needed", "all"])
@pytest.mark.parametrize("more", [0.0, 1e-9, 0.004])
def test_a_copy_with_other_regions_or_a_little_more(
    tmp_path: Path, regions: str, more: float
) -> None:
    place = board_at(tmp_path, (VERBS,))
    first = submission(tmp_path, model(), (VERBS,), regions="needed")
    name = added(place, first).standing.id
    bits = {word: len(word) + more for word in ("bark", "barks", "purr", "purrs", "sat", "sit")}
    copy = submission(tmp_path, model("copy", {**bits, "The": 7.0}), (VERBS,), regions=regions)
    assert refusal(place, copy) == (
        f"has the same surprisals as {name} ('words' by 'A. Linguist'), which calls itself another "
        f"model; say that it takes the place of that one (--supersede)"
    )


def test_a_copy_that_is_changed_by_more_is_not_seen(tmp_path: Path) -> None:
    place = board_at(tmp_path, (VERBS,))
    added(place, submission(tmp_path, model(), (VERBS,)))
    other = submission(tmp_path, model("copy", {"bark": 4.02}), (VERBS,))
    assert added(place, other).n_ranked == 2


def test_the_same_numbers_under_another_policy(tmp_path: Path) -> None:
    place = board_at(tmp_path, (VERBS,))
    name = added(place, submission(tmp_path, model(), (VERBS,))).standing.id
    again = submission(tmp_path, model(), (VERBS,), policy=Policy(eos="never"))
    assert refusal(place, again) == (
        f"has the same surprisals as {name} ('words' by 'A. Linguist'), which is of this model "
        f"under another policy; say that it takes the place of that one (--supersede)"
    )
    assert added(place, again, supersede=True).superseded == (name,)


def test_what_is_kept_of_a_submission_is_read_again(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    path = submission(tmp_path, model("right", RIGHT), about=replace(ABOUT, note="é"))
    board = place.board()
    entry = entry_of(read_submission(path), board, place.suites(board))
    assert entry_from(entry.to_text(), board) == entry
    assert entry.n_tokens == 24 + 16


def test_what_an_older_pommel_kept_is_made_again(tmp_path: Path) -> None:
    place = board_at(tmp_path)
    name = added(place, submission(tmp_path)).standing.id
    kept = place.entry_file(name)
    text = kept.read_text()
    value = unsealed(text)
    sums = dict.fromkeys(value.pop("named_sums"), "0" * 64)
    kept.write_text(json.dumps({**value, "version": 1, "region_sums": sums}))
    assert list(place.verified()) == []
    copy = submission(tmp_path, model("copy"))
    assert refusal(place, copy).startswith(f"has the same surprisals as {name} ")
    assert kept.read_text() == text


@pytest.mark.parametrize(
    "sums", [{}, {"a": "AAAA"}, None, "?", "AAAA", "AAAAAA==", "AADAfwAAAAAAAAAA", 3]
)
def test_sums_that_cannot_be_are_made_again(tmp_path: Path, sums: object) -> None:
    place = board_at(tmp_path, (VERBS,))
    name = added(place, submission(tmp_path, suites=(VERBS,))).standing.id
    board = place.board()
    value = unsealed(place.entry_file(name).read_text())
    (sha256,) = value["named_sums"]
    value["named_sums"] = {sha256: sums} if isinstance(sums, str | int) else sums
    assert entry_from(sealed(value), board) is None
