"""The one way in which a submission is packed: a ZIP file that leaves nothing to choose.

A local header, a name and deflated content for each file, then the list of files, then the end
record (PKWARE APPNOTE 6.3, 4.3.6). All that is not a name, a length, a place or a check sum is
constant: no times, no attributes, no extra fields, no comments, no ZIP64. So the same content is
the same bytes, and a reader can say of every byte outside the content what it has to be.
"""

import hashlib
import stat
import struct
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from pommel.leaderboard.submission.limits import MIB, Limits, SubmissionError, named

LOCAL = struct.Struct("<4s5H3I2H")
CENTRAL = struct.Struct("<4s6H3I5H2I")
END = struct.Struct("<4s4H2IH")
LOCAL_MARK, CENTRAL_MARK, END_MARK = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
DEFLATED = 8
_VERSION = 20  # what deflated files need; the system that made them is 0, which has no attributes
_FLAGS = 0
_TIME, _DATE = 0, 33  # midnight, 1 January 1980: the first that there is


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A file in an archive: `offset` is where its local header begins, `crc32` is of its content.

    `n_packed` counts the bytes of the archive, `n_bytes` those that they unpack to.
    """

    name: str
    crc32: int
    n_packed: int
    n_bytes: int
    offset: int

    @property
    def start(self) -> int:
        """Where its packed bytes begin in the archive."""
        return self.offset + LOCAL.size + len(self.name)

    @property
    def end(self) -> int:
        """Where they end."""
        return self.start + self.n_packed


def local_header(member: Member) -> bytes:
    """Return what stands in front of a member's packed bytes."""
    sizes = (member.crc32, member.n_packed, member.n_bytes)
    fixed = (_VERSION, _FLAGS, DEFLATED, _TIME, _DATE)
    name = member.name.encode("ascii")
    return LOCAL.pack(LOCAL_MARK, *fixed, *sizes, len(name), 0) + name


def central_header(member: Member) -> bytes:
    """Return a member's entry in the list of files."""
    sizes = (member.crc32, member.n_packed, member.n_bytes)
    fixed = (_VERSION, _VERSION, _FLAGS, DEFLATED, _TIME, _DATE)
    name = member.name.encode("ascii")
    # No extra field, no comment, the first disk, no attributes of either kind.
    rest = (len(name), 0, 0, 0, 0, 0, member.offset)
    return CENTRAL.pack(CENTRAL_MARK, *fixed, *sizes, *rest) + name


def end_record(n_members: int, n_bytes: int, offset: int) -> bytes:
    """Return the end of an archive whose list of files has `n_bytes` from `offset` on."""
    return END.pack(END_MARK, 0, 0, n_members, n_members, n_bytes, offset, 0)


# Reading an archive of a stranger: nothing in it is believed, and nothing is written. Python's own
# reader takes what can be read at all. This one takes what `ZipWriter` writes, and says of
# everything else what it is. The sizes that an archive declares bound what is unpacked of it.

_PIECE_BYTES = 1 << 16
# The longest comment that an archive may have behind its end.
_COMMENT_BYTES = (1 << 16) - 1
_ZIP64_N, _ZIP64_BYTES = 0xFFFF, 0xFFFFFFFF
_REPACKED = "the archive was not packed by `pommel submit`, or has been changed since"


def members_of(raw: bytes, where: str, limits: Limits) -> dict[str, Member]:
    """Return the files of an archive by name, in their order; their content is not looked at.

    Raises `SubmissionError`, beginning with `where`, for anything that `pommel submit` would not
    have written, and for files that are too many or too large.
    """
    n_members, n_bytes, offset = _end_of(raw, where)
    if n_members > limits.n_files:
        raise SubmissionError(f"{where}: has more than {limits.n_files:,} files")
    members = list(_listed(raw, where, n_members, offset))
    if sum(map(_listed_bytes, members)) != n_bytes:
        raise SubmissionError(f"{where}: its list of files is not as long as it says")
    _check_sizes(members, len(raw), where, limits)
    listed = b"".join(map(central_header, members))
    if raw[offset:] != listed + end_record(len(members), len(listed), offset):
        raise SubmissionError(f"{where}: {_REPACKED}")
    place = 0
    for member in members:
        name = named(member.name)
        if member.offset != place or member.end > offset:
            raise SubmissionError(f"{where}: {name} does not begin where the file before it ends")
        if raw[place : member.start] != local_header(member):
            raise SubmissionError(
                f"{where}: {name} is described in two ways, in front of it and in the list of files"
            )
        place = member.end
    if place != offset:
        raise SubmissionError(f"{where}: has something between its files and the list of them")
    return {member.name: member for member in members}


