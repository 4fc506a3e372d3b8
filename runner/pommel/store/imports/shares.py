"""Shares that were published without their items, as results."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import Fault, UsageError, counted, nearest, quoted
from pommel.files import CsvRow
from pommel.scoring import ModelFacts, Score, SuiteFacts, SuiteResult
from pommel.statistics import CHANCE
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    Result,
    ResultFormat,
    ResultTable,
    hashes,
    head_rows,
    is_missing,
    number_of,
    parameters_of,
    raise_faults,
    read_table,
    source_of,
)
from pommel.suite import PublishedSuite


@dataclass(frozen=True, slots=True)
class Counts:
    """Of how many items shares are: `n_items`, or for some models another number; None: unknown.

    `n_decimals` is how many decimals the most exact share has.
    """

    n_items: int | None
    n_items_of: Mapping[str, int]
    n_decimals: int

    @classmethod
    def of(cls, options: ImportOptions, n_decimals: int, *, usual: int | None = None) -> "Counts":
        """Return what the options say; `usual` is the number where they say nothing."""
        n_items = usual if options.n_items is None else options.n_items
        return cls(n_items, options.n_items_of, n_decimals)

    def score(self, model: str, share: float) -> Score:
        """Return a share with its counts.

        Raises `ValueError` with what is wrong where no count, or more than one, gives this share
        when it is rounded to `n_decimals`.
        """
        n_items = self.n_items_of.get(model, self.n_items)
        if n_items is None:
            return Score(label="", n_holding=0, n_items=0, reported_share=share)
        n_holding = round(share * n_items)
        # Half of the last decimal, and what floats are off by.
        most = 0.5 * 10.0**-self.n_decimals + 1e-9
        if abs(n_holding / n_items - share) > most:
            raise ValueError(f"no number of {n_items:,} items is a share of {share:g}")
        if 1 / n_items <= most:
            raise ValueError(
                f"a share with {self.n_decimals} decimals does not tell {n_holding:,} of "
                f"{n_items:,} items from {n_holding + 1:,}"
            )
        return Score(label="", n_holding=n_holding, n_items=n_items, reported_share=share)


def decimals_of(text: str) -> int:
    """Return how many decimals a number is written with; an exponent moves the point."""
    digits, _, exponent = text.strip().lower().partition("e")
    _, _, decimals = digits.partition(".")
    return max(len(decimals) - int(exponent or 0), 0)


def reported_result(model: str, suite: str, score: Score, *, circuit: str = "") -> SuiteResult:
    """Return a result of which nothing but the share is known."""
    return SuiteResult(
        suite_name=suite,
        circuit=circuit,
        model_name=model,
        score_rule="all",
        item_numbers=(),
        predictions=(),
        reported=score,
    )


def share_fault(value: float | None) -> tuple[str, str] | None:
    """Return what is wrong with a share, and what to do; None if it is one."""
    if value is None:
        return "is no number", "write a share such as 0.87, and nothing where there is none"
    if not 0 <= value <= 1:
        hint = "write 87% as 0.87" if 1 < value <= 100 else "a share is between 0 and 1"  # noqa: PLR2004 - percent
        return "is no share", hint
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareCell:
    """A share, and where it stands; `column` is the name of its column."""

    table: ResultTable
    row: CsvRow
    index: int
    column: str
    text: str
    value: float

    def fault(self, message: str, hint: str) -> Fault:
        """Return what is wrong with the cell."""
        return self.table.fault(self.row, self.index, message, hint)


def share_cells(
    table: ResultTable, others: Collection[str], faults: list[Fault]
) -> list[ShareCell]:
    """Return the shares of a table, row by row, without empty cells; `others` are no shares.

    What is no share is added to `faults`, and so is a column without a name.
    """
    found = []
    columns = [(index, name) for index, name in enumerate(table.header) if name not in others]
    for index, name in columns:
        if not name:
            head = table.table.rows[0]
            faults.append(table.fault(head, index, "this column has no name", "name the suite"))
    for row in table.rows:
        for index, name in columns:
            text = row.fields[index].strip()
            if is_missing(text):
                continue
            value = number_of(text)
            if wrong := share_fault(value):
                faults.append(table.fault(row, index, f"{quoted(text)} {wrong[0]}", wrong[1]))
            elif value is not None:
                cell = ShareCell(
                    table=table, row=row, index=index, column=name, text=text, value=value
                )
                found.append(cell)
    return found


class SharesSeen:
    """Which model has a share on which suite, in whichever file."""

    def __init__(self) -> None:
        self._cells: dict[tuple[str, str], ShareCell] = {}

    def scored(
        self,
        cells: Iterable[tuple[ShareCell, str, str]],
        counts: Counts,
        faults: list[Fault],
    ) -> Iterator[tuple[ShareCell, Score]]:
        """Yield cells with their scores; each comes with its model and suite.

        A share that is none of so many items, and a second one of a model on a suite, are added to
        `faults`.
        """
        for cell, model, suite in cells:
            first = self._cells.setdefault((model, suite), cell)
            if first is not cell:
                where = f"{first.table.path.name}, line {first.row.line}"
                message = f"{model} has a share on {suite} in {where} already"
                faults.append(cell.fault(message, "keep one of the two"))
                continue
            try:
                yield cell, counts.score(model, cell.value)
            except ValueError as error:
                hint = f"say with --items {model}=N how many items {model} was given"
                faults.append(cell.fault(str(error), hint))


def most_decimals(cells: Iterable[ShareCell]) -> int:
    """Return how many decimals the most exact share has."""
    return max((decimals_of(cell.text) for cell in cells), default=0)


def check_models(n_items_of: Mapping[str, int], names: Collection[str]) -> None:
    """Raise `UsageError` where a number of items is given for a model that there is not."""
    for model in n_items_of:
        if model not in names:
            meant = nearest(model, names)
            hint = f"; did you mean {meant}?" if meant else ""
            raise UsageError(f"--items {model}: there is no such model{hint}")


# Accuracies of models on suites as a matrix: a row a model, a column a suite.
#
# `model` is the first column; one that is called `params` or `n_parameters` has the number of
# parameters. A suite whose name begins with a language (`basque-…`) is in that language.
# Shares are taken for those of minimal pairs, half of which are right by chance.

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
                language=options.language or PublishedSuite(cell.column).language,
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
