"""The short names of the LM Zoo (`GRNN`, `gpt2`) and the images they stand for."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pommel.errors import InputError, ModelNotAvailableError, nearest
from pommel.files import DecodedText, json_schema, shipped_folder
from pommel.models.reference_files import check_shape, parse_json

_DEFAULT_REGISTRY = "docker.io"


class LmZooRegistry(Mapping[str, Mapping[str, Any]]):
    """What is known of each published image, under its short name."""

    def __init__(self, entries: Mapping[str, Mapping[str, Any]]) -> None:
        """Take what `schemas/lm_zoo_registry.json` describes."""
        self._entries = entries

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
            text = DecodedText.read(path).text
            return cls.parse(text, where=str(path), noun="registry of LM Zoo images")
        except InputError as error:
            raise InputError(f"{error}; mend this file, or delete it") from error

    @classmethod
    def parse(cls, text: str, *, where: str, noun: str) -> "LmZooRegistry":
        """Read a registry's text; raises `InputError`, with `where`, for what is no `noun`."""
        entries = parse_json(text, where=where)
        check_shape(entries, json_schema("lm_zoo_registry"), where=where, noun=noun)
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

    def __getitem__(self, shortname: str) -> Mapping[str, Any]:
        return self._entries[shortname]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
