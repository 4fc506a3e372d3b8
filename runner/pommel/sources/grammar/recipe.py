"""What a suite says of how it was generated."""

from collections.abc import Mapping
from typing import Any

from pommel.files.text import DecodedText


def recipe(kind: str, files: Mapping[str, DecodedText]) -> dict[str, Any]:
    """Return the kind of a grammar and the SHA-256 of its files, as they were when they were read.

    `files` are by the names that they have in the recipe.
    """
    return {"kind": kind, "files": {name: each.sha256 for name, each in files.items()}}
