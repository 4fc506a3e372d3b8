"""The n-gram benchmark runs, and both readers find the same."""

import re
import subprocess
import sys
from pathlib import Path

LINE = re.compile(
    r"(\w+) +load +\d+\.\d\d s   peak +\d+ MB \(before: \d+ MB\)"
    r" +[\d,]+ words/s   (\d+\.\d{4}) bits/word"
)


def test_it_prints_what_each_reader_costs() -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "ngram.py"
    done = subprocess.run(
        [sys.executable, str(script), "--megabytes", "1", "--sentences", "50"],
        check=True,
        capture_output=True,
        text=True,
    )
    header, *lines = done.stdout.splitlines()
    assert re.fullmatch(r"\d MB, n-grams of order 1 to 4: [\d,]+, [\d,]+, [\d,]+, [\d,]+", header)
    found = [LINE.fullmatch(line) for line in lines]
    assert [each and each[1] for each in found] == ["python", "kenlm"]
    assert len({each[2] for each in found if each}) == 1
