"""`pommel compare`: two models on the items that both have."""

from dataclasses import replace

import click

from pommel.analysis import Comparison, WithAverage, WithDraws
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import field_of, takes_options
from pommel.cli.output import form_option, note, show_notes, show_rows
from pommel.cli.selecting import SelectionOptions, named_heads
from pommel.errors import UsageError
from pommel.scoring import RunRecord


class _CompareOptions(WithAverage, WithDraws, SelectionOptions):
    """Which runs are compared, how they are averaged, and what is printed."""

    form: str = field_of(form_option())


@click.command("compare", cls=Command)
@click.argument("a")
@click.argument("b")
@takes_options
def command(a: str, b: str, chosen: _CompareOptions) -> None:
    """Compare models A and B on the suites and items that both have run.

    A and B are names, references or patterns of models in the store, or the ids of two runs. A
    family of seeds is compared by its mean, item by item.

    \b
      pommel compare gpt2 distilgpt2 --circuit agreement
      pommel compare rnng grnn --source hu2020 --format csv
      pommel compare 3f2a91c07d11 88b0c2
    """
    for option in ("model", "run"):
        if getattr(chosen, f"only_{option}s"):
            raise UsageError(f"--{option} is for other commands: here A and B say what is compared")
    comparison = Comparison.of(
        (a, _records(a, chosen)),
        (b, _records(b, chosen)),
        average=chosen.average,
        n_resamples=chosen.n_resamples,
        seed=chosen.seed,
    )
    for line in comparison.warnings:
        note(f"warning: {line}")
    show_notes(comparison.notes)
    show_rows(chosen.form, tables=comparison.tables, frame=comparison.frame)


def _records(name: str, chosen: _CompareOptions) -> list[RunRecord]:
    """Return the runs of what is called by a model's name or pattern, or by a run's id."""
    with chosen.reading() as store:
        heads = chosen.heads(store, complete_only=True)
    kind, _ = named_heads(name, heads)
    if kind == "model":
        return replace(chosen, only_models=(name,)).records()
    return replace(chosen, only_runs=(name,)).records()
