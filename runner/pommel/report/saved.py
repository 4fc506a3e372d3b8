"""Results as files: a folder of tidy tables with their provenance."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, get_args

from pommel.files.json import WrittenFloat
from pommel.files.text import replacing
from pommel.report.results import Results
from pommel.scoring.results import SuiteResult
from pommel.scoring.run import ResultsTable

if TYPE_CHECKING:
    import pandas as pd


class WithResult(Protocol):
    """A run, or what is kept of one."""

    @property
    def result(self) -> SuiteResult:
        """What it found."""
        ...


def save_results(
    results: Results,
    folder: Path,
    *,
    complete: bool = True,
    failed: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write one CSV a table and `runs.json`; return the files.

    `runs.json` has the provenance of every run, and says whether all that was asked for is there,
    and which models have failed (reference to message).
    All files are there, or none: those of an earlier run stay together if the disk refuses, which
    raises `PommelError`.
    """
    failures = [{"model": model, "error": error} for model, error in (failed or {}).items()]
    summary = {"complete": complete, "failed": failures, "runs": runs_to_json(results.runs)}
    texts = {f"{table}.csv": to_csv(results.to_frame(table)) for table in get_args(ResultsTable)}
    texts["runs.json"] = json.dumps(summary, ensure_ascii=False, indent=2) + "\n"
    with contextlib.ExitStack() as stack:
        # Every file is written beside its place before the first one is moved there.
        for name, text in texts.items():
            aside = stack.enter_context(replacing(folder / name))
            aside.write_text(text, encoding="utf-8", newline="")
    return [folder / name for name in texts]


def to_csv(frame: "pd.DataFrame", *, separator: str = ",") -> str:
    """Return a table as CSV: quotes where needed, line feeds, nothing for a missing value."""
    return frame.to_csv(index=False, sep=separator, lineterminator="\n")


def frame_to_json(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return a table's rows as plain JSON values: null for a missing value, 1e999 for infinity."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(key): WrittenFloat.of(value) for key, value in row.items()} for row in rows]


def runs_to_json(runs: Sequence[WithResult]) -> list[dict[str, Any]]:
    """Return what each run found and where it comes from, as plain JSON values."""
    return [_run_to_json(run) for run in runs]


def _run_to_json(run: WithResult) -> dict[str, Any]:
    result = run.result
    return {
        "model_name": result.model_name,
        "family": result.membership.to_dict() if result.membership else None,
        "suite": result.suite_name,
        "circuit": result.circuit,
        "score_rule": result.score_rule,
        "n_items": result.n_items,
        "score": WrittenFloat.of(result.score),
        "predictions": [
            {
                "prediction_id": each.prediction_id,
                "formula": each.formula,
                "description": each.description,
                "n_holding": each.n_holding,
                "n_ties": each.n_ties,
                "n_undefined": each.n_undefined,
                "n_unscored": each.n_unscored,
                "n_oov": each.n_oov,
                "n_skipped": each.n_skipped,
            }
            for each in result.predictions
        ],
        "provenance": dict(result.provenance),
    }
