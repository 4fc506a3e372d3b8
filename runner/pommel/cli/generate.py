"""`pommel generate`: minimal sets and suites from grammars, and text to train on."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from pommel.cli import completing
from pommel.cli.lazy_group import Command, check_output
from pommel.cli.option_groups import Count, File, option, takes_options
from pommel.cli.output import note, print_or_write
from pommel.cli.set_files import SetOptions, chosen_form, show_or_write
from pommel.errors import UsageError, counted, listed
from pommel.models import read_word_list
from pommel.sources import Generation

_SHOWN = 20
# What a suite says of itself by other options, or by the grammar.
_OWN_KEYS = ("name", "generator", "metric")
# What says something beside --text.
_OF_TEXT = ("grammar", "n_sentences", "seed", "output", "quiet")


class _GenerateOptions(SetOptions):
    """How many items are generated, how they are spelt, and what is written."""

    name: str | None = option(
        help="The suite's name.  [default: that of the grammar, or of its file]"
    )
    sample: Count | None = option(
        help="Draw so many distinct minimal sets or items, without replacement.  [default: all]",
    )
    depth: Count | None = option(
        help="How deep the trees of a context-free grammar may be, if it is recursive.",
    )
    n_sentences: Count | None = option(
        "--text",
        help="Draw so many sentences of a template's conditions, or of a folder of templates, as a "
        "text to train on; a sentence may come again.",
    )
    seed: int = option(type=click.IntRange(min=0), default=1, help="Seed of the sample or text.")
    count: bool = option(help="Say how many there are, and generate nothing.")
    about: tuple[str, ...] = option(
        "--meta",
        metavar="KEY=VALUE",
        help="What the suite's meta says besides: language=de; may be repeated.",
    )
    eos: bool = option(
        help="Write '. <eos>' behind every sentence; '<eos>', if it has a full stop."
    )
    capitalize: bool = option(help="Begin every sentence with a capital letter.")
    vocabulary: File | None = option(
        help="File with a word a line: report which of the grammar's words it lacks.",
    )


@click.command("generate", cls=Command, no_args_is_help=True)
@click.argument("grammar", type=click.Path(path_type=Path), shell_complete=completing.grammars)
@takes_options
def command(grammar: Path, chosen: _GenerateOptions) -> None:
    """Generate a suite, minimal sets or sentences from GRAMMAR, or a text to train on.

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

    With --text, GRAMMAR may also be a folder of templates, or one of the grammars that ship with
    pommel; all conditions are taken to be grammatical.

    \b
      pommel generate texts:de --text 4000 --seed 1 -o de.txt
    """
    if chosen.n_sentences is not None:
        _write_text(str(grammar), chosen.n_sentences, chosen)
        return
    generation = Generation.of_file(grammar, depth=chosen.depth)
    if chosen.count:
        click.echo(", ".join(generation.counts))
        return
    output: Path | None = chosen.output
    form = chosen_form(chosen.form, output)
    if chosen.name == "":
        raise UsageError("a suite needs a name")
    if chosen.eos and form.is_of_suites:
        hint = "write sentences or minimal sets, or leave the mark out"
        raise UsageError(f"in a suite, the end of a sentence is the model's own mark; {hint}")
    check_output(output, [grammar.parent / name for name in generation.source.recipe["files"]])
    generation = replace(
        generation,
        name=chosen.name or generation.name,
        n_sampled=chosen.sample,
        seed=chosen.seed,
        eos=chosen.eos,
        capitalize=chosen.capitalize,
        about=_about(chosen.about),
    )
    if chosen.vocabulary:
        unknown = generation.unknown_words(read_word_list(chosen.vocabulary))
        n_words = counted(len(generation.source.words), "word")
        shown = f": {listed(unknown, most=_SHOWN)}" if unknown else ""
        note(f"{chosen.vocabulary} lacks {len(unknown)} of {n_words}{shown}")
    content = generation.content(
        as_sets=form.sets is not None,
        grammatical=chosen.grammatical or "",
        ungrammatical=chosen.ungrammatical,
    )
    show_or_write(content, form, output)


def _write_text(grammar: str, n: int, chosen: _GenerateOptions) -> None:
    context = click.get_current_context()
    was_given = click.core.ParameterSource.COMMANDLINE
    for each in context.command.params:
        name = str(each.name)
        if name not in _OF_TEXT and context.get_parameter_source(name) == was_given:
            raise UsageError(f"{each.opts[-1]} says nothing beside --text; leave one out")
    text = Generation.text_of(grammar)
    check_output(chosen.output, text.files)
    lines = "".join(f"{each}\n" for each in text.shuffled(n, chosen.seed))
    output = None if chosen.output == Path("-") else chosen.output
    print_or_write(lines, output, counted(n, "sentence"))


def _about(pairs: Sequence[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key or key in _OWN_KEYS:
            raise UsageError(f"--meta {pair!r}: write KEY=VALUE, with a key of your own")
        found[key] = value
    return found
