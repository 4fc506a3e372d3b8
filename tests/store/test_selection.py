"""Which stored runs are meant and count, and what tells their models apart."""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest
from tests.store.run_samples import SEED, imported, member, numbers, own

from pommel.errors import UsageError
from pommel.scoring import run_record
from pommel.scoring.run_record import RunRecord
from pommel.store.selection import (
    OneEach,
    Selection,
    one_each,
    stored_models,
    told_apart_records,
)


def check_one_rule(records: list[RunRecord]) -> None:
    """Raise if these are runs of a model on a suite under several rules."""
    OneEach(records=records, older=[], unscored=[], alone=[], limited=[]).check_one_rule()


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
        "limited": found.limited,
    }
    return {why: numbers(runs) for why, runs in every.items() if runs}


@pytest.mark.parametrize(
    ("patterns", "taken"),
    [
        ((), [1, 2, 3]),
        (("!*_small",), [1, 3]),
        (("a*", "!*_small"), [1]),
        (("!*_small", "a*"), [1]),
        (("!a*", "!b"), []),
        (("[!]*",), []),
    ],
)
def test_a_pattern_leaves_out_what_fits(patterns: tuple[str, ...], taken: list[int]) -> None:
    records = [own(1, suite="a"), own(2, suite="a_small"), own(3, suite="b")]
    assert numbers(Selection(suites=patterns).taken(records)) == taken


def test_the_newest_of_a_model_on_a_suite_is_left() -> None:
    records = [own(1, day=2), own(2, day=1), own(3, suite="npi"), own(4, "toy://b"), own(5, day=2)]
    assert chosen(records) == {"records": [3, 4, 5], "older": [1, 2]}


def test_first_items_count_where_no_suite_is_whole() -> None:
    limited = [
        replace(own(n, suite=name), suite=replace(own(n).suite, first_items_of=9))
        for n, name in ((1, "a (first 2 of 9)"), (2, "b (first 2 of 9)"))
    ]
    assert chosen(limited) == {"records": [1, 2]}
    assert chosen([*limited, own(3, suite="c")]) == {"records": [3], "limited": [1, 2]}


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


def test_a_pattern_is_tried_once_on_each_name(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[str, str]] = []

    def counted(name: str, pattern: str) -> bool:
        tried.append((name, pattern))
        return fnmatchcase(name, pattern)

    monkeypatch.setattr(run_record, "fnmatchcase", counted)
    records = [own(n, suite=name) for n, name in enumerate(["npi", "gaps"] * 50, 1)]
    found = Selection(suites=("n*",)).taken(records)
    assert numbers(found) == [*range(1, 101, 2)]
    assert tried == [("npi", "n*"), ("gaps", "n*")]


# --- alone, and in families


def test_what_was_scored_alike_in_a_family_counts_there() -> None:
    alone = own(2, "lstm://toy/seed-1", name="seed-1", fingerprint="a", day=2)
    assert chosen([member(1, 1, "a"), alone]) == {"records": [1], "alone": [2]}
    # The order in which it was run makes no difference, nor does a newer run of the family.
    again = member(3, 1, "a", day=3, policy="other")
    assert chosen([alone, member(1, 1, "a"), again]) == {"records": [3], "older": [1], "alone": [2]}


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
    records = [own(1, name="toy/seed-1", membership=SEED), own(2, name="words", suite="npi", day=2)]
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


FORMATS: list[dict[str, object]] = [{"dtype": "float32"}, {"dtype": "float16"}]


def test_a_model_in_several_number_formats_is_told_by_these() -> None:
    a, b = FORMATS
    records = [own(1, fingerprint="f", loaded=a), own(2, fingerprint="g", loaded=b)]
    assert names(told_apart_records(records)) == [
        "toy://words (dtype=float32)",
        "toy://words (dtype=float16)",
    ]
    # Other weights came under the reference, too.
    assert names(told_apart_records([*records, own(3, fingerprint="h", loaded=a)])) == [
        "toy://words (dtype=float32, f)",
        "toy://words (dtype=float16, g)",
        "toy://words (dtype=float32, h)",
    ]
    # An n-gram model that is called as a network was.
    assert names(told_apart_records([records[1], own(3, fingerprint="h")])) == [
        "toy://words (dtype=float16)",
        "toy://words (dtype=none)",
    ]


def test_an_image_with_several_checkpoints_is_told_by_these() -> None:
    first, last = ({"details": {"checkpoint": {"name": name}}} for name in ("a.pt", "b.pt"))
    records = [own(1, fingerprint="f", loaded=first), own(2, fingerprint="g", loaded=last)]
    assert names(told_apart_records(records)) == [
        "toy://words (checkpoint=a.pt)",
        "toy://words (checkpoint=b.pt)",
    ]


