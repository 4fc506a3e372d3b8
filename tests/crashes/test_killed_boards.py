"""`kill -9` before each step of a board's changes: they took place, or nothing of them is left."""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.full

# "before", once for each of so many steps at least, and then "after".
LEAST_STEPS = {"add": 30, "supersede": 30, "withdraw": 15, "rerun": 10, "export": 20, "init": 10}


@pytest.mark.timeout(600)  # a quarter of a minute of the processor
def test_a_change_that_is_killed_before_each_of_its_steps(tmp_path: Path, repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crashes.killing_boards", tmp_path],
        capture_output=True,
        text=True,
        check=False,
        cwd=repository,
    )
    assert done.returncode == 0, done.stderr
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in done.stdout.splitlines():
        each = json.loads(line)
        found[each["change"]].append(each)
    assert {name: len(found[name]) >= n for name, n in LEAST_STEPS.items()} == dict.fromkeys(
        LEAST_STEPS, True
    )
    for name in ("export", "init"):
        assert {each["is"] for each in found[name]} == {"after"}, name
    for name in ("add", "supersede", "withdraw", "rerun"):
        for each in found[name]:
            assert each["verify"][0] == 0, each
            assert each["parts"] == [], each
        are = [each["is"] for each in found[name]]
        n_before = are.count("before")
        assert are == ["before"] * n_before + ["after"] * (len(are) - n_before)
        said = {each["verify"][1].partition(";")[0] for each in found[name][:n_before]}
        assert said == {
            "BOARD: all is well",
            "BOARD: a change of this board was killed and never took place",
        }
