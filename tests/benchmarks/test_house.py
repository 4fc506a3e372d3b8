"""The measurements of the house are right on a small one that is made up."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from benchmarks.house import (
    Row,
    crossing_names,
    entries,
    forwarded,
    main,
    n_changes,
    percentile,
    room_of,
    sizes,
    way,
    way_rows,
)

FILES = {
    "__init__.py": "from pommel.suite import read\n_HOMES = {'Suite': 'pommel.suite'}\n",
    "__main__.py": "from pommel.cli import main\nif __name__ == '__main__':\n    main()\n",
    "errors.py": "class Error(Exception):\n    pass\n",
    "suite/__init__.py": "from pommel import errors\ndef read():\n    return tree()\n",
    "suite/__init__.pyi": "from .tree import Tree as Tree\ndef read() -> None: ...\n",
    "suite/tree.py": "class Tree:\n    pass\ndef leaf():\n    return [leaf2() for _ in '12']\n"
    "def leaf2():\n    return (lambda: 1)()\n",
    "cli/__init__.py": "def main():\n    from pommel.suite.tree import leaf\n    own()\n"
    "    leaf()\n    own()\n    from pommel.cli import late\n    late.late()\ndef own(): pass\n",
    "cli/late.py": "from pommel.errors import Error\ndef at_import(): pass\nat_import()\n"
    "def late(): pass\n",
}


def checkout(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a checkout whose package has the files; return its folder."""
    for name, text in files.items():
        path = folder / "runner" / "pommel" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def crossing_from(folder: Path, text: str) -> set[tuple[str, str]]:
    """Return what `text`, a module of a room `report`, uses of other rooms."""
    found = crossing_names(checkout(folder, FILES | {"report/page.py": text}))
    return {pair for pair, users in found.items() if "pommel.report.page" in users}


def test_names_that_cross_rooms_with_their_users(tmp_path: Path) -> None:
    assert crossing_names(checkout(tmp_path, FILES)) == {
        ("suite", "leaf"): {"pommel.cli"},
        ("errors", "Error"): {"pommel.cli.late"},
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from pommel.suite import read", {("suite", "read")}),
        ("from pommel.suite.tree import Tree as T, leaf", {("suite", "Tree"), ("suite", "leaf")}),
        ("from ..suite.tree import Tree", {("suite", "Tree")}),
        ("from .drawing import Tree", set()),
        # A module counts as what is used through it.
        ("from pommel import errors", set()),
        ("from pommel import errors\nraise errors.Error from errors.other.one", "Error other"),
        ("from pommel.suite import tree\ntree.leaf().x", {("suite", "leaf")}),
        ("from pommel import suite\nsuite.tree.leaf", {("suite", "leaf")}),
        ("import pommel.suite.tree\npommel.suite.tree.leaf", {("suite", "leaf")}),
        ("import pommel.suite.tree as t\nt.leaf", {("suite", "leaf")}),
        # As a value it is a name itself; through another room it is the same module.
        ("from pommel.suite import tree\nprint(tree)", {("suite", "tree")}),
        ("from pommel.suite import errors\nerrors.Error", {("errors", "Error")}),
        # Wherever the import stands; what hides a module is not the module.
        ("def f():\n    from pommel.suite import read", {("suite", "read")}),
        (
            "if TYPE_CHECKING:\n    from pommel import errors\ndef f(x: 'errors.Error'): pass",
            {("errors", "Error")},
        ),
        ("from pommel import errors\ndef f(errors):\n    return errors.x", set()),
        ("from pommel import errors\n[errors.x for errors in y]", set()),
        ("from pommel import errors\ndef f(x=errors.Error, errors=1): pass", "Error"),
        # Strings.
        ("import_module('pommel.suite.tree')", {("suite", "tree")}),
        ("KINDS = {'a': 'pommel.suite.tree:leaf'}", {("suite", "leaf")}),
        ("import_module(f'pommel.suite.{name}')", {("suite", "suite")}),
        ("'pommel.toml', 'pommel.report.page', 'see pommel.suite'", set()),
    ],
)
def test_what_crosses(text: str, expected: set[tuple[str, str]] | str, tmp_path: Path) -> None:
    if isinstance(expected, str):
        expected = {("errors", name) for name in expected.split()}
    assert crossing_from(tmp_path, text) == expected


