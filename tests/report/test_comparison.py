"""Comparisons as tables and notes for people."""

import io

from rich.console import Console
from tests.analysis.records import record, seeds

from pommel.analysis.comparison import Comparison, side
from pommel.analysis.models_compared import ModelsCompared
from pommel.scoring.run_record import RunRecord


def compared(records: list[RunRecord], a: str = "a", b: str = "b") -> Comparison:
    found = ModelsCompared.of(records).models
    return Comparison.of_sides(side(found, a), side(found, b), n_resamples=199)


def lines_of(comparison: Comparison) -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=300, highlight=False).print(comparison.tables()[0])
    return [" ".join(line.split()) for line in stream.getvalue().splitlines()]


def both(suite: str, a: str, b: str, circuit: str = "") -> list[RunRecord]:
    nothing = [float("nan")] * len(a)
    return [
        record(model, suite, holds, nothing, circuit=circuit)
        for model, holds in (("a", a), ("b", b))
    ]


def test_suites_circuits_and_the_whole() -> None:
    lines = lines_of(
        compared(
            [*both("s", "11", "00", "c"), *both("t", "1", "1", "c"), *both("u", "0", "1", "d")]
        )
    )
    assert lines[0] == "A = a, B = b"
    assert "│ c │ s │ 2 │ 0 │ 2 │ 0 │ 0 │ 1.00 │ 0.00 │ +1.00 [+1.00, +1.00] │ 1.000 │" in lines
    # An interval needs two items.
    assert "│ │ t │ 1 │ 1 │ 0 │ 0 │ 0 │ 1.00 │ 1.00 │ +0.00 │ 1.000 │" in lines
    assert "│ c │ mean │ 3 │ 1 │ 2 │ 0 │ 0 │ 1.00 │ 0.50 │ +0.50 [+0.50, +0.50] │ 1.000 │" in lines
    whole = "│ all suites │ SG score │ 4 │ 1 │ 2 │ 1 │ 0 │ 0.67 │ 0.67 │ +0.00"
    assert any(line.startswith(whole) for line in lines)


def test_margins_have_columns_where_there_are_some() -> None:
    records = [
        record("a", "s", "11", [3.0, 3.0]),
        record("b", "s", "11", [1.0, 1.0]),
    ]
    (row,) = (line for line in lines_of(compared(records)) if " s " in line)
    assert row.endswith("│ 1.000 │ +2.00 [+2.00, +2.00] │ .500 │")


def test_of_each_predictions_have_their_rows() -> None:
    records = [record(model, "s", ["11", "10"], rule="each") for model in "ab"]
    lines = lines_of(compared(records))
    assert any(line.startswith("│ (none) │ s, prediction 0 │ 2 │") for line in lines)
    assert any(line.startswith("│ (none) │ s │ 4 │") for line in lines)


def test_notes_say_what_is_left_out() -> None:
    comparison = compared(
        [
            record("a", "s", "110"),
            record("b", "s", "11"),
            record("a", "t", "1"),
            record("a", "u", "1"),
            record("b", "u", share=0.5),
        ]
    )
    assert [*comparison.notes] == [
        "1 suite of a left out, which b has no run on: t",
        "1 suite left out: no item of u is known of both",
        "s: 1 item of a left out, which b lacks or skips",
    ]
    assert [*comparison.warnings] == []


def test_a_family_has_a_note_and_the_p_of_the_mean_difference() -> None:
    comparison = compared([*seeds("lstm", "s", "11", "11"), record("b", "s", "00")], "lstm")
    (note,) = comparison.notes
    assert note == (
        "lstm is the mean over 2 models, item by item; McNemar's test needs one model on each "
        "side, so p is that of the mean difference"
    )
    lines = lines_of(comparison)
    assert (
        "┃ circuit ┃ suite ┃ items ┃ A ┃ B ┃ A - B ┃ p ┃ margin A - B (bits) ┃ p (margins) ┃"
        in lines
    )
    assert any(
        line.startswith("│ (none) │ s │ 2 │ 1.00 │ 0.00 │ +1.00 [+1.00, +1.00] │ .500 │")
        for line in lines
    )


def test_versions_that_differ_are_a_warning() -> None:
    records = [record(model, "s", "10", sha256=model) for model in "ab"]
    (warning,) = compared(records).warnings
    assert warning == (
        "s: a and b have run different versions of this suite; items of one number may not be the "
        "same"
    )


def test_what_is_left_out_is_told() -> None:
    records = [
        *seeds("lstm", "s", "11-", "111"),
        *seeds("lstm", "t", "11"),
        record("b", "s", "1111"),
    ]
    assert [*compared(records, "lstm").notes][1:] == [
        "1 suite of lstm left out, which not all of its 2 models have a run on: t",
        "s: 1 item of lstm left out, which not all of its 2 models have",
        "s: 2 items of b left out, which lstm lacks or skips",
    ]


def test_predictions_of_one_alone_are_told() -> None:
    records = [
        record("a", "s", ["11", "10"], rule="each"),
        record("b", "s", ["11"], rule="each"),
    ]
    assert [*compared(records).notes] == [
        "1 prediction of a left out, which b has no items of: prediction 1 of s"
    ]
