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
    return (_circuits if by_circuit else _suites)(cards, markdown=markdown)


def _suites(cards: Sequence[SuiteCard], *, markdown: bool) -> "Table":
    table = _table(
        ["language", "circuit", "suite"], ["items", "conditions", "predictions"], markdown=markdown
    )
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


def _circuits(cards: Sequence[SuiteCard], *, markdown: bool) -> "Table":
    table = _table(["language", "circuit"], ["suites", "items", "predictions"], markdown=markdown)
    rows = SuiteCard.circuits(cards)
    numbers = [(row.n_suites, row.n_items, row.n_predictions) for row in rows]
    for row, own in zip(rows, numbers, strict=True):
        table.add_row(row.language, row.circuit, *map(_written, own))
    table.add_row("all", "", *(_written(sum(column)) for column in zip(*numbers, strict=True)))
    return table


def _written(number: int) -> str:
    return f"{number:,}"


def _table(texts: Sequence[str], numbers: Sequence[str], *, markdown: bool) -> "Table":
    from rich import box

    table = plain_table(names=texts, numbers=numbers)
    if markdown:
        table.box = box.MARKDOWN
    return table
