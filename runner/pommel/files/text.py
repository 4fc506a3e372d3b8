"""Text files: bytes to text and back, never half-written, locked, and what they are known by."""

import contextlib
import errno
import gzip
import hashlib
import io
import itertools
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, ClassVar, Literal, Self

from pommel.errors import Fault, InputError, Place, PommelError, SuiteError, UsageError
from pommel.values import frozen

# What reading a gzip stream raises where it is cut short or damaged.
GZIP_FAULTS = (EOFError, zlib.error, gzip.BadGzipFile)

# What is read as a whole has at most so many bytes.
_MOST_BYTES = 128 << 20

_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_GZIP_MAGIC = b"\x1f\x8b"
UTF_16_BOMS = (b"\xff\xfe", b"\xfe\xff")
# So much tells what a file is.
_N_HEAD = 4_096
# How files of other programs begin that are taken for text, in small letters.
_OTHERS = {
    b"%pdf": "a PDF file",
    b"{\\rtf": "a document in RTF",
    b"\x89png": "a picture",
    b"pk\x03\x04": "a ZIP file, as workbooks and documents are",
    b"\xd0\xcf\x11\xe0": "a document of an old office program",
    **dict.fromkeys((b"<html", b"<!doctype html", b"<table"), "a web page"),
    b"<?xml": "XML",
}
_LINE_END = re.compile(r"\r\n|\r|\n")
# Unlike joiners without a width and marks of direction, these belong to no script.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# No file is called so on Windows, whatever stands behind a dot.
_DEVICE = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³]) *", re.IGNORECASE)


