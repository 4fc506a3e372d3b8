"""How large the house is: names, files, borders between rooms, and the way of one command.

    python -m benchmarks.house [--tree DIR] [--names | --deep] [--tiers [TARGET ...]]

Prints a Markdown table of figures with their goals, for this checkout or for the one in DIR, which
may be an earlier one: 5f29ee8 is where the goals were set. `--names` lists instead the names that
cross from one room to another, with the modules that import them; `--deep` those of them that go
past the table of the room. `--tiers` also measures targets of `make` (quick and test) by running
them in the checkout.

**Entries** of runner/pommel are files and folders, without caches, empty folders, and symbolic
links, which map data in (at 5f29ee8: 72, and 3 links). **Files** and **lines** are those of
`.py` and `.pyi`. The **length of a function** goes from `def` to its last line.

A **room** is a top-level module or package of pommel. What other rooms use of it are the **names
that cross**, pairs of a room and an attribute, however many modules import them and from however
deep in the room: names in `from pommel.x.y import name`; of an imported module each attribute used
through it (the module itself, where it is used as a value); a string or the beginning of an
f-string that names something below pommel is one name, its last part. Imports in functions and
under TYPE_CHECKING count, `.pyi` files, too. `pommel/__init__` and `pommel/__main__`, the face of
the package, do not count as importers. An earlier checkout is counted in the rooms of the present
one (`HOMES`). At 5f29ee8: 609. (The issue that set the goals says 613.)

**The way** of a command is the sequence of the functions of the package in the order in which each
is entered for the first time, in a fresh process with an empty store. A function is a file and a
name; comprehensions, lambdas and module-level code have none, and what runs while a module of the
package is imported is not on the way. Files and places (top-level names below pommel) are those on
the way; a change is a function in another file, or place, than the function before it. At 5f29ee8:
371 functions, 83 files, 31 places, 216 changes of file, 129 of place.
"""

import argparse
import ast
import functools
import json
import math
import os
import re
import runpy
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import NamedTuple

HERE = Path(__file__).parents[1]
PACKAGE = "pommel"
FACE = {PACKAGE, f"{PACKAGE}.__main__"}
COMMAND = ("run", "builtin://en-ngram", "number_prep")
TIERS = {"quick": "≤ 2 min", "test": ""}
# Where modules of 5f29ee8 belong that are not called as the room they are in.
HOMES = {
    module: room
    for room, modules in {
        "errors": "wording version",
        "files": "text_file json_document json_positions json_syntax waiting frame data",
        "leaderboard": "submission",
        "models": "containers family",
        "report": "plots html_report api.results",
        "scoring": "regions needed runs suite_surprisals provenance retired_alignment results "
        "run_record family_scores frames evaluated_suite conditional capitalization",
        "sources": "suite_sources suite_cards grammar generation formats conversion contents "
        "written_forms fetch fetched_suites",
        "store": "kept_runs result_files",
        "suite": "suite_file suite_outline suite_schema suite_checks surprisal_checks suite_drafts "
        "minimal_sets published_designs languages variants formula lint",
    }.items()
    for module in modules.split()
}
_DOTTED = re.compile(rf"{PACKAGE}((?:[.:]\w+)+)\.?")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Scope = ast.Module | _Function | ast.Lambda | _Comprehension
_Named = _Function | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar
# Names that a scope binds: the dotted name that was imported, or None for anything else.
_Bindings = Mapping[str, str | None]


class Row(NamedTuple):
    """A figure: what it is, its value, and what it should come to, where there is a goal."""

    figure: str
    value: str
    goal: str = ""


