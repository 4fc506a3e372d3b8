"""The benchmark of cached runs runs each model again, and finds the same."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("transformers")
pytestmark = pytest.mark.full

LINES = re.compile(
    "".join(
        rf"first +\d+\.\d\d s   again +\d+\.\d\d s   {model}\n"
        for model in (
            "huggingface://step-0",
            "builtin://en-gpt2",
            "builtin://en-ngram",
            r"huggingface://step-\*",
        )
    )
)


def test_it_prints_the_first_run_and_those_after_it(repository: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.cached_run", "--checkpoints", "2"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=repository)
    assert LINES.fullmatch(done.stdout)
