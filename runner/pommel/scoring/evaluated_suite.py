"""Evaluated suites: SyntaxGym JSON in which every region has its surprisal, in and out."""

import itertools
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.errors import SurprisalError
from pommel.files import WrittenFloat
from pommel.scoring.regions import Bits, Cell, RegionTable, cells_of
from pommel.suite import METRICS, Condition, Region, Suite


def table_from_suite(suite: Suite) -> RegionTable:
    """Return the surprisals that an evaluated suite carries.

    Only metrics that every region has are in the table. A whole sentence (`*`) has the metrics that
    its condition has, and the sum, the minimum and the maximum, which follow from the regions'.
    Raises `SurprisalError` if no metric is there for every region.
    """
    metrics = _common_metrics(region for _, region in cells_of(suite))
    if not metrics:
        raise SurprisalError(
            f"suite {suite.name!r} has regions without metric_value: it has not been evaluated; "
            "run `pommel surprisals` first"
        )
    numbers = suite.region_numbers
    shape = (len(suite.items), len(suite.condition_names), len(numbers))
    # A region that a condition lacks adds nothing to a sum, and has no other metric.
    values: dict[str, Bits] = {
        metric: np.full(shape, METRICS[metric].of_nothing) for metric in metrics
    }
    # Nor has it tokens: its counts are known.
    counts = {name: np.zeros(shape, dtype=np.int64) for name in _COUNTS}
    swallowed = np.zeros(shape, dtype=np.bool_)
    oovs: dict[Cell, tuple[str, ...]] = {}
    for cell, region in cells_of(suite):
        written = region.as_written
        # Where the model has failed there are no tokens either, but another count.
        has_none = written.get("n_tokens") == 0 and not written.get("n_not_comparable")
        swallowed[cell] = bool(region.text) and has_none
        for metric in metrics:
            # NumPy takes None for NaN.
            values[metric][cell] = written["metric_value"][metric]
        if words := written.get("oovs"):
            oovs[cell] = tuple(words)
        for name, unknown in _COUNTS.items():
            counts[name][cell] = int(written.get(name, unknown))
    if "sum" in values:
        # Written without a value, so that nobody takes 0 bits for one.
        values["sum"][swallowed] = 0.0
    return RegionTable(
        item_numbers=tuple(item.number for item in suite.items),
        condition_names=suite.condition_names,
        region_numbers=numbers,
        values=values,
        whole={**_whole(values, left_out=counts["n_unscored"] > 0), **_written_whole(suite)},
        **counts,
        swallowed=swallowed,
        oovs=oovs,
        crossings=(),
    )


def evaluated_suite_to_dict(
    suite: Suite,
    table: RegionTable,
    *,
    model_name: str = "",
    with_n_tokens: bool = False,
    zero_where_swallowed: bool = False,
) -> Mapping[str, Any]:
    """Return the suite's JSON value with `metric_value` and `oovs` in every region.

    The metrics are the suite's own and those of its predictions. One that a region does not have
    is null: so are all of a swallowed region, which says that it has 0 tokens, unless
    `zero_where_swallowed`, of one without a token that has a surprisal, and of one whose sentence
    the model has failed at. `model_name` becomes `meta.model`, as the retired tool wrote it.
    `with_n_tokens` is for methods under which only sentences of equal length compare.
    """
    # A copy: what was read is the suite's own, and stays what it was.
    value = deepcopy(suite.to_dict())
    if model_name:
        value = {**value, "meta": {**value["meta"], "model": model_name}}
    if not zero_where_swallowed:
        table = table.without_swallowed()
    chosen = suite.all_metrics
    is_whole_needed = any(region is None for _, region in suite.compared_cells)
    place = {name: index for index, name in enumerate(table.condition_names)}
    column = {number: index for index, number in enumerate(table.region_numbers)}
    is_hidden = table.swallowed & (not zero_where_swallowed) | table.failed[..., np.newaxis]
    for i, item in enumerate(value["items"]):
        for condition in item["conditions"]:
            c = place[condition["condition_name"]]
            for region in condition["regions"]:
                cell = (i, c, column[int(region["region_number"])])
                region["metric_value"] = {
                    metric: WrittenFloat.of(float(table.values[metric][cell])) for metric in chosen
                }
                region["oovs"] = list(table.oovs.get(cell, ()))
                with_its_own = with_n_tokens or bool(is_hidden[cell])
                region.update(_written_counts(table, cell, with_n_tokens=with_its_own))
            if is_whole_needed:
                # What `*` means cannot be told from the regions' metrics, but for the sum.
                condition["metric_value"] = {
                    metric: WrittenFloat.of(float(table.whole[metric][i, c])) for metric in chosen
                }
    return value


# What a region may say of its tokens, and what is known where it does not.
_COUNTS = {"n_tokens": -1, "n_unscored": -1, "n_not_comparable": 0}


def _written_counts(table: RegionTable, cell: Cell, *, with_n_tokens: bool) -> dict[str, int]:
    counts = {
        "n_tokens": table.n_tokens[cell] if with_n_tokens else -1,
        "n_unscored": table.n_unscored[cell] or -1,
        "n_not_comparable": table.n_not_comparable[cell] or -1,
    }
    return {name: int(count) for name, count in counts.items() if count >= 0}


def _common_metrics(written: Iterable[Region | Condition]) -> list[str]:
    """Return the metrics of which each of the objects says its value."""
    values = [each.as_written.get("metric_value") or {} for each in written]
    return [metric for metric in METRICS if all(metric in each for each in values)]


def _written_whole(suite: Suite) -> dict[str, Bits]:
    """Return the metrics over whole sentences that the file has for every condition."""
    rows = [[item.condition(name) for name in suite.condition_names] for item in suite.items]
    return {
        metric: np.array(
            [[each.as_written["metric_value"][metric] for each in row] for row in rows], np.float64
        )
        for metric in _common_metrics(itertools.chain.from_iterable(rows))
    }


def _whole(values: Mapping[str, Bits], *, left_out: NDArray[np.bool_]) -> dict[str, Bits]:
    """Return what follows from the regions; those `left_out` need no value and add nothing then."""
    adding = {"sum": np.add, "min": np.fmin, "max": np.fmax}
    return {
        metric: add.reduce(
            np.where(left_out & np.isnan(bits), METRICS[metric].of_nothing, bits), axis=-1
        )
        for metric, add in adding.items()
        if (bits := values.get(metric)) is not None
    }
