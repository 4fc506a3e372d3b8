"""Which runs are of one suite: what a section of the report is made of."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pommel.analysis.models_compared import SuiteKey, suite_key
from pommel.report.page.models import ReportModel
from pommel.scoring.run import Run
from pommel.scoring.run_record import RunRecord, record_of
from pommel.suite.suite import Suite

_T = TypeVar("_T")


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
    found: dict[Hashable, Section] = {}
    places: dict[str, tuple[str, Section]] = {}
    pairs = [(model, record) for model in models for record in model.records]
    for model, record in sorted(pairs, key=lambda each: not each[1].suite.sha256):
        section = _section_of(found, record)
        section.records[model.label] = record
        places[record.run_id] = (model.label, section)
    by_result = {id(record.result): record for _, record in pairs}
    for run in runs:
        # To hash a suite takes its time, and what comes from a store has the record's own result.
        record = by_result.get(id(run.result)) or record_of(run)
        if place := places.get(record.run_id):
            label, section = place
            section.runs[label] = _without_tokens(run, label)
    _in_order_of(models, found.values())
    rank = {key: place for place, key in enumerate(order)}
    return sorted(found.values(), key=lambda each: rank[each.key])


def _section_of(found: dict[Hashable, Section], record: RunRecord) -> Section:
    key, sha256 = suite_key(record), record.suite.sha256
    if not sha256:
        same = next((each for each in found.values() if each.key == key), None)
        if same:
            return same
    return found.setdefault((key, sha256), Section(key=key, sha256=sha256))


def _in_order_of(models: Sequence[ReportModel], found: Iterable[Section]) -> None:
    labels = [model.label for model in models]
    for section in found:
        section.records = _ordered(section.records, labels)
        section.runs = _ordered(section.runs, labels)


def _ordered(values: Mapping[str, _T], labels: Sequence[str]) -> dict[str, _T]:
    return {label: values[label] for label in labels if label in values}


def _without_tokens(run: Run, label: str) -> Run:
    surprisals = replace(run.surprisals, sentences=())
    return Run(surprisals=surprisals, result=replace(run.result, model_name=label))
