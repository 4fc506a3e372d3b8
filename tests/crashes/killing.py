"""A program that runs `pommel run` in child processes, kills them, and has them begin again.

    python killing.py FOLDER MODEL N_TOGETHER SECONDS N_KILLS SEED SUITE...

Everything is imported and the model is loaded once, and each child is forked from there: what is
killed is a run, not its preparations. A child is killed when its model has answered so many
sentences, which is drawn, and a few milliseconds later, which are drawn, too: between two
sentences, within a commit, while tables are written. SECONDS is how much work may be lost. Prints
one JSON line a process: what was in the store before it and behind it, which sentences its model
answered and when, how it ended. At the end of each round the
run is complete; its tables lie in FOLDER/round-N.
"""

import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from pommel.cli import main, run as run_command
from pommel.models.model import LoadOptions, Model, ModelInfo, Policy, Spans
from pommel.models.registry import load_model
from pommel.store import store as kept_runs
from pommel.store.surprisal_cache import CachedModel, SurprisalCache
from pommel.surprisal import ScoredSentence


@dataclass(slots=True)
class Logged:
    """A model that writes down what it has scored, and when, before anybody gets it."""

    model: Model
    log: IO[str]
    n_together: int | None

    @property
    def info(self) -> ModelInfo:
        return replace(self.model.info, n_together=self.n_together)

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        for index, scored in self.model.score(sentences, policy, spans):
            self.log.write(json.dumps([scored.text, time.monotonic()]) + "\n")
            yield index, scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is run and killed."""

    folder: Path
    model: Model
    n_together: int | None
    seconds: float
    suites: Sequence[str]

    @property
    def log(self) -> Path:
        """Where the model of the process that runs writes what it has answered."""
        return self.folder / "log"

    def store(self, number: int) -> Path:
        """The store of a round."""
        return self.folder / f"store-{number}.sqlite"

    def start(self, number: int) -> int:
        """Run it in a child process; return its number."""
        self.log.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                self._run(number)
                status = 0
            finally:
                os._exit(status)
        return child

    def answered(self) -> list[tuple[str, float]]:
        """Return what the last process's model has answered so far, and when."""
        # The line that a killed process was writing may have no end.
        lines = self.log.read_text().split("\n")[:-1] if self.log.exists() else []
        return [json.loads(line) for line in lines]

    def _run(self, number: int) -> None:
        def logged(model: Model, cache: SurprisalCache, *, rescore: bool) -> CachedModel:
            together = Logged(model, lines, self.n_together)
            return CachedModel(together, cache, rescore=rescore)

        vars(kept_runs)["CachedModel"] = logged
        vars(kept_runs)["MOST_SECONDS"] = self.seconds
        vars(run_command)["open_model"] = lambda *_: self.model
        arguments = ["run", self.model.info.reference, *self.suites, "--regions", "all"]
        arguments += ["--store", str(self.store(number))]
        arguments += ["-o", str(self.folder / f"round-{number}")]
        with self.log.open("w", buffering=1) as lines, Path(os.devnull).open("w") as nowhere:
            sys.stdout = sys.stderr = nowhere
            main(arguments)


def in_store(path: Path) -> list[str]:
    """Return the sentences that have been kept, as another program sees them."""
    if not path.exists():
        return []
    connection = sqlite3.connect(path)
    try:
        rows = connection.execute("SELECT text FROM sentences JOIN scored USING (sentence_id)")
        return [text for (text,) in rows]
    except sqlite3.OperationalError:
        return []  # killed before there were tables
    finally:
        connection.close()


def rounds(program: Program, *, n_kills: int, seed: int) -> Iterator[dict[str, object]]:
    """Run undisturbed (round 0), then be killed up to five times a round, until it is enough."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    killed, number, n_sentences = 0, 0, 0
    while number == 0 or killed < n_kills:
        for last in [False] * (chance.randint(1, 5) if number else 0) + [True]:
            before = in_store(program.store(number))
            child = program.start(number)
            if not last:
                # As many more again for what comes behind the last sentence.
                left = n_sentences - len(before)
                _wait_for(program, chance.randint(0, left + n_sentences // 5), of=left)
                time.sleep(chance.uniform(0, 0.03))
                os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            killed += os.WIFSIGNALED(status)
            ended = "killed" if os.WIFSIGNALED(status) else "failed" if status else "done"
            answered = program.answered()
            n_sentences = n_sentences or len(answered)
            yield {
                "round": number,
                "kept before": before,
                "kept": in_store(program.store(number)),
                "answered": answered,
                "ended": ended,
            }
        number += 1


def _wait_for(program: Program, n_answered: int, *, of: int) -> None:
    """Wait until the model has answered so many sentences; a little longer for more than all."""
    deadline = time.monotonic() + 60
    while len(program.answered()) < min(n_answered, of) and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(0.01 * max(n_answered - of, 0))


if __name__ == "__main__":
    where, reference, together, most_seconds, kills, first_seed, *names = sys.argv[1:]
    what = Program(
        folder=Path(where),
        model=load_model(reference, LoadOptions(offline=True)),
        n_together=int(together) or None,
        seconds=float(most_seconds),
        suites=names,
    )
    for told in rounds(what, n_kills=int(kills), seed=int(first_seed)):
        print(json.dumps(told), flush=True)  # noqa: T201
