"""Accuracy against a property of languages, circuits, suites or models.

Mueller et al. (2020), "Cross-linguistic syntactic evaluation of word prediction models", figure 3:
Spearman's correlation of mean accuracy by language with the language's morphological complexity.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from pommel.analysis.cells import (
    Answer,
    circuit_cell,
    number_cell,
    p_cell,
    plain_table,
    step_cell,
)
from pommel.analysis.given_tables import GivenTable
from pommel.analysis.inference import Correlation, PMethod
from pommel.analysis.models_compared import (
    ALL_SUITES,
    OF_SEVERAL,
    Average,
    ModelScores,
    Pooling,
    check_distinct,
    model_scores,
    pooled,
    suites_by,
)
from pommel.errors import UsageError, listed, nearest
from pommel.files import frame_of_rows
from pommel.scoring import RunRecord, SuiteKey
from pommel.statistics import mean_score

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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyCorrelations(Answer):
    """How accuracy goes together with a number that is given for each language (circuit, ...).

    `pairs` are what the `correlations` are of. `uneven` are the models that do not have the same
    suites for every key, `is_common` whether only suites count that there are for every key.
    """

    given: GivenTable
    level: KeyLevel
    correlations: tuple[PropertyCorrelation, ...]
    pairs: tuple[AccuracyPair, ...]
    without_value: tuple[str, ...]
    without_accuracy: tuple[str, ...]
    uneven: tuple[str, ...]
    is_common: bool = False
    average: Average = "suites"
    table: CorrelationTable = "correlations"

    @classmethod
    def of(  # noqa: PLR0913 - each of these is a choice of the caller's
        cls,
        records: Sequence[RunRecord],
        given: GivenTable,
        *,
        level: KeyLevel = "language",
        coefficient: Coefficient = "spearman",
        pooling: Pooling = "none",
        common_suites: bool = False,
        exclude: Sequence[str] = (),
        average: Average = "suites",
        table: CorrelationTable = "correlations",
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
        if common_suites and level not in _SHARING:
            raise UsageError(
                f"a suite is in one {level} alone; common suites are those of languages or models"
            )
        asked = _Asked(level=level, coefficient=coefficient, average=average)
        values = given.by_key()
        scores = _scores(records, level, pooling)
        keys = list(dict.fromkeys(key for own in scores.values() for key in own))
        chosen = _chosen(keys, values, exclude, level)
        cells = {
            name: {key: own[key] for key in chosen if own.get(key)} for name, own in scores.items()
        }
        shared = {name: _common(own) for name, own in cells.items()} if common_suites else cells
        pairs = {
            name: [_pair(asked, name, key, values[key], cell) for key, cell in own.items() if cell]
            for name, own in shared.items()
        }
        return cls(
            given=given,
            table=table,
            level=level,
            is_common=common_suites,
            average=average,
            correlations=tuple(_correlation(asked, each, own) for each, own in pairs.items()),
            pairs=tuple(pair for own in pairs.values() for pair in own),
            without_value=tuple(key for key in keys if key not in (*exclude, *chosen)),
            without_accuracy=tuple(key for key in values if key not in keys),
            uneven=_uneven(cells, level),
        )

    @staticmethod
    def between_models(
        records: Sequence[RunRecord], *, coefficient: Coefficient = "spearman"
    ) -> "ModelCorrelations":
        """Correlate the scores of every two models over the suites that both have a score on."""
        rows = [
            _model_correlation(first, second, coefficient)
            for first, second in combinations(model_scores(records), 2)
        ]
        return ModelCorrelations(rows=tuple(rows), coefficient=coefficient)

    @property
    def left_out(self) -> Mapping[str, Sequence[str]]:
        """The keys that are in no correlation, by the reason."""
        return {
            f"with no number in {self.given.file}": self.without_value,
            "with a number, but no run": self.without_accuracy,
        }

    @property
    def notes(self) -> Sequence[str]:
        """Which models are compared on suites that are not the same for every key."""
        if not self.uneven or self.is_common:
            return ()
        note = f"not the same suites for every {self.level}: {listed(self.uneven)}"
        return (f"{note}; --common-suites leaves out the others",)

    @property
    def why_empty(self) -> str:
        """Why there is no pair; "" where there is one."""
        return "" if self.pairs else f"no {self.level} has both a number and an accuracy"

    def frame(self) -> "pd.DataFrame":
        """Return one row a model (family), or one for all; of pairs one a model and key."""
        if self.table == "pairs":
            return frame_of_rows(self.pairs, AccuracyPair)
        return frame_of_rows(self.correlations, PropertyCorrelation)

    def tables(self) -> "list[Table]":
        """Return one table: a row a model (family), or a model and key."""
        return [self._pair_table() if self.table == "pairs" else self._correlation_table()]

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
        first = self.correlations[0]
        headers = [f"{circuit_cell(key)} ({step_cell(values[key])})" for key in shown]
        return plain_table(
            f"Mean accuracy by {first.level}, and {self.given.value_column}",
            names=["models"],
            numbers=[*headers, _NAMES[first.coefficient], "p", "n"],
            rows=rows,
            caption=("" if first.level == "suite" else f"{OF_SEVERAL[self.average]}\n")
            + f"n: how many {first.level}s."
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
            names=["models", self.level],
            numbers=[self.given.value_column, "accuracy", "suites", "models averaged"],
            rows=rows,
            caption="" if self.level == "suite" else OF_SEVERAL[self.average],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Score:
    """A model with a suite; `identity` is what the suite shares with those of other keys."""

    model: ModelScores
    suite: SuiteKey
    identity: Hashable


# The scores of each key.
_Cells = dict[str, list[_Score]]


def _scores(records: Sequence[RunRecord], level: KeyLevel, pooling: Pooling) -> dict[str, _Cells]:
    """Return the scores by what models are called together, and by key."""
    models = model_scores(records)
    if level == "model":
        check_distinct(models)
        by_model = {
            model.label: [_Score(model=model, suite=key, identity=key) for key in model.scores]
            for model in models
        }
        return {ALL_SUITES: by_model}
    groups = {record.suite_key: record.suite.group for record in records}
    suites = suites_by(records, level)
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
        for name, own in pooled(models, pooling).items()
    }


def _identities(cell: Iterable[_Score]) -> dict[str, set[Hashable]]:
    """Return what suites each model has."""
    found: dict[str, set[Hashable]] = {}
    for score in cell:
        found.setdefault(score.model.label, set()).add(score.identity)
    return found


def _uneven(cells: Mapping[str, _Cells], level: KeyLevel) -> tuple[str, ...]:
    """Return the models that do not have the same suites for every key, where they could."""
    if level not in _SHARING:
        return ()
    return tuple(name for name, own in cells.items() if not _is_even(own))


def _is_even(cells: _Cells) -> bool:
    sets = [own for cell in cells.values() for own in _identities(cell).values()]
    return all(own == sets[0] for own in sets)


def _common(cells: _Cells) -> _Cells:
    sets = [own for cell in cells.values() for own in _identities(cell).values()]
    shared = set.intersection(*sets) if sets else set()
    return {key: [each for each in cell if each.identity in shared] for key, cell in cells.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the property is one of, what counts alike in accuracies, and the coefficient."""

    level: KeyLevel
    coefficient: Coefficient
    average: Average


