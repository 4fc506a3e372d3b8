"""Scoring on whatever device there is: speed, how busy a GPU is, how far its numbers are off.

    python -m benchmarks.gpu [--shapes gpt2-small pythia-1.4b llama-8b] [--dtypes float32 bfloat16]
    python -m benchmarks.gpu --small    # tries everything out in a minute or two

Networks of well-known shapes with random weights score the 34 suites of Hu et al. (2020) and
sentences in the shape of BLiMP's 67,000 pairs, beside minicons, lm-evaluation-harness
(`pip install 'pommel[bench]'`) and, where it is installed, vLLM, in a whole process and in the
engine alone. The conformance table says by how many bits float32 on the device, float16 and
bfloat16 differ from float32 on the processor, how many verdicts are others, and how many are under
`--verdicts float32`. Without a GPU everything runs on the processor. docs/performance.md says what
has been measured so, and on what; vLLM has never been run here, nor `--verdicts float32` on a GPU.
"""

import argparse
import json
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
from benchmarks.gpu.conformance import BATCHES, conformance_table
from benchmarks.gpu.shapes import N_PARADIGMS, SHAPES, blimp_shaped_work, make_network
from benchmarks.gpu.speed import Setting, pairs_table, suites_table, whole_process
from benchmarks.scoring.machine import machine
from benchmarks.scoring.parts import usable_peers
from benchmarks.scoring.workload import first_items, read_suites, suite_work

# Too many weights for a processor: there the device's own float32 is what others are compared with.
_LARGE = ("pythia-1.4b", "llama-8b")
_PEERS = ["minicons", "lm-eval", "vllm"]
_WHAT = ("suites", "pairs", "process", "conformance")


def main() -> None:
    """Print all tables."""
    chosen = _chosen()
    device = chosen.device or _first_device()
    logging: Any = import_module("transformers.utils.logging")
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    print(", ".join(f"{key} {value}" for key, value in machine(device, "").items()), flush=True)
    data = Path(chosen.data)
    suites = read_suites(data / "hu2020" / "suites", chosen.suites)
    work = suite_work(first_items(suites, 2) if chosen.quick else suites)
    pairs = blimp_shaped_work(sorted((data / "blimp").glob("*.jsonl")), chosen.paradigms)
    tables: dict[str, Any] = {}

    def show(title: str, table: pd.DataFrame) -> None:
        tables[title] = table.to_dict(orient="records")
        print(
            f"\n{title}\n{table.to_string(index=False, float_format='{:.4g}'.format)}", flush=True
        )

    for each in map(Path, chosen.folders):
        table = conformance_table(each, suites, _ways((device, "cpu"), chosen))
        show(f"{each.name}: conformance with float32 on cpu", table)
    for shape in chosen.shapes:
        with tempfile.TemporaryDirectory() as folder:
            network = Path(folder) / shape
            # What has billions of weights is kept as its authors keep it.
            kept = "bfloat16" if shape == "llama-8b" else "float32"
            texts = (*work.sentences, *pairs.sentences[:10_000])
            make_network(network, shape, texts, device=device, dtype=kept)
            for dtype in chosen.dtypes:
                setting = Setting(
                    folder=network,
                    device=device,
                    dtype=dtype,
                    n_repeats=chosen.repeats,
                    peers=usable_peers(chosen.peers),
                )
                title = f"{shape}, {dtype}"
                if "suites" in chosen.what:
                    show(f"{title}: {len(suites)} suites, engine", suites_table(setting, work))
                if "pairs" in chosen.what:
                    n_pairs = len(pairs.sentences) // 2
                    show(f"{title}: {n_pairs:,} pairs, engine", pairs_table(setting, pairs))
                if "process" in chosen.what:
                    paths = [data / "hu2020" / "suites" / f"{each.name}.json" for each in suites]
                    seconds = whole_process(setting, paths, Path(folder) / f"{dtype}.sqlite")
                    show(f"{title}: pommel run, whole process", pd.DataFrame([seconds]))
            if "conformance" in chosen.what:
                own = (device,) if shape in _LARGE else (device, "cpu")
                batches = ["largest"] if shape in _LARGE else [*BATCHES]
                ways = _ways(own, chosen)
                table = conformance_table(network, suites, ways, reference=own[-1], batches=batches)
                show(f"{shape}: conformance with float32 on {own[-1]}", table)
    if chosen.json:
        Path(chosen.json).write_text(json.dumps(tables, indent=2) + "\n", encoding="utf-8")


def _ways(devices: tuple[str, ...], chosen: argparse.Namespace) -> list[tuple[str, str]]:
    """Return what is compared with the last of `devices`: each one in each number format."""
    return [(each, dtype) for each in dict.fromkeys(devices) for dtype in chosen.formats]


def _first_device() -> str:
    import torch

    return "cuda:0" if torch.cuda.is_available() else "cpu"


def _chosen() -> argparse.Namespace:
    chosen = _parser().parse_args()
    if chosen.small:
        chosen.shapes, chosen.suites, chosen.quick = ["tiny"], ["mvrr"], True
        chosen.paradigms = chosen.repeats = 1
    return chosen


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", default="../shared/data", help="the published data")
    shapes = ["gpt2-small", "pythia-1.4b", "llama-8b"]
    parser.add_argument("--shapes", nargs="*", choices=SHAPES, default=shapes, metavar="SHAPE")
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"], metavar="DTYPE")
    formats = ["float32", "float16", "bfloat16"]
    parser.add_argument("--formats", nargs="+", default=formats, metavar="DTYPE")
    message = "networks at hand, of which only the conformance is shown"
    parser.add_argument("--folders", nargs="*", default=[], metavar="FOLDER", help=message)
    parser.add_argument("--what", nargs="+", choices=_WHAT, default=_WHAT, metavar="WHAT")
    parser.add_argument("--peers", nargs="*", default=_PEERS, metavar="PEER")
    parser.add_argument("--suites", nargs="+", default=[], metavar="NAME", help="all 34")
    parser.add_argument("--paradigms", type=int, default=N_PARADIGMS, metavar="N")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--quick", action="store_true", help="the first items of each suite only")
    parser.add_argument("--small", action="store_true", help="a tiny network and few sentences")
    parser.add_argument("--device", help="the first GPU, else the processor")
    parser.add_argument("--json", metavar="FILE")
    return parser


if __name__ == "__main__":
    main()
