"""What runs are called in plots, so that no two share a name."""

from collections.abc import Sequence
from dataclasses import dataclass

from pommel.analysis.models_compared import subjects
from pommel.report.plots.theme import single_line
from pommel.scoring.run import Run
from pommel.scoring.run_record import record_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NamedRun:
    """A run, and what its model is called among the others."""

    label: str
    run: Run


def named_runs(runs: Sequence[Run]) -> list[NamedRun]:
    """Return the runs with names, as analyses name and choose them (see `subjects`)."""
    records = [(record_of(run), run) for run in runs]
    by_id = {record.run_id: run for record, run in records}
    return [
        NamedRun(label=single_line(subject.label), run=by_id[record.run_id])
        for subject in subjects([record for record, _ in records])
        for record in subject.records
    ]
