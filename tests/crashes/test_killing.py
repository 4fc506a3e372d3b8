"""`kill -9` at random moments of a run: a second's work is lost, and it comes out the same."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

KILLING = Path(__file__).with_name("killing.py")
TABLES = ("suites.csv", "predictions.csv", "regions.csv", "tokens.csv", "families.csv")


# Model, how many sentences it computes together (0: each by itself), how many seconds' work may be
# lost (less than a user's one second, so that there is more to be kept in between), kills, suite.
CASES = [
    # A network, whose numbers depend on what they are computed with.
    ("builtin://en-gpt2", 32, 0.05, 35, "suites:en/agreement"),
    ("builtin://en-ngram", 0, 0.02, 15, "suites:en/licensing"),
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_a_run_that_is_killed_again_and_again(
    tmp_path: Path, repository: Path, case: tuple[str, int, float, int, str]
) -> None:
    model, n_together, seconds, n_kills, suites = case
    command = [sys.executable, KILLING, tmp_path, model, n_together, seconds, n_kills, 1, suites]
    done = subprocess.run(
        [str(each) for each in command],
        capture_output=True,
        text=True,
        check=False,
        cwd=repository,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert Counter(each["ended"] for each in told)["killed"] >= n_kills
    assert {each["ended"] for each in told} == {"killed", "done"}
    for each in told:
        # What was kept is not scored again, and nothing is kept or scored twice by one process.
        kept, answered = each["kept before"], dict(each["answered"])
        assert not answered.keys() & set(kept)
        assert len(set(kept)) == len(kept)
        assert len(answered) == len(each["answered"])
        # What is lost came in one second, but for the last answer, or the batch under way: behind
        # every answer it is asked whether it is time to keep what there is.
        lost = sorted(moment for text, moment in answered.items() if text not in each["kept"])
        in_time = lost[: -(n_together or 1)]
        assert not in_time or in_time[-1] - in_time[0] < seconds
    # Some were killed with a part of the work kept, or there would be nothing to show.
    assert any(each["kept before"] and each["ended"] == "killed" for each in told)
    last = max(each["round"] for each in told)
    for table in TABLES:
        undisturbed = (tmp_path / "round-0" / table).read_bytes()
        for number in range(1, last + 1):
            assert (tmp_path / f"round-{number}" / table).read_bytes() == undisturbed
