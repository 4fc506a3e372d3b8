"""Results that follow from the scores of two sentences.

The scores are natural logarithms, as PyTorch has them: `logprob`, of which the grammatical sentence
needs more, or `loss`, of which it needs less. They stand in two columns of an item's row
(`loss_good`, `loss_bad`), or in one column of two rows that follow one another, of which `class`
says which is which (correct, wrong). Where that column is named by a pattern, every column that
matches is a model.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from pommel.errors import listed, quoted
from pommel.files import CsvRow
from pommel.statistics import CHANCE
from pommel.store.imports.tables import ResultTable, Row, is_missing, number_of
from pommel.values import frozen

# Kinds of scores, and what the logarithm of a probability is multiplied by to be one.
_KINDS = {"logprob": 1, "loss": -1}
_CLASS = "class"
_N_TOKENS = ("n_tokens_good", "n_tokens_bad")
# What such columns are; they are called so unless somebody says otherwise.
SCORE_NAMES = frozenset(
    {f"{kind}{side}" for kind in _KINDS for side in ("", "_good", "_bad")} | {*_N_TOKENS, _CLASS}
)
_GOOD = frozenset({"correct", "good", "grammatical"})
_BAD = frozenset({"wrong", "incorrect", "bad", "ungrammatical"})


@frozen
class ScoreColumns:
    """The columns of both sentences' scores, which in two rows are one.

    `of_class` says which row is which, "" in one row; `model` is what the column calls its model,
    "" where it has the usual name.
    """

    good: str
    bad: str
    sign: int
    of_class: str = ""
    n_tokens: tuple[str, ...] = ()
    model: str = ""

    @property
    def names(self) -> set[str]:
        """All of these columns."""
        return {self.good, self.bad, self.of_class, *self.n_tokens}


def is_scored(header: Collection[str], said: Mapping[str, str]) -> bool:
    """Say whether a table has scores, and no results; `said` is what columns are called."""
    if not {said.get("result", "result"), "correct", "holds"}.isdisjoint(header):
        return False
    both = any({f"{kind}_good", f"{kind}_bad"} <= {*header} for kind in _KINDS)
    two_rows = _CLASS in header and any(kind in header for kind in _KINDS)
    return not SCORE_NAMES.isdisjoint(said) or both or two_rows


def names_model(said: Mapping[str, str]) -> bool:
    """Say whether the column of scores is called like its model."""
    return not _KINDS.keys().isdisjoint(said)


def score_columns(
    table: ResultTable, said: Mapping[str, str], *, has_model: bool
) -> list[ScoreColumns]:
    """Return where the scores are: one a model that is a column. None, a fault, is a table's."""
    header = table.header
    # A pattern may stand for several columns.
    missing = [
        said[what]
        for what in (SCORE_NAMES - _KINDS.keys()) & said.keys()
        if said[what] not in header
    ]
    n_tokens = tuple(said.get(name, name) for name in _N_TOKENS)
    n_tokens = n_tokens if {*n_tokens} <= {*header} else ()
    for kind, sign in _KINDS.items():
        good, bad = (said.get(name, name) for name in (f"{kind}_good", f"{kind}_bad"))
        if {good, bad} <= {*header} and not missing:
            return [ScoreColumns(good=good, bad=bad, sign=sign, n_tokens=n_tokens)]
        pattern, of_class = said.get(kind, kind), said.get(_CLASS, _CLASS)
        found = [name for name in header if name == pattern] or [
            name for name in header if fnmatchcase(name, pattern)
        ]
        if found and of_class in header and not missing:
            return [
                ScoreColumns(
                    good=name,
                    bad=name,
                    sign=sign,
                    of_class=of_class,
                    model="" if name == kind or has_model else name,
                )
                for name in found
            ]
        if kind in said:
            missing += [of_class] if found else [pattern]
    there = listed([name for name in header if name], most=20)
    what = f"there is no column {' or '.join(map(repr, missing or ['logprob', 'loss']))}"
    hint = (
        "say with --column which ones they are: logprob=NAME and class=NAME, or loss_good=NAME and "
        "loss_bad=NAME"
    )
    table.refuse_all(f"{what}; there are {there}", hint)
    return []


