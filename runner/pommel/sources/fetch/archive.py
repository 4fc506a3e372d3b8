"""Unpacking archives of strangers.

Nothing in an archive says where a file goes: what is asked for is copied to names of ours, and an
archive that holds anything else than files and folders with plain names is refused as a whole.
"""

import gzip
import io
import lzma
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Collection, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pommel.errors import PommelError, first_line, listed, quoted
from pommel.files import replacing
from pommel.sources.fetch.source import ArchiveKind

_CHUNK_BYTES = 1 << 16
# Python's readers trust what lies in an archive: damage leads them to any of these.
_BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,  # gzip, bzip2, and places before the beginning
    RuntimeError,  # a compression that Python does not know
    ValueError,  # names that are not UTF-8, and places again
    LookupError,
    OverflowError,
)
# What a zip file's list of members may take for each, names and remarks included.
_BYTES_PER_MEMBER = 1024
# As far from its end as a zip file's list of members can end: the end record, with its remark.
_ZIP_END_BYTES = (1 << 16) + 22
_ZIP_MEMBER = b"PK\x01\x02"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpackLimits:
    """How much an archive may hold: members of any kind, and bytes of all of them, unpacked."""

    n_members: int = 100_000
    n_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A member: its name as it is written, what it is, its bytes and how to read them."""

    name: str
    kind: str
    size: int
    stream: IO[bytes] | None


def unpack(
    archive: Path,
    kind: ArchiveKind,
    wanted: Collection[str],
    folder: Path,
    *,
    limits: UnpackLimits,
) -> dict[str, Path]:
    """Copy the wanted members into `folder`, under names of ours; return where each is.

    Raises `PommelError`, naming the archive, if it is broken, if a member is missing, too many or
    too big, or anything but a file or a folder, if a name is absolute, leads out of the folder or
    comes twice. What has been copied by then stays in `folder`, which is the caller's.
    """
    seen: set[str] = set()
    copied: dict[str, Path] = {}
    n_bytes = 0
    try:
        with _opened(archive, kind, limits) as entries:
            for number, entry in enumerate(entries):
                name = _checked_name(archive, entry, seen)
                n_bytes += entry.size
                if number >= limits.n_members:
                    raise _too_many(archive, limits)
                if n_bytes > limits.n_bytes:
                    raise _too_big(archive, limits)
                if name in wanted and entry.stream is not None:
                    copied[name] = folder / str(number)
                    _copy(entry.stream, copied[name])
    except _TooManyError:
        raise _too_many(archive, limits) from None
    except _BoundError:
        raise _too_big(archive, limits) from None
    except (*_BROKEN, _BrokenError) as error:
        raise PommelError(f"{archive}: it is no sound {kind} file: {first_line(error)}") from None
    missing = sorted(set(wanted) - copied.keys())
    if missing:
        raise PommelError(f"{archive}: it does not hold {listed(missing)}")
    return copied


def _copy(stream: IO[bytes], path: Path) -> None:
    """Copy a member; raises `PommelError` if it cannot be written, `_BrokenError` for damage."""
    with replacing(path) as aside, aside.open("wb") as target:
        for piece in _pieces(stream):
            target.write(piece)


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    try:
        while piece := stream.read(_CHUNK_BYTES):
            yield piece
    except _BROKEN as error:
        raise _BrokenError(first_line(error)) from None


def _checked_name(archive: Path, entry: _Entry, seen: set[str]) -> str:
    """Return a member's name without `./`; raises `PommelError` for what is not to be unpacked."""
    shown = quoted(entry.name)
    if entry.kind not in {"file", "folder"}:
        raise PommelError(f"{archive}: {shown} is {entry.kind}; nothing of it is unpacked")
    parts = [part for part in entry.name.split("/") if part not in {"", "."}]
    is_absolute = entry.name.startswith("/") or ":" in (parts[0] if parts else "")
    is_nameless = entry.kind == "file" and not parts
    is_odd = "\\" in entry.name or not entry.name.isprintable()
    if is_absolute or is_nameless or is_odd or ".." in parts:
        raise PommelError(f"{archive}: {shown} is no safe name; nothing of it is unpacked")
    name = "/".join(parts)
    # What some file systems take for the same name would be overwritten there.
    same = unicodedata.normalize("NFC", name).casefold()
    if entry.kind == "file":
        if same in seen:
            raise PommelError(f"{archive}: {shown} is there twice; nothing of it is unpacked")
        seen.add(same)
    return name


