"""Accuracy by circuit as a plot."""

import math
from dataclasses import replace

import pytest
from tests.analysis.records import record, seeds
from tests.report.plots.drawn import draw, same

from pommel.analysis.accuracy import Accuracies
from pommel.analysis.asking import Settings
from pommel.errors import UsageError
from pommel.report.plots.circuits import circuit_chart, circuit_rows
from pommel.scoring.run_record import RunRecord

SETTINGS = Settings(n_resamples=199)

RECORDS = [
    record(model, suite, holds, circuit=circuit)
    for model, holds in (("a", "1101"), ("b", "0100"))
    for suite, circuit in (("s", "agreement"), ("t", "agreement"), ("u", "licensing"))
]


def test_every_mark_has_its_rows_values(capfd: pytest.CaptureFixture[str]) -> None:
    accuracies = Accuracies.of(RECORDS, "circuit", SETTINGS)
    frame = accuracies.frame()
    drawn = draw(circuit_chart(accuracies), capfd)
    assert [row["model"] for row in drawn.rows] == [*frame["model_name"]]
    assert [row["unit"] for row in drawn.rows] == [*frame["circuit"]]
    for field in ("accuracy", "chance", "n_items", "n_suites"):
        assert same([row[field] for row in drawn.rows], frame[field])
    # The stratified interval of a mean over suites, Wilson's of one suite.
    is_mean = frame["n_suites"] > 1
    for end in ("low", "high"):
        own = frame[f"stratified_{end}"].where(is_mean, frame[f"wilson_{end}"])
        assert same([row[end] for row in drawn.rows], own)
    points = drawn.marks("symbol")
    assert [(each["model"], each["unit"]) for each in points] == [
        ("a", "agreement"),
        ("b", "agreement"),
        ("a", "licensing"),
        ("b", "licensing"),
    ]
    by_place = {(row["model"], row["unit"]): row["accuracy"] for row in drawn.rows}
    for each in points:
        assert float(each["accuracy"]) == by_place[each["model"], each["unit"]]
    # An interval and a tick of chance each, and the ticks of four rows.
    assert len(drawn.marks("rule")) == 4
    assert [float(each["chance"]) for each in drawn.marks("rect")] == [0.5] * 4


def test_what_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(circuit_chart(Accuracies.of(RECORDS, "circuit", SETTINGS)), capfd)
    assert drawn.caption == (
        "Accuracy by circuit. Models: a, b. Lines: 95% interval (Wilson's of a share of items; the "
        "stratified score interval of a mean of shares). Each of 1 to 2 suites, 4 to 8 items. "
        "Grey ticks: chance."
    )
    named = {"a", "b", "agreement", "licensing", "0", ".5", "1", "model", "accuracy"}
    assert named <= set(drawn.texts)
    assert drawn.texts[-1] == "Accuracy by circuit"


def test_means_over_fewer_suites_are_hollow_and_named(capfd: pytest.CaptureFixture[str]) -> None:
    records = [each for each in RECORDS if each.result.model_name == "a"]
    records.append(record("b", "s", "0100", circuit="agreement"))
    drawn = draw(circuit_chart(Accuracies.of(records, "circuit", SETTINGS)), capfd)
    assert drawn.caption.startswith(
        "Accuracy by circuit. Models: a, b. Hollow: over some of the suites that other models "
        "have, and not to be compared with these (b on agreement: 1 of 2). "
    )
    # In its facet, the hollow layer is behind the filled one.
    assert [(each["model"], each["unit"]) for each in drawn.marks("symbol")] == [
        ("a", "agreement"),
        ("b", "agreement"),
        ("a", "licensing"),
    ]
    assert drawn.svg.count('fill="white" stroke="#') == 1
    of_all = {(row["model"], row["unit"]): row["n_suites_of_all"] for row in drawn.rows}
    assert of_all == {("a", "agreement"): 2, ("b", "agreement"): 2, ("a", "licensing"): 1}


def test_families_have_their_standard_deviation_and_another_shape(
    capfd: pytest.CaptureFixture[str],
) -> None:
    accuracies = Accuracies.of(seeds("lstm", "s", "11", "10", "11"), "suite", SETTINGS)
    found = circuit_rows(accuracies)
    family = found[-1]
    assert family["model"] == "lstm (mean of 3)"
    assert (family["low"], family["high"]) == (
        pytest.approx(5 / 6 - accuracies.rows[-1].sd),
        pytest.approx(5 / 6 + accuracies.rows[-1].sd),
    )
    drawn = draw(circuit_chart(accuracies), capfd)
    # The axis has room for the whisker that ends above 1.
    assert family["high"] > 1
    domains = [
        layer["encoding"]["x"]["scale"]["domain"]
        for layer in drawn.spec["spec"]["layer"]
        if "scale" in layer["encoding"]["x"]
    ]
    assert domains == [[0.0, family["high"]]]
    assert "Diamonds: mean of a family's members ± standard deviation (n - 1)." in drawn.caption


def test_means_may_have_their_spread_over_suites(capfd: pytest.CaptureFixture[str]) -> None:
    records = [record("a", "s", "1101", circuit="c"), record("a", "t", "1000", circuit="c")]
    accuracies = replace(Accuracies.of(records, "circuit", SETTINGS), sd="population")
    (row,) = circuit_rows(accuracies)
    assert (row["low"], row["accuracy"], row["high"]) == (0.25, 0.5, 0.75)
    drawn = draw(circuit_chart(accuracies), capfd)
    assert len(drawn.marks("rule")) == 1
    assert drawn.caption.endswith(
        "Means over 2 suites ± their standard deviation (n). Grey ticks: chance."
    )


@pytest.mark.parametrize(
    ("level", "units"),
    [
        ("suite", ["t", "u"]),
        ("language", ["de", "fr"]),
        ("model", ["all suites"]),
        ("prediction", ["t 0", "u 0"]),
    ],
)
def test_other_levels(level: str, units: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    records = [record("m", "t", "10", language="de"), record("m", "u", "11", language="fr")]
    accuracies = Accuracies.of(records, level, SETTINGS)  # type: ignore[arg-type]
    named = [row["unit"] for row in draw(circuit_chart(accuracies), capfd).rows]
    # Where suites are of several languages, these are named.
    expected = (
        [f"{units[0]} (de)", f"{units[1]} (fr)"] if level in ("suite", "prediction") else units
    )
    assert named == expected


def test_published_shares_have_no_interval_and_say_so(capfd: pytest.CaptureFixture[str]) -> None:
    accuracies = Accuracies.of([record("m", "s", share=0.75)], "suite", SETTINGS)
    drawn = draw(circuit_chart(accuracies), capfd)
    assert [row["low"] for row in drawn.rows] == [None]
    assert drawn.marks("rule") == []
    assert "Grey ticks: chance. Without intervals: items are not known." in drawn.caption


@pytest.mark.parametrize("records", [[], [record("m", "s", "--")]])
def test_without_a_score_there_is_no_plot(records: list[RunRecord]) -> None:
    with pytest.raises(UsageError) as caught:
        circuit_chart(Accuracies.of(records, "suite", SETTINGS))
    assert str(caught.value) == "there is no accuracy to be shown: no suite has a score"
    assert math.isnan(record("m", "s", "--").result.score)
