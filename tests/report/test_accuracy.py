"""Accuracies as tables for people."""

import io
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from tests.analysis.records import record, seeds

from pommel.analysis.accuracy import Accuracies, Level, Settings, ShareInterval
from pommel.scoring.run_record import RunRecord

FEW = Settings(n_resamples=199)
NO_MARGINS = [float("nan")] * 4


def rendered(table: Table) -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=400, highlight=False).print(table)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def rows_of(
    records: Sequence[RunRecord], level: Level = "suite", interval: ShareInterval = "wilson"
) -> list[list[str]]:
    """Return the header and the cells of every row."""
    lines = rendered(Accuracies.of(records, level, FEW, interval=interval).tables()[0])
    return [
        [cell.strip() for cell in line.strip("│┃").replace("┃", "│").split("│")]
        for line in lines
        if line.startswith(("│", "┃"))
    ]


def test_a_suite_has_its_share_chance_test_and_counts() -> None:
    header, row = rows_of([record("m", "s", "1" * 12, [2.0] * 12, marks={"tie": [1] + [0] * 11})])
    shown = dict(zip(header, row, strict=True))
    assert shown == {
        "model": "m",
        "suite": "s",
        "items": "12",
        "accuracy": "1.00 [0.76, 1.00]",
        "chance": "0.50",
        "p": "above < .001",
        "margin (bits)": "+2.00 [+2.00, +2.00]",
        "median": "+2.00",
        "ties": "1",
        "unscored": "0",
    }


def test_the_exact_interval_can_be_shown() -> None:
    _, row = rows_of([record("m", "s", "1" * 12)], interval="exact")
    assert row[3] == "1.00 [0.74, 1.00]"


def test_counts_that_are_not_always_there_have_a_column_where_one_is() -> None:
    header, *_ = rows_of([record("m", "s", "1-0", marks={"oov": [1, 1, 0]})])
    assert header[-4:] == ["ties", "unscored", "oov", "skipped"]


def test_without_margins_there_is_no_column_of_them() -> None:
    header, *_ = rows_of([record("m", "s", "1100", NO_MARGINS)])
    assert "margin (bits)" not in header


def test_languages_and_circuits_are_named_where_they_differ() -> None:
    records = [
        record("m", "s", "10", language="de", circuit="c"),
        record("m", "s", "11", language="fr", circuit="c"),
    ]
    header, *rows = rows_of(records)
    assert header[:3] == ["model", "language", "suite"]
    assert [row[:3] for row in rows] == [["m", "de", "s"], ["", "fr", "s"]]


def test_a_mean_has_its_bootstrap_interval_and_one_suite_its_own() -> None:
    records = [
        record("m", "s", "1111", circuit="c"),
        record("m", "t", "1111", circuit="c"),
        record("m", "u", "1111"),
    ]
    _, *rows = rows_of(records, "circuit")
    assert [row[1:5] for row in rows] == [
        ["c", "2", "8", "1.00 [1.00, 1.00]"],
        ["(none)", "1", "4", "1.00 [0.51, 1.00]"],
    ]
    lines = rendered(Accuracies.of(records, "circuit", FEW).tables()[0])
    assert lines[0] == "Accuracy by circuit"
    assert "Of one suite: share of items [95% Wilson interval]." in lines


def test_of_one_suite_with_several_predictions_no_wilson_interval_is_named() -> None:
    records = [record("m", "s", ["1111", "1100"], rule="each")]
    caption = str(Accuracies.of(records, "model", FEW).tables()[0].caption)
    assert "Wilson" not in caption
    assert caption.startswith(
        "Of one suite with several predictions: their mean [95% bootstrap interval, by item].\n"
    )


def test_a_family_is_a_mean_with_its_spread_and_one_member_is_no_family() -> None:
    records = [*seeds("lstm", "s", "1100", "1111"), *seeds("gru", "s", "1100")]
    _, *rows = rows_of(records)
    assert [(row[0], row[3], row[5]) for row in rows] == [
        ("lstm/seed-1", "0.50 [0.15, 0.85]", ".688"),
        ("lstm/seed-2", "1.00 [0.51, 1.00]", ".062"),
        ("lstm (mean ± sd, n = 2)", "0.75 ± 0.35", ""),
        ("gru/seed-1", "0.50 [0.15, 0.85]", ".688"),
    ]


def test_a_share_that_was_published_alone_has_nothing_else() -> None:
    _, row = rows_of([record("m", "s", share=0.7)])
    assert row == ["m", "s", "", "0.70", "unknown", "", "", ""]


def test_without_a_known_chance_there_is_no_test() -> None:
    unknown, known = (record("m", "s", share=0.7, n_items=100, chance=each) for each in (None, 0.5))
    table = Accuracies.of([unknown]).tables()[0]
    assert "Where chance is unknown there is no test; --chance X says it." in str(table.caption)
    assert [rows_of([each])[1][4:6] for each in (unknown, known)] == [
        ["unknown", ""],
        ["0.50", "above < .001"],
    ]
    assert "unknown" not in str(Accuracies.of([known]).tables()[0].caption)
