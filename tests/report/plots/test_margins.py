"""Margins item by item as a plot."""

import math

import pytest
from tests.analysis.records import LESS, record
from tests.report.plots.drawn import draw, same

from pommel.errors import UsageError
from pommel.files.tables import stacked
from pommel.report.plots.margins import margin_chart, margin_rows
from pommel.scoring.run_record import RunRecord

RECORDS = [
    record("a", "s", "110", [1.5, 2, -3], circuit="x", items=(4, 5, 7)),
    record("a", "t", "1-0", [0.5, 1, -0.25], circuit="x"),
    record("b", "s", "011", [-0.125, 2, 3], circuit="x", items=(4, 5, 7)),
]


def test_every_item_is_a_mark_with_its_margin(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(margin_chart(RECORDS), capfd)
    frame = stacked([each.result.to_frame("predictions") for each in RECORDS])
    known = frame[~frame["skipped"]].set_index(["model_name", "suite", "item_number"]).sort_index()
    rows = sorted(drawn.rows, key=lambda row: (row["model"], row["suite"], row["item_number"]))
    assert [(row["model"], row["suite"], row["item_number"]) for row in rows] == [*known.index]
    assert same([row["margin_bits"] for row in rows], known["margin_bits"])
    assert [row["holds"] for row in rows] == [*known["result"]]
    # Failures are crosses, what holds is a tick, and so are the medians of three suites.
    crosses = drawn.marks("symbol")
    assert {(each["model"], each["suite"], each["item number"]) for each in crosses} == {
        ("a", "s", "7"),
        ("a", "t", "3"),
        ("b", "s", "4"),
    }
    assert [each["holds"] for each in crosses] == ["false"] * 3
    ticks = drawn.marks("rect")
    assert len([each for each in ticks if each.get("holds") == "true"]) == 5
    medians = {each["suite"]: float(each["median_bits"]) for each in ticks if "holds" not in each}
    assert medians["t"] == 0.125
    assert drawn.texts[-1] == (
        "A mark an item: x where predictions fail (3 of 8), a thin tick where they hold; long "
        "ticks: medians."
    )


def test_the_least_margin_of_predictions_that_hold_together() -> None:
    both = record("m", "s", ["11", "10"], [[3.0, 1.0], [2.0, -1.0]], formulas=[LESS, LESS])
    assert [row["margin_bits"] for row in margin_rows([both])] == [2, -1]
    each = record("m", "s", ["11", "10"], [[3.0, 1.0], [2.0, -1.0]], rule="each")
    assert [(row["suite"], row["margin_bits"]) for row in margin_rows([each])] == [
        ("s 0", 3),
        ("s 0", 1),
        ("s 1", 2),
        ("s 1", -1),
    ]


def test_infinite_margins_are_counted(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(margin_chart([record("m", "s", "11", [1, math.inf])]), capfd)
    assert [row["margin_bits"] for row in drawn.rows] == [1]
    assert drawn.texts[-1] == "Not shown: 1 infinite margin."


@pytest.mark.parametrize("records", [[], [record("m", "s", share=0.5, n_items=4)]])
def test_without_margins_there_is_no_plot(records: list[RunRecord]) -> None:
    with pytest.raises(UsageError) as caught:
        margin_chart(records)
    assert str(caught.value) == (
        "no item has a finite margin: a suite has no predictions, items are skipped, or results "
        "came without margins"
    )
