"""`pommel suites list|show`: the suites that ship with pommel, and any other."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pommel.analysis import plain_table
from pommel.cli.lazy_group import Command
from pommel.cli.output import form_option, note, show_json, show_table
from pommel.sources import SuiteCard, load_suites

if TYPE_CHECKING:
    from rich.table import Table

    from pommel.suite import Suite


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


@click.command("show", cls=Command)
@click.argument("suite")
@click.option("--item", type=int, help="The item to show.  [default: the first]")
def show(suite: str, item: int | None) -> None:
    """Show what a SUITE is about: its predictions and one item, condition by condition."""
    is_own = suite == "-" or Path(suite).exists()
    cards = [] if is_own else SuiteCard.of_source(suite)[0]
    caveats = {card.name: card.caveats for card in cards}
    found = load_suites([suite])
    for each in found.suites:
        click.echo("\n".join(_description(each, item, caveats.get(each.name, ()))))
    found.check()


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


def _description(suite: "Suite", number: int | None, caveats: Sequence[str]) -> list[str]:
    facts = (suite.language, suite.circuit, suite.version, str(suite.meta.get("license") or ""))
    lines = [suite.name, f"  {' · '.join(fact for fact in facts if fact)}".rstrip()]
    if comment := str(suite.meta.get("comment") or ""):
        lines.append(f"  {comment}")
    lines += [f"  {each}" for each in caveats]
    for index, prediction in enumerate(suite.predictions):
        lines.append(f"  prediction {index}: {prediction.formula.text}")
        if prediction.description:
            lines.append(f"    {prediction.description}")
    items = [item for item in suite.items if number in (None, item.number)]
    if not items:
        raise click.UsageError(f"{suite.name} has no item {number}")
    lines.append(f"  item {items[0].number} of {len(suite.items)}:")
    width = max(map(len, suite.condition_names))
    for condition in items[0].conditions:
        regions = " | ".join(f"{region.number}: {region.text}" for region in condition.regions)
        lines.append(f"    {condition.name:{width}}  {regions}")
    return lines
