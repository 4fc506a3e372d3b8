"""Which stored runs a command is about."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, get_args

import click

from pommel.cli.options import store_option, store_path
from pommel.cli.output import note
from pommel.cli.unmatched import check_ids, check_patterns, described, why_none
from pommel.errors import UsageError, counted, listed
from pommel.report.run_list import ListedRun
from pommel.scoring.results import ScoreRule
from pommel.scoring.run import Run
from pommel.scoring.run_record import RunRecord
from pommel.store import Selection, Store
from pommel.store.newest_runs import OneEach, check_one_rule, one_each
from pommel.store.run_names import told_apart_records
from pommel.store.selection import CHOICES, model_names

_F = TypeVar("_F", bound=Callable[..., Any])

HOW_TO_FILL = "`pommel run MODEL SUITE...` keeps its runs, `pommel import-results` those of others"

# What runs are selected by: option, its key, what of a run it looks at.
_PATTERNS: tuple[tuple[str, str, Callable[[RunRecord], Sequence[str]]], ...] = (
    ("model", "only_models", model_names),
    ("suite", "only_suites", lambda record: [record.result.suite_name]),
    ("circuit", "only_circuits", lambda record: [record.result.circuit]),
    ("language", "only_languages", lambda record: [record.suite.language]),
    ("source", "only_sources", lambda record: [record.source]),
)

_HELP = {
    "model": "Runs of these models: name, reference or family.",
    "suite": "Runs on these suites.",
    "circuit": "Runs on suites of these circuits.",
    "language": "Runs on suites in these languages (en).",
    "source": "Where runs are from: pommel, or what they were imported as.",
}


def selection_options(function: _F) -> _F:
    """Add which stored runs a command is about, and the store."""
    rule = click.option(
        "--score",
        "only_rules",
        multiple=True,
        type=click.Choice(get_args(ScoreRule)),
        help="Runs with this score rule.",
    )
    return run_options(rule(function))


def run_options(function: _F) -> _F:
    """Add what `selection_options` does, but for the score rule."""
    patterns = [
        click.option(f"--{name}", key, multiple=True, metavar="GLOB", help=_HELP[name])
        for name, key, _ in _PATTERNS
    ]
    options = [
        click.option(
            "--run",
            "only_runs",
            multiple=True,
            metavar="ID",
            help="Runs whose id begins so, with 4 digits or more; all of these are repeatable.",
        ),
        *patterns,
        click.option(
            "--policy",
            "only_choices",
            multiple=True,
            metavar="KEY=VALUE",
            help=f"Runs scored so (method=pll). KEY is {', '.join(CHOICES)}.",
        ),
        store_option,
    ]
    for option in reversed(options):
        function = option(function)
    return function


def selected_records(chosen: dict[str, Any]) -> list[RunRecord]:
    """Return the complete runs that a command is about, under names that tell models apart.

    Which of several runs of one model on one suite counts, `one_each` says, and notes name the
    others; those that are asked for by their ids all count. Raises `UsageError` if nothing fits,
    and for runs of one model on one suite under several score rules; `StoreError`.
    """
    with store_for_reading(chosen) as store:
        return told_apart_records(selected(store, chosen))


def selected_runs(chosen: dict[str, Any]) -> Iterator[Run]:
    """Yield what `selected_records` returns, with tokens.

    Raises `StoreError` for a run that has none.
    """
    with store_for_reading(chosen) as store:
        yield from runs_of(store, told_apart_records(selected(store, chosen)))


def runs_of(store: Store, records: Sequence[RunRecord]) -> Iterator[Run]:
    """Yield the runs of records with tokens; their results are those of the records."""
    return store.runs.runs(records)


@contextlib.contextmanager
def store_for_reading(chosen: dict[str, Any]) -> Iterator[Store]:
    """Give the store that a command reads; raises `UsageError` if there is none."""
    path = store_path(chosen)
    if not path.exists():
        raise UsageError(f"{path}: there is no store; {HOW_TO_FILL}")
    with Store.open(path, read_only=True) as store:
        yield store


def store_for_writing(chosen: dict[str, Any]) -> Store:
    """Open the store that a command changes; raises `UsageError` if there is none."""
    path = store_path(chosen)
    if not path.exists():
        raise UsageError(f"{path}: there is no store; {HOW_TO_FILL}")
    return Store.open(path)


def selected_heads(
    store: Store, chosen: dict[str, Any], *, complete_only: bool = False
) -> list[RunRecord]:
    """Return every run that was asked for, without predictions and items.

    Raises `UsageError` for an id or a pattern that fits no run, and if no run fits all.
    """
    there = store.runs.heads(Selection(complete_only=False))
    if not there:
        raise UsageError(f"{store.path}: has no runs yet; {HOW_TO_FILL}")
    selection = _selection(chosen, complete_only=complete_only)
    check_ids(selection.run_ids, there)
    for name, key, names_of in _PATTERNS:
        check_patterns(name, chosen[key], (each for run in there for each in names_of(run)))
    found = [each for each in there if selection.takes(each)]
    if not found:
        raise UsageError(why_none(store.path, selection, there))
    return found


def selected(store: Store, chosen: dict[str, Any], *, any_rule: bool = False) -> list[RunRecord]:
    """Return the complete runs that were asked for, under the names that they were kept under.

    Unless they are named by their ids: those that `one_each` chooses, with `any_rule` under
    whichever score rule. Raises `UsageError` as `selected_records` does.
    """
    heads = selected_heads(store, chosen, complete_only=True)
    if not chosen["only_runs"]:
        found = one_each(heads, scored=store.runs.scored_ids())
        _note_left_out(found)
        heads = found.records
        if any_rule:
            heads = one_each(heads, scored=store.runs.scored_ids(), any_rule=True).records
        check_one_rule(heads)
    _note_versions(heads)
    return store.runs.records_of([each.run_id for each in heads])


def _note_left_out(found: OneEach) -> None:
    for records, why, how in (
        (
            found.older,
            "for newer ones of the same model, suite and score rule",
            "--policy or --run",
        ),
        (found.unscored, "on a suite without predictions, for older ones with a score", "--run"),
        (found.alone, "whose model was scored alike in a family", "--run"),
    ):
        if records:
            names = listed(list(dict.fromkeys(map(described, records))), most=3)
            n_runs = counted(len(records), "run")
            _note_once(f"note: {n_runs} left out {why} ({names}); {how} chooses others")


def _note_once(message: str) -> None:
    """Say something that a command which selects runs several times need not say again."""
    context = click.get_current_context(silent=True)
    said = set() if context is None else context.meta.setdefault(__name__, set())
    if message not in said:
        note(message)
    said.add(message)


def _note_versions(records: Sequence[RunRecord]) -> None:
    versions: dict[str, set[str]] = {}
    for each in records:
        versions.setdefault(each.result.suite_name, set()).add(each.suite.sha256)
    several = [name for name, found in versions.items() if len(found - {""}) > 1]
    if several:
        _note_once(
            f"note: not all runs on {listed(several)} are on the same version of the suite; "
            f"`pommel runs show` has its SHA-256"
        )


def is_selective(chosen: dict[str, Any]) -> bool:
    """Say whether a command was told which runs it is about."""
    return any(value for key, value in chosen.items() if key.startswith("only_"))


def run_of_id(store: Store, run_id: str) -> RunRecord:
    """Return the one run whose id begins so, complete or not; raises `UsageError`."""
    there = store.runs.heads(Selection(complete_only=False))
    if not there:
        raise UsageError(f"{store.path}: has no runs yet; {HOW_TO_FILL}")
    check_ids([run_id.lower()], there)
    (record,) = store.runs.records(Selection(run_ids=(run_id.lower(),), complete_only=False))
    return record


def listed_run(store: Store, record: RunRecord) -> ListedRun:
    """Return a run as lists show it, with how far it is if it was interrupted."""
    progress = None if record.status == "complete" else store.runs.progress(record)
    return ListedRun(record=record, progress=progress)


def _selection(chosen: dict[str, Any], *, complete_only: bool) -> Selection:
    return Selection(
        run_ids=tuple(each.lower() for each in chosen["only_runs"]),
        models=chosen["only_models"],
        suites=chosen["only_suites"],
        circuits=chosen["only_circuits"],
        languages=chosen["only_languages"],
        sources=chosen["only_sources"],
        score_rules=chosen.get("only_rules", ()),
        choices=tuple(_choice(each) for each in chosen["only_choices"]),
        complete_only=complete_only,
    )


def _choice(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or name not in CHOICES:
        raise UsageError(
            f"--policy {text}: write KEY=VALUE (method=pll); KEY is {', '.join(CHOICES)}"
        )
    return name, value
