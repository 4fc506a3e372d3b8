"""`pommel suites show`: the data sheet of a suite."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from pommel.cli import completing
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import File, Options, field_of, option, takes_options
from pommel.cli.output import form_option, meant_form, note, output_option, print_or_write
from pommel.errors import UsageError, counted
from pommel.report import SuiteSheet
from pommel.sources import SuiteCard, load_suites
from pommel.suite import Frequencies, Item, Suite


class _SuitesShowOptions(Options):
    """What a sheet has beside what the suite says of itself, and how it is printed."""

    item: int | None = option(help="The item to show.  [default: the first]")
    controls: bool = option(
        help="Ask scorers that see no syntax, as `pommel suites controls` does; may take a minute. "
        "Of suites that ship with pommel it is known."
    )
    text: File | None = option(
        help="Ask a unigram and a bigram model of this text, too, a sentence a line."
    )
    frequencies: File | None = option(
        help="How frequent words are: a list, or a text to count them in."
    )
    form: str | None = field_of(
        form_option(
            ["text", "markdown"],
            default=None,
            about="What to print.  [default: text; markdown in a file that ends in .md]",
        )
    )
    output: Path | None = field_of(output_option)


@click.command("show", cls=Command)
@click.argument("suite", shell_complete=completing.suites)
@takes_options
def command(suite: str, chosen: _SuitesShowOptions) -> None:
    """Show the data sheet of a SUITE, for its readers and for an appendix.

    Its source, counts, regions and words, how long and how frequent what predictions look at is,
    what it gives away to scorers that see no syntax, its predictions, and one item.

    \b
      pommel suites show number_prep
      pommel suites show my_suite.json --controls --text corpus.txt --format markdown -o sheet.md
    """
    is_own = suite == "-" or Path(suite).exists()
    cards = [] if is_own else SuiteCard.of_source(suite)[0]
    caveats = {card.name: card.caveats for card in cards}
    frequencies = Frequencies.read(chosen.frequencies) if chosen.frequencies else None
    found = load_suites([suite])
    ask = _asker(chosen)
    sheets = [
        SuiteSheet(
            suite=each,
            item=_item(each, chosen.item),
            caveats=caveats.get(each.name, ()),
            controls=ask(each),
            frequencies=frequencies,
        )
        for each in found.suites
    ]
    form = meant_form(chosen.form, chosen.output, {".md": "markdown"}, usual="text")
    text = "\n".join(each.markdown if form == "markdown" else each.text for each in sheets)
    if form == "text" and not chosen.output:
        # What a stranger's suite says may be meant to steer a terminal.
        click.echo(text, nl=False)
    else:
        print_or_write(text, chosen.output, counted(len(sheets), "data sheet"))
    if not all(each.controls for each in sheets):
        note("note: --controls asks scorers that see no syntax; --text TEXT n-gram models, too")
    found.check()


def _item(suite: Suite, number: int | None) -> Item:
    for item in suite.items:
        if number in (None, item.number):
            return item
    raise UsageError(f"{suite.name} has no item {number}")


def _asker(chosen: _SuitesShowOptions) -> Callable[[Suite], Mapping[str, Any]]:
    """Return what gives the controls of a suite, as far as they are known or asked for."""
    if not chosen.text and not chosen.controls:
        return SuiteCard.known_controls
    # They need numpy.
    from pommel.cli.suites_controls import ControlRow, ngrams_of

    ngrams = ngrams_of(chosen.text) if chosen.text else {}
    seen = {"text": chosen.text.name} if chosen.text else {}

    def ask(suite: Suite) -> Mapping[str, Any]:
        known = {} if chosen.text else SuiteCard.known_controls(suite)
        return known or {**asdict(ControlRow.of(suite, ngrams)), **seen}

    return ask
