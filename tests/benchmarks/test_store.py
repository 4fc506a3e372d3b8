"""The benchmark of the store runs, and finds what it has kept."""

import re
import subprocess
import sys
from pathlib import Path

LINES = re.compile(
    r"kept      4,000 sentences   [\d,]+ sentences/s\n"
    r"on disk   \d\.\d MB   (\d+\.\d) bytes/token   \d+ bytes/sentence\n"
    r"cold      3,304 sentences   \d\.\d{3} s   together\n"
    r"warm      3,304 sentences   \d\.\d{3} s   together\n"
    r"cold      3,304 sentences   \d\.\d{3} s   all over\n"
    r"warm      3,304 sentences   \d\.\d{3} s   all over\n"
)


def test_it_prints_what_the_store_costs() -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "store.py"
    done = subprocess.run(
        [sys.executable, str(script), "--sentences", "4000"],
        check=True,
        capture_output=True,
        text=True,
    )
    found = LINES.fullmatch(done.stdout)
    assert found
    # With texts, indices and all.
    assert float(found[1]) < 35
