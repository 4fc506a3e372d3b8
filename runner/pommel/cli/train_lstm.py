"""`pommel train lstm`, and what it shows while it trains: a line an epoch, a bar on a terminal."""

import contextlib
import shlex
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import (
    AboveZero,
    Count,
    Folder,
    Options,
    option,
    takes_options,
)
from pommel.cli.output import bar_on_stderr, note, show_table
from pommel.errors import UsageError
from pommel.training import EpochFigures, Plan, Recipe, TransformerRecipe, Watcher

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

    def step(self, number: int, epoch: int, figures: str) -> None:
        self.bars.update(
            self.task,
            completed=number,
            description=f"seed {self.seed}, epoch {epoch}/{self.n_epochs}",
            figures=figures,
        )
        if number == self.n_steps:
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
    from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

    figures = TextColumn("{task.fields[figures]}", markup=False)
    with bar_on_stderr(MofNCompleteColumn(), TimeRemainingColumn(), figures) as bars:
        yield Bar(bars)


_DEFAULT = Recipe()
# An option that says nothing beside another one.
_EXCLUDED = (
    ("validation_share", "validation"),
    ("vocabulary_size", "vocabulary"),
    ("min_count", "vocabulary"),
)


def number_of(usual: Recipe | TransformerRecipe, name: str, about: str, metavar: str = "N") -> Any:
    """Return the option of a field of a recipe; the default is that of the usual one."""
    return option(usual.option(name), metavar=metavar, default=getattr(usual, name), help=about)


def folder_of_family() -> Any:
    """Return the option of where a family goes."""
    return option("-o", required=True, help="Folder of the family; each seed has a folder in it.")


def seeds_of(what: str) -> Any:
    """Return the option of the seeds of what is drawn; each gives a model."""
    return option(
        "--seed",
        type=click.IntRange(min=0, max=2**32 - 1),
        default=(1,),
        show_default="1",
        metavar="N",
        help=f"Seed of {what}; repeatable: a model each.",
    )


_number = partial(number_of, _DEFAULT)


class _RecipeOptions(Options):
    """The numbers of a recipe."""

    embedding_size: Count = _number("embedding_size", "Width of a word's embedding.")
    hidden_size: Count = _number("hidden_size", "Width of each layer of LSTM.")
    n_layers: Count = _number("n_layers", "Layers of LSTM.")
    dropout: Annotated[float, click.FloatRange(0, 1, max_open=True)] = _number(
        "dropout", "Probability of a zero behind the embedding and each layer.", "P"
    )
    batch_size: Count = _number("batch_size", "Streams of the text that are read side by side.")
    bptt_steps: Count = _number(
        "bptt_steps", "Words of each stream in a step (truncated backpropagation)."
    )
    learning_rate: AboveZero = _number(
        "learning_rate",
        "Of gradient descent; divided by 4 after an epoch that lowers no validation loss.",
        "X",
    )
    min_learning_rate: AboveZero = _number(
        "min_learning_rate", "Training ends when the learning rate is below.", "X"
    )
    clip: AboveZero = _number("clip", "The longest that a gradient may be.", "X")
    n_epochs: Count = _number("n_epochs", "Most passes through the text.")
    vocabulary_size: Count = _number(
        "vocabulary_size", "The most frequent words that become the vocabulary."
    )
    min_count: Count = _number(
        "min_count", "How often a word occurs that becomes part of the vocabulary."
    )
    validation_share: Annotated[float, click.FloatRange(0, 1, min_open=True, max_open=True)] = (
        _number(
            "validation_share",
            "Share of the sentences that is set aside for validation, the same for every seed.",
            "P",
        )
    )


def _checkpoints(
    _context: click.Context, _parameter: click.Parameter, text: str | None
) -> int | Literal["epoch"] | None:
    if text is None:
        return None
    if text == "epoch":
        return "epoch"
    if not text.isdecimal() or int(text) < 1:
        raise click.BadParameter(f"{text!r}: write a number of steps, or epoch")
    return int(text)


class _TrainLstmOptions(_RecipeOptions):
    """The whole recipe, which seeds are trained, and what is kept of a training."""

    output: Folder = folder_of_family()
    seeds: tuple[int, ...] = seeds_of("weights and dropout")
    split: Literal["words", "spaces"] = option(
        default=_DEFAULT.split,
        help="How a line becomes words: cut as suites are, or only at white space.",
    )
    lower: bool = option(help="Read the text, and later suites, in lower case.")
    validation: Path | None = option(
        metavar="FILE", help="Text for validation, instead of a share of TEXT."
    )
    vocabulary: Path | None = option(
        metavar="FILE", help="The words to know, one a line, instead of the most frequent ones."
    )
    tied: bool = option(help="The decoder's matrix is the embedding.")
    device: str = option(default="cpu", help="cpu, cuda, cuda:N, mps, auto")
    threads: Count | None = option(help="Threads to compute with.  [default: torch's]")
    save_every: float = option(
        type=click.FloatRange(min=0),
        default=10.0,
        metavar="MINUTES",
        help="How often the state is saved that an interrupted training goes on from.",
    )
    keep_checkpoints: int | Literal["epoch"] | None = option(
        callback=_checkpoints,
        metavar="N|epoch",
        help="Keep the weights of every N steps, or of every epoch, as models of their own.",
    )
    restart: bool = option(help="Delete what earlier trainings left in the folders.")


@click.command("lstm", cls=Command, no_args_is_help=True)
@click.argument("text", type=click.Path(path_type=Path))
@takes_options
def command(text: Path, chosen: _TrainLstmOptions) -> None:
    """Train word-level LSTM language models on TEXT, a sentence a line.

    Each --seed has its own folder, which is a model. A training that was interrupted goes on with
    the same command. The defaults are the recipe of Gulordava et al. (2018) with the sizes of
    Mueller et al. (2020).

    \b
      pommel train lstm corpus.txt -o my-lstm --seed 1 --seed 2 --seed 3
      pommel run 'lstm://my-lstm/seed-*' suites:en/agreement
    """
    # Imported here: `pommel train --help` needs none of it.
    from pommel.analysis import plain_table

    plan = _plan(text, chosen)
    with watching() as watcher:
        members = plan.train(watcher)
    columns = ("epochs", "best epoch", "validation perplexity", "words/s", "seconds")
    show_table(plain_table(names=["model"], numbers=columns, rows=(each.row for each in members)))
    example = shlex.quote(f"lstm://{plan.out}/seed-*")
    note(f"Score suites: pommel run {example} SUITE...")


def _plan(text: Path, chosen: _TrainLstmOptions) -> Plan:
    _check_excluded()
    return Plan(
        out=chosen.output,
        text=text,
        validation=chosen.validation,
        vocabulary=chosen.vocabulary,
        recipe=Recipe(
            **{each.name: getattr(chosen, each.name) for each in fields(_RecipeOptions)},
            tied=chosen.tied,
            cased=not chosen.lower,
            split=chosen.split,
        ),
        seeds=tuple(dict.fromkeys(chosen.seeds)),
        device=chosen.device,
        n_threads=chosen.threads,
        save_every_seconds=60 * chosen.save_every,
        checkpoints=chosen.keep_checkpoints,
        restart=chosen.restart,
    )


def _check_excluded() -> None:
    context = click.get_current_context()
    was_given = click.core.ParameterSource.COMMANDLINE
    for name, other in _EXCLUDED:
        if context.params[other] and context.get_parameter_source(name) == was_given:
            raise UsageError(f"{Recipe.option(name)} says nothing beside --{other}; leave one out")
