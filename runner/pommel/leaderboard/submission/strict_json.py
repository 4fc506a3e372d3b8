"""JSON of strangers: what two readers could take for different values is refused."""

import json
import math
from typing import Any, NoReturn

from pommel.files.text import is_encodable
from pommel.leaderboard.submission.errors import SubmissionError, brief

# More digits than any whole number has that is counted here.
_MOST_DIGITS = 18
# The results of 10,000 predictions have fewer. Empty ones take twenty times their size in memory.
_MOST_PARTS = 100_000


class _RefusedError(Exception):
    """Something that is JSON for some, and is not taken."""


def parse_strict(raw: bytes, where: str) -> Any:
    """Return the value of JSON in UTF-8.

    Raises `SubmissionError`, beginning with `where`, for what is not; for NaN and infinities,
    numbers that no float holds, whole numbers of more than 18 digits, an object with a key twice,
    nesting that is too deep to be read, and for more than 100,000 lists and objects (brackets in
    texts count).
    """
    if raw.count(b"[") + raw.count(b"{") > _MOST_PARTS:
        raise SubmissionError(f"{where}: has more than {_MOST_PARTS:,} lists and objects")
    try:
        return _DECODER.decode(raw.decode())
    except UnicodeDecodeError as error:
        raise SubmissionError(f"{where}: the byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        message = f"{where}: this is not JSON: {error.msg} (column {error.colno})"
        raise SubmissionError(message) from None
    except RecursionError:
        raise SubmissionError(f"{where}: this JSON is nested too deep") from None
    except _RefusedError as error:
        raise SubmissionError(f"{where}: {error}") from None


def check_nesting(value: Any, where: str, *, most: int) -> None:
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


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else [value]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _RefusedError(f"the key {brief(twice)!r} is there twice")
    return value


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _RefusedError(f"the number {brief(digits)} is too large")
    return value


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise _RefusedError(f"a whole number has {len(digits):,} digits")
    return int(digits)


def _constant(name: str) -> NoReturn:
    raise _RefusedError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_number, parse_int=_whole, parse_constant=_constant
)
