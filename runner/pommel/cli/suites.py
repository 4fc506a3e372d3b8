"""`pommel suites list`: the suites that ship with pommel, and any other."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from pommel.analysis import plain_table
from pommel.cli.lazy_group import Command
from pommel.cli.output import form_option, note, show_json, show_table
from pommel.sources import SuiteCard

if TYPE_CHECKING:
    from rich.table import Table


@click.command("list", cls=Command)
@click.argument("collection", default="suites:")
@click.option(
    "--by", type=click.Choice(["suite", "circuit"]), default="suite", help="What a row is."
)
@form_option(["table", "markdown", "json"])
def list_suites(collection: str, by: str, form: str) -> None:
    """List the shipped suites, or those of a COLLECTION (suites:en/agreement) or folder."""
    cards, error = SuiteCard.of_source(collection)
    if form != "json":
        from rich import box

        table = _circuit_table(cards) if by == "circuit" else _suite_table(cards)
        table.box = box.MARKDOWN if form == "markdown" else table.box
        show_table(table)
        if any(card.models is not None and not card.pretrained_models for card in cards):
            note(
                "note: no pretrained model has been run on the suites that ship with pommel, and "
                "the readers of their sentences were not native speakers; `pommel suites show` "
                "and suites/<language>/README.md say more"
            )
    else:
        rows = cards if by == "suite" else SuiteCard.circuits(cards)
        show_json([asdict(row) for row in rows])
    if error:
        raise error


def _suite_table(cards: Sequence[SuiteCard]) -> "Table":
    names, numbers = ["language", "circuit", "suite"], ["items", "conditions", "predictions"]
    table = plain_table(names=names, numbers=numbers)
    table.add_column("version")
    table.add_column("modifier of")
    for card in cards:
        counts = (card.n_items, len(card.condition_names), card.n_predictions)
        of_it = (card.version, card.modifier_of)
        table.add_row(card.language, card.circuit, card.name, *map(str, counts), *of_it)
    return table


def _circuit_table(cards: Sequence[SuiteCard]) -> "Table":
    """Return one row a language and circuit, and one for all."""
    rows = SuiteCard.circuits(cards)
    numbers = [(row.n_suites, row.n_items, row.n_predictions) for row in rows]
    totals = [sum(column) for column in zip(*numbers, strict=True)]
    names = [*((row.language, row.circuit) for row in rows), ("all", "")]
    return plain_table(
        names=("language", "circuit"),
        numbers=("suites", "items", "predictions"),
        rows=(
            [*name, *map("{:,}".format, own)]
            for name, own in zip(names, [*numbers, totals], strict=True)
        ),
    )
