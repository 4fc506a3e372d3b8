"""Tables of shares, a column a suite: what they say, cell by cell."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pommel.errors import Fault, UsageError, nearest, quoted
from pommel.files.csv import CsvRow
from pommel.scoring.results import Score
from pommel.store.imports.result_tables import ResultTable, is_missing, number_of
from pommel.store.imports.shares import Counts, decimals_of, share_fault


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
