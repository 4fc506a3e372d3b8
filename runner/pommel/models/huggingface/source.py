"""From a `huggingface://` reference to a folder with the model's files, downloaded if need be."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pommel.errors import ModelNotAvailableError, first_line
from pommel.models.huggingface.files import PICKLE, SAFETENSORS, weight_names
from pommel.models.model import LoadOptions

SCHEME = "huggingface://"

_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")
_COMMIT = re.compile(r"[0-9a-f]{40}")
# All that is small: configuration, tokenizer, the index of the weights.
_SMALL_FILES = (
    *("*.json", "*.txt", "*.model", "*.tiktoken", "*.codes"),
    *("*.spm", "*.tokenizer", "*.bpe"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a model lies. `revision` is the commit, known for what came from the hub."""

    reference: str
    folder: Path
    name: str
    revision: str | None


def find_source(reference: str, options: LoadOptions) -> Source:
    """Return where the model of `huggingface://NAME-or-folder[@revision]` lies.

    A folder that exists wins over a hub name, and a folder whose own name holds an `@` over a
    revision. Raises `ModelNotAvailableError` if neither the disk nor the hub has such a model.
    """
    body = reference.removeprefix(SCHEME)
    path = Path(body).expanduser()
    if body and path.is_dir():
        return Source(
            reference=reference, folder=path, name=path.resolve().name, revision=commit_of(path)
        )
    if body and path.exists():
        raise ModelNotAvailableError(f"{reference}: {path} is a file; a model is a folder")
    name, at, revision = body.partition("@")
    if at and Path(name).expanduser().is_dir():
        raise ModelNotAvailableError(
            f"{reference}: {name} is a folder, and folders have no revisions; write {SCHEME}{name}"
        )
    if body.startswith(("/", ".", "~")) or name.count("/") > 1:
        raise ModelNotAvailableError(f"{reference}: there is no folder {path}")
    if not _HUB_NAME.fullmatch(name) or (at and not revision):
        raise ModelNotAvailableError(
            f"{reference}: {body!r} is neither a folder nor a name on the Hugging Face hub "
            f"(NAME, OWNER/NAME or OWNER/NAME@REVISION)"
        )
    folder = _download(reference, name, revision or None, options)
    return Source(
        reference=reference, folder=folder, name=name.split("/")[-1], revision=commit_of(folder)
    )


def commit_of(folder: Path) -> str | None:
    """Return the commit that a folder of the hub's cache holds, None for any other folder."""
    folder = folder.resolve()
    inside_cache = folder.parent.name == "snapshots" and _COMMIT.fullmatch(folder.name)
    return folder.name if inside_cache else None


def _download(reference: str, name: str, revision: str | None, options: LoadOptions) -> Path:
    with _hub_errors(reference, name, revision, options), _progress_for_people():
        small = (*_SMALL_FILES, "*.py") if options.trust_remote_code else _SMALL_FILES
        folder = _snapshot(name, revision, small, options)
        # From here on one and the same commit, whatever happens to a branch meanwhile.
        revision = commit_of(folder) or revision
        for weights in (SAFETENSORS, PICKLE) if options.allow_pickle else (SAFETENSORS,):
            names = weight_names(folder, weights, reference=reference)
            folder = _snapshot(name, revision, names, options)
            if all((folder / part).is_file() for part in names):
                return folder
    if options.allow_pickle:
        raise ModelNotAvailableError(f"{reference}: it has no weights ({SAFETENSORS} or {PICKLE})")
    raise ModelNotAvailableError(
        f"{reference}: it has no weights as {SAFETENSORS}; "
        f"only safetensors are read unless --allow-pickle is given"
    )


def _snapshot(
    name: str, revision: str | None, patterns: tuple[str, ...], options: LoadOptions
) -> Path:
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - an extra
    from huggingface_hub.errors import LocalEntryNotFoundError  # noqa: PLC0415 - an extra

    try:
        folder = snapshot_download(
            name,
            revision=revision,
            allow_patterns=list(patterns),
            ignore_patterns=["*/*"],
            local_files_only=options.offline,
        )
    except LocalEntryNotFoundError as error:
        # What other programs fetched is enough for us if it holds what we look for below.
        partial = getattr(error, "snapshot_path", None)
        if partial is None:
            raise
        folder = str(partial)
    return Path(folder)


@contextmanager
def _hub_errors(
    reference: str, name: str, revision: str | None, options: LoadOptions
) -> Iterator[None]:
    """Turn what the hub's library raises into one line each."""
    from huggingface_hub import constants, errors  # noqa: PLC0415 - an extra

    try:
        yield
    except errors.GatedRepoError:
        message = "its authors ask you to accept terms on its page first; then run 'hf auth login'"
    except errors.RepositoryNotFoundError:
        message = (
            f"the Hugging Face hub has no model {name!r}, or you may not read it; "
            f"check the name, and log in with 'hf auth login' if it is private"
        )
    except errors.RevisionNotFoundError:
        message = f"the model {name!r} has no revision {revision!r}"
    except errors.LocalEntryNotFoundError:
        if options.offline or constants.HF_HUB_OFFLINE:
            reason = "downloads are off; load it once with a connection, without --offline"
        else:
            reason = "the Hugging Face hub cannot be reached"
        message = f"{name!r} is not in the local cache ({constants.HF_HUB_CACHE}) and {reason}"
    except ModelNotAvailableError:
        raise
    except Exception as error:  # noqa: BLE001 - the errors of three HTTP libraries share no base
        message = f"the download failed: {first_line(error)}"
    else:
        return
    raise ModelNotAvailableError(f"{reference}: {message}")


@contextmanager
def _progress_for_people() -> Iterator[None]:
    """Show the hub's progress bars on a terminal only; they go to stderr."""
    hub: Any = import_module("huggingface_hub.utils")
    if sys.stderr.isatty() or hub.are_progress_bars_disabled():
        yield
        return
    hub.disable_progress_bars()
    try:
        yield
    finally:
        hub.enable_progress_bars()