@frozen
class DecodedText:
    """A file's text, line ends as they are, and whether it began with a byte order mark."""

    # What is a line has at most so many characters (a sentence, a row, an n-gram), but for JSON.
    MOST_OF_LINE: ClassVar = 1 << 20

    text: str
    has_bom: bool

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file; raises `InputError` if it cannot be read, and as `of_file` does."""
        try:
            return cls.of_file(path)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None

    @classmethod
    def of_file(cls, path: Path) -> Self:
        """Read a file; raises `OSError`, `InputError` if it is too large, and as `decode` does."""
        with path.open("rb") as stream:
            return cls.decode(_whole(stream, str(path)), file=str(path))

    @classmethod
    def of_stdin(cls) -> Self:
        """Read standard input, whatever the terminal's locale; raises as `read` does."""
        return cls.decode(cls.bytes_of_stdin(), file="<stdin>")

    @classmethod
    def lines_of(cls, name: str) -> list[str]:
        """Return the lines of a file, of standard input for "-", without white space around them.

        Raises as `read` does, and as `check_lines`, whatever it begins with.
        """
        read = cls.of_stdin() if name == "-" else cls.read(Path(name))
        read.check_lines("<stdin>" if name == "-" else name)
        return [line.strip() for line in read.lines]

    @staticmethod
    def bytes_of_stdin() -> bytes:
        """Return standard input as it is; raises `InputError` if it is too large."""
        return _whole(sys.stdin.buffer, "<stdin>")

    @classmethod
    def read_words(cls, path: Path) -> Self:
        """Read a file of words; raises as `read`, and `SuiteError` for control characters.

        Tabs and line ends are none. Of a line with several the first one is reported.
        """
        read = cls.read(path)
        read.check_lines(str(path))
        if _CONTROL.search(read.text):
            faults = [
                Place(file=str(path), line=number, column=found.start() + 1).fault(
                    f"this line has the character {found[0]!r}", "take it out; words have none"
                )
                for number, line in enumerate(read.lines, start=1)
                if (found := _CONTROL.search(line))
            ]
            raise SuiteError(faults)
        return read

    @classmethod
    def decode(cls, raw: bytes, *, file: str) -> Self:
        """Decode UTF-8; raises `SuiteError` with line and column for bytes that are none.

        And `InputError` as `check_is_text` does, and as `check_lines`, but for what begins as JSON.
        """
        check_is_text(raw, file)
        try:
            decoded = cls.of(raw.decode())
        except UnicodeDecodeError as error:
            before = raw[: error.start]
            line_start = before.rfind(b"\n") + 1
            is_utf_16 = raw.startswith(UTF_16_BOMS)
            byte = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
            place = Place(
                file=file,
                line=before.count(b"\n") + 1,
                column=len(before[line_start:].decode("utf-8", "replace")) + 1,
            )
            message = "the file is UTF-16, not UTF-8" if is_utf_16 else byte
            hint = "save the file with the encoding UTF-8"
            raise SuiteError([place.fault(message, hint)]) from None
        if not decoded.text[:_N_HEAD].lstrip().startswith(("{", "[")):
            decoded.check_lines(file)
        return decoded

    @classmethod
    def of(cls, text: str) -> Self:
        """Take a byte order mark off the beginning of a text."""
        return cls(text=text.removeprefix(_BOM), has_bom=text.startswith(_BOM))

    def check_lines(self, file: str) -> None:
        """Raise `InputError` for a line of more than 1,048,576 characters: it is no sentence."""
        start, end = 0, len(self.text)
        while end - start > self.MOST_OF_LINE:
            window = (start, start + self.MOST_OF_LINE + 1)
            last = max(self.text.rfind("\n", *window), self.text.rfind("\r", *window))
            if last < 0:
                number = len(_LINE_END.findall(self.text, 0, start)) + 1
                raise _long_line(file, number, "characters")
            start = last + 1

    @staticmethod
    def head(path: Path) -> str:
        """Return how a file begins, as text, whatever it is; raises `InputError`."""
        try:
            with path.open("rb") as stream:
                return stream.read(_N_HEAD).decode("utf-8-sig", "replace")
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}") from None

    @property
    def lines(self) -> list[str]:
        """The lines without their ends, which are LF, CRLF or CR.

        `str.splitlines` ends lines at ten more characters, where no editor does.
        """
        found = _LINE_END.split(self.text)
        return found if found[-1] else found[:-1]

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes that were read, whatever has become of the file since."""
        # UTF-8 has one spelling for each text.
        return hashlib.sha256((_BOM * self.has_bom + self.text).encode()).hexdigest()

    def bom_faults(self, file: str, *, strict: bool = False) -> list[Fault]:
        """Return what is said of a file that begins with a byte order mark; nothing if none does.

        It is a warning, and `strict` an error.
        """
        if not self.has_bom:
            return []
        fault = Fault(
            file=file,
            line=1,
            column=1,
            message="the file begins with a byte order mark",
            hint="save it as UTF-8 without one",
            severity="error" if strict else "warning",
        )
        return [fault]


def check_is_text(raw: bytes, file: str) -> None:
    """Raise `InputError` for what begins as files of programs do that are no text."""
    head = raw[:_N_HEAD].lower()
    for start, kind in _OTHERS.items():
        if head.startswith(start):
            raise InputError(f"{file}: this is {kind}, not text; save it as text, in UTF-8")


@contextmanager
def opened(path: Path) -> Iterator[Iterator[bytes]]:
    """Open a file for its lines; its content, not its name, says whether it is gzipped.

    Raises `OSError`, and, while it is read, `GZIP_FAULTS`, and `InputError` for a line of more than
    1,048,576 bytes.
    """
    with path.open("rb") as raw:
        if not raw.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
            yield _lines(raw, path)
            return
        # Without a buffer of its own a GzipFile hands out lines three times as slowly.
        stream: io.BufferedReader = io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 20)
        with stream:
            yield _lines(stream, path)


def _lines(stream: io.BufferedReader, path: Path) -> Iterator[bytes]:
    most = DecodedText.MOST_OF_LINE
    for number in itertools.count(1):
        line = stream.readline(most + len(b"\r\n"))
        if len(line) > most and len(line.rstrip(b"\r\n")) > most:
            raise _long_line(str(path), number, "bytes")
        if not line:
            return
        yield line


def _long_line(file: str, number: int, unit: str) -> InputError:
    what = f"this line has more than {DecodedText.MOST_OF_LINE:,} {unit}, the most that is read"
    return InputError(f"{file}:{number}: {what}; write a sentence or a row a line")


def _whole(stream: BinaryIO, file: str) -> bytes:
    raw = stream.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        most = f"{_MOST_BYTES >> 20} MiB, the most that is read of such a file"
        raise InputError(f"{file}: has more than {most}; divide it")
    return raw


def word_core(piece: str) -> tuple[int, int]:
    """Return where the word is in a piece between white space: `[start, end)`, empty if nowhere.

    That is from its first to its last character that is neither punctuation nor a symbol.
    """
    # Not \W: that takes combining accents and vowel signs, which belong to words, for marks.
    letters = [at for at, each in enumerate(piece) if unicodedata.category(each)[0] not in "PS"]
    return (letters[0], letters[-1] + 1) if letters else (0, 0)


def is_encodable(text: str) -> bool:
    """Say whether the text can be written as UTF-8: it holds no half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def write_text(path: Path, text: str) -> None:
    """Write a file beside its place and move it there; raises `PommelError` and leaves no trace.

    A link stays one, and what is no file (a pipe, a terminal, /dev/null) is written to.
    """
    with replacing(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="")


def check_file_names(names: Iterable[str]) -> None:
    """Raise `InputError` for what cannot be names of files in one folder, on any system."""
    seen: dict[str, str] = {}
    for name in names:
        if fault := _file_name_fault(name):
            raise InputError(f"{name!r} cannot be a file's name: it {fault}")
        # Not every file system tells capital letters from small ones.
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise InputError(f"{other!r} and {name!r} differ in capital letters only")


