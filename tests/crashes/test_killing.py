"""`kill -9` at random moments of a run: a second's work is lost, and it comes out the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# How many sentences a model computes together (0: each by itself), how many seconds' work may be
# lost, kills, models and suites. These are some of the moments that docs/store.md tells of.
CASES: dict[str, tuple[float, ...]] = {
    # A network, whose numbers depend on what they are computed with.
    "builtin://en-gpt2 suites:en": (32, 1, 6),
    # More that is kept in between than a user has.
    "builtin://en-ngram suites:en/licensing": (0, 0.02, 8),
}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("words", CASES)
def test_a_run_that_is_killed_again_and_again(tmp_path: Path, repository: Path, words: str) -> None:
    n_together, seconds, n_kills = CASES[words]
    command: tuple[object, ...] = (sys.executable, "-m", "tests.crashes.killing", tmp_path)
    done = subprocess.run(
        [str(each) for each in (*command, n_together, seconds, n_kills, 1, *words.split())],
        capture_output=True,
        text=True,
        check=False,
        cwd=repository,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    whole, *others = (json.loads(line) for line in done.stdout.splitlines())
    assert [each["ended"] for each in others].count("killed") == n_kills
    for each in (whole, *others):
        # What was kept is not scored again, and nothing is scored twice by one process.
        assert each["n_twice"] == 0
        # Behind every answer it is asked whether it is time to keep what there is.
        assert each["lost_s"] < seconds
        assert each["n_kept"] == each["n_before"] + each["n_answered"] - each["n_lost"]
        if each["ended"] != "killed":
            printed = [tmp_path / f"round-{n}.csv" for n in (0, each["round"])]
            assert len({path.read_bytes() for path in printed}) == 1
            assert (each["ended"], each["sha256"]) == ("done", whole["sha256"])
    # Some were killed with a part of the work kept, or there would be nothing to show.
    assert any(0 < each["n_kept"] < whole["n_kept"] for each in others if each["ended"] == "killed")
