"""`pommel conditional`: how surprising targets are after their left contexts."""

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pommel.cli import completing
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import field_of, option, takes_options
from pommel.cli.options import FailureOptions, ModelOptions, PolicyOptions, model_first
from pommel.cli.output import (
    asked_for_raw,
    form_option,
    meant_form,
    note,
    output_option,
    print_or_write,
    progress_bar,
    show_notes,
    show_table,
)
from pommel.errors import InputError, UsageError, counted, listed, quoted
from pommel.files import DecodedText, frame_of, frame_text
from pommel.scoring import Choices, ConditionalScore
from pommel.sources import TargetTable

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

# What the command adds to a file's columns.
_ADDED = ("surprisal_bits", "mean_surprisal_bits", "n_tokens", "n_unscored", "oovs")


class _ConditionalOptions(PolicyOptions, FailureOptions, ModelOptions):
    """How targets are scored, and where to and how scores are written."""

    joiner: str = option(
        default=" ",
        help="What stands between context and target.  [default: a space]",
    )
    output: Path | None = field_of(output_option)
    form: str | None = field_of(
        form_option(
            default=None,
            about="What to print.  [default: table; with --output what its ending says, or csv]",
        )
    )


@click.command("conditional", cls=Command, no_args_is_help=True)
@click.argument("model", shell_complete=completing.models)
@click.argument("file")
@takes_options
def command(model: str, file: str, chosen: _ConditionalOptions) -> None:
    """Compute the surprisal in bits of targets after their left contexts for MODEL.

    FILE is a TSV or CSV with columns "context" and "target" (others are kept), or JSON: a list of
    [[context, context], [good target, bad target]]. - is standard input. For the JSON, a line on
    standard error says in which share of items the good target is the less surprising.

    \b
      pommel conditional builtin://en-gpt2 targets.tsv
      pommel conditional huggingface://xglm-564M suite.json --bos tokenizer --eos never -o out.csv
    """
    form = _form(chosen)
    model, file = model_first(model, file)
    table = _read(file)
    taken = [column for column in table.columns if column in _ADDED]
    if taken:
        hint = "rename it: the command adds a column of this name"
        raise InputError(f"{file}: there is a column {taken[0]!r}; {hint}")
    choices = Choices(policy=chosen.policy, strict_model=chosen.strict_model)
    with (
        chosen.opened_model(model) as opened,
        progress_bar(opened.info.name, len(table.rows)) as progress,
    ):
        scores = ConditionalScore.of_pairs(
            opened, table.pairs, choices, joiner=chosen.joiner, progress=progress
        )
    show_notes(list(_notes(scores, chosen.joiner)))
    _write(_frame(table, scores), form, chosen.output)
    if table.has_labels:
        note(_accuracy(scores))


def _form(chosen: _ConditionalOptions) -> str:
    """Return the format to write; raises `UsageError` for a table in a file."""
    output = chosen.output
    if output and chosen.form == "table":
        raise UsageError("--format table is for reading; write a file as csv, tsv or json")
    usual = "csv" if output else "table"
    return meant_form(chosen.form, output, {".tsv": "tsv", ".json": "json"}, usual=usual)


def _read(file: str) -> TargetTable:
    if file != "-":
        return TargetTable.read(Path(file))
    return TargetTable.parse(DecodedText.of_stdin().text, file="<stdin>")


def _frame(table: TargetTable, scores: Sequence[ConditionalScore]) -> "pd.DataFrame":
    given = zip(*table.rows, strict=True)
    columns: dict[str, Sequence[Any]] = dict(zip(table.columns, given, strict=True))
    columns |= {name: [getattr(score, name) for score in scores] for name in _ADDED}
    columns["oovs"] = [json.dumps(score.oovs, ensure_ascii=False) for score in scores]
    return frame_of(columns)


def _write(frame: "pd.DataFrame", form: str, output: Path | None) -> None:
    if form == "table":
        show_table(_table(frame))
        return
    print_or_write(frame_text(frame, form, raw=asked_for_raw()), output, "Conditional scores")


def _table(frame: "pd.DataFrame") -> "Table":
    from rich.table import Table

    table = Table()
    for column in frame.columns:
        is_number = column in _ADDED and column != "oovs"
        table.add_column(column, justify="right" if is_number else "left")
    for row in frame.itertuples(index=False):
        table.add_row(*map(_cell, row))
    return table


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.2f}"
    return str(value)


def _notes(scores: Sequence[ConditionalScore], joiner: str) -> Iterator[str]:
    """Yield what a reader of the scores should know, in plain words."""
    doubled = [
        each
        for each in scores
        if (each.context[-1:].isspace() and joiner[:1].isspace())
        or (each.context and each.target[:1].isspace() and joiner[-1:].isspace())
    ]
    if doubled:
        places = f"{counted(len(doubled), 'place')} (e.g. {doubled[0].text!r})"
        yield f"the joiner stands beside another space in {places}; --joiner '' adds none"
    failed = [each for each in scores if each.failure]
    for each in failed[:1]:
        example = f"{quoted(each.text)}: {each.failure}"
        yield f"no score for {counted(len(failed), 'target')}: the model failed ({example})"
    crossing = [each.crossing for each in scores if each.crossing is not None]
    if crossing:
        yield (
            f"{counted(len(crossing), 'token')} across the border of context and target, each "
            f"counted where it begins, in the context (e.g. {crossing[0]!r})"
        )
    if n_unscored := sum(each.n_unscored for each in scores):
        yield f"{counted(n_unscored, 'token')} without a surprisal; sums and means leave them out"
    words = sorted({word for each in scores for word in each.oovs})
    if words:
        yield f"{counted(len(words), 'unknown word')} ({listed(words, most=5)})"


def _accuracy(scores: Sequence[ConditionalScore]) -> str:
    good, bad = scores[::2], scores[1::2]
    by_sum, by_mean = ConditionalScore.compared(good, bad)
    said = [
        f"{each.share_right:.3f} by the {name} ({each.n_right} of {each.n_items}"
        f"{_wrong(each.n_ties, 'tie')}{_wrong(each.n_undefined, 'missing score')})"
        for name, each in (("sum", by_sum), ("mean per token", by_mean))
    ]
    return f"Good target less surprising than the bad one: {', '.join(said)}"


def _wrong(number: int, noun: str) -> str:
    return f"; {counted(number, noun)} counted as wrong" if number else ""
