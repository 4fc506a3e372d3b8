"""Records of runs as rows of the store's tables, and back, without loss."""

import json
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
