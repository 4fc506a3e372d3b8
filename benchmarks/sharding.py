"""How long 1,000 checkpoints x 200 suites take on many workers, simulated: `makespan` does it.

`python -m benchmarks.sharding` measures on this machine what it costs to begin a worker, to load a
model and to score, and takes these costs for checkpoints of five sizes. How they are read from a
network disk is assumed, and printed. The plan is cut by the code that `pommel plan` uses; each
shard is one worker's. Compared is the longest shard with an even share: all scoring, and one
loading of each model, divided by the workers. No scheduler can be below that.

`python -m benchmarks.sharding --overhead` runs the built-in models on `suites:en` instead, as one
`pommel run` each and as the one shard of a plan, in turns: processor time of the whole processes.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pommel.models import LoadOptions, NamedModel, Policy, load_model
from pommel.models.outline import Outline
from pommel.scoring import Choices
from pommel.sharding import Plan
from pommel.sharding.costs import Costs
from pommel.sharding.cutting import Work
from pommel.sources import load_suites
from pommel.suite import Suite

N_MODELS, N_SUITES = 1_000, 200
# Numbers of weights; as many checkpoints of each.
SIZES = (70e6, 160e6, 410e6, 1e9, 1.4e9)
BYTES_A_WEIGHT = 4
# What all workers read at most together, and one of them.
DISK_BYTES_A_SECOND, WORKER_BYTES_A_SECOND = 20e9, 1e9
# By how much hosts differ from what was planned: sigma of a log-normal factor for each piece.
NOISE = 0.1


def measured() -> tuple[float, float, dict[Path, Suite]]:
    """Return seconds to begin a worker, and those of a weight times a node, and the suites."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import pommel.cli.run, torch"], check=True)
    start = time.perf_counter() - began
    loaded = load_suites(["suites:"])
    suites = {path: each for path, each in zip(loaded.paths, loaded.suites, strict=True) if path}
    reference = "builtin://en-gpt2"
    outline = NamedModel(reference=reference).outline(LoadOptions())
    model = load_model(reference)
    english = load_suites(["suites:en"]).suites
    texts = [*{each.text for suite in english for row in suite.sentences() for each in row}]
    began = time.process_time()
    for _ in model.score(texts, Policy()):
        pass
    seconds = time.process_time() - began
    return start, seconds / outline.n_nodes(texts) / (outline.n_parameters or 1), suites


def simulated(n_workers: int, costs: tuple[float, float], nodes: np.ndarray) -> Mapping[str, float]:
    """Return what comes of a plan for so many workers."""
    start, rate = costs
    weights = np.tile(SIZES, N_MODELS // len(SIZES))
    speed = min(WORKER_BYTES_A_SECOND, DISK_BYTES_A_SECOND / n_workers)
    work = Work(
        loading=1 + weights * BYTES_A_WEIGHT / speed, scoring=rate * weights[:, None] * nodes
    )
    even = float(work.loading.sum() + work.scoring.sum()) / n_workers
    began = time.process_time()
    shards = work.cut(n_workers)
    took = time.process_time() - began
    # Four shards a worker, taken as workers come free, by hosts that are not all as fast.
    random = np.random.default_rng(1)
    free = [0.0] * n_workers
    small = work.cut(4 * n_workers)
    lengths = [
        start + sum(work.seconds(each) * random.lognormal(0, NOISE) for each in parts)
        for parts in small
    ]
    for length in lengths:
        first = int(np.argmin(free))
        free[first] += length
    return {
        "hours even": even / 3600,
        "longest / even": (start + work.makespan(shards)) / even,
        "least that can be": max(even, float((work.loading + work.scoring.max(axis=1)).max()))
        / even,
        "loadings": sum(map(len, shards)),
        "loading share": float(work.loading.sum()) / n_workers / even,
        "noisy hosts, 4 shards each": max(free) / even,
        "seconds to cut": took,
    }


def print_overhead() -> None:
    """Print what a model costs as a run, and as a shard: the least of three."""
    for name in ("en-ngram", "en-gpt2"):
        with tempfile.TemporaryDirectory() as folder:
            plan = f"{folder}/plan.json"
            what = (f"builtin://{name}", "suites:en")
            _cost("plan", *what, "--shards", "1", "-o", plan)
            took = [
                (
                    _cost("run", *what, "--quiet", "--store", f"{folder}/{n}.sqlite"),
                    _cost("run", "--plan", plan, "--shard", "1/1", "-o", f"{folder}/{n}"),
                )
                for n in range(3)
            ]
        run, shard = (min(each) for each in zip(*took, strict=True))
        print(f"{name}: a run {run:.2f} s, a shard {shard:.2f} s")


def _cost(*command: str) -> float:
    """Run a command in a process of its own; return its processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-m", "pommel", *command], check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print the figures, and what they rest on."""
    if sys.argv[1:] == ["--overhead"]:
        print_overhead()
        return
    start, rate, suites = measured()
    per_suite = [
        Outline(reference="x").n_nodes([each.text for row in suite.sentences() for each in row])
        for suite in suites.values()
    ]
    nodes = np.resize(per_suite, N_SUITES)
    print(f"{N_MODELS:,} checkpoints (weights: {', '.join(f'{n / 1e6:,.0f}M' for n in SIZES)})")
    print(f"{N_SUITES} suites: {nodes.sum():,.0f} nodes of prefix trees")
    print(f"measured: {start:.1f} s to begin a worker, {1 / rate:.2g} weights x nodes a second")
    print(
        f"assumed: a network disk of {DISK_BYTES_A_SECOND / 1e9:g} GB/s for all, at most "
        f"{WORKER_BYTES_A_SECOND / 1e9:g} GB/s for each; hosts that differ by {NOISE:.0%}"
    )
    for kind, own, n_workers in (
        ("processors, as measured", rate, 64),
        ("processors, as measured", rate, 1_000),
        ("GPUs, assumed 1,000 times as fast", rate / 1000, 64),
        ("GPUs, assumed 1,000 times as fast", rate / 1000, 1_000),
    ):
        figures = simulated(n_workers, (start, own), nodes)
        told = ", ".join(f"{name} {value:,.3f}" for name, value in figures.items())
        print(f"{n_workers:,} {kind}: {told}")
    models = [NamedModel(reference=f"ngram:///m/{n}.arpa") for n in range(N_MODELS)]
    began = time.process_time()
    plan = Plan.of(Costs.of(models, suites, LoadOptions()), Choices(), n_shards=64)
    took = time.process_time() - began
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pairs = len(plan.models) * len(plan.suites)
    print(f"a plan of {pairs:,} runs: {took:.1f} s, {len(plan.text) / 1e6:.1f} MB, {mib:.0f} MiB")


if __name__ == "__main__":
    main()
