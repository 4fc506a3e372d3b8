"""ZIP files byte by byte, also such as no program would make."""

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass


def deflated(content: bytes) -> bytes:
    """Return content as ZIP files pack it."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(content) + packer.flush()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file in an archive, and what its headers say; None is what is true.

    `in_front` stands before its local header; `local_flags` and `local_name` are what that one says
    instead.
    """

    name: bytes
    content: bytes = b""
    packed: bytes | None = None
    flags: int = 0
    method: int = 8
    mode: int = 0
    time: int = 0
    extra: bytes = b""
    comment: bytes = b""
    n_bytes: int | None = None
    crc32: int | None = None
    offset: int | None = None
    in_front: bytes = b""
    local_name: bytes | None = None
    local_flags: int | None = None


def zip_of(  # noqa: PLR0913 - all of them can be lied about
    entries: Iterable[Entry],
    *,
    end_comment: bytes = b"",
    n_comment: int | None = None,
    n_entries: int | None = None,
    disk: int = 0,
    before_list: bytes = b"",
) -> bytes:
    """Return an archive with the entries; of sound ones it is what `pommel submit` packs."""
    body, listed = b"", b""
    entries = list(entries)
    for each in entries:
        packed = deflated(each.content) if each.packed is None else each.packed
        crc32 = zlib.crc32(each.content) if each.crc32 is None else each.crc32
        n_bytes = len(each.content) if each.n_bytes is None else each.n_bytes
        body += each.in_front
        offset = len(body) if each.offset is None else each.offset
        sizes = struct.pack("<3I", crc32, len(packed), n_bytes)
        flags = each.flags if each.local_flags is None else each.local_flags
        name = each.name if each.local_name is None else each.local_name
        body += struct.pack("<4s5H", b"PK\3\4", 20, flags, each.method, each.time, 33) + sizes
        body += struct.pack("<2H", len(name), len(each.extra)) + name + each.extra + packed
        listed += struct.pack("<4s6H", b"PK\1\2", 20, 20, each.flags, each.method, each.time, 33)
        lengths = (len(each.name), len(each.extra), len(each.comment))
        listed += sizes + struct.pack("<5H2I", *lengths, 0, 0, each.mode << 16, offset)
        listed += each.name + each.extra + each.comment
    body += before_list
    n = len(entries) if n_entries is None else n_entries
    length = len(end_comment) if n_comment is None else n_comment
    counts = (disk, 0, n, n, len(listed), len(body))
    return body + listed + struct.pack("<4s4H2IH", b"PK\5\6", *counts, length) + end_comment
