"""A build context as a tar file, which depends on names and contents only.

Whoever owns the files, whoever may read them here and when they were changed makes no difference:
in the image everyone may read them (published weights often come as files that only their owner
may read), and a second build finds what the first one has made.
"""

import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from pommel.errors import InputError

# Path in the context -> a file of this machine, or what it holds.
Files = dict[str, Path | bytes]

_CHUNK_BYTES = 1 << 20
_NEVER = ("**/__pycache__", "**/*.pyc", "**/.git")
_FIRST_YEAR = 315532800  # 1980: programs that zip files know none before


def files_below(folder: Path, *, dockerfile: str = "Dockerfile") -> Files:
    """Return the files of a folder, by their path in it, without what `.dockerignore` names.

    Raises `InputError` as `files_of` does.
    """
    from docker.utils import exclude_paths  # noqa: PLC0415 - an extra

    ignored = [*_NEVER]
    if (folder / ".dockerignore").is_file():
        lines = (folder / ".dockerignore").read_text("utf-8", errors="replace").splitlines()
        ignored += [line.strip() for line in lines if line.strip() and line.strip()[0] != "#"]
    paths = sorted(exclude_paths(folder, ignored, dockerfile=dockerfile))
    return _checked({path: folder / path for path in paths}, folder)


def files_of(path: Path) -> Files:
    """Return a file by its name, or the files of a folder by their path in it.

    A link stands for the file it leads to, in the folder or in the cache that the folder is a
    part of. Raises `InputError` for one that leads elsewhere or to a folder, and for what is not
    there.
    """
    path = path.expanduser()
    if path.is_file():
        return {path.name: path}
    if not path.is_dir():
        raise InputError(f"{path}: there is no such file or folder")
    full = path.resolve()
    # The hub's cache keeps a model's files elsewhere, and has links to them in its folder.
    is_cached = full.parent.name == "snapshots" and (full.parent.parent / "blobs").is_dir()
    everything = {each.relative_to(full).as_posix(): each for each in sorted(full.rglob("*"))}
    return _checked(everything, full.parent.parent if is_cached else full)


def context_chunks(files: Mapping[str, Path | bytes]) -> Iterator[bytes]:
    """Yield the bytes of the tar file, folders before what is in them.

    Raises `InputError` for a file that cannot be read, or changes meanwhile.
    """
    folders = {str(parent) for path in files for parent in Path(path).parents} - {"."}
    for path in sorted({*files, *folders}):
        if path in folders:
            yield _header(path, tarfile.DIRTYPE, 0o755, 0)
        else:
            yield from _file(path, files[path])
    yield bytes(2 * tarfile.BLOCKSIZE)


def n_bytes(files: Mapping[str, Path | bytes]) -> int:
    """Return how much the files hold together."""
    return sum(
        len(each) if isinstance(each, bytes) else each.stat().st_size for each in files.values()
    )


def _checked(paths: Mapping[str, Path], root: Path) -> Files:
    """Return those that are files; raises `InputError` for what cannot be in a context."""
    found: Files = {}
    for name, path in paths.items():
        if path.is_symlink():
            _check_link(path, root)
        if path.is_file():
            found[name] = path
        elif not path.is_dir():
            raise InputError(
                f"{path}: this is neither a file nor a folder; an image cannot have it"
            )
    return found


def _check_link(path: Path, root: Path) -> None:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        raise InputError(f"{path}: this link leads nowhere; remove it") from None
    if not target.is_relative_to(root):
        what = "a place outside, which an image is not given"
    elif target.is_dir():
        what = "a folder, which an image is not given twice"
    else:
        return
    hint = f"copy what it leads to: cp -rL {path.parent} FOLDER"
    raise InputError(f"{path}: this is a link to {what}; {hint}")


def _file(path: str, content: Path | bytes) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield _header(path, tarfile.REGTYPE, 0o644, len(content))
        yield content
        yield _padding(len(content))
        return
    try:
        with content.open("rb") as opened:
            stat = content.stat()
            mode = 0o755 if stat.st_mode & 0o111 else 0o644
            yield _header(path, tarfile.REGTYPE, mode, stat.st_size)
            left = stat.st_size
            while chunk := opened.read(min(left, _CHUNK_BYTES)):
                left -= len(chunk)
                yield chunk
    except OSError as error:
        raise InputError(f"{content}: {error.strerror or error}") from None
    if left:
        raise InputError(f"{content}: it became shorter while it was read")
    yield _padding(stat.st_size)


def _header(path: str, kind: bytes, mode: int, size: int) -> bytes:
    member = tarfile.TarInfo(path)
    member.type, member.mode, member.size, member.mtime = kind, mode, size, _FIRST_YEAR
    return member.tobuf(tarfile.PAX_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)
