"""What many runs cost: a store of 1,000 models on 200 suites, and the commands that read all of it.

    python -m benchmarks.many_runs [--models 1000] [--suites 200] [--store FILE]

Results are made up, the same for the same numbers: models are the steps of five seeds of a
training, suites have three predictions on 30 items, and runs come without tokens. A line says what
making the store took, then each command, in a process of its own, what it took: processor time
and the most memory it held. Last, the page is opened as `benchmarks.report` does it. With --store
the store stays; one that is there is not made again.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from benchmarks.report import print_opening
from numpy.typing import NDArray

from pommel.models import Membership, ModelInfo
from pommel.models.model import Policy
from pommel.scoring import ModelFacts, PredictionResult, Run, RunRecord, SuiteFacts, SuiteResult
from pommel.store import Store

N_SEEDS = 5
N_CIRCUITS = 10
N_ITEMS = 30
FORMULAS = tuple(f"({region};%match%) < ({region};%mismatch%)" for region in (3, 5, 7))
POLICY = Policy(method="causal")
DATE = "2026-01-01T00:00:00+00:00"

COMMANDS = (
    ("runs", "list"),
    ("stats", "accuracy", "--by", "circuit"),
    ("stats", "training"),
    ("report", "--table", "md"),
    ("report", "-o", "page.html"),
)


def main() -> None:
    """Make the store, and print what each command took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=1_000)
    parser.add_argument("--suites", type=int, default=200)
    parser.add_argument("--store", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = (chosen.store or Path(folder) / "store.sqlite").absolute()
        n_runs = chosen.models * chosen.suites
        if not path.exists():
            began = time.process_time()
            made(path, n_models=chosen.models, n_suites=chosen.suites)
            seconds = time.process_time() - began
            size = path.stat().st_size / 2**20
            print(f"made       {n_runs:,} runs   {seconds:.1f} s   {size:,.0f} MB")
        merge = ("runs", "merge", str(path), "--store", "merged.sqlite")
        for command in (*COMMANDS, merge, merge):
            seconds, n_megabytes = cost(command, path, Path(folder))
            print(f"{seconds:6.2f} s   {n_megabytes:5,.0f} MB   pommel {' '.join(command)}")
        print_opening(Path(folder) / "page.html")


def made(path: Path, *, n_models: int, n_suites: int) -> None:
    """Make a store of one run for each model and suite."""
    with Store.open(path) as store:
        store.runs.save_records(records(n_models, n_suites))


def records(n_models: int, n_suites: int) -> Iterator[RunRecord]:
    """Yield what `n_models` steps of training came to on as many suites as are asked for."""
    for number in range(n_models):
        for suite_number in range(n_suites):
            yield record(number, suite_number, n_models=n_models)


def record(number: int, suite_number: int, *, n_models: int) -> RunRecord:
    """Return what one of `n_models` steps of training came to on a suite."""
    info, member = model(number)
    name, suite = suite_of(suite_number)
    policy = {**POLICY.to_dict(), "fingerprint": POLICY.fingerprint}
    provenance = {
        "suite": {"name": name, "version": suite.version, "sha256": suite.sha256},
        "model": info.to_dict(),
        "policy": policy,
        "method": "causal",
        **environment(),
        "date": DATE,
        "score_rule": "all",
        "oov": "keep",
    }
    result = SuiteResult(
        suite_name=name,
        circuit=f"circuit-{suite_number % N_CIRCUITS}",
        model_name=info.name,
        score_rule="all",
        item_numbers=tuple(range(1, N_ITEMS + 1)),
        predictions=predictions(number, suite_number, n_models),
        membership=member,
        provenance=provenance,
    )
    return RunRecord(
        run_id=sha256(info.name, name)[:12],
        result=result,
        model=ModelFacts.of(info),
        suite=suite,
        policy=policy,
        settings={"compat": "", "oov": "keep", "swallowed": "undefined"},
        created=DATE,
    )


@cache
def environment() -> Mapping[str, object]:
    """Return with what it was made: the same for all."""
    return Run.environment()


def model(number: int) -> tuple[ModelInfo, Membership]:
    """Return a step of one of the seeds, and where it is in the family of its seed."""
    seed, step = number % N_SEEDS, 1000 * (number // N_SEEDS)
    family = f"made-up-{seed}"
    reference = f"huggingface://{family}@step{step}"
    info = ModelInfo(
        reference=reference,
        name=f"{family}/step{step}",
        kind="huggingface",
        fingerprint=sha256(reference),
        n_parameters=160_000_000,
        methods=("causal",),
        dtype="float32",
    )
    member = Membership(
        family=family,
        axis="step",
        label=f"step{step}",
        value=float(step),
        pattern=f"huggingface://{family}@step*",
    )
    return info, member


@cache
def suite_of(number: int) -> tuple[str, SuiteFacts]:
    """Return a suite's name, and what is known of it."""
    name = f"suite-{number:03}"
    return name, SuiteFacts(language="en", version="1.0.0", sha256=sha256(name))


def predictions(number: int, suite_number: int, n_models: int) -> tuple[PredictionResult, ...]:
    """Return results that get better from step to step, on some suites faster."""
    chance = np.random.default_rng((number, suite_number))
    skill = 4 * number / n_models - suite_number % 5 / 2
    margins = chance.normal(skill, 3, (len(FORMULAS), N_ITEMS))
    return tuple(prediction_of(n, each, margins[n]) for n, each in enumerate(FORMULAS))


def prediction_of(
    number: int, formula: str, margins: NDArray[np.float64], description: str = ""
) -> PredictionResult:
    """Return a result of which only the margins are made up, in bits, one an item."""
    nothing = np.zeros(len(margins), dtype=np.bool_)
    return PredictionResult(
        prediction_id=number,
        formula=formula,
        description=description,
        holds=margins > 0,
        margin_bits=margins,
        tie=nothing,
        defined=~nothing,
        swallowed=nothing,
        unscored=nothing,
        oov=nothing,
        skipped=nothing,
    )


def sha256(*texts: str) -> str:
    """Return a hash that is the same for the same texts."""
    return hashlib.sha256(" ".join(texts).encode()).hexdigest()


def cost(command: Sequence[str], path: Path, folder: Path) -> tuple[float, float]:
    """Run a command in a folder; return its seconds of processor time, and its megabytes."""
    settings = {**os.environ, "POMMEL_STORE": str(path), "NO_COLOR": "1"}
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "pommel", *command],
        cwd=folder,
        env=settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    said = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"pommel {' '.join(command)}: {said.decode()}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    main()
