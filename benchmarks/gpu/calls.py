"""How often torch is asked for numbers, in passes as large as on a GPU; any machine can count it.

    python -m benchmarks.gpu.calls [--shapes gpt2-small llama-8b] [--paradigms 10]

Networks of as many layers as the shapes have, but narrow and with random weights, score the 34
suites of Hu et al. (2020) from the regions that predictions name, and pairs in the shape of
BLiMP's from their difference on. On a GPU a call is a kernel or a few, and takes the processor
some 5 to 10 microseconds: that is all that CUDA graphs can save.
"""

import argparse
import functools
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
from benchmarks.gpu.shapes import blimp_shaped_work, make_network
from benchmarks.scoring import ours
from benchmarks.scoring.workload import Work, read_suites, suite_work

from pommel.models.model import Policy
from pommel.models.neural import network


def main() -> None:
    """Print a table for each shape."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu.calls", description=__doc__)
    parser.add_argument("--data", default="../shared/data", help="the published data")
    parser.add_argument("--shapes", nargs="+", default=["gpt2-small", "llama-8b"])
    parser.add_argument("--paradigms", type=int, default=10, metavar="N")
    chosen = parser.parse_args()
    data = Path(chosen.data)
    works = {
        "suites": suite_work(read_suites(data / "hu2020" / "suites")),
        "pairs": blimp_shaped_work(sorted((data / "blimp").glob("*.jsonl")), chosen.paradigms),
    }
    for shape in chosen.shapes:
        print(f"\n{shape}\n{calls_table(shape, works).to_string(index=False)}", flush=True)


def calls_table(shape: str, works: Mapping[str, Work]) -> pd.DataFrame:
    """Return how many passes each work is, and how often torch is called, with a shape's layers."""
    rows = []
    with tempfile.TemporaryDirectory() as name, _sizes_of_a_gpu():
        folder, texts = Path(name), [text for work in works.values() for text in work.sentences]
        narrow = f"{shape}-narrow"
        make_network(folder, narrow, texts[:10_000], device="cpu", dtype="float32")
        model = ours.open_ours(folder, device="cpu", dtype="float32")
        recorder = ours.Recorder(network=ours.network_of(model))
        way = ours.sentences_variant(model, Policy(), whole=False, recorder=recorder)
        for each, work in works.items():
            calls = kernel_calls(functools.partial(way.run, work))
            counts = {"sentences": len(work.sentences), "passes": len(recorder.passes)}
            rows.append({"work": each, **counts, "calls": calls})
    return pd.DataFrame(rows)


def _sizes_of_a_gpu() -> Any:
    """Have passes on the processor as large as they are on a GPU meanwhile."""
    tokens, length = network._GPU_TOKENS, network._GPU_ROW_LENGTH  # noqa: SLF001 - what is counted
    return patch.multiple(network, _PROCESSOR_TOKENS=tokens, _PROCESSOR_ROW_LENGTH=length)


def kernel_calls(work: Callable[[], object]) -> int:
    """Do `work`; return how often torch is asked for numbers, views of tensors left out.

    The number is the same on every device, but for what is fused.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    class Count(TorchDispatchMode):  # type: ignore[no-untyped-call]
        n = 0

        def __torch_dispatch__(
            self, operator: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            Count.n += not operator.is_view
            return operator(*args, **(kwargs or {}))

    with Count():  # type: ignore[no-untyped-call]
        work()
    return Count.n


if __name__ == "__main__":
    main()
