"""Records of runs as rows of the store's tables, and back, without loss."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.errors import StoreError
from pommel.files.text import is_encodable
from pommel.models.family import Membership
from pommel.scoring.results import PredictionResult, Score, SuiteResult
from pommel.scoring.run_record import ModelFacts, RunRecord, SuiteFacts

# The columns of `runs` that a record is made of again; their order is that of `run_row`.
RUN_COLUMNS = (
    "run_id",
    "status",
    "source",
    "created",
    "model_name",
    "suite_name",
    "circuit",
    "language",
    "score_rule",
    "record",
)

# What a bit of `item_results.flags` says of an item.
_TIE, _UNDEFINED, _UNSCORED, _OOV, _SKIPPED = 1, 2, 4, 8, 16

# What a column of whole numbers holds.
_LARGEST = 2**63 - 1

_STATUS_OF_ROW = {"running": "interrupted", "complete": "complete"}
_ROW_OF_STATUS = {status: word for word, status in _STATUS_OF_ROW.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRows:
    """Rows of `item_results` of one prediction, in the order of the items, as columns."""

    item_numbers: NDArray[np.int64]
    holds: NDArray[np.bool_]
    margin_bits: NDArray[np.float64]
    flags: NDArray[np.uint8]


def run_row(record: RunRecord) -> tuple[str, ...]:
    """Return what `runs` holds of a record, in the order of `RUN_COLUMNS`."""
    result = record.result
    described = {
        "model": asdict(record.model),
        "suite": asdict(record.suite),
        "policy": dict(record.policy),
        "settings": dict(record.settings),
        "membership": asdict(result.membership) if result.membership else None,
        "reported": asdict(result.reported) if result.reported else None,
        # Where there are predictions, their items have the numbers.
        "item_numbers": [] if result.predictions else list(result.item_numbers),
        "provenance": dict(result.provenance),
    }
    return (
        record.run_id,
        _ROW_OF_STATUS[record.status],
        storable(record.source),
        record.created,
        storable(result.model_name),
        storable(result.suite_name),
        storable(result.circuit),
        storable(record.suite.language),
        result.score_rule,
        json.dumps(described, separators=(",", ":")),
    )


def bare_record(row: Sequence[Any]) -> RunRecord:
    """Return the record of a row of `runs` (`RUN_COLUMNS`), as yet without predictions."""
    run_id, status, source, created, model_name, suite_name, circuit, _language, rule, text = row
    described = json.loads(text)
    member, reported = described["membership"], described["reported"]
    return RunRecord(
        run_id=run_id,
        result=SuiteResult(
            suite_name=suite_name,
            circuit=circuit,
            model_name=model_name,
            score_rule=rule,
            item_numbers=tuple(described["item_numbers"]),
            predictions=(),
            membership=Membership(**member) if member else None,
            reported=Score(**reported) if reported else None,
            provenance=described["provenance"],
        ),
        model=ModelFacts(**described["model"]),
        suite=SuiteFacts(**described["suite"]),
        policy=described["policy"],
        settings=described["settings"],
        source=source,
        status=_STATUS_OF_ROW[status],  # type: ignore[arg-type]
        created=created,
    )


def item_rows(
    result: SuiteResult, prediction: PredictionResult
) -> Iterator[tuple[int, int, bool, float | None, int]]:
    """Yield (position, item number, holds, margin in bits, flags) of each item.

    Raises `StoreError` for an item number that no column holds.
    """
    too_large = next((each for each in result.item_numbers if abs(each) > _LARGEST), None)
    if too_large is not None:
        raise StoreError(
            f"{result.suite_name}: the item number {too_large} is too large to be kept; number "
            f"the items from 1"
        )
    flags = (
        _TIE * prediction.tie.astype(np.uint8)
        + _UNDEFINED * (~prediction.defined).astype(np.uint8)
        + _UNSCORED * prediction.unscored.astype(np.uint8)
        + _OOV * prediction.oov.astype(np.uint8)
        + _SKIPPED * prediction.skipped.astype(np.uint8)
    )
    columns = (
        result.item_numbers,
        prediction.holds.tolist(),
        prediction.margin_bits.tolist(),
        flags.tolist(),
    )
    # SQLite takes NaN for NULL, too.
    for position, (number, holds, margin, flag) in enumerate(zip(*columns, strict=True)):
        yield position, number, holds, margin, flag


def prediction_of(
    prediction_id: int, formula: str, description: str, items: ItemRows
) -> PredictionResult:
    """Return the prediction that rows describe."""

    def has(flag: int) -> NDArray[np.bool_]:
        return (items.flags & flag) > 0

    return PredictionResult(
        prediction_id=prediction_id,
        formula=formula,
        description=description,
        holds=items.holds,
        margin_bits=items.margin_bits,
        tie=has(_TIE),
        defined=~has(_UNDEFINED),
        unscored=has(_UNSCORED),
        oov=has(_OOV),
        skipped=has(_SKIPPED),
    )


def storable(text: str) -> str:
    """Return a text as a column can hold it: a file's name may have bytes that are no UTF-8."""
    return text if is_encodable(text) else text.encode("utf-8", "backslashreplace").decode()


def without_scoring_choices(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance of surprisals: that of a result without what was chosen to score it."""
    return {key: value for key, value in provenance.items() if key not in {"score_rule", "oov"}}


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
