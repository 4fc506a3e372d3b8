"""Cells and rows that several tables have."""

import math
from dataclasses import replace

import numpy as np
import pytest
from rich.table import Table
from tests.report.printed import cells, printed
from tests.scoring.family_results import scored

from pommel.analysis.cells import (
    FamilyColumn,
    add_sections,
    circuit_cell,
    ends_cell,
    interval_cell,
    number_cell,
    p_cell,
    plain_table,
    step_cell,
)
from pommel.cli.output import show_table
from pommel.report.tables import in_order, kept_margins, prediction_cells
from pommel.statistics import Interval, Spread


def test_scores() -> None:
    assert [number_cell(each) for each in (0.125, 1, math.nan)] == ["0.12", "1.00", "-"]
    assert [number_cell(each, sign="+") for each in (0.5, -0.5, 0)] == ["+0.50", "-0.50", "+0.00"]


@pytest.mark.parametrize(
    ("value", "digits", "sign", "cell"),
    [
        (0.1235, 3, "", "0.123"),
        (12, 2, "+", "+12.00"),
        (-0.001, 2, "", "0.00"),
        (-0.001, 2, "+", "+0.00"),
        (math.nan, 2, "+", "-"),
    ],
)
def test_numbers_have_so_many_digits(value: float, digits: int, sign: str, cell: str) -> None:
    assert number_cell(value, digits, sign=sign) == cell


@pytest.mark.parametrize(
    ("step", "cell"), [(143000.0, "143000"), (0.329, "0.329"), (-0.25, "-0.25"), (math.nan, "-")]
)
def test_steps_are_written_as_they_are(step: float, cell: str) -> None:
    assert step_cell(step) == cell


def test_means_of_families() -> None:
    assert FamilyColumn(family="f", n=2).cell(Spread.of([0.5, 1.0])) == "0.75 ± 0.35"
    assert (
        FamilyColumn(family="f", n=3).cell(Spread.of([0.5, 1.0, math.nan])) == "0.75 ± 0.35 (n = 2)"
    )
    assert FamilyColumn(family="f", n=1).cell(Spread.of([0.5])) == "0.50 ± -"
    assert FamilyColumn(family="f", n=1).cell(Spread.of([math.nan])) == "-"


def test_suites_without_a_circuit_come_last() -> None:
    suites = [("", "a"), ("two", "b"), ("one", "d"), ("one", "c"), ("", "a")]
    assert in_order(suites) == [("one", "c"), ("one", "d"), ("two", "b"), ("", "a")]


def test_a_circuit_is_a_section_and_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("circuit", "suite", "cell")
    suites = in_order([("", "a"), ("one", "c"), ("one", "b")])
    add_sections(table, ((circuit_cell(circuit), name, name.upper()) for circuit, name in suites))
    show_table(table)
    lines = capsys.readouterr().out.splitlines()[3:]
    assert [" ".join(line.replace("│", " ").split()) for line in lines if line[0] == "│"] == [
        "one b B",
        "c C",
        "(none) a A",
    ]
    assert [line[0] for line in lines] == ["│", "│", "├", "│", "└"]


def test_cells_of_a_prediction() -> None:
    (prediction,) = scored("s", "m", "110-").predictions
    assert prediction_cells(prediction) == ("0: (1;%a%) < (1;%b%)", "2/3", "0.67")
    (nothing,) = scored("s", "m", "--").predictions
    assert prediction_cells(nothing)[1:] == ("0/0", "-")


def test_margins_that_are_skipped_or_infinite_are_left_out() -> None:
    (made,) = scored("s", "m", "1111-").predictions
    margins = np.array([0.5, math.inf, math.nan, -2.0, 9.0])
    assert kept_margins(replace(made, margin_bits=margins)) == [0.5, -2.0]


def test_names_stand_on_the_left_and_numbers_on_the_right() -> None:
    table = plain_table(
        "T", names=["name"], numbers=["n"], rows=[["a", "1"], ["long name", "10"]], caption="C."
    )
    lines = printed(table)
    assert (lines[0].strip(), lines[-1].strip()) == ("T", "C.")
    assert [line for line in lines if line[:1] in ("┃", "│")] == [
        "┃ name      ┃  n ┃",
        "│ a         │  1 │",
        "│ long name │ 10 │",
    ]


def test_what_a_section_is_called_stands_in_its_first_row() -> None:
    table = plain_table(names=["name"], numbers=["n"])
    add_sections(table, [("b", "1"), ("b", "2"), ("(none)", "3"), ("b", "4")])
    assert cells(table)[1:] == [["b", "1"], ["", "2"], ["(none)", "3"], ["b", "4"]]
    assert [each.end_section for each in table.rows] == [False, True, True, False]


def test_sections_may_be_without_lines_between_them() -> None:
    table = plain_table("T", names=["name"], caption="C.")
    add_sections(table, ["a", "b"], has_lines=False)
    assert [each.end_section for each in table.rows] == [False, False]
    assert (table.title, table.caption) == ("T", "C.")


NAN = math.nan


@pytest.mark.parametrize(
    ("mean", "low", "high", "sign", "cell"),
    [
        (0.834, 0.5, 1.0, "", "0.83 [0.50, 1.00]"),
        (-0.25, -0.5, 0.0, "+", "-0.25 [-0.50, +0.00]"),
        # What is rounded to nothing has no direction.
        (-0.001, -0.002, 0.1, "+", "+0.00 [+0.00, +0.10]"),
        (0.5, NAN, NAN, "", "0.50"),
        (NAN, NAN, NAN, "", "-"),
        (math.inf, 1.0, math.inf, "+", "+inf [+1.00, +inf]"),
    ],
)
def test_intervals(mean: float, low: float, high: float, sign: str, cell: str) -> None:
    assert interval_cell(mean, Interval(low=low, high=high), sign=sign) == cell


def test_intervals_have_as_many_digits_as_their_mean() -> None:
    interval = Interval(low=-0.0004, high=1.5)
    assert interval_cell(0.25, interval, 3, sign="+") == "+0.250 [+0.000, +1.500]"
    assert ends_cell(interval, 1) == "[0.0, 1.5]"
    assert ends_cell(Interval(low=NAN, high=NAN)) == "-"


@pytest.mark.parametrize(
    ("p", "cell"),
    [(0.0004, "< .001"), (0.001, ".001"), (0.0468, ".047"), (1.0, "1.000"), (NAN, "")],
)
def test_p(p: float, cell: str) -> None:
    assert p_cell(p) == cell
