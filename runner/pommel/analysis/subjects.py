"""Whose results are compared and averaged: models, each as it was run."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pommel.models.family import Membership
from pommel.scoring.results import ScoreRule
from pommel.scoring.run_record import RunRecord

# What tells a suite from others: its language, since suites in several languages may share a name.
SuiteKey = tuple[str, str]

_Row = TypeVar("_Row")

# A fingerprint's beginning is enough.
_LONGEST_SHOWN = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A model under one policy, score rule, setting and source, with its runs, one a suite.

    `variant` says what tells it from other subjects of its name ("eos=never"), "" if nothing has
    to. `membership` is None for a model of no family.
    """

    model_name: str
    variant: str
    score_rule: ScoreRule
    source: str
    membership: Membership | None
    records: tuple[RunRecord, ...]

    @property
    def label(self) -> str:
        """The model's name, and what tells it from others of the name."""
        return labelled(self.model_name, self.variant)

    @property
    def by_suite(self) -> dict[SuiteKey, RunRecord]:
        """The runs by suite."""
        return {suite_key(record): record for record in self.records}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectFamily:
    """Subjects that are one model in several seeds, under the same policy, rule and so on."""

    name: str
    variant: str
    members: tuple[Subject, ...]

    @property
    def label(self) -> str:
        """The family's name, and what tells it from others of the name."""
        return labelled(self.name, self.variant)

    @property
    def axis(self) -> str:
        """What the members differ in."""
        membership = self.members[0].membership
        return membership.axis if membership else ""


def labelled(name: str, variant: str) -> str:
    """Return a name with what tells it from others of the name."""
    return f"{name} ({variant})" if variant else name


def suite_key(record: RunRecord) -> SuiteKey:
    """Return what tells a record's suite from others."""
    return record.suite.language, record.result.suite_name


def subjects(records: Iterable[RunRecord]) -> list[Subject]:
    """Return the models as they were run, in the order in which they come.

    Runs of one model that differ in policy, score rule, settings, source, or the model's
    fingerprint are told apart. Of a suite in several versions the run that was made last counts
    (`superseded` has the others). Runs that are not complete are left out.
    """
    found: dict[Hashable, list[RunRecord]] = {}
    for record in records:
        if record.status == "complete":
            facts = _facts(record)
            found.setdefault((record.result.model_name, *facts.items()), []).append(record)
    variants = _variants([(own[0].result.model_name, _facts(own[0])) for own in found.values()])
    return [
        Subject(
            model_name=own[0].result.model_name,
            variant=variant,
            score_rule=own[0].result.score_rule,
            source=own[0].source,
            membership=own[0].result.membership,
            records=tuple(_newest(own).values()),
        )
        for own, variant in zip(found.values(), variants, strict=True)
    ]


def superseded(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Return the runs that `subjects` leaves out for a newer run on another version of a suite."""
    kept = {record.run_id for each in subjects(records) for record in each.records}
    complete = (record for record in records if record.status == "complete")
    return [record for record in complete if record.run_id not in kept]


def families(found: Sequence[Subject]) -> list[SubjectFamily]:
    """Return the families that are no path through training, each under one policy and so on."""
    members: dict[Hashable, list[Subject]] = {}
    for each in found:
        if each.membership and not each.membership.is_ordered:
            # The members' weights are not the same, and so their fingerprints.
            facts = {**_facts(each.records[0]), "fingerprint": ""}
            members.setdefault((each.membership.family, *facts.items()), []).append(each)
    named = [
        (_family_name(own), {**_facts(own[0].records[0]), "fingerprint": ""})
        for own in members.values()
    ]
    return [
        SubjectFamily(name=_family_name(own), variant=variant, members=tuple(own))
        for own, variant in zip(members.values(), _variants(named), strict=True)
    ]


def with_families(
    found: Sequence[Subject],
    rows: Sequence[Sequence[_Row]],
    rows_of_family: Callable[[SubjectFamily, Sequence[Sequence[_Row]]], Iterable[_Row]],
) -> list[_Row]:
    """Return the rows of subjects, and those of each family behind its last member's.

    `rows` has one sequence a subject; `rows_of_family` makes the rows of a family, of these.
    """
    own = {id(each): of_it for each, of_it in zip(found, rows, strict=True)}
    last = {id(family.members[-1]): family for family in families(found)}
    ordered: list[_Row] = []
    for member, of_it in own.items():
        ordered.extend(of_it)
        if family := last.get(member):
            ordered.extend(rows_of_family(family, [own[id(each)] for each in family.members]))
    return ordered


def _family_name(members: Sequence[Subject]) -> str:
    membership = members[0].membership
    return membership.family if membership else ""


def _facts(record: RunRecord) -> dict[str, str]:
    """Return what tells runs of one model name apart, and what it is called in tables."""
    policy = {key: str(value) for key, value in record.policy.items() if key != "fingerprint"}
    return {
        "score": record.result.score_rule,
        **dict(sorted(policy.items())),
        **dict(sorted(record.settings.items())),
        "source": record.source,
        "fingerprint": record.model.fingerprint,
    }


def _variants(named: Sequence[tuple[str, Mapping[str, str]]]) -> list[str]:
    """Return what tells each from the others of its name: the facts in which they differ."""
    by_name: dict[str, list[Mapping[str, str]]] = {}
    for name, facts in named:
        by_name.setdefault(name, []).append(facts)
    return [_variant(facts, by_name[name]) for name, facts in named]


def _variant(facts: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> str:
    keys = dict.fromkeys(key for each in others for key in each)
    differing = [key for key in keys if len({each.get(key, "") for each in others}) > 1]
    # A fingerprint says nothing to people; it is the last thing to tell models apart.
    plain = [key for key in differing if key != "fingerprint"]
    shown = plain if _is_enough(plain, others) else differing
    return ", ".join(f"{key}={facts.get(key, '')[:_LONGEST_SHOWN] or 'none'}" for key in shown)


def _is_enough(keys: Sequence[str], others: Sequence[Mapping[str, str]]) -> bool:
    return len({tuple(each.get(key, "") for key in keys) for each in others}) == len(others)


def _newest(records: Iterable[RunRecord]) -> dict[SuiteKey, RunRecord]:
    newest: dict[SuiteKey, RunRecord] = {}
    for record in records:
        held = newest.get(suite_key(record))
        if held is None or record.created >= held.created:
            newest[suite_key(record)] = record
    return newest
