"""Accuracy of models, by prediction, suite, circuit, language, group, and over all suites.

A share of items has Wilson's interval (1927) and that of Clopper and Pearson (1934). A circuit's
accuracy is the unweighted mean over its suites, and so on up; its interval is a bootstrap in which
items are drawn again within suites, so it speaks of other items and not of other suites.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pommel.analysis.accuracy_families import family_rows
from pommel.analysis.accuracy_row import NO_INTERVAL, Accuracy
from pommel.analysis.chances import Chance
from pommel.analysis.columns import by_item
from pommel.analysis.subjects import Subject, subjects, with_families
from pommel.analysis.suite_parts import COUNTS, Level, Part, Unit, parts_of, total, unit_order
from pommel.scoring.run_record import RunRecord
from pommel.statistics import (
    N_RESAMPLES,
    Estimate,
    Interval,
    bootstrap_mean_of_groups,
    mean_score,
    share_interval,
)
from pommel.statistics.binomial_sums import binomial_sum_ps


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How rows are computed.

    `chance` is the share that holds by chance; None takes it from the formulas
    (`pommel.suite.formula.chance`), and where a result has none from `SuiteFacts.chance`.
    Where neither says it, there is no test.
    """

    chance: Chance = None
    n_resamples: int = N_RESAMPLES
    seed: int = 0


def accuracies(
    records: Iterable[RunRecord],
    level: Level = "suite",
    settings: Settings | None = None,
    *,
    progress: Callable[[int], None] = lambda _n_runs: None,
) -> list[Accuracy]:
    """Return the rows of a level, model by model, a family's behind its last member.

    `progress` is called with the number of runs of each model that is done.
    Families whose members are steps of a training have no rows. Raises `ValueError` for a chance
    outside [0, 1] and for too few resamples.
    """
    found = subjects(records)
    rows = []
    for each in found:
        rows.append(list(_rows(each, level, settings or Settings())))
        progress(len(each.records))
    return with_families(found, rows, family_rows)


def _rows(subject: Subject, level: Level, settings: Settings) -> Iterator[Accuracy]:
    units: dict[Unit, list[Part]] = {}
    for record in subject.records:
        for part in parts_of(record, level, settings.chance):
            units.setdefault(part.unit, []).append(part)
    for unit in sorted(units, key=unit_order):
        # Items are drawn suite by suite: in another order of the runs, others would be drawn.
        ordered = sorted(units[unit], key=lambda part: part.suite)
        scored = [part for part in ordered if not math.isnan(part.share)]
        yield Accuracy(
            level=level,
            model_name=subject.model_name,
            variant=subject.variant,
            score_rule=subject.score_rule,
            source=subject.source,
            membership=subject.membership,
            unit=unit,
            suites=frozenset(part.suite for part in scored),
            accuracy=mean_score(part.share for part in scored),
            **_of_pooled_items(scored),
            bootstrap=_bootstrap(scored, settings),
            chance=_mean_chance(scored),
            margin_bits=_margin(scored, settings),
            median_margin_bits=_median_margin(scored),
            counts={name: total([part.counts[name] for part in units[unit]]) for name in COUNTS},
        )


def _of_pooled_items(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the counts over all suites, and what follows from them."""
    if any(part.n_items is None for part in parts):
        return {"n_items": None, "n_holding": None}
    columns = [column for part in parts for column in part.columns]
    n_items = sum(each.n_items for each in columns)
    n_holding = sum(each.n_holding for each in columns)
    counts = {"n_items": n_items, "n_holding": n_holding}
    # Predictions of one item depend on each other: their count is no count of items.
    if not n_items or len(columns) > len(parts):
        return counts
    ps = binomial_sum_ps(n_holding, [(each.columns[0].n_items, each.chances[0]) for each in parts])
    return {
        **counts,
        "wilson": share_interval(n_holding, n_items),
        "exact": share_interval(n_holding, n_items, method="exact"),
        "p_above": ps.above,
        "p_below": ps.below,
    }


def _bootstrap(parts: Sequence[Part], settings: Settings) -> Interval:
    """Return the interval of a mean; a share of items has better ones."""
    columns = [column for part in parts for column in part.columns]
    if len(columns) < 2 or any(part.n_items is None for part in parts):  # noqa: PLR2004 - a mean of 2
        return NO_INTERVAL
    holds = [by_item([(each.item_numbers, each.holds) for each in part.columns]) for part in parts]
    drawn = bootstrap_mean_of_groups(holds, n_resamples=settings.n_resamples, seed=settings.seed)
    return Interval(low=drawn.low, high=drawn.high)


def _mean_chance(parts: Sequence[Part]) -> float:
    """Return the mean over suites; NaN if one is not known."""
    chances = [math.fsum(part.chances) / len(part.chances) for part in parts]
    return math.fsum(chances) / len(chances) if chances else math.nan


def _margin(parts: Sequence[Part], settings: Settings) -> Estimate:
    margins = [
        by_item([(each.item_numbers, each.margins_bits) for each in part.columns]) for part in parts
    ]
    return bootstrap_mean_of_groups(margins, n_resamples=settings.n_resamples, seed=settings.seed)


def _median_margin(parts: Sequence[Part]) -> float:
    arrays = [column.margins_bits for part in parts for column in part.columns]
    margins = np.concatenate([np.empty(0), *arrays])
    known = margins[~np.isnan(margins)]
    if not known.size:
        return math.nan
    # Between two infinite margins of both signs there is no middle.
    with np.errstate(invalid="ignore"):
        return float(np.median(known))
