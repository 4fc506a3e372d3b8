"""What a report costs: seconds to build, bytes, and seconds until a browser has opened it.

    python -m benchmarks.report [--models 20] [--suites 33] [--output FILE]

The shipped English suites, with surprisals that are made up: each word of a sentence is a token,
whose bits are drawn at random, the same for the same model and word. With Chromium on the machine,
the report is opened there without a window: the time until its load event, until the first charts
of the overview are drawn, and until a suite that is chosen has its curves.
"""

import argparse
import hashlib
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.report.page.browser import find_browser, opened_browser

from pommel.models.model import ModelInfo
from pommel.report.page import write_report
from pommel.scoring.choices import Choices
from pommel.scoring.run import NeededSentences, Run, SuiteSurprisals, provenance
from pommel.scoring.run_record import RunRecord
from pommel.sources.load import load_suites
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence, Token


def main() -> None:
    """Print a line for building, for the size, and for opening."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--suites", type=int, default=33)
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    suites = load_suites(["suites:en"]).suites[: chosen.suites]
    runs = list(simulated_runs(suites, chosen.models))
    records = [RunRecord.of(run) for run in runs]
    with tempfile.TemporaryDirectory() as folder:
        path = chosen.output or Path(folder) / "report.html"
        began = time.perf_counter()
        write_report(records, runs, path, title="Simulated surprisals")
        seconds = time.perf_counter() - began
        size = path.stat().st_size / 2**20
        print(f"built     {chosen.models} models x {len(suites)} suites   {seconds:.1f} s")
        print(f"size      {size:.1f} MB")
        print_opening(path)


def print_opening(path: Path) -> None:
    """Open the report in a browser, if there is one, and print how long that took."""
    program = find_browser()
    if program is None:
        print("opened    not at all: no Chromium is installed")
        return
    with opened_browser(program) as browser:
        browser.look(width=1400)
        began = time.perf_counter()
        browser.open(path)
        loaded = time.perf_counter() - began
        browser.value("document.querySelector('.drawing').scrollIntoView()")
        browser.until("document.querySelector('.drawing[data-drawn=done]') !== null")
        drawn = time.perf_counter() - began
        n_elements = browser.value("document.querySelectorAll('*').length")
        print(
            f"opened    load event {loaded:.1f} s   first chart {drawn:.1f} s   "
            f"{n_elements:,} elements"
        )
        # Runs without tokens have no curves.
        if browser.value("document.querySelector('#suite-0 .drawing') !== null"):
            began = time.perf_counter()
            browser.value("location.hash = 'suite-0'")
            browser.until("document.querySelector('#suite-0 .drawing[data-drawn=done]') !== null")
            chosen = time.perf_counter() - began
            print(f"a suite   its curves {chosen:.1f} s after it was chosen")


def simulated_runs(suites: Sequence[Suite], n_models: int) -> Iterator[Run]:
    """Yield a run a model and suite."""
    for number in range(n_models):
        model = ModelInfo(
            reference=f"simulated://{number}",
            name=f"model-{number:02}",
            kind="simulated",
            fingerprint=hashlib.sha256(str(number).encode()).hexdigest(),
        )
        bits: dict[str, float] = {}
        for suite in suites:
            yield simulated_run(suite, model, bits)


def simulated_run(suite: Suite, model: ModelInfo, bits: dict[str, float]) -> Run:
    """Return a run; `bits` holds what the model has said of words, and is added to."""
    chance = random.Random(f"{model.name} {suite.name}")  # noqa: S311 - no secret
    layouts = suite.sentences()
    sentences = {each.text: made_up(each.text, chance, bits) for row in layouts for each in row}
    choices = Choices()
    surprisals = SuiteSurprisals.from_sentences(
        NeededSentences.of(suite, model, choices),
        sentences,
        method="auto",
        provenance=provenance(suite, model, choices, method="auto"),
    )
    return Run(surprisals=surprisals, result=surprisals.evaluate())


def made_up(text: str, chance: random.Random, bits: dict[str, float]) -> ScoredSentence:
    """Return a sentence whose words have the bits that they had before, and noise."""
    tokens, end = [], 0
    for word in text.split():
        start, end = end, end + len(word) + bool(end)
        base = bits.setdefault(word, chance.expovariate(0.1))
        noise = chance.uniform(-0.2, 0.2) * base
        tokens.append(Token(text=word, start=start, end=end, surprisal_bits=base + noise))
    return ScoredSentence(text=text, tokens=tuple(tokens))


if __name__ == "__main__":
    main()
