"""`pommel train ngram`."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import click

from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import (
    AboveZero,
    Count,
    File,
    Options,
    option,
    takes_options,
)
from pommel.cli.output import note
from pommel.errors import UsageError
from pommel.models import read_word_list
from pommel.training import NgramRecipe

_DEFAULT = NgramRecipe()


def _counts(_context: click.Context, _parameter: click.Parameter, text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and int(part) for part in parts):
        raise click.BadParameter(f"{text!r}: write numbers from 1 up, as 2 or 1,1,2")
    return tuple(map(int, parts))


class _TrainNgramOptions(Options):
    """Where a model goes, how its text is read, which words it knows, how counts are smoothed."""

    output: File = option(
        "-o", required=True, help="ARPA file to write; gzipped if its name ends in .gz."
    )
    order: Count | None = option(
        help=f"Words in the longest n-grams.  [default: {_DEFAULT.order}; "
        f"{NgramRecipe.MAX_LAPLACE_ORDER} with laplace]",
    )
    smoothing: Literal["kneser-ney", "laplace"] = option(
        default=_DEFAULT.smoothing,
        help="Interpolated modified Kneser-Ney, or the same added to every count.",
    )
    add: AboveZero | None = option(
        metavar="K",
        help=f"What laplace adds to every count.  [default: {_DEFAULT.add:g}]",
    )
    min_count: tuple[int, ...] = option(
        callback=_counts,
        default="1",
        metavar="N[,N...]",
        help="How often a word, a bigram, a trigram, ... occurs that is kept; the last number "
        "holds for all longer ones. Rarer words are <unk>.",
    )
    vocabulary_size: Count | None = option(
        help="Most words to know, the most frequent ones; the others are <unk>.",
    )
    vocabulary_file: Path | None = option(
        "--vocabulary", metavar="FILE", help="The words to know, one a line, however rare they are."
    )
    split: Literal["words", "spaces"] = option(
        default="words", help="How a line becomes words: cut as suites are, or only at white space."
    )
    lower: bool = option(help="Read the text in lower case.")
    decimals: int = option(
        type=click.IntRange(1, 15),
        default=_DEFAULT.n_decimals,
        metavar="N",
        help="Decimals of the logarithms in the file.",
    )


@click.command("ngram", cls=Command, no_args_is_help=True)
@click.argument("text", type=click.Path(path_type=Path))
@takes_options
def command(text: Path, chosen: _TrainNgramOptions) -> None:
    """Estimate an n-gram model of TEXT, a file with a sentence a line, plain or gzipped.

    \b
      pommel train ngram corpus.txt -o corpus.arpa.gz
      pommel run ngram://corpus.arpa.gz suites:en/agreement
    """
    recipe, output = _recipe(chosen), chosen.output
    with _status() as tell:
        model = recipe.train(text, output, tell, split=chosen.split, cased=not chosen.lower)
    note(f"{output}: {model.summary}")
    n_orders = len(model.tables)
    if n_orders < recipe.order:
        what = f"the text has no {n_orders + 1}-gram to keep"
        note(f"note: {what}; the order is {n_orders}, not {recipe.order}")


def _recipe(chosen: _TrainNgramOptions) -> NgramRecipe:
    is_laplace = chosen.smoothing == "laplace"
    if chosen.add is not None and not is_laplace:
        raise UsageError("--add is for --smoothing laplace")
    vocabulary = None
    if chosen.vocabulary_file:
        words = read_word_list(chosen.vocabulary_file, cased=not chosen.lower)
        # An LSTM's vocabulary has its mark for the end of a sentence, which is `</s>` here.
        vocabulary = tuple(word for word in words if word != "<eos>")
    return NgramRecipe(
        order=chosen.order or (NgramRecipe.MAX_LAPLACE_ORDER if is_laplace else _DEFAULT.order),
        smoothing=chosen.smoothing,
        add=_DEFAULT.add if chosen.add is None else chosen.add,
        min_count=chosen.min_count,
        vocabulary_size=chosen.vocabulary_size,
        vocabulary=vocabulary,
        n_decimals=chosen.decimals,
    )


@contextlib.contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    """Give a function that says what is being done, on stderr if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return
    from pommel.cli.console import SafeConsole

    with SafeConsole(stderr=True).status("") as status:
        yield status.update
