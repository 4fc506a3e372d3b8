"""The lines of a grammar as NLTK finds them: without comments, with those that are continued."""

from collections.abc import Iterator
from dataclasses import dataclass

from pommel.errors import Place

# A piece of a line: where it begins in the line's text, and its line and column in the file.
_Piece = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalLine:
    """A line, or several that backslashes make one; white space around each is taken away.

    `is_open` says that it ends in a backslash, and the file with it.
    """

    text: str
    file: str
    pieces: tuple[_Piece, ...]
    is_open: bool = False

    def place(self, offset: int) -> Place:
        """Return where a character of the text stands in the file."""
        begin, line, column = next(each for each in reversed(self.pieces) if each[0] <= offset)
        return Place(file=self.file, line=line, column=column + offset - begin)


def logical_lines(text: str, file: str) -> Iterator[LogicalLine]:
    """Yield the lines of a grammar's text that are neither empty nor comments."""
    pending, pieces = "", list[_Piece]()
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not pieces and (not line or line.startswith("#")):
            continue
        pieces.append((len(pending), number, raw.index(line) + 1))
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1].rstrip() + " "
            continue
        yield LogicalLine(text=pending, file=file, pieces=tuple(pieces))
        pending, pieces = "", []
    if pieces:
        yield LogicalLine(text=pending, file=file, pieces=tuple(pieces), is_open=True)
