"""Mutants are drawn, applied, found again elsewhere, tried, and compared."""

import ast
import os
import sys
from pathlib import Path

import pytest
from benchmarks.mutants import (
    ROOMS,
    KnownTests,
    Mutant,
    Site,
    Worker,
    changed,
    compare,
    draw,
    file_sites,
    find,
    sites_of,
)

SUITE = '''\
"""Made up."""


class Counter:
    """Counts."""

    def most(self, words: list[str] = ["a"]) -> int:
        """Return a number: 1."""
        kept = [each for each in words if each not in {"über", "of"} and (each)]  # 1 or 2
        if not kept or "x" == words[0]:
            self.warn("none")
        assert kept != 3
        return max(len(kept), 2) * 2
'''
CHANGED = [
    "kept = [each for each in words if True]  # 1 or 2",
    'kept = [each for each in words if each not in {"über", "of"} or (each)]  # 1 or 2',
    'kept = [each for each in words if each in {"über", "of"} and (each)]  # 1 or 2',
    'kept = [each for each in words if each not in {"über~", "of"} and (each)]  # 1 or 2',
    'kept = [each for each in words if each not in {"über", "of~"} and (each)]  # 1 or 2',
    "if True:",
    "if False:",
    'if not kept and "x" == words[0]:',
    'if  kept or "x" == words[0]:',
    'if not kept or "x" != words[0]:',
    'if not kept or "x~" == words[0]:',
    'if not kept or "x" == words[1]:',
    "pass",
    "return None",
    "return max(len(kept), 2) / 2",
    "return min(len(kept), 2) * 2",
    "return max(len(kept), 3) * 2",
    "return max(len(kept), 2) * 3",
]


def tree_with(folder: Path, files: dict[str, str]) -> Path:
    """Return a checkout with these files of the package."""
    for name, text in files.items():
        path = folder / "runner" / "pommel" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def all_of(tree: Path) -> list[Site]:
    """Return all that can be changed in the checkout."""
    return list(sites_of(tree, ROOMS))


def lines_of(text: bytes) -> list[str]:
    """Return the lines of a file, without white space around them."""
    return [line.strip() for line in text.decode().splitlines()]


def test_each_change_is_of_one_place_and_leaves_python(tmp_path: Path) -> None:
    tree = tree_with(tmp_path, {"suite/counter.py": SUITE})
    before = lines_of(SUITE.encode())
    found = []
    for site in all_of(tree):
        after = changed(tree, site)
        ast.parse(after)
        different = [pair for pair in zip(before, lines_of(after), strict=True) if len({*pair}) > 1]
        assert [old for old, _ in different] == [site.mutant.line]
        assert before[site.lines[0] - 1] == site.mutant.line
        found += [new for _, new in different]
    assert sorted(found) == sorted(CHANGED)


def test_the_same_are_drawn_again_and_only_in_the_rooms(tmp_path: Path) -> None:
    tree = tree_with(tmp_path, {"suite/counter.py": SUITE, "cli/counter.py": SUITE})
    drawn = draw(tree, ROOMS, 7, 1)
    assert len(drawn) == 7
    assert {(each.room, each.function) for each in drawn} == {("suite", "Counter.most")}
    assert draw(tree, ROOMS, 7, 1) == drawn != draw(tree, ROOMS, 7, 2)
    assert len(draw(tree, ROOMS, 100, 0)) == len(CHANGED)


@pytest.mark.parametrize(
    ("files", "n_found"),
    [
        ({"scoring/new.py": f"import os\n\n{SUITE}"}, 18),
        ({"suite/new.py": SUITE.replace("Counter", "Renamed").replace("a number: 1", "it")}, 18),
        # Lines of another text are found in the room only, if they are much the same.
        ({"suite/new.py": SUITE.replace("(each)", "[each]")}, 17),
        ({"suite/new.py": SUITE.replace(" in words", f" in self.{'known_' * 20}words()")}, 13),
        ({"api/new.py": SUITE.replace("(each)", "[each]")}, 13),
        # Of another name and text, only in the room.
        ({"suite/new.py": SUITE.replace("(each)", "[each]").replace("most", "new")}, 17),
        ({"api/new.py": SUITE.replace("(each)", "[each]").replace("most", "new")}, 0),
    ],
)
def test_mutants_are_found_where_their_function_is_now(
    tmp_path: Path, files: dict[str, str], n_found: int
) -> None:
    mutants = [site.mutant for site in file_sites(SUITE.encode(), "old.py", "suite")]
    found = find(mutants, sites_of(tree_with(tmp_path, files), ROOMS))
    assert sum(site is not None for site in found) == n_found
    for mutant, site in zip(mutants, found, strict=True):
        assert site is None or (site.mutant.old, site.mutant.new) == (mutant.old, mutant.new)
        assert site is None or site.mutant.kind == mutant.kind