def test_a_family_in_several_number_formats_is_told_by_these() -> None:
    records = [
        member(1, 1, "a", loaded=FORMATS[0]),
        member(2, 2, "b", loaded=FORMATS[0]),
        member(3, 1, "x", loaded=FORMATS[1], day=2),
        member(4, 2, "y", loaded=FORMATS[1], day=2),
    ]
    found = told_apart_records(records)
    assert families(found) == [
        *["lstm://toy/seed-* (dtype=float32)"] * 2,
        *["lstm://toy/seed-* (dtype=float16)"] * 2,
    ]
    assert names(found)[0] == "lstm://toy/seed-1 (dtype=float32)"


def test_a_number_format_is_chosen() -> None:
    records = [own(n, loaded=loaded) for n, loaded in enumerate(FORMATS, start=1)]
    found = Selection(choices=(("dtype", "float16"),)).taken([*records, own(3)])
    assert numbers(found) == [2]


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


def family_numbers(records: Sequence[RunRecord]) -> list[int | None]:
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
    assert len(set(family_numbers(records))) == 1


def test_paths_are_one_family_if_a_third_joins_them() -> None:
    apart = [member(1, 1, "a", folder="x"), member(2, 2, "b", folder="y")]
    assert len(set(family_numbers(apart))) == 2
    both = [member(3, 1, "a", folder="z"), member(4, 2, "b", folder="z")]
    assert len(set(family_numbers([*apart, *both]))) == 1


def test_other_models_under_the_labels_are_another_family() -> None:
    records = [
        member(1, 1, "a"),
        member(2, 2, "b"),
        member(3, 1, "a", folder="x", suite="npi"),
        member(4, 2, "c", folder="x"),
    ]
    first, second, third, fourth = family_numbers(records)
    assert first == second != third == fourth


def test_members_that_have_changed_are_another_family_than_before() -> None:
    old = [member(1, 1, "a"), member(2, 2, "b")]
    new = [member(3, 1, "x", day=2), member(4, 2, "y", day=2)]
    first, second, third, fourth = family_numbers([*old, *new])
    assert first == second != third == fourth


def test_who_is_in_no_family() -> None:
    theirs = imported()
    theirs = replace(theirs, result=replace(theirs.result, membership=SEED))
    assert family_numbers([own(1), theirs]) == [None, None]
    steps = replace(SEED, axis="step")
    two = [own(1, membership=SEED), own(2, membership=steps)]
    assert len(set(family_numbers(two))) == 2


ALIKE = {
    "number formats": [
        own(n, fingerprint=f"{n}abc", loaded=loaded) for n, loaded in enumerate(FORMATS, start=1)
    ],
    "other weights": [own(1, fingerprint="0123456789"), own(2, fingerprint="9876543210", day=2)],
    "both": [
        own(1, fingerprint="f", loaded=FORMATS[0]),
        own(2, fingerprint="g", loaded=FORMATS[1]),
        own(3, fingerprint="h", loaded=FORMATS[0]),
        own(4, fingerprint="i"),
    ],
    "others'": [own(1, name="words"), imported("000000000002", model="words")],
    "brackets": [own(1, name="br[1]", fingerprint="a"), own(2, "toy://b", name="br2")],
}


@pytest.mark.parametrize("records", ALIKE.values(), ids=ALIKE)
def test_a_name_that_tables_print_is_that_of_a_model(records: list[RunRecord]) -> None:
    for record, told in zip(records, told_apart_records(records), strict=True):
        found = Selection(models=(told.result.model_name,)).taken(records)
        assert numbers(found) == numbers([record])
        # As it was called, too, and without it.
        left = Selection(models=(f"!{told.result.model_name}",)).taken(records)
        assert record not in left
        assert len(left) == len(records) - 1


def test_members_of_a_family_come_by_their_numbers_wherever_they_ran() -> None:
    records = [
        own(1, "toy://a", name="a"),
        member(2, 5, "e"),
        member(3, 10, "j", day=2),
        own(4, "toy://b", name="b"),
        member(5, 1, "a", day=3),
        member(6, 5, "e", suite="npi", day=3),
    ]
    assert chosen(records) == {"records": [1, 5, 2, 6, 3, 4]}


def test_a_family_that_is_told_apart_is_chosen_by_that() -> None:
    records = [
        *(member(n, n, f"a{n}", loaded=FORMATS[0]) for n in (1, 2)),
        *(member(n, n - 2, f"b{n}", loaded=FORMATS[1], day=2) for n in (3, 4)),
    ]
    family = families(told_apart_records(records))[3]
    assert numbers(Selection(models=(family,)).taken(records)) == [3, 4]
