"""What names an image that is a file or a folder: a digest over all that is in it."""

import hashlib
import os
import stat
from pathlib import Path


def image_digest(path: Path) -> str:
    """Return "sha256:..." of a file's bytes, or of all that is in a folder.

    Of a folder, what counts is every name in it with its kind, its permissions and its contents
    (of a link, where it points to); not owners, and not times. Raises `OSError` for what cannot
    be read.
    """
    if not path.is_dir():
        return f"sha256:{_file_digest(path).hex()}"
    digest = hashlib.sha256()
    for entry in _entries(os.fsencode(path)):
        status = os.lstat(entry)
        fields = (os.path.relpath(entry, os.fsencode(path)), b"%o" % status.st_mode)
        for field in (*fields, _contents(entry, status.st_mode)):
            # Its length first: no two folders may be written down alike.
            digest.update(len(field).to_bytes(8))
            digest.update(field)
    return f"sha256:{digest.hexdigest()}"


def _entries(folder: bytes) -> list[bytes]:
    """Return everything below a folder, in an order that every file system agrees on."""
    found = []
    for parent, folders, files in os.walk(folder, onerror=_raise):
        found += [os.path.join(parent, name) for name in (*folders, *files)]  # noqa: PTH118 - names need not be text
    return sorted(found)


def _contents(entry: bytes, mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return os.readlink(entry)  # noqa: PTH115 - names need not be text
    if stat.S_ISREG(mode):
        return _file_digest(entry)
    return b""


def _file_digest(path: Path | bytes) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - names need not be text
        return hashlib.file_digest(file, "sha256").digest()


def _raise(error: OSError) -> None:
    raise error
