"""What a command loads before it answers, and which suites it opens: no more than it needs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# What takes ten milliseconds and more.
HEAVY = {
    "asyncio",
    "importlib.metadata",
    "lark",
    "numpy",
    "pandas",
    "rich",
    "scipy",
    "sqlite3",
    "tokenizers",
    "tomllib",
    "torch",
}
# In a process of its own: tests have loaded everything.
PROGRAM = f"""
import contextlib, os, sys
opened = []
def see(event, about):
    path = str(about[0]) if event == "open" else ""
    if path.endswith(".json") and os.sep + "suites" + os.sep in path:
        opened.append(os.path.basename(path))
sys.addaudithook(see)
from pommel.cli import main
with contextlib.suppress(SystemExit):
    main(sys.argv[1:])
print(sorted({HEAVY} & sys.modules.keys()), opened, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("command", "loaded", "opened"),
    [
        ("--version", ["importlib.metadata"], []),
        ("models list", [], []),
        ("suites list", ["rich"], []),
        ("suites list suites:clams --format json", [], []),
        ("suites show number_prep", ["lark"], ["number_prep.json"]),
        ("validate suites:number_prep", ["lark"], ["number_prep.json"]),
        ("runs list", ["numpy", "sqlite3"], []),
    ],
)
def test_a_command_loads_and_opens_what_it_needs(
    command: str, loaded: list[str], opened: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command.split()],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"POMMEL_STORE": str(tmp_path / "none")},
    )
    assert done.stderr.splitlines()[-1] == f"{loaded} {opened}"
