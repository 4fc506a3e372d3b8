"""Whose results are compared and averaged: models, each as it was run, and what they score.

Where several models are looked at, the seeds of one count as one model, with their mean.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import chain
from typing import Literal, TypeVar

from pommel.analysis.cells import FamilyColumn, grouped
from pommel.analysis.item_columns import ItemScores, chances_of, columns_of
from pommel.errors import UsageError, listed
from pommel.models import Membership
from pommel.scoring import ModelFacts, RunRecord, Score, ScoreRule, SuiteKey
from pommel.statistics import mean_score
from pommel.values import frozen

_Row = TypeVar("_Row")
_Thing = TypeVar("_Thing")

# A fingerprint's beginning is enough.
_LONGEST_SHOWN = 24


def labelled(name: str, variant: str) -> str:
    """Return a name with what tells it from others of the name."""
    return f"{name} ({variant})" if variant else name


@frozen(slots=False, eq=False)
class Called:
    """What has a name; `variant` tells it from others of the name, "" if nothing has to."""

    name: str
    variant: str

    @property
    def label(self) -> str:
        """The name, and what tells it from others of the name."""
        return labelled(self.name, self.variant)


@frozen(slots=False, eq=False)
class ComparedModel(Called):
    """A model under one policy, score rule, setting and source, with its runs, one a suite.

    `variant` is such as "eos=never". `membership` is None for a model of no family.
    """

    score_rule: ScoreRule
    source: str
    membership: Membership | None
    records: tuple[RunRecord, ...]

    @cached_property
    def by_suite(self) -> dict[SuiteKey, RunRecord]:
        """The runs by suite."""
        return {record.suite_key: record for record in self.records}

    @cached_property
    def scores(self) -> dict[SuiteKey, float]:
        """The shares by suite, without those that have no score."""
        every = {key: record.result.score for key, record in self.by_suite.items()}
        return {key: score for key, score in every.items() if not math.isnan(score)}

    def columns(self, suite: SuiteKey) -> tuple[ItemScores, ...]:
        """Return a suite item by item, one column a score; none where it has not been run on."""
        record = self.by_suite.get(suite)
        return columns_of(record.result) if record else ()

    def pooled(self, suites: Iterable[SuiteKey]) -> float:
        """Return the share of all items of suites together; NaN where their number is not known."""
        by_suite = [self.columns(key) for key in suites]
        columns = list(chain.from_iterable(by_suite))
        n_items = sum(column.n_items for column in columns)
        if not all(by_suite) or not n_items:
            return math.nan
        return sum(column.n_holding for column in columns) / n_items


@frozen(slots=False, eq=False)
class ComparedFamily(Called):
    """Models that are one in several seeds, under the same policy, rule and so on."""

    score_rule: ScoreRule
    source: str
    membership: Membership
    members: tuple[ComparedModel, ...]

    @property
    def axis(self) -> str:
        """What the members differ in."""
        return self.membership.axis


@frozen(slots=False, eq=False)
class ModelsCompared:
    """The models that records are of, as they were run, in the order in which they come.

    Runs of one model that differ in policy, score rule, settings, source, or the model's
    fingerprint are told apart. Of a suite in several versions the run that was made last counts
    (`superseded` are the others). Runs that are not complete are left out.
    """

    records: tuple[RunRecord, ...]
    models: tuple[ComparedModel, ...]

    @staticmethod
    def with_size_families(
        records: Sequence[RunRecord], by_family: Mapping[str, Sequence[str]]
    ) -> list[RunRecord]:
        """Return the records with what their models' families of sizes are called, by globs.

        Models that match no glob keep the family that they have. Raises `UsageError` for a glob
        that matches no model, and for a model that matches those of two families.
        """
        _check_globs(chain.from_iterable(by_family.values()), records)
        found = []
        for record in records:
            family = _named(record, by_family) or record.model.size_family
            found.append(replace(record, model=replace(record.model, size_family=family)))
        return found

    @staticmethod
    def as_one(
        records: Sequence[RunRecord], by_name: Mapping[str, Sequence[str]]
    ) -> list[RunRecord]:
        """Return the records of several models as those of one, by globs; others stand behind them.

        What it scores on a suite is the mean of those that have a score there, without items: of
        the seeds of a model, or of the only one that knows the suite's language, as in table 1 of
        Mueller et al. (2020). Runs under other policies or rules stay apart. Raises `UsageError` as
        `with_size_families` does.
        """
        named = [(_named(record, by_name), record) for record in records]
        _check_globs(chain.from_iterable(by_name.values()), records)
        ours = [
            (name, record)
            for name in by_name
            for own, record in named
            if own == name and record.status == "complete" and not math.isnan(record.result.score)
        ]

        def key(pair: tuple[str, RunRecord]) -> tuple[object, ...]:
            name, record = pair
            # Of a model, not of how it was asked.
            facts = {**record.facts, "fingerprint": "", "dtype": ""}
            return name, record.suite_key, (*facts.items(),)

        joined = [
            _joined(own[0][0], [record for _, record in own]) for own in grouped(ours, key).values()
        ]
        return [*joined, *(record for own, record in named if not own)]

    @classmethod
    def of(cls, records: Iterable[RunRecord]) -> "ModelsCompared":
        """Return the models of these records."""
        given = tuple(records)
        complete = _with_facts(record for record in given if record.status == "complete")
        models = tuple(
            ComparedModel(
                name=name,
                variant=variant,
                score_rule=own[0].result.score_rule,
                source=own[0].source,
                membership=own[0].result.membership,
                records=_newest(own),
            )
            for name, variant, own in _told_apart(complete)
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

    @cached_property
    def families(self) -> list[ComparedFamily]:
        """The families that are no path through training, each under one policy and so on."""
        return families_of(self.models)

    @cached_property
    def family_of(self) -> dict[ComparedModel, ComparedFamily]:
        """The families by their members."""
        return {member: family for family in self.families for member in family.members}

    @property
    def suites(self) -> dict[str, list[SuiteKey]]:
        """The suites by what they are called, circuit by circuit (see `suites_by`)."""
        return suites_by(self.counted, "suite")

    def with_seed_means(self, *, most: int) -> "Iterator[ModelRow]":
        """Yield the models, the mean of seeds behind the last of them.

        Of more seeds than `most` the mean alone.
        """
        for each in self.models:
            family = self.family_of.get(each)
            n_seeds = len(family.members) if family and family.axis == "seed" else 1
            if n_seeds <= most:
                yield ModelRow(who=each)
            if family and n_seeds > 1 and each is family.members[-1]:
                yield ModelRow(who=family, n_members=n_seeds)

    def with_families(
        self,
        rows: Sequence[Sequence[_Row]],
        rows_of_family: Callable[[ComparedFamily, Sequence[Sequence[_Row]]], Iterable[_Row]],
    ) -> list[_Row]:
        """Return the rows of models, and those of each family behind its last member's.

        `rows` has one sequence a model; `rows_of_family` makes the rows of a family, of these.
        """
        own = dict(zip(self.models, rows, strict=True))
        ordered: list[_Row] = []
        for member, of_it in own.items():
            ordered.extend(of_it)
            family = self.family_of.get(member)
            if family and member is family.members[-1]:
                ordered.extend(rows_of_family(family, [own[each] for each in family.members]))
        return ordered


def families_of(found: Iterable[ComparedModel]) -> list[ComparedFamily]:
    """Return the families that are no path through training, each under one policy and so on."""
    # The members' weights are not the same, and so their fingerprints.
    members = (
        (each.membership.family, {**each.records[0].facts, "fingerprint": ""}, each)
        for each in found
        if each.membership and not each.membership.is_ordered
    )
    return [
        ComparedFamily(
            name=name,
            variant=variant,
            score_rule=own[0].score_rule,
            source=own[0].source,
            membership=own[0].membership,
            members=tuple(own),
        )
        for name, variant, own in _told_apart(members)
        if own[0].membership
    ]


def _with_facts(records: Iterable[RunRecord]) -> Iterator[tuple[str, Mapping[str, str], RunRecord]]:
    """Yield records with the names of their models and their facts; what is shared is read once."""
    found: dict[tuple[object, ...], dict[str, str]] = {}
    for record in records:
        described = record.result.provenance.get("model")
        shared = id(record.policy), id(record.settings), id(record.model), id(described)
        key = (*shared, record.result.score_rule, record.source)
        if key not in found:
            found[key] = record.facts
        yield record.result.model_name, found[key], record


def _told_apart(
    things: Iterable[tuple[str, Mapping[str, str], _Thing]],
) -> Iterator[tuple[str, str, list[_Thing]]]:
    """Yield things of one name and one set of facts together: the name, the variant, and these.

    The variant says in which facts they differ from the others of the name.
    """
    numbers: dict[tuple[tuple[str, str], ...], int] = {}
    known: dict[int, int] = {}

    def number(facts: Mapping[str, str]) -> int:
        """Return what is the same for the same facts, which many things may share."""
        if id(facts) not in known:
            known[id(facts)] = numbers.setdefault((*facts.items(),), len(numbers))
        return known[id(facts)]

    groups = grouped([*things], lambda thing: (thing[0], number(thing[1])))
    named = grouped(groups, lambda key: key[0])
    for key, own in groups.items():
        others = [groups[other][0][1] for other in named[key[0]]]
        name, facts, _ = own[0]
        yield name, _variant(facts, others), [thing for _, _, thing in own]


def _variant(facts: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> str:
    shown = RunRecord.telling(others)
    return ", ".join(f"{key}={facts.get(key, '')[:_LONGEST_SHOWN] or 'none'}" for key in shown)


def _newest(records: Sequence[RunRecord]) -> tuple[RunRecord, ...]:
    """Return the newest run on each suite, in the order in which suites come."""
    newest = {each.suite_key: each for each in sorted(records, key=lambda each: each.created)}
    return tuple(newest[key] for key in dict.fromkeys(each.suite_key for each in records))


@frozen
class ModelRow:
    """A model as it was run, or the mean of a family (`is_family`) over its `n_members` members.

    Of a family, `sd` and `sd_population` are the standard deviations over members (`sd` divides by
    n - 1, `sd_population` by n).
    """

    who: ComparedModel | ComparedFamily
    n_members: int = 1
    sd: float = math.nan
    sd_population: float = math.nan

    @property
    def is_family(self) -> bool:
        """Whether it is the mean of a family."""
        return isinstance(self.who, ComparedFamily)

    @property
    def member(self) -> Membership | None:
        """Which member of its family the model is; None for a family itself."""
        return None if self.is_family else self.who.membership

    @property
    def label(self) -> str:
        """The model's or family's name, and what tells it from others of the name."""
        return self.who.label

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
    _check_globs(globs, records)
    return [record for record in records if not _matches_any(record, globs)]


def _matches_any(record: RunRecord, globs: Iterable[str]) -> bool:
    """Say whether a glob matches a model's name, its reference or a family that it belongs to."""
    return any(map(record.is_called, globs))


