"""What commands take that do little: processor time (user and system) of whole processes.

    python -m benchmarks.starting

The smallest of nine runs with the bytecode of all modules cached, as it is after the first run, and
of three without. With PYTHONPATH=OTHER/runner they are another checkout's commands.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

SUITE = "number_prep"
COMMANDS = (
    (),
    ("--help",),
    ("run", "--help"),
    ("stats", "--help"),
    ("suites", "list"),
    ("suites", "show", SUITE),
    ("models", "list"),
    ("validate", f"suites:{SUITE}"),
    ("runs", "list"),
    ("score", "builtin://en-ngram", "It is good ."),
    ("run", "builtin://en-ngram", SUITE),
)


def seconds(arguments: Sequence[str], settings: Mapping[str, str]) -> float:
    """Return the processor time of a command in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # noqa: S603 - our own command
        [sys.executable, *arguments],
        env=os.environ | settings,
        capture_output=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a row for each command."""
    with tempfile.TemporaryDirectory() as folder:
        cached = {
            "OMP_NUM_THREADS": "1",
            "POMMEL_STORE": str(Path(folder, "store")),
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode")),
        }
        nothing = cached | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": folder}
        # There is a run in the store then.
        seconds(("-m", "pommel", *COMMANDS[-1]), cached)
        print("| command | cpu s | nothing cached |\n|---|---:|---:|")
        for name, arguments in [
            *((each, ("-c", each)) for each in ("pass", "import pommel", "import pommel.api")),
            *((" ".join(("pommel", *each)), ("-m", "pommel", *each)) for each in COMMANDS),
        ]:
            seconds(arguments, cached)
            warm, cold = (
                min(seconds(arguments, settings) for _ in range(n))
                for settings, n in ((cached, 9), (nothing, 3))
            )
            print(f"| `{name}` | {warm:.2f} | {cold:.2f} |", flush=True)


if __name__ == "__main__":
    main()
