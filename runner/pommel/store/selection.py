"""Which of the stored runs are meant, which of them count, and what tells their models apart."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import ClassVar, NamedTuple

from pommel.errors import UsageError
from pommel.models import Membership, Named
from pommel.scoring import RunRecord
from pommel.values import frozen


@frozen
class Selection:
    """The runs that all of these fit; () fits any.

    `run_ids` are beginnings of ids, of 4 hex digits or more. The others are patterns with `*`, `?`
    and `[...]`, case-sensitive, with `!` before it for what is left out; that of a model is tried
    on its name, its reference, its family and the family of sizes that it belongs to. `choices` are
    parts of the policy or the settings, or the model's number format, with their values:
    ("method", "pll"), ("compat", "syntaxgym"), ("dtype", "float16").
    """

    # What `RunRecord.choice` knows, that runs can be selected by.
    CHOICES: ClassVar[tuple[str, ...]] = (
        "method",
        "bos",
        "eos",
        "first_token",
        "boundary",
        "oov",
        "swallowed",
        "compat",
        "punctuation",
        "verdicts",
        "dtype",
    )

    # Before a pattern: what fits it is left out.
    NOT: ClassVar[str] = "!"

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

    def taken(self, records: Iterable[RunRecord]) -> list[RunRecord]:
        """Return those of the runs that are meant; patterns are tried once on each name."""
        found = [each for each in records if not self.complete_only or each.status == "complete"]
        if self.run_ids:
            found = [each for each in found if each.run_id.startswith(self.run_ids)]
        for field in self.TRIED_ON:
            if patterns := getattr(self, field):
                fits = cache(partial(self.fits, patterns))
                found = [each for each in found if fits((*self.names(field, each),))]
        for name, value in self.choices:
            found = [each for each in found if each.choice(name) == value]
        return found

    def names(self, field: str, record: RunRecord) -> list[str]:
        """Return what of a run the patterns of a field are tried on.

        Of a model that is what it is known by, and what tables tell it apart by, as it was asked
        for (`RunRecord.is_called`).
        """
        names = [*self.TRIED_ON[field](record)]
        if field == "models":
            told_apart = [each.removeprefix(self.NOT) for each in self.models if each[-1:] == ")"]
            names += filter(record.is_called, told_apart)
        return names

    @staticmethod
    def fits(patterns: Sequence[str], names: Sequence[str]) -> bool:
        """Say whether a pattern fits one of the names, and no pattern with `!` does.

        Where there are none but such, all else fits.
        """

        def one_fits(patterns: Iterable[str]) -> bool:
            return any(RunRecord.fits(pattern, names) for pattern in patterns)

        excluded = [each for each in patterns if each.startswith(Selection.NOT)]
        wanted = [each for each in patterns if not each.startswith(Selection.NOT)]
        if one_fits(each.removeprefix(Selection.NOT) for each in excluded):
            return False
        return not wanted or one_fits(wanted)


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
    places = {
        each.run_id: (models[each.run_id], each.suite_key, any_rule or each.result.score_rule)
        for each in records
    }
    best: dict[Hashable, RunRecord] = {}

    def rank(record: RunRecord) -> tuple[bool, str]:
        return record.run_id in scored, record.created

    for each in records:
        # Most models have run once on a suite.
        other = best.setdefault(places[each.run_id], each)
        if other is not each and rank(each) >= rank(other):
            best[places[each.run_id]] = each
    twins = in_a_family_too(records, models, scored=scored, any_rule=any_rule)
    found = OneEach(records=[], older=[], unscored=[], alone=[], limited=limited)
    for each in records:
        instead = best[places[each.run_id]]
        if each is instead:
            (found.alone if each.run_id in twins else found.records).append(each)
        elif (
            each.run_id in scored or instead.run_id not in scored or each.created < instead.created
        ):
            found.older.append(each)
        else:
            found.unscored.append(each)
    found.records = _by_steps(found.records)
    return found


def _by_steps(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Return runs as they are, but those of a family by its steps or seeds, from its first run on.

    Workers, and machines whose stores are merged, end in any order.
    """
    places: dict[str, int] = {}

    def key(pair: tuple[int, RunRecord]) -> tuple[int, float]:
        place, member = pair[0], pair[1].result.membership
        if member is None:
            return place, 0.0
        family = member.pattern or member.family
        return places.setdefault(family, place), math.inf if member.value is None else member.value

    return [record for _, record in sorted(enumerate(records), key=key)]


def in_a_family_too(
    records: Sequence[RunRecord],
    models: "Mapping[str, StoredModel]",
    *,
    scored: Collection[str],
    any_rule: bool = False,
) -> set[str]:
    """Return the ids of runs of a model alone that has run in a family on the suite just so.

    That is under the same policy, settings and score rule, and with a score if it has one alone.
    `models` are the `stored_models` of the runs.
    """
    records = _alone_and_in_families(records, models)

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
    names = {}
    for model, record in latest.items():
        named, last = called[references[model]], record.result.membership
        member = named.membership
        if member and last:
            member = replace(member, pattern=last.pattern)
        # What keeps its name is soon seen to be the same.
        names[model] = Named(name=named.name, membership=last if member == last else member)
    return [each.renamed(names[models[each.run_id]]) for each in records]


class StoredModel(NamedTuple):
    """A model (`model_key`), and the number of the family that it ran in; None: it ran alone.

    What others have measured has no number: their families are what their files say.
    """

    model: str
    family: int | None