class Crossing(NamedTuple):
    """A name that `importer`, a module of another room, uses of `room`.

    `path` is how it is reached (`pommel.suite.formula.parse`); it is `deep` unless it is in the
    table of the room, its `__init__`.
    """

    room: str
    attribute: str
    path: str
    importer: str
    deep: bool


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or a list of names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, default=HERE, metavar="DIR")
    lists = parser.add_mutually_exclusive_group()
    lists.add_argument("--names", action="store_true")
    lists.add_argument("--deep", action="store_true")
    parser.add_argument("--tiers", nargs="*", metavar="TARGET")
    chosen = parser.parse_args(arguments)
    tree = chosen.tree.resolve()
    if not (tree / "runner" / PACKAGE).is_dir():
        parser.error(f"{tree} is no checkout of {PACKAGE}")
    if chosen.names:
        print_names(crossing_names(tree))
    elif chosen.deep:
        for path, importers in sorted(forwarded(tree).items()):
            print(f"{path}  {_listed(importers)}")
    else:
        rows = [*sizes(tree), *borders(tree), *way_rows(way(tree))]
        if chosen.tiers is not None:
            rows += [tier(tree, target) for target in chosen.tiers or TIERS]
        print_table(rows)


def print_table(rows: Iterable[Row]) -> None:
    """Print figures as a Markdown table."""
    print("| figure | value | goal |")
    print("|---|---:|---:|")
    for row in rows:
        print(f"| {row.figure} | {row.value} | {row.goal} |")


def print_names(names: Mapping[tuple[str, str], set[str]]) -> None:
    """Print what crosses by the room it comes from, those with the most names first."""
    rooms: dict[str, list[str]] = defaultdict(list)
    for room, attribute in sorted(names):
        rooms[room].append(attribute)
    for room, attributes in sorted(rooms.items(), key=lambda each: (-len(each[1]), each[0])):
        print(f"## {room}: {len(attributes)}")
        for attribute in attributes:
            print(f"{attribute}  {_listed(names[room, attribute])}")
        print()


def _listed(modules: Iterable[str]) -> str:
    return ", ".join(sorted(module.removeprefix(f"{PACKAGE}.") for module in modules))


# Sizes.


def sizes(tree: Path) -> Iterator[Row]:
    """Yield the rows of what can be counted without knowing what imports what."""
    package = tree / "runner" / PACKAGE
    texts = {path: path.read_text("utf-8") for path in python_files(package)}
    tests = [path.read_text("utf-8") for path in python_files(tree / "tests")]
    lengths = [n for path, text in texts.items() for n in function_lengths(path, text)]
    yield Row("names in runner/pommel", f"{len(entries(package))}", "≤ 27")
    yield Row("Python files", f"{len(texts):,}", "≤ 450")
    yield Row("lines", f"{sum(len(text.splitlines()) for text in texts.values()):,}")
    yield Row("functions", f"{len(lengths):,}")
    yield Row("95th percentile of their lines", f"{percentile(lengths, 95)}", "≤ 40")
    yield Row("files of tests", f"{len(tests):,}")
    yield Row("lines of tests", f"{sum(len(text.splitlines()) for text in tests):,}")


def entries(folder: Path) -> list[str]:
    """Return the names in a folder; no caches, empty folders or symbolic links."""
    return sorted(
        path.name
        for path in folder.iterdir()
        if not path.is_symlink() and not _is_cache(path) and (path.is_file() or _has_files(path))
    )


def _has_files(folder: Path) -> bool:
    """Whether anything lies in a folder, or below it, but caches."""
    return any(
        name for root, _, files in os.walk(folder) for name in files if not _is_cache(Path(root))
    )


def _is_cache(path: Path) -> bool:
    return path.name == "__pycache__" or path.suffix == ".pyc"


def python_files(folder: Path) -> list[Path]:
    """Return the Python files and stubs in a folder and below it, not those behind links."""
    found = [Path(root) / name for root, _, files in os.walk(folder) for name in files]
    return sorted(path for path in found if path.suffix in (".py", ".pyi"))


def function_lengths(path: Path, text: str) -> list[int]:
    """Return the lines of each function and method; a stub has none."""
    if path.suffix == ".pyi":
        return []
    nodes = ast.walk(ast.parse(text))
    return [
        (node.end_lineno or 0) - node.lineno + 1 for node in nodes if isinstance(node, _Function)
    ]


def percentile(numbers: Sequence[int], percent: int) -> int:
    """Return the smallest number that `percent` % of `numbers` do not exceed; 0 of none."""
    if not numbers:
        return 0
    return sorted(numbers)[math.ceil(len(numbers) * percent / 100) - 1]