def content_of(raw: bytes, member: Member, where: str) -> Iterator[bytes]:
    """Yield a file's content, piece by piece, never more than it declares.

    Raises `SubmissionError` for content that is damaged, or longer or shorter than declared.
    """
    place = f"{where}: {member.name}"
    n_bytes, crc32 = 0, 0
    try:
        for piece in _unpacked(raw, member, place):
            n_bytes += len(piece)
            crc32 = zlib.crc32(piece, crc32)
            if n_bytes > member.n_bytes:
                declared = f"the {member.n_bytes:,} bytes that it declares"
                raise SubmissionError(f"{place}: unpacks to more than {declared}")
            yield piece
    except zlib.error:
        raise SubmissionError(f"{place}: is damaged: it cannot be unpacked") from None
    if n_bytes != member.n_bytes:
        raise SubmissionError(
            f"{place}: unpacks to {n_bytes:,} bytes, and declares {member.n_bytes:,}"
        )
    if crc32 != member.crc32:
        raise SubmissionError(f"{place}: is damaged: its check sum (CRC-32) is wrong")


def _unpacked(raw: bytes, member: Member, place: str) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(member.start, member.end, _PIECE_BYTES):
        packed = raw[at : min(at + _PIECE_BYTES, member.end)]
        while packed and not unpacker.eof:
            yield unpacker.decompress(packed, _PIECE_BYTES)
            packed = unpacker.unconsumed_tail
        if unpacker.unused_data or (packed and unpacker.eof):
            raise SubmissionError(f"{place}: has data behind its packed content")
    # What was read last may stand for more than was asked for.
    while not unpacker.eof and (piece := unpacker.decompress(b"", _PIECE_BYTES)):
        yield piece
    if not unpacker.eof:
        raise SubmissionError(f"{place}: is damaged: its packed content is cut off")


def _end_of(raw: bytes, where: str) -> tuple[int, int, int]:
    """Return how many files an archive lists, in how many bytes, and where the list begins."""
    if not raw.startswith((LOCAL_MARK, END_MARK)):
        what = "has something in front of it" if END_MARK in raw else "is no zip file"
        raise SubmissionError(f"{where}: {what}; a submission is what `pommel submit` writes")
    start = len(raw) - END.size
    if start < 0 or not raw.startswith(END_MARK, start):
        if raw.rfind(END_MARK, max(start - _COMMENT_BYTES, 0)) >= 0:
            raise SubmissionError(f"{where}: has a comment, or something else, behind its end")
        raise SubmissionError(f"{where}: is cut off: a zip file ends with a list of its files")
    _, disk, first, here, n_members, n_bytes, offset, n_comment = END.unpack_from(raw, start)
    if _ZIP64_N in (here, n_members) or _ZIP64_BYTES in (n_bytes, offset):
        raise SubmissionError(f"{where}: claims to be too large for a zip file (ZIP64)")
    if disk or first or here != n_members:
        raise SubmissionError(f"{where}: claims to be one of several parts")
    if n_comment or offset + n_bytes != start:
        raise SubmissionError(f"{where}: its list of files is not where its end says")
    return n_members, n_bytes, offset


def _listed(raw: bytes, where: str, n_members: int, place: int) -> Iterator[Member]:
    """Yield the members that the list of files has, each as far as it can be a file of ours."""
    seen: set[str] = set()
    for _ in range(n_members):
        try:
            entry = CENTRAL.unpack_from(raw, place)
        except struct.error:
            raise SubmissionError(f"{where}: its list of files is cut off") from None
        if entry[0] != CENTRAL_MARK:
            raise SubmissionError(f"{where}: its list of files is damaged")
        n_name, n_extra, n_comment = entry[10:13]
        start = place + CENTRAL.size
        name = raw[start : start + n_name].decode("utf-8", "replace")
        _check_name(name, where, seen)
        _check_entry(entry, f"{where}: {named(name)}")
        yield Member(
            name=name, crc32=entry[7], n_packed=entry[8], n_bytes=entry[9], offset=entry[16]
        )
        place = start + n_name + n_extra + n_comment


