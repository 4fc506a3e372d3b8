"""Which of the stored runs of a model on a suite counts."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.store.run_samples import imported, member, numbers, own

from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord
from pommel.store.selection import OneEach, one_each


def check_one_rule(records: list[RunRecord]) -> None:
    """Raise if these are runs of a model on a suite under several rules."""
    OneEach(records=records, older=[], unscored=[], alone=[]).check_one_rule()


def chosen(
    records: Sequence[RunRecord], *, unscored: Sequence[int] = (), any_rule: bool = False
) -> dict[str, list[int]]:
    """Return the numbers of the runs that count, and of the others, by why they do not."""
    scored = {each.run_id for each in records if int(each.run_id, 16) not in unscored}
    found = one_each(records, scored=scored, any_rule=any_rule)
    every = {
        "records": found.records,
        "older": found.older,
        "unscored": found.unscored,
        "alone": found.alone,
    }
    return {why: numbers(runs) for why, runs in every.items() if runs}


def test_the_newest_of_a_model_on_a_suite_is_left() -> None:
    records = [own(1, day=2), own(2, day=1), own(3, suite="npi"), own(4, "toy://b"), own(5, day=2)]
    assert chosen(records) == {"records": [3, 4, 5], "older": [1, 2]}


def test_by_whichever_path_a_model_was_reached_its_newest_run_is_left() -> None:
    records = [own(1, "lstm://a", fingerprint="f"), own(2, "lstm://b/a", fingerprint="f", day=2)]
    assert chosen(records) == {"records": [2], "older": [1]}
    changed = own(3, "lstm://a", fingerprint="g", day=3)
    assert chosen([*records, changed]) == {"records": [2, 3], "older": [1]}


def test_suites_of_one_name_in_two_languages_are_two() -> None:
    records = [own(1), own(2)]
    german = replace(records[1], suite=replace(records[1].suite, language="de"))
    assert chosen([records[0], german]) == {"records": [1, 2]}
    other_rule = replace(german, result=replace(german.result, score_rule="each"))
    check_one_rule([records[0], other_rule])


def test_a_rule_is_another_run_unless_any_will_do() -> None:
    records = [own(1, day=2), own(2, day=1, rule="first")]
    assert chosen(records) == {"records": [1, 2]}
    assert chosen(records, any_rule=True) == {"records": [1], "older": [2]}


def test_what_others_have_published_is_not_older_than_ours() -> None:
    records = [own(1), imported("2".zfill(12), model="words"), imported("3".zfill(12), source="b")]
    assert chosen(records) == {"records": [1, 2, 3]}


# --- alone, and in families


def test_what_was_scored_alike_in_a_family_counts_there() -> None:
    alone = own(2, "lstm://toy/seed-1", name="seed-1", fingerprint="a", day=2)
    assert chosen([member(1, 1, "a"), alone]) == {"records": [1], "alone": [2]}
    # The order in which it was run makes no difference, nor does a newer run of the family.
    again = member(3, 1, "a", day=3, policy="other")
    assert chosen([alone, member(1, 1, "a"), again]) == {
        "records": [3],
        "older": [1],
        "alone": [2],
    }


@pytest.mark.parametrize(
    "facts", [{"suite": "npi"}, {"rule": "first"}, {"policy": "other"}, {"fingerprint": "b"}]
)
def test_what_the_family_lacks_counts_alone(facts: dict[str, str]) -> None:
    alone = own(2, **{"name": "seed-1", "fingerprint": "a", **facts})  # type: ignore[arg-type]
    assert chosen([member(1, 1, "a"), alone]) == {"records": [1, 2]}


def test_under_whichever_rule_a_run_in_a_family_wins() -> None:
    records = [member(1, 1, "a"), own(2, fingerprint="a", rule="first", day=2)]
    assert chosen(records, any_rule=True) == {"records": [1], "alone": [2]}


def test_settings_are_part_of_how_a_run_was_scored() -> None:
    alone = replace(own(2, fingerprint="a"), settings={"oov": "skip", "compat": ""})
    in_family = replace(member(1, 1, "a"), settings={"compat": "", "oov": "skip"})
    assert chosen([in_family, alone]) == {"records": [1], "alone": [2]}
    assert chosen([member(1, 1, "a"), alone]) == {"records": [1, 2]}


def test_a_model_counts_in_each_of_its_families() -> None:
    # The last epoch of a seed is the seed.
    epochs = [
        member(3, 1, "x", folder="toy/seed-2", family="seed-2"),
        member(4, 2, "b", folder="toy/seed-2", family="seed-2", day=2),
    ]
    records = [member(1, 1, "a"), member(2, 2, "b"), *epochs]
    assert chosen(records) == {"records": [1, 2, 3, 4]}


# --- suites without predictions


def test_a_run_without_a_score_does_not_take_the_place_of_one_with() -> None:
    records = [own(1), own(2, day=2), own(3, day=3)]
    assert chosen(records, unscored=[3]) == {"records": [2], "older": [1], "unscored": [3]}
    assert chosen(records, unscored=[1]) == {"records": [3], "older": [1, 2]}
    # Where no run has a score, the newest counts: sets of sentences have no predictions.
    assert chosen(records, unscored=[1, 2, 3]) == {"records": [3], "older": [1, 2]}


def test_nor_does_it_in_a_family() -> None:
    records = [member(1, 1, "a"), own(2, fingerprint="a")]
    assert chosen(records, unscored=[1]) == {"records": [1, 2]}
    assert chosen(records, unscored=[1, 2]) == {"records": [1], "alone": [2]}


# --- score rules


def test_one_rule_a_model_and_suite() -> None:
    check_one_rule([own(1), own(2, suite="npi", rule="first"), own(3, "toy://b", rule="each")])
    with pytest.raises(UsageError) as raised:
        check_one_rule([own(1), own(2, rule="each")])
    assert str(raised.value) == (
        "words on agreement has runs under the score rules all and each; choose one with --score"
    )
    with pytest.raises(UsageError, match="under the score rules all and first; choose one"):
        check_one_rule([member(1, 1, "a"), own(2, fingerprint="a", rule="first")])
