"""What `pommel train lstm` shows while it trains: a line an epoch, and a bar on a terminal."""

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pommel.cli.output import note
from pommel.training.lstm.recipe import EpochFigures, Progress, Watcher

if TYPE_CHECKING:
    from rich.progress import Progress as Bars


class Lines(Watcher):
    """Writes a line for each epoch."""

    def __init__(self) -> None:
        """Begin before the first training."""
        self.seed = self.n_epochs = self.n_steps = 0

    def note(self, message: str) -> None:
        note(message)

    def begin(self, seed: int, *, n_epochs: int, n_steps: int) -> None:
        self.seed, self.n_epochs, self.n_steps = seed, n_epochs, n_steps

    def epoch(self, figures: EpochFigures) -> None:
        better = "" if figures.is_best else " (no better)"
        self.note(
            f"seed {self.seed}, epoch {figures.epoch} of {self.n_epochs}: perplexity "
            f"{figures.training_perplexity:.2f} in training, "
            f"{figures.validation_perplexity:.2f} in validation{better}, learning rate "
            f"{figures.learning_rate:g}, {figures.n_words_per_second:,.0f} words/s"
        )


class Bar(Lines):
    """Writes the same lines above a bar for the epoch under way."""

    def __init__(self, bars: "Bars") -> None:
        """Begin while the text is read."""
        super().__init__()
        self.bars = bars
        self.task = bars.add_task("reading the text", total=None, figures="")

    def note(self, message: str) -> None:
        # What has line breaks to fold would be broken by a bar's console; paths are no mark-up.
        self.bars.console.print(message, markup=False, highlight=False, soft_wrap=True)

    def begin(self, seed: int, *, n_epochs: int, n_steps: int) -> None:
        super().begin(seed, n_epochs=n_epochs, n_steps=n_steps)
        self.bars.reset(self.task, total=n_steps)

    def step(self, progress: Progress) -> None:
        best = progress.best
        validation = f", validation {best.validation_perplexity:.2f}" if best else ""
        self.bars.update(
            self.task,
            completed=progress.step,
            description=f"seed {self.seed}, epoch {progress.epoch}/{self.n_epochs}",
            figures=f"{progress.n_words_per_second:,.0f} words/s, perplexity "
            f"{progress.training_perplexity:.2f}{validation}",
        )
        if progress.step == self.n_steps:
            self.bars.update(self.task, figures="validating")

    def epoch(self, figures: EpochFigures) -> None:
        super().epoch(figures)
        self.bars.reset(self.task, total=self.n_steps)


@contextlib.contextmanager
def watching() -> Iterator[Watcher]:
    """Give the one to tell of a training; it shows a bar if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    # Imported here: `pommel train --help` stays fast without it.
    from rich.console import Console  # noqa: PLC0415 - `pommel --help` stays fast without it
    from rich.progress import (  # noqa: PLC0415 - `pommel --help` stays fast without it
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars  # noqa: PLC0415 - `pommel --help` stays fast without it

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}", markup=False),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        yield Bar(bars)
