"""What ships with pommel: JSON Schemas, suites, built-in models, sources of container images.

The only place that knows where they lie. They are found through `importlib.resources`, so
that a wheel, an editable install and a bare checkout behave alike.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any


def schema(name: str) -> Any:
    """Return the JSON Schema `name`, one of the files in schemas/."""
    return json.loads((_root() / "schemas" / f"{name}.json").read_text("utf-8"))


def suite_files(collection: str = "") -> list[Path]:
    """Return the shipped suite files of a collection, sorted.

    It is a folder ("en/agreement"), or one of those in `collections.toml` ("clams"); the empty one
    means all. A collection that does not exist has no files.
    """
    folder = _root() / "suites"
    if patterns := _named_collections().get(collection):
        return sorted({path for pattern in patterns for path in folder.glob(pattern)})
    return sorted((folder / collection).rglob("*.json")) if _inside(collection) else []


def suite_collections() -> list[str]:
    """Return the names that `suite_files` knows, "en" as well as "en/agreement" and "clams"."""
    folder = _root() / "suites"
    names = {path.relative_to(folder).parent for path in folder.rglob("*.json")}
    every = names | {parent for name in names for parent in name.parents}
    return sorted({*_named_collections(), *(name.as_posix() for name in every if name.parts)})


def builtin_model(name: str) -> Path:
    """Return the folder of the built-in model `name`; raises `KeyError` if there is none."""
    folder = _root() / "builtin" / name
    if name not in builtin_models():
        raise KeyError(name)
    return folder


def builtin_models() -> list[str]:
    """Return the names of the built-in models, sorted."""
    return sorted(_folders(_root() / "builtin"))


def lm_zoo_registry() -> Any:
    """Return the images that the LM Zoo published, under their short names."""
    return json.loads((_root() / "registry" / "lm_zoo.json").read_text("utf-8"))


def image_sources() -> Path:
    """Return the folder with the sources of the container images that ship with pommel."""
    return _root() / "image_sources"


def _named_collections() -> Mapping[str, list[str]]:
    return tomllib.loads((_root() / "suites" / "collections.toml").read_text("utf-8"))


def _folders(folder: Path) -> Iterator[str]:
    if folder.is_dir():
        yield from (entry.name for entry in folder.iterdir() if entry.is_dir())


def _inside(collection: str) -> bool:
    return ".." not in Path(collection).parts and not Path(collection).is_absolute()


def _root() -> Path:
    # A package that is not on disk (a zip file) has no model folders that torch could open.
    return Path(str(files("pommel"))) / "shipped"