# Names that cross from one room to another.


def borders(tree: Path) -> Iterator[Row]:
    """Yield the rows of names that cross rooms."""
    found = crossings(tree)
    names = {(each.room, each.attribute) for each in found}
    deep = {each.path for each in found if each.deep}
    yield Row("names that cross rooms", f"{len(names)}", "≤ 215")
    yield Row("names taken past a room's table", f"{len(deep)}", "0")


def crossing_names(tree: Path) -> dict[tuple[str, str], set[str]]:
    """Return each (room, attribute) that other rooms use, with the modules that import it."""
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in crossings(tree):
        names[each.room, each.attribute].add(each.importer)
    return dict(names)


def forwarded(tree: Path) -> dict[str, set[str]]:
    """Return what goes past a room's table: dotted name -> modules of other rooms that use it.

    That is each name that is imported from deeper in a room than its `__init__`, and each that
    comes from there, but that `__init__` (`.py` or `.pyi`) does not have.
    """
    paths: dict[str, set[str]] = defaultdict(set)
    for each in crossings(tree):
        if each.deep:
            paths[each.path].add(each.importer)
    return dict(paths)


@functools.cache
def crossings(tree: Path) -> tuple[Crossing, ...]:
    """Return each use of a name of another room; the same one may come several times."""
    package = Package.read(tree / "runner" / PACKAGE)
    uses = [Uses(package, source) for source in package.sources if source.module not in FACE]
    return tuple(each for use in uses for each in use.found)


def room_of(path: str) -> str:
    """Return the room that a dotted name is in; `pommel` is in none, and stands for itself."""
    _, *parts = path.split(".")
    if not parts:
        return path
    return HOMES.get(".".join(parts[:2])) or HOMES.get(parts[0], parts[0])


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file of the package: the module that it is, or describes, and its syntax tree."""

    module: str
    is_package: bool
    syntax: ast.Module

    def imports_from(self, node: ast.ImportFrom) -> str:
        """Return the module that `from ... import` names, in full."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        own = parts[: len(parts) + self.is_package - node.level]
        return ".".join([*own, node.module] if node.module else own)


