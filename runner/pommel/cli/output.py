"""Text on stdout, notes and progress on stderr, and the options that say what is printed."""

import contextlib
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pommel.cli import completing
from pommel.cli.option_groups import FILE, FOLDER
from pommel.cli.terminal import is_quiet
from pommel.errors import Fault, UsageError, counted, listed

if TYPE_CHECKING:
    import pandas as pd
    from rich.progress import Progress, ProgressColumn
    from rich.table import Table

    from pommel.models import NamedModel
    from pommel.report import Results
    from pommel.scoring import ResultsTable, SuiteResult
    from pommel.suite import Suite


# A table that goes to a file or a pipe is not folded to the width of a screen.
_WIDE = 10_000

# It is counted anew no sooner than after so many seconds how much is done.
_SECONDS_BETWEEN = 1.0


def show_table(table: "Table") -> None:
    """Print a table for people; without colours and folding where stdout is no terminal."""
    from pommel.cli.console import SafeConsole

    is_screen = sys.stdout.isatty()
    SafeConsole(width=None if is_screen else _WIDE).print(table, soft_wrap=not is_screen)


def show_json(value: object) -> None:
    """Print a value as JSON."""
    show_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def show_frame(frame: "pd.DataFrame", form: str, *, raw: bool | None = None) -> None:
    """Print a tidy table as CSV, TSV, or JSON records; None: `raw` where `--raw` asks for it."""
    from pommel.files import frame_text

    show_text(frame_text(frame, form, raw=asked_for_raw() if raw is None else raw))


def asked_for_raw() -> bool:
    """Say whether `--raw`, which comes with `--format`, was given to the command that runs."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_RAW))


_RAW = "pommel.raw"


def show_rows(
    form: str,
    *,
    tables: "Callable[[], Iterable[Table]]",
    frame: "Callable[[], pd.DataFrame]",
) -> None:
    """Print rows as tables for people if `form` is "table", otherwise as a tidy table.

    Only what is printed is made.
    """
    if form != "table":
        show_frame(frame(), form)
        return
    for table in tables():
        show_table(table)


def show_retired_table(results: "Sequence[SuiteResult]") -> None:
    """Print the four columns that `syntaxgym run` and `syntaxgym evaluate` printed."""
    from pommel.files import stacked

    frame = stacked([each.to_frame("predictions") for each in results])
    show_frame(frame[["suite", "prediction_id", "item_number", "result"]], "tsv", raw=True)


def show_text(text: str) -> None:
    """Print data: a file or a pipe is given all of it, a terminal what does not steer it."""
    # Where a bar is shown, Rich stands before the stream.
    write = getattr(sys.stdout, "data", sys.stdout.write)
    write(text)
    sys.stdout.flush()


def print_or_write(text: str, output: Path | None, what: str) -> None:
    """Print a text, or write it to the file that was named, and say `what` is there."""
    if output is None:
        show_text(text)
    else:
        from pommel.files import write_text

        write_text(output, text)
        note(f"{what}: {output}")


def note(message: str, *, nl: bool = True) -> None:
    """Say something on stderr that is no result; nothing with `--quiet`."""
    if is_quiet():
        return
    if (held := _HELD.get()) is None:
        click.echo(message, nl=nl, err=True)
    else:
        held.append(message)


def say_wrong(message: str) -> None:
    """Say on stderr what is wrong, and that a command goes on all the same."""
    click.echo(message, err=True)


_HELD: ContextVar[list[str] | None] = ContextVar("held", default=None)


def hold_notes(held: list[str]) -> None:
    """Add this thread's notes to a list from now on, for another thread to say them."""
    _HELD.set(held)


def in_files(noun: str, numbers: Sequence[int]) -> str:
    """Return "3 errors in 2 of 5 files", for how many there are in each file."""
    n_files = counted(len(numbers), "file")
    return f"{counted(sum(numbers), noun)} in {sum(map(bool, numbers))} of {n_files}"


_SHOWN_NOTES = 8