@dataclass(slots=True)
class Scored:
    """Makes rows of results; items without a number count from 1 by model and suite."""

    n_items: Counter[tuple[str, str]] = field(default_factory=Counter)
    n_unequal: Counter[str] = field(default_factory=Counter)

    def rows(
        self, table: ResultTable, compared: ScoreColumns, row_of: Callable[[CsvRow], Row]
    ) -> Iterator[Row]:
        """Yield what follows from the scores of each item, which `row_of` knows the rest of."""
        for good, bad in _pairs(table, compared):
            scores = [_score(table, good, compared.good), _score(table, bad, compared.bad)]
            if any(map(math.isnan, filter(None, scores))):
                continue
            row = row_of(good)
            model, suite = row["model"], row["suite"]
            self.n_items[model, suite] += 1
            made = _result_of(*scores, sign=compared.sign)
            if len({good.fields[table.header.index(name)] for name in compared.n_tokens}) > 1:
                self.n_unequal[model] += 1
                made = _SKIPPED
            if "item" not in row.columns:
                made = {**made, "item": str(self.n_items[model, suite])}
            yield replace(row, said={**row.said, **made, "chance": str(CHANCE)})

    def notes(self) -> Iterator[str]:
        """Yield of how many items the sentences had different numbers of tokens, by model."""
        for model, n_unequal in self.n_unequal.items():
            n_items = sum(n for (each, _), n in self.n_items.items() if each == model)
            yield (
                f"{model}: {n_unequal:,} of {n_items:,} items skipped, whose sentences have "
                f"different numbers of tokens"
            )


def _score(table: ResultTable, row: CsvRow, column: str) -> float | None:
    """Return a score, None for one that is not there; NaN for what is none, a fault."""
    index = table.header.index(column)
    text = row.fields[index]
    score = number_of(text)
    if score is None and not is_missing(text):
        hint = "write one like -2.5, and nothing where there is none"
        table.refuse(row, index, f"{quoted(text)} is no number", hint)
        return math.nan
    return score


_SKIPPED: Mapping[str, str] = {"result": "", "skipped": "true"}


def _result_of(good: float | None, bad: float | None, *, sign: int) -> Mapping[str, str]:
    """Return what follows from both scores, as cells."""
    if good is None or bad is None:
        return _SKIPPED
    # Two infinite ones have no difference.
    margin = 0.0 if good == bad else sign * (good - bad) / math.log(2)
    return {
        "result": str(margin > 0).lower(),
        "margin_bits": repr(margin),
        "tie": str(margin == 0).lower(),
    }


def _pairs(table: ResultTable, compared: ScoreColumns) -> Iterator[tuple[CsvRow, CsvRow]]:
    """Yield the rows of the grammatical and the ungrammatical sentence of each item."""
    if not compared.of_class:
        yield from ((row, row) for row in table.rows)
        return
    index = table.header.index(compared.of_class)
    first: CsvRow | None = None
    for row in (*table.rows, None):
        kind = row.fields[index].strip().lower() if row else ""
        if row and kind in _BAD and first:
            yield first, row
            first = None
            continue
        if first and (not row or kind in _GOOD):
            hint = "write the row of the wrong form after it"
            table.refuse(first, index, "this row has no wrong one after it", hint)
        if row and kind in _BAD:
            hint = "write the row of the correct form there"
            table.refuse(row, index, "this row has no correct one before it", hint)
        elif row and kind not in _GOOD:
            table.refuse(row, index, f"the class {quoted(kind)} is none", "write correct or wrong")
        first = row if kind in _GOOD else None
