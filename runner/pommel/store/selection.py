"""Which of the stored runs are meant, which of them count, and what tells their models apart."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import ClassVar

from pommel.errors import UsageError
from pommel.models import Named
from pommel.scoring import RunRecord
from pommel.values import frozen


@frozen
class Selection:
    """The runs that all of these fit; () fits any.

    `run_ids` are beginnings of ids, of 4 hex digits or more. The others are patterns with `*`, `?`
    and `[...]`, case-sensitive; that of a model is tried on its name, its reference, its family and
    the family of sizes that it belongs to. `choices` are parts of the policy or the settings with
    their values: ("method", "pll"), ("compat", "syntaxgym").
    """

    # The parts of a policy and of the settings that runs can be selected by.
    CHOICES: ClassVar[tuple[str, ...]] = (
        "method",
        "bos",
        "eos",
        "first_token",
        "boundary",
        "oov",
        "swallowed",
        "compat",
    )

    # What of a run the patterns of a field are tried on.
    TRIED_ON: ClassVar[Mapping[str, Callable[[RunRecord], Sequence[str]]]] = {
        "models": lambda record: record.model_names,
        "suites": lambda record: [record.result.suite_name],
        "circuits": lambda record: [record.result.circuit],
        "languages": lambda record: [record.suite.language],
        "sources": lambda record: [record.source],
        "score_rules": lambda record: [record.result.score_rule],
    }

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
            and all(
                self.fits(patterns, names_of(record))
                for name, names_of in self.TRIED_ON.items()
                if (patterns := getattr(self, name))
            )
            and all(record.choice(name) == value for name, value in self.choices)
        )

    @staticmethod
    def fits(patterns: Sequence[str], names: Sequence[str]) -> bool:
        """Say whether one of the patterns fits one of the names, or there are no patterns."""
        return not patterns or any(
            fnmatchcase(name, pattern) for pattern in patterns for name in names
        )


@dataclass(slots=True, kw_only=True)
class OneEach:
    """The runs that count, in their order, and those that do not, by why.

    `older` ones have a newer run of their model; `unscored` ones are the newest, on a version of
    their suite without predictions, and an older one has a score; `alone` are runs of a model that
    has run in a family just so; `limited` ones have only the first items of their suites, where
    others have whole ones.
    """

    records: list[RunRecord]
    older: list[RunRecord]
    unscored: list[RunRecord]
    alone: list[RunRecord]
    limited: list[RunRecord]

    def check_one_rule(self) -> None:
        """Raise `UsageError` if a model has runs on a suite under several score rules.

        Their scores would be counted as those of several suites.
        """
        rules: dict[tuple[object, ...], str] = {}
        for record in self.records:
            result = record.result
            known = rules.setdefault((model_key(record), record.suite_key), result.score_rule)
            if known != result.score_rule:
                raise UsageError(
                    f"{result.model_name} on {result.suite_name} has runs under the score rules "
                    f"{known} and {result.score_rule}; choose one with --score"
                )


def one_each(
    records: Sequence[RunRecord], *, scored: Collection[str], any_rule: bool = False
) -> OneEach:
    """Choose the newest run of each model on each suite under each score rule.

    `scored` are the ids of the runs that have a score: one without counts only where there is none
    with one; a run on the first items of a suite counts only where there is none on a whole one.
    With `any_rule` it is the newest under whichever rule. A model that ran in several
    families counts in each. Of runs of the same second the last one is the newest.
    """
    whole = [each for each in records if not each.suite.first_items_of]
    limited = [each for each in records if whole and each.suite.first_items_of]
    records = whole or records
    models = stored_models(records)

    def place(record: RunRecord) -> Hashable:
        return models[record.run_id], record.suite_key, any_rule or record.result.score_rule

    in_order = sorted(records, key=lambda each: (each.run_id in scored, each.created))
    best = {place(each): each for each in in_order}
    twins = in_a_family_too(records, scored=scored, any_rule=any_rule)
    found = OneEach(records=[], older=[], unscored=[], alone=[], limited=limited)
    for each in records:
        instead = best[place(each)]
        if each is instead:
            (found.alone if each.run_id in twins else found.records).append(each)
        elif (
            each.run_id in scored or instead.run_id not in scored or each.created < instead.created
        ):
            found.older.append(each)
        else:
            found.unscored.append(each)
    return found


def in_a_family_too(
    records: Sequence[RunRecord], *, scored: Collection[str], any_rule: bool = False
) -> set[str]:
    """Return the ids of runs of a model alone that has run in a family on the suite just so.

    That is under the same policy, settings and score rule, and with a score if it has one alone.
    """
    models, records = _alone_and_in_families(records)

    def what(record: RunRecord) -> Hashable:
        rule = any_rule or record.result.score_rule
        return model_key(record), record.suite_key, rule, variant_key(record)

    members = [each for each in records if models[each.run_id].family is not None]
    all_there = {what(each) for each in members}
    scored_there = {what(each) for each in members if each.run_id in scored}
    return {
        each.run_id
        for each in records
        if models[each.run_id].family is None
        and what(each) in (scored_there if each.run_id in scored else all_there)
    }


# Of a fingerprint, the beginning tells.
_DIGITS = 8


def told_apart_records(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Return records in which no two models share a name, nor two families.

    Names are as `pommel run` would give them to these models in one command. A model that ran in
    one family, and on other suites alone, has its name in the family. One that was reached by
    several paths is called as it was last.
    """
    models = _in_their_families(records)
    in_order = sorted(records, key=lambda each: (bool(each.result.membership), each.created))
    latest = {models[each.run_id]: each for each in in_order}
    references, patterns = _references(latest), _family_names(latest)
    asked = {}
    for model, record in latest.items():
        member = record.result.membership
        if member:
            member = replace(member, pattern=patterns.get(model.family) or _pattern(record))
        asked[references[model]] = Named(name=record.result.model_name, membership=member)
    called = Named.unique_names(asked)
    renamed = []
    for record in records:
        model = models[record.run_id]
        named, last = called[references[model]], latest[model].result.membership
        member = named.membership
        if member and last:
            member = replace(member, pattern=last.pattern)
        renamed.append(record.renamed(Named(name=named.name, membership=member)))
    return renamed


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model (`model_key`), and the number of the family that it ran in; None: it ran alone.

    What others have measured has no number: their families are what their files say.
    """

    model: str
    family: int | None


def _in_their_families(records: Sequence[RunRecord]) -> dict[str, StoredModel]:
    """Return what has run by run id; a run alone is its family's if that lacks the suite.

    That is, if the model is in one family only, and was scored alike there.
    """
    models, records = _alone_and_in_families(records)
    families: dict[Hashable, set[StoredModel]] = {}
    there = set()
    for each in records:
        model = models[each.run_id]
        if model.family is not None:
            families.setdefault((model.model, variant_key(each)), set()).add(model)
            there.add((model, each.suite_key))
    found = dict(models)
    for each in records:
        model = models[each.run_id]
        candidates = families.get((model.model, variant_key(each)), set())
        if model.family is None and len(candidates) == 1:
            (member,) = candidates
            if (member, each.suite_key) not in there:
                found[each.run_id] = member
    return found


def _alone_and_in_families(
    records: Sequence[RunRecord],
) -> tuple[dict[str, StoredModel], list[RunRecord]]:
    """Return what has run by run id, and the runs of models that ran alone and in a family.

    Most models run alone always, or in families.
    """
    models = stored_models(records)
    alone = {each.model for each in models.values() if each.family is None}
    both = alone & {each.model for each in models.values() if each.family is not None}
    return models, [each for each in records if models[each.run_id].model in both]


def _references(latest: Mapping[StoredModel, RunRecord]) -> dict[StoredModel, str]:
    """Return what each model is called where another has its name; no two are called alike."""
    references = {
        model: (record.is_own and record.model.reference) or model_key(record)
        for model, record in latest.items()
    }
    n_called = Counter(references.values())
    n_alike = Counter((reference, model.model) for model, reference in references.items())
    for model, reference in references.items():
        marks, n_own = [], n_alike[reference, model.model]
        if n_called[reference] > n_own:
            marks.append(model.model[:_DIGITS])
        if n_own > 1:
            member = latest[model].result.membership
            marks.append(member.pattern or member.family if member else "alone")
        references[model] = f"{reference} ({', '.join(marks)})" if marks else reference
    return references


def _family_names(latest: Mapping[StoredModel, RunRecord]) -> dict[int | None, str]:
    """Return what each family is called where another has its name, by the families' numbers."""
    newest: dict[int, StoredModel] = {}
    for model in sorted(latest, key=lambda each: latest[each].created):
        if model.family is not None:
            newest[model.family] = model
    patterns = {number: _pattern(latest[model]) for number, model in newest.items()}
    n_called = Counter(patterns.values())
    return {
        number: pattern if n_called[pattern] == 1 else f"{pattern} ({model.model[:_DIGITS]})"
        for (number, model), pattern in zip(newest.items(), patterns.values(), strict=True)
    }


