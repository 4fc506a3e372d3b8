"""Bytes to text: UTF-8, with or without a byte order mark, and the place where it is not."""

import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import Fault, InputError, Place, SuiteError

# What reading a gzip stream raises where it is cut short or damaged.
GZIP_FAULTS = (EOFError, zlib.error, gzip.BadGzipFile)

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_GZIP_MAGIC = b"\x1f\x8b"
_UTF_16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_LINE_END = re.compile(r"\r\n|\r|\n")
# Unlike joiners without a width and marks of direction, these belong to no script.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """A file's text, line ends as they are, and whether it began with a byte order mark."""

    text: str
    has_bom: bool

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes that were read, whatever has become of the file since."""
        # UTF-8 has one spelling for each text.
        return hashlib.sha256((_BOM * self.has_bom + self.text).encode()).hexdigest()


def read_text(path: Path) -> DecodedText:
    """Read a file; raises `InputError` if it cannot be read, and as `decode` does."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    return decode(raw, file=str(path))


def read_words(path: Path) -> DecodedText:
    """Read a file of words; raises as `read_text`, and `SuiteError` for control characters.

    Tabs and line ends are none. Of a line with several the first one is reported.
    """
    read = read_text(path)
    if _CONTROL.search(read.text):
        faults = [
            Place(file=str(path), line=number, column=found.start() + 1).fault(
                f"this line has the character {found[0]!r}", "take it out; words have none"
            )
            for number, line in enumerate(lines(read.text), start=1)
            if (found := _CONTROL.search(line))
        ]
        raise SuiteError(faults)
    return read


def lines(text: str) -> list[str]:
    """Return a text's lines without their ends, which are LF, CRLF or CR.

    `str.splitlines` ends lines at ten more characters, where no editor does.
    """
    found = _LINE_END.split(text)
    return found if found[-1] else found[:-1]


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
        is_utf_16 = raw.startswith(_UTF_16_BOMS)
        byte = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
        fault = Fault(
            file=file,
            line=before.count(b"\n") + 1,
            column=len(before[line_start:].decode("utf-8", "replace")) + 1,
            path="",
            message="the file is UTF-16, not UTF-8" if is_utf_16 else byte,
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
