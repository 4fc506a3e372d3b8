"""What pommel itself costs, from tokens to results, and to kept results.

    python -m benchmarks.overhead [--items N] [--models N] [--data FOLDER]

A recorded model's sentences (25,000 items x 4 conditions x 6 regions by default) go through
`compute_surprisals` and `evaluate`; the time is divided by the number of sentences. Figures are
the smallest of several repetitions, since everything else on the machine only adds to them.

Then made-up models run on the shipped English suites with a store, as `pommel.run` runs them, one
after the other. It is processor time by distinct sentence: of the first model, with which the
suites come into the store; of the quickest and the median of the others; and the same where a model
makes its tokens up meanwhile (before, they are ready). All transactions are counted.

At last, what is around a network: one so small (two layers of 16 units) that its arithmetic is
little scores the 34 suites of Hu et al. (2020) and 20,000 pairs in the shape of BLiMP. From the
processor time by sentence, that of its passes and of the tokenizer's compiled part are taken off.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.gpu.shapes import blimp_shaped_work
from benchmarks.scoring.networks import make_gpt2
from benchmarks.scoring.ours import network_of, open_ours
from benchmarks.scoring.workload import read_suites, suite_work

import pommel
from pommel.api import load_suite
from pommel.models.model import ModelInfo, Policy, Spans, score_all
from pommel.scoring.run import SuiteSurprisals
from pommel.sources import load_suites
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence, Token

N_REPETITIONS = 3
CONDITIONS = ("match_sing", "mismatch_sing", "match_plural", "mismatch_plural")
REGIONS = ("The", "author", "next to", "the senators", "is", "good .")
FORMULA = "(5;%match_sing%) < (5;%mismatch_sing%) & (5;%match_plural%) < (5;%mismatch_plural%)"


class Recorded:
    """A model that has scored everything before."""

    def __init__(self, scored: Sequence[ScoredSentence], info: ModelInfo | None = None) -> None:
        self.info = info or ModelInfo(
            reference="recorded://benchmark", name="recorded", kind="recorded", fingerprint="0"
        )
        self._scored = {sentence.text: sentence for sentence in scored}

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,  # noqa: ARG002 - the contract has it
        spans: Sequence[Spans | None] | None = None,  # noqa: ARG002 - likewise
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield what was recorded."""
        for index, sentence in enumerate(sentences):
            yield index, self._scored[sentence]


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=25_000)
    parser.add_argument("--models", type=int, default=10)
    parser.add_argument("--data", default="../shared/data", help="the published data")
    chosen = parser.parse_args()
    n_items = chosen.items
    suite = load_suite(make_suite(n_items))
    n_sentences = n_items * len(CONDITIONS)
    scored = [
        score(condition.sentence().text) for item in suite.items for condition in item.conditions
    ]
    model = Recorded(scored)
    seconds = best_of(partial(run, model, suite))
    micros = 1e6 * seconds / n_sentences
    print(f"tokens to results: {micros:.1f} us a sentence ({n_sentences:,} sentences, 1 core)")
    run_and_keep(chosen.models)
    around_a_network(Path(chosen.data))


def run(model: Recorded, suite: Suite) -> None:
    """Do what is measured."""
    result = SuiteSurprisals.of(model, suite).evaluate()
    if result.n_items != len(suite.items):
        raise AssertionError(result.n_items)


