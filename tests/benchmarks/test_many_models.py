"""The benchmark of many models runs, and its scores are the same with a store and without."""

import re
import subprocess
import sys
from pathlib import Path

LINE = re.compile(
    r"2 models   12 runs   peak \d+ MB when loaded, \d+ MB when run, \d+ MB with the scores   "
    r"\d\.\d\d s a model, \d\.\d s for the scores   ([0-9a-f]{12})\n"
)


def test_it_prints_what_is_held_with_a_store_and_without(repository: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.many_models", "--models", "2"]
    command += ["--suites", "suites:en/garden-path-effects"]
    found = []
    for options in ([], ["--no-store"]):
        done = subprocess.run(
            [*command, *options], check=True, capture_output=True, text=True, cwd=repository
        )
        line = LINE.fullmatch(done.stdout)
        assert line, done.stdout
        found.append(line[1])
    assert found[0] == found[1]
