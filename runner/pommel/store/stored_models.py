"""Which stored runs are of one model, and which models are one family."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pommel.scoring.run_record import RunRecord

# The members that one pattern has named: family, axis, pattern, and which generation of models: 0,
# or more where other models have taken their places since.
_Pattern = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model (`model_key`), and the number of the family that it ran in; None: it ran alone.

    What others have measured has no number: their families are what their files say.
    """

    model: str
    family: int | None


def model_key(record: RunRecord) -> str:
    """Return what is one and the same for all runs of a model, however it was reached.

    What others call a model need not be the model that we call so.
    """
    if record.is_own:
        facts = record.model
        return facts.fingerprint or facts.reference or record.result.model_name
    return f"{record.result.model_name} ({record.source})"


def suite_key(record: RunRecord) -> tuple[str, str]:
    """Return what is one and the same for all runs on a suite; languages may share a name."""
    return record.result.suite_name, record.suite.language


def variant_key(record: RunRecord) -> tuple[object, ...]:
    """Return what is one and the same for all runs that were scored alike."""
    return record.policy.get("fingerprint"), *sorted(record.settings.items())


def stored_models(records: Sequence[RunRecord]) -> dict[str, StoredModel]:
    """Return what has run, by the ids of the runs.

    A family that was reached by several paths is one: its members of one label are one model. If
    they are not, there are several families of the name.
    """
    patterns = _patterns(records)
    families = _merged(_members(records, patterns))
    return {
        each.run_id: StoredModel(model_key(each), families.get(patterns.get(each.run_id)))
        for each in records
    }


def _patterns(records: Sequence[RunRecord]) -> dict[str, _Pattern]:
    """Return the patterns by which the members among our own runs were named, by the runs' ids."""
    models: dict[tuple[str, ...], list[str]] = {}
    found: dict[str, _Pattern] = {}
    for record in sorted(records, key=lambda each: each.created, reverse=True):
        member = record.result.membership
        if not record.is_own or member is None:
            continue
        named = (member.family, member.axis, member.pattern)
        of_label = models.setdefault((*named, member.label), [])
        key = model_key(record)
        if key not in of_label:
            of_label.append(key)
        found[record.run_id] = (*named, of_label.index(key))
    return found


def _members(
    records: Sequence[RunRecord], patterns: Mapping[str, _Pattern]
) -> dict[_Pattern, dict[str, str]]:
    """Return the models behind each pattern, by their labels."""
    found: dict[_Pattern, dict[str, str]] = {}
    for record in records:
        member = record.result.membership
        if member and record.run_id in patterns:
            found.setdefault(patterns[record.run_id], {})[member.label] = model_key(record)
    return found


def _merged(members: Mapping[_Pattern, Mapping[str, str]]) -> dict[_Pattern | None, int]:
    """Return the number of each pattern's family."""
    families: list[tuple[list[_Pattern], Mapping[str, str]]] = []
    for pattern, models in members.items():
        patterns, merged = [pattern], models
        for other in list(families):
            if other[0][0][:2] == pattern[:2] and _agree(other[1], merged):
                families.remove(other)
                patterns, merged = [*other[0], *patterns], {**other[1], **merged}
        families.append((patterns, merged))
    return {each: n for n, (patterns, _) in enumerate(families) for each in patterns}


def _agree(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Say whether two families have members in common, and no other model under one's label."""
    both = one.keys() & other.keys()
    return bool(both) and all(one[label] == other[label] for label in both)
