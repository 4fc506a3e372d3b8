"""What `pommel.run` holds of many models: peak memory and processor time, with a store and without.

    python -m benchmarks.many_models [--models 25 100 1000] [--suites suites:en] [--no-store]

Each number of made-up models (`dummy://uniform`, each with a number of bits of its own) runs on the
suites in a process of its own, with a new store in a temporary folder. Then the table of scores
is asked for, and a digest of it printed: the same before and after a change of what is held.
"""

import argparse
import hashlib
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pommel

_MB = 2**20


def main() -> None:
    """Print a line a number of models; or be the process in which one number runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, nargs="+", default=[25, 100, 1000])
    parser.add_argument("--suites", default="suites:en")
    parser.add_argument("--no-store", action="store_true")
    parser.add_argument("--within", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.within:
        _run(chosen.models[0], chosen.suites, None if chosen.no_store else Path(chosen.within))
        return
    for number in chosen.models:
        with tempfile.TemporaryDirectory() as folder:
            own = ["--models", str(number), "--within", f"{folder}/store.sqlite"]
            command = [sys.executable, "-m", "benchmarks.many_models", *own]
            options = ["--suites", chosen.suites, *["--no-store"] * chosen.no_store]
            subprocess.run([*command, *options], check=True)  # noqa: S603 - ourselves


def _run(n_models: int, suites: str, store: Path | None) -> None:
    start = _used()
    models = [f"dummy://uniform?bits={number}" for number in range(n_models)]
    results = pommel.run(models, suites, store=store)
    ran = _used()
    scores = results.to_frame().to_csv(index=False)
    read = _used()
    print(
        f"{n_models:,} models   {len(results):,} runs   peak {start[0]:.0f} MB when loaded, "
        f"{ran[0]:.0f} MB when run, {read[0]:.0f} MB with the scores   "
        f"{(ran[1] - start[1]) / n_models:.2f} s a model, {read[1] - ran[1]:.1f} s for the scores"
        f"   {hashlib.sha256(scores.encode()).hexdigest()[:12]}"
    )


def _used() -> tuple[float, float]:
    """Return the peak of memory in MB, and the processor time in seconds, up to now."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # macOS counts bytes, Linux kilobytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_maxrss * unit / _MB, usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
