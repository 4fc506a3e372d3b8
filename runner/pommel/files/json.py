"""JSON text that can say where each of its values stands, and be written again without loss.

Python's `json` reads; what it throws away is kept here: how a number was written, that a key
came twice, and (on demand, since it is slow) the line and column of every value.
"""

import json
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from json.encoder import encode_basestring, encode_basestring_ascii
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from pommel.errors import Fault, InputError, SuiteError
from pommel.files.text import DecodedText, is_encodable
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd

# The keys and indexes that lead to a value.
JsonPath = tuple[str | int, ...]

# Far more than any suite needs, and far less than what exhausts Python's stack.
MAX_DEPTH = 100

# Python refuses to convert longer whole numbers, since that takes quadratic time.
_MAX_DIGITS = 4300
# How many values a text may have (commas and brackets are counted, also in texts). Suites that are
# read have fewer, however large; with their places these take two gigabytes.
_MOST_VALUES = 8_000_000


def _refused(constant: str) -> NoReturn:
    raise InputError(f"{constant} is not JSON; write null")


_STRICT = json.JSONDecoder(parse_constant=_refused)


def parse_json(
    text: str | bytes,
    *,
    where: str = "",
    first_line: int | None = 1,
    decoder: json.JSONDecoder = _STRICT,
) -> Any:
    """Return the value of JSON that a stranger has written; bytes are UTF-8.

    Raises `InputError`, whatever is wrong: beside the syntax also NaN and infinities, which JSON
    lacks, whole numbers of more than 4,300 digits, which Python makes none of, nesting that is too
    deep for it, and more than 8,000,000 values. The message begins with `where`, if that is said,
    and the line if it is known; where the text is but one, `first_line` is None.
    `json.JSONDecoder()` takes NaN and infinities, too, which are usual in files that Python has
    written.
    """
    # The decoder says of syntax alone where it is wrong.
    is_one_line = "\n" not in text if isinstance(text, str) else b"\n" not in text
    n_before = 0 if is_one_line else None
    try:
        _check_size(text)
        return decoder.decode(text if isinstance(text, str) else text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        n_before = error.lineno - 1
        what = f"this is not JSON: {error.msg} (column {error.colno})"
    except UnicodeDecodeError as error:
        n_before = error.object.count(b"\n", 0, error.start)
        what = f"the byte {error.start} is not UTF-8"
    except RecursionError:
        what = "this JSON is nested too deep"
    except ValueError:
        what = f"a whole number has more than {_MAX_DIGITS:,} digits"
    except InputError as error:
        what = str(error)
    line = ""
    if first_line is not None and n_before is not None:
        line = f":{first_line + n_before}"
    raise InputError(f"{where}{line}: {what}" if where else what)


def _check_size(text: str | bytes) -> None:
    """Raise `InputError` for a text of more values than are read."""
    # A text cannot have more than characters; most have fewer.
    if len(text) <= _MOST_VALUES:
        return
    n_marks = (
        sum(map(text.count, ",[{"))
        if isinstance(text, str)
        else sum(map(text.count, (b",", b"[", b"{")))
    )
    if n_marks > _MOST_VALUES:
        raise InputError(f"has more than {_MOST_VALUES:,} values, the most that is read; divide it")


class WrittenFloat(float):
    """A float that remembers its digits, so that 1.50 is not written back as 1.5."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number

    @classmethod
    def of(cls, value: object) -> object:
        """Return a float as JSON can hold it: None for NaN; what is no float stays as it is.

        JSON has no infinity (the surprisal of a word of probability 0), and readers take 1e999 for
        one.
        """
        if not isinstance(value, float) or math.isfinite(value):
            return value
        return None if math.isnan(value) else cls("1e999" if value > 0 else "-1e999")

    @classmethod
    def of_rows(cls, frame: "pd.DataFrame") -> list[dict[str, object]]:
        """Return a table's rows as JSON can hold them; a missing value is None."""
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return [{str(key): cls.of(value) for key, value in row.items()} for row in rows]


@frozen(slots=False)
class JsonDocument:
    """A parsed file: its name (for messages), its text and how that began, its value."""

    file: str
    decoded: DecodedText
    value: Any
    has_duplicate_keys: bool = False
    # Nothing in the text is lost in the value, but for how it is laid out.
    is_plain: bool = False

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a JSON file; raises `SuiteError` with the place where it stops being JSON."""
        return cls.parse(DecodedText.read(path), file=str(path))

    @classmethod
    def parse(
        cls, text: str | DecodedText, *, file: str, expected: str = "a suite is a JSON object { }"
    ) -> Self:
        """Parse JSON text; `file` is its name in messages, `expected` what to say of an empty one.

        Raises `SuiteError`.
        """
        decoded = DecodedText.of(text) if isinstance(text, str) else text
        n_lost = 0
        try:
            _check_size(decoded.text)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None
        if (plain := _plain_value(decoded.text)) is not None:
            return cls(file=file, decoded=decoded, value=plain, is_plain=True)

        def collect(pairs: list[tuple[str, object]]) -> dict[str, object]:
            nonlocal n_lost
            result = dict(pairs)
            n_lost += len(pairs) - len(result)
            return result

        try:
            value = json.loads(
                decoded.text,
                parse_float=WrittenFloat,
                parse_int=_whole_number,
                parse_constant=WrittenFloat,
                object_pairs_hook=collect,
            )
        except json.JSONDecodeError as error:
            raise SuiteError([_syntax_fault(file, error, expected)]) from None
        except RecursionError:
            raise _too_deep(file) from None
        if _is_too_deep(value):
            raise _too_deep(file)
        return cls(file=file, decoded=decoded, value=value, has_duplicate_keys=n_lost > 0)

    @staticmethod
    def encoded(value: object) -> bytes:
        """Return a value's JSON on one line, at once; raises `TypeError` and `ValueError`.

        Floats that JSON has no word for are null, but for those that were written.
        """
        import msgspec

        def written(number: WrittenFloat) -> msgspec.Raw:
            return msgspec.Raw(number.text.encode())

        return msgspec.json.encode(value, enc_hook=written)

    @cached_property
    def _map(self) -> "PositionMap":
        return PositionMap(self.decoded.text)

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
        line, column = self._map.line_and_column(self._map.offset(path, within))
        return Fault(
            file=self.file,
            line=line,
            column=column,
            path=path_text(path),
            message=message,
            hint=hint,
            severity="warning" if warning else "error",
        )

    def surrogate_faults(self) -> list[Fault]:
        """Return a fault for each text with half of a surrogate pair, which no file can hold."""
        if "\\ud" not in self.decoded.text and "\\uD" not in self.decoded.text:
            return []
        hint = "write the character itself"
        message = "this holds half of a character (a lone surrogate)"
        return [self.fault(path, message, hint=hint) for path in _unencodable(self.value, ())]

    def duplicate_key_faults(self) -> list[Fault]:
        """Return a fault for every key that an object has twice; JSON would keep the last."""
        faults = []
        for path, offset in self._map.duplicates if self.has_duplicate_keys else ():
            message = f"the key {path[-1]!r} stands here for the second time"
            line, column = self._map.line_and_column(offset)
            fault = self.fault(path, message, hint="remove one of the two")
            faults.append(replace(fault, line=line, column=column))
        return faults


def to_json(value: object, *, indent: int | None = 4) -> str:
    """Write a value as JSON with a final newline; a `WrittenFloat` comes out as it was read.

    Without an indent it is one line, as of `json.dumps`.
    """
    return (_write(value, "", "") if indent is None else _write(value, "\n", " " * indent)) + "\n"


def json_chunks(
    value: Mapping[str, Any], name: str, members: Iterable[Any], *, line_height: int = 3
) -> Iterator[str]:
    """Yield, piece by piece, the JSON of an object whose key `name` has a list of `members`.

    The key stands where the object has it, or else last; the list, which may be long, is never in
    memory. In it, an object stands on one line if so many containers stand in one another in it: by
    3, a condition with its regions is a line of the file, by 1 a region is.
    """
    keys = [*value]
    place = keys.index(name) if name in value else len(keys)
    head, tail = ({each: value[each] for each in own} for own in (keys[:place], keys[place + 1 :]))
    indent, inner = " ", "\n  "
    start = _write(head, "\n", indent).removesuffix("\n}") + "," if head else "{"
    yield f"{start}\n{indent}{_key(name)}: ["
    separator, end = "", "]"
    for each in members:
        yield f"{separator}{inner}{_write(each, inner, indent, line_height=line_height)}"
        separator, end = ",", f"\n{indent}]"
    rest = "," + _write(tail, "\n", indent).removeprefix("{") if tail else "\n}"
    yield f"{end}{rest}\n"


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


def _write(value: object, newline: str, indent: str, *, line_height: int = 0) -> str:
    """Write a value whose closing bracket stands behind `newline`; "" is for all in one line."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, WrittenFloat):
        return value.text
    if type(value) is int:
        return str(value)
    inner = newline + indent
    if isinstance(value, dict) and value:
        if newline and line_height and _height(value) <= line_height:
            newline = inner = indent = ""
        pairs = (
            f"{_key(key)}: {_write(each, inner, indent, line_height=line_height)}"
            for key, each in value.items()
        )
        return "{" + inner + f",{inner or ' '}".join(pairs) + newline + "}"
    if isinstance(value, list | tuple) and value:
        parts = (_write(each, inner, indent, line_height=line_height) for each in value)
        return "[" + inner + f",{inner or ' '}".join(parts) + newline + "]"
    return json.dumps(value)


def _height(value: object) -> int:
    """Return how many containers stand in one another at most."""
    if isinstance(value, dict):
        return 1 + max(map(_height, value.values()), default=0)
    return 1 + max(map(_height, value), default=0) if isinstance(value, list | tuple) else 0


def _key(key: object) -> str:
    # Not every key of a Python dict is text; JSON knows no other.
    return _string(key if isinstance(key, str) else json.dumps(key))


def _string(text: str) -> str:
    # Half of a surrogate pair has no UTF-8, and stays the escape that it was read from.
    return (encode_basestring if is_encodable(text) else encode_basestring_ascii)(text)


def _unencodable(value: object, path: JsonPath) -> Iterator[JsonPath]:
    if isinstance(value, str) and not is_encodable(value):
        yield path
    elif isinstance(value, dict):
        for key, each in value.items():
            if not is_encodable(key):
                yield path
            yield from _unencodable(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _unencodable(each, (*path, index))


def _plain_value(text: str) -> Any:
    """Return the value of a text that is nothing but this value, laid out in some way.

    It is None where a key stands twice, or where a number or a character is written in another way
    than the shortest (`-0`, `\\u00e9`): written again, it shows. So it is for what is no JSON, and
    where more brackets than are read may be in one another.
    """
    import msgspec

    raw = text.encode(errors="surrogatepass")
    try:
        value = msgspec.json.Decoder(float_hook=WrittenFloat).decode(raw)
        laid_out = msgspec.json.format(raw, indent=1)
        again = JsonDocument.encoded(value)
    except (ValueError, RecursionError):
        return None
    # A space for each bracket around it stands before a value.
    is_deep = b"\n" + b" " * MAX_DEPTH in laid_out
    return None if is_deep or msgspec.json.format(again, indent=1) != laid_out else value


def _whole_number(digits: str) -> int | WrittenFloat:
    # Neither "-0" nor a number of thousands of digits would come back as it was written.
    return WrittenFloat(digits) if digits == "-0" or len(digits) > _MAX_DIGITS else int(digits)


def _is_too_deep(value: object) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        level = [
            child
            for each in level
            for child in (each.values() if isinstance(each, dict) else each)
            if isinstance(child, dict | list)
        ]
    return bool(level)


def _too_deep(file: str) -> SuiteError:
    message = "the file is nested too deeply to be read"
    hint = f"no more than {MAX_DEPTH} levels of brackets are read"
    return SuiteError([Fault(file=file, message=message, hint=hint)])


def _syntax_fault(file: str, error: json.JSONDecodeError, expected: str) -> Fault:
    position, message, hint = _description(error, expected)
    return Fault(
        file=file,
        line=error.doc.count("\n", 0, position) + 1,
        column=position - error.doc.rfind("\n", 0, position),
        message=f"this is not JSON: {message}",
        hint=hint,
    )


@dataclass(slots=True)
class _Place:
    """Where a value begins; for an object or a list, also where each of its values does."""

    offset: int
    parts: dict[str | int, "_Place"] = field(default_factory=dict)


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
        # One regular expression over all of it: a file may be megabytes long.
        self._pieces = self._PIECE.finditer(text)
        self._root = self._read(next(self._pieces), ())

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of a character, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, path: JsonPath, within: int | None = None) -> int:
        """Return where the value (or its nearest ancestor that exists) begins."""
        place = self._root
        for step in path:
            if step not in place.parts:
                return place.offset
            place = place.parts[step]
        if within is None or self._text[place.offset] != '"':
            return place.offset
        offset = place.offset + 1
        for _ in range(within):
            match = self._CHARACTER.match(self._text, offset)
            offset = match.end() if match else offset
        return offset

    def _read(self, first: re.Match[str], path: JsonPath) -> _Place:
        """Read the value whose first piece is given."""
        place = _Place(first.start())
        is_object = first[0] == "{"
        if not is_object and first[0] != "[":
            return place
        for piece in self._pieces:
            if piece[0] in ("}", "]"):
                break
            key = json.loads(piece[0]) if is_object else len(place.parts)
            below = (*path, key)
            if key in place.parts:
                self.duplicates.append((below, piece.start()))
            value = next(self._pieces) if is_object else piece
            place.parts[key] = self._read(value, below)
        return place


# How Python's parser begins its messages (its versions end them differently), and what we say.
_SAID = {
    "Expecting ',' delimiter": ("a comma is missing", "write , before this"),
    "Expecting ':' delimiter": ("a colon is missing", "write : between a key and its value"),
    "Expecting property name": ("a key is missing", 'keys stand in straight double quotes ""'),
    "Expecting value": ("a value is missing", 'text stands in straight double quotes ""'),
    "Extra data": ("the document has ended before this", "remove it, or a bracket too many"),
    "Invalid control character": (
        "a text has a line break or a tab in it",
        'write " where it ends, \\n for a line break, \\t for a tab',
    ),
    "Unterminated string": ("this text is never closed", 'write " where it ends'),
    "Invalid \\": ("a backslash stands before the wrong character", "write \\\\ for a backslash"),
}

# A string that is never closed is one piece, too: it is not looked at again from every quote in it.
_BRACKET_OR_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_TRAILING_COMMA = re.compile(r",\s*[\]}]")


def _description(error: json.JSONDecodeError, expected: str) -> tuple[int, str, str]:
    """Return where a text stops being JSON, what is wrong there, and what would be right.

    `expected` is what would be right where there is nothing.
    """
    text, position = error.doc, error.pos
    end = len(text.rstrip())
    if not end:
        return 0, "the file is empty", expected
    # Some versions of Python stop at the comma, others behind it.
    comma = max(text.rfind(",", 0, position + 1), 0)
    is_near = not text[comma + 1 : position].strip() and "control" not in error.msg
    if is_near and _TRAILING_COMMA.match(text, comma):
        return comma, "there is a comma behind the last element", "remove it"
    opened = _never_closed(text)
    if position >= end and opened is not None:
        line = text.count("\n", 0, opened) + 1
        return end, "the file ends too early", f"the {text[opened]} in line {line} is never closed"
    for beginning, (message, hint) in _SAID.items():
        if error.msg.startswith(beginning):
            return position, message, hint
    return position, error.msg, ""


def _never_closed(text: str) -> int | None:
    """Return the place of the last bracket that has no partner; None if all have one."""
    pending: list[int] = []
    for match in _BRACKET_OR_STRING.finditer(text):
        if match[0] in ("{", "["):
            pending.append(match.start())
        elif match[0] in ("}", "]") and pending:
            pending.pop()
    return pending[-1] if pending else None
