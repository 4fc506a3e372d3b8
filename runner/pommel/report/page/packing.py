"""Rows as columns: small, and written into a page so that no text can end its script early."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

# Behind the point; more say nothing about a surprisal.
_DIGITS = 6

Row = Mapping[str, Any]


def packed(rows: Sequence[Row]) -> dict[str, Any]:
    """Return rows that share their keys as columns.

    A column of texts is a list of those that occur, and for each row the place in that list:
    {"texts": ["a", "b"], "at": [0, 0, 1]}; any other is {"values": [...]}. `report.js` makes rows
    of them again. Numbers are rounded to 6 digits.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    return {"n": len(rows), "columns": columns}


def plain_number(value: float | None) -> float | str | None:
    """Return a number as JSON has it: None where it is missing, infinity as a text."""
    if value is None or math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def json_for_script(value: Any) -> str:
    """Return JSON for a script element, in which no text can end the element.

    Raises `ValueError` for NaN and infinity, which JSON does not have.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # "<" stands in texts only, where its escape means the same.
    return text.replace("<", "\\u003c")


def _column(values: list[Any]) -> dict[str, Any]:
    if not all(isinstance(value, str) for value in values):
        return {"values": [_rounded(value) for value in values]}
    places = {text: place for place, text in enumerate(dict.fromkeys(values))}
    return {"texts": list(places), "at": [places[text] for text in values]}


def _rounded(value: Any) -> Any:
    return round(value, _DIGITS) if isinstance(value, float) else value
