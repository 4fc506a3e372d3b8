"""Columns to a pandas frame: the one place where tables get their types."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pommel.files.csv import CsvTable
from pommel.files.json import WrittenFloat, to_json

if TYPE_CHECKING:
    import pandas as pd

# A count that some row lacks would turn the whole column into floats: 24 into 24.0.
_WHOLE = (
    "n_items",
    "n_holding",
    "n_ties",
    "n_undefined",
    "n_swallowed",
    "n_unscored",
    "n_oov",
    "n_skipped",
    "region_number",
    "word_number",
)
# Likewise a truth value that some row lacks: True into an object.
_TRUTHS = ("result",)
_TYPES = {**dict.fromkeys(_WHOLE, "Int64"), **dict.fromkeys(_TRUTHS, "boolean")}


def frame_of(columns: Mapping[str, Sequence[Any]]) -> "pd.DataFrame":
    """Return a frame with these columns, in this order.

    Counts are whole numbers, or missing; results are True, False, or missing.
    """
    import pandas as pd

    frame = pd.DataFrame(dict(columns))
    return frame.astype({name: kind for name, kind in _TYPES.items() if name in columns})


def stacked(frames: Sequence["pd.DataFrame"]) -> "pd.DataFrame":
    """Return the rows of frames that have the same columns, below one another."""
    import pandas as pd

    # A frame without rows has columns without types, which would spread to the others.
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled or frames[:1], ignore_index=True)


def frame_of_rows(rows: Iterable[Any], columns: Sequence[str] | type) -> "pd.DataFrame":
    """Return a frame with one row each; a value that a row lacks is missing.

    Rows are mappings with `columns` as their names; or instances of a dataclass, which is given as
    `columns`: its fields are there even where no row is.
    """
    if isinstance(columns, type):
        names = [each.name for each in fields(columns)]
        rows = [{name: getattr(row, name) for name in names} for row in rows]
        return frame_of_rows(rows, names)
    listed = list(rows)
    return frame_of({name: [row.get(name) for row in listed] for name in columns})


def frame_text(frame: "pd.DataFrame", form: str, *, raw: bool = False) -> str:
    """Return a tidy table as "csv", "tsv" or "json": records, as `WrittenFloat.of_rows` has them.

    Quotes stand where they are needed, lines end in a line feed, a missing value is nothing. Texts
    of CSV and TSV may be opened in a spreadsheet (`CsvTable.spreadsheet_cell`), unless `raw`.
    """
    if form == "json":
        return to_json(WrittenFloat.of_rows(frame), indent=2)
    separator = "\t" if form == "tsv" else ","
    if not raw:
        frame = frame.rename(columns=_cell)
        for name in frame.select_dtypes(["object", "string", "category"]):
            frame[name] = frame[name].map(_cell)
    return frame.to_csv(index=False, sep=separator, lineterminator="\n")


def _cell(value: object) -> object:
    return CsvTable.spreadsheet_cell(value) if isinstance(value, str) else value
