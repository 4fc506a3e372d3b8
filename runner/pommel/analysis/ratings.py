"""Ratings of sentences by people, which a user gives beside the results: a row a rating.

How acceptable somebody finds a sentence, on any scale; higher is better. What ratings come to on a
suite has the shape of a model's scores.
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from pommel.analysis.cells import grouped
from pommel.analysis.given_tables import is_number
from pommel.errors import Fault, FaultyFileError, UsageError, listed, nearest, quoted
from pommel.files import CsvRow, CsvTable, TableReading
from pommel.statistics import Spread
from pommel.values import frozen

# In standard deviations of all that a participant has said, or as they are.
RatingScale = Literal["z", "raw"]

# What columns are called: as here, or as in pommel's own tables of sentences.
_NAMES = {
    "suite": ("suite",),
    "item": ("item_number", "item"),
    "condition": ("condition_name", "condition"),
    "rating": ("rating",),
    "participant": ("participant",),
}
_OPTIONAL = ("suite", "participant")
# A column of whole numbers with an empty field comes out of pandas as 1.0, 2.0.
_ITEM = re.compile(r"-?[0-9]{1,15}(?:\.0+)?")
# Squares of what is larger may have no number.
_MOST = 1e9
# Means that are the same but for rounding are equal.
_DIGITS = 9


@frozen
class RatedSuite:
    """The sentences of a suite that may be rated: its items by number, its conditions by name.

    One of first items (not `is_whole`), which is called like the whole, lacks some that people may
    have seen.
    """

    name: str
    items: tuple[int, ...]
    conditions: tuple[str, ...]
    is_whole: bool = True

    def without(self, rows: "Sequence[Rating]") -> "list[Rating]":
        """Return the ratings of sentences that it does not have."""
        items, conditions = {*self.items}, {*self.conditions}
        return [row for row in rows if row.item not in items or row.condition not in conditions]


@frozen
class Rating:
    """One rating of a sentence: a condition of an item. What the table does not say is ""."""

    suite: str
    item: int
    condition: str
    rating: float
    participant: str
    row: CsvRow


@frozen(eq=False)
class Ratings:
    """The ratings of a table; `name` is what those who gave them are called in tables.

    `columns` are the names of the table's columns by what they are, `head` is its header.
    """

    DEFAULT_NAME: ClassVar = "human"

    name: str
    file: str
    columns: Mapping[str, str]
    head: CsvRow
    rows: tuple[Rating, ...]

    @classmethod
    def read(cls, told: str) -> "Ratings":
        """Read the table of "FILE" or "NAME=FILE": CSV of any separator, TSV or a workbook.

        It has the columns item, condition and rating, and maybe suite and participant; others are
        passed over, and so are rows with an empty rating. Raises `UsageError` without a name or a
        file, `InputError` for a file that cannot be read, `FaultyFileError` with all faults.
        """
        name, path = TableReading.named(told)
        if path == told:
            name = cls.DEFAULT_NAME
        if not (name.strip() and path):
            raise UsageError(f"--ratings {told}: write FILE or NAME=FILE")
        table = TableReading().table(Path(path))
        header = table.header.fields if table.header else ()
        columns = {
            what: next((each for each in names if each in header), names[-1])
            for what, names in _NAMES.items()
        }
        faults: list[Fault] = []
        rows = tuple(_ratings(table, columns, faults))
        if table.header and not (rows or faults):
            faults.append(table.header.place(0).fault("there is no rating", "write some"))
        if faults or not table.header:
            raise FaultyFileError(Fault.in_order(faults))
        return cls(name=name.strip(), file=path, columns=columns, head=table.header, rows=rows)

    def standardised(self) -> "Ratings":
        """Return the ratings less the mean of their participant's, in standard deviations (n - 1).

        All that a participant has rated in the table counts, other suites too. Ratings that are all
        alike are 0. Without participants all ratings are those of one.
        """
        found: dict[str, Spread] = {
            participant: Spread.of(row.rating for row in own)
            for participant, own in grouped(self.rows, lambda row: row.participant).items()
        }
        return replace(
            self,
            rows=tuple(
                replace(row, rating=_z(row.rating, found[row.participant])) for row in self.rows
            ),
        )

    def by_participant(self) -> "list[Ratings]":
        """Return the ratings of each participant by itself; none where the table names none."""
        own = grouped((row for row in self.rows if row.participant), lambda row: row.participant)
        return [replace(self, rows=tuple(rows)) for rows in own.values()]

    def on(self, suites: Sequence[RatedSuite]) -> "list[Ratings]":
        """Return the ratings of each of these suites.

        A table without suites is about the only one that there is. Ratings of items that a suite of
        first items does not have are left out. Raises `FaultyFileError` for a table none of whose
        suites is among them, and for items and conditions that there are not.
        """
        by_name = self._by_suite({each.name: None for each in suites})
        faults: list[Fault] = []
        found = []
        for suite in suites:
            rows = by_name.get(suite.name, [])
            others = suite.without(rows)
            faults += [fault for row in others for fault in self._place_faults(row, suite)]
            beyond = {*map(id, others)}
            found.append(replace(self, rows=tuple(row for row in rows if id(row) not in beyond)))
        if faults:
            raise FaultyFileError(Fault.in_order(faults[: CsvTable.MOST_FAULTS]))
        return found

    def _by_suite(self, names: Collection[str]) -> dict[str, list[Rating]]:
        if self.columns["suite"] in self.head.fields:
            found = grouped(self.rows, lambda row: row.suite)
            if not found.keys() & {*names}:
                faults = [self._suite_fault(rows[0], names) for rows in found.values()]
                raise FaultyFileError(faults[: CsvTable.MOST_FAULTS])
            return found
        if len(names) > 1:
            message = f"the column 'suite' is missing, and there are {listed([*names])}"
            hint = "add it, or choose one of them with --suite"
            raise FaultyFileError([self.head.place(0).fault(message, hint)])
        return {name: [*self.rows] for name in names}

    def scores(self, suite: RatedSuite) -> NDArray[np.float64]:
        """Return the mean rating of each sentence, (n_items, n_conditions); NaN where it has none.

        Means are rounded, so that those of the same ratings are equal in whichever order they come.
        """
        items = {number: index for index, number in enumerate(suite.items)}
        conditions = {name: index for index, name in enumerate(suite.conditions)}
        found = np.full((len(items), len(conditions)), math.nan)
        for (item, condition), rows in grouped(
            self.rows, lambda row: (items[row.item], conditions[row.condition])
        ).items():
            mean = math.fsum(row.rating for row in rows) / len(rows)
            found[item, condition] = round(mean, _DIGITS)
        return found

    def _suite_fault(self, row: Rating, names: Collection[str]) -> Fault:
        meant = nearest(row.suite, names)
        hint = f"did you mean {meant!r}?" if meant else f"there are runs on {listed([*names])}"
        message = f"no run that counts is on the suite {quoted(row.suite)}"
        return row.row.fault(self.columns["suite"], message, hint)

    def _place_faults(self, row: Rating, suite: RatedSuite) -> Iterator[Fault]:
        """Yield what is wrong with where a rating belongs in its suite."""
        if row.item not in suite.items and suite.is_whole:
            message = f"{suite.name} has no item {row.item}"
            hint = f"write the number of one, from {min(suite.items)} to {max(suite.items)}"
            yield row.row.fault(self.columns["item"], message, hint)
        if row.condition not in suite.conditions:
            meant = nearest(row.condition, suite.conditions)
            there = listed(suite.conditions)
            hint = f"did you mean {meant!r}?" if meant else f"there are {there}"
            message = f"{suite.name} has no condition {quoted(row.condition)}"
            yield row.row.fault(self.columns["condition"], message, hint)


def _ratings(table: CsvTable, columns: Mapping[str, str], faults: list[Fault]) -> Iterator[Rating]:
    """Yield the ratings of rows that are sound; what is wrong with others is added to `faults`."""
    required = [column for what, column in columns.items() if what not in _OPTIONAL]
    for row in table.records(required, faults, others_allowed=True):
        own = {
            what: CsvTable.text_of_cell(row[each]).strip()
            for what, each in columns.items()
            if each in row.names
        }
        wrong = [row.fault(columns[what], *said) for what, *said in _faults(own)]
        faults += wrong
        if len(faults) >= CsvTable.MOST_FAULTS:
            return
        if own["rating"] and not wrong:
            yield Rating(
                suite=own.get("suite", ""),
                item=int(float(own["item"])),
                condition=own["condition"],
                rating=float(own["rating"]),
                participant=own.get("participant", ""),
                row=row,
            )


def _faults(own: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with a row: where, what, and what to do."""
    for what in _NAMES:
        if what in own and not own[what] and what != "rating":
            yield what, f"the {what} is missing", "write it"
    if own["item"] and not _ITEM.fullmatch(own["item"]):
        yield "item", f"{quoted(own['item'])} is no number of an item", "write one like 7"
    if own["rating"] and not is_number(own["rating"]):
        hint = "write one like 3.5, and nothing where there is none"
        yield "rating", f"{quoted(own['rating'])} is no number", hint
    elif own["rating"] and abs(float(own["rating"])) > _MOST:
        hint = "write one of the scale that people had"
        yield "rating", f"{quoted(own['rating'])} is more than any scale has", hint


def _z(rating: float, of_participant: Spread) -> float:
    return (rating - of_participant.mean) / of_participant.sd if of_participant.sd > 0 else 0.0
