"""Stability as a plot."""

import pytest
from tests.analysis.records import record, seeds
from tests.report.plots.drawn import draw, same

from pommel.analysis.stability import Stability
from pommel.errors import UsageError
from pommel.report.plots.stability import stability_chart

RECORDS = [
    record(model, suite, holds, modifier_of="" if suite == "s" else "s")
    for model, of_suites in (("a", ("1111", "0000", "1100")), ("b", ("1100", "1100", "1110")))
    for suite, holds in zip(("s", "s_mod", "s_long"), of_suites, strict=True)
]


def test_every_mark_has_its_rows_values(capfd: pytest.CaptureFixture[str]) -> None:
    stability = Stability.of(RECORDS)
    frame = stability.frame()
    drawn = draw(stability_chart(stability), capfd)
    assert [row["model"] for row in drawn.rows] == [*frame["model_name"]]
    for field in (
        "accuracy",
        "modified_accuracy",
        "difference",
        "difference_low",
        "difference_high",
    ):
        assert same([row[field] for row in drawn.rows], frame[field])
    points = drawn.marks("symbol")
    # A hollow and a filled point a row.
    assert len(points) == 2 * len(frame) == 12
    pairs = {(each["model"], each["modified suite"], each["accuracy"]) for each in points}
    assert pairs == {
        (row["model"], row["modified_suite"], f"{row['accuracy']:.4g}") for row in drawn.rows
    }
    # The mean stands first, pairs in two lines behind it.
    assert [text for text in drawn.texts if text.startswith(("mean", "s", "→"))] == [
        "mean over all",
        "s",
        "→ s_long",
        "s",
        "→ s_mod",
    ]
    assert [row["shown"] for row in drawn.rows][:2] == ["-0.50", "-1.00*"]
    assert drawn.caption == (
        "Accuracy without and with intervening material. Models: a, b. Share of items on which "
        "predictions hold. Hollow: without, filled: with intervening material. Numbers: with less "
        "without, * where its 95% stratified score interval excludes 0."
    )


def test_families_and_languages(capfd: pytest.CaptureFixture[str]) -> None:
    records = [
        run
        for language in ("de", "fr")
        for run in (
            *seeds("lstm", "s", "11", "10", language=language),
            *seeds("lstm", "s_mod", "10", "10", language=language, modifier_of="s"),
        )
    ]
    rows = draw(stability_chart(Stability.of(records)), capfd).rows
    assert rows[-1]["model"] == "lstm (mean of 2)"
    assert rows[0]["pair"] == "s\n→ s_mod (de)"
    # A family has no interval, so no star.
    assert rows[-1]["shown"] == "-0.25"


def test_without_pairs_there_is_no_plot() -> None:
    with pytest.raises(UsageError) as caught:
        stability_chart(Stability.of([record("m", "s", "11")]))
    assert str(caught.value) == (
        "there is no pair of suites to be shown: no run is of a suite that names another in "
        "meta.modifier_of, beside one of that suite"
    )
