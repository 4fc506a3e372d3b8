"""`pommel generate`: minimal sets and suites from grammars."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pommel.cli.output import note
from pommel.cli.set_files import chosen_format, set_output_options, write_pieces
from pommel.errors import UsageError
from pommel.generation import Generation, Tally
from pommel.grammar.attribute_varying.source import AttributeVaryingSource
from pommel.grammar.source import SetSource
from pommel.models.word_level.vocabulary import read_word_list
from pommel.wording import counted, listed

# How a grammar's file ends -> what reads it.
_GRAMMARS: dict[str, Callable[[Path], SetSource]] = {".avg": AttributeVaryingSource}
_SHOWN = 20


@click.command("generate", no_args_is_help=True)
@click.argument("grammar", type=click.Path(path_type=Path))
@set_output_options
@click.option("--name", help="What the suite is called.  [default: the grammar's file]")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Draw so many minimal sets, without replacement.  [default: all]",
)
@click.option("--seed", default=1, show_default=True, help="Seed of the sample.")
@click.option("--eos", is_flag=True, help="Write '. <eos>' behind every sentence.")
@click.option("--capitalize", is_flag=True, help="Begin every sentence with a capital letter.")
@click.option(
    "--vocabulary",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with a word a line: report which of the grammar's words it lacks.",
)
def command(grammar: Path, **chosen: Any) -> None:
    """Generate minimal sets from GRAMMAR, as a suite or as sentences.

    GRAMMAR is a file .avg, an attribute-varying grammar; what it shares with others stands in
    common.avg beside it.

    \b
      pommel generate simple_agrmt.avg -o simple_agrmt.json
      pommel generate simple_agrmt.avg --format clams --sample 100 --capitalize
    """
    source = _open(grammar)
    generation = Generation(
        source=source,
        name=chosen["name"] or grammar.stem,
        n_sampled=chosen["sample"],
        seed=chosen["seed"],
        eos=chosen["eos"],
        capitalize=chosen["capitalize"],
    )
    if chosen["vocabulary"]:
        _report_unknown(generation, chosen["vocabulary"])
    tally = Tally()
    output = chosen["output"]
    if write_pieces(generation.chunks(chosen_format(chosen), tally), output):
        note(f"{counted(tally.n_sets, 'minimal set')}: {output}")
    if tally.n_bare:
        bare = counted(tally.n_bare, "minimal set")
        note(f"note: {bare} without an ungrammatical sentence: what is varied has one spelling")


def _open(grammar: Path) -> SetSource:
    opener = _GRAMMARS.get(grammar.suffix)
    if opener is None:
        raise UsageError(f"{grammar}: a grammar's file ends in {' or '.join(_GRAMMARS)}")
    return opener(grammar)


def _report_unknown(generation: Generation, path: Path) -> None:
    unknown = generation.unknown_words(read_word_list(path))
    n_words = counted(len(generation.source.words), "word")
    shown = f": {listed(unknown, most=_SHOWN)}" if unknown else ""
    note(f"{path} lacks {len(unknown)} of {n_words}{shown}")