def _check_name(name: str, where: str, seen: set[str]) -> None:
    shown = f"{where}: {named(name)}"
    parts = name.split("/")
    is_odd = "\\" in name or ":" in name or not (name.isascii() and name.isprintable())
    same = unicodedata.normalize("NFC", name).casefold()
    if same in seen:
        raise SubmissionError(f"{shown} is there twice")
    seen.add(same)
    if name.endswith("/"):
        raise SubmissionError(f"{shown} is a folder; a submission has none of its own")
    if is_odd or name.startswith("/") or not {"", ".", ".."}.isdisjoint(parts):
        raise SubmissionError(f"{shown} is no safe name")


def _check_entry(entry: tuple[int, ...], shown: str) -> None:
    """Raise for an entry that asks for more than to be unpacked; `shown` names it."""
    flags, method = entry[3], entry[4]
    n_packed, n_bytes, n_extra, n_comment = entry[8], entry[9], entry[11], entry[12]
    mode = stat.S_IFMT(entry[15] >> 16)
    if stat.S_ISLNK(mode):
        raise SubmissionError(f"{shown} is a link")
    if mode not in {0, stat.S_IFREG}:
        raise SubmissionError(f"{shown} is no plain file")
    if flags & 1:
        raise SubmissionError(f"{shown} is encrypted")
    if method != DEFLATED:
        raise SubmissionError(f"{shown} is packed by method {method}; only deflate (8) is read")
    if _ZIP64_BYTES in (n_packed, n_bytes, entry[16]):
        raise SubmissionError(f"{shown} claims to be too large for a zip file (ZIP64)")
    if n_extra or n_comment:
        raise SubmissionError(f"{shown} comes with a comment or an extra field")


def _listed_bytes(member: Member) -> int:
    return CENTRAL.size + len(member.name)


def _check_sizes(members: list[Member], n_raw: int, where: str, limits: Limits) -> None:
    for member in members:
        if member.n_bytes > limits.n_file_bytes:
            most = limits.n_file_bytes
            raise SubmissionError(f"{where}: {member.name} has more than {most:,} bytes, unpacked")
    n_bytes = sum(member.n_bytes for member in members)
    if n_bytes > limits.n_bytes:
        raise SubmissionError(f"{where}: has more than {limits.n_bytes:,} bytes, unpacked")
    if n_bytes > limits.ratio * n_raw + MIB:
        raise SubmissionError(
            f"{where}: unpacks to more than {limits.ratio} times its size, as no submission does"
        )


# Above this level, surprisals take twice as long for less than a hundredth of the size.
_LEVEL = 6


class ZipWriter:
    """Writes files behind one another to a stream that can go back; `finish` makes it an archive.

    Raises `SubmissionError` for more than the limits allow.
    """

    def __init__(self, stream: IO[bytes], limits: Limits) -> None:
        self._stream = stream
        self._limits = limits
        self._members: list[Member] = []

    def add(self, name: str, pieces: Iterable[bytes]) -> tuple[int, str]:
        """Pack a file; return how many bytes it has, and their SHA-256."""
        offset = self._stream.tell()
        blank = Member(name=name, crc32=0, n_packed=0, n_bytes=0, offset=offset)
        self._stream.write(local_header(blank))
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        digest, crc32, n_bytes = hashlib.sha256(), 0, 0
        for piece in pieces:
            n_bytes += len(piece)
            if n_bytes > self._limits.n_file_bytes:
                most = self._limits.n_file_bytes
                raise SubmissionError(f"{name} would have more than {most:,} bytes; submit less")
            digest.update(piece)
            crc32 = zlib.crc32(piece, crc32)
            self._stream.write(packer.compress(piece))
        self._stream.write(packer.flush())
        end = self._stream.tell()
        member = Member(
            name=name, crc32=crc32, n_packed=end - blank.start, n_bytes=n_bytes, offset=offset
        )
        self._stream.seek(offset)
        self._stream.write(local_header(member))
        self._stream.seek(end)
        self._members.append(member)
        return n_bytes, digest.hexdigest()

    def finish(self) -> None:
        """Write the list of files, and the end."""
        offset = self._stream.tell()
        listed = b"".join(map(central_header, self._members))
        self._stream.write(listed)
        self._stream.write(end_record(len(self._members), len(listed), offset))
