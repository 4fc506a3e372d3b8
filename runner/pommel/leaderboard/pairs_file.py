"""The file that keeps the p of all pairs of a board, so that an addition computes its own only."""

import io
import zlib
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from pommel.leaderboard.standings import Pairs

# 11,000 submissions.
MOST_BYTES = 2**30

# What numpy and zipfile raise for a file that is no archive of arrays, or a damaged one.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
    MemoryError,
    BadZipFile,
    zlib.error,
)


def pairs_bytes(pairs: Pairs) -> bytes:
    """Return the content of the file."""
    packed = io.BytesIO()
    np.savez(packed, ids=np.array(pairs.ids, dtype="U"), p=pairs.p, n_signs=pairs.n_signs)
    return packed.getvalue()


def pairs_from(raw: bytes) -> Pairs:
    """Return the pairs of a file, none if that cannot be read; what is wrong does not matter."""
    try:
        if not _is_stored(raw):
            return Pairs.none()
        with np.load(io.BytesIO(raw), allow_pickle=False) as kept:
            ids, p, n_signs = tuple(map(str, kept["ids"])), kept["p"], kept["n_signs"]
    except _UNREADABLE:
        return Pairs.none()
    if p.shape != (len(ids), len(ids)) or p.dtype != np.float64:
        return Pairs.none()
    if n_signs.shape != () or n_signs.dtype.kind != "i":
        return Pairs.none()
    between = p[~np.eye(len(ids), dtype=bool)]
    if not ((between > 0) & (between <= 1)).all() or not np.isnan(np.diagonal(p)).all():
        return Pairs.none()
    return Pairs(ids=ids, p=p, n_signs=int(n_signs))


def _is_stored(raw: bytes) -> bool:
    """Return whether the arrays are not compressed: unpacked, a few bytes might fill the memory."""
    with ZipFile(io.BytesIO(raw)) as archive:
        members = archive.infolist()
    return all(
        each.compress_type == ZIP_STORED and each.file_size == each.compress_size
        for each in members
    )