def _pattern(record: RunRecord) -> str:
    """Return what names a run's family; imported ones have no pattern."""
    member = record.result.membership
    assert member is not None  # noqa: S101 - only members of families are asked for
    return member.pattern or f"{member.family} ({record.source})"


def model_key(record: RunRecord) -> str:
    """Return what is one and the same for all runs of a model, however it was reached.

    What others call a model need not be the model that we call so.
    """
    if record.is_own:
        facts = record.model
        return facts.fingerprint or facts.reference or record.result.model_name
    return f"{record.result.model_name} ({record.source})"


def variant_key(record: RunRecord) -> tuple[object, ...]:
    """Return what is one and the same for all runs that were scored alike."""
    return record.policy.get("fingerprint"), *sorted(record.settings.items())


def stored_models(records: Sequence[RunRecord]) -> dict[str, StoredModel]:
    """Return what has run, by the ids of the runs."""
    families = _families(records)
    return {
        each.run_id: StoredModel(model_key(each), families.get(each.run_id)) for each in records
    }


# What tells a group of models, or a member of a family.
_Key = tuple[str | int, ...]


def _families(records: Sequence[RunRecord]) -> dict[str, int]:
    """Return the numbers of the families that our own runs were members of, by the runs' ids.

    A family that was reached by several paths is one: its members of one label are one model. If
    they are not, there are several families of the name.
    """
    models: dict[_Key, list[str]] = {}
    groups: dict[_Key, set[_Key]] = {}
    group_of: dict[str, _Key] = {}
    for record in sorted(records, key=lambda each: each.created, reverse=True):
        member = record.result.membership
        if not record.is_own or member is None:
            continue
        model, named = model_key(record), (member.family, member.axis, member.label)
        of_label = models.setdefault((*named, member.pattern), [])
        if model not in of_label:
            of_label.append(model)
        # Of one pattern, models that have taken the places of others since are a group of theirs.
        key: _Key = (member.family, member.axis, member.pattern, of_label.index(model))
        groups.setdefault(key, set()).add((*named, model))
        group_of[record.run_id] = key
    families: list[tuple[list[_Key], set[_Key]]] = []
    for group, own in groups.items():
        members, merged = [group], own
        for other in list(families):
            both = other[1] | merged
            if other[1] & merged and len({each[:3] for each in both}) == len(both):
                families.remove(other)
                members, merged = [*other[0], *members], both
        families.append((members, merged))
    numbers = {group: n for n, (members, _) in enumerate(families) for group in members}
    return {run_id: numbers[group] for run_id, group in group_of.items()}
