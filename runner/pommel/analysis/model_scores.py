"""The accuracy of each model on each suite, as analyses over several models need it."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from pommel.analysis.subjects import Subject, SuiteKey, families, labelled, subjects, suite_key
from pommel.errors import UsageError, listed
from pommel.scoring.run_record import RunRecord
from pommel.statistics import mean_score

# What accuracies are averaged over: nothing, the suites of a circuit and so on, all suites.
Level = Literal["suite", "circuit", "language", "group", "all"]
LEVELS: tuple[Level, ...] = ("suite", "circuit", "language", "group", "all")

ALL_SUITES = "all suites"

# Whose accuracy is looked at: each model's own, the mean over the sizes of a family, or over all.
Pooling = Literal["none", "family", "all"]
POOLINGS: tuple[Pooling, ...] = ("none", "family", "all")

ALL_MODELS = "all models"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberScores:
    """What one seed scores: shares by suite, without those that have no score."""

    label: str
    scores: Mapping[SuiteKey, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScores:
    """What one model scores, or what the seeds of one score on average.

    `name` is that of the model or of the seeds' family, `variant` what tells it from others of the
    name (see `Subject`). `scores` maps suites to shares, without those that have no score. Of seeds
    these are means over the `n_members` that have a score on every suite on which another one has,
    as in `Accuracy`, so that no two suites have the mean of different seeds; the others are
    `incomplete`. `members` are all seeds, none for a model alone, whose `n_members` is 1.
    """

    name: str
    variant: str
    n_parameters: int | None
    size_family: str
    n_members: int
    scores: Mapping[SuiteKey, float]
    members: tuple[MemberScores, ...] = ()
    incomplete: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name, and what tells it from others of the name."""
        return labelled(self.name, self.variant)

    def on(self, suites: Iterable[SuiteKey]) -> "ModelScores":
        """Return the scores on these suites alone; which seeds are complete follows from them."""
        members = self.members or (MemberScores(label=self.label, scores=self.scores),)
        wanted = [key for key in suites if any(key in each.scores for each in members)]
        complete = [each for each in members if all(key in each.scores for key in wanted)]
        return replace(
            self,
            n_members=len(complete),
            scores={key: mean_score(each.scores[key] for each in complete) for key in wanted}
            if complete
            else {},
            incomplete=tuple(each.label for each in members if each not in complete),
        )

    def mean(self, suites: Iterable[SuiteKey]) -> float:
        """Return the mean over suites; NaN if one of them has no score."""
        shares = [self.scores.get(suite, math.nan) for suite in suites]
        return math.nan if any(map(math.isnan, shares)) else mean_score(shares)


def model_scores(records: Sequence[RunRecord]) -> list[ModelScores]:
    """Return the scores of every model, in the order in which models come.

    Runs are told apart as `subjects` does. Seeds of one family and size count as one model. Of a
    path through training only the last step counts.
    """
    found = subjects(_last_steps(records))
    units: dict[Hashable, list[Subject]] = {}
    names: dict[Hashable, tuple[str, str]] = {}
    seeds = {
        id(member): (family.name, family.variant)
        for family in families(found)
        if family.axis == "seed"
        for member in family.members
    }
    for each in found:
        of_family = seeds.get(id(each))
        size = each.records[0].model.n_parameters
        unit: Hashable = (of_family, size) if of_family else id(each)
        names[unit] = of_family or (each.model_name, each.variant)
        units.setdefault(unit, []).append(each)
    return [_scores_of(own, *names[unit]) for unit, own in units.items()]


