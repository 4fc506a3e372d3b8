"""Where the values of a JSON text stand in it: made when a file has faults, since it takes time."""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass

# The keys and indexes that lead to a value.
JsonPath = tuple[str | int, ...]


@dataclass(slots=True)
class _Place:
    """Where a value begins; for an object or a list, also where each of its values does."""

    offset: int
    parts: dict[str | int, "_Place"] | None = None


@dataclass(slots=True)
class _Open:
    """An object or a list whose end has not been read."""

    parts: dict[str | int, _Place]
    is_object: bool
    key: str | None = None  # of the value to come
    at: str | int = 0  # the key or index of the latest value


class PositionMap:
    """Where every value of a JSON text begins. The text has been parsed before: it is JSON."""

    _PIECE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s{}\[\]",:]+')
    _CHARACTER = re.compile(
        r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.",
        re.DOTALL,
    )

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.duplicates: list[tuple[JsonPath, int]] = []
        self._root = self._read()

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of a character, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, path: JsonPath, within: int | None = None) -> int:
        """Return where the value (or its nearest ancestor that exists) begins."""
        place = self._root
        for step in path:
            if not place.parts or step not in place.parts:
                return place.offset
            place = place.parts[step]
        if within is None or self._text[place.offset] != '"':
            return place.offset
        offset = place.offset + 1
        for _ in range(within):
            match = self._CHARACTER.match(self._text, offset)
            offset = match.end() if match else offset
        return offset

    def _read(self) -> _Place:
        # One loop over one regular expression: a file may be megabytes long.
        top = _Open({}, is_object=False)
        pending = [top]
        for match in self._PIECE.finditer(self._text):
            piece = match[0]
            current = pending[-1]
            if piece in ("}", "]"):
                pending.pop()
            elif current.is_object and current.key is None:
                current.key = json.loads(piece) if "\\" in piece else piece[1:-1]
                if current.key in current.parts:
                    above = (each.at for each in pending[1:-1])
                    self.duplicates.append(((*above, current.key), match.start()))
            else:
                place = _Place(match.start())
                current.at = len(current.parts) if current.key is None else current.key
                current.parts[current.at] = place
                current.key = None
                if piece in ("{", "["):
                    place.parts = {}
                    pending.append(_Open(place.parts, is_object=piece == "{"))
        return top.parts[0]
