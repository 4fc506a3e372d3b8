"""Bytes to text: UTF-8, with or without a byte order mark, and the place where it is not."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import Fault, InputError, SuiteError

# What reading a gzip stream raises where it is cut short or damaged.
GZIP_FAULTS = (EOFError, zlib.error, gzip.BadGzipFile)

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """A file's text, line ends as they are, and whether it began with a byte order mark."""

    text: str
    has_bom: bool


def read_text(path: Path) -> DecodedText:
    """Read a file; raises `InputError` if it cannot be read, and as `decode` does."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    return decode(raw, file=str(path))


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for its bytes; its content, not its name, says whether it is gzipped.

    Raises `OSError`, and, while it is read, `GZIP_FAULTS`.
    """
    with path.open("rb") as raw:
        if not raw.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
            yield raw
            return
        # Without a buffer of its own a GzipFile hands out lines three times as slowly.
        stream: io.BufferedReader = io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 20)
        with stream:
            yield stream


def decode(raw: bytes, *, file: str) -> DecodedText:
    """Decode UTF-8; raises `SuiteError` with line and column for bytes that are none."""
    try:
        return without_bom(raw.decode())
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line_start = before.rfind(b"\n") + 1
        fault = Fault(
            file=file,
            line=before.count(b"\n") + 1,
            column=len(before[line_start:].decode("utf-8", "replace")) + 1,
            path="",
            message=f"the byte 0x{raw[error.start]:02x} is not UTF-8",
            hint="save the file with the encoding UTF-8",
        )
        raise SuiteError([fault]) from None


def without_bom(text: str) -> DecodedText:
    """Take a byte order mark off the beginning of a text."""
    return DecodedText(text=text.removeprefix(_BOM), has_bom=text.startswith(_BOM))


def bom_fault(file: str, *, strict: bool) -> Fault:
    """Return what is said of a file that begins with a byte order mark."""
    return Fault(
        file=file,
        line=1,
        column=1,
        path="",
        message="the file begins with a byte order mark",
        hint="save it as UTF-8 without one",
        severity="error" if strict else "warning",
    )


def is_encodable(text: str) -> bool:
    """Say whether the text can be written as UTF-8: it holds no half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
