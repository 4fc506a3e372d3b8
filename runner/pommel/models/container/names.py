"""The short names of the LM Zoo (`GRNN`, `gpt2`) and the images they stand for."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pommel.errors import InputError, ModelNotAvailableError, nearest
from pommel.files import shipped
from pommel.files.text import DecodedText
from pommel.models.reference_files import check_shape, parse_json

_DEFAULT_REGISTRY = "docker.io"


def lm_zoo_registry() -> Mapping[str, Mapping[str, Any]]:
    """Return what is known of each image, under its short name.

    The user's own copy, where there is one, goes before what ships with pommel; nothing is ever
    fetched. Raises `InputError` for a copy that is no registry.
    """
    path = registry_copy_path()
    registry: Mapping[str, Mapping[str, Any]]
    if not path.is_file():
        registry = shipped.lm_zoo_registry()
        return registry
    try:
        registry = parse_json(DecodedText.read(path).text, where=str(path))
        schema = shipped.schema("lm_zoo_registry")
        check_shape(registry, schema, where=str(path), noun="registry of LM Zoo images")
    except InputError as error:
        raise InputError(f"{error}; delete this file, or fetch the registry again") from error
    return registry


def registry_copy_path() -> Path:
    """Return where the user's copy of the registry is, or would be."""
    folder = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(folder).expanduser() / "pommel" / "lm_zoo_registry.json"


def image_reference(shortname: str) -> str:
    """Return the image that a short name stands for, as `docker://NAME:TAG`.

    Raises `ModelNotAvailableError`, with the nearest name that there is, for any other.
    """
    registry = lm_zoo_registry()
    if shortname not in registry:
        meant = nearest(shortname, registry)
        hint = f" (did you mean {meant}?)" if meant else ""
        raise ModelNotAvailableError(
            f"there is no image {shortname!r} in the registry{hint}; "
            f"it is one of {', '.join(registry)}, or write docker://NAME:TAG"
        )
    image = registry[shortname]["image"]
    host = image.get("registry") or _DEFAULT_REGISTRY
    prefix = "" if host == _DEFAULT_REGISTRY else f"{host}/"
    tag = f":{image['tag']}" if image.get("tag") else ""
    return f"docker://{prefix}{image['name']}{tag}"
