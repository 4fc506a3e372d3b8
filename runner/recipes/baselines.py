"""What the built-in models score on suites of their languages: the table of docs/baselines.md."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.analysis import number_cell, plain_table
from pommel.models import Model, load_model
from pommel.scoring import RegionTable, SuiteSurprisals
from pommel.suite import Formula, LoadedSuite, Suite

if TYPE_CHECKING:
    from rich.table import Table

_KINDS = ("unigram", "ngram", "gpt2")


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """Shares of a suite's items on which all predictions hold, by chance and for each model.

    `unknown` is the share of the words in regions that predictions name, of all words of sentences
    that are compared as a whole, which the n-gram models do not know.
    """

    language: str
    suite: str
    n_items: int
    chance: float
    scores: tuple[float, ...]
    unknown: float

    @classmethod
    def of(cls, suite: Suite, models: Sequence[Model]) -> "BaselineRow":
        """Ask the built-in models of the suite's language, in the order of `_KINDS`."""
        found = dict(
            zip(_KINDS, (SuiteSurprisals.of(model, suite) for model in models), strict=True)
        )
        formulas = [prediction.formula for prediction in suite.predictions]
        return cls(
            language=suite.language,
            suite=suite.name,
            n_items=len(suite.items),
            chance=Formula.share_by_chance(formulas),
            scores=tuple(each.evaluate().score for each in found.values()),
            unknown=_share_unknown(found["ngram"].table, formulas),
        )

    @staticmethod
    def table(rows: "Sequence[BaselineRow]") -> "Table":
        """Return the rows as a table for people."""
        table = plain_table(
            names=("language", "suite"), numbers=("items", "chance", *_KINDS, "unknown")
        )
        for row in rows:
            shares = map(number_cell, (row.chance, *row.scores, row.unknown))
            table.add_row(row.language, row.suite, str(row.n_items), *shares)
        return table


def _share_unknown(table: RegionTable, formulas: Iterable[Formula]) -> float:
    named = {
        (table.condition_names.index(each.condition), number)
        for formula in formulas
        for each in formula.references
        for number, region in enumerate(table.region_numbers)
        if each.region in (None, region)
    }
    n_words = sum(table.n_tokens[:, condition, number].sum() for condition, number in named)
    unknown = (words for (_, *cell), words in table.oovs.items() if tuple(cell) in named)
    return float(sum(map(len, unknown)) / n_words)


def baseline_rows(files: Iterable[Path]) -> Iterator[BaselineRow]:
    """Yield the rows of suites."""
    models = cache(lambda language: [load_model(f"builtin://{language}-{kind}") for kind in _KINDS])
    for path in files:
        suite = LoadedSuite.read(path).suite
        yield BaselineRow.of(suite, models(suite.language))
