"""How many mistakes the tests find: small changes to the code, each tried against tests.

    python -m benchmarks.mutants draw --out mutants.json [--rooms rooms.json] [--count 200]
    python -m benchmarks.mutants run mutants.json --coverage .coverage --times junit.xml --out FILE
    python -m benchmarks.mutants compare before.json after.json

`draw` picks mutants by chance in the functions of some rooms, and names each by its function and
that function's text: `run` finds it again wherever the function has been moved to. For each, `run`
starts those tests that once ran the changed line (`pytest --cov=pommel --cov-context=test
--junitxml=junit.xml` says which, and their times) in a copy of the checkout; one that fails, hangs
or cannot be imported kills the mutant, if it passes without the change. `compare` names mutants
that were killed in the first result and are not in the second, and then exits with status 1.
"""

import argparse
import ast
import bisect
import hashlib
import importlib
import importlib.util
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from itertools import islice, pairwise
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from xml.etree import ElementTree as ET

import pytest

PACKAGE = "runner/pommel"
ROOMS = {room: [f"{PACKAGE}/{room}/"] for room in ("suite", "scoring", "models/neural")}
# Imported once, for all tests; none of them is changed.
IMPORTED = ("hypothesis", "jsonschema", "lark", "pandas", "scipy.stats", "torch", "transformers")
NOT_COPIED = (".git", ".venv", ".hypothesis", ".*_cache", ".coverage*", "__pycache__", "build")
MOST_MEMORY = 16 << 30
ALIKE = 0.8  # of a line that was rewritten
START_S = 30  # until the first test runs, on a busy machine
NO_TESTS, HANG = int(pytest.ExitCode.NO_TESTS_COLLECTED), -1

PAIRS = [("and", "or"), ("+", "-"), ("*", "/"), ("<", "<="), (">", ">="), ("==", "!=")]
PAIRS += [("is", "is not"), ("in", "not in"), ("min", "max"), ("any", "all")]
FLIPS = dict(PAIRS) | {new: old for old, new in PAIRS}
OPERATOR = re.compile(r"not\s+in\b|is\s+not\b|\b(?:is|in|and|or)\b|[<>=!]=|\*\*|//|[-+*/<>]")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutant:
    """A change to a function, named in such a way that it is found again elsewhere."""

    room: str
    function: str  # with its class
    text: str  # a digest of what the function does, whatever its name and its docstring
    kind: str
    nth: int  # of the places in the function that can be changed in this way
    line: str  # with the change, and nothing before or after it
    column: int  # of the change in `line`
    old: str
    new: str


IN_TEXT, IN_LINE = attrgetter("text", "kind", "nth"), attrgetter("line", "kind", "column", "new")
CHANGE, NAMED_LINE = attrgetter("room", "kind", "old", "new"), attrgetter("function", "line")
IDENTITY = itemgetter(*Mutant.__slots__)


class Site(NamedTuple):
    """Where a mutant is in a checkout: `at` is in bytes, who has run `lines` has run it."""

    mutant: Mutant
    file: str
    lines: range
    at: range


