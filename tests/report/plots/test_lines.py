"""Accuracy against size, training and complexity as plots."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.analysis.records import record, seed
from tests.report.plots.drawn import Drawn, draw, same

from pommel.analysis.complexity import ComplexityAsked, known_complexities
from pommel.analysis.correlation import CorrelationAsked
from pommel.analysis.scaling import ScalingAsked
from pommel.analysis.training import TrainingAsked
from pommel.errors import UsageError
from pommel.report.plots.lines import (
    complexity_chart,
    correlation_chart,
    factor_axis,
    scaling_chart,
    training_chart,
)


def check_points(drawn: Drawn, x: str) -> None:
    """Every row of the data has a point, with its values."""
    points = [
        (each["series"], each["facet"], round(float(each["accuracy"]), 9))
        for each in drawn.marks("symbol")
    ]
    assert len(points) == len(drawn.rows)
    for row in drawn.rows:
        assert (row["series"], row["facet"], round(row["accuracy"], 9)) in points
    assert all(x in row for row in drawn.rows)


def test_sizes(capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        *(
            record(
                f"{family}-{size}",
                suite,
                share=share,
                n_parameters=size * 10**6,
                size_family=family,
            )
            for family, shares in (("bloom", (0.5, 0.75)), ("xglm", (0.625, 0.875)))
            for size, share in zip((100, 5000), shares, strict=True)
            for suite in ("s", "t")
        ),
        record("human", "s", share=1),
        record("big", "s", share=1, size_family="gpt"),
    ]
    result = ScalingAsked(level="suite").answer(records)
    frame = replace(result, asked=replace(result.asked, table="points")).frame()
    drawn = draw(scaling_chart(result), capfd)
    assert len(frame) == 8
    assert [row["model_name"] for row in drawn.rows] == [*frame["model_name"]]
    assert [row["facet"] for row in drawn.rows] == [*frame["name"]]
    assert [row["series"] for row in drawn.rows] == [*frame["family"]]
    assert same([row["n_parameters"] for row in drawn.rows], frame["n_parameters"])
    assert same([row["accuracy"] for row in drawn.rows], frame["accuracy"])
    check_points(drawn, "n_parameters")
    assert len(drawn.marks("line")) == 4
    assert {"100M", "200M", "500M", "1B", "2B", "5B", "bloom", "xglm"} <= set(drawn.texts)
    assert {"parameters (log scale)", "accuracy"} <= set(drawn.texts)
    assert drawn.caption == (
        "Accuracy by size. Families: bloom, xglm. A line joins the sizes of a family. Not shown, "
        "of no family: human. Not shown, of unknown size: big."
    )


def test_numbers_of_languages(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shares = {"en": (0.5, 0.75), "de": (0.75, 0.625), "fr": (1.0, 0.5)}
    records = [
        record(model, "s", share=share, language=language)
        for language, own in shares.items()
        for model, share in zip("mn", own, strict=True)
    ]
    (tmp_path / "wals.csv").write_text("language,complexity\nen,0.3\nde,0.4\nfr,0.5\n")
    asked = CorrelationAsked(file=tmp_path / "wals.csv")
    drawn = draw(correlation_chart(asked.answer(records)), capfd)
    points = {(each["series"], each["key"]): each for each in drawn.marks("symbol")}
    assert len(drawn.rows) == 6
    for row in drawn.rows:
        point = points[row["series"], row["key"]]
        assert (
            float(point["accuracy"])
            == row["accuracy"]
            == shares[row["key"]]["mn".index(row["series"])]
        )
        assert float(point["value"]) == row["value"]
    # A line of least squares a model; over each language's highest point, its name.
    assert len(drawn.marks("line")) == 2
    assert [drawn.texts.count(each) for each in ("en", "de", "fr")] == [1, 1, 1]
    assert {"complexity", "accuracy", "m", "n"} <= set(drawn.texts)
    assert drawn.caption == (
        "Accuracy by a number of each language. Models: m, n. Lines of least squares. Each point "
        "over 1 model, 1 suite."
    )
    with pytest.raises(UsageError, match="nothing has both a number and an accuracy"):
        correlation_chart(replace(asked.answer(records), pairs=()))


def test_names_that_would_lie_on_others_are_left_out(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    crowd = {f"crowded_suite_{n}": (1.0, 0.5 + n / 1000) for n in range(5)}
    apart = {"lower": (0.5, 0.5), "at_the_left_edge": (0.25, 0), "at_the_right_edge": (0.25, 1)}
    known = crowd | apart
    records = [record("m", suite, share=share) for suite, (share, _) in known.items()]
    lines = [f"{suite},{number}\n" for suite, (_, number) in known.items()]
    (tmp_path / "numbers.csv").write_text("suite,number\n" + "".join(lines))
    asked = CorrelationAsked(file=tmp_path / "numbers.csv", level="suite")
    drawn = draw(correlation_chart(asked.answer(records)), capfd)
    assert len(drawn.marks("symbol")) == 8
    assert {*drawn.texts} >= {*apart}
    assert len({*drawn.texts} & {*crowd}) == 1
    assert "4 of the names are left out, which would lie on others." in drawn.caption


def test_sizes_without_all_suites_have_no_point(capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        record(f"m{size}", suite, share=0.5, n_parameters=size, size_family="f")
        for size, suites in ((10, "st"), (20, "s"), (30, "st"))
        for suite in suites
    ]
    drawn = draw(scaling_chart(ScalingAsked(level="all").answer(records)), capfd)
    assert [row["model_name"] for row in drawn.rows] == ["m10", "m30"]
    assert drawn.caption == (
        "Accuracy by size. Family: f. A line joins the sizes of a family. Mean over 2 suites."
    )


def test_training(capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        record(f"m/step{step}", suite, "1" * n + "0" * (8 - n), member=seed(step, "m", "step"))
        for step, n in ((0, 2), (1, 4), (10, 5), (1000, 8))
        for suite in ("s", "t")
    ]
    result = TrainingAsked().answer(records)
    frame = replace(result, asked=replace(result.asked, table="points")).frame()
    drawn = draw(training_chart(result), capfd)
    assert [row["facet"] for row in drawn.rows] == [*frame["name"]]
    for field in ("axis_value", "accuracy", "low", "high", "chance"):
        assert same([row[field] for row in drawn.rows], frame[field])
    check_points(drawn, "axis_value")
    # Of one model there is no legend.
    assert drawn.texts.count("step (log scale; linear from 0 to 1)") == 2
    assert drawn.caption == (
        "Accuracy along training. Model: m. Each point of 8 items. Bands: 95% interval "
        "(Wilson's of a share of items; the stratified score interval of a mean of shares). "
        "Dashed: chance."
    )
    # In each facet the band, and the lines of chance and of the accuracy.
    assert (len(drawn.marks("area")), len(drawn.marks("line"))) == (2, 4)
    assert [text for text in drawn.texts if text in ("0", "1", "10", "100", "1k")] == (
        ["0", "1", "10", "100", "1k"] * 2
    )


def test_points_of_long_lines_stand_apart(capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        record(f"{model}/step{step}", "s", "1" * 9 + "0", member=seed(step, model, "step"))
        for model, steps in (("long", range(0, 200_000, 1000)), ("short", (0, 1000, 2000)))
        for step in steps
    ]
    drawn = draw(training_chart(TrainingAsked(level="all").answer(records)), capfd)
    steps = [
        row["axis_value"] for row in drawn.rows if "has_point" in row and row["series"] == "long"
    ]
    assert steps[:9] == [0, 1000, 2000, 3000, 4000, 5000, 6000, 8000, 11_000]
    assert steps[-3:] == [156_000, 198_000, 199_000]
    # And the three of the short line.
    assert len(drawn.marks("symbol")) == len(steps) + 3 == 25
    assert len(drawn.rows) == 203
    assert "Each point of 10 items. Of long lines not every step has a point." in drawn.caption


def test_what_is_said_of_bands(capfd: pytest.CaptureFixture[str]) -> None:
    def notes(first: str, second: str) -> str:
        records = [
            record(f"{model}/step{step}", suite, holds, member=seed(step, model, "step"))
            for model in ("m", "n")
            for step in (1, 2)
            for suite, holds in (("s", first), ("t", second))
        ]
        chart = training_chart(TrainingAsked(level="all").answer(records))
        return draw(chart, capfd).caption.partition("Models: m, n. ")[2]

    bands = (
        "Each point of 8 items. Bands: 95% interval (Wilson's of a share of items; the "
        "stratified score interval of a mean of shares). Dashed: chance."
    )
    assert notes("1111", "1000") == bands
    assert notes("1111", "0000") == bands


def test_shares_without_items_have_no_bands(capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        record(f"m/step{step}", "s", share=0.5, member=seed(step, "m", "step")) for step in (1, 2)
    ]
    drawn = draw(training_chart(TrainingAsked().answer(records)), capfd)
    assert drawn.marks("area") == []
    assert drawn.caption == "Accuracy along training. Model: m."


def test_steps_and_epochs_have_no_common_axis() -> None:
    records = [
        record("a/step1", "s", "10", member=seed(1, "a", "step")),
        record("b/epoch1", "s", "10", member=seed(1, "b", "epoch")),
    ]
    with pytest.raises(UsageError) as caught:
        training_chart(TrainingAsked().answer(records))
    assert str(caught.value) == (
        "some models are members by step, others by epoch; choose those of one axis"
    )


@pytest.mark.parametrize("pooling", ["none", "all"])
def test_complexity(pooling: Literal["none", "all"], capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        record(model, f"s{value}{version}", share=share - value / 8, circuit="c", complexity=value)
        for model, share in (("a", 1.0), ("b", 0.75))
        for value in (0.0, 1.0, 2.5)
        for version in range(2)
    ]
    result = ComplexityAsked(pooling=pooling).of_complexities(records, known_complexities(records))
    frame = result.frame()
    drawn = draw(complexity_chart(result), capfd)
    assert [row["series"] for row in drawn.rows] == [*frame["models"]]
    for field in ("complexity", "accuracy", "standard_error"):
        assert same([row[field] for row in drawn.rows], frame[field])
    ends = [(row["low"], row["high"]) for row in drawn.rows]
    assert same([low for low, _ in ends], frame["accuracy"] - frame["standard_error"])
    assert same([high for _, high in ends], frame["accuracy"] + frame["standard_error"])
    check_points(drawn, "complexity")
    assert len(drawn.marks("rule")) == len(frame)
    what = {"none": "suites", "all": "models"}[pooling]
    n = {"none": "1 model, 2 suites", "all": "2 models, 2 suites"}[pooling]
    models = {"none": "Models: a, b", "all": "Model: all models"}[pooling]
    assert drawn.caption == (
        f"Accuracy by complexity. {models}. Each point of {n}. Whiskers: ± 1 standard error of the "
        f"mean over {what}."
    )


def test_single_values_have_no_whiskers(capfd: pytest.CaptureFixture[str]) -> None:
    records = [record("a", f"s{n}", share=0.5, complexity=float(n)) for n in range(2)]
    found = known_complexities(records)
    drawn = draw(complexity_chart(ComplexityAsked().of_complexities(records, found)), capfd)
    assert drawn.marks("rule") == []
    assert drawn.caption == (
        "Accuracy by complexity. Model: a. Each point of 1 model, 1 suite. Means over suites; a "
        "single value has no standard error."
    )


@pytest.mark.parametrize(
    ("values", "kind", "ticks"),
    [
        ([1, 1000, 100_000], "log", [1, 10, 100, 1000, 10_000, 100_000]),
        ([3, 40], "log", [5, 10, 20]),
        ([0, 512], None, None),
        ([0, 1, 512], "symlog", [0, 1, 10, 100]),
        ([1, 2, 8], None, None),
        ([0], None, None),
        ([-1, 5, 500], None, None),
    ],
)
def test_axes_of_numbers_that_grow_by_factors(
    values: list[float], kind: str | None, ticks: list[float] | None
) -> None:
    axis: Any = factor_axis("n", values, "n").to_dict()
    assert axis["scale"].get("type") == kind
    assert axis["axis"].get("values") == (ticks and pytest.approx(ticks))


def test_without_points_there_is_no_plot() -> None:
    records = [record("m", "s", "10")]
    with pytest.raises(UsageError) as caught:
        scaling_chart(ScalingAsked().answer(records))
    assert str(caught.value) == (
        "there is no point to be shown: no model is of a family, of known size, and has run all "
        "the suites; `pommel import-results --size-family` says which models are one"
    )
    with pytest.raises(UsageError) as caught:
        training_chart(TrainingAsked().answer(records))
    assert str(caught.value) == (
        "there is no step to be shown: no model is a step or epoch of a training with a score"
    )
    with pytest.raises(UsageError) as caught:
        complexity_chart(ComplexityAsked().of_complexities(records, []))
    assert str(caught.value) == (
        "there is no point to be shown: no suite with a score says its meta.complexity"
    )
    assert math.isnan(record("m", "s", "-").result.score)
