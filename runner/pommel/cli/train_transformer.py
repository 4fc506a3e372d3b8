"""`pommel train transformer`."""

import shlex
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

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
from pommel.cli.output import note, show_table
from pommel.cli.train_lstm import folder_of_family, number_of, seeds_of, watching
from pommel.training import TransformerRecipe

_DEFAULT = TransformerRecipe()


_number = partial(number_of, _DEFAULT)


class _RecipeOptions(Options):
    """What is predicted, and the numbers of a recipe."""

    objective: Literal["causal", "masked"] = option(
        default=_DEFAULT.objective,
        help="A GPT-2, which predicts each token from those before it, or a BERT, which predicts "
        "masked ones from all the others.",
    )
    width: Count = _number("width", "Width of the hidden states.")
    n_layers: Count = _number("n_layers", "Layers.")
    n_heads: Count = _number("n_heads", "Heads of attention in each layer.")
    n_positions: Annotated[int, click.IntRange(min=8)] = _number(
        "n_positions", "Longest sentence in tokens; what is longer is cut."
    )
    vocabulary_size: Count = _number(
        "vocabulary_size", "Most tokens of the vocabulary, which is trained on TEXT."
    )
    dropout: Annotated[float, click.FloatRange(0, 1, max_open=True)] = _number(
        "dropout", "Probability of a zero, in training.", "P"
    )
    batch_size: Count = _number("batch_size", "Sentences in a step.")
    learning_rate: AboveZero = _number(
        "learning_rate", "Highest learning rate of AdamW; it rises first, then falls.", "X"
    )
    n_epochs: Count | None = option(
        TransformerRecipe.option("n_epochs"),
        help=f"Passes through the text.  [default: {_DEFAULT.n_epochs}; "
        f"{TransformerRecipe.MASKED_EPOCHS} with masked]",
    )
    validation_share: Annotated[float, click.FloatRange(0, 1, min_open=True, max_open=True)] = (
        _number(
            "validation_share",
            "Share of the sentences that is set aside for validation, the same for every seed.",
            "P",
        )
    )


class _TrainTransformerOptions(_RecipeOptions):
    """The whole recipe, and which seeds are trained."""

    output: Folder = folder_of_family()
    seeds: tuple[int, ...] = seeds_of("weights, order and masks")
    lower: bool = option(help="Read the text, and later suites, in lower case.")
    threads: Count = option(
        default=1, help="Threads to compute with; others add up in another order."
    )
    restart: bool = option(help="Train anew what earlier trainings left in the folders.")


@click.command("transformer", cls=Command, no_args_is_help=True)
@click.argument("text", type=click.Path(path_type=Path))
@takes_options
def command(text: Path, chosen: _TrainTransformerOptions) -> None:
    """Train small transformers on TEXT, a sentence a line: GPT-2s, or masked BERTs.

    Each --seed has its own folder, which is a Hugging Face model. What is finished is not trained
    again by the same command; a seed that was interrupted begins anew.

    \b
      pommel train transformer corpus.txt -o my-bert --objective masked --seed 1 --seed 2
      pommel run 'huggingface://my-bert/seed-*' suites:en/agreement
    """
    # Imported here: `pommel train --help` needs none of it.
    from pommel.analysis import plain_table

    numbers = {each.name: getattr(chosen, each.name) for each in fields(_RecipeOptions)}
    is_masked = chosen.objective == "masked"
    usual = TransformerRecipe.MASKED_EPOCHS if is_masked else _DEFAULT.n_epochs
    recipe = TransformerRecipe(
        **numbers | {"n_epochs": chosen.n_epochs or usual}, cased=not chosen.lower
    )
    with watching() as watcher:
        members = recipe.train(
            text,
            chosen.output,
            watcher,
            seeds=tuple(dict.fromkeys(chosen.seeds)),
            n_threads=chosen.threads,
            restart=chosen.restart,
        )
    # A bit is a unit, and what it is of stands below.
    columns = ("epochs", "unigram bits", "training bits", "validation bits", "seconds")
    show_table(plain_table(names=["model"], numbers=columns, rows=(each.row for each in members)))
    what = "chosen token" if is_masked else "token"
    note(f"Bits per {what}; unigram: of the best guess without context.")
    example = shlex.quote(f"huggingface://{chosen.output}/seed-*")
    note(f"Score suites: pommel run {example} SUITE...")