def _in_their_families(records: Sequence[RunRecord]) -> dict[str, StoredModel]:
    """Return what has run by run id; a run alone is its family's if that lacks the suite.

    That is, if the model is in one family only, and was scored alike there.
    """
    models = stored_models(records)
    records = _alone_and_in_families(records, models)
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
    records: Sequence[RunRecord], models: Mapping[str, StoredModel]
) -> list[RunRecord]:
    """Return the runs of models that ran alone and in a family: most ran alone always, or never."""
    distinct = {*models.values()}
    alone = {each.model for each in distinct if each.family is None}
    both = alone & {each.model for each in distinct if each.family is not None}
    return [each for each in records if models[each.run_id].model in both] if both else []


def _references(latest: Mapping[StoredModel, RunRecord]) -> dict[StoredModel, str]:
    """Return what each model is called where another has its name; no two are called alike."""
    references = {
        model: (record.is_own and record.model.reference) or model_key(record)
        for model, record in latest.items()
    }
    marks_of = _marks((references[model], model.model, latest[model].loaded_as) for model in latest)
    n_alike = Counter((reference, model.model) for model, reference in references.items())
    for model, reference in references.items():
        marks = [*filter(None, [marks_of[reference, model.model]])]
        if n_alike[reference, model.model] > 1:
            member = latest[model].result.membership
            marks.append(member.pattern or member.family if member else "alone")
        references[model] = f"{reference} ({', '.join(marks)})" if marks else reference
    return references


def _family_names(latest: Mapping[StoredModel, RunRecord]) -> dict[int | None, str]:
    """Return what each family is called where another has its name, by the families' numbers."""
    newest: dict[int | None, StoredModel] = {}
    for model in sorted(latest, key=lambda each: latest[each].created):
        if model.family is not None:
            newest[model.family] = model
    patterns = {number: _pattern(latest[model]) for number, model in newest.items()}

    def formats(model: StoredModel) -> dict[str, str]:
        """Return what its family has in common with it, and may not with others of the name."""
        loaded = latest[model].loaded_as
        return {name: loaded[name] for name in ["dtype"] if name in loaded}

    marks_of = _marks(
        (patterns[number], model.model, formats(model)) for number, model in newest.items()
    )
    marks = {number: marks_of[patterns[number], model.model] for number, model in newest.items()}
    return {n: f"{each} ({marks[n]})" if marks[n] else each for n, each in patterns.items()}


def _marks(models: Iterable[tuple[str, str, Mapping[str, str]]]) -> dict[tuple[str, str], str]:
    """Return what tells models (or families) of one name apart, "" where one has it alone.

    That is as what they were loaded (`RunRecord.loaded_as`), and where that does not tell, the
    beginnings of their keys. Models come with their names, keys and what is known of them.
    """
    alike: dict[str, dict[str, Mapping[str, str]]] = {}
    for name, key, loaded in models:
        alike.setdefault(name, {})[key] = {**loaded, "fingerprint": key[:_DIGITS]}
    marks = {}
    for name, own in alike.items():
        telling = RunRecord.telling([*own.values()])
        for key, facts in own.items():
            words = [f"{each}={facts.get(each) or 'none'}" for each in telling]
            # By itself, the beginning of a fingerprint is known for what it is.
            marks[name, key] = ", ".join(each.removeprefix("fingerprint=") for each in words)
    return marks


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
    # Runs of a model share what is known of it: so each model is looked at once.
    known: dict[tuple[object, ...], _Asked] = {}
    asked: dict[str, tuple[object, ...]] = {}
    for each in records:
        result = each.result
        shared = id(each.model), id(result.membership), result.model_name, each.source
        if shared not in known:
            known[shared] = model_key(each), result.membership if each.is_own else None
        asked[each.run_id] = shared
    newest_first = sorted(records, key=lambda each: each.created, reverse=True)
    distinct = dict.fromkeys(asked[each.run_id] for each in newest_first)
    families = _families(dict.fromkeys(known[each] for each in distinct))
    models = {shared: StoredModel(each[0], families[each]) for shared, each in known.items()}
    return {run_id: models[shared] for run_id, shared in asked.items()}


# A model, and which member of which family it was; None: of none.
_Asked = tuple[str, Membership | None]

# What tells a group of models, or a member of a family.
_Key = tuple[str | int, ...]


def _families(asked: Iterable[_Asked]) -> dict[_Asked, int | None]:
    """Return the numbers of the families that our own models were members of; None for no family.

    The models come as they were asked for, the newest first. A family that was reached by several
    paths is one: its members of one label are one model. If they are not, there are several
    families of the name.
    """
    models: dict[_Key, list[str]] = {}
    groups: dict[_Key, set[_Key]] = {}
    group_of: dict[_Asked, _Key | None] = {}
    for model, member in asked:
        if member is None:
            group_of[model, member] = None
            continue
        named = (member.family, member.axis, member.label)
        of_label = models.setdefault((*named, member.pattern), [])
        if model not in of_label:
            of_label.append(model)
        # Of one pattern, models that have taken the places of others since are a group of theirs.
        key: _Key = (member.family, member.axis, member.pattern, of_label.index(model))
        groups.setdefault(key, set()).add((*named, model))
        group_of[model, member] = key
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
    return {each: None if group is None else numbers[group] for each, group in group_of.items()}
