"""The models of a report, in the order of its columns, and what each has been run on."""

from collections.abc import Sequence
from dataclasses import dataclass

from pommel.analysis.models_compared import Subject, SubjectFamily, families, subjects
from pommel.scoring.run_record import RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportModel:
    """A model as it was run, or a family of seeds, which stands in front of its members.

    `family` is the label of the family that a member is folded into, "" for other models.
    `n_members` is 0 for a model.
    """

    label: str
    records: tuple[RunRecord, ...] = ()
    family: str = ""
    n_members: int = 0

    @property
    def is_family(self) -> bool:
        """Whether it is a family, which has no runs of its own."""
        return self.n_members > 0


def report_models(records: Sequence[RunRecord]) -> list[ReportModel]:
    """Return the models of complete runs; a family of one member is that model."""
    found = subjects(records)
    by_member: dict[int, SubjectFamily] = {}
    for family in families(found):
        if len(family.members) > 1:
            by_member |= {id(member): family for member in family.members}
    models: list[ReportModel] = []
    for each in found:
        family_of_it = by_member.get(id(each))
        if family_of_it is None:
            models.append(_model(each))
        elif family_of_it.members[0] is each:
            members = [_model(one, family_of_it.label) for one in family_of_it.members]
            models.append(ReportModel(label=family_of_it.label, n_members=len(members)))
            models.extend(members)
    return models


def _model(subject: Subject, family: str = "") -> ReportModel:
    return ReportModel(label=subject.label, records=subject.records, family=family)
