"""Cells and rows that several tables have."""

import math

import pytest
from rich.table import Table

from pommel.cli.output import show_table
from pommel.report.cells import add_suite_rows, in_order, score_cell, spread_cell
from pommel.statistics import spread


def test_scores() -> None:
    assert [score_cell(each) for each in (0.125, 1, math.nan)] == ["0.12", "1.00", "-"]
    assert [score_cell(each, sign="+") for each in (0.5, -0.5, 0)] == ["+0.50", "-0.50", "+0.00"]


def test_means_of_families() -> None:
    assert spread_cell(spread([0.5, 1.0]), n_members=2) == "0.75 ± 0.35"
    assert spread_cell(spread([0.5, 1.0, math.nan]), n_members=3) == "0.75 ± 0.35 (n = 2)"
    assert spread_cell(spread([0.5]), n_members=1, sign="+") == "+0.50 ± -"
    assert spread_cell(spread([math.nan]), n_members=1) == "-"


def test_suites_without_a_circuit_come_last() -> None:
    suites = [("", "a"), ("two", "b"), ("one", "d"), ("one", "c"), ("", "a")]
    assert in_order(suites) == [("one", "c"), ("one", "d"), ("two", "b"), ("", "a")]


def test_a_circuit_is_a_section_and_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("circuit", "suite", "cell")
    add_suite_rows(table, [("", "a"), ("one", "c"), ("one", "b")], lambda suite: [suite.upper()])
    show_table(table)
    lines = capsys.readouterr().out.splitlines()[3:]
    assert [" ".join(line.replace("│", " ").split()) for line in lines if line[0] == "│"] == [
        "one b B",
        "c C",
        "(none) a A",
    ]
    assert [line[0] for line in lines] == ["│", "│", "├", "│", "└"]
