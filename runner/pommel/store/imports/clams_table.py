"""Accuracies of Mueller et al. (2020) as a table: a row a language and model.

The columns `lang` and `model`, then a construction each. `table` says which table of the paper a
row is from: of the first, `mono` and `multi` are LSTMs of one language and of all five. A suite is
a construction in a language (`fr-simple`), and the construction is its group.
"""

from collections.abc import Sequence
from pathlib import Path

from pommel.errors import Fault
from pommel.scoring.run_record import ModelFacts, SuiteFacts
from pommel.statistics import CHANCE
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    Result,
    ResultFormat,
)
from pommel.store.imports.result_tables import (
    ResultTable,
    hashes,
    head_rows,
    raise_faults,
    read_table,
)
from pommel.store.imports.share_matrix import ShareCell, SharesSeen, most_decimals, share_cells
from pommel.store.imports.shares import Counts, reported_result
from pommel.store.imports.table_columns import found_columns

_REQUIRED = ("lang", "model")
_OTHERS = ("table", *_REQUIRED)
# What the paper has computed from the other columns, and pommel computes again.
_AVERAGES = "published_average"
_NAMES = {"mono": "LSTM mono", "multi": "LSTM multi"}


def read_clams_table(paths: Sequence[Path], options: ImportOptions) -> Imported:
    """Read tables of shares, which are means over the five seeds of a model.

    Raises `FaultyFileError` with all cells that are no shares.
    """
    faults: list[Fault] = []
    tables = [read_table(path, faults) for path in paths]
    seen = SharesSeen()
    results = [result for each in tables for result in _results(each, seen, faults)]
    raise_faults(faults)
    steps = [
        f"left out the column {_AVERAGES}, which follows from the others"
        for each in tables
        if _AVERAGES in each.header
    ][:1]
    source = options.source or "clams"
    files = hashes(tables)
    origin = Origin(source=source, format=CLAMS_TABLE.name, files=files, steps=tuple(steps))
    return Imported(records=origin.records(results), notes=tuple(steps))


def _results(table: ResultTable, seen: SharesSeen, faults: list[Fault]) -> list[Result]:
    columns = found_columns(table, {name: (name,) for name in _REQUIRED}, _REQUIRED, faults)
    if len(columns) < len(_REQUIRED):
        return []

    def said(cell: ShareCell) -> tuple[str, str]:
        language, model = (cell.row.fields[columns[name]].strip() for name in _REQUIRED)
        return language, _NAMES.get(model, model)

    for row in table.rows:
        for name in _REQUIRED:
            if not row.fields[columns[name]].strip():
                message = f"this row has no {name}"
                faults.append(table.fault(row, columns[name], message, "write one"))
    cells = share_cells(table, (*_OTHERS, _AVERAGES), faults)
    # The sets of sentences are of different sizes, and no table has them.
    counts = Counts(None, {}, most_decimals(cells))
    known = [
        (cell, model, f"{lang}-{cell.column}") for cell in cells for lang, model in [said(cell)]
    ]
    return [
        (
            reported_result(said(cell)[1], f"{said(cell)[0]}-{cell.column}", score),
            ModelFacts(),
            SuiteFacts(language=said(cell)[0], group=cell.column, chance=CHANCE),
        )
        for cell, score in seen.scored(known, counts, faults)
    ]


def _is_like(head: str, _: ImportOptions) -> bool:
    header = head_rows(head)[0]
    return header[:2] == _REQUIRED or header[:3] == _OTHERS


CLAMS_TABLE = ResultFormat(
    name="clams",
    title="accuracies of Mueller et al. (2020)",
    is_like=_is_like,
    read=read_clams_table,
)
