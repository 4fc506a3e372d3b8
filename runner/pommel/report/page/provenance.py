"""Where the numbers come from: models, suites and runs, as `runs.json` has them."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pommel.errors import counted
from pommel.report.page.sections import ReportModel
from pommel.scoring import RunRecord

# A hash's beginning tells it from others to people; files have it whole.
_SHOWN_DIGITS = 12

RUN_COLUMNS = (
    "run_id",
    "model",
    "suite",
    "language",
    "suite_version",
    "suite_sha256",
    "score_rule",
    "policy_fingerprint",
    "source",
    "date",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelProvenance:
    """What is known of a model: a term and a text each; those of which nothing is are left out."""

    label: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteProvenance:
    """A version of a suite, and how many models were run on it."""

    name: str
    language: str
    circuit: str
    version: str
    sha256: str
    n_items: int
    n_models: int


def model_provenance(models: Sequence[ReportModel]) -> list[ModelProvenance]:
    """Return what is known of each model; families have no runs of their own."""
    return [
        ModelProvenance(label=model.label, facts=tuple(_facts(model)))
        for model in models
        if not model.is_family
    ]


def suite_provenance(models: Sequence[ReportModel]) -> list[SuiteProvenance]:
    """Return the suites in all versions that were run, sorted by language and name."""
    found: dict[tuple[str, ...], list[RunRecord]] = {}
    for record in _records(models):
        facts = record.suite
        key = (facts.language, record.result.suite_name, facts.version, facts.sha256)
        found.setdefault(key, []).append(record)
    return [
        SuiteProvenance(
            name=name,
            language=language,
            circuit=own[0].result.circuit,
            version=version,
            sha256=sha256,
            n_items=own[0].result.n_items,
            n_models=len(own),
        )
        for (language, name, version, sha256), own in sorted(
            found.items(), key=lambda each: each[0]
        )
    ]


def run_rows(models: Sequence[ReportModel]) -> list[tuple[str, ...]]:
    """Return a row a run, with the columns `RUN_COLUMNS`."""
    return [
        (
            record.run_id,
            model.label,
            record.result.suite_name,
            record.suite.language,
            record.suite.version,
            record.suite.sha256,
            record.result.score_rule,
            str(record.policy.get("fingerprint") or ""),
            record.source,
            record.created,
        )
        for model in models
        for record in model.records
    ]


def runs_csv(models: Sequence[ReportModel]) -> str:
    """Return the rows of runs as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([RUN_COLUMNS, *run_rows(models)])
    return text.getvalue()


def short_hash(sha256: str) -> str:
    """Return a hash's beginning."""
    return sha256[:_SHOWN_DIGITS]


def time_span(records: Iterable[RunRecord]) -> str:
    """Return when the runs were made: one time, or the first and the last; "" if none is known."""
    times = sorted(record.created for record in records if record.created)
    if not times:
        return ""
    first, last = (
        time.replace("T", " ").replace("+00:00", " UTC") for time in (times[0], times[-1])
    )
    return first if first == last else f"{first} to {last}"


def _records(models: Sequence[ReportModel]) -> Iterator[RunRecord]:
    return (record for model in models for record in model.records)


def _facts(model: ReportModel) -> Iterator[tuple[str, str]]:
    records = model.records
    described = [record.result.provenance.get("model") or {} for record in records]
    first = records[0]
    yield from _known("reference", (record.model.reference for record in records))
    yield from _known("kind", (record.model.kind for record in records))
    yield from _known("fingerprint", (record.model.fingerprint for record in records))
    for key in ("revision", "dtype", "device"):
        yield from _known(key, (each.get(key) for each in described))
    n_parameters = {record.model.n_parameters for record in records} - {None}
    yield from _known("parameters", (f"{n:,}" for n in sorted(filter(None, n_parameters))))
    for key in sorted({key for each in described for key in each.get("details") or {}}):
        yield from _known(key, ((each.get("details") or {}).get(key) for each in described))
    member = first.result.membership
    if member:
        yield "family", f"{member.family} ({member.axis}: {member.label})"
    yield from _known("policy", map(_policy_text, records))
    yield from _known("score rule", (record.result.score_rule for record in records))
    yield from _known("regions", (record.result.provenance.get("regions") for record in records))
    yield from _known("pommel", (record.result.provenance.get("pommel") for record in records))
    yield from _known("packages", map(_packages_text, records))
    yield from _known("Python", (record.result.provenance.get("python") for record in records))
    yield from _known("platform", (record.result.provenance.get("platform") for record in records))
    yield from _known("source", (each.source for each in records if not each.is_own))
    yield "runs", ", ".join(filter(None, (counted(len(records), "suite"), time_span(records))))


def _known(term: str, values: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield what is known, each value once."""
    texts = dict.fromkeys(str(value) for value in values if value not in (None, "", [], {}))
    if texts:
        yield term, "; ".join(texts)


def _policy_text(record: RunRecord) -> str:
    choices = {**record.policy, **record.settings}
    shown = (f"{key}={value}" for key, value in choices.items() if value not in (None, ""))
    return ", ".join(shown)


def _packages_text(record: RunRecord) -> str:
    packages = record.result.provenance.get("packages") or {}
    return ", ".join(f"{name} {version}" for name, version in packages.items())
