"""What stored runs of one command's choosing are called: no two models alike, no two families."""

from collections.abc import Sequence
from dataclasses import replace

from tests.store.run_samples import SEED, imported, member, own

from pommel.scoring.run_record import RunRecord
from pommel.store.selection import told_apart_records


def names(records: Sequence[RunRecord]) -> list[str]:
    return [each.result.model_name for each in records]


def families(records: Sequence[RunRecord]) -> list[str]:
    return [each.result.membership.family if each.result.membership else "" for each in records]


def test_models_of_one_name_are_called_by_their_references() -> None:
    records = [own(1), own(2, "toy://b/words"), own(3, "toy://c", name="other")]
    assert names(told_apart_records(records)) == ["toy://words", "toy://b/words", "other"]
    assert names(told_apart_records(records[1:])) == ["words", "other"]


def test_models_of_others_are_called_by_their_source() -> None:
    records = [own(1), imported(model="words"), imported("f" * 12, model="words", source="b")]
    assert names(told_apart_records(records)) == ["toy://words", "words (paper)", "words (b)"]


def test_families_of_one_name_are_called_by_their_patterns() -> None:
    other = replace(SEED, pattern="toy://b/seed-*")
    theirs = imported(model="toy/seed-1")
    theirs = replace(theirs, result=replace(theirs.result, membership=replace(SEED, pattern="")))
    records = [
        own(1, "toy://seed-1", name="toy/seed-1", membership=SEED),
        own(2, "toy://b/seed-1", name="toy/seed-1", membership=other),
        theirs,
    ]
    found = told_apart_records(records)
    members = [each.result.membership for each in found]
    assert [each.family for each in members if each] == [
        "toy://seed-*",
        "toy://b/seed-*",
        "toy (paper)",
    ]
    # Alone, it has its own name, and still no pattern.
    (alone,) = told_apart_records([theirs])
    assert alone.result.membership == replace(SEED, pattern="")
    assert alone.result.model_name == "toy/seed-1"


def test_a_model_that_ran_alone_and_in_a_family_is_of_the_family() -> None:
    records = [
        own(1, name="toy/seed-1", membership=SEED),
        own(2, name="words", suite="npi", day=2),
    ]
    found = told_apart_records(records)
    assert names(found) == ["toy/seed-1", "toy/seed-1"]
    assert [each.result.membership for each in found] == [SEED, SEED]


def test_one_model_has_one_name_by_whichever_path_it_was_reached() -> None:
    records = [
        own(1, "lstm://a", name="a", fingerprint="f"),
        own(2, "lstm:///here/b", name="b", fingerprint="f", suite="npi", day=2),
    ]
    assert names(told_apart_records(records)) == ["b", "b"]


def test_a_model_that_has_changed_is_told_by_its_fingerprint() -> None:
    records = [own(1, fingerprint="0123456789"), own(2, fingerprint="9876543210", day=2)]
    assert names(told_apart_records(records)) == [
        "toy://words (01234567)",
        "toy://words (98765432)",
    ]


def test_a_family_has_one_name_by_whichever_path_it_was_reached() -> None:
    records = [
        member(1, 1, "a", folder="train/toy"),
        member(2, 1, "a", folder="/here/toy", suite="npi"),
        member(3, 2, "b", folder="/here/toy", suite="npi"),
    ]
    found = told_apart_records(records)
    assert names(found) == ["toy/seed-1", "toy/seed-1", "toy/seed-2"]
    assert families(found) == ["toy"] * 3
    # Another one of its name has a name of its own, and so have they.
    other = member(4, 1, "c", folder="b/toy")
    found = told_apart_records([*records, other])
    assert names(found) == [
        "lstm:///here/toy/seed-1",
        "lstm:///here/toy/seed-1",
        "lstm:///here/toy/seed-2",
        "lstm://b/toy/seed-1",
    ]
    assert families(found) == [*["lstm:///here/toy/seed-*"] * 3, "lstm://b/toy/seed-*"]


def test_a_family_that_was_trained_anew_is_told_from_what_it_was() -> None:
    records = [
        member(1, 1, "a" * 10),
        member(2, 2, "b" * 10),
        member(3, 1, "x" * 10, day=2),
        member(4, 2, "y" * 10, day=3),
    ]
    found = told_apart_records(records)
    assert families(found) == [
        *["lstm://toy/seed-* (bbbbbbbb)"] * 2,
        *["lstm://toy/seed-* (yyyyyyyy)"] * 2,
    ]
    assert names(found) == [
        "lstm://toy/seed-1 (aaaaaaaa)",
        "lstm://toy/seed-2 (bbbbbbbb)",
        "lstm://toy/seed-1 (xxxxxxxx)",
        "lstm://toy/seed-2 (yyyyyyyy)",
    ]


def test_a_model_is_of_a_family_on_suites_that_the_family_lacks() -> None:
    alone = own(2, "lstm://toy/seed-1", name="seed-1", fingerprint="a", suite="npi")
    assert families(told_apart_records([member(1, 1, "a"), alone])) == ["toy", "toy"]
    # It is not if it was scored otherwise there, if the family has such a run, or in two families.
    for others in (
        [member(1, 1, "a", policy="other")],
        [member(1, 1, "a"), member(3, 1, "a", suite="npi")],
        [member(1, 1, "a"), member(3, 1, "a", folder="x", family="x")],
    ):
        found = told_apart_records([*others, alone])
        assert families(found)[-1] == ""
        assert names(found)[-1] == "seed-1"
        assert "" not in families(found)[:-1]


def test_a_model_alone_and_in_a_family_with_one_name() -> None:
    alone = own(2, "lstm://toy/seed-1", name="toy/seed-1", fingerprint="a", policy="other")
    assert names(told_apart_records([member(1, 1, "a"), alone])) == [
        "lstm://toy/seed-1 (lstm://toy/seed-*)",
        "lstm://toy/seed-1 (alone)",
    ]