def incomplete_seeds(records: Sequence[RunRecord], suites: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the seeds that do not count: suites are missing there that others of theirs have.

    `suites` are the names (see `suites_by`) of those that are looked at, by default all.
    """
    names = set(suites)
    keys = [
        key
        for name, own in suites_by(records, "suite").items()
        for key in own
        if name in names or not names
    ]
    models = model_scores(records)
    return tuple(label for model in models for label in model.on(keys).incomplete)


def check_distinct(models: Iterable[ModelScores]) -> None:
    """Raise `UsageError` where one model was run in several ways, and would count several times."""
    by_name: dict[str, list[ModelScores]] = {}
    for model in models:
        by_name.setdefault(model.name, []).append(model)
    for name, own in by_name.items():
        variants = [model.variant for model in own]
        # Seeds of several sizes share their family's name.
        if len(own) > 1 and any(variants):
            raise UsageError(
                f"{name} would count {len(own)} times ({listed(variants)}); say which is meant, "
                "with --run, --score, --source or --model"
            )


def pooled(models: Sequence[ModelScores], pooling: Pooling) -> dict[str, list[ModelScores]]:
    """Return the models whose mean is looked at, by what they are called together.

    A model of no family of sizes stands alone. Raises `UsageError` as `check_distinct` does where
    there is a mean over models.
    """
    found: dict[str, list[ModelScores]] = {}
    for model in models:
        name = {
            "none": model.label,
            "family": model.size_family or model.label,
            "all": ALL_MODELS,
        }[pooling]
        found.setdefault(name, []).append(model)
    if pooling != "none":
        for own in found.values():
            check_distinct(own)
    return found


def without_models(records: Sequence[RunRecord], globs: Iterable[str]) -> list[RunRecord]:
    """Return the records of models that match none of the globs.

    A glob is tried on a model's name, its reference, and the families it belongs to. Raises
    `UsageError` for one that matches no model.
    """
    globs = tuple(globs)
    for glob in globs:
        if not any(matches_model(record, glob) for record in records):
            raise _no_such_model(glob, records)
    return [record for record in records if not any(matches_model(record, glob) for glob in globs)]


def with_size_families(
    records: Sequence[RunRecord], by_family: Mapping[str, Sequence[str]]
) -> list[RunRecord]:
    """Return the records with what their models' families of sizes are called, by globs.

    Models that match no glob keep the family that they have. Raises `UsageError` for a glob that
    matches no model, and for a model that matches those of two families.
    """
    found: dict[int, str] = {}
    for family, globs in by_family.items():
        for glob in globs:
            matching = [i for i, record in enumerate(records) if matches_model(record, glob)]
            if not matching:
                raise _no_such_model(glob, records)
            for index in matching:
                if found.setdefault(index, family) != family:
                    name = records[index].result.model_name
                    raise UsageError(f"{name} cannot be of {found[index]} and of {family}")
    return [
        replace(record, model=replace(record.model, size_family=found[index]))
        if index in found
        else record
        for index, record in enumerate(records)
    ]


def matches_model(record: RunRecord, glob: str) -> bool:
    """Say whether a glob matches a model's name, its reference or a family that it belongs to."""
    membership = record.result.membership
    names = (
        record.result.model_name,
        record.model.reference,
        membership.family if membership else "",
        record.model.size_family,
    )
    return any(name and fnmatchcase(name, glob) for name in names)


def suites_by(records: Iterable[RunRecord], level: Level) -> dict[str, list[SuiteKey]]:
    """Return the suites of each circuit (language, group), sorted by name; "" is that of none.

    A suite by itself is its level's only one; if several languages have one of its name, its
    language is part of what it is called. Suites come in the order of their circuits.
    """
    first = {suite_key(record): record for record in reversed([*records])}
    languages: dict[str, set[str]] = {}
    for language, suite in first:
        languages.setdefault(suite, set()).add(language)
    found: dict[str, list[SuiteKey]] = {}
    for key in sorted(first, key=lambda key: _place(first[key])):
        language, suite = key
        name = {
            "suite": labelled(suite, language if len(languages[suite]) > 1 else ""),
            "circuit": first[key].result.circuit,
            "language": language,
            "group": first[key].suite.group,
            "all": ALL_SUITES,
        }[level]
        found.setdefault(name, []).append(key)
    if level == "suite":
        return found
    return {name: found[name] for name in sorted(found, key=lambda name: (not name, name))}


def _place(record: RunRecord) -> tuple[object, ...]:
    circuit = record.result.circuit
    return (not circuit, circuit, record.result.suite_name, record.suite.language)


def _last_steps(records: Sequence[RunRecord]) -> list[RunRecord]:
    last: dict[str, float] = {}
    for record in records:
        member = record.result.membership
        if member and member.is_ordered and member.value is not None:
            last[member.family] = max(member.value, last.get(member.family, -math.inf))
    return [record for record in records if _is_last(record, last)]


def _is_last(record: RunRecord, last: Mapping[str, float]) -> bool:
    member = record.result.membership
    if member is None or not member.is_ordered or member.family not in last:
        return True
    return member.value == last[member.family]


def _scores_of(members: Sequence[Subject], name: str, variant: str) -> ModelScores:
    scored = [
        MemberScores(
            label=member.label,
            scores={
                key: record.result.score
                for key, record in member.by_suite.items()
                if not math.isnan(record.result.score)
            },
        )
        for member in members
    ]
    facts = members[0].records[0].model
    found = ModelScores(
        name=name,
        variant=variant,
        n_parameters=facts.n_parameters,
        size_family=facts.size_family,
        n_members=1,
        scores=scored[0].scores,
    )
    if len(scored) == 1:
        return found
    suites = dict.fromkeys(key for each in scored for key in each.scores)
    return replace(found, members=tuple(scored)).on(suites)


def _no_such_model(glob: str, records: Iterable[RunRecord]) -> UsageError:
    names = list(dict.fromkeys(record.result.model_name for record in records))
    return UsageError(f"no model matches {glob!r}; there are {listed(names, most=8)}")
