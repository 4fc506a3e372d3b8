"""Models as they were run: which runs belong together, and what tells them apart."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from tests.analysis.records import record, seed, seeds

from pommel.analysis.accuracy import Accuracies
from pommel.analysis.models_compared import (
    ALL_MODELS,
    EvenScores,
    ModelRow,
    ModelsCompared,
    ModelScores,
    check_distinct,
    even_scores,
    incomplete_seeds,
    model_scores,
    pooled,
    suite_labels,
    suites_by,
    without_lone_families,
    without_models,
)
from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord


def scored_with(policy: dict[str, str], **facts: object) -> RunRecord:
    made = record(**{"holds": "10", **facts})  # type: ignore[arg-type]
    return replace(made, policy={**policy, "fingerprint": str(sorted(policy.items()))})


def test_runs_in_other_number_formats_are_told_by_these() -> None:
    made = [
        record("m", holds="10", fingerprint=dtype, source="pommel")
        for dtype in ("float32", "float16")
    ]
    told = [
        replace(each, result=replace(each.result, provenance={"model": {"dtype": dtype}}))
        for each, dtype in zip(made, ("float32", "float16"), strict=True)
    ]
    assert [each.variant for each in ModelsCompared.of(told).models] == [
        "dtype=float32",
        "dtype=float16",
    ]


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


def test_families_of_no_or_one_member_are_left_out() -> None:
    found = ModelsCompared.of(seeds("lstm", "s", "10", "11"))
    models = [ModelRow(who=each) for each in found.models]
    families = [ModelRow(who=found.families[0], n_members=n) for n in (0, 1, 2)]
    assert without_lone_families([*models, *families]) == [*models, families[2]]


def of_two_rules() -> list[RunRecord]:
    return [record("m", "s", "10"), record("m", "s", "11", rule="first")]


def test_each_model_has_its_scores_by_language_and_suite() -> None:
    first, second = model_scores(
        [record("a", "s", "10", language="de"), record("b", "s", "11"), record("a", "t", "1110")]
    )
    assert (first.name, first.scores) == ("a", {("de", "s"): 0.5, ("", "t"): 0.75})
    assert (second.name, second.scores) == ("b", {("", "s"): 1.0})


def test_a_suite_without_a_score_is_missing() -> None:
    (found,) = model_scores([record("m", "s", "--"), record("m", "t", "1")])
    assert found.scores == {("", "t"): 1.0}


def test_seeds_are_one_model_with_their_mean() -> None:
    records = seeds("lstm", "s", "1100", "1110", n_parameters=10, size_family="L")
    records += seeds("lstm", "t", "1000", "--", n_parameters=10, size_family="L")
    (found,) = model_scores(records)
    assert (found.name, found.n_parameters) == ("lstm", 10)
    whole = found.on([("", "s")])
    assert (len(whole.complete), whole.scores, whole.incomplete) == (2, {("", "s"): 0.625}, ())
    # The second seed has no score on t: both suites have the first one's.
    assert (len(found.complete), found.scores) == (1, {("", "s"): 0.5, ("", "t"): 0.25})
    assert found.incomplete == ("lstm/seed-2",)
    assert found.on([("", "u")]).scores == {}


def test_seeds_that_lack_suites_are_told() -> None:
    records = [*seeds("lstm", "s", "11", "10", "00"), *seeds("lstm", "t", "11", "10")]
    assert incomplete_seeds(records, suite_labels(records)) == ("lstm/seed-3",)
    assert incomplete_seeds(records, [("", "s")]) == ()
    records = [record("m", "s", "1"), record("n", "t", "1")]
    assert incomplete_seeds(records, suite_labels(records)) == ()


def test_seeds_of_which_none_has_all_suites_have_no_scores() -> None:
    records = [
        record(f"l/{n}", suite, "11", member=seed(n, "l")) for n, suite in ((1, "s"), (2, "t"))
    ]
    (found,) = model_scores(records)
    assert (found.scores, len(found.complete), found.incomplete) == ({}, 0, ("l/1", "l/2"))


def test_seeds_have_the_means_of_the_accuracies_of_their_family() -> None:
    records = [*seeds("l", "s", "1111", "0000"), *seeds("l", "t", "1100")]
    family = next(row for row in Accuracies.of(records, "model").rows if row.is_family)
    (found,) = model_scores(records)
    suites = suites_by(records, "all")["all suites"]
    assert (
        (found.mean(suites), len(found.complete))
        == (family.accuracy, family.n_members)
        == (0.75, 1)
    )


def test_seeds_of_two_sizes_are_two_models() -> None:
    records = [
        record(f"lstm/{size}-{n}", "s", "10", member=seed(size + n), n_parameters=size)
        for size in (10, 20)
        for n in (1, 2)
    ]
    found = model_scores(records)
    assert [(each.name, each.n_parameters, len(each.complete)) for each in found] == [
        ("lstm", 10, 2),
        ("lstm", 20, 2),
    ]
    check_distinct(found)


def test_models_that_differ_in_nothing_named_stay_apart() -> None:
    records = [record(f"{n}gram", "s", "10", member=seed(n, "grams", "member")) for n in (1, 2)]
    assert [each.name for each in model_scores(records)] == ["1gram", "2gram"]


def test_of_a_path_through_training_the_last_step_counts() -> None:
    steps = {f"p/step-{n}": seed(n, "p", "step") for n in (200, 1000, 30)}
    found = model_scores([record(name, "s", "10", member=each) for name, each in steps.items()])
    assert [each.name for each in found] == ["p/step-1000"]


def test_a_model_that_was_run_in_two_ways_is_two_which_no_mean_may_count() -> None:
    found = model_scores(of_two_rules())
    assert [each.label for each in found] == ["m (score=all)", "m (score=first)"]
    message = (
        "m would count 2 times (score=all, score=first); say which is meant, with --run, --score, "
        "--source or --model"
    )
    with pytest.raises(UsageError) as caught:
        check_distinct(found)
    assert str(caught.value) == message
    assert [*pooled(found, "none")] == ["m (score=all)", "m (score=first)"]
    with pytest.raises(UsageError, match="would count 2 times"):
        pooled(found, "all")


def test_a_mean_over_suites_needs_all_of_them() -> None:
    (model,) = model_scores([record("m", "s", share=0.5), record("m", "t", share=0.75)])
    assert model.mean([("", "s"), ("", "t")]) == 0.625
    assert math.isnan(model.mean([("", "s"), ("", "u")]))


def test_pools_are_models_families_of_sizes_or_all() -> None:
    records = [
        record(name, "s", "10", size_family=own) for name, own in zip("abc", "FF ", strict=True)
    ]
    models = model_scores([*records[:2], record("c", "s", "10")])
    names = {
        pooling: {
            name: [each.name for each in own] for name, own in pooled(models, pooling).items()
        }
        for pooling in ("none", "family", "all")
    }
    assert names == {
        "none": {"a": ["a"], "b": ["b"], "c": ["c"]},
        "family": {"F": ["a", "b"], "c": ["c"]},
        "all": {ALL_MODELS: ["a", "b", "c"]},
    }


def test_models_are_left_out_by_name_reference_or_family() -> None:
    records = [
        record("gpt2", "s", "10", reference="huggingface://gpt2"),
        record("lstm/seed-1", "s", "10", member=seed(1)),
        record("bloom-3b", "s", "10", size_family="BLOOM"),
    ]
    for glob, name in (
        ("gpt*", "gpt2"),
        ("huggingface://*", "gpt2"),
        ("lstm", "lstm/seed-1"),
        ("BLOOM", "bloom-3b"),
    ):
        kept = [each.result.model_name for each in without_models(records, [glob])]
        assert kept == [
            each.result.model_name for each in records if each.result.model_name != name
        ]


def test_a_glob_that_matches_no_model_is_a_mistake() -> None:
    records = [record("gpt2", "s", "10"), record("opt", "s", "10")]
    with pytest.raises(UsageError) as caught:
        without_models(records, ["gpt2", "gtp*"])
    assert str(caught.value) == "no model matches 'gtp*'; there are gpt2, opt"
    with pytest.raises(UsageError, match=r"^no model matches 'B\*'; there are gpt2, opt$"):
        ModelsCompared.with_size_families(records, {"BLOOM": ["B*"]})


def test_size_families_are_named_by_globs_and_others_keep_theirs() -> None:
    records = [record(name, "s", "10", size_family="old") for name in ("bloom", "bloom-3b", "xglm")]
    found = ModelsCompared.with_size_families(records, {"BLOOM": ["bloom", "bloom-*"]})
    assert [each.model.size_family for each in found] == ["BLOOM", "BLOOM", "old"]


def test_a_model_is_of_one_family() -> None:
    with pytest.raises(UsageError) as caught:
        ModelsCompared.with_size_families(
            [record("bloom", "s", "10")], {"A": ["bl*"], "B": ["*oom"]}
        )
    assert str(caught.value) == "bloom cannot be of A and of B"


def test_several_models_are_one_that_scores_their_mean_on_each_suite() -> None:
    records = [
        record("bert", "de", "10", language="de"),
        *seeds("lstm-de", "de", "1100", "1111", language="de"),
        *seeds("lstm-fr", "fr", "1000", language="fr"),
        record("lstm-fr", "fr", "--", language="fr"),
    ]
    found = ModelsCompared.as_one(records, {"mono": ["lstm-??"]})
    one, other = ModelsCompared.of(found).models
    assert (one.label, one.scores) == ("mono", {("de", "de"): 0.75, ("fr", "fr"): 0.25})
    assert one.membership is None
    assert (other.label, other.records) == ("bert", (records[0],))
    # What holds by chance is known as before.
    assert [each.suite.chance for each in one.records] == [0.5, 0.5]
    assert ModelsCompared.as_one(records, {}) == records
    # Under two rules it is two.
    first = record("lstm-de", "de", "0", language="de", rule="first")
    both = ModelsCompared.of(ModelsCompared.as_one([*records, first], {"mono": ["lstm-??"]}))
    assert [each.label for each in both.models][:2] == ["mono (score=all)", "mono (score=first)"]


def test_levels_gather_suites_and_those_without_a_circuit_come_last() -> None:
    records = [
        record("m", "s", "1", language="de"),
        record("m", "t", "1", language="de", group="g", circuit="c"),
        record("n", "t", "1", language="de", group="g", circuit="c"),
        record("m", "a", "1", language="fr", group="g", circuit="d"),
    ]
    s, t, a = ("de", "s"), ("de", "t"), ("fr", "a")
    assert suites_by(records, "suite") == {"t": [t], "a": [a], "s": [s]}
    assert [*suites_by(records, "suite")] == ["t", "a", "s"]
    assert suites_by(records, "circuit") == {"c": [t], "d": [a], "": [s]}
    assert [*suites_by(records, "circuit")] == ["c", "d", ""]
    assert suites_by(records, "language") == {"de": [t, s], "fr": [a]}
    assert suites_by(records, "group") == {"g": [t, a], "": [s]}
    assert suites_by(records, "all") == {"all suites": [t, a, s]}


def test_suites_of_one_name_are_called_by_their_language_too() -> None:
    records = [record("m", "s", "1", language=each) for each in ("de", "fr")]
    assert suites_by(records, "suite") == {"s (de)": [("de", "s")], "s (fr)": [("fr", "s")]}


def models(*suites: str) -> list[ModelScores]:
    return model_scores(
        [record(f"m{n}", suite, share=0.5) for n, own in enumerate(suites, 1) for suite in own]
    )


def chosen(*suites: str, of: str = "stuvw") -> tuple[str, str, str, str]:
    found = even_scores(models(*suites), [("", suite) for suite in of])
    return (
        "".join(each.name[1:] for each in found.models),
        "".join(suite for _, suite in found.suites),
        "".join(name[1:] for name in found.incomplete),
        "".join(suite for _, suite in found.uneven),
    )


def test_the_table_that_has_most_results_counts() -> None:
    assert chosen("st", "st", "st") == ("123", "st", "", "")
    assert chosen("stu", "st", "st") == ("123", "st", "", "u")
    assert chosen("stuvw", "stuvw", "s") == ("12", "stuvw", "3", "")
    assert chosen("st", "st", "u") == ("12", "st", "3", "u")
    # Neither has all of what the other has.
    assert chosen("stu", "tuv") == ("12", "tu", "", "sv")
    assert chosen("s", "", "s") == ("13", "s", "", "")
    assert chosen("", "") == ("", "", "", "")


def test_of_as_many_results_more_models_count() -> None:
    assert chosen("st", "s") == ("12", "s", "", "t")


@given(st.lists(st.text("stuvw", max_size=5), max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_models_does_not_matter(suites: list[str], random: object) -> None:
    shuffled = [*suites]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, second = chosen(*suites), chosen(*shuffled)
    assert (first[1], first[3]) == (second[1], second[3])
    assert len(first[0]) == len(second[0])
    names, even = first[0], set(first[1])
    assert all(even <= set(suites[int(name) - 1]) for name in names)


def test_what_is_left_out_is_told() -> None:
    found = EvenScores(
        models=(), suites=(), incomplete=("m3", "m4"), uneven=(("de", "u"), ("de", "v"))
    )
    labels = {("de", "u"): "u", ("de", "v"): "v"}
    assert [*found.notes("F, agreement", labels)] == [
        "F, agreement: without u, v, which not all of the models have",
        "F, agreement: without m3, m4, since suites are missing there that others have",
    ]
