"""Models as they were run: which runs belong together, and what tells them apart."""

from dataclasses import replace

import pytest
from tests.analysis.records import record, seed, seeds

from pommel.analysis.models_compared import ModelsCompared
from pommel.scoring.run_record import RunRecord


def scored_with(policy: dict[str, str], **facts: object) -> RunRecord:
    made = record(**{"holds": "10", **facts})  # type: ignore[arg-type]
    return replace(made, policy={**policy, "fingerprint": str(sorted(policy.items()))})


def test_a_model_is_one_subject_with_its_suites_in_order() -> None:
    (found,) = ModelsCompared.of([record("m", "t", "10"), record("m", "s", "11")]).models
    assert (found.label, found.variant) == ("m", "")
    assert list(found.by_suite) == [("", "t"), ("", "s")]


def test_suites_of_one_name_in_two_languages_are_two() -> None:
    (found,) = ModelsCompared.of(
        [record("m", "s", "10", language=each) for each in ("de", "fr")]
    ).models
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
    found = ModelsCompared.of([scored_with(policy), scored_with({**policy, **changed})]).models
    assert [each.variant for each in found] == variants
    assert [each.label for each in found] == [f"m ({variant})" for variant in variants]


def test_rules_settings_and_sources_are_told_apart() -> None:
    plain = record("m", "s", "10")
    found = ModelsCompared.of(
        [
            plain,
            record("m", "s", "10", rule="first"),
            replace(plain, settings={"oov": "skip"}),
            replace(plain, source="hu2020"),
        ]
    ).models
    assert [each.variant for each in found] == [
        "score=all, source=pommel, oov=none",
        "score=first, source=pommel, oov=none",
        "score=all, source=pommel, oov=skip",
        "score=all, source=hu2020, oov=none",
    ]


def test_a_fingerprint_is_shown_where_nothing_else_differs() -> None:
    one, two = (record("m", "s", "10", fingerprint=each * 64) for each in "ab")
    assert [each.variant for each in ModelsCompared.of([one, two]).models] == [
        f"fingerprint={each * 24}" for each in "ab"
    ]
    other = replace(two, source="theirs")
    assert [each.variant for each in ModelsCompared.of([one, other]).models] == [
        "source=pommel",
        "source=theirs",
    ]


def test_of_two_versions_of_a_suite_the_newer_run_counts() -> None:
    old, new = (
        replace(record("m", "s", "10", sha256=each), created=f"2024-01-0{number}", run_id=each * 12)
        for number, each in enumerate("ab", 1)
    )
    for order in ([old, new], [new, old]):
        (found,) = ModelsCompared.of(order).models
        assert found.records == (new,)
        assert ModelsCompared.of(order).superseded == [old]


def test_runs_that_are_not_complete_do_not_count() -> None:
    assert ModelsCompared.of([replace(record(), status="interrupted")]).models == ()


def test_a_family_is_its_seeds_under_one_rule() -> None:
    first = seeds("lstm", "s", "10", "11", rule="first")
    found = ModelsCompared.of(
        [*seeds("lstm", "s", "10", "11"), *first, record("other", "s", "1")]
    ).families
    assert [(each.label, len(each.members), each.axis) for each in found] == [
        ("lstm (score=all)", 2, "seed"),
        ("lstm (score=first)", 2, "seed"),
    ]


def test_steps_of_a_training_are_no_family() -> None:
    steps = [record(f"m@{n}", "s", "10", member=seed(n, "m", "step")) for n in (1, 2)]
    assert ModelsCompared.of(steps).families == []


def test_rows_of_a_family_stand_behind_those_of_its_last_member() -> None:
    found = ModelsCompared.of([*seeds("lstm", "s", "10", "11"), record("m", "s", "10")])
    ordered = found.with_families(
        [[f"{each.label}: 1", f"{each.label}: 2"] for each in found.models],
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
