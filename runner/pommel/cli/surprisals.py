"""`pommel surprisals` (alias `compute-surprisals`): a suite's regions with their surprisals."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pommel.cli import completing
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import field_of, option, takes_options
from pommel.cli.options import (
    FailureOptions,
    KeepingOptions,
    ModelOptions,
    PolicyOptions,
    PunctuationOptions,
    model_first,
)
from pommel.cli.output import (
    asked_for_raw,
    form_option,
    meant_form,
    output_option,
    print_or_write,
    progress_bar,
    show_notes,
    show_other_languages,
    show_warnings,
)
from pommel.errors import UsageError
from pommel.files import frame_text, to_json
from pommel.models import NamedModel, Recording
from pommel.scoring import Choices, SuiteSurprisals
from pommel.sources import load_suites

if TYPE_CHECKING:
    import pandas as pd


_ENDINGS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"}


class _SurprisalsOptions(
    KeepingOptions, PolicyOptions, PunctuationOptions, FailureOptions, ModelOptions
):
    """How a suite is scored, and where to and how surprisals are written."""

    output: Path | None = field_of(output_option)
    form: str | None = field_of(
        form_option(
            ["json", "csv", "tsv", "tokens", "jsonl"],
            default=None,
            about="The suite with metric_value in every region; regions or tokens as a table; "
            "jsonl is what recorded:// reads.  [default: what --output ends in, or json]",
        )
    )
    strict: bool = option(help="Refuse a suite with stray spaces.")


@click.command("surprisals", cls=Command, no_args_is_help=True)
@click.argument("model", shell_complete=completing.models)
@click.argument("suite", shell_complete=completing.suites)
@takes_options
def command(model: str, suite: str, chosen: _SurprisalsOptions) -> None:
    """Compute the surprisal in bits of every region of SUITE for MODEL.

    \b
      pommel surprisals builtin://en-gpt2 my_suite.json > my_suite.evaluated.json
      pommel evaluate my_suite.evaluated.json
    """
    model, suite = model_first(model, suite)
    loaded = load_suites([suite], strict=chosen.strict)
    loaded.check()
    if len(loaded.suites) != 1:
        raise UsageError(f"{suite} is {len(loaded.suites)} suites; name one")
    show_warnings(loaded.warnings)
    show_other_languages([NamedModel(reference=model)], loaded.suites)
    with (
        chosen.opened_store() as store,
        chosen.opened_model(model, store) as opened,
        progress_bar(opened.info.name, loaded.suites[0].n_sentences) as progress,
    ):
        choices = Choices(
            policy=chosen.policy,
            compat=chosen.compat,
            strict_model=chosen.strict_model,
            punctuation=chosen.punctuation,
        )
        surprisals = SuiteSurprisals.of(
            chosen.cached(opened, store), loaded.suites[0], choices, progress=progress
        )
    if failed := surprisals.failed:
        where = f"{surprisals.model.name} on {surprisals.suite.name}"
        show_notes([surprisals.failures_told(where, failed)])
    form = meant_form(chosen.form, chosen.output, _ENDINGS, usual="json")
    if chosen.compat and form == "tsv":
        text = frame_text(_retired_columns(surprisals), "tsv", raw=True)
    else:
        text = _text(surprisals, form)
    print_or_write(text, chosen.output, "Surprisals")


def _retired_columns(surprisals: SuiteSurprisals) -> "pd.DataFrame":
    """Return the six columns of `syntaxgym compute-surprisals --tabular_results`."""
    frame = surprisals.to_frame("regions")
    metric = f"{surprisals.suite.metrics[0]}_bits"
    frame["oovs"] = [",".join(json.loads(words)) for words in frame["oovs"]]
    columns = ["item_number", "condition_name", "region_number", "content", metric, "oovs"]
    return frame[columns].rename(columns={metric: "metric_value"})


def _text(surprisals: SuiteSurprisals, form: str) -> str:
    match form:
        case "json":
            return to_json(surprisals.to_evaluated_suite())
        case "jsonl":
            every = {
                each.text: each for row in surprisals.sentences for each in row if not each.failure
            }
            return Recording.text_of(surprisals.model, surprisals.policy, every.values())
        case "tokens":
            return frame_text(surprisals.to_frame("tokens"), "csv", raw=asked_for_raw())
        case _:
            return frame_text(surprisals.to_frame("regions"), form, raw=asked_for_raw())
