"""What to say where no stored run is as it was asked for."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pommel.errors import UsageError, listed, nearest
from pommel.scoring.run_record import RunRecord
from pommel.store import Selection
from pommel.store.selection import choice_of, fits

# So long a beginning of an id is hardly another run's, too.
_LEAST_DIGITS = 4


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
    """Raise `UsageError` unless each pattern fits a name; it says which names there are."""
    known = list(dict.fromkeys(filter(None, names))) if patterns else []
    for pattern in patterns:
        if fits([pattern], known):
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

    def but_for(**left_out: Any) -> list[RunRecord]:
        return [each for each in there if replace(selection, **left_out).takes(each)]

    if broken_off := but_for(complete_only=False):
        example = f"{broken_off[0].run_id}, {described(broken_off[0])}"
        return (
            f"no run that fits is complete ({example}); the command that began it goes on with it"
        )
    if others := but_for(score_rules=()):
        wanted, *_ = selection.score_rules
        rules = dict.fromkeys(each.result.score_rule for each in others)
        return (
            f"--score {wanted}: what fits was evaluated under {listed(list(rules))}; `pommel runs "
            f"evaluate --score {wanted}` evaluates it anew, with no model"
        )
    for name, value in selection.choices:
        if others := but_for(choices=tuple(each for each in selection.choices if each[0] != name)):
            known = dict.fromkeys(choice_of(each, name) for each in others)
            there_is = listed([f"{name}={each}" for each in known if each is not None])
            anew = f"; `pommel runs evaluate --oov {value}` makes others" if name == "oov" else ""
            what = (
                f"what fits has {there_is}{anew}" if there_is else "of what fits, it is not known"
            )
            return f"--policy {name}={value}: {what}"
    return f"no run in {path} fits all of that; `pommel runs list` shows what there is"
