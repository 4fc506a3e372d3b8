"""Telling stored runs apart: one name for a model, one for a family."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from pommel.models.family import Membership, Named
from pommel.scoring.run_record import RunRecord
from pommel.store.stored_models import StoredModel, model_key, stored_models, suite_key, variant_key

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
    references, patterns = _references(latest), _patterns(latest)
    called = Named.unique_names(
        {
            references[model]: Named(
                name=record.result.model_name,
                membership=_known_by(record, patterns.get(model.family)),
            )
            for model, record in latest.items()
        }
    )
    found = {model: (called[references[model]], record) for model, record in latest.items()}
    return [_renamed(each, *found[models[each.run_id]]) for each in records]


def _in_their_families(records: Sequence[RunRecord]) -> dict[str, StoredModel]:
    """Return what has run by run id; a run alone is its family's if that lacks the suite.

    That is, if the model is in one family only, and was scored alike there.
    """
    models = stored_models(records)
    families: dict[Hashable, set[StoredModel]] = {}
    there = set()
    for each in records:
        model = models[each.run_id]
        if model.family is not None:
            families.setdefault((model.model, variant_key(each)), set()).add(model)
            there.add((model, suite_key(each)))
    found = dict(models)
    for each in records:
        model = models[each.run_id]
        candidates = families.get((model.model, variant_key(each)), set())
        if model.family is None and len(candidates) == 1:
            (member,) = candidates
            if (member, suite_key(each)) not in there:
                found[each.run_id] = member
    return found


def _references(latest: Mapping[StoredModel, RunRecord]) -> dict[StoredModel, str]:
    """Return what each model is called where another has its name; no two are called alike."""
    by_reference: dict[str, list[StoredModel]] = {}
    for model, record in latest.items():
        own = record.is_own and record.model.reference
        by_reference.setdefault(own or model_key(record), []).append(model)
    found = {}
    for reference, models in by_reference.items():
        for model in models:
            marks = []
            if any(each.model != model.model for each in models):
                marks.append(model.model[:_DIGITS])
            if sum(each.model == model.model for each in models) > 1:
                member = latest[model].result.membership
                marks.append(member.pattern or member.family if member else "alone")
            found[model] = f"{reference} ({', '.join(marks)})" if marks else reference
    return found


def _patterns(latest: Mapping[StoredModel, RunRecord]) -> dict[int | None, str]:
    """Return what each family is called where another has its name, by the families' numbers."""
    newest: dict[int, StoredModel] = {}
    for model, record in sorted(latest.items(), key=lambda each: each[1].created):
        if record.result.membership and model.family is not None:
            newest[model.family] = model
    by_pattern: dict[str, list[int]] = {}
    for number, model in newest.items():
        by_pattern.setdefault(_pattern(latest[model]), []).append(number)
    return {
        number: pattern if len(numbers) == 1 else f"{pattern} ({newest[number].model[:_DIGITS]})"
        for pattern, numbers in by_pattern.items()
        for number in numbers
    }


def _pattern(record: RunRecord) -> str:
    """Return what names a run's family; imported ones have no pattern."""
    member = record.result.membership
    assert member is not None  # noqa: S101 - only members of families are asked for
    return member.pattern or f"{member.family} ({record.source})"


def _known_by(record: RunRecord, pattern: str | None) -> Membership | None:
    """Return a run's membership with what its family is called where another has its name."""
    member = record.result.membership
    return replace(member, pattern=pattern or _pattern(record)) if member else None


def _renamed(record: RunRecord, called: Named, latest: RunRecord) -> RunRecord:
    membership = called.membership
    if membership and latest.result.membership:
        membership = replace(membership, pattern=latest.result.membership.pattern)
    result = replace(record.result, model_name=called.name, membership=membership)
    return replace(record, result=result)
