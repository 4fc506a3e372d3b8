"""`pommel plan`: models x suites as shards, and how far these are."""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import click

from pommel.analysis import plain_table
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import (
    FOLDER,
    AboveZero,
    Count,
    File,
    Folder,
    Options,
    field_of,
    option,
    takes_options,
)
from pommel.cli.options import SCORING, ModelOptions
from pommel.cli.output import form_option, note, show_json, show_table, show_warnings
from pommel.cli.run import ChoiceOptions, ModelsAndSuites
from pommel.errors import UsageError, counted, printable, readable_size
from pommel.sharding import Plan, PlanFolder
from pommel.sources import load_suites
from pommel.suite import Suite


class _CutOptions(Options, title="Shards"):
    """How the work is cut, and where the plan goes."""

    output: File | None = option(
        "-o", help="File of the plan.  [default: none; the shards are shown only]"
    )
    shards: Count | None = option(help="How many shards there are to be.")
    minutes: AboveZero | None = option(
        metavar="MINUTES", help="How long a shard may take, in place of how many there are."
    )
    measured: Folder | None = option(
        help="Folder with the results of an earlier plan, whose times are taken for this one."
    )
    form: str = field_of(form_option(["table", "json"]))


class _PlanOptions(ChoiceOptions, _CutOptions, ModelOptions, title=SCORING):
    """How models are to be run, and how that is cut."""


@click.command("make", cls=Command, no_args_is_help=True)
@takes_options
def make(named: ModelsAndSuites, chosen: _PlanOptions) -> None:
    """Cut models x SUITEs into shards that take about as long, and show or write them.

    MODELs and SUITEs are those of `pommel run`. A model is in several shards only where it must.
    Nothing is loaded. What belongs to a machine (--device, --max-memory, --batch-tokens) is no part
    of a plan, nor is what is unsafe: the device tells how long it may take.
    """
    sources = named.suite_sources()
    if "-" in sources:
        raise UsageError("-: workers cannot read standard input; name the suite's file")
    loaded = load_suites(sources, strict=named.strict)
    loaded.check()
    show_warnings(loaded.warnings)
    Suite.check_distinct_names(loaded.suites)
    suites = {
        path: suite.first_items(named.limit) if named.limit else suite
        for path, suite in zip(loaded.paths, loaded.suites, strict=True)
        if path
    }
    measured = PlanFolder.read(chosen.measured).status().measured if chosen.measured else None
    costs = Plan.costs(named.expanded_models(), suites, chosen.load_options, measured)
    n_shards = chosen.shards or (None if chosen.minutes else 1)
    plan = Plan.of(costs, chosen.chosen(), n_shards=n_shards, minutes=chosen.minutes)
    for each in costs.notes:
        note(f"note: {each}")
    if chosen.shards and len(plan.shards) < chosen.shards:
        note(f"note: more than {counted(len(plan.shards), 'shard')} would not be done any sooner")
    if chosen.output:
        plan.write(chosen.output)
    _show_plan(plan, chosen.form, costs.unsized)
    if chosen.output:
        note(f"Plan: {chosen.output}")


def _time(seconds: float) -> str:
    return str(dt.timedelta(seconds=round(seconds)))


# What stands before a number that rests on a model of unknown size.
_GUESS = "~"
_OF_UNSIZED = "size unknown of {}: 100 million weights in the time, none in the memory"
# So many shards fit on a screen.
_SHOWN = 20


def _show_first(
    title: str,
    rows: Sequence[Sequence[str]],
    *,
    names: Sequence[str] = (),
    numbers: Sequence[str] = (),
    caption: str = "",
) -> None:
    """Show a table of shards; of many, the first."""
    shown = rows[:_SHOWN]
    show_table(plain_table(title, names=names, numbers=numbers, rows=shown, caption=caption))
    if len(rows) > _SHOWN:
        note(f"{counted(len(rows) - _SHOWN, 'more shard')}; --format json shows them")


def _show_plan(plan: Plan, form: str, unsized: Collection[int]) -> None:
    """Show the shards of a plan; `unsized` are the places of the models of unknown size."""
    if form == "json":
        shards = [
            {
                "shard": each.number,
                "seconds": each.seconds,
                "memory_bytes": each.memory_bytes,
                "models": [plan.models[piece.model].reference for piece in each.pieces],
                "n_runs": [len(piece.suites) for piece in each.pieces],
                "n_unsized": len({piece.model for piece in each.pieces}.intersection(unsized)),
            }
            for each in plan.shards
        ]
        show_json({"fingerprint": plan.fingerprint, "shards": shards})
        return
    marks = [_GUESS * any(piece.model in unsized for piece in each.pieces) for each in plan.shards]
    rows = [
        (
            str(each.number),
            str(len(each.pieces)),
            str(sum(len(piece.suites) for piece in each.pieces)),
            f"{mark}{_time(each.seconds)}",
            f"{mark}{readable_size(each.memory_bytes)}",
        )
        for each, mark in zip(plan.shards, marks, strict=True)
    ]
    whole = f"{counted(len(plan.models), 'model')} x {counted(len(plan.suites), 'suite')}"
    total = _time(sum(each.seconds for each in plan.shards))
    n_loadings = counted(sum(len(each.pieces) for each in plan.shards), "loading")
    longest = rows[max(plan.shards, key=lambda each: each.seconds).number - 1][3]
    caption = f"{max(marks)}{total} of work, {n_loadings}; the longest shard: {longest}"
    if unsized:
        caption += f"\n{_GUESS}: a guess; {_OF_UNSIZED.format(counted(len(unsized), 'model'))}"
    _show_first(
        f"{whole}, {counted(len(rows), 'shard')}",
        rows,
        numbers=("shard", "models", "runs", "time", "memory"),
        caption=caption,
    )


@click.command("status", cls=Command)
@click.argument("folder", type=FOLDER, metavar="DIR")
@click.option(
    "--missing",
    is_flag=True,
    help="Print the numbers of the shards that are not done, as `sbatch --array` takes them.",
)
@form_option(["table", "json"])
@click.pass_context
def status(context: click.Context, folder: Path, form: str, *, missing: bool) -> None:
    """Show how far the shards are whose results are in DIR; status 1 while any is not done.

    \b
      pommel plan status results
      sbatch --array="$(pommel plan status results --missing)" run.sh
    """
    results = PlanFolder.read(folder)
    found = results.status()
    if missing:
        if found.missing:
            click.echo(found.array)
    elif form == "json":
        show_json(found.to_dict())
    else:
        show_status(results)
    if found.missing:
        context.exit(1)


def show_status(results: PlanFolder) -> None:
    """Print how many shards are in which state, and those that are not done."""
    found = results.status()
    counts = Counter(each.state for each in found.shards)
    told = ", ".join(f"{n} {state}" for state, n in sorted(counts.items()))
    left = f"; {_time(found.seconds_left)} of work left" if found.missing else ""
    title = f"{counted(len(found.shards), 'shard')}: {told}{left}"
    now = dt.datetime.now(dt.UTC)
    rows = [
        (str(each.shard.number), each.state, printable(each.said(now)))
        for each in found.shards
        if each.state != "done"
    ]
    if rows:
        _show_first(title, rows, names=("shard", "state", ""))
    else:
        click.echo(title)
