"""A word-level LSTM: one word at a time, in batches, and as pommel does it.

    python benchmarks/lstm.py [--data FOLDER] [--suites NAME...] [--repeats N]

A network of 2 x 650 units with 50,000 words and random weights scores two suites of Hu et al.
(2020). The peers are what published scripts do, a step a word with a softmax over the vocabulary
and the state reset at each sentence; and sentences of like length in padded batches of 64, every
position projected. pommel runs whole suites, from regions to results, with every region and with
those that predictions name. Loading is left out. Figures are medians, the ways taken in turn; every
way's surprisals are compared with those of double precision.
"""

import argparse
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from pommel.models.lstm.folder import LstmConfig, shapes, write_folder
from pommel.models.lstm.model import LstmModel, open_folder
from pommel.models.model import LoadOptions, Policy
from pommel.models.word_level import word_spans
from pommel.scoring import Choices
from pommel.scoring.run import run_suites
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite

DATA = "../shared/data"
SUITES = ("fgd_object", "number_prep")
SEED = 3
BATCH_SIZE = 64
ONE_BY_ONE, BATCHES = "one word at a time", "padded batches"
EVERY, NEEDED = "pommel, every region", "pommel, named regions"

# Sentence -> the surprisal of each word and of the mark at its end, in bits; None: not asked for.
Bits = dict[str, list[float | None]]
Regions = Literal["all", "needed"]


