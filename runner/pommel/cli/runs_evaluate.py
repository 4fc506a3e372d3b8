"""`pommel runs evaluate`: predictions checked again, from what the models have said before."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import click

from pommel.api import Results
from pommel.cli.options import threshold_option
from pommel.cli.output import fail_under, note, show_notes, show_warnings
from pommel.cli.output_options import form_option
from pommel.cli.selecting import run_options, selected, store_for_writing
from pommel.cli.show_results import check_table, show_results, tidy_table_option
from pommel.errors import UsageError, counted, listed
from pommel.models.family import Named
from pommel.report.notes import notes
from pommel.scoring.results import ScoreRule
from pommel.scoring.run import Oov, Run
from pommel.scoring.run_record import RunRecord
from pommel.sources.load import check_distinct_names, load_suites
from pommel.store import Selection, Store
from pommel.store.run_names import told_apart_records
from pommel.suite.suite import Suite


@click.command("evaluate")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@click.option(
    "--suite-file",
    "suite_files",
    multiple=True,
    metavar="FILE",
    help="A suite to check in the place of the one of its name; if no run has that name, for every "
    "model.  [default: the suites as they ran; repeatable]",
)
@click.option(
    "--score",
    "score_rule",
    type=click.Choice(get_args(ScoreRule)),
    help="Score rule.  [default: that of the run]",
)
@click.option(
    "--oov",
    type=click.Choice(get_args(Oov)),
    help="Items that rest on an unknown word: they count, or are skipped.  [default: as in the "
    "run]",
)
@form_option()
@tidy_table_option
@threshold_option
@run_options
def command(runs: tuple[str, ...], **chosen: Any) -> None:
    """Check the predictions of RUNs, or of all that fit, again, with no model.

    Tokens come from the store. So predictions, metrics, regions and score rules may change, as long
    as the sentences are the same. The results are kept as runs of their own.

    \b
      pommel runs evaluate --score first
      pommel runs evaluate 3f2a91c07d11 --suite-file edited.json
    """
    chosen["only_runs"] = (*runs, *chosen["only_runs"])
    check_table(chosen["table"], chosen["form"])
    loaded = load_suites(chosen["suite_files"]) if chosen["suite_files"] else []
    suites = [each.suite for each in loaded]
    check_distinct_names(suites)
    show_warnings([warning for each in loaded for warning in each.warnings])
    with store_for_writing(chosen) as store:
        bases = _with_tokens(store, _chosen(store, chosen), chosen)
        called = {each.run_id: _called(each) for each in told_apart_records(bases)}
        pairs = _pairs(store, bases, suites, called)
        made = [_again(store, base, suite, chosen) for base, suite in pairs]
        _keep(store, made)
    named = (run.renamed(called[base.run_id]) for run, (base, _) in zip(made, pairs, strict=True))
    results = Results(runs=tuple(named))
    show_notes([line for run in results for line in notes(run)])
    show_results(results, table=chosen["table"], form=chosen["form"])
    fail_under((run.result for run in results), chosen["fail_under"])


def _chosen(store: Store, chosen: dict[str, Any]) -> list[RunRecord]:
    # Under a rule that is given, it is all one under which the tokens were first evaluated.
    return selected(store, chosen, any_rule=chosen["score_rule"] is not None)


def _with_tokens(
    store: Store, records: Sequence[RunRecord], chosen: dict[str, Any]
) -> list[RunRecord]:
    own = store.runs.with_tokens(records)
    without = [each for each in records if each not in own]
    if without and (chosen["only_runs"] or not own):
        raise UsageError(
            f"there are no tokens of {listed([each.run_id for each in without])}: only results "
            f"were imported; run the model with `pommel run`"
        )
    if without:
        note(f"note: {counted(len(without), 'run')} left out, imported without tokens")
    return own


def _called(record: RunRecord) -> Named:
    return Named(name=record.result.model_name, membership=record.result.membership)


def _pairs(
    store: Store,
    bases: Sequence[RunRecord],
    suites: Sequence[Suite],
    called: Mapping[str, Named],
) -> list[tuple[RunRecord, Suite]]:
    """Return which run's tokens and which suite are to go together."""
    if not suites:
        return [(base, store.runs.suite(base)) for base in bases]
    models: dict[tuple[object, ...], RunRecord] = {}
    # Of a model that ran in a family, and elsewhere alone, the run in the family.
    for base in sorted(bases, key=lambda each: each.result.membership is None):
        name = called[base.run_id].name
        key = (name, base.policy["fingerprint"], base.settings.get("compat"))
        models.setdefault(key, base)
    pairs = []
    for suite in suites:
        of_its_name = [base for base in bases if base.result.suite_name == suite.name]
        pairs += [(base, suite) for base in of_its_name or models.values()]
    return pairs


def _again(store: Store, base: RunRecord, suite: Suite, chosen: dict[str, Any]) -> Run:
    rule = chosen["score_rule"] or base.result.score_rule
    oov: Oov = chosen["oov"] or ("skip" if base.settings.get("oov") == "skip" else "keep")
    return store.runs.evaluate_again(base, suite, score_rule=rule, oov=oov)


def _keep(store: Store, made: Sequence[Run]) -> None:
    """Keep the runs that the store does not have; all of them are the newest from now on."""
    there = {each.run_id for each in store.runs.heads(Selection())}
    runs = {RunRecord.of(run).run_id: run for run in made}
    new = [run_id for run_id in runs if run_id not in there]
    for run_id in new:
        store.runs.save(runs[run_id])
    store.runs.renew(runs)
    if new:
        note(f"{counted(len(new), 'run')} kept: {listed(new, most=5)}")
    else:
        note("nothing new to keep: the store has these runs, which are the newest now")
