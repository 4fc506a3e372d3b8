"""A program that runs `pommel run` in child processes, kills them, and has them begin again.

    python -m tests.crashes.killing FOLDER N_TOGETHER SECONDS N_KILLS SEED WORD...

The words are those of `pommel run`: models and suites. Everything is imported once, and each child
is forked from there. The first one is left alone (round 0), which tells how long the work takes;
each other one gets `kill -9` at a moment drawn evenly from the time between the first answer and
the end. After one to five kills the run may come to its end; then a new round begins, on a new
store. SECONDS is how much work may be lost (1 for users), N_TOGETHER how many sentences a model
computes together (0: each by itself).

Prints one JSON line a process: when its first answer came (`first_s`) and when it was killed or
ended (`at_s`); how many scored sentences were in the store before it (`n_before`) and behind it
(`n_kept`); how many its models answered, and those of them that had been kept before, or that it
had answered before (`n_twice`); how many are lost, to be scored again (`n_lost`), and in how many
seconds they had been scored, without what was under way (`lost_s`); the SHA-256 of all sentences
and results that were kept, bit for bit. What each run prints lies in FOLDER/round-N.csv.
"""

import contextlib
import hashlib
import json
import os
import random
import resource
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from pommel.cli import main
from pommel.models.model import LoadOptions, Model, ModelInfo, Policy, Spans
from pommel.models.registry import load_model
from pommel.store import store as kept_runs
from pommel.store.surprisal_cache import CachedModel, SurprisalCache
from pommel.surprisal import ScoredSentence

Key = tuple[str, str]


@dataclass(slots=True)
class Logged:
    """A model that writes down what it has scored, and when, before anybody gets it."""

    model: Model
    log: IO[str]
    n_together: int | None
    pause_s: float = 0.0

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
            told = [self.info.fingerprint, scored.text, time.monotonic()]
            self.log.write(json.dumps(told) + "\n")
            time.sleep(self.pause_s)
            yield index, scored


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is run and killed."""

    folder: Path
    words: Sequence[str]
    n_together: int | None
    seconds: float

    def run(
        self, number: int, until_s: float | None = None, *, most_bytes: int | None = None
    ) -> dict[str, Any]:
        """Run a round in a child process, which is killed after some seconds, or never.

        None of its files may have more than `most_bytes`.
        """
        store, log = self.folder / f"store-{number}.sqlite", self.folder / "log"
        before, begun = in_store(store), time.monotonic()
        log.write_text("")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                if most_bytes is not None:
                    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
                self._run(number, store, log)
                status = 0
            finally:
                os._exit(status)
        if until_s is not None:
            time.sleep(until_s)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        at_s = time.monotonic() - begun
        # The line that a killed process was writing may have no end.
        lines = map(json.loads, log.read_text().split("\n")[:-1])
        answered: list[tuple[Key, float]] = [((model, text), at) for model, text, at in lines]
        keys, kept = [key for key, _ in answered], in_store(store)
        lost = [at for key, at in answered if key not in kept]
        in_time = lost[: -(self.n_together or 1)]
        return {
            "round": number,
            "ended": "killed" if os.WIFSIGNALED(status) else "failed" if status else "done",
            "first_s": round(answered[0][1] - begun, 3) if answered else None,
            "at_s": round(at_s, 3),
            "n_before": len(before),
            "n_answered": len(keys),
            "n_twice": len(keys) - len({*keys} - before),
            "n_kept": len(kept),
            "n_lost": len(lost),
            # Rounded, what is just below a second would be one.
            "lost_s": in_time[-1] - in_time[0] if in_time else 0.0,
            "sha256": digest(store),
        }

    def _run(self, number: int, store: Path, log: Path) -> None:
        def logged(model: Model, cache: SurprisalCache, *, rescore: bool) -> CachedModel:
            # Each by itself takes its time: any machine has moments in between to be ended at.
            pause_s = 0.0 if self.n_together else 0.002
            slow = Logged(model, lines, self.n_together, pause_s)
            return CachedModel(slow, cache, rescore=rescore)

        vars(kept_runs)["CachedModel"] = logged
        vars(kept_runs)["MOST_SECONDS"] = self.seconds
        printed = self.folder / f"round-{number}.csv"
        arguments = ["run", *self.words, "--regions", "all", "--store", str(store)]
        arguments += ["--format", "csv", "--quiet"]
        with log.open("w", buffering=1) as lines, printed.open("w") as sys.stdout:
            main(arguments)


_SCORED = "FROM scored JOIN sentences USING (sentence_id) JOIN models USING (model_id)"
_RESULTS = "FROM runs LEFT JOIN results USING (run_key)"


def rows(store: Path, sql: str) -> list[tuple[Any, ...]]:
    """Return what another program sees; nothing where there are no tables yet."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.OperationalError:
            return []


def in_store(store: Path) -> set[Key]:
    """Return the sentences that have been kept, and whose."""
    return {*rows(store, f"SELECT fingerprint, text {_SCORED}")} if store.exists() else set()


def digest(store: Path) -> str:
    """Return the SHA-256 of what has been kept, in an order that follows from it."""
    kept = rows(store, f"SELECT fingerprint, text, tokens {_SCORED} ORDER BY 1, 2")
    kept += rows(store, f"SELECT run_id, items {_RESULTS} ORDER BY 1")
    return hashlib.sha256(repr(kept).encode()).hexdigest()


def rounds(program: Program, *, n_kills: int, seed: int) -> Iterator[dict[str, Any]]:
    """Run undisturbed (round 0), then be killed up to five times a round, until it is enough."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    yield (whole := program.run(0))
    killed, number = 0, 0
    while killed < n_kills:
        number += 1
        for _ in range(min(chance.randint(1, 5), n_kills - killed)):
            ended = program.run(number, chance.uniform(whole["first_s"], whole["at_s"]))
            killed += ended["ended"] == "killed"
            yield ended
        yield program.run(number)


if __name__ == "__main__":
    where, together, most_seconds, kills, first_seed, *names = sys.argv[1:]
    for name in names:
        if "://" in name:
            load_model(name, LoadOptions(offline=True))
    what = Program(
        folder=Path(where),
        words=names,
        n_together=int(together) or None,
        seconds=float(most_seconds),
    )
    for told in rounds(what, n_kills=int(kills), seed=int(first_seed)):
        print(json.dumps(told), flush=True)  # noqa: T201
