"""The benchmark of many runs makes a store that all its commands read."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

COSTS = r" +\d+\.\d\d s +\d+ MB   pommel "
LINES = re.compile(
    r"made       30 runs   \d+\.\d s   \d+ MB\n"
    rf"{COSTS}runs list\n"
    rf"{COSTS}stats accuracy --by circuit\n"
    rf"{COSTS}stats training\n"
    rf"{COSTS}report --table md\n"
    rf"{COSTS}report -o page.html\n"
    rf"({COSTS}runs merge \S+ --store merged\.sqlite\n){{2}}"
    r"opened    .*\n"
)


def test_it_prints_what_each_command_costs(repository: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.many_runs", "--models", "10", "--suites", "3"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=repository)
    assert LINES.fullmatch(done.stdout)