def show_notes(notes: Sequence[str]) -> None:
    """Print the first notes on stderr, and where the others are."""
    for line in notes[:_SHOWN_NOTES]:
        note(f"note: {line}")
    if notes[_SHOWN_NOTES:]:
        more = len(notes) - _SHOWN_NOTES
        note(f"note: {more} more like these; --format csv has the counts of every suite")


def folded(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Yield all errors; of a file's warnings that ask for the same the first, and how many more.

    A file with a thousand stray spaces says so once; `pommel validate --format json` has them all.
    """
    same: dict[tuple[object, ...], list[Fault]] = {}
    for number, fault in enumerate(faults):
        own = number if fault.severity == "error" else fault.hint
        same.setdefault((fault.file, own), []).append(fault)
    for first, *others in same.values():
        more = f" (and {len(others)} more like this)" if others else ""
        yield replace(first, message=first.message + more)


def show_warnings(faults: Iterable[Fault]) -> None:
    """Print warnings on stderr."""
    for fault in folded(faults):
        note(str(fault))


def show_other_languages(models: "Iterable[NamedModel]", suites: "Sequence[Suite]") -> None:
    """Say on stderr which built-in models are to run on suites in a language that they lack."""
    from pommel.suite import PublishedSuite

    tags = [PublishedSuite.primary_language(each.language) for each in suites if each.language]
    for each in models:
        others = [tag for tag in tags if each.language and tag != each.language]
        if others:
            n_of = f"{len(others)} of {len(suites)} suites"
            whose = n_of if len(others) < len(suites) else "the suite" + "s" * (len(suites) > 1)
            what = f"{whose} {'is' if len(others) == 1 else 'are'}"
            told = listed([f"'{tag}'" for tag in sorted(set(others))], most=5)
            note(f"note: {each.reference} knows '{each.language}' alone, and {what} in {told}")


def bar_on_stderr(*columns: "ProgressColumn") -> "Progress":
    """Return a bar with its label, and with these columns behind it."""
    from rich.progress import BarColumn, Progress, TextColumn

    from pommel.cli.console import SafeConsole

    label = TextColumn("{task.description}", markup=False)
    return Progress(label, BarColumn(), *columns, console=SafeConsole(stderr=True), transient=True)


def _shows_bars() -> bool:
    # Two threads that draw spoil each other's lines.
    return sys.stderr.isatty() and threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def progress_bar(label: str, total: int) -> Iterator[Callable[..., None]]:
    """Give a function to call with the number of sentences done; a bar if stderr is a terminal.

    Another label may follow the number. With POMMEL_PROGRESS, as `pommel serve` has it for its
    jobs, lines say how far it is.
    """
    if os.environ.get("POMMEL_PROGRESS") and not is_quiet():
        yield _ProgressLines(label=label, total=total).go_on
        return
    if not _shows_bars():
        yield lambda _n, _label="": None
        return
    from rich.progress import MofNCompleteColumn, TimeRemainingColumn

    with bar_on_stderr(MofNCompleteColumn(), TimeRemainingColumn()) as progress:
        task = progress.add_task(label, total=total)
        yield lambda n, label=None: progress.update(task, advance=n, description=label)


@dataclass(slots=True, kw_only=True)
class _ProgressLines:
    """How far a command is, in lines on stderr: not more often than anybody looks."""

    label: str
    total: int
    n_done: int = 0
    told_s: float = -math.inf

    def go_on(self, n: int, label: str | None = None) -> None:
        self.n_done += n
        self.label = self.label if label is None else label
        if time.monotonic() >= self.told_s + _SECONDS_BETWEEN or self.n_done >= self.total:
            self.told_s = time.monotonic()
            click.echo(f"progress: {self.n_done} of {self.total}, {self.label}", err=True)


def follow(steps: Generator[str], total: int, n_done: Callable[[], int]) -> None:
    """Go through steps that say what is under way, with a bar of how many of all are done."""
    with contextlib.closing(steps), progress_bar("", total) as progress:
        before, asked_s, is_shown = 0, -math.inf, _shows_bars()
        try:
            for words in steps:
                # Counting may read a file a shard, on a disk of a network.
                if is_shown and time.monotonic() >= asked_s + _SECONDS_BETWEEN:
                    now, asked_s = n_done(), time.monotonic()
                    progress(now - before, words)
                    before = now
        except KeyboardInterrupt as stopped:
            # Where it comes in between, a launcher hears of it, too.
            steps.throw(stopped)


@contextlib.contextmanager
def download_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function to call with the bytes that have come, and all there are (0: unknown).

    The bar appears with the first call, and only if stderr is a terminal.
    """
    if not _shows_bars():
        yield lambda _done, _total: None
        return
    from rich.progress import DownloadColumn, TimeRemainingColumn, TransferSpeedColumn

    bar = bar_on_stderr(DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    task = bar.add_task(f"fetching {label}", total=None)
    with contextlib.ExitStack() as stack:

        def tell(done: int, total: int) -> None:
            # A live display takes the terminal for itself; most models fetch nothing.
            if not bar.live.is_started:
                stack.enter_context(bar)
            bar.update(task, completed=done, total=total or None)

        yield tell


_F = TypeVar("_F", bound=Callable[..., Any])

# A table for people, and the same tidy.
TABLE_FORMS = ("table", "csv", "tsv", "json")
# What is nested is for programs that want to know where results come from, too.
RESULT_FORMS = (*TABLE_FORMS, "json-full")


def form_option(
    choices: Sequence[str] = TABLE_FORMS,
    *,
    default: str | None = "table",
    about: str = "What to print.",
    has_tables: bool = True,
) -> Callable[[_F], _F]:
    """Return what adds `--format`, which the command gets as `form`.

    `about` is its help, which says the default where that depends on something (None). Where CSV
    is a table for people, not a form of suites, `--raw` is added, too (`asked_for_raw`).
    """
    form = click.option(
        "--format",
        "form",
        type=click.Choice(choices),
        default=default,
        show_default=True,
        help=about,
    )
    if not has_tables or not {"csv", "tsv"} & {*choices}:
        return form
    raw = click.option(
        "--raw",
        is_flag=True,
        expose_value=False,
        callback=lambda context, _option, value: context.meta.update({_RAW: value}),
        help="Leave texts of CSV and TSV as they are, also those that a spreadsheet would run.",
    )
    return lambda function: form(raw(function))


suites_argument = click.argument(
    "suites", nargs=-1, required=True, metavar="SUITE...", shell_complete=completing.suites
)
output_option = click.option(
    "-o",
    "--output",
    type=FILE,
    help="File to write.  [default: standard output]",
)
folder_option = click.option(
    "-o",
    "--output",
    required=True,
    type=FOLDER,
    help="Folder to write to.",
)


def meant_form(
    form: str | None, output: Path | None, forms: Mapping[str, str], *, usual: str
) -> str:
    """Return the format that was asked for, or that the file's ending means, or the usual one."""
    return form or forms.get(output.suffix.lower() if output else "", usual)


def form_or_usual(form: str | None, compat: str | None) -> str:
    """Return the format to print: what was asked for, and otherwise what `--compat` says."""
    return form or ("tsv" if compat else "table")


def check_table(table: "ResultsTable | None", form: str) -> None:
    """Raise `UsageError` for a table that the format has no place for."""
    if table and form == "json-full":
        raise UsageError("--format json-full is no table; leave out --table, or say json")
    if table in {"regions", "tokens", "families"} and form == "table":
        raise UsageError(f"--table {table} needs --format csv, tsv or json")


def show_results(results: "Results", *, table: "ResultsTable | None", form: str) -> None:
    """Print results: tables for people, a tidy table, or nested JSON with the provenance."""
    from pommel.report import result_tables

    if form == "json-full":
        show_json(results.to_json())
    elif form != "table":
        show_frame(results.to_frame(table or "suites"), form)
    else:
        for each in result_tables(
            [run.result for run in results.runs],
            "predictions" if table == "predictions" else "suites",
        ):
            show_table(each)
