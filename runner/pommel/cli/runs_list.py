"""`pommel runs list`: which runs the store has."""

from typing import Any

import click

from pommel.cli.options import store_path
from pommel.cli.output import note, show_frame, show_table
from pommel.cli.output_options import form_option
from pommel.cli.selecting import (
    HOW_TO_FILL,
    listed_run,
    selected_heads,
    selection_options,
    store_for_reading,
)
from pommel.errors import counted
from pommel.files.tables import frame_of_rows
from pommel.report.run_list import RUN_LIST_COLUMNS, run_list_table
from pommel.scoring.run_record import RunRecord
from pommel.store import Store

# What fits on a screen.
_SHOWN = 30


@click.command("list")
@form_option(about="What to print; all but tables have every run.")
@click.option("--all", "is_all", is_flag=True, help=f"More than {_SHOWN} runs in the table, too.")
@selection_options
def command(form: str, *, is_all: bool, **chosen: Any) -> None:
    """List the runs in the store, the newest first, and how far those are that were interrupted.

    \b
      pommel runs list --model 'gpt2*' --circuit agreement
      pommel runs list --format csv > runs.csv
    """
    if _is_empty(chosen):
        note(f"note: {store_path(chosen)} has no runs yet; {HOW_TO_FILL}")
        if form != "table":
            show_frame(frame_of_rows([], RUN_LIST_COLUMNS), form)
        return
    with store_for_reading(chosen) as store:
        heads = selected_heads(store, chosen)
        shown = len(heads) if is_all or form != "table" else _SHOWN
        runs = [listed_run(store, each) for each in _newest_first(store, heads, shown)]
    if form == "table":
        show_table(run_list_table(runs))
        if more := len(heads) - len(runs):
            note(f"{counted(more, 'older run')} not shown; --all shows them")
    else:
        frame = frame_of_rows([each.to_row() for each in runs], RUN_LIST_COLUMNS)
        counts = dict.fromkeys(("n_items", "n_scored", "n_sentences"), "Int64")
        show_frame(frame.astype(counts), form)


def _is_empty(chosen: dict[str, Any]) -> bool:
    if not store_path(chosen).exists():
        return True
    with store_for_reading(chosen) as store:
        return store.runs.is_empty()


def _newest_first(store: Store, heads: list[RunRecord], n_shown: int) -> list[RunRecord]:
    """Return the newest runs with their results."""
    # Of runs of the same second, the one that began last is the newest.
    newest = sorted(heads, key=lambda each: each.created)[::-1][:n_shown]
    ids = [each.run_id for each in newest]
    by_id = {each.run_id: each for each in store.runs.records_of(ids)}
    # Another process may have deleted one.
    return [by_id[each] for each in ids if each in by_id]
