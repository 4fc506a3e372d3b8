"""A kind of model that takes its time and notes each sentence that it scores.

`python -m tests.sharding.slow_model run --plan ...` is `pommel` with it, and with commits ten times
as often. SLOW_LOG is the file of its notes, SLOW_SECONDS what a sentence takes. `slow://fails`
fails at its fourth sentence. With SLOW_CLOCK, it is 1999.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.builders import by_word

from pommel.errors import ModelError
from pommel.models.kinds import KINDS, Kind
from pommel.models.model import LoadOptions, ModelInfo, Policy, Spans
from pommel.surprisal import ScoredSentence

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowModel:
    """Scores a word with its length."""

    info: ModelInfo

    def score(
        self,
        sentences: Sequence[str],
        _policy: Policy,
        _spans: Sequence[Spans | None] | None = None,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        for index, text in enumerate(sentences):
            if self.info.name == "fails" and index == 3:
                raise ModelError("it fails")
            time.sleep(float(os.environ.get("SLOW_SECONDS", "0")))
            with Path(os.environ["SLOW_LOG"]).open("a") as log:
                log.write(f"{self.info.name}\t{text}\n")
            yield index, by_word(text, {})


def open_model(reference: str, _options: LoadOptions) -> SlowModel:
    name = reference.removeprefix("slow://")
    return SlowModel(info=ModelInfo(reference=reference, name=name, kind="slow", fingerprint=name))


KIND = Kind(open=open_model, forms={"slow://NAME": "takes its time"})


def started(*arguments: str | Path, **environment: str) -> "subprocess.Popen[str]":
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.sharding.slow_model", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
        env=os.environ | environment,
    )


if __name__ == "__main__":
    KINDS["slow"] = "tests.sharding.slow_model"
    import pommel.store.store
    from pommel.__main__ import main

    vars(pommel.store.store)["MOST_SECONDS"] = 0.1
    if "SLOW_CLOCK" in os.environ:
        vars(time)["gmtime"] = lambda: time.struct_time((1999, 1, 1, 0, 0, 0, 4, 1, 0))
    main()