def _named(record: RunRecord, by_name: Mapping[str, Sequence[str]]) -> str:
    """Return the name whose globs a record's model matches, "" for none.

    Raises `UsageError` for a model that matches those of two names.
    """
    names = [name for name, globs in by_name.items() if _matches_any(record, globs)]
    if len(names) > 1:
        model = record.result.model_name
        raise UsageError(f"{model} cannot be of {names[0]} and of {names[1]}")
    return names[0] if names else ""


def _joined(name: str, records: Sequence[RunRecord]) -> RunRecord:
    """Return the record of what several models score on a suite on average, without its items."""
    first = records[0]
    share = mean_score(record.result.score for record in records)
    result = replace(
        first.result,
        model_name=name,
        item_numbers=(),
        predictions=(),
        membership=None,
        reported=Score(label="", n_holding=0, n_items=0, reported_share=share),
    )
    chance = mean_score(chances_of(first.result, known=first.suite.chance))
    known = None if math.isnan(chance) else chance
    return replace(
        first, result=result, model=ModelFacts(), suite=replace(first.suite, chance=known)
    )


def _check_globs(globs: Iterable[str], records: Sequence[RunRecord]) -> None:
    for glob in globs:
        if not any(_matches_any(record, [glob]) for record in records):
            names = list(dict.fromkeys(record.result.model_name for record in records))
            raise UsageError(f"no model matches {glob!r}; there are {listed(names, most=8)}")


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


