"""The one way in which a submission is packed: a ZIP file that leaves nothing to choose.

A local header, a name and deflated content for each file, then the list of files, then the end
record (PKWARE APPNOTE 6.3, 4.3.6). All that is not a name, a length, a place or a check sum is
constant: no times, no attributes, no extra fields, no comments, no ZIP64. So the same content is
the same bytes, and a reader can say of every byte outside the content what it has to be.
"""

import struct
from dataclasses import dataclass

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
