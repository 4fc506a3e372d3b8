"""What a submission may hold, and how one is refused: its limits, its errors, its JSON."""

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn

from pommel.errors import InputError, printable, quoted
from pommel.files import is_encodable, json_schema, parse_json
from pommel.values import frozen

MIB = 1 << 20


@frozen
class Limits:
    """How much a submission may hold.

    `n_archive_bytes` are those of the file, `n_file_bytes` those of one file in it, unpacked,
    `n_bytes` those of all; together they have at most `ratio` times the archive's bytes (and 1
    MiB). The manifest and the results of a suite are read as a whole, surprisals line by line:
    `n_line_bytes` bounds a sentence with its tokens. `surprisal_bits` is the largest surprisal of a
    token.
    """

    n_archive_bytes: int = 64 * MIB
    n_files: int = 2_001
    n_manifest_bytes: int = 4 * MIB
    n_results_bytes: int = 16 * MIB
    n_file_bytes: int = 128 * MIB
    n_bytes: int = 256 * MIB
    ratio: int = 100
    n_line_bytes: int = MIB
    n_sentences: int = 200_000
    n_tokens: int = 2_000_000
    surprisal_bits: float = 100_000.0


@dataclass(slots=True, kw_only=True)
class Counted:
    """How many sentences and tokens of a submission have been read so far."""

    limits: Limits
    n_sentences: int = 0
    n_tokens: int = 0

    def add(self, n_tokens: int, where: str) -> None:
        """Count a sentence; raises `SubmissionError` if it is one too many."""
        self.n_sentences += 1
        self.n_tokens += n_tokens
        if self.n_sentences > (most := self.limits.n_sentences):
            raise SubmissionError(f"{where}: the submission has more than {most:,} sentences")
        if self.n_tokens > (most := self.limits.n_tokens):
            raise SubmissionError(f"{where}: the submission has more than {most:,} tokens")


_LONGEST = 200


class SubmissionError(InputError):
    """A submission that is not taken; the message says which file it is, and why."""


def brief(text: object) -> str:
    """Return a stranger's text as a message can have it: one printable line, its beginning."""
    # What is cut off is not looked at: a text may have millions of characters.
    start = str(text)[: _LONGEST + 1]
    return f"{printable(start[:_LONGEST])}…" if len(start) > _LONGEST else printable(start)


def named(name: str) -> str:
    """Return the name of a file in quotation marks, its beginning if it is long."""
    return repr(name) if len(name) <= _LONGEST else f"{name[:_LONGEST]!r}…"


def shape_fault(value: object, schema: str, *, is_strict: bool = False) -> str:
    """Return the first thing that does not fit a JSON Schema, and where; "" if nothing is.

    To JSON Schema, 7.0 is a whole number; to one that `is_strict` it is none.
    """
    # Imported here: jsonschema takes longer to import than pommel does.
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    validator = Draft202012Validator
    if is_strict:
        types = validator.TYPE_CHECKER.redefine("integer", lambda _, each: type(each) is int)
        validator = extend(validator, type_checker=types)  # type: ignore[no-untyped-call]
    # The first fault only: a list of a million wrong things has a million.
    fault = next(validator(json_schema(schema)).iter_errors(value), None)
    if fault is None:
        return ""
    message = str(fault.message)
    if fault.validator in {"maxItems", "maxProperties"}:
        # The message would have them all: a list, or an object.
        n_there = len(fault.instance)
        message = f"{n_there:,} are more than the {fault.validator_value:,} that are taken"
    elif isinstance(fault.instance, str):
        # Of a long text, only its beginning.
        message = message.replace(repr(fault.instance), quoted(fault.instance))
    place = brief(fault.json_path.removeprefix("$").removeprefix("."))
    return f"{brief(message)}{f' (at {place})' if place else ''}"


# More digits than any whole number has that is counted here.
_MOST_DIGITS = 18
# The results of 10,000 predictions have fewer. Empty ones take twenty times their size in memory.
_MOST_PARTS = 100_000


def canonical_line(value: object) -> bytes:
    """Return a value as JSON of one line in UTF-8; equal values have the same bytes."""
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return f"{text}\n".encode()


def parse_strict(raw: bytes, where: str) -> Any:
    """Return the value of JSON in UTF-8.

    Raises `SubmissionError`, beginning with `where`, for what is not; for NaN and infinities,
    numbers that no float holds, whole numbers of more than 18 digits, an object with a key twice,
    nesting that is too deep to be read, and for more than 100,000 lists and objects, or keys
    (brackets and colons in texts count).
    """
    if raw.count(b"[") + raw.count(b"{") > _MOST_PARTS:
        raise SubmissionError(f"{where}: has more than {_MOST_PARTS:,} lists and objects")
    if raw.count(b":") > _MOST_PARTS:
        raise SubmissionError(f"{where}: has more than {_MOST_PARTS:,} keys")
    try:
        return parse_json(raw, where=where, first_line=None, decoder=_DECODER)
    except InputError as error:
        raise SubmissionError(str(error)) from None


def check_nesting(value: object, where: str, *, most: int) -> None:
    """Raise `SubmissionError` for a value of more levels, or with text that has no UTF-8."""
    level = [value]
    for _ in range(most + 1):
        parts = [part for each in level for part in _parts(each)]
        if not all(is_encodable(text) for text in parts if isinstance(text, str)):
            raise SubmissionError(f"{where}: has half of a surrogate pair, which is no text")
        level = [part for part in parts if isinstance(part, dict | list)]
        if not level:
            return
    raise SubmissionError(f"{where}: this JSON is nested too deep; {most} levels are read")


def _parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else [value]


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"the key {brief(twice)!r} is there twice")
    return value


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise InputError(f"the number {brief(digits)} is too large")
    return value


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise InputError(f"a whole number has {len(digits):,} digits")
    return int(digits)


def _constant(name: str) -> NoReturn:
    raise InputError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_number, parse_int=_whole, parse_constant=_constant
)