@frozen(slots=False, eq=False)
class ModelScores(Called):
    """What one model scores, or what the seeds of one score on average.

    `name` is that of the model or of the seeds' family. `scores` maps suites to shares, without
    those that have no score. Of seeds these are means over those that are `complete`: that have a
    score on every suite on which another one has, as in `Accuracy`, so that no two suites have the
    mean of different seeds; the others are `incomplete`. `members` are all seeds; of a model alone
    itself.
    """

    members: tuple[ComparedModel, ...]
    scores: Mapping[SuiteKey, float] = field(default_factory=dict)
    incomplete: tuple[str, ...] = ()

    @property
    def n_parameters(self) -> int | None:
        """How large the model is, None where that is not known."""
        return self.members[0].records[0].model.n_parameters

    @property
    def size_family(self) -> str:
        """The family of several sizes that the model is of, or ""."""
        return self.members[0].records[0].model.size_family

    @property
    def complete(self) -> list[ComparedModel]:
        """The seeds whose mean the scores are."""
        return [each for each in self.members if each.label not in self.incomplete]

    def on(self, suites: Iterable[SuiteKey]) -> "ModelScores":
        """Return the scores on these suites alone; which seeds are complete follows from them."""
        wanted = [key for key in suites if any(key in each.scores for each in self.members)]
        complete = [each for each in self.members if each.scores.keys() >= {*wanted}]
        return replace(
            self,
            scores={
                key: mean_score(each.scores[key] for each in complete) for key in wanted if complete
            },
            incomplete=tuple(each.label for each in self.members if each not in complete),
        )

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

    def unit(each: ComparedModel) -> tuple[Called, int | None]:
        family = found.family_of.get(each)
        if family and family.axis == "seed":
            return family, each.records[0].model.n_parameters
        return each, None

    return [
        ModelScores(name=called.name, variant=called.variant, members=tuple(own)).on(
            dict.fromkeys(key for each in own for key in each.scores)
        )
        for (called, _), own in grouped(found.models, unit).items()
    ]


