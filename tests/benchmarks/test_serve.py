"""What looking costs, and a short load: no request fails, and memory does not grow."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.serve import Load, made

pytestmark = pytest.mark.full


def test_it_prints_what_each_page_costs(repository: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.serve", "--models", "10", "--suites", "3"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=repository)
    lines = done.stdout.splitlines()
    assert re.fullmatch(r" +first +again +after a run was added +ms of processor time", lines[0])
    assert all(re.fullmatch(r"( +\d+){3}  .* \(\d+ kB\)", line) for line in lines[1:-1])
    assert len(lines) == 19
    assert re.fullmatch(r"[\d,]+ MB at most", lines[-1])


def test_many_read_while_others_write(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    made(path, n_models=10, n_suites=20)
    found = Load(n_readers=20, n_writers=3, pause=0.2).run(path, seconds=30)
    assert found.failures == []
    assert found.n_added > 20
    assert sum(map(len, found.milliseconds.values())) > 100
    # By then each thread has what it keeps.
    _, halfway, last = found.megabytes
    assert last < 1.15 * halfway
