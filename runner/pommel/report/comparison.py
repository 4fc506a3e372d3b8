"""A comparison of two models as a table for people, and what could not be compared."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pommel.analysis.comparison import ComparedRow, Comparison
from pommel.analysis.sides import Side
from pommel.errors import counted, listed
from pommel.report.cells import circuit_cell, score_cell
from pommel.report.plain_table import empty_table
from pommel.report.statistics_cells import interval_cell, p_cell

if TYPE_CHECKING:
    from rich.table import Table

# What the p of a mean difference is of; see `statistics.sign_flip_p`.
SIGNS = "the differences of items with their signs turned at random"


def comparison_table(comparison: Comparison) -> "Table":
    """Return one row a suite (a prediction under "each"), then circuits, then all suites."""
    has_counts = any(row.counts for row in comparison.rows)
    has_margins = any(row.margin_difference_bits.n for row in comparison.rows)
    counts = ("both", "only A", "only B", "neither") if has_counts else ()
    margins = ("margin A - B (bits)", "p (margins)") if has_margins else ()
    p = "p (McNemar)" if has_counts else "p"
    table = empty_table(
        f"A = {comparison.a.label}, B = {comparison.b.label}",
        names=("circuit", "suite"),
        numbers=("items", *counts, "A", "B", "A - B", p, *margins),
        caption=_caption(has_counts=has_counts, has_margins=has_margins),
    )
    languages = {row.unit.language for row in comparison.level("suite")}
    previous: tuple[str, str] | None = None
    for row in _shown(comparison):
        circuit, suite = _names(row, is_named=len(languages) > 1)
        if previous and row.level != previous[0]:
            table.add_section()
        table.add_row(
            "" if (row.level, circuit) == previous else circuit,
            suite,
            *_numbers(row, has_counts=has_counts, has_margins=has_margins),
            style="bold" if row.level == "all" else None,
        )
        previous = row.level, circuit
    return table


def _numbers(row: ComparedRow, *, has_counts: bool, has_margins: bool) -> Iterator[str]:
    """Yield what stands behind the names: the columns of `comparison_table`."""
    yield str(row.n_items)
    if has_counts:
        yield from _counts(row)
    yield score_cell(row.accuracy_a)
    yield score_cell(row.accuracy_b)
    yield interval_cell(row.difference.mean, row.difference, sign="+")
    yield p_cell(row.p_mcnemar_holm if has_counts else row.p_difference_holm)
    if has_margins:
        margin = row.margin_difference_bits
        yield interval_cell(margin.mean, margin, sign="+")
        yield p_cell(row.p_margin_holm)


def comparison_notes(comparison: Comparison) -> Iterator[str]:
    """Yield what a reader of a comparison should know, in plain words."""
    a, b = comparison.a, comparison.b
    for side in (a, b):
        if len(side.members) > 1:
            yield (
                f"{side.label} is the mean over {len(side.members)} models, item by item; "
                "McNemar's test needs one model on each side, so p is that of the mean difference"
            )
    yield from _left_out(a, "suite", comparison.incomplete_a, _not_all(a, "a run on"))
    yield from _left_out(b, "suite", comparison.incomplete_b, _not_all(b, "a run on"))
    yield from _left_out(a, "suite", comparison.only_a, f"{b.label} has no run on")
    yield from _left_out(b, "suite", comparison.only_b, f"{a.label} has no run on")
    if names := comparison.without_items:
        yield (
            f"{counted(len(names), 'suite')} left out: no item of {listed(names)} is known of both"
        )
    no_items = "has no items of"
    yield from _left_out(a, "prediction", comparison.predictions_only_a, f"{b.label} {no_items}")
    yield from _left_out(b, "prediction", comparison.predictions_only_b, f"{a.label} {no_items}")
    for row in comparison.level("suite"):
        for n, own, why in (
            (row.n_incomplete_a, a, _not_all(a)),
            (row.n_incomplete_b, b, _not_all(b)),
            (row.n_unmatched_a, a, f"{b.label} lacks or skips"),
            (row.n_unmatched_b, b, f"{a.label} lacks or skips"),
        ):
            if n:
                yield (
                    f"{row.unit.suite}: {counted(n, 'item')} of {own.label} left out, which {why}"
                )


def _left_out(side: Side, what: str, names: Sequence[str], why: str) -> Iterator[str]:
    if names:
        yield (
            f"{counted(len(names), what)} of {side.label} left out, which {why}: {listed(names)}"
        )


def _not_all(side: Side, what: str = "") -> str:
    return f"not all of its {len(side.members)} models have {what}".rstrip()


def comparison_warnings(comparison: Comparison) -> Iterator[str]:
    """Yield what puts a comparison in doubt."""
    for name in comparison.changed:
        yield (
            f"{name}: {comparison.a.label} and {comparison.b.label} have run different versions of "
            "this suite; items of one number may not be the same"
        )


def _shown(comparison: Comparison) -> Iterator[ComparedRow]:
    """Yield the rows of the table: of predictions where there are such, else of suites."""
    n_suites = len(comparison.level("suite"))
    yield from comparison.level("prediction")
    yield from comparison.level("suite")
    circuits = comparison.level("circuit")
    if len(circuits) > 1:
        yield from circuits
    if n_suites > 1:
        yield from comparison.level("all")


def _names(row: ComparedRow, *, is_named: bool) -> tuple[str, str]:
    """Return circuit and suite, the latter with its language if that is to be named."""
    unit = row.unit
    match row.level:
        case "all":
            return "all suites", "SG score"
        case "circuit":
            return unit.circuit, "mean"
        case _:
            language = f" ({unit.language})" if is_named else ""
            number = f", prediction {unit.prediction_id}" if unit.prediction_id else ""
            return circuit_cell(unit.circuit), f"{unit.suite}{language}{number}"


def _counts(row: ComparedRow) -> tuple[str, ...]:
    found = row.counts
    if not found:
        return ("",) * 4
    return str(found.n_both), str(found.n_only_a), str(found.n_only_b), str(found.n_neither)


def _caption(*, has_counts: bool, has_margins: bool) -> str:
    test = "McNemar's exact test, two-sided" if has_counts else f"{SIGNS}, two-sided"
    return (
        "Share of the items that both have on which predictions hold; circuits and all suites: "
        "mean over suites.\nA - B [95% interval of the paired bootstrap, items within suites].\n"
        f"p: {test}; adjusted by Holm's method over the rows of a section."
        + (f"\nThat of margins: {SIGNS}." if has_counts and has_margins else "")
    )
