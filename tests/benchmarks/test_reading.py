"""The benchmark of reading suites reads what it says, and sums it up."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

LINES = re.compile(
    "".join(
        rf"{name} +\d+\.\d MB +\d+\.\d\d s +\d+\.\d MB/s\n"
        for name in (
            "json.loads, made-up",
            "made-up",
            "made-up, evaluated",
            "json.loads, shipped",
            "shipped",
            "pommel validate",
        )
    )
    + r"sum      [0-9a-f]{64}\n"
)


def test_it_prints_what_reading_costs(repository: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.reading", "--files", "2", "--items", "3"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=repository)
    assert LINES.fullmatch(done.stdout)
