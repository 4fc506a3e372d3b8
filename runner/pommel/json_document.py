"""JSON text that can say where each of its values stands, and be written again without loss.

Python's `json` reads; what it throws away is kept here: how a number was written, that a key
came twice, and (on demand, since it is slow) the line and column of every value.
"""

import contextlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from pommel.errors import Fault, InputError, SuiteError

JsonPath = tuple[str | int, ...]


class WrittenFloat(float):
    """A float that remembers its digits, so that 1.50 is not written back as 1.5."""

    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number


@dataclass(frozen=True, kw_only=True)
class JsonDocument:
    """A parsed file: its name (for messages), its text, its value, and how it began."""

    file: str
    text: str
    value: Any
    has_bom: bool = False
    duplicate_keys: tuple[str, ...] = ()

    @cached_property
    def _map(self) -> "_PositionMap":
        return _PositionMap(self.text)

    def fault(
        self,
        path: JsonPath,
        message: str,
        *,
        hint: str = "",
        warning: bool = False,
        within: int | None = None,
    ) -> Fault:
        """Return a fault at the value under `path`, or at its key where it has none.

        `within` is the index of a character of the string that stands there.
        """
        offset = self._map.offset(path, within)
        line, column = line_and_column(self.text, offset)
        return Fault(
            file=self.file,
            line=line,
            column=column,
            path=path_text(path),
            message=message,
            hint=hint,
            severity="warning" if warning else "error",
        )

    def duplicate_key_faults(self) -> list[Fault]:
        """Return a fault for every key that an object has twice; JSON would keep the last."""
        if not self.duplicate_keys:
            return []
        faults = []
        for path, offset in self._map.duplicates:
            line, column = line_and_column(self.text, offset)
            message = f"the key {path[-1]!r} stands here for the second time"
            place = path_text(path)
            hint = "remove one of the two"
            faults.append(
                Fault(
                    file=self.file, line=line, column=column, path=place, message=message, hint=hint
                )
            )
        return faults


