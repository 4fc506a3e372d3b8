"""The built-in GPT-2 in numpy and in torch: `OMP_NUM_THREADS=1 python -m benchmarks.arithmetic`.

Every token of the shipped English suites' sentences goes through both engines. Seconds are those of
the processor: of the engine alone, the smallest of three, and of a process that imports what it
needs and opens the model, the smallest of twelve.
"""

import subprocess
import sys
import time
from collections.abc import Sequence

import numpy as np

from pommel.files.shipped import shipped_folder
from pommel.models.huggingface import model as huggingface
from pommel.models.huggingface.left_to_right import LeftToRight
from pommel.models.huggingface.model import HuggingFaceModel
from pommel.models.model import LoadOptions, Policy
from pommel.models.neural.questions import Bits, Request
from pommel.sources.load import load_suites

OPENERS = {"numpy": "open_shipped", "torch": "open_folder"}
N_ANSWERED, N_OPENED = 3, 12
_OPENING = "import time, benchmarks.arithmetic as it; it.opened({!r}); print(time.process_time())"


def opened(arithmetic: str) -> HuggingFaceModel:
    """Return the model, computed by one of `OPENERS`."""
    folder, reference = shipped_folder("builtin") / "en-gpt2", "builtin://en-gpt2"
    opener = getattr(huggingface, OPENERS[arithmetic])
    model = opener(folder, reference=reference, name="en-gpt2", options=LoadOptions())
    if not isinstance(model, HuggingFaceModel) or model.info.details["arithmetic"] != arithmetic:
        raise AssertionError(model.info.details)
    return model


def answered(model: HuggingFaceModel, requests: Sequence[Request]) -> tuple[float, dict[int, Bits]]:
    """Return the seconds of the processor that an engine takes, and its bits by request."""
    scorer = model.scorer
    if not isinstance(scorer, LeftToRight):
        raise TypeError(scorer)
    start = time.process_time()
    found = {index: answer.bits for index, answer in scorer.engine.answers(requests)}
    return time.process_time() - start, found


def seconds_to_open(arithmetic: str) -> float:
    """Return what a process of its own takes that does nothing else."""
    command = [sys.executable, "-c", _OPENING.format(arithmetic)]
    return float(subprocess.check_output(command, text=True))  # noqa: S603


def main() -> None:
    """Print a line for each, and by how many bits they differ at most."""
    models = {arithmetic: opened(arithmetic) for arithmetic in OPENERS}
    suites = load_suites(["suites:en"]).suites
    texts = sorted({each.text for suite in suites for row in suite.sentences() for each in row})
    ids = [each.ids for each in models["numpy"].encoded(texts, Policy())]
    requests = [Request(each, np.arange(1, len(each))) for each in ids]
    print(f"{len(texts):,} sentences, {sum(len(each.positions) for each in requests):,} tokens")
    bits = {}
    for arithmetic, model in models.items():
        turns = [answered(model, requests) for _ in range(N_ANSWERED)]
        bits[arithmetic] = turns[0][1]
        opening = min(seconds_to_open(arithmetic) for _ in range(N_OPENED))
        print(f"{arithmetic}   {min(turn[0] for turn in turns):.1f} s   to open it {opening:.1f} s")
    largest = max(np.abs(bits["numpy"][i] - bits["torch"][i]).max() for i in range(len(ids)))
    print(f"largest difference {largest:.0e} bits")


if __name__ == "__main__":
    main()