class Package:
    """All files of the package, and what the names in its modules are."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = sources
        self._modules = {source.module for source in sources}
        self._bindings: dict[str, dict[str, str | None]] = defaultdict(dict)
        for source in sources:
            self._bindings[source.module] |= bindings(source, source.syntax)

    @classmethod
    def read(cls, folder: Path) -> "Package":
        """Read the package in a folder."""
        sources = []
        for path in python_files(folder):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            is_package = parts[-1] == "__init__"
            module = ".".join(parts[:-1] if is_package else parts)
            syntax = ast.parse(path.read_text("utf-8"), str(path))
            sources.append(Source(module=module, is_package=is_package, syntax=syntax))
        return cls(sources)

    def module_at(self, path: str) -> str | None:
        """Return the module that a dotted name is, or None if it is no module of the package.

        What a module has under a name goes before a file of that name beside it. A module that
        another one has imported is the same module there.
        """
        base, _, name = path.rpartition(".")
        there = self._bindings[base].get(name, path) if base in self._modules else path
        if there is None:
            return None
        if there != path:
            return self.module_at(there)
        return path if path in self._modules else None

    def has(self, module: str, name: str) -> bool:
        """Whether a module itself has a name: defines it, imports it, or lists it as a stub."""
        return name in self._bindings.get(module, {})

    def has_path(self, path: str) -> bool:
        """Whether a dotted name begins with a room that there is."""
        return ".".join(path.split(".")[:2]) in self._modules


class Uses:
    """What one file uses of other rooms (`found`)."""

    def __init__(self, package: Package, source: Source) -> None:
        self.found: list[Crossing] = []
        self._package = package
        self._source = source
        self._scopes: list[_Bindings] = []
        self._visit_within(source.syntax, source.syntax.body)

    def _visit(self, node: ast.AST) -> None:
        match node:
            case ast.ImportFrom():
                self._visit_import(node)
            case ast.Attribute() if (names := _chain(node)) and self._module_called(names[0]):
                self._take_through(names)
            case ast.Name(id=name, ctx=ast.Load()) if self._module_called(name):
                self._take_through([name])
            case ast.Constant(value=str(text)):
                self._visit_text(text)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._visit_quoted(node.returns)
                self._visit_function(node, node.body)
            case ast.Lambda():
                self._visit_function(node, [node.body])
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                self._visit_within(node, ast.iter_child_nodes(node))
            case _:
                if isinstance(node, ast.arg | ast.AnnAssign):
                    self._visit_quoted(node.annotation)
                for child in ast.iter_child_nodes(node):
                    self._visit(child)

    def _visit_import(self, node: ast.ImportFrom) -> None:
        base = self._source.imports_from(node)
        for alias in node.names if _own(base) else ():
            if self._package.module_at(f"{base}.{alias.name}") is None:
                self._take(base, alias.name)

    def _visit_text(self, text: str) -> None:
        found = _DOTTED.fullmatch(text)
        path = f"{PACKAGE}{found[1]}".replace(":", ".") if found else ""
        if self._package.has_path(path):
            base, _, name = path.rpartition(".")
            room = f"{PACKAGE}.{room_of(path)}"
            in_table = base == room and self._package.has(base, name)
            self._cross(path, deep=path != room and not in_table)

    def _visit_function(self, node: _Function | ast.Lambda, body: Sequence[ast.AST]) -> None:
        """Visit decorators, defaults and annotations outside of the function, its body inside."""
        for child in ast.iter_child_nodes(node):
            if child not in body:
                self._visit(child)
        self._visit_within(node, body)

    def _visit_within(self, scope: _Scope, nodes: Iterable[ast.AST]) -> None:
        self._scopes.append(bindings(self._source, scope))
        for node in nodes:
            self._visit(node)
        self._scopes.pop()

    def _visit_quoted(self, annotation: ast.expr | None) -> None:
        """Visit the attributes in annotations that are strings, whole or in part."""
        for node in ast.walk(annotation) if annotation else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                try:
                    inner = ast.parse(node.value, mode="eval")
                except SyntaxError:  # a word in a Literal
                    continue
                for part in ast.walk(inner):
                    if isinstance(part, ast.Attribute):
                        self._visit(part)

    def _module_called(self, name: str) -> str | None:
        """Return the module of the package that a name stands for here."""
        for scope in reversed(self._scopes):
            if name in scope:
                path = scope[name]
                return self._package.module_at(path) if path else None
        return None

    def _take_through(self, names: Sequence[str]) -> None:
        """Take the first of the names of `a.b.c` that is no module, or the last one."""
        module = self._module_called(names[0]) or ""
        for name in names[1:]:
            inner = self._package.module_at(f"{module}.{name}")
            if inner is None:
                self._take(module, name)
                return
            module = inner
        self._cross(module, deep=module != f"{PACKAGE}.{room_of(module)}")

    def _take(self, module: str, name: str) -> None:
        room = f"{PACKAGE}.{room_of(module)}"
        self._cross(f"{module}.{name}", deep=module != room or not self._package.has(module, name))

    def _cross(self, path: str, *, deep: bool) -> None:
        room, importer = room_of(path), self._source.module
        if room != room_of(importer):
            attribute = path.rpartition(".")[2]
            self.found.append(Crossing(room, attribute, path, importer, deep))


def bindings(source: Source, scope: _Scope) -> _Bindings:
    """Return the names that a scope of a file binds; an import goes before all else."""
    bound: dict[str, str | None] = {}
    for node in _own_nodes(scope):
        match node:
            case ast.Import():
                for alias in node.names:
                    path = alias.name if alias.asname else alias.name.partition(".")[0]
                    bound[alias.asname or path] = _own(path)
            case ast.ImportFrom():
                base = source.imports_from(node)
                for alias in node.names:
                    bound[alias.asname or alias.name] = _own(f"{base}.{alias.name}")
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                bound.setdefault(name, None)
            case _ if isinstance(node, _Named) and node.name:
                bound.setdefault(node.name, None)
    return bound


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope, and not what is inside of other scopes and classes in it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, _Scope | ast.ClassDef):
            yield from _own_nodes(node)


def _own(path: str) -> str | None:
    """Return a dotted name if it is one of the package."""
    return path if path.partition(".")[0] == PACKAGE else None


def _chain(node: ast.expr) -> list[str]:
    """Return `a.b.c` as its names; nothing if it does not begin with a name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