def _pair(asked: _Asked, name: str, key: str, value: float, cell: Sequence[_Score]) -> AccuracyPair:
    models = {id(score.model): score.model for score in cell}
    suites: dict[int, list[SuiteKey]] = {}
    for score in cell:
        suites.setdefault(id(score.model), []).append(score.suite)
    return AccuracyPair(
        models=name,
        level=asked.level,
        key=key,
        value=value,
        accuracy=mean_score(models[each].mean(own, asked.average) for each, own in suites.items()),
        n_suites=len({score.suite for score in cell}),
        n_models=len(models),
        average=asked.average,
    )


def _correlation(asked: _Asked, name: str, pairs: Sequence[AccuracyPair]) -> PropertyCorrelation:
    found = correlated(
        [each.value for each in pairs], [each.accuracy for each in pairs], asked.coefficient
    )
    return PropertyCorrelation(
        models=name,
        level=asked.level,
        coefficient=asked.coefficient,
        n=found.n,
        value=found.rho,
        p=found.p,
        p_method=found.p_method,
        average=asked.average,
    )


def correlated(x: Sequence[float], y: Sequence[float], coefficient: Coefficient) -> Correlation:
    """Return the coefficient that is asked for."""
    return Correlation.spearman(x, y) if coefficient == "spearman" else Correlation.pearson(x, y)


def _chosen(
    keys: Sequence[str], values: Mapping[str, float], exclude: Sequence[str], level: KeyLevel
) -> list[str]:
    """Return the keys with a number that are not to be left out."""
    _check_excluded(exclude, keys, level)
    return [key for key in keys if key not in exclude and not math.isnan(values.get(key, math.nan))]


def _check_excluded(exclude: Iterable[str], keys: Sequence[str], level: KeyLevel) -> None:
    for key in exclude:
        if key not in keys:
            meant = nearest(key, keys)
            hint = f"did you mean {meant!r}?" if meant else f"there are {listed(keys, most=8)}"
            raise UsageError(f"there is no {level} {key!r} to leave out; {hint}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCorrelation:
    """How the scores of two models on the suites that both have go together.

    `p` is two-sided, and found by `p_method`: "exact", from all orders, or "t".
    """

    model_name: str
    other_model: str
    coefficient: Coefficient
    n_suites: int
    value: float
    p: float
    p_method: PMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCorrelations(Answer):
    """Do models find the same suites hard? One row a pair of models."""

    rows: tuple[ModelCorrelation, ...]
    coefficient: Coefficient = "spearman"

    @property
    def why_empty(self) -> str:
        """Why there is no pair; "" where there is one."""
        return "" if self.rows else "there is only one model; --between-models needs two"

    def frame(self) -> "pd.DataFrame":
        """Return one row a pair of models."""
        return frame_of_rows(self.rows, ModelCorrelation)

    def tables(self) -> "list[Table]":
        """Return one table: a row a pair of models."""
        rows = [
            [
                each.model_name,
                each.other_model,
                number_cell(each.value),
                p_cell(each.p, each.p_method),
                str(each.n_suites),
            ]
            for each in self.rows
        ]
        table = plain_table(
            "Scores of two models on the suites that both have",
            names=["model", "other model"],
            numbers=[_NAMES[self.coefficient], "p", "suites"],
            rows=rows,
        )
        return [table]


def _model_correlation(
    first: ModelScores, second: ModelScores, coefficient: Coefficient
) -> ModelCorrelation:
    shared = [key for key in first.scores if key in second.scores]
    found = correlated(
        [first.scores[key] for key in shared], [second.scores[key] for key in shared], coefficient
    )
    return ModelCorrelation(
        model_name=first.label,
        other_model=second.label,
        coefficient=coefficient,
        n_suites=found.n,
        value=found.rho,
        p=found.p,
        p_method=found.p_method,
    )
