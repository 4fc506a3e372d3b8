"""Slopes for people."""

from dataclasses import replace

from tests.analysis.records import record
from tests.report.printed import cells

from pommel.analysis.scaling import Scaling
from pommel.scoring.run_record import RunRecord

BILLION = 10**9


def models() -> list[RunRecord]:
    """Return two families; the biggest model of the first one lacks a suite."""
    shares = {"a": (1, 0.5, 0.2), "b": (2, 0.625, 0.3), "c": (4, 0.75, None)}
    found = [
        record(name, suite, share=share, n_parameters=size * BILLION, size_family="F")
        for name, (size, *own) in shares.items()
        for suite, share in zip("st", own, strict=True)
        if share is not None
    ]
    return [*found, record("d", "s", share=0.5, n_parameters=BILLION, size_family="G")]


def test_a_slope_of_fewer_models_says_of_how_many() -> None:
    table = Scaling.of(models()).tables()[0]
    assert cells(table) == [
        ["suite", "F (n = 3)", "G (n = 1)", "Average"],
        ["s", "8.036", "-", "8.036"],
        ["t", "10.000 (n = 2)", "- (n = 0)", "10.000"],
    ]
    assert table.title == "Accuracy against size: percentage points per billion parameters"
    assert str(table.caption).endswith("--format csv has r, p and the standard error.")


def test_the_title_says_what_the_slope_is_per() -> None:
    table = Scaling.of(models(), scale="log").tables()[0]
    assert table.title == "Accuracy against size: percentage points per power of ten of parameters"


def test_models_from_the_smallest_on() -> None:
    records = models()
    assert cells(replace(Scaling.of([*records[2:], *records[:2]]), table="points").tables()[0]) == [
        ["family", "model", "parameters", "s", "t"],
        ["F", "a", "1,000,000,000", "0.50", "0.20"],
        ["F", "b", "2,000,000,000", "0.62", "0.30"],
        ["F", "c", "4,000,000,000", "0.75", "-"],
        ["G", "d", "1,000,000,000", "0.50", "-"],
    ]


def test_suites_without_a_circuit_are_called_so() -> None:
    table = Scaling.of(models(), level="circuit").tables()[0]
    assert cells(table)[1][0] == "(none)"
