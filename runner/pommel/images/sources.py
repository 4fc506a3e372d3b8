"""What an image is built from: a folder of an author's, or one of those that ship with pommel."""

import re
from dataclasses import dataclass
from pathlib import Path

from pommel.errors import InputError, UsageError, nearest
from pommel.files import shipped as data
from pommel.images.context import Files, files_below, files_of
from pommel.images.own_wheel import own_wheel

# Those that share files are built from all sources. pommel itself runs in them.
_SHARING = ("ngram", "lstm", "huggingface")
SHIPPED = ("template", *_SHARING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder to build from; `dockerfile` is the path in it, `name` what the image is called.

    `has_pommel` says whether pommel runs in it; weights can then be built in.
    """

    name: str
    folder: Path
    dockerfile: str = "Dockerfile"
    has_pommel: bool = False

    @property
    def dockerfile_text(self) -> str:
        """What the Dockerfile says."""
        return (self.folder / self.dockerfile).read_text("utf-8", errors="replace")

    def has_argument(self, name: str) -> bool:
        """Say whether the Dockerfile has a build argument of this name."""
        pattern = rf"^\s*ARG\s+{re.escape(name)}\b"
        return bool(re.search(pattern, self.dockerfile_text, re.IGNORECASE | re.MULTILINE))


def find_source(text: str) -> Source:
    """Return what `text` names: a shipped image, or else a folder with a Dockerfile.

    Raises `InputError` if it is neither.
    """
    if text in _SHARING:
        return Source(
            name=text,
            folder=data.image_sources().resolve(),
            dockerfile=f"{text}/Dockerfile",
            has_pommel=True,
        )
    folder = (data.image_sources() / text if text in SHIPPED else Path(text)).expanduser().resolve()
    if not folder.is_dir():
        meant = nearest(text, SHIPPED)
        hint = f" (did you mean {meant}?)" if meant else ""
        raise InputError(
            f"{text}: there is no such folder, and no image of this name ships with pommel{hint}; "
            f"there is: {', '.join(SHIPPED)}"
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