def test_a_name_of_a_table_goes_before_the_file_of_that_name(tmp_path: Path) -> None:
    files = FILES | {
        "suite/__init__.pyi": "from .tree import tree as tree",
        "report/page.py": "from pommel.suite import tree\nfrom pommel.suite.tree import Tree\n"
        "tree.method()",
    }
    assert set(crossing_names(checkout(tmp_path, files))) == {
        ("suite", "tree"),
        ("suite", "Tree"),
        ("suite", "leaf"),
        ("errors", "Error"),
    }


def test_what_goes_past_the_table_of_a_room(tmp_path: Path) -> None:
    text = (
        "from pommel.suite import Tree, missing, read\nfrom pommel.suite import tree\ntree.Tree\n"
        "from pommel.errors import Error\nX = 'pommel.suite', 'pommel.suite.Tree'\n"
        "Y = 'pommel.suite.tree'"
    )
    assert forwarded(checkout(tmp_path, FILES | {"report/page.py": text})) == {
        "pommel.suite.missing": {"pommel.report.page"},
        "pommel.suite.tree": {"pommel.report.page"},
        "pommel.suite.tree.Tree": {"pommel.report.page"},
        "pommel.suite.tree.leaf": {"pommel.cli"},
    }


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("pommel.suite.tree.Tree", "suite"),
        ("pommel.formula.tree", "suite"),
        ("pommel.api.run", "api"),
        ("pommel.api.results.Results", "report"),
        ("pommel", "pommel"),
    ],
)
def test_rooms(path: str, room: str) -> None:
    assert room_of(path) == room


def test_sizes(tmp_path: Path) -> None:
    tree = checkout(tmp_path, FILES | {"shipped/registry.json": "{}", "old/__pycache__/a.pyc": ""})
    package = tree / "runner" / "pommel"
    (package / "suites").symlink_to(package / "shipped")
    (tree / "tests").mkdir()
    (tree / "tests" / "test_a.py").write_text("def test():\n    pass\n", "utf-8")
    assert entries(package) == [
        *("__init__.py", "__main__.py", "cli", "errors.py", "shipped", "suite")
    ]
    assert list(sizes(tree)) == [
        Row("names in runner/pommel", "6", "≤ 27"),
        Row("Python files", "8", "≤ 450"),
        Row("lines", str(sum(len(text.splitlines()) for text in FILES.values()))),
        Row("functions", "7"),
        Row("95th percentile of their lines", "7", "≤ 40"),
        Row("files of tests", "1"),
        Row("lines of tests", "2"),
    ]


@pytest.mark.parametrize(
    ("numbers", "expected"), [([], 0), ([3], 3), (range(1, 101), 95), ([1] * 95 + [9] * 5, 1)]
)
def test_percentile(numbers: list[int], expected: int) -> None:
    assert percentile(numbers, 95) == expected


def test_the_way_of_a_command(tmp_path: Path) -> None:
    # Without what runs at import, and what has no name; each function when it is first entered.
    steps = way(checkout(tmp_path, FILES))
    assert steps == [
        ("cli/__init__.py", "main"),
        ("cli/__init__.py", "own"),
        ("suite/tree.py", "leaf"),
        ("suite/tree.py", "leaf2"),
        ("cli/late.py", "late"),
    ]
    assert [row.value for row in way_rows(steps)] == ["5", "3", "2", "2", "2"]
    assert n_changes("aabba") == 2


def test_a_command_that_fails_has_no_way(tmp_path: Path) -> None:
    files = {"__init__.py": "", "__main__.py": "raise SystemExit('no such suite')"}
    with pytest.raises(SystemExit, match="number_prep` failed:\nno such suite"):
        way(checkout(tmp_path, files))


def test_it_prints_a_table_and_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = str(checkout(tmp_path, FILES))
    main(["--tree", tree])
    assert capsys.readouterr().out.startswith(
        "| figure | value | goal |\n|---|---:|---:|\n| names in runner/pommel | 5 | ≤ 27 |\n"
    )
    main(["--tree", tree, "--names"])
    assert capsys.readouterr().out == (
        "## errors: 1\nError  cli.late\n\n## suite: 1\nleaf  cli\n\n"
    )
    main(["--tree", tree, "--deep"])
    assert capsys.readouterr().out == "pommel.suite.tree.leaf  cli\n"
