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
    circuit_cell,
    number_cell,
    p_cell,
    plain_table,
    score_cell,
    step_cell,
)
from pommel.analysis.models_compared import (
    ALL_SUITES,
    ModelScores,
    Pooling,
    SuiteKey,
    check_distinct,
    model_scores,
    pooled,
    suite_key,
    suites_by,
)
from pommel.errors import UsageError, listed, nearest
from pommel.files.tables import frame_of_rows
from pommel.scoring.run_record import RunRecord
from pommel.statistics import Correlation, mean_score

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


# What the property is one of.
KeyLevel = Literal["language", "circuit", "group", "suite", "model"]
KEY_LEVELS: tuple[KeyLevel, ...] = ("language", "circuit", "group", "suite", "model")
# Keys that can have the same suites.
_SHARING: tuple[KeyLevel, ...] = ("language", "model")

Coefficient = Literal["spearman", "pearson"]
COEFFICIENTS: tuple[Coefficient, ...] = ("spearman", "pearson")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyCorrelation:
    """How a property and accuracy go together, over `n` keys; `p` is two-sided."""

    models: str
    level: KeyLevel
    coefficient: Coefficient
    n: int
    value: float
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyResult:
    """Correlations, their pairs, and the keys that have accuracies and no number, or no accuracy.

    `uneven` are the models that do not have the same suites for every key.
    """

    correlations: tuple[PropertyCorrelation, ...]
    pairs: tuple[AccuracyPair, ...]
    without_value: tuple[str, ...]
    without_accuracy: tuple[str, ...]
    uneven: tuple[str, ...]


def property_correlations(  # noqa: PLR0913 - each of these is a choice of the caller's
    records: Sequence[RunRecord],
    values: Mapping[str, float],
    *,
    level: KeyLevel = "language",
    coefficient: Coefficient = "spearman",
    pooling: Pooling = "none",
    common_suites: bool = False,
    exclude: Sequence[str] = (),
) -> PropertyResult:
    """Correlate a number for each key with accuracy, model by model or for their mean.

    `values` maps keys of the `level` (languages, ...) to numbers; those that are NaN are not known.
    A model's accuracy is the mean over those of the key's suites that it has a score on; that of
    several models the mean of theirs. Under the level "model" the keys are models, and there is
    one correlation, named "all suites". With `common_suites` only suites count that there are for
    every key: one of another language is the same if it has the same `group`, or the same name
    where it has none.
    Raises `UsageError` for an excluded key that there is not, for common suites of keys that
    cannot share any, and where one model was run in several ways and would count several times.
    """
    if common_suites:
        _check_sharing(level)
    scores = _scores(records, level, pooling)
    keys = list(dict.fromkeys(key for own in scores.values() for key in own))
    chosen = _chosen(keys, values, exclude, level)
    cells = {
        name: {key: own[key] for key in chosen if own.get(key)} for name, own in scores.items()
    }
    shared = {name: _common(own) for name, own in cells.items()} if common_suites else cells
    pairs = {name: _pairs(name, level, values, own) for name, own in shared.items()}
    return PropertyResult(
        correlations=tuple(_correlation(each, level, pairs[each], coefficient) for each in pairs),
        pairs=tuple(pair for own in pairs.values() for pair in own),
        without_value=tuple(key for key in keys if key not in (*exclude, *chosen)),
        without_accuracy=tuple(key for key in values if key not in keys),
        uneven=_uneven(cells, level),
    )


def correlations_frame(correlations: Iterable[PropertyCorrelation]) -> "pd.DataFrame":
    """One row a model (family), or one for all."""
    return frame_of_rows(correlations, PropertyCorrelation)


def pairs_frame(pairs: Iterable[AccuracyPair]) -> "pd.DataFrame":
    """One row a model (family) and key: what the correlations are of."""
    return frame_of_rows(pairs, AccuracyPair)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Score:
    """A model's score on a suite; `identity` is what the suite shares with those of other keys."""

    model: str
    suite: SuiteKey
    identity: Hashable
    share: float


# The scores of each key.
_Cells = dict[str, list[_Score]]