# The way of a command.


def way_rows(steps: Sequence[tuple[str, str]]) -> Iterator[Row]:
    """Yield the rows of a way, which is a sequence of files and names of functions."""
    files = [file for file, _ in steps]
    places = [file.partition("/")[0].removesuffix(".py") for file in files]
    title = f"`{PACKAGE} {' '.join(COMMAND)}`"
    yield Row(f"{title}: functions", f"{len(steps)}")
    yield Row(f"{title}: files", f"{len(set(files))}", "≤ 45")
    yield Row(f"{title}: places", f"{len(set(places))}", "≤ 13")
    yield Row(f"{title}: changes of file", f"{n_changes(files)}", "≤ 160")
    yield Row(f"{title}: changes of place", f"{n_changes(places)}", "≤ 105")


def n_changes(sequence: Iterable[str]) -> int:
    """Return how often a value differs from the one before."""
    return sum(before != after for before, after in pairwise(sequence))


def way(tree: Path, command: Sequence[str] = COMMAND) -> list[tuple[str, str]]:
    """Run a command of a checkout; return the file and name of each function that it enters.

    In the order of their first calls. It runs in a process of this Python, in an empty folder that
    is its home as well, and knows no settings of the user's.
    """
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "way.json"
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("POMMEL_", "XDG_", "PYTHON"))
        }
        homes = dict.fromkeys(("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_DATA_HOME"), folder)
        path = os.pathsep.join([str(tree / "runner"), str(HERE)])
        done = subprocess.run(  # noqa: S603 - the checkout's own command
            [sys.executable, "-m", "benchmarks.house", "--record", tree, record, *command],
            cwd=folder,
            env=kept | homes | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"`{PACKAGE} {' '.join(command)}` failed:\n{done.stderr}")
        return [(file, name) for file, name in json.loads(record.read_text("utf-8"))]


def record_way(tree: Path, record: Path, command: Sequence[str]) -> None:
    """Run a command in this process, and write its way into the file `record`."""
    root = f"{(tree / 'runner' / PACKAGE).resolve()}{os.sep}"
    steps: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        if event != "call" or not file.startswith(root) or name.startswith("<"):
            return
        step = (file.removeprefix(root).replace(os.sep, "/"), name)
        if step not in steps and not _importing(frame, root):
            steps[step] = None

    sys.argv = [PACKAGE, *command]
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        runpy.run_module(PACKAGE, run_name="__main__")
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        record.write_text(json.dumps(list(steps)), "utf-8")


def _importing(frame: FrameType, root: str) -> bool:
    """Whether the code runs because a module of the package is being imported."""
    caller = frame.f_back
    while caller is not None:
        code = caller.f_code
        if (
            code.co_name == "<module>"
            and code.co_filename.startswith(root)
            and caller.f_globals["__name__"] != "__main__"
        ):
            return True
        caller = caller.f_back
    return False


# Tiers of checks.


def tier(tree: Path, target: str) -> Row:
    """Run a target of `make` in a checkout, and return the row of its time."""
    began = time.perf_counter()
    done = subprocess.run(["make", target], cwd=tree, stdout=sys.stderr, check=False)  # noqa: S603, S607 - chosen by the user
    minutes, seconds = divmod(round(time.perf_counter() - began), 60)
    failed = f" (failed: {done.returncode})" if done.returncode else ""
    return Row(f"`make {target}`", f"{minutes} min {seconds:02} s{failed}", TIERS.get(target, ""))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        record_way(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
    else:
        main()
