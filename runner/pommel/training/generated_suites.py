"""The suites that ship generated, made again from their grammars by the recipes in their `meta`."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pommel.errors import InputError
from pommel.sources import Generation

# Where the grammars of a language's suites lie, below the language's folder.
_SOURCES = "sources"


def generated_suites(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each suite below a folder of languages that has a recipe, with its text made again.

    Raises `InputError` for a suite whose grammar is not there, and as the grammar's engine does.
    """
    for path in sorted(folder.rglob("*.json")):
        meta = json.loads(path.read_bytes())["meta"]
        if "generator" in meta:
            grammar = _grammar(path, folder / path.relative_to(folder).parts[0], meta["generator"])
            yield path, _text(grammar, meta["name"], meta["generator"])


def _grammar(suite: Path, language: Path, recipe: Mapping[str, Any]) -> Path:
    for name in recipe["files"]:
        path: Path = language / _SOURCES / name
        if path.suffix in Generation.endings() and path.is_file():
            return path
    raise InputError(f"{suite}: its grammar is not in {language / _SOURCES}")


def _text(grammar: Path, name: str, recipe: Mapping[str, Any]) -> str:
    sample = recipe["sample"] or {"n": None, "seed": 1}
    generation = replace(
        Generation.of_file(grammar, depth=recipe.get("depth")),
        name=name,
        n_sampled=sample["n"],
        seed=sample["seed"],
        eos=recipe["eos"],
        capitalize=recipe["capitalize"],
    )
    return "".join(generation.content(as_sets=False).suite_pieces())
