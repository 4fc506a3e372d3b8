"""What a report is made of: its models, the runs of each suite, and rows packed as columns."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple

from pommel.analysis import ModelsCompared
from pommel.scoring import Run, RunRecord, SuiteKey
from pommel.suite import Suite


class ReportModel(NamedTuple):
    """A model as it was run, or a family of seeds, which stands in front of its members.

    `family` is the label of the family that a member is folded into, "" for other models.
    `n_members` is 0 for a model. `path` is what a training is called of which the model is a step.
    """

    label: str
    records: tuple[RunRecord, ...] = ()
    family: str = ""
    n_members: int = 0
    path: str = ""

    @property
    def step(self) -> tuple[float, str]:
        """Which step (or epoch) of its training it is, and how that is written; else (-inf, "")."""
        member = self.records[0].result.membership if self.path else None
        return (member.value or 0, member.label) if member else (-math.inf, "")

    @property
    def is_family(self) -> bool:
        """Whether it is a family, which has no runs of its own."""
        return self.n_members > 0

    @property
    def key(self) -> tuple[str, bool]:
        """What tells its rows of accuracies from those of others."""
        return self.label, self.is_family


def report_models(found: ModelsCompared) -> list[ReportModel]:
    """Return the models of complete runs; a family of one member is that model."""
    models: list[ReportModel] = []
    for each in found.models:
        family = found.family_of.get(each)
        if family is None or len(family.members) == 1:
            member = each.membership if each.membership and each.membership.is_ordered else None
            path = replace(each, name=member.family).label if member else ""
            models.append(ReportModel(label=each.label, records=each.records, path=path))
        elif family.members[0] is each:
            models.append(ReportModel(label=family.label, n_members=len(family.members)))
            models.extend(
                ReportModel(label=one.label, records=one.records, family=family.label)
                for one in family.members
            )
    return models


# More models, and verdicts on items, than these are not looked at suite by suite: a browser would
# not open the page.
MOST_LOOKED_AT = 100
MOST_VERDICTS = 250_000


def looked_at(models: Sequence[ReportModel]) -> list[ReportModel]:
    """Return the models that are shown suite by suite: all, or of too many the first.

    Of a training that is its last step. At least one is.
    """
    if _n_fitting(models) == len(models):
        return [*models]
    last = {model.path: model for model in sorted(models, key=lambda each: each.step)}
    own = [each for each in models if not each.is_family]
    first = [each for each in own if not each.path or each is last[each.path]]
    fitting = first[: max(1, _n_fitting(first))]
    # Among fewer models fewer are of one name, and some families have one member.
    records = [record for each in fitting for record in each.records]
    return report_models(ModelsCompared.of(records))


def _n_fitting(models: Sequence[ReportModel]) -> int:
    """Return how many of the models, from the first on, a page can show suite by suite."""
    n_verdicts = (
        sum(each.result.n_items * len(each.result.predictions) for each in model.records)
        for model in models[:MOST_LOOKED_AT]
    )
    return sum(n <= MOST_VERDICTS for n in accumulate(n_verdicts))


@dataclass(slots=True, kw_only=True)
class Section:
    """A suite in one version, with the records of the models that were run on it, by label.

    `runs` has those of which tokens are known, called by the report's labels, without the tokens
    themselves: what is left is small. `sha256` is "" where no model is known to have run on a
    version of the suite that is known.
    """

    key: SuiteKey
    sha256: str = ""
    records: dict[str, RunRecord] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)

    @property
    def first(self) -> RunRecord:
        """Any record; what it says of the suite holds for all."""
        known = (record for record in self.records.values() if record.suite.sha256)
        return next(known, next(iter(self.records.values())))

    @property
    def suite(self) -> Suite | None:
        """The suite, None where no run with tokens is there."""
        return next((run.surprisals.suite for run in self.runs.values()), None)


def sections(
    models: Sequence[ReportModel], runs: Iterable[Run], order: Sequence[SuiteKey]
) -> list[Section]:
    """Return a section a suite and version, in the order of the suites' keys.

    Results whose suite is only known by its name are put to its first version. Runs of none of
    the models' records are left out.
    """
    pairs = [(model, record) for model in models for record in model.records]
    by_result = {id(record.result): record.run_id for _, record in pairs}
    own: dict[str, Run] = {}
    for run in runs:
        # To hash a suite takes its time, and what comes from a store has the record's own result.
        run_id = by_result.get(id(run.result)) or RunRecord.of(run).run_id
        surprisals = replace(run.surprisals, sentences=())
        own[run_id] = Run(surprisals=surprisals, result=run.result)
    found: dict[tuple[SuiteKey, str], Section] = {}
    for model, record in sorted(pairs, key=lambda each: not each[1].suite.sha256):
        key, sha256 = record.suite_key, record.suite.sha256
        same = next((each for each in found.values() if each.key == key and not sha256), None)
        section = same or found.setdefault((key, sha256), Section(key=key, sha256=sha256))
        section.records[model.label] = record
    for section in found.values():
        # In the order of the models.
        section.records = {
            model.label: section.records[model.label]
            for model in models
            if model.label in section.records
        }
        for label, record in section.records.items():
            if known := own.get(record.run_id):
                result = replace(known.result, model_name=label)
                section.runs[label] = replace(known, result=result)
    return sorted(found.values(), key=lambda each: order.index(each.key))


# Behind the point; more say nothing about a surprisal.
_DIGITS = 6

Row = Mapping[str, object]
Packed = Mapping[str, object]


def packed(rows: Sequence[Row]) -> Packed:
    """Return rows that share their keys as columns.

    A column of texts is a list of those that occur, and for each row the place in that list:
    {"texts": ["a", "b"], "at": [0, 0, 1]}; any other is {"values": [...]}. `report.js` makes rows
    of them again. Numbers are rounded to 6 digits.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return packed_columns({name: [row.get(name) for row in rows] for name in names})


def packed_columns(columns: Mapping[str, Sequence[object]]) -> Packed:
    """Return columns of one length as `packed` does rows."""
    n = max(map(len, columns.values()), default=0)
    return {"n": n, "columns": {name: _column(each) for name, each in columns.items()}}


def plain_number(value: float | None) -> float | str | None:
    """Return a number as JSON has it: None where it is missing, infinity as a text."""
    if value is None or math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def json_for_script(value: object) -> str:
    """Return JSON for a script element, in which no text can end the element.

    Raises `ValueError` for NaN and infinity, which JSON does not have.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # "<" stands in texts only, where its escape means the same.
    return text.replace("<", "\\u003c")


def _column(values: Sequence[object]) -> Packed:
    if not all(isinstance(value, str) for value in values):
        rounded = [round(each, _DIGITS) if isinstance(each, float) else each for each in values]
        return {"values": rounded}
    places = {text: place for place, text in enumerate(dict.fromkeys(values))}
    return {"texts": list(places), "at": [places[text] for text in values]}
