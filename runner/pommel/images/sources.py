"""What an image is built from: a folder of an author's, or one of those that ship with pommel."""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import BinaryIO

from pommel.errors import InputError, PommelError, UsageError, nearest
from pommel.files import expanded, shipped_folder
from pommel.values import frozen

# Path in the context -> a file of this machine, or what it holds.
Files = dict[str, Path | bytes]

_CHUNK_BYTES = 1 << 20
_NEVER = ("**/__pycache__", "**/*.pyc", "**/.git")
_FIRST_YEAR = 315532800  # 1980: programs that zip files know none before


def files_below(folder: Path, *, dockerfile: str = "Dockerfile") -> Files:
    """Return the files of a folder, by their path in it, without what `.dockerignore` names.

    Raises `InputError` as `files_of` does.
    """
    from docker.utils import exclude_paths

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
    path = expanded(path)
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
    try:
        if isinstance(content, bytes):
            opened: BinaryIO = io.BytesIO(content)
            left, mode = len(content), 0o644
        else:
            stat = content.stat()
            opened, left = content.open("rb"), stat.st_size
            mode = 0o755 if stat.st_mode & 0o111 else 0o644
        padding = bytes(-left % tarfile.BLOCKSIZE)
        with opened:
            yield _header(path, tarfile.REGTYPE, mode, left)
            while chunk := opened.read(min(left, _CHUNK_BYTES)):
                left -= len(chunk)
                yield chunk
    except OSError as error:
        raise InputError(f"{content!s}: {error.strerror or error}") from None
    if left:
        raise InputError(f"{content!s}: it became shorter while it was read")
    yield padding


def _header(path: str, kind: bytes, mode: int, size: int) -> bytes:
    member = tarfile.TarInfo(path)
    member.type, member.mode, member.size, member.mtime = kind, mode, size, _FIRST_YEAR
    return member.tobuf(tarfile.PAX_FORMAT)


_FIRST_DATE = (1980, 1, 1, 0, 0, 0)
_TAG = "py3-none-any"
# Name in the wheel -> what it is called where pommel is installed; a checkout has its own name.
_COPIED = {"METADATA": ("METADATA", "PKG-INFO"), "entry_points.txt": ("entry_points.txt",)}


def own_wheel() -> tuple[str, bytes]:
    """Return the file name and the bytes of a wheel; the same bytes for the same files.

    Raises `PommelError` if pommel runs without having been installed in any way.
    """
    try:
        distribution = metadata.distribution("pommel")
    except metadata.PackageNotFoundError:
        raise PommelError(
            "this pommel was never installed, so that nobody knows what it needs: "
            "pip install --editable FOLDER"
        ) from None
    folder = f"pommel-{distribution.version}.dist-info"
    contents = {name: path.read_bytes() for name, path in sorted(package_files().items())}
    for name, sources in _COPIED.items():
        if text := next(filter(None, map(distribution.read_text, sources)), None):
            contents[f"{folder}/{name}"] = text.encode()
    contents[f"{folder}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: pommel\nRoot-Is-Purelib: true\nTag: {_TAG}\n".encode()
    )
    record = f"{folder}/RECORD"
    rows = []
    for name, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    contents[record] = "".join([*rows, f"{record},,\n"]).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _FIRST_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return f"pommel-{distribution.version}-{_TAG}.whl", stream.getvalue()


def package_files() -> dict[str, Path]:
    """Return every file of the package, data and all, by its path in a wheel, "pommel/api.py"."""
    shipped = Path("pommel", "shipped")
    folders = {
        Path("pommel"): Path(str(files("pommel"))),
        # In a checkout these lie elsewhere.
        shipped / "image_sources": shipped_folder("image_sources"),
        shipped / "schemas": shipped_folder("schemas"),
        shipped / "suites": shipped_folder("suites"),
    }
    return {
        (place / path.relative_to(folder)).as_posix(): path
        for place, folder in folders.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }


# Those that share files are built from all sources. pommel itself runs in them.
_SHARING = ("ngram", "lstm", "huggingface")
SHIPPED = ("template", *_SHARING)


@frozen
class Source:
    """A folder to build from; `dockerfile` is the path in it, `name` what the image is called.

    `has_pommel` says whether pommel runs in it; weights can then be built in.
    """

    name: str
    folder: Path
    dockerfile: str = "Dockerfile"
    has_pommel: bool = False

    def has_argument(self, name: str) -> bool:
        """Say whether the Dockerfile has a build argument of this name."""
        text = (self.folder / self.dockerfile).read_text("utf-8", errors="replace")
        return bool(re.search(rf"(?im)^\s*ARG\s+{re.escape(name)}\b", text))


def find_source(text: str) -> Source:
    """Return what `text` names: a shipped image, or else a folder with a Dockerfile.

    Raises `InputError` if it is neither.
    """
    if text in _SHARING:
        return Source(
            name=text,
            folder=shipped_folder("image_sources").resolve(),
            dockerfile=f"{text}/Dockerfile",
            has_pommel=True,
        )
    folder = shipped_folder("image_sources") / text if text in SHIPPED else expanded(text)
    folder = folder.resolve()
    if not folder.is_dir():
        meant = nearest(text, SHIPPED)
        hint = f" (did you mean {meant}?)" if meant else ""
        raise InputError(
            f"{text}: there is no such folder, and no image of this name ships with pommel"
            f"{hint}; there is: {', '.join(SHIPPED)}"
        )
    if not (folder / "Dockerfile").is_file():
        raise InputError(
            f"{text}: this folder has no Dockerfile; "
            "`pommel image new NAME` makes a folder with all that an image needs"
        )
    return Source(name=folder.name, folder=folder)


def context_files(source: Source, model: Path | None) -> Files:
    """Return the files of the build context, with weights in `model/` and pommel in `wheels/`.

    Raises `UsageError` for weights that the image does not take, and `InputError` for files that
    cannot be in a context.
    """
    files = files_below(source.folder, dockerfile=source.dockerfile)
    if model is not None:
        if not source.has_pommel:
            raise UsageError(
                f"--model is for {', '.join(_SHARING)}; "
                f"{source.name} is built with what is in its folder"
            )
        files |= {f"model/{path}": content for path, content in files_of(model).items()}
    if source.has_pommel:
        wheel_name, wheel = own_wheel()
        files[f"wheels/{wheel_name}"] = wheel
    return files
