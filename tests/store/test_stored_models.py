"""Which stored runs are of one model, and which models are one family."""

from collections.abc import Sequence
from dataclasses import replace

from tests.store.run_samples import SEED, imported, member, own

from pommel.scoring.run_record import RunRecord
from pommel.store.selection import stored_models


def families(records: Sequence[RunRecord]) -> list[int | None]:
    found = stored_models(records)
    return [found[each.run_id].family for each in records]


def n_models(records: Sequence[RunRecord]) -> int:
    return len({each.model for each in stored_models(records).values()})


def test_a_model_is_known_by_its_fingerprint() -> None:
    one = [own(1, "lstm://a", fingerprint="f"), own(2, "lstm:///here/a", fingerprint="f")]
    assert n_models(one) == 1
    assert n_models([own(1, fingerprint="f"), own(2, fingerprint="g")]) == 2
    # What others call words is another model.
    assert n_models([*one, imported(model="words"), imported("1" * 12, source="b")]) == 3


def test_a_family_that_is_reached_by_several_paths_is_one() -> None:
    records = [
        member(1, 1, "a"),
        member(2, 2, "b"),
        member(3, 1, "a", folder="/here/toy"),
        member(4, 2, "b", folder="../toy", suite="npi"),
        member(5, 1, "a", folder="../toy", suite="npi"),
    ]
    assert len(set(families(records))) == 1


def test_paths_are_one_family_if_a_third_joins_them() -> None:
    apart = [member(1, 1, "a", folder="x"), member(2, 2, "b", folder="y")]
    assert len(set(families(apart))) == 2
    both = [member(3, 1, "a", folder="z"), member(4, 2, "b", folder="z")]
    assert len(set(families([*apart, *both]))) == 1


def test_other_models_under_the_labels_are_another_family() -> None:
    records = [
        member(1, 1, "a"),
        member(2, 2, "b"),
        member(3, 1, "a", folder="x", suite="npi"),
        member(4, 2, "c", folder="x"),
    ]
    first, second, third, fourth = families(records)
    assert first == second != third == fourth


def test_members_that_have_changed_are_another_family_than_before() -> None:
    old = [member(1, 1, "a"), member(2, 2, "b")]
    new = [member(3, 1, "x", day=2), member(4, 2, "y", day=2)]
    first, second, third, fourth = families([*old, *new])
    assert first == second != third == fourth


def test_who_is_in_no_family() -> None:
    theirs = imported()
    theirs = replace(theirs, result=replace(theirs.result, membership=SEED))
    assert families([own(1), theirs]) == [None, None]
    steps = replace(SEED, axis="step")
    two = [own(1, membership=SEED), own(2, membership=steps)]
    assert len(set(families(two))) == 2
