"""What each model scores on each suite: seeds together, the last step, families, levels."""

import math

import pytest
from tests.analysis.records import record, seed, seeds

from pommel.analysis.accuracy import Accuracies
from pommel.analysis.models_compared import (
    ALL_MODELS,
    ModelsCompared,
    ModelScores,
    check_distinct,
    model_scores,
    pooled,
    suites_by,
    with_size_families,
    without_models,
)
from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord


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
    assert (whole.n_members, whole.scores, whole.incomplete) == (2, {("", "s"): 0.625}, ())
    # The second seed has no score on t: both suites have the first one's.
    assert (found.n_members, found.scores) == (1, {("", "s"): 0.5, ("", "t"): 0.25})
    assert found.incomplete == ("lstm/seed-2",)
    assert found.on([("", "u")]).scores == {}


def test_seeds_that_lack_suites_are_told() -> None:
    records = [*seeds("lstm", "s", "11", "10", "00"), *seeds("lstm", "t", "11", "10")]
    assert ModelsCompared.of(records).incomplete_seeds() == ("lstm/seed-3",)
    assert ModelsCompared.of(records).incomplete_seeds(["s"]) == ()
    assert (
        ModelsCompared.of([record("m", "s", "1"), record("n", "t", "1")]).incomplete_seeds() == ()
    )


def test_seeds_of_which_none_has_all_suites_have_no_scores() -> None:
    records = [
        record(f"l/{n}", suite, "11", member=seed(n, "l")) for n, suite in ((1, "s"), (2, "t"))
    ]
    (found,) = model_scores(records)
    assert (found.scores, found.n_members, found.incomplete) == ({}, 0, ("l/1", "l/2"))


def test_seeds_have_the_means_of_the_accuracies_of_their_family() -> None:
    records = [*seeds("l", "s", "1111", "0000"), *seeds("l", "t", "1100")]
    family = next(row for row in Accuracies.of(records, "model").rows if row.is_family)
    (found,) = model_scores(records)
    suites = suites_by(records, "all")["all suites"]
    assert (found.mean(suites), found.n_members) == (family.accuracy, family.n_members) == (0.75, 1)


def test_seeds_of_two_sizes_are_two_models() -> None:
    records = [
        record(f"lstm/{size}-{n}", "s", "10", member=seed(size + n), n_parameters=size)
        for size in (10, 20)
        for n in (1, 2)
    ]
    found = model_scores(records)
    assert [(each.name, each.n_parameters, each.n_members) for each in found] == [
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
    model = ModelScores(
        name="m",
        variant="",
        n_parameters=None,
        size_family="",
        n_members=1,
        scores={("", "s"): 0.5, ("", "t"): 0.75},
    )
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
        with_size_families(records, {"BLOOM": ["B*"]})


def test_size_families_are_named_by_globs_and_others_keep_theirs() -> None:
    records = [record(name, "s", "10", size_family="old") for name in ("bloom", "bloom-3b", "xglm")]
    found = with_size_families(records, {"BLOOM": ["bloom", "bloom-*"]})
    assert [each.model.size_family for each in found] == ["BLOOM", "BLOOM", "old"]


def test_a_model_is_of_one_family() -> None:
    with pytest.raises(UsageError) as caught:
        with_size_families([record("bloom", "s", "10")], {"A": ["bl*"], "B": ["*oom"]})
    assert str(caught.value) == "bloom cannot be of A and of B"


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
