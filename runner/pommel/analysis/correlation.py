"""Accuracy against a property of languages, circuits, suites or models.

Mueller et al. (2020), "Cross-linguistic syntactic evaluation of word prediction models", figure 3:
Spearman's correlation of mean accuracy by language with the language's morphological complexity.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pommel.analysis.asking import Option, Question, WithAverage, WithFamilies, WithPooling
from pommel.analysis.cells import (
    Answer,
    circuit_cell,
    grouped,
    number_cell,
    p_cell,
    plain_table,
    step_cell,
)
from pommel.analysis.given_tables import GivenTable
from pommel.analysis.inference import Correlation, PMethod
from pommel.analysis.models_compared import (
    ALL_SUITES,
    INCOMPLETE_SEEDS,
    OF_SEVERAL,
    Average,
    ModelScores,
    check_distinct,
    incomplete_seeds,
    model_scores,
    pooled,
    suite_labels,
    suites_by,
)
from pommel.errors import UsageError, listed, nearest
from pommel.files import frame_of_rows
from pommel.scoring import RunRecord, SuiteKey
from pommel.statistics import mean_score
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


# What the property is one of.
KeyLevel = Literal["language", "circuit", "group", "suite", "model"]
# Keys that can have the same suites.
_SHARING: tuple[KeyLevel, ...] = ("language", "model")

Coefficient = Literal["spearman", "pearson"]

# The coefficients, or what they are of.
CorrelationTable = Literal["correlations", "pairs"]


@frozen(slots=False)
class CorrelationAsked(WithPooling, WithAverage, WithFamilies, Question):
    """Rank correlation of accuracy with a property of languages, circuits, suites or models.

    \b
      pommel stats correlate --with cwals.tsv --key lang --value C_WALS_fig3_vector
      pommel stats correlate --with cwals.tsv --exclude de --common-suites
    """

    file: Annotated[
        Path | None,
        Option(name="--with", help="CSV or TSV with a number for each language (circuit, ...)."),
    ] = None
    key: Annotated[str, Option(metavar="COLUMN", help="The file's keys.  [default: its first]")] = (
        ""
    )
    value: Annotated[
        str, Option(metavar="COLUMN", help="The file's numbers.  [default: its second]")
    ] = ""
    level: Annotated[
        KeyLevel,
        Option(
            name="--by",
            help="What the file has numbers for; accuracy is that on the suites of each.",
        ),
    ] = "language"
    coefficient: Annotated[Coefficient, Option()] = "spearman"
    exclude: Annotated[
        tuple[str, ...],
        Option(metavar="KEY", help="A language (...) to leave out; repeatable."),
    ] = ()
    common_suites: Annotated[
        bool,
        Option(
            help="Only suites that there are in every language (of one group, or one name), or "
            "for every model."
        ),
    ] = False
    table: Annotated[CorrelationTable, Option(help="The coefficients, or what they are of.")] = (
        "correlations"
    )

    def answer(self, records: Sequence[RunRecord]) -> "PropertyCorrelations":
        """Correlate accuracy with what the file says.

        Raises `UsageError` without a file, and as `with_numbers` does; as `GivenTable.read` does
        for a faulty one.
        """
        if self.file is None:
            raise UsageError("say what accuracy is compared with: --with FILE")
        records = self.chosen(records)
        given = GivenTable.read(self.file, key=self.key, value=self.value)
        return self.with_numbers(records, given)

    def with_numbers(
        self, records: Sequence[RunRecord], given: GivenTable
    ) -> "PropertyCorrelations":
        """Correlate a number for each key with accuracy, model by model or for their mean.

        `given` has numbers for keys of the `level` (languages, ...); those that are NaN are not
        known. A model's accuracy is the mean over those of the key's suites that it has a score on,
        or with the `average` "items" the share of all their items; that of several models the mean
        of theirs. Under the level "model" the keys are models, and there is one correlation, named
        "all suites". With `common_suites` only suites count that there are for every key: one of
        another language is the same if it has the same `group`, or the same name where it has none.
        Raises `UsageError` for an excluded key that there is not, for common suites of keys that
        cannot share any, and where one model was run in several ways and would count several times.
        """
        can_share = self.level in _SHARING
        if self.common_suites and not can_share:
            raise UsageError(
                f"a suite is in one {self.level} alone; common suites are those of languages or "
                "models"
            )
        values = given.by_key()
        scores = self._scores(records)
        keys = list(dict.fromkeys(key for own in scores.values() for key in own))
        self._check_excluded(keys)
        chosen = [
            key
            for key in keys
            if key not in self.exclude and not math.isnan(values.get(key, math.nan))
        ]
        cells = {
            name: {key: own[key] for key in chosen if own.get(key)} for name, own in scores.items()
        }
        pairs = {
            name: [
                self._pair(name, key, values[key], cell)
                for key, cell in (_common(own) if self.common_suites else own).items()
                if cell
            ]
            for name, own in cells.items()
        }
        return PropertyCorrelations(
            asked=self,
            given=given,
            correlations=tuple(self._correlation(name, own) for name, own in pairs.items()),
            pairs=tuple(pair for own in pairs.values() for pair in own),
            without_value=tuple(key for key in keys if key not in (*self.exclude, *chosen)),
            without_accuracy=tuple(key for key in values if key not in keys),
            uneven=tuple(
                name
                for name, own in cells.items()
                if can_share and any(each != _suites(own)[0] for each in _suites(own))
            ),
            incomplete=incomplete_seeds(records, suite_labels(records)),
        )

    def _check_excluded(self, keys: Sequence[str]) -> None:
        for key in self.exclude:
            if key not in keys:
                meant = nearest(key, keys)
                hint = f"did you mean {meant!r}?" if meant else f"there are {listed(keys, most=8)}"
                raise UsageError(f"there is no {self.level} {key!r} to leave out; {hint}")

    def _scores(self, records: Sequence[RunRecord]) -> dict[str, "_Cells"]:
        """Return the scores by what models are called together, and by key."""
        models = model_scores(records)
        if self.level == "model":
            check_distinct(models)
            by_model = {
                model.label: [_Score(model=model, suite=key, identity=key) for key in model.scores]
                for model in models
            }
            return {ALL_SUITES: by_model}
        groups = {record.suite_key: record.suite.group for record in records}
        suites = suites_by(records, self.level)
        return {
            name: {
                key: [
                    _Score(model=model, suite=suite, identity=groups[suite] or suite[1])
                    for model in own
                    for suite in of_key
                    if suite in model.scores
                ]
                for key, of_key in suites.items()
            }
            for name, own in pooled(models, self.pooling).items()
        }

    def _pair(self, name: str, key: str, value: float, cell: Sequence["_Score"]) -> "AccuracyPair":
        models = grouped(cell, lambda score: score.model)
        return AccuracyPair(
            models=name,
            level=self.level,
            key=key,
            value=value,
            accuracy=mean_score(
                model.mean([score.suite for score in own], self.average)
                for model, own in models.items()
            ),
            n_suites=len({score.suite for score in cell}),
            n_models=len(models),
            average=self.average,
        )

    def _correlation(self, name: str, pairs: Sequence["AccuracyPair"]) -> "PropertyCorrelation":
        found = self._coefficient([each.value for each in pairs], [each.accuracy for each in pairs])
        return PropertyCorrelation(
            models=name,
            level=self.level,
            coefficient=self.coefficient,
            n=found.n,
            value=found.rho,
            p=found.p,
            p_method=found.p_method,
            average=self.average,
        )

    def _coefficient(self, x: Sequence[float], y: Sequence[float]) -> Correlation:
        of = Correlation.spearman if self.coefficient == "spearman" else Correlation.pearson
        return of(x, y)


@frozen
class AccuracyPair:
    """A key's number, and the mean accuracy over the suites of the key (or of the model).

    `n_suites` counts the suites of which a score is known, `n_models` the models.
    """

    models: str
    level: KeyLevel
    key: str
    value: float
    accuracy: float
    n_suites: int
    n_models: int
    average: Average = "suites"


@frozen
class PropertyCorrelation:
    """How a property and accuracy go together, over `n` keys; `p` is two-sided.

    `p_method` says how it is found: "exact", from all orders, or "t".
    """

    models: str
    level: KeyLevel
    coefficient: Coefficient
    n: int
    value: float
    p: float
    p_method: PMethod
    average: Average = "suites"


# More keys than these do not fit beside one another; --table pairs has them.
_MAX_KEYS = 8

_NAMES: dict[Coefficient, str] = {"spearman": "Spearman", "pearson": "Pearson"}


@frozen
class PropertyCorrelations(Answer):
    """How accuracy goes together with a number that is given for each language (circuit, ...).

    `pairs` are what the `correlations` are of. `uneven` are the models that do not have the same
    suites for every key.
    """

    plot: ClassVar[str] = "correlation"

    asked: CorrelationAsked
    given: GivenTable
    correlations: tuple[PropertyCorrelation, ...]
    pairs: tuple[AccuracyPair, ...]
    without_value: tuple[str, ...]
    without_accuracy: tuple[str, ...]
    uneven: tuple[str, ...]
    incomplete: tuple[str, ...] = ()

    @property
    def number(self) -> str:
        """What the number is called: the head of its column."""
        return self.given.value_column

    @property
    def left_out(self) -> Mapping[str, Sequence[str]]:
        """The seeds that are in no mean, and the keys that are in no correlation."""
        return {
            INCOMPLETE_SEEDS: self.incomplete,
            f"with no number in {self.given.file}": self.without_value,
            "with a number, but no run": self.without_accuracy,
        }

    @property
    def notes(self) -> Sequence[str]:
        """Which models are compared on suites that are not the same for every key."""
        if not self.uneven or self.asked.common_suites:
            return ()
        note = f"not the same suites for every {self.asked.level}: {listed(self.uneven)}"
        return (f"{note}; --common-suites leaves out the others",)

    @property
    def why_empty(self) -> str:
        """Why there is no pair; "" where there is one."""
        return "" if self.pairs else f"no {self.asked.level} has both a number and an accuracy"

    def frame(self) -> "pd.DataFrame":
        """Return one row a model (family), or one for all; of pairs one a model and key."""
        if self.asked.table == "pairs":
            return frame_of_rows(self.pairs, AccuracyPair)
        return frame_of_rows(self.correlations, PropertyCorrelation)

    def tables(self) -> "list[Table]":
        """Return one table: a row a model (family), or a model and key."""
        return [self._pair_table() if self.asked.table == "pairs" else self._correlation_table()]

    def _correlation_table(self) -> "Table":
        """Return one row a model (family): its accuracy by key, and the correlation."""
        values = {each.key: each.value for each in self.pairs}
        keys = sorted(values, key=lambda key: (values[key], key))
        shown = keys if len(keys) <= _MAX_KEYS else []
        accuracies = {(each.models, each.key): each.accuracy for each in self.pairs}
        rows = [
            [
                each.models,
                *(number_cell(accuracies.get((each.models, key), math.nan)) for key in shown),
                number_cell(each.value),
                p_cell(each.p, each.p_method),
                str(each.n),
            ]
            for each in self.correlations
        ]
        level = self.asked.level
        headers = [f"{circuit_cell(key)} ({step_cell(values[key])})" for key in shown]
        return plain_table(
            f"Mean accuracy by {level}, and {self.given.value_column}",
            names=["models"],
            numbers=[*headers, _NAMES[self.asked.coefficient], "p", "n"],
            rows=rows,
            caption=("" if level == "suite" else f"{OF_SEVERAL[self.asked.average]}\n")
            + f"n: how many {level}s."
            + ("" if shown else " --table pairs has each."),
        )

    def _pair_table(self) -> "Table":
        """Return one row a model (family) and key."""
        rows = [
            [
                each.models,
                circuit_cell(each.key),
                step_cell(each.value),
                number_cell(each.accuracy, 3),
                str(each.n_suites),
                str(each.n_models),
            ]
            for each in self.pairs
        ]
        return plain_table(
            names=["models", self.asked.level],
            numbers=[self.given.value_column, "accuracy", "suites", "models averaged"],
            rows=rows,
            caption="" if self.asked.level == "suite" else OF_SEVERAL[self.asked.average],
        )


@frozen
class _Score:
    """A model with a suite; `identity` is what the suite shares with those of other keys."""

    model: ModelScores
    suite: SuiteKey
    identity: Hashable


# The scores of each key.
_Cells = dict[str, list[_Score]]


def _suites(cells: _Cells) -> list[set[Hashable]]:
    """Return what suites each model has for each key."""
    return [
        {score.identity for score in own}
        for cell in cells.values()
        for own in grouped(cell, lambda score: score.model.label).values()
    ]


def _common(cells: _Cells) -> _Cells:
    """Return the scores on suites that all models have for all keys."""
    shared = set[Hashable]().union(*_suites(cells)).intersection(*_suites(cells))
    return {key: [each for each in cell if each.identity in shared] for key, cell in cells.items()}
