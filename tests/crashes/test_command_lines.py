"""Command lines drawn at random end as documented, whatever their files and values are."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.timeout(600)  # a minute of the processor; others have it, too
def test_no_traceback_no_hang_nothing_half_written(repository: Path) -> None:
    # In a process of its own: what is interrupted there leaves sockets open here.
    done = subprocess.run(
        [sys.executable, "-m", "tests.crashes.command_lines", "--lines", "250"],
        capture_output=True,
        text=True,
        check=True,
        cwd=repository,
        env={**os.environ, "PYTHONPATH": f"{repository / 'runner'}:{repository}"},
    )
    *found, counts = done.stdout.splitlines()
    assert found == []
    assert {"0", "1", "2", "3", "4"} <= {*ast.literal_eval(counts)}
    assert ast.literal_eval(counts)["0"] > 40
