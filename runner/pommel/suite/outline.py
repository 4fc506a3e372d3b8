"""What is left of a document once all that has the wrong shape is blanked out.

A file with a misspelt key may also have a formula that names an unknown condition; its author
wants to hear of both. So the checks of `suite_checks` run on this outline, in which every place is
where it was, and what cannot be relied on is None.
"""

from typing import Any

from pommel.suite.suite import Condition


def outline(document: Any) -> dict[str, Any]:
    """Return the parts of a suite's JSON that the checks look at, None for each unsound one."""
    top = document if isinstance(document, dict) else {}
    return {
        "region_meta": _region_meta(top.get("region_meta")),
        "predictions": [_prediction(each) for each in _list(top.get("predictions")) or []],
        "items": [_item(each) for each in _list(top.get("items")) or []],
    }


def _region_meta(value: Any) -> dict[str, str] | None:
    is_sound = isinstance(value, dict) and all(key.isascii() and key.isdigit() for key in value)
    return value if is_sound else None


def _prediction(value: Any) -> dict[str, Any]:
    return {"formula": _text(_get(value, "formula"))}


def _item(value: Any) -> dict[str, Any]:
    conditions = _list(_get(value, "conditions"))
    return {
        "item_number": _number(_get(value, "item_number")),
        "conditions": None if conditions is None else [_condition(each) for each in conditions],
    }


def _condition(value: Any) -> dict[str, Any]:
    regions = _list(_get(value, "regions"))
    return {
        "condition_name": _name(_get(value, "condition_name")),
        "regions": None if regions is None else [_region(each) for each in regions],
    }


def _region(value: Any) -> dict[str, Any]:
    return {
        "region_number": _number(_get(value, "region_number")),
        "content": _text(_get(value, "content")),
    }


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _list(value: Any) -> list[Any] | None:
    return value if isinstance(value, list) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) and not Condition.name_fault(value) else None


def _number(value: Any) -> int | None:
    is_whole = isinstance(value, int | float) and not isinstance(value, bool) and value % 1 == 0
    return int(value) if is_whole else None