def test_of_several_functions_the_one_in_the_room_is_meant(tmp_path: Path) -> None:
    tree = tree_with(tmp_path, {"api/new.py": SUITE, "suite/new.py": SUITE})
    mutants = [site.mutant for site in file_sites(SUITE.encode(), "old.py", "suite")]
    assert {site and site.file for site in find(mutants, sites_of(tree, ROOMS))} == {
        "runner/pommel/suite/new.py"
    }


def test_tests_that_ran_a_line_come_first_a_case_of_each(tmp_path: Path) -> None:
    data = pytest.importorskip("coverage").CoverageData(basename=str(tmp_path / "data"))
    ran = {"test_a.py::test_one[1]": [3], "test_a.py::test_one[2]": [3], "test_a.py::test_two": [3]}
    ran |= {"test_a.py::TestIt::test_it": [4], "test_b.py::test_other": [4], "": [5]}
    for test, lines in ran.items():
        data.set_context(f"tests/{test}|run" if test else "")
        data.add_lines({"/checkout/runner/pommel/a.py": lines})
    data.write()
    names = {("test_a", "test_one[1]"): 2, ("test_a", "test_one[2]"): 3, ("test_a", "test_two"): 5}
    names |= {("test_a.TestIt", "test_it"): 4, ("test_b", "test_other"): 1}
    cases = [
        f'<testcase classname="tests.{place}" name="{name}" time="{seconds}"/>'
        for (place, name), seconds in names.items()
    ]
    (tmp_path / "times.xml").write_text(f"<testsuites>{''.join(cases)}</testsuites>")
    tests = KnownTests(tmp_path / "data", tmp_path / "times.xml")
    file = "runner/pommel/a.py"
    chosen = ["test_one[1]", "test_two", "test_one[2]", "TestIt::test_it"]
    assert tests.of(file, range(2, 4), 9, 99) == [f"tests/test_a.py::{name}" for name in chosen]
    assert tests.of(file, range(2, 4), 2, 99) == [f"tests/test_a.py::{name}" for name in chosen[:2]]
    assert tests.of(file, range(2, 4), 9, 5) == [
        f"tests/test_a.py::{name}" for name in ("test_one[1]", "test_one[2]")
    ]
    assert tests.of(file, range(5, 6), 9, 99) == tests.of("other.py", range(9), 9, 99) == []


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # pytest's workers have threads
def test_a_mutant_is_killed_by_a_test_that_passes_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tree_with(
        tmp_path / "tree",
        {"__init__.py": "", "suite/counter.py": "def hours():\n    print()\n    return 23 + 1\n"},
    )
    (tree / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['runner']\n")
    (tree / "tests").mkdir()
    (tree / "tests" / "test_counter.py").write_text(
        "from pommel.suite.counter import hours\n"
        "def test_broken():\n    assert False\n"
        "def test_hours():\n    assert hours() == 24\n"
    )
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.chdir(tree)
    (tmp_path / "shared").mkdir()
    worker = Worker(tree, tmp_path / "copies", "not docker")
    monkeypatch.setattr(Worker, "only", worker, raising=False)
    tests = [f"tests/test_counter.py::test_{name}" for name in ("broken", "hours")]
    results = {
        site.mutant.new: Worker.result((0, site, tests, 60.0))[1]
        for site in all_of(tree)
        if site.mutant.new in {"pass", "24"}
    }
    assert {new: (each["verdict"], each["by"]) for new, each in results.items()} == {
        "pass": ("survived", ""),
        "24": ("killed", tests[1]),
    }


def test_what_is_killed_no_longer_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (
        Mutant(
            room="suite",
            function="most",
            text="0" * 12,
            kind="number",
            nth=nth,
            line="return 1 + 1",
            column=7 + 4 * nth,
            old="1",
            new="2",
        )
        for nth in (0, 1)
    )
    names = Mutant.__slots__
    before = [
        {name: getattr(each, name) for name in names} | {"verdict": "killed", "by": "tests/a.py"}
        for each in (first, second)
    ]
    after = [before[0], before[1] | {"verdict": "survived", "where": "a.py:3"}]
    assert compare(before, before) == 0
    capsys.readouterr()
    assert compare(before, after) == 1
    assert capsys.readouterr().out == (
        "before\n"
        "suite             2: 2 killed\n"
        "all               2: 2 killed\n"
        "after\n"
        "suite             2: 1 killed, 1 survived\n"
        "all               2: 1 killed, 1 survived\n"
        "survived: a.py:3 most: 1 -> 2; before, tests/a.py killed it\n"
    )
