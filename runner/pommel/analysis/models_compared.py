"""Whose results are compared and averaged: models, each as it was run, and what they score.

Where several models are looked at, the seeds of one count as one model, with their mean.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, TypeVar

from pommel.analysis.cells import FamilyColumn
from pommel.analysis.item_columns import ItemScores, columns_of
from pommel.errors import UsageError, listed
from pommel.models import Membership
from pommel.scoring import RunRecord, ScoreRule, SuiteKey, SuiteResult
from pommel.statistics import mean_score

_Row = TypeVar("_Row")

# A fingerprint's beginning is enough.
_LONGEST_SHOWN = 24


def labelled(name: str, variant: str) -> str:
    """Return a name with what tells it from others of the name."""
    return f"{name} ({variant})" if variant else name


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedModel:
    """A model under one policy, score rule, setting and source, with its runs, one a suite.

    `variant` says what tells it from other models of its name ("eos=never"), "" if nothing has
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
        return {record.suite_key: record for record in self.records}

    def columns(self, suite: SuiteKey) -> tuple[ItemScores, ...]:
        """Return a suite item by item, one column a score; none where it has not been run on."""
        record = self.by_suite.get(suite)
        return columns_of(record.result) if record else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFamily:
    """Models that are one in several seeds, under the same policy, rule and so on."""

    name: str
    variant: str
    members: tuple[ComparedModel, ...]

    @property
    def label(self) -> str:
        """The family's name, and what tells it from others of the name."""
        return labelled(self.name, self.variant)

    @property
    def axis(self) -> str:
        """What the members differ in."""
        membership = self.members[0].membership
        return membership.axis if membership else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsCompared:
    """The models that records are of, as they were run, in the order in which they come.

    Runs of one model that differ in policy, score rule, settings, source, or the model's
    fingerprint are told apart. Of a suite in several versions the run that was made last counts
    (`superseded` are the others). Runs that are not complete are left out.
    """

    records: tuple[RunRecord, ...]
    models: tuple[ComparedModel, ...]

    @staticmethod
    def chosen(
        records: Sequence[RunRecord],
        *,
        exclude: Iterable[str] = (),
        size_families: Mapping[str, Sequence[str]] | None = None,
    ) -> list[RunRecord]:
        """Return the records without those of models that are left out, in their families of sizes.

        Globs of `exclude`, and of `size_families` by the family's name, are tried on a model's
        name, its reference, and the families it belongs to. Raises `UsageError` for a glob that
        matches no model, for a model that would be of two families, and where no model is left.
        """
        kept = without_models(records, exclude)
        if records and not kept:
            raise UsageError("--exclude-model leaves no model")
        return with_size_families(kept, size_families or {})

    @classmethod
    def of(cls, records: Iterable[RunRecord]) -> "ModelsCompared":
        """Return the models of these records."""
        given = tuple(records)
        found: dict[Hashable, list[RunRecord]] = {}
        for record in given:
            if record.status == "complete":
                facts = _facts(record)
                found.setdefault((record.result.model_name, *facts.items()), []).append(record)
        variants = _variants([(own[0].result.model_name, _facts(own[0])) for own in found.values()])
        models = tuple(
            ComparedModel(
                model_name=own[0].result.model_name,
                variant=variant,
                score_rule=own[0].result.score_rule,
                source=own[0].source,
                membership=own[0].result.membership,
                records=tuple(_newest(own).values()),
            )
            for own, variant in zip(found.values(), variants, strict=True)
        )
        return cls(records=given, models=models)

    @property
    def counted(self) -> list[RunRecord]:
        """The records that count, model by model."""
        return [record for each in self.models for record in each.records]

    @property
    def superseded(self) -> list[RunRecord]:
        """The runs that a newer run on another version of their suite takes the place of."""
        kept = {record.run_id for record in self.counted}
        complete = (record for record in self.records if record.status == "complete")
        return [record for record in complete if record.run_id not in kept]

    @property
    def families(self) -> list[ComparedFamily]:
        """The families that are no path through training, each under one policy and so on."""
        return families_of(self.models)

    @property
    def suites(self) -> dict[str, list[SuiteKey]]:
        """The suites by what they are called, circuit by circuit (see `suites_by`)."""
        return suites_by(self.counted, "suite")

    def incomplete_seeds(self, suites: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the seeds that do not count: they lack suites that others of theirs have.

        `suites` are the names of those that are looked at, by default all.
        """
        names = set(suites)
        keys = [
            key
            for name, own in suites_by(self.records, "suite").items()
            for key in own
            if name in names or not names
        ]
        models = model_scores(self.records)
        return tuple(label for model in models for label in model.on(keys).incomplete)

    def with_families(
        self,
        rows: Sequence[Sequence[_Row]],
        rows_of_family: Callable[[ComparedFamily, Sequence[Sequence[_Row]]], Iterable[_Row]],
    ) -> list[_Row]:
        """Return the rows of models, and those of each family behind its last member's.

        `rows` has one sequence a model; `rows_of_family` makes the rows of a family, of these.
        """
        own = {id(each): of_it for each, of_it in zip(self.models, rows, strict=True)}
        last = {id(family.members[-1]): family for family in self.families}
        ordered: list[_Row] = []
        for member, of_it in own.items():
            ordered.extend(of_it)
            if family := last.get(member):
                ordered.extend(rows_of_family(family, [own[id(each)] for each in family.members]))
        return ordered


def families_of(found: Sequence[ComparedModel]) -> list[ComparedFamily]:
    """Return the families that are no path through training, each under one policy and so on."""
    members: dict[Hashable, list[ComparedModel]] = {}
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
        ComparedFamily(name=_family_name(own), variant=variant, members=tuple(own))
        for own, variant in zip(members.values(), _variants(named), strict=True)
    ]


def _family_name(members: Sequence[ComparedModel]) -> str:
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
        held = newest.get(record.suite_key)
        if held is None or record.created >= held.created:
            newest[record.suite_key] = record
    return newest


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """A model as it was run, or the mean of a family (`is_family`) over its `n_members` members.

    Of a family, `sd` and `sd_population` are the standard deviations over members (`sd` divides by
    n - 1, `sd_population` by n).
    """

    model_name: str
    variant: str
    score_rule: str
    source: str
    is_family: bool = False
    n_members: int = 1
    sd: float = math.nan
    sd_population: float = math.nan

    @property
    def label(self) -> str:
        """The model's or family's name, and what tells it from others of the name."""
        return labelled(self.model_name, self.variant)

    @property
    def header(self) -> str:
        """What stands for it in tables: for a family, that it is a mean, and of how many."""
        column = FamilyColumn(family=self.label, n=self.n_members)
        return column.header if self.is_family else self.label


_RowT = TypeVar("_RowT", bound=ModelRow)


def without_lone_families(rows: Iterable[_RowT]) -> list[_RowT]:
    """Return the rows without those of families of one member, which say what the member's say."""
    return [row for row in rows if not row.is_family or row.n_members > 1]


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


def _no_such_model(glob: str, records: Iterable[RunRecord]) -> UsageError:
    names = list(dict.fromkeys(record.result.model_name for record in records))
    return UsageError(f"no model matches {glob!r}; there are {listed(names, most=8)}")


# What accuracies are averaged over: nothing, the suites of a circuit and so on, all suites.
Grouping = Literal["suite", "circuit", "language", "group", "all"]

# What counts alike in an accuracy of several suites: each suite, or each item of all together.
Average = Literal["suites", "items"]
OF_SEVERAL: dict[Average, str] = {
    "suites": "Of several suites: their mean, every suite counts alike.",
    "items": "Of several suites: all items together, every item counts alike.",
}

ALL_SUITES = "all suites"

# Whose accuracy is looked at: each model's own, the mean over the sizes of a family, or over all.
Pooling = Literal["none", "family", "all"]

ALL_MODELS = "all models"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberScores:
    """What one seed scores: shares by suite, without those that have no score.

    `results` are what they are of.
    """

    label: str
    scores: Mapping[SuiteKey, float]
    results: Mapping[SuiteKey, SuiteResult] = field(default_factory=dict)

    def columns(self, suites: Iterable[SuiteKey]) -> list[tuple[ItemScores, ...]]:
        """Return each suite item by item; no column where its items are not known."""
        return [columns_of(self.results[key]) if key in self.results else () for key in suites]

    def pooled(self, suites: Iterable[SuiteKey]) -> float:
        """Return the share of all items of suites together; NaN where their number is not known."""
        by_suite = self.columns(suites)
        columns = [column for own in by_suite for column in own]
        n_items = sum(column.n_items for column in columns)
        if not all(by_suite) or not n_items:
            return math.nan
        return sum(column.n_holding for column in columns) / n_items


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScores:
    """What one model scores, or what the seeds of one score on average.

    `name` is that of the model or of the seeds' family, `variant` what tells it from others of the
    name (see `ComparedModel`). `scores` maps suites to shares, without those that have no score. Of
    seeds these are means over the `n_members` that have a score on every suite on which another one
    has, as in `Accuracy`, so that no two suites have the mean of different seeds; the others are
    `incomplete`. `members` are all seeds; of a model alone itself, and `n_members` is 1.
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

    @property
    def complete(self) -> list[MemberScores]:
        """The seeds whose mean the scores are."""
        return [each for each in self.members if each.label not in self.incomplete]

    def mean(self, suites: Iterable[SuiteKey], average: Average = "suites") -> float:
        """Return the mean over suites, or over all their items; NaN if one of them has no score.

        Of seeds it is the mean of theirs.
        """
        if average == "items":
            wanted = list(suites)
            shares = [each.pooled(wanted) for each in self.complete]
        else:
            shares = [self.scores.get(suite, math.nan) for suite in suites]
        return math.nan if any(map(math.isnan, shares)) else mean_score(shares)


def model_scores(records: Sequence[RunRecord]) -> list[ModelScores]:
    """Return the scores of every model, in the order in which models come.

    Runs are told apart as `ModelsCompared` does. Seeds of one family and size count as one model.
    Of a path through training only the last step counts.
    """
    found = ModelsCompared.of(_last_steps(records))
    units: dict[Hashable, list[ComparedModel]] = {}
    names: dict[Hashable, tuple[str, str]] = {}
    seeds = {
        id(member): (family.name, family.variant)
        for family in found.families
        if family.axis == "seed"
        for member in family.members
    }
    for each in found.models:
        of_family = seeds.get(id(each))
        size = each.records[0].model.n_parameters
        unit: Hashable = (of_family, size) if of_family else id(each)
        names[unit] = of_family or (each.model_name, each.variant)
        units.setdefault(unit, []).append(each)
    return [_scores_of(own, *names[unit]) for unit, own in units.items()]


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


def suites_by(records: Iterable[RunRecord], level: Grouping) -> dict[str, list[SuiteKey]]:
    """Return the suites of each circuit (language, group), sorted by name; "" is that of none.

    A suite by itself is its level's only one; if several languages have one of its name, its
    language is part of what it is called. Suites come in the order of their circuits.
    """
    first = {record.suite_key: record for record in reversed([*records])}
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


def _scores_of(members: Sequence[ComparedModel], name: str, variant: str) -> ModelScores:
    scored = [
        MemberScores(
            label=member.label,
            scores={
                key: record.result.score
                for key, record in member.by_suite.items()
                if not math.isnan(record.result.score)
            },
            results={key: record.result for key, record in member.by_suite.items()},
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
        members=tuple(scored),
    )
    if len(scored) == 1:
        return found
    return found.on(dict.fromkeys(key for each in scored for key in each.scores))


# More names than these say no more.
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenScores:
    """Models, each of which has a score on all of the suites, and what is left out for that.

    `incomplete` are the models that have only some of the suites, `uneven` suites that not all of
    the models have. Models without any of the suites are in neither.
    """

    models: tuple[ModelScores, ...]
    suites: tuple[SuiteKey, ...]
    incomplete: tuple[str, ...] = ()
    uneven: tuple[SuiteKey, ...] = ()
    average: Average = "suites"

    def mean(self, model: ModelScores) -> float:
        """Return one of the models' mean over the suites, or over all their items (`average`)."""
        return model.mean(self.suites, self.average)

    def notes(self, what: str, labels: Mapping[SuiteKey, str]) -> Iterator[str]:
        """Yield in plain words what a mean, called `what`, leaves out; `labels` names suites."""
        if self.uneven:
            names = listed([labels[suite] for suite in self.uneven], most=_MOST_NAMED)
            yield f"{what}: without {names}, which not all of the models have"
        if self.incomplete:
            names = listed(self.incomplete, most=_MOST_NAMED)
            yield f"{what}: without {names}, since suites are missing there that others have"
        for model in self.models:
            if model.incomplete:
                names = listed(model.incomplete, most=_MOST_NAMED)
                yield (
                    f"{what}: {model.label} without {names}, since suites are missing there that "
                    "its other seeds have"
                )


def even_scores(
    models: Iterable[ModelScores], suites: Sequence[SuiteKey], average: Average = "suites"
) -> EvenScores:
    """Return as many results, models times suites, as make a full table.

    Tried are the suites of each model, and those that all of them share; of equally many results
    those of more models count. So one run of another suite, or one model with few suites, does not
    take the others away. What the scores are plays no part in it.
    """
    having = [own for model in models if (own := model.on(suites)).scores]
    sets = [frozenset(model.scores) for model in having]
    if not sets:
        return EvenScores(models=(), suites=(), average=average)
    tried = {own for own in (*sets, frozenset.intersection(*sets)) if own}

    def size(own: frozenset[SuiteKey]) -> tuple[int, int]:
        n_models = sum(own <= each for each in sets)
        return n_models * len(own), n_models

    best = max(sorted(tried, key=sorted), key=size)
    kept = tuple(suite for suite in suites if suite in best)
    return EvenScores(
        models=tuple(each.on(kept) for each in having if best <= each.scores.keys()),
        suites=kept,
        incomplete=tuple(each.label for each in having if not best <= each.scores.keys()),
        uneven=tuple(
            suite for suite in suites if suite not in best and any(suite in each for each in sets)
        ),
        average=average,
    )
