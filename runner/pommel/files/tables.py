"""Columns to a pandas frame: the one place where tables get their types."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# A count that some row lacks would turn the whole column into floats: 24 into 24.0.
_WHOLE = (
    "n_items",
    "n_holding",
    "n_ties",
    "n_undefined",
    "n_unscored",
    "n_oov",
    "n_skipped",
    "region_number",
)
# Likewise a truth value that some row lacks: True into an object.
_TRUTHS = ("result",)
_TYPES = {**dict.fromkeys(_WHOLE, "Int64"), **dict.fromkeys(_TRUTHS, "boolean")}


def frame_of(columns: Mapping[str, Sequence[Any]]) -> "pd.DataFrame":
    """Return a frame with these columns, in this order.

    Counts are whole numbers, or missing; results are True, False, or missing.
    """
    import pandas as pd  # noqa: PLC0415 - `import pommel` stays fast without it

    frame = pd.DataFrame(dict(columns))
    return frame.astype({name: kind for name, kind in _TYPES.items() if name in columns})


def stacked(frames: Sequence["pd.DataFrame"]) -> "pd.DataFrame":
    """Return the rows of frames that have the same columns, below one another."""
    import pandas as pd  # noqa: PLC0415 - `import pommel` stays fast without it

    # A frame without rows has columns without types, which would spread to the others.
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled or frames[:1], ignore_index=True)


def frame_of_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> "pd.DataFrame":
    """Return a frame with one row each; a value that a row lacks is missing."""
    return frame_of({name: [row.get(name) for row in rows] for name in columns})


def frame_of_instances(kind: type, instances: Iterable[Any]) -> "pd.DataFrame":
    """Return a frame with one row an instance of a dataclass, and a column for each of its fields.

    `kind` is the dataclass: without instances there are columns all the same.
    """
    names = [field.name for field in fields(kind)]
    rows = [{name: getattr(each, name) for name in names} for each in instances]
    return frame_of_rows(rows, names)
