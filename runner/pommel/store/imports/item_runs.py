"""Rows of one item each, put together to the results of models on suites."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pommel.errors import Fault, counted, listed
from pommel.files.csv import CsvRow
from pommel.models.family import Membership
from pommel.scoring.results import PredictionResult, ScoreRule, SuiteResult
from pommel.store.imports.result_tables import ResultTable

# A prediction and an item number.
Key = tuple[int, int]
# A model and a suite.
RunKey = tuple[str, str]

# More runs than these are not named.
_MOST_NOTES = 10

# What there is of an item that is skipped.
_SKIPPED: dict[str, Any] = {
    "result": None,
    "margin_bits": math.nan,
    "tie": False,
    "defined": True,
    "unscored": False,
    "oov": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """What one item came to in one run, and the row that says so; None where it is skipped."""

    model: str
    suite: str
    item: int
    prediction: int
    result: bool | None
    margin_bits: float = math.nan
    tie: bool = False
    defined: bool = True
    unscored: bool = False
    oov: bool = False
    table: ResultTable
    row: CsvRow

    @property
    def told(self) -> tuple[object, ...]:
        """What two rows of one item have to agree in."""
        margin = None if math.isnan(self.margin_bits) else self.margin_bits
        return (self.result, margin, self.tie, self.defined, self.unscored, self.oov)

    @property
    def where(self) -> str:
        """The file's name and the line."""
        return f"{self.table.path.name}, line {self.row.line}"

    def fault(self, message: str, hint: str) -> Fault:
        """Return what is wrong with the row."""
        return self.table.fault(self.row, 0, message, hint)


@dataclass(slots=True)
class ItemRuns:
    """Rows by model and suite, then by prediction and item; both in the order of the files.

    `n_repeated` counts rows that say again what another one has said; they count once.
    """

    runs: dict[RunKey, dict[Key, ItemRow]] = field(default_factory=dict)
    n_repeated: int = 0

    def add(self, rows: Iterable[ItemRow]) -> Iterator[Fault]:
        """Take rows in; yield two of one item that differ."""
        for row in rows:
            run = self.runs.setdefault((row.model, row.suite), {})
            first = run.setdefault((row.prediction, row.item), row)
            if first is row:
                continue
            if first.told == row.told:
                self.n_repeated += 1
                continue
            message = (
                f"item {row.item} of {row.suite} has another result for {row.model} here than in "
                f"{first.where}"
            )
            yield row.fault(message, "keep one of the two")

    def filled(self) -> list[str]:
        """Take items that one prediction of a run has and another lacks for skipped; say which."""
        notes = []
        for run in self.runs.values():
            items = {item for _, item in run}
            for prediction in sorted({prediction for prediction, _ in run}):
                own = {item for each, item in run if each == prediction}
                if missing := sorted(items - own):
                    first = next(row for row in run.values() if row.prediction == prediction)
                    notes.append(
                        f"prediction {prediction} of {first.suite} has no result of {first.model} "
                        f"on {_items(missing)}, which other predictions have: taken for skipped"
                    )
                    for item in missing:
                        run[prediction, item] = replace(first, **_SKIPPED, item=item)
        more = len(notes) - _MOST_NOTES
        return [*notes[:_MOST_NOTES], *([f"{more} more like these"] if more > 0 else [])]

    def repeated(self) -> list[str]:
        """Return how many rows say again what another one has said, nothing if none does."""
        if not self.n_repeated:
            return []
        return [f"{counted(self.n_repeated, 'row')} repeated, counted once"]

    def uneven(self) -> list[str]:
        """Return what models lack of the items that others have on the same suite."""
        items: dict[str, set[int]] = {}
        for (_, suite), run in self.runs.items():
            items.setdefault(suite, set()).update(item for _, item in run)
        notes = []
        for (model, suite), run in self.runs.items():
            if missing := sorted(items[suite] - {item for _, item in run}):
                notes.append(
                    f"{model} lacks {_items(missing)} of {suite}, which others have: its score is "
                    f"the share of the items that it has"
                )
        return notes


def suite_result(
    run: Mapping[Key, ItemRow],
    *,
    score_rule: ScoreRule,
    circuit: str = "",
    model_name: str = "",
    membership: Membership | None = None,
) -> SuiteResult:
    """Return the result of a run whose predictions all have the same items, sorted by number.

    `model_name` is by default what the rows call it.
    """
    items = sorted({item for _, item in run})
    ids = sorted({prediction for prediction, _ in run})
    first = next(iter(run.values()))
    return SuiteResult(
        suite_name=first.suite,
        circuit=circuit,
        model_name=model_name or first.model,
        score_rule=score_rule,
        item_numbers=tuple(items),
        predictions=tuple(prediction(each, [run[each, item] for item in items]) for each in ids),
        membership=membership,
    )


def prediction(prediction_id: int, rows: Sequence[ItemRow]) -> PredictionResult:
    """Return a prediction whose formula nobody has told; rows and arrays are (n_items,)."""
    skipped = np.array([row.result is None for row in rows], dtype=np.bool_)
    margins = np.array([row.margin_bits for row in rows], dtype=np.float64)
    margins[skipped] = math.nan
    return PredictionResult(
        prediction_id=prediction_id,
        formula="",
        description="",
        holds=np.array([bool(row.result) for row in rows], dtype=np.bool_),
        margin_bits=margins,
        tie=np.array([row.tie for row in rows], dtype=np.bool_) & ~skipped,
        defined=np.array([row.defined for row in rows], dtype=np.bool_),
        unscored=np.array([row.unscored for row in rows], dtype=np.bool_),
        oov=np.array([row.oov for row in rows], dtype=np.bool_),
        skipped=skipped,
    )


def _items(numbers: Sequence[int]) -> str:
    shown = listed([str(each) for each in numbers], most=5)
    if len(numbers) == 1:
        return f"item {shown}"
    return f"{counted(len(numbers), 'item')} ({shown})"
