"""Lists of suites, a row each or a row a circuit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pommel.analysis import plain_table
from pommel.sources import SuiteCard

if TYPE_CHECKING:
    from rich.table import Table


def suite_table(
    cards: Sequence[SuiteCard], *, by_circuit: bool = False, markdown: bool = False
) -> "Table":
    """Return one row a suite: language, circuit, name, items, conditions, predictions, version.

    `by_circuit` gives one row a language and circuit instead, and one for all.
    """
    from rich import box

    if by_circuit:
        names, numbers = ["language", "circuit"], ["suites", "items", "predictions"]
    else:
        names, numbers = ["language", "circuit", "suite"], ["items", "conditions", "predictions"]
    table = plain_table(names=names, numbers=numbers)
    if markdown:
        table.box = box.MARKDOWN
    if by_circuit:
        _add_circuits(table, cards)
        return table
    table.add_column("version")
    table.add_column("modifier of")
    for card in cards:
        table.add_row(
            card.language,
            card.circuit,
            card.name,
            str(card.n_items),
            str(len(card.condition_names)),
            str(card.n_predictions),
            card.version,
            card.modifier_of,
        )
    return table


def _add_circuits(table: "Table", cards: Sequence[SuiteCard]) -> None:
    rows = SuiteCard.circuits(cards)
    numbers = [(row.n_suites, row.n_items, row.n_predictions) for row in rows]
    for row, own in zip(rows, numbers, strict=True):
        table.add_row(row.language, row.circuit, *map("{:,}".format, own))
    totals = map(sum, zip(*numbers, strict=True))
    table.add_row("all", "", *map("{:,}".format, totals))
