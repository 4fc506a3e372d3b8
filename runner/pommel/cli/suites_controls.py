"""`pommel suites controls`: what suites give away to scorers that see no syntax."""

import math
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pommel.analysis import number_cell, plain_table
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import FILE
from pommel.cli.output import (
    form_option,
    note,
    progress_bar,
    show_frame,
    show_table,
    suites_argument,
)
from pommel.files import frame_of_rows
from pommel.models import Model, load_model
from pommel.scoring import SuiteSurprisals
from pommel.sources import load_suites
from pommel.suite import Formula, Suite
from pommel.training import NgramRecipe
from pommel.values import frozen

if TYPE_CHECKING:
    from rich.table import Table

_NGRAMS = ("unigram", "bigram")
_SHARES = ("chance", "context_free", "nearest_region", *_NGRAMS)


@frozen
class ControlRow:
    """What a suite gives away: shares of items on which all predictions hold, NaN where unknown.

    Ties are left to chance: where a scorer cannot tell two conditions apart, it guesses. `notes`
    say why one is not known, and, in the words of `meta.context_free`, why words alone tell what is
    right.
    """

    language: str
    suite: str
    n_items: int
    chance: float
    context_free: float
    nearest_region: float
    unigram: float
    bigram: float
    notes: str

    @classmethod
    def of(cls, suite: Suite, ngrams: Mapping[str, Model], why_no_ngrams: str = "") -> "ControlRow":
        """Ask all scorers; `ngrams` are those of `ngrams_of`, or none, for a reason."""
        controls = suite.controls()
        shares = {name: control.share for name, control in controls.items()}
        formulas = [prediction.formula for prediction in suite.predictions]
        if formulas:
            shares["chance"] = Formula.share_by_chance(formulas)
        for name, model in ngrams.items():
            table = SuiteSurprisals.of(model, suite).table
            lookups = [partial(table.column, suite.metric_of(each)) for each in suite.predictions]
            if formulas:
                found = Formula.shares_where_tied(formulas, lookups, len(suite.items))
                shares[name] = float(found.mean())
        notes = [
            str(suite.meta.get("context_free") or ""),
            *(control.why_none for control in controls.values()),
            why_no_ngrams,
        ]
        return cls(
            language=suite.language,
            suite=suite.name,
            n_items=len(suite.items),
            **{name: shares.get(name, math.nan) for name in _SHARES},
            notes="; ".join(dict.fromkeys(filter(None, notes))),
        )

    @staticmethod
    def table(rows: "Sequence[ControlRow]") -> "Table":
        """Return the rows as a table for people."""
        table = plain_table(
            names=("language", "suite"),
            numbers=("items", *(name.replace("_", " ") for name in _SHARES)),
        )
        table.add_column("notes")
        for row in rows:
            shares = (number_cell(getattr(row, name)) for name in _SHARES)
            table.add_row(row.language, row.suite, str(row.n_items), *shares, row.notes)
        return table


def ngrams_of(text: Path) -> dict[str, Model]:
    """Return a unigram and a bigram model of a text, in lower case, with one added to each count.

    The text has a sentence a line. Raises `InputError` for what is wrong with it.
    """
    models = {}
    with tempfile.TemporaryDirectory() as folder:
        for order, name in enumerate(_NGRAMS, start=1):
            path = Path(folder) / f"{name}.arpa"
            recipe = NgramRecipe(order=order, smoothing="laplace")
            recipe.train(text, path, lambda _: None, cased=False)
            models[name] = load_model(f"ngram://{path}?reader=python")
    return models


@click.command("controls", cls=Command, no_args_is_help=True)
@suites_argument
@click.option(
    "--text",
    type=FILE,
    help="Also ask a unigram and a bigram model of this text, a sentence a line, plain or gzipped.",
)
@form_option(["table", "markdown", "csv", "json"])
def command(suites: tuple[str, ...], text: Path | None, form: str) -> None:
    """Show how far scorers that see no syntax come on SUITEs.

    Shares of items on which all predictions hold: by chance; of a scorer that has one number for
    each word, whatever stands before it, fitted on the suite; of one that sees the nearest region
    that varies, fitted on the other items; of n-gram models. Ties are left to chance.

    \b
      pommel suites controls my_suite.json
      pommel suites controls suites:en --text corpus.txt --format csv
    """
    ngrams = ngrams_of(text) if text else {}
    found = load_suites(suites)
    rows = []
    with progress_bar("controls", len(found.suites)) as progress:
        for suite in found.suites:
            rows.append(ControlRow.of(suite, ngrams))
            progress(1)
    if form in ("csv", "json"):
        show_frame(frame_of_rows(rows, ControlRow), form)
    else:
        from rich import box

        table = ControlRow.table(rows)
        table.box = box.MARKDOWN if form == "markdown" else table.box
        show_table(table)
    if not text:
        note("note: unigrams and bigrams need --text FILE")
    found.check()