def main() -> int:
    """Draw, run, or compare; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing, running = commands.add_parser("draw"), commands.add_parser("run")
    drawing.add_argument("--rooms", type=Path, help="JSON: how the files of each room begin")
    drawing.add_argument("--count", type=int, default=200)
    drawing.add_argument("--seed", type=int, default=0)
    running.add_argument("mutants", type=Path)
    running.add_argument("--coverage", type=Path, required=True)
    running.add_argument("--times", type=Path, required=True, help="what --junitxml has written")
    running.add_argument("--marker", default="not docker", help="pytest's -m")
    running.add_argument("--tests", type=int, default=200, help="at most so many a mutant")
    running.add_argument("--seconds", type=float, default=20, help="that these tests take together")
    running.add_argument("--jobs", type=int, default=1)
    for command in (drawing, running):
        command.add_argument("--tree", type=Path, default=Path.cwd())
        command.add_argument("--out", type=Path, required=True)
    comparing = commands.add_parser("compare")
    comparing.add_argument("results", type=Path, nargs=2)
    chosen = parser.parse_args()
    if chosen.command == "compare":
        return compare(*(json.loads(each.read_text()) for each in chosen.results))
    tree = chosen.tree.resolve()
    if chosen.command == "draw":
        rooms = json.loads(chosen.rooms.read_text()) if chosen.rooms else ROOMS
        results = [asdict(each) for each in draw(tree, rooms, chosen.count, chosen.seed)]
        print_counts(results, "kind")
    else:
        mutants = [Mutant(**each) for each in json.loads(chosen.mutants.read_text())]
        results = run(tree, mutants, chosen)
        print_counts(results, "verdict")
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in results)
    chosen.out.write_text(f"[\n{lines}\n]\n")
    return 0


def draw(tree: Path, rooms: dict[str, list[str]], count: int, seed: int) -> list[Mutant]:
    """Return mutants of the functions in these rooms: of all places each is as likely."""
    places = [site for site in sites_of(tree, rooms) if site.mutant.room]
    random.Random(seed).shuffle(places)  # noqa: S311 - no secret
    valid = (site.mutant for site in places if is_python(changed(tree, site)))
    return sorted(islice(valid, count), key=str)


def sites_of(tree: Path, rooms: dict[str, list[str]]) -> Iterator[Site]:
    """Yield all that can be changed in the package; what is in none of the rooms is in ""."""
    for path in sorted((tree / PACKAGE).rglob("*.py")):
        file = path.relative_to(tree).as_posix()
        names = (name for name, starts in rooms.items() if file.startswith(tuple(starts)))
        yield from file_sites(path.read_bytes(), file, next(names, ""))


def file_sites(source: bytes, file: str, room: str) -> Iterator[Site]:
    """Yield what can be changed in functions and methods; what is inside them counts as theirs."""
    text = Text(source)
    for name, function in functions_of(ast.parse(source)):
        counts, function_text = Counter[str](), digest(function)
        for node, above in walk(function, ()):
            for kind, at, new in changes(node, above, text):
                if text[at] == new:
                    continue
                number, line, column = text.line_of(at.start)
                mutant = Mutant(
                    room=room,
                    function=name,
                    text=function_text,
                    kind=kind,
                    nth=counts[kind],
                    line=line,
                    column=column,
                    old=text[at],
                    new=new,
                )
                counts[kind] += 1
                lines = range(number, text.line_of(at.stop)[0] + 1)
                statement = next(
                    each for each in (node, *above[::-1]) if isinstance(each, ast.stmt)
                )
                if not hasattr(statement, "body") and not isinstance(statement, ast.Match):
                    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
                yield Site(mutant, file, lines, at)


def functions_of(node: ast.AST, inside: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield functions and methods with their names; none that are inside others."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield inside + child.name, child
        else:
            deeper = f"{inside}{child.name}." if isinstance(child, ast.ClassDef) else inside
            yield from functions_of(child, deeper)


def digest(function: ast.FunctionDef) -> str:
    """Return twelve hexadecimal digits of the parameters and the body, without its docstring."""
    body = function.body[ast.get_docstring(function) is not None :]
    text = "\n".join(map(ast.dump, (function.args, *body)))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def walk(node: ast.AST, above: tuple[ast.AST, ...]) -> Iterator[tuple[Any, tuple[ast.AST, ...]]]:
    """Yield what is run when a function is called, each with all that it is in.

    Left out are signatures, annotations and decorators, asserts (our own mistakes), and strings
    with fields (Python 3.11 does not know where in them something is).
    """
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not (
                name in {"annotation", "returns", "decorator_list"}
                or isinstance(child, ast.arguments | ast.Assert | ast.JoinedStr)
            ):
                yield child, (*above, node)
                yield from walk(child, (*above, node))


class Text:
    """A file's bytes, in which nodes of its syntax tree are found."""

    def __init__(self, source: bytes) -> None:
        self._source, self._starts = source, [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def __getitem__(self, place: range) -> str:
        return self._source[place.start : place.stop].decode()

    def at(self, node: Any) -> range:
        """Return where a node is."""
        start = self._starts[node.lineno - 1] + node.col_offset
        return range(start, self._starts[node.end_lineno - 1] + node.end_col_offset)

    def line_of(self, byte: int) -> tuple[int, str, int]:
        """Return a line's number, the line without white space around it, and the place in it."""
        number = bisect.bisect_right(self._starts, byte)
        line = self._source[self._starts[number - 1] : self._starts[number]]
        indent = len(line) - len(line.lstrip())
        return number, line.decode().strip(), byte - self._starts[number - 1] - indent

    def between(self, left: ast.expr, right: ast.expr) -> Iterator[tuple[range, str]]:
        """Yield the operator between two operands, if there is another for it."""
        start = self.at(left).stop
        gap = self[range(start, self.at(right).start)]
        found = OPERATOR.search(re.sub(r"#.*", lambda each: " " * len(each[0].encode()), gap))
        new = found and FLIPS.get(" ".join(found[0].split()))
        if found and new:
            yield range(start + found.start(), start + found.end()), new


def changes(  # noqa: C901, PLR0912 - a table of what can be changed
    node: Any, above: tuple[ast.AST, ...], text: Text
) -> Iterator[tuple[str, range, str]]:
    """Yield the kind, the place and the new text of each change to this node itself."""
    for pair in pairwise(operands(node)):
        yield from (("operator", at, new) for at, new in text.between(*pair))
    match node:
        case ast.UnaryOp(op=ast.Not()):
            start = text.at(node).start
            yield "not", range(start, start + len("not")), ""
        case ast.Constant(value=bool(value)):
            yield "constant", text.at(node), str(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "number", text.at(node), str(value + 1)
        case ast.Constant(value=str(value)) if value and is_key(node, above):
            old = text[text.at(node)]
            yield "string", text.at(node), f"{old[:-1]}~{old[-1]}"
        case ast.Return(value=ast.expr() as value):
            yield "return", text.at(value), "None"
        case ast.If(test=test) | ast.IfExp(test=test):
            yield "condition", text.at(test), "True"
            yield "condition", text.at(test), "False"
        case ast.While(test=test) if not isinstance(test, ast.Constant):
            yield "condition", text.at(test), "False"
        case ast.comprehension(ifs=tests):
            yield from (("condition", text.at(test), "True") for test in tests)
        case ast.Expr(value=ast.Call()):
            yield "call", text.at(node), "pass"
        case ast.Slice(lower=lower, upper=upper):
            for bound in (lower, upper):
                if bound and not isinstance(bound, ast.Constant | ast.UnaryOp):
                    yield "slice", text.at(bound), f"({text[text.at(bound)]}) + 1"
        case ast.Call(func=ast.Name(id=name) as function) if name in FLIPS:
            yield "built-in", text.at(function), FLIPS[name]


def operands(node: Any) -> list[ast.expr]:
    """Return those between which operators stand."""
    match node:
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.BinOp(left=left, right=right) | ast.AugAssign(target=left, value=right):
            return [left, right]
        case ast.BoolOp(values=values):
            return list(values)
    return []


def is_key(node: ast.expr, above: tuple[ast.AST, ...]) -> bool:
    """Tell whether a string is compared, or asked for, or the key of an entry."""
    parent, grandparent = above[-1], above[-2]
    if isinstance(parent, ast.Tuple | ast.Set | ast.List):
        return isinstance(grandparent, ast.Compare)
    if isinstance(parent, ast.Dict):
        return node in parent.keys
    return isinstance(parent, ast.Compare | ast.Subscript | ast.MatchValue)


def changed(tree: Path, site: Site) -> bytes:
    """Return the text of the site's file with the change."""
    source = (tree / site.file).read_bytes()
    return source[: site.at.start] + site.mutant.new.encode() + source[site.at.stop :]


def is_python(source: bytes) -> bool:
    """Tell whether this can be compiled."""
    with suppress(SyntaxError):
        return bool(compile(source, "changed", "exec"))
    return False


def find(mutants: Sequence[Mutant], sites: Iterator[Site]) -> list[Site | None]:
    """Return where each mutant is now, None for one that is nowhere.

    1. In the function of this text: of the same name, and in the same room, if there are several.
    2. In a function of the same name, on the same line: in the same room, or the only one.
    3. On the only line that is the same in the same room.
    4. On the line in the same room that, with the function's name, is most like it: a function that
       has become a method says `self` where it named a parameter.
    """
    of_text, of_line = defaultdict[Any, list[Site]](list), defaultdict[Any, list[Site]](list)
    of_change = defaultdict[Any, dict[str, Site]](dict)
    for site in sites:
        of_text[IN_TEXT(site.mutant)].append(site)
        of_line[IN_LINE(site.mutant)].append(site)
        of_change[CHANGE(site.mutant)][" ".join(NAMED_LINE(site.mutant))] = site
    found: list[Site | None] = []
    for mutant in mutants:
        alike = of_line[IN_LINE(mutant)]
        named = [site for site in alike if site.mutant.function == mutant.function]
        near = [site for site in alike if site.mutant.room == mutant.room]
        both = [site for site in named if site in near]
        exact = sorted(of_text[IN_TEXT(mutant)], key=lambda s: (s not in named, s not in both))
        lines, line = of_change[CHANGE(mutant)], " ".join(NAMED_LINE(mutant))
        like = [lines[each] for each in get_close_matches(line, lines, 1, ALIKE)]
        only = (each for each in (exact[:1], both, named, near, like) if len(each) == 1)
        found.append(next(only, [None])[0])
    return found


def run(tree: Path, mutants: list[Mutant], chosen: argparse.Namespace) -> list[dict[str, Any]]:
    """Try every mutant; print and return what has become of each."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    began = time.monotonic()
    tests = KnownTests(chosen.coverage, chosen.times)
    results: list[dict[str, Any]] = [asdict(each) | {"verdict": "not found"} for each in mutants]
    jobs = []
    for number, site in enumerate(find(mutants, sites_of(tree, ROOMS))):
        if site:
            results[number] |= {"where": f"{site.file}:{site.lines[0]}", "verdict": "not covered"}
            names = tests.of(site.file, site.lines, chosen.tests, chosen.seconds)
            limit_s = START_S + 3 * sum(tests.seconds[name] for name in names)
            jobs.append((number, site, names, limit_s))
        else:
            print(f"not found: {described(results[number])}")
    for name in IMPORTED:
        with suppress(ImportError):
            importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        options = (tree, Path(folder), chosen.marker)
        with multiprocessing.get_context("fork").Pool(chosen.jobs, Worker.start, options) as pool:
            for number, result in pool.imap_unordered(Worker.result, jobs):
                results[number] |= result
                print(f"{result['verdict']}: {described(results[number])}", flush=True)
    print(f"{time.monotonic() - began:.0f} s")
    return results


class KnownTests:
    """The tests that have been run once, each with its seconds, and the lines that it ran."""

    def __init__(self, coverage: Path, times: Path) -> None:
        self._data = importlib.import_module("coverage").CoverageData(basename=str(coverage))
        self._data.read()
        cases = ET.parse(times).iter("testcase")  # noqa: S314 - pytest wrote it
        taken = {f"{case.get('classname')}.{case.get('name')}": case.get("time") for case in cases}
        self._of_file = defaultdict[str, list[str]](list)
        self.seconds: dict[str, float] = {}
        for test in self._names(self._data.measured_contexts()):
            path, _, name = test.partition("::")
            name, bracket, case = name.partition("[")
            name = f"{path.removesuffix('.py')}::{name}".replace("/", ".").replace("::", ".")
            self.seconds[test] = float(taken.get(name + bracket + case) or 1)
            self._of_file[path].append(test)

    def of(self, file: str, lines: range, most: int, seconds: float) -> list[str]:
        """Return tests for lines of a file; none, if none has run them.

        Those that ran one of the lines come first, then others of their files: what is run once
        for many tests counts as run by one of them. Of both, one case of each test comes first,
        then a second one of each; and the quickest first.
        """
        measured = (each for each in self._data.measured_files() if each.endswith(f"/{file}"))
        names_of = self._data.contexts_by_lineno(next(measured, file))
        own = self._names(name for line in lines for name in names_of.get(line, []))
        n_cases, ranked = Counter[tuple[bool, str]](), []
        others = {
            test
            for path in {each.partition("::")[0] for each in own}
            for test in self._of_file[path]
        }
        for test in sorted(others, key=lambda test: (self.seconds[test], test)):
            function = (test not in own, test.partition("[")[0])
            ranked.append((function[0], n_cases[function], self.seconds[test], test))
            n_cases[function] += 1
        chosen: list[str] = []
        for *_, test_s, test in sorted(ranked)[:most]:
            if not chosen or test_s <= seconds:
                chosen.append(test)
                seconds -= test_s
        return chosen

    @staticmethod
    def _names(contexts: Any) -> set[str]:
        return {name.rpartition("|")[0] for name in contexts} - {""}


class Worker:
    """Tries mutants in a copy of the checkout, each in a process of its own."""

    only: "Worker"  # one a process

    def __init__(self, tree: Path, folder: Path, marker: str) -> None:
        self._marker = marker
        self._folder = folder / str(os.getpid())
        self._tree, self._note = self._folder / tree.name, self._folder / "note"
        self._is_sound: dict[str, bool] = {}
        shutil.copytree(tree, self._tree, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
        # Tests look for published data beside the checkout.
        (self._folder / "shared").symlink_to(tree.parent / "shared")
        # Modules are compiled once for all mutants.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        # The checkout itself is not looked at, not by programs that tests start either.
        os.environ["PYTHONPATH"] = f"{self._tree / 'runner'}:{self._tree}"
        here = {"", str(Path.cwd()), str(tree), str(tree / "runner")}
        sys.path[:] = [each for each in sys.path if each not in here]
        os.chdir(self._tree)

    @classmethod
    def start(cls, tree: Path, folder: Path, marker: str) -> None:
        """Make the worker of this process."""
        cls.only = cls(tree, folder, marker)

    @classmethod
    def result(cls, job: tuple[int, Site, list[str], float]) -> tuple[int, dict[str, Any]]:
        """Return the job's number and what has become of it: killed if so by a sound test."""
        number, site, tests, limit_s = job
        began, status, by = time.monotonic(), NO_TESTS, ""
        while tests:
            status, by = cls.only.tested_with_change(site, tests, limit_s)
            if status in {0, NO_TESTS} or cls.only.is_sound(by, tests, status, limit_s):
                break
            tests, status = [test for test in tests if not test.startswith(by)], NO_TESTS
        verdict = {0: "survived", NO_TESTS: "not covered"}.get(status, "killed")
        seconds = round(time.monotonic() - began, 1)
        return number, {
            "verdict": verdict,
            "by": by if verdict == "killed" else "",
            "n_tests": len(tests),
            "seconds": seconds,
        }

    def tested_with_change(self, site: Site, tests: list[str], limit_s: float) -> tuple[int, str]:
        """Return what `_tested` does for a mutant."""
        file = self._tree / site.file
        original = file.read_bytes()
        # A file of the same size and second is taken for the other: nothing compiled may stay.
        compiled = Path(importlib.util.cache_from_source(str(file)))
        try:
            file.write_bytes(changed(self._tree, site))
            compiled.unlink(missing_ok=True)
            return self._tested(tests, limit_s)
        finally:
            file.write_bytes(original)
            compiled.unlink(missing_ok=True)

    def is_sound(self, by: str, tests: list[str], status: int, limit_s: float) -> bool:
        """Tell whether the test passes without a change, or those in the file; none may hang."""
        if status == HANG:
            return self._tested(tests, limit_s)[0] != HANG
        if by not in self._is_sound:
            again = [test for test in tests if test.startswith(by)]
            self._is_sound[by] = self._tested(again, limit_s)[0] == 0
        return self._is_sound[by]

    def _tested(self, tests: list[str], limit_s: float) -> tuple[int, str]:
        """Return pytest's status, and the test, or file, that was begun last."""
        self._note.write_text("")
        process = os.fork()
        if not process:
            self._become_pytest(tests)
        ended, status, until = 0, 0, time.monotonic() + limit_s
        while not ended and time.monotonic() < until:
            time.sleep(0.01)
            ended, status = os.waitpid(process, os.WNOHANG)
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        if not ended:
            os.waitpid(process, 0)
        return os.waitstatus_to_exitcode(status) if ended else HANG, self._note.read_text()

    def _become_pytest(self, tests: list[str]) -> NoReturn:
        status = int(pytest.ExitCode.INTERNAL_ERROR)
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            output = os.open(self._folder / "output", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            for number, opened in enumerate((os.open(os.devnull, os.O_RDONLY), output, output)):
                os.dup2(opened, number)
            for name in [*sys.modules]:
                if name.partition(".")[0] in {"benchmarks", "pommel", "tests"}:
                    del sys.modules[name]
            options = ["-xqm", self._marker, "-p", "no:cacheprovider", "-p", "no:xdist"]
            options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
            options += [f"--basetemp={self._folder / 'tmp'}"]
            files = dict.fromkeys(test.partition("::")[0] for test in tests)
            status = pytest.main([*options, *files], plugins=[Only(tests, self._note)])
        finally:
            os._exit(status)


class Only:
    """A pytest plugin: only these tests, in this order; what is begun is noted."""

    def __init__(self, tests: list[str], note: Path) -> None:
        self._rank = {test: rank for rank, test in enumerate(tests)}
        self._note = note

    def pytest_configure(self) -> None:
        """Try laws on the same examples each time, and do not look for a smaller one that fails."""
        with suppress(ImportError):
            hypothesis = importlib.import_module("hypothesis")
            phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
            options = {"deadline": None, "database": None, "derandomize": True, "phases": phases}
            hypothesis.settings.register_profile("mutants", **options)
            hypothesis.settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the others out, and those that need a browser; sort."""
        chosen = (item for item in items if item.nodeid in self._rank)
        items[:] = (item for item in chosen if "browser" not in getattr(item, "fixturenames", ()))
        items.sort(key=lambda item: self._rank[item.nodeid])

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Note a file."""
        self._note.write_text(collector.nodeid)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note a test."""
        self._note.write_text(nodeid)


def compare(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> int:
    """Print the counts of both, and what is killed no longer; return 1 if there is any."""
    lost = 0
    now = {IDENTITY(each): each for each in after}
    for title, results in (("before", before), ("after", after)):
        print(title)
        print_counts(results, "verdict")
    for each in before:
        other = now.get(IDENTITY(each), {**each, "verdict": "not tried"})
        if each["verdict"] == "killed" != other["verdict"]:
            lost += 1
            print(f"{other['verdict']}: {described(other)}; before, {each['by']} killed it")
    return int(lost > 0)


def described(result: dict[str, Any]) -> str:
    """Return what has been changed, in a line."""
    where = f"{result.get('where', result['room'])} {result['function']}"
    return f"{where}: {' '.join(result['old'].split())} -> {result['new'] or 'nothing'}"


def print_counts(results: list[dict[str, Any]], what: str) -> None:
    """Print how many there are of each, by room and in all."""
    for room in [*dict.fromkeys(each["room"] for each in results), "all"]:
        counts = Counter(each[what] for each in results if room in {each["room"], "all"})
        line = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
        print(f"{room:14} {counts.total():4}: {line}")


if __name__ == "__main__":
    sys.exit(main())
