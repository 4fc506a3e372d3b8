"""Which references of strangers may be opened: those that lead to no file and no server of ours."""

import math
import re
from pathlib import Path

from pommel.errors import UsageError, quoted

# No character of a pattern, no address with a user or a question, and nothing that goes up.
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]*")
_HUB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)?(@[A-Za-z0-9_.+/-]+)?")

_IN_REGISTRIES = ("docker", "podman", "library", "shub")
# How many parts the name of an image has at most where no registry is named. Docker's names have
# any number; there, a registry is what has a dot, a port, or capitals, or is localhost.
_MOST_PARTS = {"library": 3, "shub": 2, "oras": 0}
# A name with dots whose last part begins with a letter is no address in numbers.
_HOST = re.compile(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*(:443)?", re.IGNORECASE)
# Names of this machine and of networks that are not public end so.
_PRIVATE = re.compile(
    r"(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home|corp|arpa)(:443)?\Z",
    re.IGNORECASE,
)

# What comes behind apptainer:// may be a file as well as an image in a registry.
_APPTAINER = ("apptainer", "singularity")
_APPTAINER_SOURCES = ("docker", "library", "shub", "oras")


def check_opened(submission_id: str, reference: str) -> None:
    """Raise `UsageError` unless the reference that a stranger has submitted may be opened.

    A built-in model, a name on the Hugging Face hub, and an image in a registry may. What leads to
    this machine or its network (files, folders, servers, registries without a public name) may not,
    unless the keeper names it. Where a public name leads is not looked up.
    """
    if not _may_be_opened(reference):
        raise UsageError(
            f"{submission_id}: its reference {quoted(reference)} is not opened, for a stranger has "
            f"written it, and it is no built-in model, name on the Hugging Face hub or image in a "
            f"public registry; name it with --model"
        )


def _may_be_opened(reference: str) -> bool:
    scheme, mark, rest = reference.partition("://")
    scheme = scheme.lower()
    if scheme in _APPTAINER:
        scheme, mark, rest = rest.partition("://")
        return scheme in _APPTAINER_SOURCES and bool(mark) and _is_image(scheme, rest)
    if scheme in _IN_REGISTRIES:
        return _is_image(scheme, rest)
    if scheme == "huggingface":
        return _is_hub_name(rest)
    return scheme == "builtin" and bool(mark) and rest.replace("-", "").isalnum()


def _is_image(scheme: str, name: str) -> bool:
    if not _IMAGE.fullmatch(name) or ".." in name:
        return False
    host, slash, _ = name.partition("/")
    is_named = bool(slash) and (
        not re.fullmatch("[A-Za-z0-9_-]+", host)
        or host.lower() == "localhost"
        or name.count("/") >= _MOST_PARTS.get(scheme, math.inf)
        or (scheme not in _MOST_PARTS and host != host.lower())
    )
    return not is_named or bool(_HOST.fullmatch(host) and not _PRIVATE.search(host))


def _is_hub_name(name: str) -> bool:
    """Return whether this is a name of the hub only; a folder that is here would win over it."""
    if not _HUB_NAME.fullmatch(name) or ".." in name:
        return False
    return not Path(name).exists() and not Path(name.partition("@")[0]).exists()
