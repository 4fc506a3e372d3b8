"""What all questions have in common: their answers, and the cells and tables for people."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from pommel.values import frozen, positional

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table
    from rich.text import Text

    from pommel.statistics import Spread


_Thing = TypeVar("_Thing")
_Key = TypeVar("_Key")


def grouped(things: Iterable[_Thing], key: Callable[[_Thing], _Key]) -> dict[_Key, list[_Thing]]:
    """Return things by what they have in common, both in the order in which they come."""
    found: dict[_Key, list[_Thing]] = {}
    for thing in things:
        found.setdefault(key(thing), []).append(thing)
    return found


class Answer(ABC):
    """What a question to kept runs comes to: a table, and what a reader of it should know.

    Of several tables that there may be, the answer knows which one was asked for. `plot` is the
    name of the plot that shows it, "" for none.
    """

    __slots__ = ()

    plot: ClassVar[str] = ""

    @property
    def left_out(self) -> Mapping[str, Sequence[str]]:
        """What is left out, by the reason."""
        return {}

    @property
    def notes(self) -> Sequence[str]:
        """What else there is to be known, in plain words."""
        return ()

    @property
    def why_empty(self) -> str:
        """Why there is no row; "" where there is one."""
        return ""

    @abstractmethod
    def frame(self) -> "pd.DataFrame":
        """Return the table as a tidy one."""

    @abstractmethod
    def tables(self) -> "list[Table]":
        """Return the table for people, in several parts where that is easier to read."""


@positional
class Column:
    """A column, declared once: its name in tidy tables, the attribute of rows, and what it is.

    `of` is a path of attributes and keys ("wilson.low"), by default the name; where there is None
    on the way, the row has None. A column without `help` is explained with the one before it. In
    tables for people it stands under its `title`, if it has one, as `cell` writes a row's.
    """

    name: str
    of: str = ""
    help: str = ""
    title: str = ""
    cell: Callable[..., str] | None = None

    def value(self, row: object) -> object:
        """Return what a row has in it."""
        for name in (self.of or self.name).split("."):
            if row is not None:
                row = row[name] if isinstance(row, Mapping) else getattr(row, name)
        return row

    def text(self, row: object) -> str:
        """Return what stands in a row of a table for people; "" for None."""
        if self.cell:
            return self.cell(row)
        value = self.value(row)
        if isinstance(value, float):
            return number_cell(value)
        return "" if value is None else str(value)

    @staticmethod
    def frame(rows: Sequence[object], columns: "Sequence[Column]") -> "pd.DataFrame":
        """Return one row each, with these columns."""
        from pommel.files import frame_of

        return frame_of({each.name: [each.value(row) for row in rows] for each in columns})


def plain_table(
    title: str = "",
    *,
    names: Sequence[str] = (),
    numbers: Sequence[str] = (),
    rows: Iterable[Sequence[str]] = (),
    caption: str = "",
) -> "Table":
    """Return a table: columns of names, on the left, then of numbers, on the right."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    for name in names:
        table.add_column(name)
    for name in numbers:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    return table


def add_sections(
    table: "Table", rows: "Iterable[Sequence[str | Text]]", *, has_lines: bool = True
) -> None:
    """Add rows; those of one section stand behind each other, and its name in the first of them.

    A row begins with the name of its section. There is a line between sections if `has_lines`.
    """
    previous = None
    for section, *cells in rows:
        if has_lines and previous not in (None, section):
            table.add_section()
        table.add_row("" if section == previous else section, *cells)
        previous = section


_LEAST_P = 0.001


def number_cell(value: float, digits: int = 2, *, sign: str = "", missing: str = "-") -> str:
    """Return a number with so many digits, or what is `missing` (NaN); `sign` "+" is a gain's."""
    # z: what rounds to zero has no minus.
    return missing if math.isnan(value) else f"{value:{sign}z.{digits}f}"


def step_cell(step: float) -> str:
    """Return a step or another number of one's own as it is written, a dash for none (NaN)."""
    return "-" if math.isnan(step) else f"{step:.15g}"


def mean_sd_cell(mean: float, sd: float, digits: int = 2, *, sign: str = "") -> str:
    """Return "0.83 ± 0.05": a mean of scores, and their standard deviation or its own error."""
    return f"{number_cell(mean, digits, sign=sign)} ± {number_cell(sd, digits)}"


@frozen
class FamilyColumn:
    """The column of a family in a table of scores: mean ± standard deviation of `n` members."""

    family: str
    n: int

    @property
    def header(self) -> str:
        """What stands above it."""
        return f"{self.family} (mean ± sd, n = {self.n})"

    def cell(self, scores: "Spread") -> str:
        """Return mean ± standard deviation of scores, and of how many if not of all members."""
        if not scores.n:
            return "-"
        # Above the column stands how many there are; one that has failed has no score there.
        of = f" (n = {scores.n})" if scores.n < self.n else ""
        return f"{mean_sd_cell(scores.mean, scores.sd)}{of}"


def circuit_cell(circuit: str) -> str:
    """Return what stands for a circuit, or for none."""
    return circuit or "(none)"


class WithEnds(Protocol):
    """An interval, or what has one; NaN where there is none."""

    @property
    def low(self) -> float:
        """Where it begins."""
        ...

    @property
    def high(self) -> float:
        """Where it ends."""
        ...


# Models on the same suites have few shares.
@lru_cache(maxsize=4096)
def interval_cell(mean: float, interval: WithEnds, digits: int = 2, *, sign: str = "") -> str:
    """Return "0.83 [0.61, 0.94]", without an interval where there is none, a dash without a mean.

    `sign` "+" shows that of a difference.
    """
    shown = number_cell(mean, digits, sign=sign)
    if math.isnan(mean) or math.isnan(interval.low):
        return shown
    return f"{shown} {ends_cell(interval, digits, sign=sign)}"


def ends_cell(interval: WithEnds, digits: int = 2, *, sign: str = "") -> str:
    """Return "[0.61, 0.94]", a dash where there is no interval."""
    if math.isnan(interval.low):
        return "-"
    low, high = (number_cell(end, digits, sign=sign) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def p_cell(p: float, method: str = "") -> str:
    """Return a p with three digits, "< .001" below, nothing where there is no test.

    `method` says how it is found: ".083 exact".
    """
    if math.isnan(p):
        return ""
    shown = "< .001" if p < _LEAST_P else f"{p:.3f}".removeprefix("0")
    return f"{shown} {method}".rstrip()
