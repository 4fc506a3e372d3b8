"""The rooms of the package: few doors, and what goes through them stands in their tables."""

import ast
import tomllib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from benchmarks.house import crossing_names, entries, forwarded

# What a reader can keep in view: the goals of benchmarks/house.
MOST_ENTRIES = 27
MOST_NAMES = 215
MOST_FILES = 450


def rooms(repository: Path) -> list[str]:
    """Return the rooms that are packages and offer something: those with a table."""
    package = repository / "runner" / "pommel"
    return sorted(path.parent.name for path in package.glob("*/__init__.pyi"))


def table(repository: Path, room: str) -> Mapping[str, str]:
    """Return the names in a room's table, and the modules that have them."""
    text = (repository / "runner" / "pommel" / room / "__init__.pyi").read_text("utf-8")
    return {
        alias.name: node.module or ""
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_few_names_cross_from_room_to_room(repository: Path) -> None:
    assert len(crossing_names(repository)) <= MOST_NAMES


def test_what_crosses_stands_in_the_table_of_its_room(repository: Path) -> None:
    assert forwarded(repository) == {}


def test_what_stands_in_a_table_is_used_by_another_room(repository: Path) -> None:
    used = {room: set[str]() for room in rooms(repository)}
    for room, name in crossing_names(repository):
        used.setdefault(room, set()).add(name)
    idle = {room: sorted({*table(repository, room)} - used[room]) for room in rooms(repository)}
    assert {room: names for room, names in idle.items() if names} == {}


def test_a_room_has_what_its_table_names(repository: Path) -> None:
    for room in rooms(repository):
        module = import_module(f"pommel.{room}")
        for name, home in table(repository, room).items():
            where = import_module(f"pommel.{room}.{home}".rstrip("."))
            # A name may be a module of the room.
            assert getattr(module, name) is getattr(where, name), f"{room}.{name}"


def test_the_package_has_few_entries_and_files(repository: Path) -> None:
    package = repository / "runner" / "pommel"
    assert len(entries(package)) <= MOST_ENTRIES
    assert len([*package.rglob("*.py"), *package.rglob("*.pyi")]) <= MOST_FILES


def test_every_room_has_its_tests(repository: Path) -> None:
    settings = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))
    (layers,) = (
        each["layers"]
        for each in settings["tool"]["importlinter"]["contracts"]
        if each["type"] == "layers"
    )
    every = {room.strip() for layer in layers for room in layer.split("|")} - {"__main__"}
    tests = repository / "tests"
    missing = [
        room
        for room in sorted(every)
        if not (tests / room).is_dir() and not (tests / f"test_{room}.py").is_file()
    ]
    assert missing == []
