"""A family that is trained in a second, and a watcher that disturbs it."""

import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pommel.training.lstm.recipe import EpochFigures, Plan, Recipe, Watcher
from recipes.english.grammar import sample_corpus

TINY = Recipe(
    embedding_size=5,
    hidden_size=6,
    n_layers=2,
    dropout=0.3,
    batch_size=4,
    bptt_steps=7,
    learning_rate=5.0,
    n_epochs=2,
    vocabulary_size=60,
    validation_share=0.1,
)


N_STEPS = 36  # of TINY on its text: 18 in each of two epochs.
MODEL_FILES = ["config.json", "model.safetensors", "training.json", "vocabulary.txt"]


def files(folder: Path) -> list[str]:
    """Return the names of all files below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def weights(folder: Path) -> bytes:
    """Return a model's weights as they lie there."""
    return (folder / "model.safetensors").read_bytes()


def write_text(path: Path, n_sentences: int = 40, seed: int = 1) -> Path:
    """Write sentences of the training English."""
    path.write_text("".join(f"{line}\n" for line in sample_corpus(n_sentences, seed)), "utf-8")
    return path


def tiny_plan(folder: Path, out: str = "family", **changes: Any) -> Plan:
    """Return a plan for a text in `folder`, which is written if it is not there."""
    text = folder / "text.txt"
    if not text.exists():
        write_text(text)
    plan = Plan(out=folder / out, text=text, recipe=TINY, n_threads=1)
    return replace(plan, **changes)


class Recorder(Watcher):
    """Keeps all that it is told; may do something after a step."""

    def __init__(self, after_step: Callable[[int], None] = lambda _: None) -> None:
        """Take what is called with the number of steps that have been told, from 1."""
        self.notes: list[str] = []
        self.epochs: list[EpochFigures] = []
        self.n_steps = 0
        self.after_step = after_step

    def note(self, message: str) -> None:
        """Keep a line."""
        self.notes.append(message)

    def step(self, number: int, epoch: int, figures: str) -> None:  # noqa: ARG002
        """Count a step."""
        self.n_steps += 1
        self.after_step(self.n_steps)

    def epoch(self, figures: EpochFigures) -> None:
        """Keep an epoch's figures."""
        self.epochs.append(figures)


def signal_after(n_steps: int, number: signal.Signals = signal.SIGINT) -> Recorder:
    """Return a watcher that sends this process a signal after so many steps."""

    def send(step: int) -> None:
        if step == n_steps:
            signal.raise_signal(number)

    return Recorder(send)