# Why seeds are left out of means over the seeds of a model.
INCOMPLETE_SEEDS = "without suites that other seeds of the same model have"


def incomplete_seeds(records: Sequence[RunRecord], suites: Iterable[SuiteKey]) -> tuple[str, ...]:
    """Return the seeds that do not count on these suites: they lack some that others have."""
    wanted = list(suites)
    models = [model.on(wanted) for model in model_scores(records)]
    return tuple(chain.from_iterable(model.incomplete for model in models))


def check_distinct(models: Iterable[ModelScores]) -> None:
    """Raise `UsageError` where one model was run in several ways, and would count several times."""
    for name, own in grouped(models, lambda model: model.name).items():
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

    def name(model: ModelScores) -> str:
        family = model.size_family or model.label
        return {"none": model.label, "family": family, "all": ALL_MODELS}[pooling]

    found = grouped(models, name)
    for own in found.values() if pooling != "none" else ():
        check_distinct(own)
    return found


def suites_by(records: Iterable[RunRecord], level: Grouping) -> dict[str, list[SuiteKey]]:
    """Return the suites of each circuit (language, group), sorted by name; "" is that of none.

    A suite by itself is its level's only one; if several languages have one of its name, its
    language is part of what it is called. Suites come in the order of their circuits.
    """
    first = {record.suite_key: record for record in reversed([*records])}
    n_languages = Counter(suite for _, suite in first)

    def place(key: SuiteKey) -> tuple[object, ...]:
        circuit = first[key].result.circuit
        return (not circuit, circuit, *reversed(key))

    def name(key: SuiteKey) -> str:
        language, suite = key
        return {
            "suite": labelled(suite, language if n_languages[suite] > 1 else ""),
            "circuit": first[key].result.circuit,
            "language": language,
            "group": first[key].suite.group,
            "all": ALL_SUITES,
        }[level]

    found = grouped(sorted(first, key=place), name)
    if level == "suite":
        return found
    return dict(sorted(found.items(), key=lambda pair: (not pair[0], pair[0])))


def suite_labels(records: Iterable[RunRecord]) -> dict[SuiteKey, str]:
    """Return what suites are called, circuit by circuit."""
    return {key: name for name, keys in suites_by(records, "suite").items() for key in keys}


def _last_steps(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Return the records without those of steps of a training that come before the last one."""
    last = Membership.last_steps(record.result.membership for record in records)
    families = {each.family for each in last}

    def is_last(member: Membership | None) -> bool:
        has_steps = member and member.is_ordered and member.family in families
        return not has_steps or member in last

    return [record for record in records if is_last(record.result.membership)]


# More names than these say no more.
_MOST_NAMED = 8


@frozen
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
