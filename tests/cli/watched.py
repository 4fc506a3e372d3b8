"""A command in a process of its own, of which is known what it has opened and loaded."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

# Runs a command, and says last on standard error which files it has opened, which processes it has
# begun and what is loaded.
WATCHED = """
import json, sys
seen = {"open": [], "subprocess.Popen": []}
sys.addaudithook(lambda event, said: seen[event].append(str(said[0])) if event in seen else None)
from pommel.cli import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps([*seen.values(), [*sys.modules]]), file=sys.stderr)
"""
# What loads and computes models.
COMPUTING = ("torch", "transformers", "safetensors", "pommel.models.neural.network")


class Watched:
    """What a command has printed, the files it has opened, and what it has begun and loaded."""

    def __init__(self, *command: str | Path, **environment: str) -> None:
        process = subprocess.run(
            [sys.executable, "-c", WATCHED, *map(str, command)],
            capture_output=True,
            check=False,
            env={**os.environ, **environment},
        )
        *said, last = process.stderr.decode().splitlines()
        assert (process.returncode, said) == (0, []), process.stderr
        self.files: list[str]
        self.started: list[str]
        self.modules: list[str]
        self.files, self.started, self.modules = json.loads(last)
        self.stdout = process.stdout

    @property
    def computing(self) -> set[str]:
        """What it has loaded that loads and computes models."""
        return {*COMPUTING} & {*self.modules}

    @property
    def run(self) -> dict[str, Any]:
        """The run and its provenance, but when it was made."""
        (run,) = json.loads(self.stdout)
        del run["provenance"]["date"]
        return dict(run)
