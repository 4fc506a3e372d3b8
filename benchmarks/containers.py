"""What a container costs: a model over protocol 1 and 2 against the same model in this process.

    pommel image build huggingface --model runner/pommel/shipped/builtin/en-gpt2 -t pommel/en-gpt2
    python benchmarks/containers.py docker://pommel/en-gpt2 builtin://en-gpt2 [--sizes 100 10000]

Both references name the same model. Each way is timed whole (the model opened, sentences scored,
the model closed: what a first run costs) and again (a second call on the open model: what a further
suite costs).
The container starts anew for every repetition; a process of its own does what is in this process,
so that torch is imported there, too. Figures are medians, with the smallest and the largest.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from pommel.models.container.commands import ImageCommands
from pommel.models.container.model import ContainerModel, PrintedAnswers, describe
from pommel.models.model import LoadOptions, Model, Policy, closing
from pommel.models.registry import load_model
from recipes.english.grammar import sample_corpus

SEED = 11
WAYS = ("process", "protocol 2", "protocol 1")


def main() -> None:
    """Print all figures; with `--one`, time one repetition and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("image", help="docker://IMAGE")
    parser.add_argument("model", help="the same model for this process")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 10_000])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--one", nargs=2, metavar=("WAY", "N"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        way, n_sentences = chosen.one
        print(json.dumps(timed(way, chosen.image, chosen.model, int(n_sentences))))
        return
    print(f"{os.cpu_count()} cores, {chosen.repetitions} repetitions, median [smallest, largest]")
    for n_sentences in chosen.sizes:
        compare(chosen, n_sentences)


def compare(chosen: argparse.Namespace, n_sentences: int) -> None:
    """Print a table for one number of sentences."""
    print(f"\n{n_sentences:,} sentences")
    base: dict[str, float] = {}
    # By turns: a machine may be slower for a while.
    turns = [
        {way: one(chosen, way, n_sentences) for way in WAYS} for _ in range(chosen.repetitions)
    ]
    for way in WAYS:
        rows = [turn[way] for turn in turns]
        cells = []
        for column in ("whole_s", "again_s"):
            seconds = [row[column] for row in rows]
            median = statistics.median(seconds)
            base.setdefault(column, median)
            cells.append(
                f"{column[:-2]} {median:7.2f} s [{min(seconds):.2f}, {max(seconds):.2f}] "
                f"{1e3 * median / n_sentences:7.3f} ms a sentence, x{median / base[column]:.2f}"
            )
        print(f"  {way:10}  " + "   ".join(cells))


def one(chosen: argparse.Namespace, way: str, n_sentences: int) -> dict[str, float]:
    """Time one repetition in a process of its own."""
    again = [sys.executable, __file__, chosen.image, chosen.model, "--one", way, str(n_sentences)]
    done = subprocess.run(again, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    seconds: dict[str, float] = json.loads(done.stdout)
    return seconds


def timed(way: str, image: str, model: str, n_sentences: int) -> dict[str, float]:
    """Return the seconds of a whole run, and of a second one on the open model."""
    first, second = sentences(n_sentences, SEED), sentences(n_sentences, SEED + 1)
    began = time.perf_counter()
    with closing(opened(way, image, model)) as scorer:
        score(scorer, first)
        before = time.perf_counter()
        score(scorer, second)
        again = time.perf_counter() - before
    whole = time.perf_counter() - began - again
    return {"whole_s": whole, "again_s": again}


def opened(way: str, image: str, model: str) -> Model:
    """Return the model by the way named."""
    match way:
        case "process":
            return load_model(model)
        case "protocol 1":
            # An image that speaks version 2 is asked in version 1 all the same.
            commands = ImageCommands.open(image, LoadOptions(pull="never"))
            answers = PrintedAnswers(commands=commands)
            info = describe(image, commands)
            return ContainerModel(described=info, commands=commands, answers=answers)
        case _:
            return load_model(image, LoadOptions(pull="never"))


def score(model: Model, texts: Sequence[str]) -> None:
    """Score every sentence, and make sure of it."""
    n_scored = sum(1 for _ in model.score(texts, Policy()))
    if n_scored != len(texts):
        raise AssertionError(n_scored)


def sentences(n_sentences: int, seed: int) -> list[str]:
    """Return distinct sentences of the built-in models' English."""
    found: dict[str, None] = {}
    for sentence in sample_corpus(10 * n_sentences + 1000, seed):
        found[sentence] = None
        if len(found) == n_sentences:
            break
    return list(found)


if __name__ == "__main__":
    main()