def run_and_keep(n_models: int) -> None:
    """Run made-up models with a store, and print what a sentence costs."""
    found = load_suites(["suites:en"])
    found.check()
    suites = found.suites
    texts = list({each.text for suite in suites for row in suite.sentences() for each in row})
    for ready in (True, False):
        with (
            tempfile.TemporaryDirectory() as folder,
            pommel.open_store(Path(folder) / "store.sqlite", create=True) as store,
        ):
            micros = []
            for number in range(n_models + 1):
                # Each has a fingerprint of its own, so that nothing is known before.
                model = pommel.load_model(f"dummy://uniform?bits={number}")
                if ready:
                    model = Recorded(score_all(model, texts, Policy()), model.info)
                began = time.process_time()
                pommel.run(model, suites, store=store)
                micros.append(1e6 * (time.process_time() - began) / len(texts))
            said: list[str] = []
            store.database.connection.set_trace_callback(said.append)
            pommel.run(pommel.load_model("dummy://"), suites, store=store)
        print(
            f"{'tokens' if ready else 'texts'} to kept results: {min(micros[1:]):.1f} us a "
            f"sentence, median {statistics.median(micros[1:]):.1f}, first model {micros[0]:.1f} "
            f"({n_models} models, {len(texts):,} sentences, {len(suites)} suites); "
            f"{said.count('COMMIT')} commits a model"
        )


def around_a_network(data: Path) -> None:
    """Print what a sentence costs beside a network and its tokenizer."""
    suites = suite_work(read_suites(data / "hu2020" / "suites"))
    pairs = blimp_shaped_work(sorted((data / "blimp").glob("*.jsonl")), 20)
    with tempfile.TemporaryDirectory() as folder:
        make_gpt2(Path(folder), (*suites.sentences, *pairs.sentences), tiny=True)
        model = open_ours(Path(folder), device="cpu", dtype="float32")
    within: list[float] = []

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: object, **named: object) -> object:
            began = time.process_time()
            try:
                return function(*given, **named)
            finally:
                within.append(time.process_time() - began)

        return run

    network, tokenizer = network_of(model), model.vocabulary.tokenizer
    network.bits = timed(network.bits)
    compiled = tokenizer.backend_tokenizer
    vars(tokenizer)["_tokenizer"] = SimpleNamespace(
        **{name: getattr(compiled, name) for name in dir(compiled) if name[0] != "_"}
        | {"encode_batch": timed(compiled.encode_batch)}
    )
    for name, work in (("34 suites", suites), ("pairs", pairs)):
        micros = []
        for _ in range(N_REPETITIONS):
            within.clear()
            began = time.process_time()
            score_all(model, work.sentences, Policy(), work.spans)
            seconds = time.process_time() - began - sum(within)
            micros.append(1e6 * seconds / len(work.sentences))
        print(
            f"around a network: {min(micros):.1f} us a sentence "
            f"({name}, {len(work.sentences):,} sentences, {len(within)} calls of both)"
        )


def make_suite(n_items: int) -> dict[str, object]:
    """Return a suite's JSON value; every sentence is a distinct one."""

    def regions(item: int, condition: str) -> list[dict[str, object]]:
        contents = [*REGIONS[:1], f"{REGIONS[1]}{item}{condition[:4]}", *REGIONS[2:]]
        return [{"region_number": n, "content": text} for n, text in enumerate(contents, start=1)]

    return {
        "meta": {"name": "overhead", "metric": "sum"},
        "region_meta": {str(n): f"region {n}" for n in range(1, len(REGIONS) + 1)},
        "predictions": [{"type": "formula", "formula": FORMULA}],
        "items": [
            {
                "item_number": item,
                "conditions": [
                    {"condition_name": name, "regions": regions(item, name)} for name in CONDITIONS
                ],
            }
            for item in range(1, n_items + 1)
        ],
    }


def score(text: str) -> ScoredSentence:
    """Return a sentence with one token a word, and surprisals that depend on the words."""
    tokens = []
    start = 0
    for word in text.split(" "):
        end = start + len(word)
        bits = float(sum(map(ord, word)) % 97) / 7
        tokens.append(Token(text=word, start=start, end=end, surprisal_bits=bits))
        start = end + 1
    return ScoredSentence(text=text, tokens=tuple(tokens))


def best_of(function: Callable[[], object]) -> float:
    """Return the smallest wall time of several calls, in seconds."""
    times = []
    for _ in range(N_REPETITIONS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
