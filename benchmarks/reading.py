"""What reading suites costs: from files of JSON to values, checked and not checked again.

    python -m benchmarks.reading [--files 40] [--items 160]

Suites with made-up words are written into a temporary folder, as they are and evaluated (with a
surprisal for each region). A line each says what it took to load these, to load the shipped suites,
to run `pommel validate suites:all` in a process of its own, and, to compare with, what `json.loads`
alone takes for the first and for the shipped: processor time, the smallest of three, and MB of text
a second. The last line is a sum over all that was read: two versions of pommel that read the same
have the same sum.
"""

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pommel.sources.load import LoadedSuites, find_suites, load_suites

CONDITIONS = ("sing_match", "sing_mismatch", "plur_match", "plur_mismatch")
N_REGIONS = 7
SYLLABLES = [first + second for first in "bdfgklmnprstv" for second in "aeiou"]
N_TURNS = 3
T = TypeVar("T")
SHIPPED = "suites:all"


def main() -> None:
    """Print a line for each kind of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--items", type=int, default=160)
    chosen = parser.parse_args()
    summed = hashlib.sha256()

    def add(found: LoadedSuites) -> None:
        for loaded in found.loaded:
            summed.update(f"{loaded.suite.sha256} {loaded.warnings}".encode())

    with tempfile.TemporaryDirectory() as folder:
        kinds = {kind: Path(folder) / kind for kind in ("plain", "evaluated")}
        for kind, path in kinds.items():
            write(path, chosen.files, chosen.items, evaluated=kind == "evaluated")
        plain, evaluated = map(str, kinds.values())
        files = find_suites(plain)
        tell(
            "json.loads, made-up", files, lambda: [json.loads(each.read_bytes()) for each in files]
        )
        add(tell("made-up", files, lambda: load_suites([plain])))
        files = find_suites(evaluated)
        add(tell("made-up, evaluated", files, lambda: load_suites([evaluated], evaluated=True)))
    files = find_suites(SHIPPED)
    tell("json.loads, shipped", files, lambda: [json.loads(each.read_bytes()) for each in files])
    add(tell("shipped", files, lambda: load_suites([SHIPPED])))
    tell("pommel validate", files, validate)
    print(f"sum      {summed.hexdigest()}")


def tell(name: str, files: Sequence[Path], read: Callable[[], T]) -> T:
    """Print what reading takes, at best, and return what was read."""
    size = sum(path.stat().st_size for path in files) / 1e6
    seconds = []
    for _ in range(N_TURNS):
        began = processor_time()
        found = read()
        seconds.append(processor_time() - began)
    print(f"{name:20} {size:6.1f} MB   {min(seconds):6.2f} s   {size / min(seconds):6.1f} MB/s")
    return found


def processor_time() -> float:
    """Return the seconds that this process and those that it has waited for have computed."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def validate() -> None:
    """Check the shipped suites as users do."""
    command = [sys.executable, "-m", "pommel", "validate", SHIPPED]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own


def write(folder: Path, n_files: int, n_items: int, *, evaluated: bool) -> None:
    """Write suites of made-up words, laid out as shipped ones are."""
    folder.mkdir()
    drawn = random.Random(1)  # noqa: S311 - words, no secrets
    for number in range(n_files):
        value = {
            "meta": {"name": f"made_up_{number}", "metric": "sum"},
            "region_meta": {str(each): f"region_{each}" for each in range(1, N_REGIONS + 1)},
            "predictions": [
                {"type": "formula", "formula": f"(5;%{right}%) < (5;%{wrong}%)"}
                for right, wrong in (CONDITIONS[:2], CONDITIONS[2:])
            ],
            "items": [item(each, drawn, evaluated=evaluated) for each in range(1, n_items + 1)],
        }
        path = folder / f"made_up_{number}.json"
        path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8")


def item(number: int, drawn: random.Random, *, evaluated: bool) -> dict[str, Any]:
    """Return an item whose conditions share all words but one."""
    words = ["".join(drawn.choices(SYLLABLES, k=drawn.randint(1, 4))) for _ in range(N_REGIONS)]
    conditions = []
    for name in CONDITIONS:
        own = [*words[:4], "".join(drawn.choices(SYLLABLES, k=2)), *words[5:]]
        regions: list[dict[str, Any]] = [
            {"region_number": n, "content": word} for n, word in enumerate(own, start=1)
        ]
        for each in regions if evaluated else ():
            each |= {"metric_value": {"sum": drawn.expovariate(0.1)}, "oovs": []}
        conditions.append({"condition_name": name, "regions": regions})
    return {"item_number": number, "conditions": conditions}


if __name__ == "__main__":
    main()
