"""Which of the stored runs of a model on a suite counts."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord
from pommel.store.stored_models import model_key, stored_models, suite_key, variant_key


@dataclass(slots=True, kw_only=True)
class OneEach:
    """The runs that count, in their order, and those that do not, by why.

    `older` ones have a newer run of their model; `unscored` ones are the newest, on a version of
    their suite without predictions, and an older one has a score; `alone` are runs of a model that
    has run in a family just so.
    """

    records: list[RunRecord]
    older: list[RunRecord]
    unscored: list[RunRecord]
    alone: list[RunRecord]


def one_each(
    records: Sequence[RunRecord], *, scored: Collection[str], any_rule: bool = False
) -> OneEach:
    """Choose the newest run of each model on each suite under each score rule.

    `scored` are the ids of the runs that have a score: one without counts only where there is none
    with one. With `any_rule` it is the newest under whichever rule. A model that ran in several
    families counts in each. Of runs of the same second the last one is the newest.
    """
    models = stored_models(records)

    def place(record: RunRecord) -> Hashable:
        return models[record.run_id], suite_key(record), any_rule or record.result.score_rule

    best = {}
    for each in sorted(records, key=lambda each: (each.run_id in scored, each.created)):
        best[place(each)] = each
    twins = in_a_family_too(records, scored=scored, any_rule=any_rule)
    found = OneEach(records=[], older=[], unscored=[], alone=[])
    for each in records:
        instead = best[place(each)]
        if each is instead:
            (found.alone if each.run_id in twins else found.records).append(each)
        elif each.run_id not in scored and instead.run_id in scored:
            is_newer = each.created >= instead.created
            (found.unscored if is_newer else found.older).append(each)
        else:
            found.older.append(each)
    return found


def in_a_family_too(
    records: Sequence[RunRecord], *, scored: Collection[str], any_rule: bool = False
) -> set[str]:
    """Return the ids of runs of a model alone that has run in a family on the suite just so.

    That is under the same policy, settings and score rule, and with a score if it has one alone.
    """
    models = stored_models(records)

    def what(record: RunRecord) -> Hashable:
        rule = any_rule or record.result.score_rule
        return model_key(record), suite_key(record), rule, variant_key(record)

    members = [each for each in records if models[each.run_id].family is not None]
    all_there = {what(each) for each in members}
    scored_there = {what(each) for each in members if each.run_id in scored}
    return {
        each.run_id
        for each in records
        if models[each.run_id].family is None
        and what(each) in (scored_there if each.run_id in scored else all_there)
    }


def check_one_rule(records: Sequence[RunRecord]) -> None:
    """Raise `UsageError` if a model has runs on a suite under several score rules.

    Their scores would be counted as those of several suites.
    """
    rules: dict[tuple[object, ...], str] = {}
    for record in records:
        result = record.result
        known = rules.setdefault((model_key(record), suite_key(record)), result.score_rule)
        if known != result.score_rule:
            raise UsageError(
                f"{result.model_name} on {result.suite_name} has runs under the score rules "
                f"{known} and {result.score_rule}; choose one with --score"
            )
