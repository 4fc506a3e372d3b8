"""The table of `get_surprisals`: `sentence_id token_id token surprisal`, read literally.

A token is what stands in its column: `NA`, `null`, `"`, `007`, a blank. Nothing is quoted,
converted or missing.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pommel.errors import InputError, SurprisalError
from pommel.surprisal import ROUNDING_BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedToken:
    """A token as a model prints it; `line` is its line in the table, from 1.

    `oov` is what the model's `unkify` says, None where nobody asked it.
    """

    text: str
    surprisal_bits: float
    line: int
    oov: bool | None = None


_HEADER = ["sentence_id", "token_id", "token", "surprisal"]
_N_TABS = 3
# The numeric columns hold no white space; what is left between them is the token.
_BY_BLANKS = re.compile(r"[ \t]*(\S+)[ \t]+(\S+)[ \t]+(.*?)[ \t]+(\S+)[ \t]*")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def parse_surprisal_table(text: str, *, where: str) -> tuple[tuple[PrintedToken, ...], ...]:
    """Return the tokens of each sentence; sentence k of the table is at index k - 1.

    Raises `InputError` for a line that is no row and for ids that do not count 1, 2, 3, and
    `SurprisalError` for a surprisal that is no finite number from 0 up; each with `where:line`.
    """
    # Only a line feed ends a line: a token may be any other separator that Unicode knows.
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[0].split() != _HEADER:
        raise InputError(f"{where}:1: the first line has to be {' '.join(_HEADER)}")
    sentences: list[list[PrintedToken]] = []
    for number, line in enumerate(lines[1:], start=2):
        if line:
            at = f"{where}:{number}"
            sentence_id, token_id, token = _row(line, at, number)
            _put(sentences, sentence_id, token_id, token, at)
    return tuple(map(tuple, sentences))


def _row(line: str, at: str, number: int) -> tuple[int, int, PrintedToken]:
    columns = list(_columns(line))
    if len(columns) != len(_HEADER):
        raise InputError(
            f"{at}: {line!r} has {len(line.split())} columns; a row is {' '.join(_HEADER)}"
        )
    sentence_id, token_id, token, surprisal = columns
    ids = (_id(sentence_id, "sentence_id", at), _id(token_id, "token_id", at))
    bits = _bits(surprisal.strip(), token, at)
    return *ids, PrintedToken(text=token, surprisal_bits=bits, line=number)


def _columns(line: str) -> Iterator[str]:
    if line.count("\t") == _N_TABS:
        yield from line.split("\t")
    elif row := _BY_BLANKS.fullmatch(line):
        yield from row.groups()


def _id(text: str, column: str, at: str) -> int:
    text = text.strip()
    if not (text.isascii() and text.isdigit()):
        raise InputError(f"{at}: the {column} {text!r} is not a whole number")
    return int(text)


def _bits(text: str, token: str, at: str) -> float:
    if not _NUMBER.fullmatch(text):
        name = text.strip("+-").casefold()
        problem = "is not finite" if name in {"inf", "infinity"} else "is not a number"
        hint = ", with a decimal point" if "," in text else ""
        raise SurprisalError(
            f"{at}: the surprisal {text!r} of {token!r} {problem}; write it in bits{hint}"
        )
    bits = float(text)
    if not math.isfinite(bits):
        raise SurprisalError(f"{at}: the surprisal {text!r} of {token!r} is not finite")
    if bits < -ROUNDING_BITS:
        raise SurprisalError(
            f"{at}: the surprisal {text} of {token!r} is negative; a surprisal is -log2 p, "
            "not a log-probability"
        )
    return bits + 0.0  # images print -0.000000


def _put(
    sentences: list[list[PrintedToken]],
    sentence_id: int,
    token_id: int,
    token: PrintedToken,
    at: str,
) -> None:
    if sentence_id == len(sentences) + 1:
        sentences.append([])
    elif sentence_id != len(sentences) or not sentences:
        raise InputError(
            f"{at}: sentence_id {sentence_id} comes after {len(sentences)}; "
            "sentences are numbered 1, 2, 3 and so on, in this order"
        )
    if token_id != len(sentences[-1]) + 1:
        raise InputError(
            f"{at}: token_id {token_id} comes after {len(sentences[-1])} in sentence "
            f"{sentence_id}; tokens are numbered 1, 2, 3 and so on, in this order"
        )
    sentences[-1].append(token)


def with_oovs(
    sentences: tuple[tuple[PrintedToken, ...], ...], masks: list[list[bool]]
) -> tuple[tuple[PrintedToken, ...], ...]:
    """Return the sentences with what `unkify` said of each token; the shapes are the same."""
    return tuple(
        tuple(replace(token, oov=oov) for token, oov in zip(tokens, mask, strict=True))
        for tokens, mask in zip(sentences, masks, strict=True)
    )
