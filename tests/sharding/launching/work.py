"""A small plan to launch, and that what comes of it is what a single run gives."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PLANNED = ("builtin://en-ngram", "suites:en", "--limit", "3")


def pommel(
    *arguments: str | Path, status: int = 0, environment: Mapping[str, str] = os.environ
) -> str:
    """Run a command that has to end so; return what it says."""
    command = [sys.executable, "-m", "pommel", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def planned(folder: Path, n_shards: int = 4) -> Path:
    """Write a plan; return its file."""
    pommel("plan", *PLANNED, "--shards", str(n_shards), "-o", folder / "plan.json")
    return folder / "plan.json"


def check_equal_to_one_run(shards: Path, folder: Path) -> None:
    """Check that the merged shards have the very numbers of a run in one process."""
    pommel("runs", "merge", shards, "--store", folder / "merged.sqlite")
    pommel("run", *PLANNED, "--store", folder / "one.sqlite")
    assert kept(folder / "merged.sqlite") == kept(folder / "one.sqlite")


def kept(store: Path) -> tuple[list[object], list[object]]:
    """Return the scores of all runs, and every token with its bits, to the last of them."""
    with contextlib.closing(sqlite3.connect(store)) as opened:
        runs = opened.execute(
            "SELECT suite_name, model_name, status, scores, items "
            "FROM runs JOIN results USING (run_key) ORDER BY suite_name"
        )
        tokens = opened.execute(
            "SELECT text, tokens FROM scored JOIN sentences USING (sentence_id) ORDER BY text"
        )
        return runs.fetchall(), tokens.fetchall()
