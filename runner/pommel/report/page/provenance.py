"""Where the numbers come from: models, suites and runs, as `runs.json` has them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pommel.analysis import grouped
from pommel.errors import counted
from pommel.report.page.sections import ReportModel
from pommel.scoring import RunRecord


class SuiteProvenance(NamedTuple):
    """A version of a suite, and how many models were run on it."""

    language: str
    name: str
    version: str
    sha256: str
    circuit: str
    n_items: int
    n_models: int


def model_provenance(models: Sequence[ReportModel]) -> dict[str, list[tuple[str, str]]]:
    """Return what is known of each model, by label: a term and a text each.

    Families have no runs of their own.
    """
    return {model.label: [*_facts(model)] for model in models if not model.is_family}


def suite_provenance(models: Sequence[ReportModel]) -> list[SuiteProvenance]:
    """Return the suites in all versions that were run, sorted by language and name."""

    def version(record: RunRecord) -> tuple[str, str, str, str]:
        suite = record.suite
        return suite.language, record.result.suite_name, suite.version, suite.sha256

    found = grouped((record for model in models for record in model.records), version)
    return [
        SuiteProvenance(*key, own[0].result.circuit, own[0].result.n_items, len(own))
        for key, own in sorted(found.items(), key=lambda each: each[0])
    ]


def run_rows(models: Sequence[ReportModel]) -> list[dict[str, str]]:
    """Return a row a run."""
    return [
        {
            "run_id": record.run_id,
            "model": model.label,
            "suite": record.result.suite_name,
            "language": record.suite.language,
            "suite_version": record.suite.version,
            "suite_sha256": record.suite.sha256,
            "score_rule": record.result.score_rule,
            "policy_fingerprint": str(record.policy.get("fingerprint") or ""),
            "source": record.source,
            "date": record.created,
        }
        for model in models
        for record in model.records
    ]


def time_span(records: Iterable[RunRecord]) -> str:
    """Return when the runs were made: one time, or the first and the last; "" if none is known."""
    times = sorted(record.created for record in records if record.created)
    if not times:
        return ""
    first, last = (
        time.replace("T", " ").replace("+00:00", " UTC") for time in (times[0], times[-1])
    )
    return first if first == last else f"{first} to {last}"


def _facts(model: ReportModel) -> Iterator[tuple[str, str]]:
    records = model.records
    provenances = [record.result.provenance for record in records]
    described = [each.get("model") or {} for each in provenances]
    details = [each.get("details") or {} for each in described]
    for term in ("reference", "kind", "fingerprint"):
        yield from _known(term, (getattr(record.model, term) for record in records))
    for term in ("revision", "dtype", "device"):
        yield from _known(term, (each.get(term) for each in described))
    n_parameters = {record.model.n_parameters for record in records} - {None}
    yield from _known("parameters", (f"{n:,}" for n in sorted(filter(None, n_parameters))))
    for term in sorted({term for each in details for term in each}):
        yield from _known(term, (each.get(term) for each in details))
    if member := records[0].result.membership:
        yield "family", f"{member.family} ({member.axis}: {member.label})"
    choices = [
        {name: each for name, each in {**own.policy, **own.settings}.items() if each}
        for own in records
    ]
    yield from _known("policy", (_listed(each, "=") for each in choices))
    yield from _known("score rule", (record.result.score_rule for record in records))
    for term in ("regions", "pommel"):
        yield from _known(term, (each.get(term) for each in provenances))
    packages = (each.get("packages") or {} for each in provenances)
    yield from _known("packages", (_listed(each, " ") for each in packages))
    yield from _known("Python", (each.get("python") for each in provenances))
    yield from _known("platform", (each.get("platform") for each in provenances))
    yield from _known("source", (each.source for each in records if not each.is_own))
    yield "runs", ", ".join(filter(None, (counted(len(records), "suite"), time_span(records))))


def _known(term: str, values: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Yield what is known, each value once."""
    texts = dict.fromkeys(str(value) for value in values if value not in (None, "", [], {}))
    if texts:
        yield term, "; ".join(texts)


def _listed(values: Mapping[str, object], between: str) -> str:
    return ", ".join(f"{key}{between}{each}" for key, each in values.items())
