"""Writing an archive, file by file, piece by piece."""

import hashlib
import zlib
from collections.abc import Iterable
from typing import IO

from pommel.leaderboard.submission.errors import SubmissionError
from pommel.leaderboard.submission.limits import Limits
from pommel.leaderboard.submission.zip_layout import (
    Member,
    central_header,
    end_record,
    local_header,
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
