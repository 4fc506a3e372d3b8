"""A new image's folder, made from the template that ships with pommel."""

import re
import tempfile
from pathlib import Path

from pommel.errors import PommelError, UsageError
from pommel.files import shipped_folder, write_text
from pommel.images.sources import SHIPPED

# What an image may be called everywhere: one part of a repository's name.
_NAME = re.compile(r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*")
_LONGEST = 64
# What the template says where a name belongs.
_PLACEHOLDERS = ('"template"', "my-model")


def new_image(name: str, into: Path) -> Path:
    """Make the folder `into / name` with all that an image needs, and return it.

    Raises `UsageError` for a name that no image can have, `PommelError` if there is something by
    that name already or the folder cannot be written; nothing half-written is left.
    """
    _check_name(name)
    folder = into / name
    if folder.exists() or folder.is_symlink():
        raise PommelError(f"{folder}: it is there already, and nothing is overwritten")
    try:
        into.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            dir=into, prefix=f".{name}.", suffix=".part", ignore_cleanup_errors=True
        ) as aside:
            made = Path(aside, name)
            made.mkdir()
            _fill(made, name)
            made.rename(folder)
    except OSError as error:
        raise PommelError(f"{folder}: cannot be written: {error.strerror or error}") from None
    return folder


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise UsageError(
            f"an image cannot be called {name!r}; write small letters and digits, with single "
            f"dots, dashes or underscores between them, {_LONGEST} at most"
        )
    if name in SHIPPED:
        raise UsageError(f"{name!r} is an image that ships with pommel; choose another name")


def _fill(folder: Path, name: str) -> None:
    template = shipped_folder("image_sources") / "template"
    for source in sorted(template.rglob("*")):
        if not source.is_file() or source.suffix == ".pyc" or "__pycache__" in source.parts:
            continue
        target = folder / source.relative_to(template)
        text = source.read_text("utf-8")
        for placeholder in _PLACEHOLDERS:
            text = text.replace(placeholder, placeholder.replace(placeholder.strip('"'), name))
        write_text(target, text)
        if text.startswith("#!"):
            # Whoever may read it may run it; archives and installers lose this.
            target.chmod(target.stat().st_mode | (target.stat().st_mode & 0o444) >> 2)
