"""The benchmark of generation runs, with as many sentences as it says."""

import re
import subprocess
import sys
from pathlib import Path

LINE = re.compile(r"(\.\w+) +([\d,]+) sentences +\d+\.\d\d s +[\d,]+ sentences/s   peak +\d+ MB")


def test_it_prints_a_line_for_few_and_for_many_of_each_engine() -> None:
    script = Path(__file__).parents[2] / "benchmarks" / "generation.py"
    done = subprocess.run(
        [sys.executable, str(script), "--pairs", "1000"], check=True, capture_output=True, text=True
    )
    found = [LINE.fullmatch(line) for line in done.stdout.splitlines()]
    assert [each and each[1] for each in found] == [
        ending for ending in (".avg", ".cfg", ".template", ".design") for _ in range(2)
    ]
    counts = [int(each[2].replace(",", "")) for each in found if each]
    # Pairs: two sentences; sets of a design: seven, 36 of them a template.
    assert counts[:6] == [200, 2000] * 3
    assert all(count % (36 * 7) == 0 for count in counts[6:])
