"""`pommel report`: stored runs as a page, a table for a paper, or a plot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import click

from pommel.analysis import Settings, WithAverage
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import AboveZero, File, Options, option, takes_options
from pommel.cli.output import note, show_text
from pommel.cli.selecting import RunArguments, SelectionOptions
from pommel.errors import UsageError, counted
from pommel.files import write_text
from pommel.report import PLOTS, TABLES, Look, Results, write_report
from pommel.scoring import RunRecord
from pommel.store import Store

_PAGE = Path("report.html")
_PAGE_SUFFIXES = (".html", ".htm")
# What the name of a table's file may end in; it need not have an ending.
_TABLE_SUFFIXES: dict[str, tuple[str, ...]] = {
    "md": (".md", ".markdown", ".txt"),
    "latex": (".tex", ".txt"),
    "csv": (".csv", ".txt"),
}
# A report on more runs than these is probably not what was meant by none in particular.
_MANY = 200


class _PlotOptions(Look, Options):
    """How a plot looks, and what is said of it."""

    title: str | None = option(
        help="Title of the page or the plot; '' is none.  [default: what it is about]"
    )
    width: AboveZero | None = option(
        metavar="PIXELS", help="Width of the whole plot; points (1/72 inch) in a PDF."
    )
    height: AboveZero | None = option(metavar="PIXELS", help="Height of the whole plot.")
    font: str | None = option(
        metavar="NAME", help="Font of a plot.  [default: Liberation Sans, as wide as Arial]"
    )
    font_size: AboveZero | None = option(
        metavar="PIXELS", help="Size of a plot's labels.  [default: 11]"
    )
    order: tuple[str, ...] = option(
        metavar="NAME", help="A condition, model, ... that comes first in a plot; repeatable."
    )
    labels: tuple[str, ...] = option(
        "--label",
        metavar="NAME=LABEL",
        help="What a plot calls a condition, model, ...; repeatable.",
    )
    caption: bool = option(help="Print the caption of a plot: what is shown, whiskers, n, models.")


class _ReportOptions(_PlotOptions, WithAverage, RunArguments, SelectionOptions):
    """Of which runs a page, a table or a plot is made, and how."""

    output: File | None = option(
        "-o",
        help="File to write.  [default: report.html; a table goes to standard output]",
    )
    form: Literal["md", "latex", "csv"] | None = option(
        "--table", help="Make a table for a paper: Markdown, LaTeX (booktabs), or tidy CSV."
    )
    name: str | None = option(
        type=click.Choice(list(TABLES)), help="Which table.  [default: scores]"
    )
    plot: str | None = option(
        type=click.Choice(list(PLOTS)),
        help="Make a plot; its file's name ends in .svg, .png, .pdf, .html or .json.",
    )
    methods: bool = option(
        help="Write the method section: what ran, how it was scored, with what, and the BibTeX."
    )
    style: Literal["text", "latex"] = option(default="text", help="That of the method section.")


@click.command("report", cls=Command)
@takes_options
def command(chosen: _ReportOptions) -> None:
    """Report on RUNs, or on all that fit: a page in HTML, a table, or a plot.

    The page is one file, which opens offline: scores with intervals, heat maps, circuits, surprisal
    region by region, every item, failures, and where it all comes from.

    \b
      pommel report -o report.html
      pommel report --model 'gpt2*' --table latex --name circuits -o circuits.tex
      pommel report --suite number_prep --plot regions -o number_prep.pdf
      pommel report --model gpt2 --methods --style latex -o methods.tex

    Of runs of one model on one suite under one score rule the newest counts, unless they are
    named by their ids.
    """
    _check(chosen)
    with chosen.reading() as store:
        records = store.runs.told_apart(chosen.selected(store))
        if not chosen.is_selective and len(records) > _MANY:
            note(
                f"note: these are all {len(records)} runs of the store; --model, --suite and "
                f"others choose among them"
            )
        if chosen.methods:
            _write_methods(store, records, chosen)
        elif chosen.form:
            _write_table(records, chosen.form, chosen)
        elif chosen.plot and chosen.output:
            _write_plot(store, records, chosen.plot, chosen.output, chosen)
        else:
            _write_page(store, records, chosen)


def _check(chosen: _ReportOptions) -> None:
    """Raise `UsageError` for options that do not go together, before anything is read."""
    form, plot, output = chosen.form, chosen.plot, chosen.output
    if sum(map(bool, (form, plot, chosen.methods))) > 1:
        raise UsageError("--table, --plot and --methods make one thing each; leave out all but one")
    if chosen.style != "text" and not chosen.methods:
        raise UsageError("--style is that of --methods; a table has --table latex")
    if chosen.name and not form:
        raise UsageError("--name is the name of a table; say which form with --table")
    if chosen.average != "suites" and not form:
        raise UsageError("--average is about a table; pages and plots have means over suites")
    if chosen.title is not None and (form or chosen.methods):
        raise UsageError("--title is that of a page or a plot; tables have their own")
    if (chosen.caption or not chosen.is_plain) and not plot:
        raise UsageError(
            "--width, --height, --font, --font-size, --order, --label and --caption are about a "
            "plot; say which with --plot"
        )
    if not chosen.methods:
        _check_file(output, form=form, plot=plot)


def _check_file(output: Path | None, *, form: str | None, plot: str | None) -> None:
    """Raise `UsageError` for a file that this cannot be written to, or none where it has to be."""
    if output and output.name == "-" and not form:
        raise UsageError("a page and a plot are files; give -o a name")
    if plot and output is None:
        raise UsageError("--plot needs a file to write to: -o NAME.svg, .png, .pdf or .html")
    if output:
        _check_ending(output, form=form, plot=plot)


def _check_ending(output: Path, *, form: str | None, plot: str | None) -> None:
    """Raise `UsageError` for a file whose name says that it is something else."""
    suffix = output.suffix.lower()
    if plot:
        Look.check_name(output)
    elif form and suffix not in (*_TABLE_SUFFIXES[form], ""):
        *others, last = _TABLE_SUFFIXES[form]
        raise UsageError(
            f"{output}: with --table {form} a table is written as {', '.join(others)} or {last}; "
            f"end the name so"
        )
    elif not form and suffix not in (*_PAGE_SUFFIXES, ""):
        raise UsageError(
            f"{output}: a report is a page, so that its name ends in .html; --table and --plot "
            f"make other files"
        )


def _write_table(
    records: Sequence[RunRecord], form: Literal["md", "latex", "csv"], chosen: _ReportOptions
) -> None:
    settings = Settings(average=chosen.average)
    text = TABLES[chosen.name or "scores"].text(records, form, settings)
    _print_or_write(text, records, chosen.output)


def _write_methods(store: Store, records: Sequence[RunRecord], chosen: _ReportOptions) -> None:
    one_each = {each.suite.sha256: each for each in store.runs.with_tokens(records)}
    suites = {sha256: store.runs.suite(each) for sha256, each in one_each.items()}
    text = Results.method_section(records, suites, chosen.style)
    _print_or_write(text, records, chosen.output)


def _print_or_write(text: str, records: Sequence[RunRecord], output: Path | None) -> None:
    if output is None or output.name == "-":
        show_text(text)
    else:
        write_text(output, text)
        note(f"{counted(len(records), 'run')}: {output}")


def _write_plot(
    store: Store,
    records: Sequence[RunRecord],
    plot: str,
    output: Path,
    chosen: _PlotOptions,
) -> None:
    kind = PLOTS[plot]
    if kind.needs == "records":
        chart = kind.draw(records)
    else:
        own = store.runs.with_tokens(records)
        if not own:
            raise UsageError(f"a plot of {plot} needs tokens, and these runs came without them")
        _note_imported(records, own, "not in the plot")
        records = own
        chart = kind.draw(list(store.runs.runs(own)))
    caption = chosen.save(chart, output, tell=lambda line: note(f"note: {line}"))
    if chosen.caption:
        show_text(f"{caption}\n")
    note(f"{counted(len(records), 'run')}: {output}")


def _write_page(store: Store, records: Sequence[RunRecord], chosen: _ReportOptions) -> None:
    path = chosen.output or _PAGE
    own = store.runs.with_tokens(records)
    _note_imported(records, own, "without curves")
    # Plots name the models that do.
    if n_partial := sum(each.result.provenance.get("regions") == "needed" for each in own):
        note(
            f"note: {counted(n_partial, 'run')} asked only for the regions that predictions need; "
            f"`pommel run --regions all` asks for the others, too"
        )
    title = _title(records) if chosen.title is None else chosen.title
    write_report(records, store.runs.runs(own), path, title=title)
    note(f"{counted(len(records), 'run')}: {path}")


def _note_imported(records: Sequence[RunRecord], own: Sequence[RunRecord], fate: str) -> None:
    """Say of how many runs nothing can be shown region by region."""
    if n_imported := len(records) - len(own):
        note(f"note: {counted(n_imported, 'run')} came without tokens: {fate}")


def _title(records: Sequence[RunRecord]) -> str:
    """Return what a page is about: the model or suite by name if there is one, else how many."""
    models = [*dict.fromkeys(each.result.model_name for each in records)]
    suites = [*dict.fromkeys(each.result.suite_name for each in records)]
    of_models = models[0] if len(models) == 1 else counted(len(models), "model")
    on_suites = suites[0] if len(suites) == 1 else counted(len(suites), "suite")
    return f"{of_models} on {on_suites}"
