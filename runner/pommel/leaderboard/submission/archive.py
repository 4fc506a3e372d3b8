"""The archive of a submission: a ZIP file of a stranger, of which nothing is believed or written.

It is packed so that the same content is the same bytes. What is read is bounded by the sizes that
are declared, and is what the manifest has the SHA-256 of.
"""

import hashlib
import re
import stat
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from pommel.leaderboard.submission.limits import MIB, Limits, SubmissionError, named
from pommel.leaderboard.submission.manifest import FileEntry

_NAMES = re.compile(r"manifest\.json|surprisals/[0-9a-f]{64}\.jsonl|results/[0-9a-f]{64}\.json")
_BEGIN, _LISTED, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
# How long the end record is that has no comment.
_END_BYTES = 22
_PIECE_BYTES = 1 << 16
# Above this level, surprisals take twice as long for less than a hundredth of the size.
LEVEL = 6

# What `zipfile` raises for what is none, is damaged, or was made by a program of which it knows
# too little.
_UNREADABLE = (
    ArithmeticError,
    BadZipFile,
    EOFError,
    OSError,
    LookupError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)


class Archive(NamedTuple):
    """An archive that has been opened; `source` names it in messages, `members` are by name."""

    source: str
    opened: ZipFile
    members: Mapping[str, ZipInfo]

    @classmethod
    def of(cls, raw: bytes, source: str, limits: Limits) -> "Archive":
        """Open an archive; the content of its files is not looked at.

        Raises `SubmissionError` for what is no ZIP file or has something in front or behind; for
        files that no submission has (their names are known), that are there twice, no plain files
        or encrypted; and for files that are too many or too large.
        """
        if not raw.startswith(_BEGIN):
            what = "has something in front of it" if _END in raw else "is no zip file"
            raise SubmissionError(f"{source}: {what}; a submission is what `pommel submit` writes")
        if not raw.startswith(_END, len(raw) - _END_BYTES):
            raise SubmissionError(f"{source}: is cut off, or has something behind its end")
        # Counted beforehand: a list of millions of files fills the memory.
        if raw.count(_LISTED) > limits.n_files:
            raise SubmissionError(f"{source}: has more than {limits.n_files:,} files")
        try:
            opened = ZipFile(BytesIO(raw))
        except _UNREADABLE:
            raise SubmissionError(
                f"{source}: is damaged: its list of files makes no sense"
            ) from None
        members: dict[str, ZipInfo] = {}
        for each in opened.infolist():
            _check_member(each, f"{source}: {named(each.orig_filename)}")
            if each.filename in members:
                raise SubmissionError(f"{source}: {named(each.filename)} is there twice")
            members[each.filename] = each
        _check_sizes(members, len(raw), source, limits)
        return cls(source=source, opened=opened, members=members)

    def content(self, name: str) -> Iterator[bytes]:
        """Yield a file's content, piece by piece, never more than it declares.

        Raises `SubmissionError` for content that is damaged or shorter.
        """
        try:
            with self.opened.open(self.members[name]) as stream:
                while piece := stream.read(_PIECE_BYTES):
                    yield piece
        except _UNREADABLE:
            raise SubmissionError(
                f"{self.source}: {name} is damaged: it cannot be unpacked"
            ) from None

    def whole(self, name: str, most_bytes: int) -> bytes:
        """Return the content of a file that is not read line by line."""
        if self.members[name].file_size > most_bytes:
            raise SubmissionError(f"{self.source}: {name} has more than {most_bytes:,} bytes")
        return b"".join(self.content(name))


def _check_member(member: ZipInfo, shown: str) -> None:
    """Raise for a file that no submission has; `shown` names it."""
    # Not `filename`, which ends at a zero byte.
    if not _NAMES.fullmatch(member.orig_filename):
        raise SubmissionError(
            f"{shown} is no file of a submission; only JSON is read, no pickles or programs"
        )
    if stat.S_IFMT(member.external_attr >> 16) not in {0, stat.S_IFREG}:
        raise SubmissionError(f"{shown} is a link, or no plain file")
    if member.flag_bits & 1:
        raise SubmissionError(f"{shown} is encrypted")
    if member.compress_type != ZIP_DEFLATED:
        raise SubmissionError(
            f"{shown} is packed by method {member.compress_type}; only deflate (8) is read"
        )


def _check_sizes(members: Mapping[str, ZipInfo], n_raw: int, source: str, limits: Limits) -> None:
    for name, member in members.items():
        if member.file_size > (most := limits.n_file_bytes):
            raise SubmissionError(f"{source}: {name} has more than {most:,} bytes, unpacked")
    n_bytes = sum(member.file_size for member in members.values())
    if n_bytes > limits.n_bytes:
        raise SubmissionError(f"{source}: has more than {limits.n_bytes:,} bytes, unpacked")
    if n_bytes > limits.ratio * n_raw + MIB:
        raise SubmissionError(
            f"{source}: unpacks to more than {limits.ratio} times its size, as no submission does"
        )


def pack(archive: ZipFile, name: str, pieces: Iterable[bytes], limits: Limits) -> FileEntry:
    """Pack a file behind the others, and return what a manifest has of it.

    Of the file, nothing but this is told: no time, no system, no attributes. Raises
    `SubmissionError` for more than the limits allow.
    """
    digest, n_bytes = hashlib.sha256(), 0
    with archive.open(name, "w") as stream:
        for piece in pieces:
            n_bytes += len(piece)
            if n_bytes > (most := limits.n_file_bytes):
                raise SubmissionError(f"{name} would have more than {most:,} bytes; submit less")
            digest.update(piece)
            stream.write(piece)
    member = archive.getinfo(name)
    member.create_system = member.external_attr = 0
    return FileEntry(n_bytes=n_bytes, sha256=digest.hexdigest())