def _file_name_fault(name: str) -> str | None:
    if not name.strip(". ") or name != name.strip():
        return "is empty but for dots and blanks, or begins or ends with blanks"
    if _DEVICE.fullmatch(name.partition(".")[0]):
        return "is that of a device on Windows"
    wrong = next((each for each in name if each in '/\\:*?"<>|' or not each.isprintable()), None)
    return f"has the character {wrong!r}" if wrong else None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a new file that takes the place of `path` when all has gone well.

    A link stays one: what it leads to is replaced. What is no file (a pipe, a terminal, /dev/null)
    stays what it is, and the content is written to it at the end. The folder is made if it is
    missing, and gone again if nothing comes into it. A power cut leaves the old file or the new
    one, and the new one once this has ended. Raises `PommelError` for what the file system refuses
    (a full disk, a folder that may not be written); `path` is then what it was.
    """
    try:
        # A link such as /dev/stdout leads to a pipe that has no name of its own.
        device = _is_device(path)
        target = path if device else Path(os.path.realpath(path))
        with without_empty_folders(target), _aside(None if device else target) as aside:
            yield aside
            if device:
                with aside.open("rb") as source, target.open("wb") as opened:
                    shutil.copyfileobj(source, opened)
                return
            # mkstemp makes files that nobody else may read; results are made to be shared.
            aside.chmod(0o666 & ~_umask())
            with aside.open("rb+") as written:
                os.fsync(written.fileno())
            aside.replace(target)
            _sync_folder(target.parent)
    except OSError as error:
        raise _refused(path, error) from None


@contextlib.contextmanager
def without_empty_folders(path: Path) -> Iterator[None]:
    """Delete the folders above a path that were not there before, if they are empty in the end."""
    new_folders = [each for each in path.parents if not each.exists()]
    try:
        yield
    finally:
        for each in new_folders:
            # It has what was written, or another process has begun to use it.
            with contextlib.suppress(OSError):
                each.rmdir()


def expanded(path: Path | str) -> Path:
    """Return a path with a home folder for the `~` or `~someone` that it begins with.

    That of somebody who is not known stays as it is, and is found by nobody, as a shell has it.
    Raises `UsageError` where the user has none.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        if Path(path).parts[0] == "~":
            raise UsageError(f"{path}: there is no home folder; set HOME") from None
        return Path(path)


def own_path(what: Literal["cache", "store"]) -> Path:
    """Return the folder of this user's cache, or the file of this user's store, there or not.

    In this order: what POMMEL_CACHE or POMMEL_STORE says; on Windows `pommel/Cache` or
    `pommel/store.sqlite` in LOCALAPPDATA; on macOS `pommel` in `~/Library/Caches`, or
    `pommel/store.sqlite` in `~/Library/Application Support`; elsewhere `pommel` in XDG_CACHE_HOME
    or `~/.cache`, or `pommel/store.sqlite` in XDG_DATA_HOME or `~/.local/share`.
    """
    name, on_macos, variable, usual = _OWN[what]
    if chosen := os.environ.get(f"POMMEL_{what.upper()}"):
        return expanded(chosen)
    if sys.platform == "win32":
        local = expanded(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
        return local / name / ("Cache" if what == "cache" else "")
    if sys.platform == "darwin":
        return expanded(on_macos) / name
    root = Path(os.environ.get(variable, ""))
    # A relative one is to be ignored, says the specification of these folders.
    return (root if root.is_absolute() else expanded(usual)) / name


_OWN = {
    "cache": ("pommel", "~/Library/Caches", "XDG_CACHE_HOME", "~/.cache"),
    "store": (
        "pommel/store.sqlite",
        "~/Library/Application Support",
        "XDG_DATA_HOME",
        "~/.local/share",
    ),
}


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; raises `PommelError` if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(folder, error) from None


# Windows wakes nobody who waits for a lock.
_SECONDS_BETWEEN_TRIES = 0.05
# No file that is locked has so many bytes.
_BEYOND_THE_END = 64 * 2**20


def locked_for_others(opened: int, *, waiting: bool = True) -> bool:
    """Keep others out of what is open, and return whether that was possible.

    Some folders of a network have no locks for what is only read.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            # What is locked cannot be read by others; they read nothing beyond the end.
            os.lseek(opened, _BEYOND_THE_END, os.SEEK_SET)
            while True:
                try:
                    msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
                except PermissionError:
                    time.sleep(_SECONDS_BETWEEN_TRIES)
                else:
                    return True
        import fcntl

        fcntl.flock(opened, fcntl.LOCK_EX | (0 if waiting else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as it lies there; raises `InputError` if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def _is_device(path: Path) -> bool:
    """Return whether there is something that is no file; raises `OSError` for a folder."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return not stat.S_ISREG(mode)


@contextlib.contextmanager
def _aside(target: Path | None) -> Iterator[Path]:
    """Make an empty file beside `target`, on the same disk; for None, where such files are kept.

    In the end it is deleted, if it is still there.
    """
    if target is None:
        handle, name = tempfile.mkstemp(prefix="pommel-", suffix=".part")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{target.name}."
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=prefix, suffix=".part")
    try:
        os.close(handle)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    # Windows opens no folder, and some file systems sync none.
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _refused(path: Path, error: OSError) -> PommelError:
    return PommelError(f"{path}: cannot be written: {error.strerror or error}")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