def read_text(path: Path) -> tuple[str, bool]:
    """Return the text of a UTF-8 file, and whether it began with a byte order mark.

    Raises `InputError` for a file that cannot be read, `SuiteError` with line and column for bytes
    that are not UTF-8.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    has_bom = raw.startswith(b"\xef\xbb\xbf")
    try:
        return raw.decode("utf-8-sig"), has_bom
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line_start = before.rfind(b"\n") + 1
        fault = Fault(
            file=str(path),
            line=before.count(b"\n") + 1,
            column=len(before[line_start:].decode("utf-8", "replace")) + 1,
            path="",
            message=f"the byte 0x{raw[error.start]:02x} is not UTF-8",
            hint="save the file with the encoding UTF-8",
        )
        raise SuiteError([fault]) from None


def read_document(path: Path) -> JsonDocument:
    """Read a JSON file; raises `SuiteError` with the place where it stops being JSON."""
    text, has_bom = read_text(path)
    return parse_document(text, file=str(path), has_bom=has_bom)


def parse_document(text: str, *, file: str, has_bom: bool = False) -> JsonDocument:
    """Parse JSON text; `file` is its name in messages. Raises `SuiteError`."""
    duplicates: list[str] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            keys = [key for key, _ in pairs]
            duplicates.extend({key for key in keys if keys.count(key) > 1})
        return result

    try:
        value = json.loads(
            text,
            parse_float=WrittenFloat,
            parse_constant=WrittenFloat,
            object_pairs_hook=collect,
        )
    except json.JSONDecodeError as error:
        raise SuiteError([_syntax_fault(file, error)]) from None
    except RecursionError:
        fault = Fault(
            file=file, line=0, column=0, path="", message="the file is nested too deeply to be read"
        )
        raise SuiteError([fault]) from None
    return JsonDocument(
        file=file, text=text, value=value, has_bom=has_bom, duplicate_keys=tuple(duplicates)
    )


def _syntax_fault(file: str, error: json.JSONDecodeError) -> Fault:
    message = error.msg[:1].lower() + error.msg[1:]
    hint = ""
    if not error.doc.strip():
        message, hint = "the file is empty", "a suite is a JSON object"
    return Fault(
        file=file,
        line=error.lineno,
        column=error.colno,
        path="",
        message=f"this is not JSON: {message}",
        hint=hint,
    )


def to_json(value: Any, *, indent: int = 4) -> str:
    """Write a value as JSON with a final newline; a `WrittenFloat` comes out as it was read."""
    return _write(value, "\n", " " * indent) + "\n"


def _write(value: Any, newline: str, indent: str) -> str:
    inner = newline + indent
    if isinstance(value, WrittenFloat):
        return value.text
    if isinstance(value, dict) and value:
        pairs = (f"{_string(key)}: {_write(each, inner, indent)}" for key, each in value.items())
        return "{" + inner + f",{inner}".join(pairs) + newline + "}"
    if isinstance(value, list | tuple) and value:
        parts = (_write(each, inner, indent) for each in value)
        return "[" + inner + f",{inner}".join(parts) + newline + "]"
    return json.dumps(value, ensure_ascii=False)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return the line and the column of a character, both counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def path_text(path: JsonPath) -> str:
    """Write a path as `items[3].conditions[0]`; keys that are no words in brackets and quotes."""
    parts = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", step):
            parts.append(f".{step}")
        else:
            parts.append(f"[{_string(step)}]")
    return "".join(parts).removeprefix(".")


class _PositionMap:
    """Where every value of a JSON text begins. The text has been parsed before: it is JSON."""

    _SPACE = re.compile(r"[ \t\n\r]*")
    _SCALAR = re.compile(r"[^\s,\]}]+")
    _STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
    _CHARACTER = re.compile(
        r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.",
        re.DOTALL,
    )

    def __init__(self, text: str) -> None:
        self._text = text
        self._offsets: dict[JsonPath, int] = {}
        self.duplicates: list[tuple[JsonPath, int]] = []
        # A file nested so deeply keeps the places that were found: a fault then names an ancestor.
        with contextlib.suppress(RecursionError):
            self._scan(self._skip(0), ())

    def offset(self, path: JsonPath, within: int | None = None) -> int:
        """Return where the value (or its nearest ancestor that exists) begins."""
        while path and path not in self._offsets:
            path, within = path[:-1], None
        offset = self._offsets.get(path, 0)
        if within is None or self._text[offset : offset + 1] != '"':
            return offset
        offset += 1
        for _ in range(within):
            match = self._CHARACTER.match(self._text, offset)
            offset = match.end() if match else offset
        return offset

    def _skip(self, offset: int) -> int:
        match = self._SPACE.match(self._text, offset)
        return match.end() if match else offset

    def _string_end(self, offset: int) -> int:
        match = self._STRING.match(self._text, offset)
        return match.end() if match else offset + 1

    def _scan(self, offset: int, path: JsonPath) -> int:
        """Note the value at `offset` and all within it; return the offset behind it."""
        self._offsets[path] = offset
        match self._text[offset]:
            case "{":
                return self._scan_members(offset, path)
            case "[":
                return self._scan_elements(offset, path)
            case '"':
                return self._string_end(offset)
            case _:
                match = self._SCALAR.match(self._text, offset)
                return match.end() if match else offset + 1

    def _scan_members(self, offset: int, path: JsonPath) -> int:
        offset = self._skip(offset + 1)
        seen: set[str] = set()
        while self._text[offset] != "}":
            key_offset = offset
            offset = self._string_end(key_offset)
            key = json.loads(self._text[key_offset:offset], strict=False)
            if key in seen:
                self.duplicates.append(((*path, key), key_offset))
            seen.add(key)
            offset = self._skip(self._skip(offset) + 1)
            offset = self._skip(self._scan(offset, (*path, key)))
            offset = self._skip(offset + 1) if self._text[offset] == "," else offset
        return offset + 1

    def _scan_elements(self, offset: int, path: JsonPath) -> int:
        offset = self._skip(offset + 1)
        index = 0
        while self._text[offset] != "]":
            offset = self._skip(self._scan(offset, (*path, index)))
            offset = self._skip(offset + 1) if self._text[offset] == "," else offset
            index += 1
        return offset + 1
