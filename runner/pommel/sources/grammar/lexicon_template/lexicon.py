"""The lexicons of a template, put together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import Fault
from pommel.files.text import DecodedText
from pommel.sources.grammar.lexicon_file import Row, read_lexicon_file, repeated
from pommel.sources.grammar.lexicon_template.tree import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """The rows of all files, in the order of the template; columns in the order of the files.

    `files` is what was read, by the names that the template has for it.
    """

    files: Mapping[str, DecodedText]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> str:
        """What messages call it: the names of its files."""
        return " and ".join(Path(each).name for each in self.files)


def read_lexicons(files: Sequence[Literal], folder: Path) -> tuple[Lexicon, list[Fault]]:
    """Return the rows of some files, and what is wrong with them.

    `files` are their names as a template in `folder` has them.
    """
    faults: list[Fault] = []
    rows: list[Row] = []
    read: dict[str, DecodedText] = {}
    for each in files:
        found, more = read_lexicon_file(each.text, each.place, folder=folder)
        faults += more
        if found:
            rows += found.rows
            read[each.text] = found.read
    faults += _repetitions(rows)
    columns = dict.fromkeys(column for row in rows for column in row.columns)
    return Lexicon(files=read, columns=tuple(columns), rows=tuple(rows)), faults


def _repetitions(rows: Sequence[Row]) -> Iterator[Fault]:
    for row, before in repeated(rows, lambda each: frozenset(each.cells.items())):
        where = f"line {before.written.line}"
        if before.file != row.file:
            where += f" of {Path(before.file).name}"
        what = f"this row is the same as {where}"
        yield row.place().fault(what, "remove it; its items would come twice")
