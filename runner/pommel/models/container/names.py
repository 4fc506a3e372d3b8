"""The short names of the LM Zoo (`GRNN`, `gpt2`) and the images they stand for."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pommel.errors import InputError, ModelNotAvailableError, nearest
from pommel.files import DecodedText, json_schema, shipped_folder
from pommel.models.reference_files import check_shape, parse_json

_DEFAULT_REGISTRY = "docker.io"


class LmZooRegistry(dict[str, Mapping[str, Any]]):
    """What is known of each published image, under its short name."""

    @classmethod
    def installed(cls) -> "LmZooRegistry":
        """Return the user's own copy, where there is one, or what ships with pommel.

        Nothing is ever fetched. Raises `InputError` for a copy that is no registry.
        """
        path = cls.copy_path()
        if not path.is_file():
            published = shipped_folder("registry") / "lm_zoo.json"
            return cls(json.loads(published.read_text("utf-8")))
        try:
            entries = parse_json(DecodedText.read(path).text, where=str(path))
            schema, noun = json_schema("lm_zoo_registry"), "registry of LM Zoo images"
            check_shape(entries, schema, where=str(path), noun=noun)
        except InputError as error:
            raise InputError(f"{error}; mend this file, or delete it") from error
        return cls(entries)

    @staticmethod
    def copy_path() -> Path:
        """Return where the user's copy is, or would be."""
        folder = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        return Path(folder).expanduser() / "pommel" / "lm_zoo_registry.json"

    def image_reference(self, shortname: str) -> str:
        """Return the image that a short name stands for, as `docker://NAME:TAG`.

        Raises `ModelNotAvailableError`, with the nearest name that there is, for any other.
        """
        if shortname not in self:
            meant = nearest(shortname, self)
            hint = f" (did you mean {meant}?)" if meant else ""
            raise ModelNotAvailableError(
                f"there is no image {shortname!r} in the registry{hint}; "
                f"it is one of {', '.join(self)}, or write docker://NAME:TAG"
            )
        image = self[shortname]["image"]
        host = image.get("registry") or _DEFAULT_REGISTRY
        prefix = "" if host == _DEFAULT_REGISTRY else f"{host}/"
        tag = f":{image['tag']}" if image.get("tag") else ""
        return f"docker://{prefix}{image['name']}{tag}"
