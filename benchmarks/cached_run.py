"""What a run costs of which a store has everything, beside the first run, which scores it.

    python -m benchmarks.cached_run [--checkpoints 154]

Processor time (user and system) of whole processes of `pommel run MODEL number_prep`, in turns: a
folder of a Hugging Face model (the built-in GPT-2, which is loaded as any other folder is), the
built-in models, and a family of as many checkpoints as Pythia has, which differ by a little noise.
Each is run once, and three times again, of which the median is printed; what is printed by the
runs has to be the same. The files have to be older than two seconds to be known by their times, so
that a moment passes before the first run. How it was before: with PYTHONPATH naming an older
checkout's `runner`.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from pommel.files import shipped_folder

SUITE = "number_prep"
N_AGAIN = 3


def main() -> None:
    """Print a line for each model and for the family."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=int, default=154)
    n_checkpoints = parser.parse_args().checkpoints
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_family(folder, n_checkpoints)
        time.sleep(3)
        for model in (
            "huggingface://step-0",
            "builtin://en-gpt2",
            "builtin://en-ngram",
            "huggingface://step-*",
        ):
            first, *again = (run(folder, model) for _ in range(1 + N_AGAIN))
            if {printed for _, printed in again} != {first[1]}:
                raise SystemExit(f"{model}: the first run and those after it differ")
            seconds = statistics.median(each for each, _ in again)
            print(f"first {first[0]:7.2f} s   again {seconds:6.2f} s   {model}", flush=True)


def make_family(folder: Path, n_checkpoints: int) -> None:
    """Write checkpoints of the built-in GPT-2, each with a little noise on its weights."""
    shipped = shipped_folder("builtin") / "en-gpt2"
    weights = load_file(shipped / "model.safetensors")
    noise = np.random.default_rng(0)
    for step in range(n_checkpoints):
        made = folder / f"step-{step}"
        shutil.copytree(shipped, made)
        for name, each in weights.items():
            scale = each.dtype.type(step / 1e5)
            weights[name] = each + scale * noise.standard_normal(each.shape).astype(each.dtype)
        save_file(weights, made / "model.safetensors", {"format": "pt"})


def run(folder: Path, model: str) -> tuple[float, bytes]:
    """Return the processor time of a run in a store and a cache of the folder, and its output."""
    own = {
        "POMMEL_STORE": str(folder / "store.sqlite"),
        "POMMEL_CACHE": str(folder / "cache"),
        # As it is installed: what is compiled stays so.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pommel", "run", model, SUITE]
    environment = {**os.environ, **own}
    done = subprocess.run(  # noqa: S603 - our own command
        command, check=True, capture_output=True, cwd=folder, env=environment
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout


if __name__ == "__main__":
    main()
