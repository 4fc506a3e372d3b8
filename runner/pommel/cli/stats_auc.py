"""`pommel stats auc`: sets of grammatical and ungrammatical sentences, AUC by template."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, get_args

import click

from pommel.analysis.models_compared import SuiteKey
from pommel.analysis.sentence_sets import (
    Normalisation,
    Resampling,
    SetScores,
    auc_frame,
    auc_table,
    feature_frame,
    feature_preferences,
    feature_table,
    order_frame,
    order_preferences,
    order_scores,
    order_table,
    pair_frame,
    pair_table,
    scores_of_runs,
    set_aucs,
    set_notes,
)
from pommel.cli.output import show_notes, show_rows
from pommel.cli.output_options import form_option
from pommel.cli.resampling import resampling_options
from pommel.cli.selecting import selected_runs, selection_options
from pommel.errors import UsageError
from pommel.scoring.run import Run

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table

# A table: how its rows are computed, as a frame, and for people.
_Rows = Callable[[SetScores, Resampling], Iterable[Any]]
_TABLES: dict[
    str,
    tuple[_Rows, Callable[[Iterable[Any]], "pd.DataFrame"], Callable[[Sequence[Any]], "Table"]],
] = {
    "auc": (set_aucs, auc_frame, auc_table),
    "orders": (order_scores, order_frame, order_table),
    "pairs": (order_preferences, pair_frame, pair_table),
    "features": (feature_preferences, feature_frame, feature_table),
}


@click.command("auc")
@selection_options
@click.option(
    "--table",
    type=click.Choice(list(_TABLES)),
    default="auc",
    show_default=True,
    help="AUC of all sentences and of each violation; or, of grammatical sentences, the mean score "
    "of each order of cases, preferences between two orders, and of nouns for cases.",
)
@click.option(
    "--normalise",
    type=click.Choice(get_args(Normalisation)),
    default="none",
    show_default=True,
    help="A sentence's score: its log-probability; that by token; or less the log-probability by "
    "a unigram model, by token (slor).",
)
@click.option(
    "--unigram",
    metavar="GLOB",
    help="The unigram model of --normalise slor: name or reference of a model that has run on the "
    "same suites.",
)
@resampling_options
@form_option()
def command(**chosen: Any) -> None:
    """How well models tell the grammatical sentences of a set from the ungrammatical ones.

    Of suites whose meta.unacceptable names the conditions that no speaker would say. In each item
    (template) every grammatical sentence is compared with every ungrammatical one, and the AUC is
    the mean over items. Needs runs whose surprisals are in the store.

    \b
      pommel run ngram://model.arpa de_argument_structure
      pommel stats auc --suite de_argument_structure
      pommel stats auc --table orders --format csv
    """
    found, not_sets = scores_of_runs(
        selected_runs(chosen), normalise=chosen["normalise"], unigrams=_unigrams(chosen)
    )
    show_notes([*set_notes(found, not_sets)])
    rows_of, frame, table = _TABLES[chosen["table"]]
    resampling = Resampling(n_resamples=chosen["resamples"], seed=chosen["seed"])
    rows = [row for each in found for row in rows_of(each, resampling)]
    if not rows:
        raise UsageError(
            f"--table {chosen['table']} needs a suite whose meta.design says which case each noun "
            "has (a permutation design)"
        )
    show_rows(
        chosen["form"],
        tables=lambda: [table(rows)],
        frame=lambda: frame(rows),
    )


def _unigrams(chosen: dict[str, Any]) -> dict[SuiteKey, Run]:
    """Return the runs of the unigram model, by suite."""
    if (chosen["normalise"] == "slor") != bool(chosen["unigram"]):
        raise UsageError("--normalise slor and --unigram GLOB go together")
    if not chosen["unigram"]:
        return {}
    found: dict[SuiteKey, Run] = {}
    asked = {**chosen, "only_runs": (), "only_models": (chosen["unigram"],), "only_choices": ()}
    for run in selected_runs(asked):
        suite = run.surprisals.suite
        other = found.setdefault((suite.language, suite.name), run)
        if other is not run:
            names = f"{other.result.model_name} and {run.result.model_name}"
            raise UsageError(f"--unigram {chosen['unigram']!r} is both {names}; name one of them")
    return found
