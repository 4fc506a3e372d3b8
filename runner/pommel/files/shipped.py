"""What ships with pommel: JSON Schemas, suites, built-in models, sources of container images.

The only place that knows where they lie: in `pommel/shipped/`. In a checkout, bare or installed as
editable, some are folders at its top instead, which the build maps to that place (setup.py).
"""

import json
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

# Name in pommel/shipped/ -> name at the top of a checkout.
_AT_THE_TOP = {"image_sources": "containers", "schemas": "schemas", "suites": "suites"}


def schema(name: str) -> Any:
    """Return the JSON Schema `name`, one of the files in schemas/."""
    return json.loads((_folder("schemas") / f"{name}.json").read_text("utf-8"))


def suite_files(collection: str = "") -> list[Path]:
    """Return the shipped suite files of a collection, sorted.

    It is a folder ("en/agreement"), or one of those in `collections.toml` ("clams"); the empty one
    means all. A collection that does not exist has no files.
    """
    folder = _folder("suites")
    if patterns := _named_collections().get(collection):
        return sorted({path for pattern in patterns for path in folder.glob(pattern)})
    return sorted((folder / collection).rglob("*.json")) if _inside(collection) else []


def suite_collections() -> list[str]:
    """Return the names that `suite_files` knows, "en" as well as "en/agreement" and "clams"."""
    folder = _folder("suites")
    names = {path.relative_to(folder).parent for path in folder.rglob("*.json")}
    every = names | {parent for name in names for parent in name.parents}
    return sorted({*_named_collections(), *(name.as_posix() for name in every if name.parts)})


def builtin_models() -> dict[str, Path]:
    """Return the folder of each built-in model, by name, sorted."""
    folder = _folder("builtin")
    there = folder.iterdir() if folder.is_dir() else ()
    return {each.name: each for each in sorted(there) if each.is_dir()}


def lm_zoo_registry() -> Any:
    """Return the images that the LM Zoo published, under their short names."""
    return json.loads((_folder("registry") / "lm_zoo.json").read_text("utf-8"))


def image_sources() -> Path:
    """Return the folder with the sources of the container images that ship with pommel."""
    return _folder("image_sources")


def package_files() -> dict[str, Path]:
    """Return every file of the package, data and all, by its path in a wheel, "pommel/api.py"."""
    package = Path(str(files("pommel")))
    folders = {Path("pommel"): package}
    folders |= {Path("pommel", "shipped", name): _folder(name) for name in _AT_THE_TOP}
    return {
        (place / path.relative_to(folder)).as_posix(): path
        for place, folder in folders.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }


def _named_collections() -> Mapping[str, list[str]]:
    return tomllib.loads((_folder("suites") / "collections.toml").read_text("utf-8"))


def _inside(collection: str) -> bool:
    return ".." not in Path(collection).parts and not Path(collection).is_absolute()


def _folder(name: str) -> Path:
    # A package that is not on disk (a zip file) has no model folders that torch could open.
    package = Path(str(files("pommel")))
    folder = package / "shipped" / name
    if folder.is_dir() or name not in _AT_THE_TOP:
        return folder
    return package.parents[1] / _AT_THE_TOP[name]
