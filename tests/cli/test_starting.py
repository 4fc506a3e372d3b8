"""What a command loads before it answers, and which suites it opens: no more than it needs."""

from pathlib import Path

import pytest
from tests.cli.watched import Watched

# What takes ten milliseconds and more.
HEAVY = {
    "asyncio",
    "importlib.metadata",
    "lark",
    "numpy",
    "numpy.random",
    "pandas",
    "rich",
    "scipy",
    "sqlite3",
    "tokenizers",
    "tomllib",
    "torch",
}


@pytest.mark.parametrize(
    ("command", "loaded", "opened"),
    [
        ("--version", [], []),
        ("models list", [], []),
        ("suites list --quiet", ["rich"], []),
        ("suites list suites:clams --format json", [], []),
        ("suites show number_prep", ["lark"], ["number_prep.json"]),
        ("validate suites:number_prep", ["lark"], ["number_prep.json"]),
        ("runs list --quiet", ["numpy", "sqlite3"], []),
    ],
)
def test_a_command_loads_and_opens_what_it_needs(
    command: str, loaded: list[str], opened: list[str], tmp_path: Path
) -> None:
    seen = Watched(*command.split(), POMMEL_STORE=str(tmp_path / "none"))
    assert sorted(HEAVY & {*seen.modules}) == loaded
    suites = [path for path in map(Path, seen.files) if path.suffix == ".json"]
    assert [path.name for path in suites if "suites" in path.parts] == opened