def main() -> None:
    """Print all figures."""
    import torch

    chosen = _parser().parse_args()
    torch.set_num_threads(chosen.threads)
    folder = Path(chosen.data) / "hu2020" / "suites"
    if not folder.is_dir():
        message = "the published data is not there; say where with --data or POMMEL_BENCH_DATA"
        raise SystemExit(f"{folder}: {message}")
    suites = [LoadedSuite.read(folder / f"{name}.json").suite for name in chosen.suites]
    with tempfile.TemporaryDirectory() as made:
        model, weights = make_model(Path(made) / "lstm", suites, chosen.words, chosen.units)
    network, exact = modules(weights, torch.float32), modules(weights, torch.float64)
    sentences = [text for suite in suites for text in texts_of(suite)]
    print(
        f"{', '.join(chosen.suites)}: {len(sentences)} sentences, 2 x {chosen.units} units, "
        f"{chosen.words:,} words, {chosen.threads} threads, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.2f}, torch {torch.__version__}"
    )
    ways: dict[str, Callable[[], Bits]] = {
        ONE_BY_ONE: lambda: one_by_one(model, network, sentences),
        BATCHES: lambda: padded_batches(model, network, sentences),
        EVERY: lambda: pommel(model, suites, "all"),
        NEEDED: lambda: pommel(model, suites, "needed"),
    }
    compare(ways, one_by_one(model, exact, sentences), chosen.repeats)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = os.environ.get("POMMEL_BENCH_DATA", DATA)
    parser.add_argument("--data", default=default, help=f"the published data ({default})")
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="NAME")
    parser.add_argument("--repeats", type=int, default=3, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--units", type=int, default=650, metavar="N")
    parser.add_argument("--words", type=int, default=50_000, metavar="N")
    return parser


def make_model(
    folder: Path, suites: Sequence[Suite], n_words: int, n_units: int
) -> tuple[LstmModel, dict[str, Any]]:
    """Write a network that knows the suites' words, with random weights; open it, return both."""
    import torch

    torch.manual_seed(SEED)
    found = {
        text[start:end]
        for suite in suites
        for text in texts_of(suite)
        for start, end in word_spans(text, lambda _word: False)
    }
    known = ["<unk>", "<eos>", *sorted(found)]
    vocabulary = [*known, *(f"word{number}" for number in range(n_words - len(known)))]
    config = LstmConfig(embedding_size=n_units, hidden_size=n_units, n_layers=2)
    weights = {
        name: torch.empty(shape).uniform_(-0.1, 0.1)
        for name, shape in shapes(config, len(vocabulary)).items()
    }
    write_folder(folder, config, vocabulary, weights)
    options = LoadOptions()
    return open_folder(folder, reference="lstm://random", name="random", options=options), weights


def texts_of(suite: Suite) -> list[str]:
    """Return a suite's sentences, item by item."""
    return [
        condition.sentence(suite.joiner).text
        for item in suite.items
        for condition in item.conditions
    ]


def compare(ways: dict[str, Callable[[], Bits]], exact: Bits, n_repeats: int) -> None:
    """Time the ways in turn, and print a row for each."""
    wall: dict[str, list[float]] = {name: [] for name in ways}
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    worst = dict.fromkeys(ways, 0.0)
    for _ in range(n_repeats):
        for name, way in ways.items():
            began, began_cpu = time.perf_counter(), time.process_time()
            bits = way()
            wall[name].append(time.perf_counter() - began)
            cpu[name].append(time.process_time() - began_cpu)
            worst[name] = max(worst[name], largest_difference(bits, exact))
    base = {"wall": statistics.median(wall[ONE_BY_ONE]), "cpu": statistics.median(cpu[ONE_BY_ONE])}
    print(f"{'':24}{'wall s':>10}{'x':>8}{'cpu s':>10}{'x':>8}{'largest difference':>22}")
    for name in ways:
        seconds, cpu_seconds = statistics.median(wall[name]), statistics.median(cpu[name])
        print(
            f"{name:24}{seconds:10.3f}{base['wall'] / seconds:8.1f}"
            f"{cpu_seconds:10.3f}{base['cpu'] / cpu_seconds:8.1f}{worst[name]:17.1e} bits"
        )


def largest_difference(bits: Bits, exact: Bits) -> float:
    """Return by how much any surprisal that was asked for differs from the right one."""
    return max(
        abs(found - right)
        for text, row in bits.items()
        for found, right in zip(row, exact[text], strict=True)
        if found is not None and right is not None
    )


def pommel(model: LstmModel, suites: Sequence[Suite], regions: Regions) -> Bits:
    """Run the suites."""
    runs = run_suites(model, suites, Choices(policy=Policy(), regions=regions))
    items = [item for run in runs for item in run.surprisals.sentences]
    return {
        scored.text: [token.surprisal_bits for token in scored.tokens]
        for item in items
        for scored in item
    }


def one_by_one(model: LstmModel, network: Any, sentences: Sequence[str]) -> Bits:
    """Take a step a word, with the whole vocabulary's logarithms of probabilities after each."""
    import torch

    encoder, rnn, decoder = network["encoder"], network["rnn"], network["decoder"]
    scored: Bits = {}
    with torch.inference_mode():
        for text in sentences:
            state = None
            scored[text] = bits = []
            for word, following in pairwise(ids_of(model, text)):
                hidden, state = rnn(encoder(torch.tensor([[word]])), state)
                nats = decoder(hidden[0, 0]).log_softmax(-1)
                bits.append(-nats[following].item() / math.log(2))
    return scored


def padded_batches(model: LstmModel, network: Any, sentences: Sequence[str]) -> Bits:
    """Take the longest sentences first, several at once, and project every position."""
    import torch

    encoder, rnn, decoder = network["encoder"], network["rnn"], network["decoder"]
    ids = [ids_of(model, text) for text in sentences]
    order = sorted(range(len(ids)), key=lambda index: -len(ids[index]))
    scored: Bits = {}
    with torch.inference_mode():
        for first in range(0, len(order), BATCH_SIZE):
            own = order[first : first + BATCH_SIZE]
            padded = torch.zeros(len(own), len(ids[own[0]]), dtype=torch.int64)
            for row, index in enumerate(own):
                padded[row, : len(ids[index])] = torch.tensor(ids[index])
            nats = decoder(rnn(encoder(padded[:, :-1]))[0]).log_softmax(-1)
            bits = -nats.gather(-1, padded[:, 1:, None])[..., 0] / math.log(2)
            for row, index in enumerate(own):
                scored[sentences[index]] = bits[row, : len(ids[index]) - 1].tolist()
    return scored


def ids_of(model: LstmModel, text: str) -> list[int]:
    """Return the ids of a sentence between its marks."""
    ids: list[int] = model.ids(model.reader.read(text, Policy())).tolist()
    return ids


def modules(weights: dict[str, Any], dtype: Any) -> Any:
    """Return torch's own modules with these weights."""
    import torch

    n_words, n_units = weights["encoder.weight"].shape
    network = torch.nn.ModuleDict(
        {
            "encoder": torch.nn.Embedding(n_words, n_units),
            "rnn": torch.nn.LSTM(n_units, n_units, 2, batch_first=True),
            "decoder": torch.nn.Linear(n_units, n_words),
        }
    )
    network.load_state_dict(weights)
    return network.to(dtype).eval()


if __name__ == "__main__":
    main()
