"""Which stored runs a command is about, and what to say where none is as it was asked for."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from pommel.cli import completing
from pommel.cli.option_groups import field_of, option
from pommel.cli.options import HOW_TO_FILL, StoreOptions
from pommel.cli.output import note
from pommel.errors import UsageError, counted, listed, nearest
from pommel.report import ListedRun
from pommel.scoring import Run, RunRecord, ScoreRule
from pommel.store import Selection, Store

# So long a beginning of an id is hardly another run's, too.
_LEAST_DIGITS = 4


_Several = tuple[str, ...]


def _patterns(name: str, about: str) -> Any:
    return option(f"--{name}", f"only_{name}s", multiple=True, metavar="GLOB", help=about)


class RunSelectionOptions(StoreOptions, title="Which runs"):
    """Which stored runs a command is about, and the store."""

    only_runs: _Several = option(
        "--run",
        metavar="ID",
        shell_complete=completing.run_ids,
        help="Runs whose id begins so, with 4 digits or more; all of these are repeatable. "
        "A GLOB with ! before it ('!*_small') leaves out what fits.",
    )
    only_models: _Several = _patterns("model", "Runs of these models: name, reference or family.")
    only_suites: _Several = _patterns("suite", "Runs on these suites.")
    only_circuits: _Several = _patterns("circuit", "Runs on suites of these circuits.")
    only_languages: _Several = _patterns("language", "Runs on suites in these languages (en).")
    only_sources: _Several = _patterns(
        "source", "Where runs are from: pommel, or what they were imported as."
    )
    only_choices: _Several = option(
        "--policy",
        metavar="KEY=VALUE",
        help=f"Runs scored so (method=pll). KEY is {', '.join(Selection.CHOICES)}.",
    )

    @property
    def is_selective(self) -> bool:
        """Whether the command was told which runs it is about."""
        only = (told for name, told in vars(self).items() if name.startswith("only_"))
        return bool(self.named_runs) or any(only)

    @property
    def named_runs(self) -> _Several:
        """The beginnings of the ids of runs that were named."""
        return self.only_runs

    def records(self) -> list[RunRecord]:
        """Return the complete runs that a command is about, under names that tell models apart.

        Which of several runs of one model on one suite counts, `one_each` says, and notes name the
        others; those that are asked for by their ids all count. Raises `UsageError` if nothing
        fits, and for runs of one model on one suite under several score rules; `StoreError`.
        """
        with self.reading() as store:
            return store.runs.told_apart(self.selected(store))

    def runs_with_tokens(self) -> Iterator[Run]:
        """Yield what `records` returns, with tokens.

        Raises `StoreError` for a run that has none.
        """
        with self.reading() as store:
            yield from store.runs.runs(store.runs.told_apart(self.selected(store)))

    def heads(
        self, store: Store, *, complete_only: bool = False, items: bool = False
    ) -> list[RunRecord]:
        """Return every run that was asked for, without items, unless `RunTables.heads` reads them.

        Raises `UsageError` for an id or a pattern that fits no run, and if no run fits all.
        """
        there = _all_heads(store, items=items)
        selection = self.selection(complete_only=complete_only)
        check_ids(selection.run_ids, there)
        for name in Selection.TRIED_ON:
            # How to come by runs under a score rule is said where none fits.
            if name != "score_rules":
                names = (each for run in there for each in selection.names(name, run))
                check_patterns(name.removesuffix("s"), getattr(selection, name), names)
        found = selection.taken(there)
        if not found:
            raise UsageError(why_none(store.path, selection, there))
        return found

    def selected(self, store: Store, *, any_rule: bool = False) -> list[RunRecord]:
        """Return the complete runs that were asked for, under the names that they were kept under.

        Unless they are named by their ids: those that `one_each` chooses, with `any_rule` under
        whichever score rule. Raises `UsageError` as `records` does.
        """
        _look_for_no_cycles()
        with store.runs.one_moment():
            # Where nothing is chosen, nearly all count.
            heads = self.heads(store, complete_only=True, items=not self.is_selective)
            if not self.named_runs:
                found = store.runs.newest(heads)
                _note_left_out(found.older, found.unscored, found.alone, found.limited)
                if any_rule:
                    found = store.runs.newest(found.records, any_rule=True)
                found.check_one_rule()
                heads = found.records
            _note_versions(heads)
            return store.runs.filled(heads)

    def selection(self, *, complete_only: bool) -> Selection:
        """Return the same as a store takes it."""
        return Selection(
            run_ids=tuple(each.lower() for each in self.named_runs),
            choices=tuple(_choice(each) for each in self.only_choices),
            complete_only=complete_only,
            **{name: getattr(self, f"only_{name}", ()) for name in Selection.TRIED_ON},
        )


class SelectionOptions(RunSelectionOptions, title="Which runs"):
    """Which stored runs a command is about, their score rules too, and the store."""

    only_score_rules: tuple[ScoreRule, ...] = option("--score", help="Runs with this score rule.")


class RunArguments(RunSelectionOptions):
    """Which stored runs a command is about, where their ids are its arguments, too."""

    runs: _Several = field_of(
        click.argument("runs", nargs=-1, metavar="[RUN...]", shell_complete=completing.run_ids)
    )

    @property
    def named_runs(self) -> _Several:
        """The beginnings of the ids of runs that were named."""
        return (*self.runs, *self.only_runs)


def _look_for_no_cycles() -> None:
    """Turn Python's collector off until the command ends, which is soon.

    What is made of runs has no cycles, and may be millions of objects to look through.
    """
    context = click.get_current_context(silent=True)
    if context and gc.isenabled():
        gc.disable()
        context.call_on_close(gc.enable)


def _note_left_out(
    older: Sequence[RunRecord],
    unscored: Sequence[RunRecord],
    alone: Sequence[RunRecord],
    limited: Sequence[RunRecord],
) -> None:
    for records, why, how in (
        (older, "for newer ones of the same model, suite and score rule", "--policy or --run"),
        (unscored, "on a suite without predictions, for older ones with a score", "--run"),
        (alone, "whose model was scored alike in a family", "--run"),
        (limited, "with only the first items of a suite", "--run"),
    ):
        if records:
            names = listed(list(dict.fromkeys(map(described, records))))
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


def run_of_id(store: Store, run_id: str) -> RunRecord:
    """Return the one run whose id begins so, complete or not; raises `UsageError`."""
    selection = Selection(run_ids=(run_id.lower(),), complete_only=False)
    check_ids(selection.run_ids, _all_heads(store))
    (record,) = store.runs.records(selection)
    return record


def _all_heads(store: Store, *, items: bool = False) -> list[RunRecord]:
    there = store.runs.heads(Selection(complete_only=False), items=items)
    if not there:
        raise UsageError(f"{store.path}: has no runs yet; {HOW_TO_FILL}")
    return there


def listed_run(store: Store, record: RunRecord) -> ListedRun:
    """Return a run as lists show it, with how far it is if it was interrupted."""
    progress = None if record.status == "complete" else store.runs.progress(record)
    return ListedRun(record=record, progress=progress)


def _choice(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or name not in Selection.CHOICES:
        raise UsageError(
            f"--policy {text}: write KEY=VALUE (method=pll); KEY is {', '.join(Selection.CHOICES)}"
        )
    return name, value


def named_heads(
    name: str, heads: Sequence[RunRecord]
) -> tuple[Literal["model", "run"], list[RunRecord]]:
    """Return the runs that are called by a model's name or pattern, or by the beginning of an id.

    Raises `UsageError` where none is.
    """
    if found := Selection(models=(name,), complete_only=False).taken(heads):
        return "model", found
    found = [each for each in heads if each.run_id.startswith(name.lower())]
    if found and len(name) >= _LEAST_DIGITS:
        return "run", found
    meant = nearest(name, {each for head in heads for each in head.model_names})
    hint = f"did you mean {meant!r}?" if meant else "`pommel runs list` shows what there is"
    raise UsageError(f"{name!r} is no model and no run among those that are chosen; {hint}")


def check_ids(ids: Sequence[str], there: Sequence[RunRecord]) -> None:
    """Raise `UsageError` unless each beginning of an id is that of one run."""
    for each in ids:
        fitting = [run for run in there if run.run_id.startswith(each)]
        if len(each) < _LEAST_DIGITS:
            raise UsageError(f"run {each!r}: give at least {_LEAST_DIGITS} digits of its id")
        if not fitting:
            meant = nearest(each, (run.run_id for run in there))
            hint = f"did you mean {meant}?" if meant else "`pommel runs list` shows the ids"
            raise UsageError(f"no run has an id that begins with {each!r}; {hint}")
        if len(fitting) > 1:
            candidates = [f"{run.run_id} ({described(run)})" for run in fitting]
            raise UsageError(
                f"run {each!r} may be {listed(candidates)}; give more digits of its id"
            )


def check_patterns(name: str, patterns: Sequence[str], names: Iterable[str]) -> None:
    """Raise `UsageError` unless each pattern fits a name, also one of what is left out."""
    known = list(dict.fromkeys(filter(None, names))) if patterns else []
    for pattern in (each.removeprefix(Selection.NOT) for each in patterns):
        if Selection.fits([pattern], known):
            continue
        if not known:
            raise UsageError(f"--{name} {pattern!r}: no run in the store has a {name}")
        meant = nearest(pattern, known)
        hint = f"did you mean {meant!r}?" if meant else f"there are {listed(known, most=10)}"
        raise UsageError(f"--{name} {pattern!r}: no run in the store has such a {name}; {hint}")


def described(record: RunRecord) -> str:
    """Return a run in a few words: what has run on what."""
    return f"{record.result.model_name} on {record.result.suite_name}"


def why_none(path: Path, selection: Selection, there: Sequence[RunRecord]) -> str:
    """Return what stands in the way, where ids and patterns each fit some run."""
    if broken_off := replace(selection, complete_only=False).taken(there):
        example = f"{broken_off[0].run_id}, {described(broken_off[0])}"
        return (
            f"no run that fits is complete ({example}); the command that began it goes on with it"
        )
    if others := replace(selection, score_rules=()).taken(there):
        wanted, *_ = selection.score_rules
        rules = dict.fromkeys(each.result.score_rule for each in others)
        return (
            f"--score {wanted}: what fits was evaluated under {listed(list(rules))}; `pommel runs "
            f"evaluate --score {wanted}` evaluates it anew, with no model"
        )
    for name, value in selection.choices:
        but_for_it = tuple(each for each in selection.choices if each[0] != name)
        if others := replace(selection, choices=but_for_it).taken(there):
            known = dict.fromkeys(each.choice(name) for each in others)
            there_is = listed([f"{name}={each}" for each in known if each is not None])
            command = f"pommel runs evaluate --{name} {value}"
            anew = f"; `{command}` makes others" if name in {"oov", "swallowed"} else ""
            what = (
                f"what fits has {there_is}{anew}" if there_is else "of what fits, it is not known"
            )
            return f"--policy {name}={value}: {what}"
    return f"no run in {path} fits all of that; `pommel runs list` shows what there is"
