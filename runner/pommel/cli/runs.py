"""`pommel runs`: the runs in the store."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

import click

from pommel.cli import completing
from pommel.cli.asking import confirm
from pommel.cli.gates import GateOptions
from pommel.cli.lazy_group import Command
from pommel.cli.option_groups import FILE, field_of, option, takes_options
from pommel.cli.options import HOW_TO_FILL, StoreOptions, tidy_table_option
from pommel.cli.output import (
    RESULT_FORMS,
    asked_for_raw,
    check_table,
    folder_option,
    form_option,
    note,
    show_frame,
    show_notes,
    show_results,
    show_table,
    show_text,
    show_warnings,
)
from pommel.cli.selecting import (
    RunArguments,
    SelectionOptions,
    described,
    listed_run,
    run_of_id,
)
from pommel.errors import StoreError, UsageError, counted, listed, printable
from pommel.files import WrittenFloat, to_json
from pommel.models import Named
from pommel.report import ListedRun, Results
from pommel.scoring import Oov, ResultsTable, Run, RunRecord, ScoreRule, Swallowed
from pommel.sources import load_suites
from pommel.store import Store
from pommel.suite import Suite

# What fits on a screen.
_SHOWN = 30


@click.command("list", cls=Command)
@form_option(about="What to print; all but tables have every run.")
@click.option("--all", "is_all", is_flag=True, help=f"More than {_SHOWN} runs in the table, too.")
@takes_options
def list_runs(form: str, *, is_all: bool, chosen: SelectionOptions) -> None:
    """List the runs in the store, the newest first, and how far those are that were interrupted.

    \b
      pommel runs list --model 'gpt2*' --circuit agreement
      pommel runs list --format csv > runs.csv
    """
    if _is_empty(chosen):
        note(f"note: {chosen.store_path} has no runs yet; {HOW_TO_FILL}")
        if form != "table":
            show_frame(ListedRun.frame([]), form)
        return
    with chosen.reading() as store:
        with store.runs.one_moment():
            heads = chosen.heads(store)
            shown = len(heads) if is_all or form != "table" else _SHOWN
            # Of runs of the same second, the one that began last is the newest.
            newest_first = sorted(heads, key=lambda each: each.created)[::-1]
            newest = store.runs.filled(newest_first[:shown])
        runs = [listed_run(store, each) for each in newest]
    if form == "table":
        show_table(ListedRun.table(runs))
        if more := len(heads) - len(runs):
            note(f"{counted(more, 'older run')} not shown; --all shows them")
    else:
        show_frame(ListedRun.frame(runs), form)


def _is_empty(chosen: SelectionOptions) -> bool:
    if not chosen.store_path.exists():
        return True
    with chosen.reading() as store:
        return store.runs.is_empty()


@click.command("show", cls=Command, no_args_is_help=True)
@click.argument("run", shell_complete=completing.run_ids)
@form_option(["text", "json", "json-full"], default="text")
@takes_options
def show_run(run: str, form: str, kept: StoreOptions) -> None:
    """Show a RUN, named by its id or the id's first 4 digits or more.

    Text shows what ran on what and how, its predictions with their counts and margins, its scores,
    and where it comes from; json has its row of `pommel runs list`, json-full every item, too.
    """
    with kept.reading() as opened:
        listed = listed_run(opened, run_of_id(opened, run))
    if form == "json":
        show_frame(ListedRun.frame([listed]), form)
        return
    if form == "json-full":
        show_text(to_json(_to_json(listed), indent=2))
        return
    result = listed.record.result
    for line in listed.head_lines():
        click.echo(line)
    if result.predictions:
        click.echo()
        show_table(listed.count_table())
    for line in listed.score_lines():
        click.echo(line)
    if result.provenance:
        click.echo()
        for line in listed.provenance_lines():
            click.echo(line)


def _to_json(listed: ListedRun) -> dict[str, object]:
    record, result = listed.record, listed.record.result
    return {
        "run_id": record.run_id,
        "status": record.status,
        "n_scored": listed.progress[0] if listed.progress else None,
        "n_sentences": listed.progress[1] if listed.progress else None,
        "source": record.source,
        "created": record.created,
        "model_name": result.model_name,
        "family": result.membership.to_dict() if result.membership else None,
        "model": asdict(record.model),
        "suite_name": result.suite_name,
        "circuit": result.circuit,
        "suite": asdict(record.suite),
        "policy": dict(record.policy),
        "settings": dict(record.settings),
        "score_rule": result.score_rule,
        "score": WrittenFloat.of(result.score),
        "scores": [
            {name: WrittenFloat.of(value) for name, value in row.items()}
            for row in (result.score_rows() if record.status == "complete" else [])
        ],
        "predictions": [
            {
                "prediction_id": each.prediction_id,
                "formula": each.formula,
                "description": each.description,
            }
            for each in result.predictions
        ],
        "items": WrittenFloat.of_rows(result.to_frame("predictions")),
        "provenance": dict(result.provenance),
    }


class _ExportOptions(RunArguments, SelectionOptions):
    """Which runs, where to and how."""

    output: Path = field_of(folder_option)
    form: Literal["csv", "parquet", "json"] = field_of(
        form_option(["csv", "parquet", "json"], default="csv", about="Format of the files.")
    )


@click.command("export", cls=Command)
@takes_options
def export_tables(chosen: _ExportOptions) -> None:
    """Write the tables of RUNs, or of all that fit, to a folder, as `pommel run -o` would have.

    Of runs of one model on one suite under one score rule the newest counts, unless they are
    named by their ids.

    \b
      pommel runs export 3f2a91c07d11 -o results
      pommel runs export --model 'gpt2*' -o results --format parquet
    """
    with chosen.reading() as store:
        records = store.runs.told_apart(chosen.selected(store))
        own = store.runs.with_tokens(records)
        found = list(store.runs.runs(own))
    Results.export(records, found, chosen.output, chosen.form, raw=asked_for_raw())
    if n_imported := len(records) - len(own):
        others = "those files hold the others only" if own else "those files are not written"
        note(
            f"note: {counted(n_imported, 'run')} came without tokens, so that tokens.{chosen.form} "
            f"and regions.{chosen.form} lack them; {others}"
        )
    note(f"{counted(len(records), 'run')}: {chosen.output}")


class _EvaluateAgainOptions(GateOptions, RunArguments):
    """Which runs are evaluated again, what changes, and what is printed."""

    suite_files: tuple[str, ...] = option(
        "--suite-file",
        metavar="FILE",
        help="A suite to check in the place of the one of its name; if no run has that name, "
        "for every model.  [default: the suites as they ran; repeatable]",
    )
    score_rule: Literal[ScoreRule, "pairs"] | None = option(
        "--score", help="Score rule.  [default: that of the run]"
    )
    oov: Oov | None = option(
        help="Items that rest on an unknown word: they count, or are skipped.  [default: as "
        "in the run]"
    )
    swallowed: Swallowed | None = option(
        help="Regions with content, but without a token of their own.  [default: as in the run]"
    )
    form: str = field_of(form_option(RESULT_FORMS))
    table: ResultsTable | None = field_of(tidy_table_option)


@click.command("evaluate", cls=Command)
@takes_options
def evaluate_again(chosen: _EvaluateAgainOptions) -> None:
    """Check the predictions of RUNs, or of all that fit, again, with no model.

    Tokens come from the store. So predictions, metrics, regions and score rules may change, as long
    as the sentences are the same. The results are kept as runs of their own; a run that comes out
    otherwise under this version of pommel is kept anew.

    \b
      pommel runs evaluate --score first
      pommel runs evaluate 3f2a91c07d11 --suite-file edited.json
    """
    check_table(chosen.table, chosen.form)
    loaded = load_suites(chosen.suite_files) if chosen.suite_files else None
    suites = loaded.suites if loaded else []
    Suite.check_distinct_names(suites)
    show_warnings(loaded.warnings if loaded else [])
    with chosen.writing() as store:
        # Under a rule that is given, it is all one under which the tokens were first evaluated.
        any_rule = chosen.score_rule is not None
        bases = _with_tokens(store, chosen.selected(store, any_rule=any_rule), chosen)
        called = {
            each.run_id: Named(name=each.result.model_name, membership=each.result.membership)
            for each in store.runs.told_apart(bases)
        }
        pairs = _pairs(store, bases, suites, called)
        asked = {
            name: value
            for name in ("score_rule", "oov", "swallowed")
            if (value := getattr(chosen, name))
        }
        made = [
            store.runs.evaluate_again(base, suite, replace(base.choices, **asked))
            for base, suite in pairs
        ]
        _keep(store, made)
    named = (run.renamed(called[base.run_id]) for run, (base, _) in zip(made, pairs, strict=True))
    results = Results(runs=tuple(named))
    show_notes(results.notes())
    show_results(results, table=chosen.table, form=chosen.form)
    if loaded:
        loaded.check()
    chosen.check_gates([run.result for run in results.runs])


def _with_tokens(
    store: Store, records: Sequence[RunRecord], chosen: _EvaluateAgainOptions
) -> list[RunRecord]:
    own = store.runs.with_tokens(records)
    if chosen.named_runs or not own:
        store.runs.check_tokens(records)
    if n_left_out := len(records) - len(own):
        note(f"note: {counted(n_left_out, 'run')} left out, imported without tokens")
    return own


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


def _keep(store: Store, made: Sequence[Run]) -> None:
    """Keep the runs that the store does not have; all of them are the newest from now on.

    So is one that it has with other results, from a version that judged otherwise.
    """
    runs = {RunRecord.of(run).run_id: run for run in made}
    there = {each.run_id: each.result.packed_items() for each in store.runs.records_of([*runs])}
    new = [run_id for run_id in runs if run_id not in there]
    changed = [each for each, items in there.items() if items != runs[each].result.packed_items()]
    store.runs.renew(runs, [runs[run_id] for run_id in (*new, *changed)])
    if changed:
        names = listed(changed, most=5)
        note(f"{counted(len(changed), 'run')} kept with other results than before: {names}")
    if new:
        note(f"{counted(len(new), 'run')} kept: {listed(new, most=5)}")
    elif not changed:
        note("nothing new to keep: the store has these runs, which are the newest now")


class _DeleteOptions(RunArguments, SelectionOptions):
    """Which runs go, and whether that is asked."""

    yes: bool = option(help="Do not ask.")


@click.command("delete", cls=Command, no_args_is_help=True)
@takes_options
def delete_runs(chosen: _DeleteOptions) -> None:
    """Delete RUNs, or all that fit, complete or interrupted, with their results.

    Their surprisals stay, so that the same run is made again in no time; `pommel runs gc` deletes
    those that no run needs.

    \b
      pommel runs delete 3f2a91c07d11
      pommel runs delete --source hu2020 --yes
    """
    if not chosen.is_selective:
        raise UsageError("which runs? Name ids, or --model, --suite and so on; '*' is any")
    with chosen.writing() as store:
        found = chosen.heads(store)
        named = listed([f"{each.run_id} ({described(each)})" for each in found])
        if not chosen.yes:
            if not sys.stdin.isatty():
                what = f"this deletes {counted(len(found), 'run')}: {named}"
                raise UsageError(f"{what}; say --yes if that is meant")
            question = f"Delete {counted(len(found), 'run')}, {named}?"
            if not confirm(printable(question)):
                note("nothing is deleted")
                return
        n_deleted = store.runs.delete([each.run_id for each in found])
    note(f"{counted(n_deleted, 'run')} deleted")


@click.command("gc", cls=Command)
@click.option("-n", "--dry-run", is_flag=True, help="Delete nothing, and say what would go.")
@takes_options
def collect_garbage(*, dry_run: bool, kept: StoreOptions) -> None:
    """Delete surprisals that no run's suite needs, and give the room back to the disk.

    Texts, models, policies and suites that nothing refers to go with them. Interrupted runs keep
    theirs. It is safe while other processes write.
    """
    with kept.writing() as opened:
        before = opened.database.n_bytes
        done = "would go" if dry_run else "deleted"
        collected = opened.collect_garbage(dry_run=dry_run)
        for name, n_deleted in collected.n_deleted.items():
            n_before = n_deleted + collected.n_left[name]
            click.echo(f"{name:<10}  {n_deleted:>9,} of {n_before:,} {done}")
        if dry_run:
            note("nothing is deleted (--dry-run)")
            return
        if any(collected.n_deleted.values()) or opened.database.has_free_pages:
            try:
                opened.database.shrink()
            except StoreError as error:
                # What is deleted is deleted; new runs use the room until then.
                note(f"note: no room was given back, the next `pommel runs gc` does it: {error}")
        after = opened.database.n_bytes
    click.echo(f"{'bytes':<10}  {before:>9,} -> {after:,}")


@click.command("merge", cls=Command, no_args_is_help=True)
@click.argument(
    "others", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="STORE|DIR..."
)
@takes_options
def merge(others: Sequence[Path], kept: StoreOptions) -> None:
    """Take the runs and sentences of each STORE into the store that --store names.

    A DIR has the shards of a plan (`pommel run --plan`); what is not done yet is noted. What both
    have stays as it is there, so that a second time changes nothing. Numbers that differ by more
    than rounding are an error, and nothing of that STORE is merged.

    \b
      pommel runs merge colleague.sqlite --store all.sqlite
      pommel runs merge shards --store all.sqlite
    """
    is_new = not kept.store_path.exists()
    with Store.open(kept.store_path) as store:
        found = None
        try:
            for other in others:
                for path in _stores_of(other) if other.is_dir() else (other,):
                    taken = store.take_in(path, unchanged=other.is_dir())
                    found = found + taken if found else taken
        finally:
            if is_new and not found:
                store.close()
                kept.store_path.unlink()
    if not found:
        raise UsageError(f"nothing has been scored yet in {listed([*map(str, others)])}")
    click.echo(f"runs        {found.n_new_runs:>9,} of {found.n_runs:,} are new")
    click.echo(f"surprisals  {found.n_new_scored:>9,} of {found.n_scored:,} are new")
    if found.n_evaluated_again:
        note(
            f"{counted(found.n_evaluated_again, 'run')} evaluated again, with numbers of sentences "
            f"that were in the store before"
        )
    note(f"Merged: {kept.store_path}")


def _stores_of(folder: Path) -> Iterator[Path]:
    from pommel.sharding import PlanFolder

    return PlanFolder.read(folder).stores(note)


@click.command("recover", cls=Command, no_args_is_help=True)
@click.argument("damaged", type=FILE)
@click.option(
    "-o",
    "--output",
    required=True,
    type=FILE,
    metavar="NEW",
    help="File of the new store.",
)
def recover(damaged: Path, output: Path) -> None:
    """Write what can be read of a DAMAGED store to a NEW one.

    The damaged file is not changed. A run that may have lost results is listed as interrupted; the
    command that it came from completes it, from the surprisals that are left.

    \b
      pommel runs recover store.sqlite -o recovered.sqlite
      pommel runs list --store recovered.sqlite
    """
    saved = Store.salvage(damaged, output)
    for table, n_kept in saved.kept.items():
        n_lost = saved.lost.get(table, 0)
        lost = f"; up to {n_lost:,} lost" if n_lost else ""
        click.echo(f"{table:<12}  {n_kept:>9,} kept{lost}")
    if saved.n_reopened:
        note(
            f"{counted(saved.n_reopened, 'run')} may lack results and count as interrupted; the "
            f"same `pommel run` completes them"
        )
    if saved.n_unlinked:
        note(
            f"{counted(saved.n_unlinked, 'run')} lost what leads to suite and tokens; the same "
            f"`pommel run` makes them again"
        )
    note(f"Recovered: {output}")
