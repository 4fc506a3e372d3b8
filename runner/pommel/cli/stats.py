"""`pommel stats`: what the runs in the store say together."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from pommel.analysis import Answer, ItemTable, SentenceSets
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import (
    File,
    asked_class,
    command_of,
    field_of,
    option,
    takes_options,
)
from pommel.cli.output import (
    asked_for_raw,
    form_option,
    meant_form,
    note,
    output_option,
    show_notes,
    show_rows,
    show_text,
)
from pommel.cli.selecting import SelectionOptions
from pommel.errors import PommelError, UsageError, counted, listed
from pommel.files import frame_text, replacing, stacked
from pommel.scoring import Run

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


_Asked = TypeVar("_Asked")


class _Chosen(SelectionOptions):
    """Of which runs something is asked, and what is printed."""

    form: str = field_of(form_option())
    plot: File | None = option(
        help="Draw it, too, in a file whose name ends in .svg, .png, .pdf, .html or .json: "
        "accuracy, auc, complexity, correlate, scaling, stability or training. `pommel report` "
        "draws others."
    )

    def runs_of(self, model: str | None) -> Iterator[Run]:
        """Yield the runs of another model, if there is one, on what else is chosen."""
        if model:
            asked = replace(self, only_runs=(), only_models=(model,), only_choices=())
            yield from asked.runs_with_tokens()


def __getattr__(name: str) -> click.Command:
    """Return the command of a question, such as "analysis.scaling.ScalingAsked"."""
    return _command(asked_class(name), lambda asked, chosen: asked.answer(chosen.records()))


def _command(question: type[_Asked], answer: Callable[[_Asked, _Chosen], Answer]) -> click.Command:
    """Return the command that asks a question, and prints its table."""

    def ask(asked: _Asked, chosen: _Chosen) -> None:
        if chosen.plot:
            from pommel.report import Look

            Look.check_name(chosen.plot)
        found = answer(asked, chosen)
        for why, names in found.left_out.items():
            if names:
                # A suite without a language or circuit has "" for one.
                shown = [name or "(none)" for name in names]
                note(f"note: left out, {why}: {listed(shown, most=8)}")
        show_notes(found.notes)
        if found.why_empty:
            raise UsageError(found.why_empty)
        if chosen.plot:
            Look().save(_chart(found), chosen.plot, tell=lambda line: note(f"note: {line}"))
        show_rows(chosen.form, tables=found.tables, frame=found.frame)

    return command_of(question, ask)


def _chart(answer: Answer) -> "alt.typing.ChartType":
    """Return the plot of an answer; raises `UsageError` where there is none."""
    from pommel.report import PLOTS

    kind = PLOTS.get(answer.plot)
    if kind and kind.chart:
        return kind.chart(answer)
    raise UsageError(
        "of this there is no plot; --plot is for accuracy, auc, complexity (without --difference), "
        "correlate, scaling, stability and training, and `pommel report --plot` makes others"
    )


auc = _command(
    SentenceSets.Asked,
    lambda asked, chosen: asked.answer(chosen.runs_with_tokens(), chosen.runs_of(asked.unigram)),
)


_ITEM_FORMS = ("csv", "tsv", "json", "parquet")


class _ItemsOptions(SelectionOptions):
    """Of which runs there are rows, and where to and how they are written."""

    form: str | None = field_of(
        form_option(
            _ITEM_FORMS,
            default=None,
            about="What to write.  [default: what the name of --output ends in, or csv]",
        )
    )
    output: Path | None = field_of(output_option)

    def checked_form(self) -> str:
        """Return what is to be written; raises, before anything is read, where it cannot be."""
        path = self.output
        form = meant_form(self.form, path, {f".{each}": each for each in _ITEM_FORMS}, usual="csv")
        if form == "parquet" and path is None:
            raise UsageError("--format parquet needs a file: -o FILE")
        if form == "parquet" and find_spec("pyarrow") is None:
            raise PommelError(f"Parquet needs the parquet extra: {PommelError.install('parquet')}")
        return form

    def write(self, frames: "Iterable[pd.DataFrame]", form: str) -> None:
        """Write rows, of CSV and TSV frame by frame."""
        if form in ("json", "parquet"):
            frames = [stacked(list(frames))]
        if self.output is None:
            for text in _texts(frames, form):
                show_text(text)
            return
        with replacing(self.output) as aside:
            if form == "parquet":
                for frame in frames:
                    frame.to_parquet(aside, engine="pyarrow", index=False)
                return
            with aside.open("w", encoding="utf-8", newline="") as stream:
                stream.writelines(_texts(frames, form))


def _texts(frames: "Iterable[pd.DataFrame]", form: str) -> Iterator[str]:
    """Yield the text of each frame; the header stands before the first one alone."""
    for index, frame in enumerate(frames):
        text = frame_text(frame, form, raw=asked_for_raw())
        yield text.partition("\n")[2] if index else text


@click.command("items", cls=Command)
@takes_options
def items(chosen: _ItemsOptions) -> None:
    """Print one row a model, suite, prediction and item, for lme4, pandas and others.

    Columns are numbers or text: holds, tie, modifier and the like are 0 or 1. Skipped items have
    no row.

    \b
      pommel stats items --language de -o items.csv
      Rscript -e 'library(lme4); summary(glmer(holds ~ modifier + (1 | model) + (1 | suite/item),
                  data = read.csv("items.csv"), family = binomial))'
    """
    form = chosen.checked_form()
    items = ItemTable.of(chosen.records())
    show_notes(items.notes)
    chosen.write([items.rows], form)


@click.command("regions", cls=Command)
@takes_options
def regions(chosen: _ItemsOptions) -> None:
    """Print one row a model, suite, item, condition and region, for lme4, pandas and others.

    `critical` is 1 for regions that a prediction names; `factor_1` and so on are what the parts of
    the conditions' names vary in. Other regions have bits where the run has scored them (`pommel
    run --regions all`).

    \b
      pommel stats regions --suite number_orc -o regions.csv
      Rscript -e 'library(lme4); summary(lmer(sum_bits ~ factor_1 * factor_2 + (1 | item),
                  data = subset(read.csv("regions.csv"), critical == 1)))'
    """
    form = chosen.checked_form()
    with chosen.reading() as store:
        asked = ItemTable.of_regions(store.runs.told_apart(chosen.selected(store)))
        show_notes(asked.notes)
        n_without = 0

        def frames() -> "Iterator[pd.DataFrame]":
            nonlocal n_without
            for frame in asked.frames(store.runs.runs(asked.records)):
                n_without += int(frame["sum_bits"].isna().sum())
                yield frame

        chosen.write(frames(), form)
    if n_without:
        why = (
            "no token begins in the region, or none was asked for (`pommel run --regions all` asks)"
        )
        note(f"note: {counted(n_without, 'row')} without bits: {why}")
