"""Options that several of the statistics over models share, and what they mean."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from pommel.analysis.accuracy import Settings
from pommel.analysis.models_compared import (
    GROUPINGS,
    POOLINGS,
    with_size_families,
    without_models,
)
from pommel.cli.output import note
from pommel.cli.selecting import selected_records, selection_options
from pommel.errors import UsageError, listed
from pommel.scoring.run_record import RunRecord

_F = TypeVar("_F", bound=Callable[..., Any])

# Why seeds are left out of means over the seeds of a model.
INCOMPLETE_SEEDS = "without suites that other seeds of the same model have"

level_option = click.option(
    "--by",
    "level",
    type=click.Choice(GROUPINGS),
    default="suite",
    show_default=True,
    help="Each suite, or the mean over the suites of each circuit, language or group, or over all.",
)
exclude_option = click.option(
    "--exclude-model",
    "excluded_models",
    multiple=True,
    metavar="GLOB",
    help="Models to leave out: name, reference or family; repeatable.",
)
chance_option = click.option(
    "--chance",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Share of items that hold by chance.  [default: what formulas or imports say]",
)
pooling_option = click.option(
    "--pool",
    "pooling",
    type=click.Choice(POOLINGS),
    default="none",
    show_default=True,
    help="Each model by itself, or the mean over the sizes of a family, or over all models.",
)


def several_models_options(function: _F) -> _F:
    """Add which stored runs a command is about, and which models are left out and are families."""
    families = click.option(
        "--family",
        "size_families",
        multiple=True,
        metavar="NAME=GLOB",
        help="Models that are one family in several sizes (BLOOM='bloom*'); repeatable.",
    )
    return selection_options(exclude_option(families(function)))


def settings_of(chosen: dict[str, Any]) -> Settings:
    """Return how accuracies are computed: `chance_option` and `resampling_options`."""
    return Settings(chance=chosen["chance"], n_resamples=chosen["resamples"], seed=chosen["seed"])


def records_of(chosen: dict[str, Any]) -> list[RunRecord]:
    """Return the runs that are meant, without models that are left out, in their families.

    Raises `UsageError` as `selected_records`, for a glob that no model matches, and if nothing is
    left.
    """
    records = without_models(selected_records(chosen), chosen["excluded_models"])
    if not records:
        raise UsageError("--exclude-model leaves no model")
    return with_size_families(records, _families(chosen.get("size_families", ())))


def note_left_out(names: Sequence[str], why: str) -> None:
    """Say on standard error what is left out, if anything is."""
    if names:
        # A suite without a language or circuit has "" for one.
        shown = [name or "(none)" for name in names]
        note(f"note: left out, {why}: {listed(shown, most=8)}")


def _families(arguments: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for argument in arguments:
        name, equals, glob = argument.partition("=")
        if not (name.strip() and equals and glob):
            raise UsageError(f"--family {argument}: write NAME=GLOB, such as BLOOM='bloom*'")
        found.setdefault(name.strip(), []).append(glob)
    return found