def _scores(records: Sequence[RunRecord], level: KeyLevel, pooling: Pooling) -> dict[str, _Cells]:
    """Return the scores by what models are called together, and by key."""
    models = model_scores(records)
    if level == "model":
        check_distinct(models)
        by_model = {
            model.label: [
                _Score(model=model.label, suite=key, identity=key, share=share)
                for key, share in model.scores.items()
            ]
            for model in models
        }
        return {ALL_SUITES: by_model}
    groups = {suite_key(record): record.suite.group for record in records}
    suites = suites_by(records, level)
    return {
        name: {
            key: [
                _Score(
                    model=model.label,
                    suite=suite,
                    identity=groups[suite] or suite[1],
                    share=model.scores[suite],
                )
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
        found.setdefault(score.model, set()).add(score.identity)
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


def _check_sharing(level: KeyLevel) -> None:
    if level not in _SHARING:
        raise UsageError(
            f"a suite is in one {level} alone; common suites are those of languages or models"
        )


def _pairs(
    name: str, level: KeyLevel, values: Mapping[str, float], cells: _Cells
) -> list[AccuracyPair]:
    return [_pair(name, level, key, values[key], cell) for key, cell in cells.items() if cell]


def _pair(
    name: str, level: KeyLevel, key: str, value: float, cell: Sequence[_Score]
) -> AccuracyPair:
    by_model: dict[str, list[float]] = {}
    for score in cell:
        by_model.setdefault(score.model, []).append(score.share)
    return AccuracyPair(
        models=name,
        level=level,
        key=key,
        value=value,
        accuracy=mean_score(mean_score(shares) for shares in by_model.values()),
        n_suites=len({score.suite for score in cell}),
        n_models=len(by_model),
    )


def _correlation(
    name: str, level: KeyLevel, pairs: Sequence[AccuracyPair], coefficient: Coefficient
) -> PropertyCorrelation:
    found = correlated(
        [each.value for each in pairs], [each.accuracy for each in pairs], coefficient
    )
    return PropertyCorrelation(
        models=name,
        level=level,
        coefficient=coefficient,
        n=found.n,
        value=found.rho,
        p=found.p,
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
    """How the scores of two models on the suites that both have go together."""

    model_name: str
    other_model: str
    coefficient: Coefficient
    n_suites: int
    value: float
    p: float


def model_correlations(
    records: Sequence[RunRecord], *, coefficient: Coefficient = "spearman"
) -> list[ModelCorrelation]:
    """Correlate the scores of every two models over the suites that both have a score on."""
    return [
        _model_correlation(first, second, coefficient)
        for first, second in combinations(model_scores(records), 2)
    ]


def models_frame(correlations: Iterable[ModelCorrelation]) -> "pd.DataFrame":
    """One row a pair of models."""
    return frame_of_rows(correlations, ModelCorrelation)


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
    )


# More keys than these do not fit beside one another; --table pairs has them.
_MAX_KEYS = 8

_NAMES: dict[Coefficient, str] = {"spearman": "Spearman", "pearson": "Pearson"}


def correlation_table(result: PropertyResult, name: str) -> "Table":
    """Return one row a model (family): its accuracy by key, and the correlation with `name`."""
    values = {each.key: each.value for each in result.pairs}
    keys = sorted(values, key=lambda key: (values[key], key))
    shown = keys if len(keys) <= _MAX_KEYS else []
    accuracies = {(each.models, each.key): each.accuracy for each in result.pairs}
    rows = [
        [
            each.models,
            *(_accuracy_cell(accuracies.get((each.models, key))) for key in shown),
            number_cell(each.value),
            p_cell(each.p),
            str(each.n),
        ]
        for each in result.correlations
    ]
    first = result.correlations[0]
    headers = [f"{circuit_cell(key)} ({step_cell(values[key])})" for key in shown]
    return plain_table(
        f"Mean accuracy by {first.level}, and {name}",
        ["models", *headers, _NAMES[first.coefficient], "p", "n"],
        rows,
        caption=f"n: how many {first.level}s." + ("" if shown else " --table pairs has each."),
    )


def pair_table(pairs: Sequence[AccuracyPair], name: str) -> "Table":
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
        for each in pairs
    ]
    level = pairs[0].level if pairs else "key"
    columns = ["models", level, name, "accuracy", "suites", "models averaged"]
    return plain_table("", columns, rows, n_names=2)


def model_table(correlations: Sequence[ModelCorrelation]) -> "Table":
    """Return one row a pair of models."""
    rows = [
        [
            each.model_name,
            each.other_model,
            number_cell(each.value),
            p_cell(each.p),
            str(each.n_suites),
        ]
        for each in correlations
    ]
    name = _NAMES[correlations[0].coefficient] if correlations else _NAMES["spearman"]
    return plain_table(
        "Scores of two models on the suites that both have",
        ["model", "other model", name, "p", "suites"],
        rows,
        n_names=2,
    )


def _accuracy_cell(accuracy: float | None) -> str:
    return "-" if accuracy is None else score_cell(accuracy)
