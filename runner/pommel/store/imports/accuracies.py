"""Accuracies of models on suites as a matrix: a row a model, a column a suite.

`model` is the first column; one that is called `params` or `n_parameters` has the number of
parameters. A suite whose name begins with a language (`basque-…`) is in that language.
Shares are taken for those of minimal pairs, half of which are right by chance.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from pommel.errors import Fault, counted, quoted
from pommel.scoring.run_record import ModelFacts, SuiteFacts
from pommel.statistics import CHANCE
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    Result,
    ResultFormat,
    source_of,
)
from pommel.store.imports.result_tables import (
    ResultTable,
    hashes,
    head_rows,
    is_missing,
    number_of,
    parameters_of,
    raise_faults,
    read_table,
)
from pommel.store.imports.share_matrix import SharesSeen, check_models, most_decimals, share_cells
from pommel.store.imports.shares import Counts, reported_result
from pommel.suite.languages import language_of

_MODEL_COLUMNS = ("model", "model_name")
_SIZE_COLUMNS = ("params", "n_params", "parameters", "n_parameters")
_FEWEST_COLUMNS = 2


def read_accuracies(paths: Sequence[Path], options: ImportOptions) -> Imported:
    """Read matrices of shares; models that stand in several files have more suites.

    `options.n_items` and `n_items_of` say of how many items the shares are. Raises
    `FaultyFileError` with all cells that are no shares, or none of so many items, and with models
    that stand in two rows; `UsageError` for a model of `n_items_of` that there is not, and for
    several files without a source.
    """
    faults: list[Fault] = []
    tables = [read_table(path, faults) for path in paths]
    seen = SharesSeen()
    results = [result for each in tables for result in _results(each, options, seen, faults)]
    raise_faults(faults)
    names = dict.fromkeys(result.model_name for result, _, _ in results)
    check_models(options.n_items_of, names)
    origin = Origin(source=source_of(options, paths), format=ACCURACIES.name, files=hashes(tables))
    return Imported(records=origin.records(results), notes=tuple(_missing(results, names)))


def _results(
    table: ResultTable, options: ImportOptions, seen: SharesSeen, faults: list[Fault]
) -> list[Result]:
    if not table.header:
        return []
    if table.header[0] not in _MODEL_COLUMNS or len(table.header) < _FEWEST_COLUMNS:
        hint = "the first column is model, the others are suites"
        head = table.table.rows[0]
        faults.append(table.fault(head, 0, "the first column is not that of models", hint))
        return []
    sizes = next((name for name in _SIZE_COLUMNS if name in table.header), "")
    facts = _models(table, sizes, faults)
    cells = share_cells(table, (table.header[0], sizes) if sizes else table.header[:1], faults)
    counts = Counts.of(options, most_decimals(cells))
    known = [(cell, cell.row.fields[0].strip(), cell.column) for cell in cells]
    return [
        (
            reported_result(cell.row.fields[0].strip(), cell.column, score),
            facts[cell.row.line],
            SuiteFacts(
                language=options.language or language_of(cell.column),
                chance=CHANCE if options.chance is None else options.chance,
            ),
        )
        for cell, score in seen.scored(known, counts, faults)
    ]


def _models(table: ResultTable, sizes: str, faults: list[Fault]) -> dict[int, ModelFacts]:
    """Return what is known of the models, by the lines of their rows."""
    facts = {}
    for row in table.rows:
        facts[row.line] = ModelFacts()
        if not row.fields[0].strip():
            faults.append(table.fault(row, 0, "this row names no model", "write its name"))
        text = row.fields[table.header.index(sizes)] if sizes else ""
        if is_missing(text):
            continue
        if number := parameters_of(text):
            facts[row.line] = ModelFacts(n_parameters=number)
        else:
            message = f"{quoted(text)} is no number of parameters"
            hint = "write it in full, such as 560000000, and nothing where it is not known"
            faults.append(table.fault(row, table.header.index(sizes), message, hint))
    return facts


def _missing(results: Sequence[Result], names: Collection[str]) -> list[str]:
    suites = {result.suite_name for result, _, _ in results}
    notes = []
    for name in names:
        lacking = len(suites) - sum(result.model_name == name for result, _, _ in results)
        if lacking:
            notes.append(f"{name} has no share on {counted(lacking, 'suite')}")
    return notes


def _is_like(head: str, _: ImportOptions) -> bool:
    header, cells = head_rows(head)
    if len(header) < _FEWEST_COLUMNS or header[0] not in _MODEL_COLUMNS:
        return False
    # In a matrix there is nothing but numbers beside the models; those with a decimal comma, which
    # is a fault between tabs, are some, too.
    return len(cells) == len(header) and all(
        is_missing(cell) or number_of(cell.replace(",", ".")) is not None for cell in cells[1:]
    )


ACCURACIES = ResultFormat(
    name="accuracies",
    title="a matrix of accuracies, models by suites",
    is_like=_is_like,
    read=read_accuracies,
    takes=frozenset({"language", "n_items", "chance"}),
)
