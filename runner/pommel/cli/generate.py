"""`pommel generate`: minimal sets and suites from grammars."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pommel.cli.output import note
from pommel.cli.set_files import (
    WITHOUT_MARKS,
    chosen_format,
    is_of_sets,
    set_output_options,
    write_content,
)
from pommel.contents import SetContent
from pommel.errors import UsageError
from pommel.generation import Generation, Tally
from pommel.grammar.attribute_varying.source import AttributeVaryingSource
from pommel.grammar.context_free.source import ContextFreeSource
from pommel.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.grammar.permutation.source import PermutationSource
from pommel.grammar.source import ItemSource, SetSource, has_items
from pommel.models.word_level.vocabulary import read_word_list
from pommel.wording import counted, listed

# How a grammar's file ends -> what reads it.
_GRAMMARS: dict[str, Callable[[Path], SetSource | ItemSource]] = {
    ".avg": AttributeVaryingSource,
    ".cfg": ContextFreeSource,
    ".template": LexiconTemplateSource,
    ".design": PermutationSource,
}
_SHOWN = 20


@click.command("generate", no_args_is_help=True)
@click.argument("grammar", type=click.Path(path_type=Path))
@set_output_options
@click.option("--name", help="The suite's name.  [default: that of the grammar, or of its file]")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Draw so many distinct minimal sets or items, without replacement.  [default: all]",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    help="How deep the trees of a context-free grammar may be, if it is recursive.",
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
    """Generate a suite, minimal sets or sentences from GRAMMAR.

    \b
    GRAMMAR ends in
      .avg       attribute-varying grammar; what it shares is in common.avg beside it
      .cfg       context-free grammar, with what is contrasted
      .template  template whose slots are filled from a lexicon
      .design    permutation design: roles, cases and orders

    \b
      pommel generate simple_agrmt.avg -o simple_agrmt.json
      pommel generate simple_agrmt.avg --format clams --sample 100 --capitalize
      pommel generate subject_verb.template --sample 200 -o subject_verb.json
    """
    source = _open(grammar, chosen["depth"])
    generation = Generation(
        source=source,
        name=chosen["name"] or _name_of(source, grammar),
        n_sampled=chosen["sample"],
        seed=chosen["seed"],
        eos=chosen["eos"],
        capitalize=chosen["capitalize"],
    )
    if chosen["vocabulary"]:
        _report_unknown(generation, chosen["vocabulary"])
    output: Path | None = chosen["output"]
    form = chosen_format(chosen["form"], output)
    if chosen["eos"] and form in WITHOUT_MARKS:
        hint = "write sentences or minimal sets, or leave the mark out"
        raise UsageError(f"in a suite, the end of a sentence is the model's own mark; {hint}")
    tally = Tally()
    content = generation.content(as_sets=is_of_sets(form), tally=tally)
    if write_content(content, form, output):
        noun = "minimal set" if isinstance(content, SetContent) else "item"
        note(f"{counted(tally.n_written, noun)}: {output}")
    if tally.n_bare:
        bare = counted(tally.n_bare, "minimal set")
        note(f"note: {bare} without an ungrammatical sentence: what is varied has one spelling")


def _name_of(source: SetSource | ItemSource, grammar: Path) -> str:
    head = source.head if has_items(source) else {}
    return str(head.get("meta", {}).get("name") or grammar.stem)


def _open(grammar: Path, depth: int | None) -> SetSource | ItemSource:
    opener = _GRAMMARS.get(grammar.suffix)
    if opener is None:
        endings = listed(list(_GRAMMARS), most=len(_GRAMMARS))
        raise UsageError(f"{grammar}: a grammar's file ends in one of {endings}")
    if depth is None:
        return opener(grammar)
    if opener is not ContextFreeSource:
        raise UsageError("--depth is for context-free grammars (.cfg)")
    return ContextFreeSource(grammar, depth=depth)


def _report_unknown(generation: Generation, path: Path) -> None:
    unknown = generation.unknown_words(read_word_list(path))
    n_words = counted(len(generation.source.words), "word")
    shown = f": {listed(unknown, most=_SHOWN)}" if unknown else ""
    note(f"{path} lacks {len(unknown)} of {n_words}{shown}")
