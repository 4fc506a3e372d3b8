"""Claimed results in a submission: what every prediction came to in every item."""

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.leaderboard.submission.errors import SubmissionError
from pommel.leaderboard.submission.manifest import Manifest, SuiteEntry
from pommel.leaderboard.submission.strict_json import parse_strict
from pommel.scoring.results import PredictionResult, SuiteResult

_FLAGS = ("holds", "tie", "defined", "unscored", "oov", "skipped")
_KEYS = {"prediction_id", "formula", "margin_bits", *_FLAGS}
_INFINITE = {"Infinity": math.inf, "-Infinity": -math.inf}
_LARGEST = 2**53


def claims_bytes(result: SuiteResult) -> bytes:
    """Return the file of a suite's results; equal results have the same bytes."""
    document = {
        "item_numbers": list(result.item_numbers),
        "predictions": [_prediction_to_json(each) for each in result.predictions],
    }
    text = json.dumps(
        document, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return f"{text}\n".encode()


def read_claims(raw: bytes, manifest: Manifest, entry: SuiteEntry, where: str) -> SuiteResult:
    """Return a suite's results as they are claimed.

    Circuit and descriptions are the suite's, and not there. Raises `SubmissionError` for a file
    that `claims_bytes` does not write, and for scores in the manifest that do not follow from it.
    """
    document = parse_strict(raw, where)
    if not isinstance(document, dict) or set(document) != {"item_numbers", "predictions"}:
        raise SubmissionError(f"{where}: has to hold 'item_numbers' and 'predictions'")
    numbers, predictions = document["item_numbers"], document["predictions"]
    if not isinstance(predictions, list) or not _are_numbers(numbers):
        raise SubmissionError(f"{where}: 'item_numbers' are no whole numbers, or the rest no list")
    if len(numbers) != entry.n_items:
        raise SubmissionError(
            f"{where}: has {len(numbers)} items, and the manifest says {entry.n_items}"
        )
    result = SuiteResult(
        suite_name=entry.name,
        circuit="",
        model_name=manifest.submitter.name,
        score_rule=manifest.score_rule,
        item_numbers=tuple(numbers),
        predictions=tuple(_predictions(predictions, len(numbers), where)),
    )
    if result.scores != entry.scores:
        raise SubmissionError(
            f"{where}: the scores of {entry.name} in the manifest are not those of its predictions"
        )
    return result


def _prediction_to_json(prediction: PredictionResult) -> dict[str, Any]:
    flags = {name: getattr(prediction, name).tolist() for name in _FLAGS}
    margins = [_margin_to_json(each) for each in prediction.margin_bits.tolist()]
    known = {"prediction_id": prediction.prediction_id, "formula": prediction.formula}
    return {**known, **flags, "margin_bits": margins}


def _margin_to_json(bits: float) -> float | str | None:
    if math.isnan(bits):
        return None
    if math.isinf(bits):
        return "Infinity" if bits > 0 else "-Infinity"
    return bits


def _predictions(values: list[Any], n_items: int, where: str) -> Iterator[PredictionResult]:
    for index, value in enumerate(values):
        at = f"{where}: prediction {index}"
        if not isinstance(value, dict) or set(value) != _KEYS:
            raise SubmissionError(f"{at} has to hold {', '.join(sorted(_KEYS))}")
        number, formula = value["prediction_id"], value["formula"]
        if type(number) is not int or number != index or not isinstance(formula, str):
            raise SubmissionError(f"{at} has another number, or a formula that is no text")
        margins, flags = value["margin_bits"], {name: value[name] for name in _FLAGS}
        for name, column in {**flags, "margin_bits": margins}.items():
            if not isinstance(column, list) or len(column) != n_items:
                raise SubmissionError(f"{at} has not one '{name}' for each item")
        yield PredictionResult(
            prediction_id=index,
            formula=formula,
            description="",
            margin_bits=_margins(margins, at),
            **{name: _booleans(column, name, at) for name, column in flags.items()},
        )


def _booleans(column: list[Any], name: str, at: str) -> NDArray[np.bool_]:
    if not {*map(type, column)} <= {bool}:
        raise SubmissionError(f"{at} has a '{name}' that is neither true nor false")
    return np.array(column, dtype=np.bool_)


def _margins(column: list[Any], at: str) -> NDArray[np.float64]:
    bits = []
    for each in column:
        if isinstance(each, str) and each in _INFINITE:
            bits.append(_INFINITE[each])
        elif each is None:
            bits.append(math.nan)
        elif type(each) in {int, float}:
            bits.append(float(each))
        else:
            raise SubmissionError(f"{at} has a margin that is no number of bits")
    return np.array(bits, dtype=np.float64)


def _are_numbers(values: Any) -> bool:
    if not isinstance(values, list) or not {*map(type, values)} <= {int}:
        return False
    return all(abs(each) <= _LARGEST for each in values)