def _too_many(archive: Path, limits: UnpackLimits) -> PommelError:
    return PommelError(f"{archive}: it has more than {limits.n_members} members")


def _too_big(archive: Path, limits: UnpackLimits) -> PommelError:
    return PommelError(f"{archive}: unpacked it has more than {limits.n_bytes:,} bytes")


@contextmanager
def _opened(archive: Path, kind: ArchiveKind, limits: UnpackLimits) -> Iterator[Iterator[_Entry]]:
    if kind == "zip":
        with (
            _ZipReader(archive, limits.n_members) as reader,
            zipfile.ZipFile(reader) as packed,
            closing(_zip_entries(packed)) as entries,
        ):
            reader.is_opening = False
            yield entries
        return
    with archive.open("rb") as raw:
        plain: io.BufferedIOBase = gzip.GzipFile(fileobj=raw) if kind == "tar.gz" else raw
        # Headers may claim any length, too, and are read as a whole.
        bounded = _Bounded(plain, 2 * limits.n_bytes + (1 << 20))
        with tarfile.open(fileobj=bounded, mode="r|") as packed_tar:
            yield _tar_entries(packed_tar)


def _zip_entries(packed: zipfile.ZipFile) -> Generator[_Entry, None, None]:
    for info in packed.infolist():
        kind = _zip_kind(info)
        if kind != "file":
            yield _Entry(name=info.filename, kind=kind, size=0, stream=None)
            continue
        # What comes out ends at the size that is declared, whatever is packed.
        with packed.open(info) as stream:
            yield _Entry(name=info.filename, kind=kind, size=info.file_size, stream=stream)


def _zip_kind(info: zipfile.ZipInfo) -> str:
    mode = stat.S_IFMT(info.external_attr >> 16)
    if stat.S_ISLNK(mode):
        return "a link"
    if mode not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "no file"
    if info.flag_bits & 1:
        return "encrypted"
    return "folder" if info.is_dir() else "file"


def _tar_entries(packed: tarfile.TarFile) -> Iterator[_Entry]:
    for member in packed:
        if member.isfile() and not member.issparse():
            stream = packed.extractfile(member)
            yield _Entry(name=member.name, kind="file", size=member.size, stream=stream)
        else:
            is_link = member.issym() or member.islnk()
            kind = "folder" if member.isdir() else "a link" if is_link else "no plain file"
            yield _Entry(name=member.name, kind=kind, size=0, stream=None)


class _BrokenError(Exception):
    """What is packed cannot be unpacked; not that a file could not be written."""


class _BoundError(Exception):
    """More came out of a file than may."""


class _Bounded(io.RawIOBase):
    """A stream that ends in an error when more has been read than may be."""

    def __init__(self, stream: io.BufferedIOBase, most: int) -> None:
        self._stream = stream
        self._left = most

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > self._left:
            raise _BoundError
        piece = self._stream.read(size)
        self._left -= len(piece)
        return piece


class _TooManyError(Exception):
    """A zip file lists more members than it may have."""


class _ZipReader(io.BufferedReader):
    """A zip file whose list of members is counted before `ZipFile` makes anything of it.

    The list is read at once. Whatever the end record says of it, it has no more members than marks.
    """

    def __init__(self, path: Path, most_members: int) -> None:
        super().__init__(io.FileIO(path))
        self.is_opening = True
        self._most_members = most_members

    def read(self, size: int | None = -1) -> bytes:
        if not self.is_opening:
            return super().read(size)
        most = _ZIP_END_BYTES + self._most_members * _BYTES_PER_MEMBER
        if size is not None and size > most:
            raise _TooManyError
        # The end record is sought in all that is left, behind a place that is near the end.
        piece = super().read(most if size is None or size < 0 else size)
        if piece.count(_ZIP_MEMBER) > self._most_members:
            raise _TooManyError
        return piece
