"""Weights of the user's that go into a container: are they there, and which ones are they?"""

import errno
import hashlib
import os
from pathlib import Path

from pommel.errors import ModelNotAvailableError

_CIRCLE = "this link leads in a circle"


def check_checkpoint(path: Path) -> Path:
    """Return the full path of a file or folder that a container will see whole.

    Raises `ModelNotAvailableError` if it is not there or cannot be reached, or holds links that
    lead out of it or in a circle.
    """
    try:
        path = path.expanduser()
    except RuntimeError:
        message = f"--checkpoint {path}: there is no home folder of {path.parts[0]}"
        raise ModelNotAvailableError(message) from None
    reason = _refusal(path)
    if reason is not None:
        raise ModelNotAvailableError(f"--checkpoint {path}: {reason}")
    full = Path(os.path.realpath(path))
    for link in filter(Path.is_symlink, full.rglob("*")):
        name = link.relative_to(full)
        if not Path(os.path.realpath(link)).is_relative_to(full):
            raise ModelNotAvailableError(
                f"--checkpoint {path}: {name} is a link that leads out of "
                f"it, where a container sees nothing; copy what it leads to: cp -rL {path} FOLDER"
            )
        # A link to nothing is harmless.
        if _refusal(link) == _CIRCLE:
            raise ModelNotAvailableError(f"--checkpoint {path}: {name}: {_CIRCLE}; remove it")
    return full


def check_readable(path: Path, user: str) -> None:
    """Make sure that a user of a container, `uid:gid`, may read a checkpoint.

    Raises `ModelNotAvailableError`: programs that train models leave weights that nobody but
    their owner can read.
    """
    uid, _, gid = user.partition(":")
    for each in [path, *path.rglob("*")]:
        if each.is_symlink():
            continue
        stat = each.stat()
        needed = 0o5 if each.is_dir() else 0o4
        shift = 6 if str(stat.st_uid) == uid else 3 if str(stat.st_gid) == gid else 0
        if uid != "0" and (stat.st_mode >> shift) & needed != needed:
            raise ModelNotAvailableError(
                f"--checkpoint {path}: in the container, user {user} cannot read {each.name}; "
                f"chmod -R a+rX {path}, or --sandbox user=UID:GID"
            )


def _refusal(path: Path) -> str | None:
    """Return why a path leads to nothing, None if it leads to something."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return "there is no such file or folder"
    except OSError as error:
        return _CIRCLE if error.errno == errno.ELOOP else error.strerror or str(error)
    except ValueError as error:
        # A null character.
        return str(error)
    return None


def contents_hash(path: Path) -> str:
    """Return the SHA-256 over all files of a checkpoint: names, sizes and contents.

    Raises `ModelNotAvailableError` for a file that cannot be read.
    """
    digest = hashlib.sha256()
    try:
        files = [path] if path.is_file() else sorted(filter(Path.is_file, path.rglob("*")))
        for file in files:
            name, size = file.relative_to(path).as_posix(), file.stat().st_size
            digest.update(f"{len(name.encode())} {name} {size}\n".encode())
            with file.open("rb") as opened:
                hashlib.file_digest(opened, lambda: digest)
    except OSError as error:
        message = f"--checkpoint {error.filename or path}: {error.strerror or error}"
        raise ModelNotAvailableError(message) from None
    return digest.hexdigest()
