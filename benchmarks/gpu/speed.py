"""How long the same sentences take, and what share of that time the GPU has something to do."""

import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from benchmarks.scoring import causal_peers, ours
from benchmarks.scoring.networks import load
from benchmarks.scoring.variant import Variant, largest_difference
from benchmarks.scoring.workload import Work, first_items, suite_work

from pommel.models.model import Policy

_NO_BOS, _BOS = Policy(bos="never"), Policy(bos="always")
# What each of the others scores at once, beside the number that it is used with as a rule.
_LARGE_BATCH = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A network in a folder, where it runs, in which number format, and how often it is timed."""

    folder: Path
    device: str
    dtype: str
    n_repeats: int
    peers: frozenset[str]


def suites_table(setting: Setting, work: Work) -> pd.DataFrame:
    """Time suites in the engine alone: the regions that predictions name, every region, others."""
    model = ours.open_ours(setting.folder, device=setting.device, dtype=setting.dtype)
    variants = [ours.suites_variant(model, _NO_BOS, which) for which in ("needed", "all")]
    if model.info.is_half:
        variants.append(ours.suites_variant(model, _NO_BOS, "needed", verdicts="float32"))
    variants += _peers(setting, compare_with=ours.EVERY, harness=False)
    return _timed(setting, variants, work, suite_work(first_items(work.suites[:1], 1)))


def pairs_table(setting: Setting, work: Work) -> pd.DataFrame:
    """Time minimal pairs in the engine alone: from the difference on, whole sentences, others."""
    model = ours.open_ours(setting.folder, device=setting.device, dtype=setting.dtype)
    variants = [ours.sentences_variant(model, _BOS, whole=whole) for whole in (False, True)]
    variants += _peers(setting, compare_with=ours.WHOLE, harness=True)
    few = Work(sentences=work.sentences[:64], spans=work.spans[:64])
    return _timed(setting, variants, work, few)


def _peers(setting: Setting, *, compare_with: str, harness: bool) -> list[Variant]:
    peers = setting.peers
    network, tokenizer = load(
        setting.folder, masked=False, device=setting.device, dtype=setting.dtype
    )
    common: dict[str, Any] = {"device": setting.device, "compare_with": compare_with}
    sizes: tuple[int, ...] = ()
    if "minicons" in peers and not harness:
        sizes, make = (causal_peers.MINICONS_BATCH, _LARGE_BATCH), causal_peers.minicons
    elif "lm-eval" in peers and harness:
        sizes, make = (causal_peers.HARNESS_BATCH, _LARGE_BATCH), causal_peers.harness
    found = [make(network, tokenizer, batch_size=size, **common) for size in sizes]
    # It gives tokens, as minicons does.
    if "vllm" in peers and not harness:
        own = {"dtype": setting.dtype, "compare_with": compare_with}
        found.append(causal_peers.vllm(setting.folder, tokenizer, **own))
    return found


def _timed(setting: Setting, variants: Sequence[Variant], work: Work, few: Work) -> pd.DataFrame:
    """Time variants in turns, each after a little work; one more run says how busy the GPU is."""
    seconds: dict[str, list[float]] = {variant.name: [] for variant in variants}
    bits: dict[str, Any] = {}
    for variant in variants:
        variant.run(few)
    for _ in range(setting.n_repeats):
        for variant in variants:
            start = time.perf_counter()
            raw = variant.run(work)
            seconds[variant.name].append(time.perf_counter() - start)
            bits[variant.name] = variant.read(work, raw)
    rows = []
    for variant in variants:
        busy = busy_share(setting.device, functools.partial(variant.run, work))
        best = min(seconds[variant.name])
        rows.append(
            {
                "way": variant.name,
                "seconds": best,
                "slowest": max(seconds[variant.name]),
                "sentences/s": len(work.sentences) / best,
                "x pommel": best / min(seconds[variants[0].name]),
                "GPU busy": busy,
                "difference": largest_difference(bits[variant.compare_with], bits[variant.name])
                if variant.compare_with
                else None,
            }
        )
    return pd.DataFrame(rows)


def busy_share(device: str, work: Callable[[], object]) -> float | None:
    """Do `work`; return the share of its time in which a kernel runs on the GPU, None without one.

    A profiler notes when each kernel begins and ends; what overlaps counts once. It makes the
    processor's part a little slower, so that the share is rather too small than too large.
    """
    if not device.startswith("cuda"):
        work()
        return None
    import torch
    from torch.profiler import ProfilerActivity, profile

    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        seconds = time.perf_counter() - start
    # `events()` of PyTorch makes an object of each; what the profiler has kept is enough.
    kernels = sorted(
        (event.start_ns(), event.start_ns() + event.duration_ns())
        for event in profiled.profiler.kineto_results.events()
        if event.device_type().name == "CUDA"
    )
    busy_ns, end = 0, 0
    for begins, ends in kernels:
        busy_ns += max(0, ends - max(begins, end))
        end = max(end, ends)
    return busy_ns / 1e9 / seconds


def whole_process(setting: Setting, suites: Sequence[Path], store: Path) -> Mapping[str, float]:
    """Return the seconds of `pommel run` on suites: a new store, and once more, all kept."""
    command = [sys.executable, "-m", "pommel", "run", f"huggingface://{setting.folder}"]
    command += [*map(str, suites), "--offline", "--store", str(store)]
    command += ["--device", setting.device, "--dtype", setting.dtype]
    seconds = {}
    for name in ("first run", "all kept"):
        start = time.perf_counter()
        done = subprocess.run(  # noqa: S603 - pommel itself
            command, env=os.environ, capture_output=True, text=True, check=False
        )
        seconds[name] = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(done.stderr)
    return seconds
