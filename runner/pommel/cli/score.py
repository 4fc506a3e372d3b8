"""`pommel score`: how surprising the words of plain sentences are."""

import contextlib
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from pommel.cli import completing
from pommel.cli.asking import text_fault
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import field_of, option, takes_options
from pommel.cli.options import FailureOptions, ModelOptions, PolicyOptions, model_first
from pommel.cli.output import form_option, progress_bar, show_notes, show_rows
from pommel.errors import InputError, UsageError, counted, listed, quoted
from pommel.files import DecodedText
from pommel.scoring import Choices, SentenceScores

if TYPE_CHECKING:
    from rich.table import Table


_About = Literal["tokens", "words", "sentences"]


class _ScoreOptions(PolicyOptions, FailureOptions, ModelOptions):
    """How sentences are scored, and what is printed."""

    form: str = field_of(form_option())
    table: _About = option(default="tokens", help="What a row is about.")


@click.command("score", cls=Command, no_args_is_help=True)
@click.argument("model", shell_complete=completing.models)
@click.argument("sentences", nargs=-1, required=True, metavar="SENTENCE...")
@takes_options
def command(model: str, sentences: tuple[str, ...], chosen: _ScoreOptions) -> None:
    """Print the surprisal in bits of the tokens, or words, of SENTENCEs for MODEL.

    A SENTENCE is one in quotes, a file with a sentence a line, or - for standard input. A token
    that nothing predicts, the first one of a model without a mark before it, is unscored: it has no
    surprisal, and sums leave it out.

    \b
      pommel score builtin://en-gpt2 'The author is good .' 'The author are good .'
      pommel score huggingface://gpt2 sentences.txt --table words --format csv
    """
    given, (named, _) = (model, *sentences), model_first(model, sentences[-1])
    given = given[1:] if named == model else given[:-1]
    asked = [line for each in given for line in _sentences(each)]
    choices = Choices(policy=chosen.policy, strict_model=chosen.strict_model)
    with (
        chosen.opened_model(named) as opened,
        progress_bar(opened.info.name, len(asked)) as progress,
    ):
        scores = SentenceScores.of(opened, asked, choices, progress=progress)
    show_notes(list(_notes(scores)))
    show_rows(
        chosen.form,
        tables=lambda: [_table(scores, chosen.table)],
        frame=lambda: scores.to_frame(chosen.table),
    )


def _sentences(argument: str) -> list[str]:
    """Return the sentences that an argument is, or that are in the file that it names."""
    path = Path(argument)
    with contextlib.suppress(OSError):
        # A sentence may be too long for a path.
        if argument == "-" or path.is_file():
            if path.suffix.lower() == ".json":
                raise InputError(
                    f"{argument}: sentences stand one a line, and not in JSON; those of a suite "
                    f"are for `pommel surprisals MODEL {argument}`"
                )
            return [line for line in DecodedText.lines_of(argument) if line]
        if path.suffix.lower() in _FILES and len(argument.split()) == 1:
            why = "is a folder" if path.is_dir() else "no such file"
            raise InputError(f"{argument}: {why}; where it is a sentence, let - read it")
    if fault := text_fault(argument):
        raise UsageError(f"the sentence {argument!r} cannot be scored: {fault}")
    return [argument.strip()]


_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_FILES = {".txt", ".text", ".tsv", ".csv", ".json"}


_NUMBER = "sentence_number"
# What a row of the table for people says beside its bits.
_SHOWN: dict[_About, tuple[str, ...]] = {
    "tokens": ("word", "token"),
    "words": ("word",),
    "sentences": ("sentence",),
}


def _table(scores: SentenceScores, about: _About) -> "Table":
    """Return a section a sentence, and below it its sum; a word stands beside its first token."""
    from pommel.analysis import add_sections, grouped, number_cell, plain_table

    shown = _SHOWN[about]
    rows: list[list[str]] = []
    of_sentence = grouped(scores.to_frame(about).to_dict("records"), lambda row: row[_NUMBER])
    for number, whole in enumerate(scores.wholes(), 1):
        word = None
        for row in of_sentence.get(number, ()):
            cells = [str(row[name]) for name in shown]
            if about == "tokens" and row["word_number"] == word:
                cells[0] = ""
            word = row.get("word_number")
            bits = number_cell(row["surprisal_bits"], missing="unscored")
            rows.append([str(number), *cells, bits])
        if about != "sentences":
            blanks = [""] * (len(shown) - 1)
            bits = number_cell(whole.surprisal_bits, missing="unscored")
            rows.append([str(number), "sum", *blanks, bits])
    table = plain_table(names=("", *shown), numbers=("bits",))
    table.caption = f"Surprisal in bits by {scores.model.name}."
    add_sections(table, rows, has_lines=about != "sentences")
    return table


def _notes(scores: SentenceScores) -> Iterator[str]:
    """Yield what a reader of the scores should know, in plain words."""
    failed = [each for each in scores if each.failure]
    for each in failed[:1]:
        example = f"{quoted(each.text)}: {each.failure}"
        yield f"no score for {counted(len(failed), 'sentence')}: the model failed ({example})"
    texts = [each.text for each in scores]
    if marked := [text for text in texts if _BYTE_ORDER_MARK in text]:
        yield (
            f"{counted(len(marked), 'sentence')} with a byte order mark (U+FEFF), which is scored, "
            f"too, and is probably of files that were put together ({quoted(marked[0])})"
        )
    # In some scripts NFC takes letters apart; there it is not what people write.
    if apart := [text for text in texts if len(unicodedata.normalize("NFC", text)) < len(text)]:
        yield (
            f"{counted(len(apart), 'sentence')} with accents apart from their letters, which are "
            f"other words to a model than in Unicode's form NFC ({quoted(apart[0])})"
        )
    if n_unscored := sum(each.n_unscored for each in scores.wholes()):
        yield f"{counted(n_unscored, 'token')} without a surprisal; sums leave them out"
    unknown = {each.text[t.start : t.end].strip() for each in scores for t in each.tokens if t.oov}
    if unknown:
        yield f"{counted(len(unknown), 'unknown word')} ({listed(sorted(unknown), most=5)})"
