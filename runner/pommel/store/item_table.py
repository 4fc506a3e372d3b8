"""Predictions and their items as rows: written for one run, read for many at once."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.scoring.results import PredictionResult, SuiteResult
from pommel.store.record_rows import ItemRows, item_rows, prediction_of, storable

# So many rows are in memory as Python's objects at once.
_PIECE = 50_000

# The numbers of a result's items, and its predictions.
Found = tuple[tuple[int, ...], tuple[PredictionResult, ...]]


def add_predictions(connection: sqlite3.Connection, run_key: int, result: SuiteResult) -> None:
    """Write the predictions of a run that has none; within a transaction."""
    for each in result.predictions:
        added = connection.execute(
            "INSERT INTO predictions (run_key, prediction_id, formula, description) "
            "VALUES (?, ?, ?, ?)",
            (run_key, each.prediction_id, storable(each.formula), storable(each.description)),
        )
        connection.executemany(
            "INSERT INTO item_results "
            "(prediction_key, position, item_number, holds, margin_bits, flags) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            ((added.lastrowid, *row) for row in item_rows(result, each)),
        )


def predictions_of(connection: sqlite3.Connection, run_keys: Sequence[int]) -> dict[int, Found]:
    """Return the predictions of runs by their keys; runs without any are left out.

    There is one query for each of the two tables, however many runs there are.
    """
    heads = connection.execute(
        "SELECT prediction_key, run_key, prediction_id, formula, description FROM predictions "
        "WHERE run_key IN (SELECT value FROM json_each(?)) ORDER BY run_key, prediction_id",
        (json.dumps(run_keys),),
    ).fetchall()
    items = _items(connection, [key for key, *_ in heads])
    found: dict[int, Found] = {}
    for key, run_key, prediction_id, formula, description in heads:
        rows = items[key]
        prediction = prediction_of(prediction_id, formula, description, rows)
        if run_key in found:
            numbers, others = found[run_key]
            found[run_key] = (numbers, (*others, prediction))
        else:
            found[run_key] = (tuple(rows.item_numbers.tolist()), (prediction,))
    return found


def _items(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, ItemRows]:
    """Return the items of predictions by the predictions' keys."""
    of, item_numbers, holds, margin_bits, flags = _columns(connection, keys)
    starts = np.searchsorted(of, keys)
    ends = np.searchsorted(of, keys, side="right")
    return {
        key: ItemRows(
            item_numbers=item_numbers[start:end],
            holds=holds[start:end],
            margin_bits=margin_bits[start:end],
            flags=flags[start:end],
        )
        for key, start, end in zip(keys, starts.tolist(), ends.tolist(), strict=True)
    }


# Columns of `item_results` as arrays: prediction_key, item_number, holds, margin_bits, flags.
_TYPES = (np.int64, np.int64, np.bool_, np.float64, np.uint8)


def _columns(connection: sqlite3.Connection, keys: Sequence[int]) -> list[NDArray[Any]]:
    rows = connection.execute(
        "SELECT prediction_key, item_number, holds, margin_bits, flags FROM item_results "
        "WHERE prediction_key IN (SELECT value FROM json_each(?)) "
        "ORDER BY prediction_key, position",
        (json.dumps(keys),),
    )
    pieces = list(_pieces(rows))
    if not pieces:
        return [np.empty(0, dtype=kind) for kind in _TYPES]
    return [np.concatenate(parts) for parts in zip(*pieces, strict=True)]


def _pieces(rows: sqlite3.Cursor) -> Iterator[list[NDArray[Any]]]:
    while piece := rows.fetchmany(_PIECE):
        # NumPy takes None for NaN where floats are asked for.
        yield [
            np.array(column, dtype=kind)
            for column, kind in zip(zip(*piece, strict=True), _TYPES, strict=True)
        ]
