"""Which of the stored runs are meant."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pommel.scoring.run_record import RunRecord

# The parts of a policy and of the settings that runs can be selected by.
CHOICES = ("method", "bos", "eos", "first_token", "boundary", "oov", "compat")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The runs that all of these fit; () fits any.

    `run_ids` are beginnings of ids, of 4 hex digits or more. The others are patterns with `*`, `?`
    and `[...]`, case-sensitive; that of a model is tried on its name, its reference, its family and
    the family of sizes that it belongs to. `choices` are parts of the policy or the settings with
    their values: ("method", "pll"), ("compat", "syntaxgym").
    """

    run_ids: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    circuits: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    score_rules: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    complete_only: bool = True

    def takes(self, record: RunRecord) -> bool:
        """Say whether a run is meant."""
        return (
            (not self.complete_only or record.status == "complete")
            and (not self.run_ids or record.run_id.startswith(self.run_ids))
            and fits(self.suites, [record.result.suite_name])
            and fits(self.circuits, [record.result.circuit])
            and fits(self.languages, [record.suite.language])
            and fits(self.sources, [record.source])
            and fits(self.score_rules, [record.result.score_rule])
            and fits(self.models, model_names(record))
            and all(choice_of(record, name) == value for name, value in self.choices)
        )


def model_names(record: RunRecord) -> list[str]:
    """Return what a run's model is known by: name, reference, family, family of sizes."""
    member = record.result.membership
    family = member.family if member else ""
    names = (record.result.model_name, record.model.reference, family, record.model.size_family)
    return [name for name in names if name]


def choice_of(record: RunRecord, name: str) -> str | None:
    """Return what a run's policy or settings say, None where they do not."""
    value = record.policy.get(name, record.settings.get(name))
    return None if value is None else str(value)


def fits(patterns: Sequence[str], names: Sequence[str]) -> bool:
    """Say whether one of the patterns fits one of the names, or there are no patterns."""
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns for name in names)
