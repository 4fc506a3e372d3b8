"""`pommel compare`: two models on the items that both have."""

from collections.abc import Sequence
from typing import Any

import click

from pommel.analysis.comparison import (
    LEAST_DIGITS,
    Side,
    compare,
    comparison_frame,
    comparison_notes,
    comparison_table,
    comparison_warnings,
    side,
)
from pommel.analysis.models_compared import Subject, subjects
from pommel.cli.output import note, show_notes, show_rows
from pommel.cli.output_options import form_option
from pommel.cli.resampling import resampling_options
from pommel.cli.selecting import (
    selected_heads,
    selected_records,
    selection_options,
    store_for_reading,
)
from pommel.errors import UsageError, nearest
from pommel.scoring.run_record import RunRecord
from pommel.store.selection import fits, model_names


@click.command("compare")
@click.argument("a")
@click.argument("b")
@selection_options
@resampling_options
@form_option()
def command(a: str, b: str, **chosen: Any) -> None:
    """Compare models A and B on the suites and items that both have run.

    A and B are names, references or patterns of models in the store, or the ids of two runs. A
    family of seeds is compared by its mean, item by item.

    \b
      pommel compare gpt2 distilgpt2 --circuit agreement
      pommel compare rnng grnn --source hu2020 --format csv
      pommel compare 3f2a91c07d11 88b0c2
    """
    for option in ("model", "run"):
        if chosen[f"only_{option}s"]:
            raise UsageError(f"--{option} is for other commands: here A and B say what is compared")
    of_a, of_b = _records(a, chosen), _records(b, chosen)
    both = {record.run_id: record for record in (*of_a, *of_b)}
    found = subjects(both.values())
    comparison = compare(
        _side(a, of_a, found),
        _side(b, of_b, found),
        n_resamples=chosen["resamples"],
        seed=chosen["seed"],
    )
    for line in comparison_warnings(comparison):
        note(f"warning: {line}")
    show_notes([*comparison_notes(comparison)])
    show_rows(
        chosen["form"],
        tables=lambda: [comparison_table(comparison)],
        frame=lambda: comparison_frame(comparison),
    )


def _records(name: str, chosen: dict[str, Any]) -> list[RunRecord]:
    """Return the runs of what is called by a model's name or pattern, or by a run's id."""
    with store_for_reading(chosen) as store:
        heads = selected_heads(store, chosen, complete_only=True)
    if any(fits([name], model_names(head)) for head in heads):
        return selected_records({**chosen, "only_models": (name,)})
    if len(name) >= LEAST_DIGITS and any(head.run_id.startswith(name.lower()) for head in heads):
        return selected_records({**chosen, "only_runs": (name,)})
    meant = nearest(name, {each for head in heads for each in model_names(head)})
    hint = f"did you mean {meant!r}?" if meant else "`pommel runs list` shows what there is"
    raise UsageError(f"{name!r} is no model and no run among those that are chosen; {hint}")


def _side(name: str, records: Sequence[RunRecord], found: Sequence[Subject]) -> Side:
    """Return what a name means among the models whose runs it has chosen."""
    ids = {record.run_id for record in records}
    own = [each for each in found if any(record.run_id in ids for record in each.records)]
    return side(own, name)
