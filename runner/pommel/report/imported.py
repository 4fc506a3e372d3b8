"""What came in with others' results, as a table: a row a model."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pommel.analysis import grouped, plain_table
from pommel.files import frame_of_rows
from pommel.scoring import RunRecord

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

_COLUMNS = ("source", "model_name", "family", "size_family", "n_parameters", "n_suites", "n_items")


class ImportedModels(NamedTuple):
    """The models whose results have come in, as tables."""

    records: Sequence[RunRecord]

    def frame(self) -> "pd.DataFrame":
        """Return one row a source and model: its families and size, on how many suites and items.

        The number of items is missing where it is not known of each suite; skipped items are
        counted.
        """
        frame = frame_of_rows(self._rows(), _COLUMNS)
        return frame.astype(dict.fromkeys(("n_parameters", "n_items"), "Int64"))

    def _rows(self) -> list[dict[str, str | int | None]]:
        models = grouped(self.records, lambda each: (each.source, each.result.model_name))
        rows: list[dict[str, str | int | None]] = []
        for (source, model), own in models.items():
            member = own[0].result.membership
            numbers = [record.result.n_items for record in own]
            rows.append(
                {
                    "source": source,
                    "model_name": model,
                    "family": member.family if member else None,
                    "size_family": own[0].model.size_family or None,
                    "n_parameters": own[0].model.n_parameters,
                    "n_suites": len(own),
                    "n_items": sum(numbers) if all(numbers) else None,
                }
            )
        return rows

    def table(self) -> "Table":
        """Return the same for people; a dash stands for what is not known."""
        rows = (
            [
                *(str(row[name] or "") for name in ("model_name", "family", "size_family")),
                *(f"{row[name]:,}" if row[name] else "-" for name in _COLUMNS[4:]),
            ]
            for row in self._rows()
        )
        columns = ["model", "family", "size family", "parameters", "suites", "items"]
        return plain_table(names=columns[:3], numbers=columns[3:], rows=rows)
