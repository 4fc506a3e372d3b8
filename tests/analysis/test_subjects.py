"""Models as they were run: which runs belong together, and what tells them apart."""

from dataclasses import replace

import pytest
from tests.analysis.records import record, seed, seeds

from pommel.analysis.models_compared import families, subjects, superseded, with_families
from pommel.scoring.run_record import RunRecord


def scored_with(policy: dict[str, str], **facts: object) -> RunRecord:
    made = record(**{"holds": "10", **facts})  # type: ignore[arg-type]
    return replace(made, policy={**policy, "fingerprint": str(sorted(policy.items()))})


def test_a_model_is_one_subject_with_its_suites_in_order() -> None:
    (found,) = subjects([record("m", "t", "10"), record("m", "s", "11")])
    assert (found.label, found.variant) == ("m", "")
    assert list(found.by_suite) == [("", "t"), ("", "s")]


def test_suites_of_one_name_in_two_languages_are_two() -> None:
    (found,) = subjects([record("m", "s", "10", language=each) for each in ("de", "fr")])
    assert list(found.by_suite) == [("de", "s"), ("fr", "s")]


@pytest.mark.parametrize(
    ("changed", "variants"),
    [
        ({"eos": "never"}, ["eos=auto", "eos=never"]),
        ({"eos": "never", "bos": "never"}, ["bos=auto, eos=auto", "bos=never, eos=never"]),
    ],
)
def test_policies_are_told_apart_by_what_differs(
    changed: dict[str, str], variants: list[str]
) -> None:
    policy = {"bos": "auto", "eos": "auto", "method": "causal"}
    found = subjects([scored_with(policy), scored_with({**policy, **changed})])
    assert [each.variant for each in found] == variants
    assert [each.label for each in found] == [f"m ({variant})" for variant in variants]


def test_rules_settings_and_sources_are_told_apart() -> None:
    plain = record("m", "s", "10")
    found = subjects(
        [
            plain,
            record("m", "s", "10", rule="first"),
            replace(plain, settings={"oov": "skip"}),
            replace(plain, source="hu2020"),
        ]
    )
    assert [each.variant for each in found] == [
        "score=all, source=pommel, oov=none",
        "score=first, source=pommel, oov=none",
        "score=all, source=pommel, oov=skip",
        "score=all, source=hu2020, oov=none",
    ]


def test_a_fingerprint_is_shown_where_nothing_else_differs() -> None:
    one, two = (record("m", "s", "10", fingerprint=each * 64) for each in "ab")
    assert [each.variant for each in subjects([one, two])] == [
        f"fingerprint={each * 24}" for each in "ab"
    ]
    other = replace(two, source="theirs")
    assert [each.variant for each in subjects([one, other])] == ["source=pommel", "source=theirs"]


def test_of_two_versions_of_a_suite_the_newer_run_counts() -> None:
    old, new = (
        replace(record("m", "s", "10", sha256=each), created=f"2024-01-0{number}", run_id=each * 12)
        for number, each in enumerate("ab", 1)
    )
    for order in ([old, new], [new, old]):
        (found,) = subjects(order)
        assert found.records == (new,)
        assert superseded(order) == [old]


def test_runs_that_are_not_complete_do_not_count() -> None:
    assert subjects([replace(record(), status="interrupted")]) == []


def test_a_family_is_its_seeds_under_one_rule() -> None:
    first = seeds("lstm", "s", "10", "11", rule="first")
    found = families(subjects([*seeds("lstm", "s", "10", "11"), *first, record("other", "s", "1")]))
    assert [(each.label, len(each.members), each.axis) for each in found] == [
        ("lstm (score=all)", 2, "seed"),
        ("lstm (score=first)", 2, "seed"),
    ]


def test_steps_of_a_training_are_no_family() -> None:
    steps = [record(f"m@{n}", "s", "10", member=seed(n, "m", "step")) for n in (1, 2)]
    assert families(subjects(steps)) == []


def test_rows_of_a_family_stand_behind_those_of_its_last_member() -> None:
    found = subjects([*seeds("lstm", "s", "10", "11"), record("m", "s", "10")])
    ordered = with_families(
        found,
        [[f"{each.label}: 1", f"{each.label}: 2"] for each in found],
        lambda family, own: [f"{family.label}: {' '.join(rows[0] for rows in own)}"],
    )
    assert ordered == [
        "lstm/seed-1: 1",
        "lstm/seed-1: 2",
        "lstm/seed-2: 1",
        "lstm/seed-2: 2",
        "lstm: lstm/seed-1: 1 lstm/seed-2: 1",
        "m: 1",
        "m: 2",
    ]
