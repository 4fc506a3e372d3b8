"""Scoring side by side with what others use, in one process, variant by variant in turn.

    python -m benchmarks.scoring [--data FOLDER] [--only suites pairs masked] [--quick] [--full]

Networks of GPT-2-small's and BERT-base's shape with random weights score the 34 suites of
Hu et al. (2020), 1,000 minimal pairs of BLiMP, and one suite masked. The peers are minicons and
lm-evaluation-harness (`pip install 'pommel[bench]'`), and plain transformers, one sentence at a
time and in padded batches. Times are of scoring alone, tokenisation included; ratios are taken turn
by turn, and every peer's numbers are compared with pommel's.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.scoring import parts
from benchmarks.scoring.machine import machine
from benchmarks.scoring.networks import make_bert, make_gpt2
from benchmarks.scoring.report import Part
from benchmarks.scoring.workload import Work, first_items, pair_work, read_suites, suite_work

DATA = "../shared/data"
PAIRS = "adjunct_island"
N_PAIRS, N_PAIRS_QUICK, N_PAIRS_WARM_UP = 1_000, 20, 4
PARTS = ("suites", "pairs", "masked")


def main() -> None:
    """Print all tables."""
    chosen = _parser().parse_args()
    suites = Path(chosen.data) / "hu2020" / "suites"
    pairs = Path(chosen.data) / "blimp" / f"{PAIRS}.jsonl"
    for path in (suites, pairs):
        if not path.exists():
            message = "the published data is not there; say where with --data or POMMEL_BENCH_DATA"
            raise SystemExit(f"{path}: {message}")
    _prepare(chosen.threads)
    options = parts.Options(
        peers=parts.usable_peers(chosen.peers),
        device=chosen.device,
        dtype=chosen.dtype,
        n_repeats=chosen.repeats,
        full=chosen.full,
        whole_batch=chosen.whole_batch,
        window_batch=chosen.window_batch,
        peak_tflops=chosen.peak_tflops,
    )
    with_what = machine(chosen.device, chosen.dtype)
    print(", ".join(f"{name} {value}" for name, value in with_what.items()), flush=True)
    done = []
    with tempfile.TemporaryDirectory() as folder:
        for part in _parts(chosen, suites, pairs, Path(folder), options):
            done.append(part())
            print(f"\n{done[-1].text()}", flush=True)
    if chosen.json:
        result = {"machine": with_what, "parts": [part.to_dict() for part in done]}
        Path(chosen.json).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scoring",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    default = os.environ.get("POMMEL_BENCH_DATA", DATA)
    parser.add_argument("--data", default=default, help=f"the published data ({default})")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    # vLLM is for GPUs.
    peers = [each for each in parts.PEERS if each != "vllm"]
    parser.add_argument("--peers", nargs="*", choices=peers, default=peers, metavar="PEER")
    parser.add_argument("--suites", nargs="+", default=[], metavar="NAME", help="all 34")
    parser.add_argument("--masked-suites", nargs="+", default=["number_prep"], metavar="NAME")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--quick", action="store_true", help="the first items and pairs only")
    parser.add_argument("--full", action="store_true", help="one by one: every sentence")
    parser.add_argument("--whole-batch", type=int, default=4, metavar="N", help="masked minicons")
    parser.add_argument("--window-batch", type=int, default=12, metavar="N", help="likewise")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--peak-tflops", type=float, metavar="X", help="of the device")
    parser.add_argument("--tiny", action="store_true", help="tiny networks: tries the script out")
    parser.add_argument("--json", metavar="FILE")
    return parser


def _prepare(n_threads: int) -> None:
    import torch

    logging: Any = import_module("transformers.utils.logging")
    torch.set_num_threads(n_threads)
    logging.set_verbosity_error()
    logging.disable_progress_bar()


def _parts(
    chosen: argparse.Namespace, suites: Path, pairs: Path, folder: Path, options: parts.Options
) -> list[Callable[[], Part]]:
    """Make the networks, and return the comparisons that are wanted."""
    texts = (*suite_work(read_suites(suites)).sentences, *pair_work(pairs, N_PAIRS).sentences)
    gpt2, bert = folder / "gpt2", folder / "bert"
    if "suites" in chosen.only or "pairs" in chosen.only:
        make_gpt2(gpt2, texts, tiny=chosen.tiny)
    if "masked" in chosen.only:
        make_bert(bert, texts, tiny=chosen.tiny)

    def suites_of(names: list[str]) -> tuple[Work, Work]:
        read = read_suites(suites, names)
        few = suite_work(first_items(read[:1], 1))
        return suite_work(first_items(read, 1) if chosen.quick else read), few

    def some_pairs() -> tuple[Work, Work]:
        n_pairs = N_PAIRS_QUICK if chosen.quick else N_PAIRS
        return pair_work(pairs, n_pairs), pair_work(pairs, N_PAIRS_WARM_UP)

    every: dict[str, Callable[[], Part]] = {
        "suites": lambda: parts.suites_part(gpt2, *suites_of(chosen.suites), options),
        "pairs": lambda: parts.pairs_part(gpt2, *some_pairs(), options),
        "masked": lambda: parts.masked_part(bert, *suites_of(chosen.masked_suites), options),
    }
    return [every[name] for name in PARTS if name in chosen.only]


if __name__ == "__main__":
    main()
