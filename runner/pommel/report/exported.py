"""Stored runs as files: the tables of `pommel run --output`, in one of several formats."""

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pommel.errors import UsageError
from pommel.files.json import to_json
from pommel.files.tables import stacked
from pommel.files.text import replacing
from pommel.report.results import Results
from pommel.report.saved import frame_to_json, runs_to_json, to_csv
from pommel.scoring.family_scores import FamilyScore
from pommel.scoring.results import SuiteResult
from pommel.scoring.run import ResultsTable, Run
from pommel.scoring.run_record import RunRecord

if TYPE_CHECKING:
    import pandas as pd

ExportForm = Literal["csv", "parquet", "json"]

# What only runs with tokens have.
_OF_TOKENS: tuple[ResultsTable, ...] = ("regions", "tokens")


def export_runs(
    records: Sequence[RunRecord], runs: Sequence[Run], folder: Path, form: ExportForm
) -> list[Path]:
    """Write one file a table and `runs.json`; return the files.

    `records` are all runs, `runs` those of them that have tokens. As CSV the files are, byte for
    byte, those of `report.saved.save_results` for the same runs. Where no run has tokens, the two
    tables of them are not written, and those of an earlier export are deleted.
    All files are there, or none: raises `UsageError` if Parquet cannot be written here, and
    `PommelError` for what the disk refuses.
    """
    if form == "parquet" and find_spec("pyarrow") is None:
        raise UsageError("Parquet needs pyarrow: pip install 'pommel[parquet]'")
    frames = _frames(records, runs)
    summary = {"complete": True, "failed": [], "runs": runs_to_json(records)}
    files = []
    with contextlib.ExitStack() as stack:
        # Every file is written beside its place before the first one is moved there.
        for table, frame in frames.items():
            files.append(folder / f"{table}.{form}")
            _WRITERS[form](frame, stack.enter_context(replacing(files[-1])))
        files.append(folder / "runs.json")
        aside = stack.enter_context(replacing(files[-1]))
        text = json.dumps(summary, ensure_ascii=False, indent=2) + "\n"
        aside.write_text(text, encoding="utf-8", newline="")
    for table in _OF_TOKENS:
        if table not in frames:
            (folder / f"{table}.{form}").unlink(missing_ok=True)
    return files


def _frames(records: Sequence[RunRecord], runs: Sequence[Run]) -> dict[str, "pd.DataFrame"]:
    results = [each.result for each in records]
    with_tokens = Results(runs=tuple(runs))
    frames: dict[str, pd.DataFrame] = {
        "suites": SuiteResult.scores_frame(results),
        "predictions": stacked([each.to_frame("predictions") for each in results]),
    }
    frames |= {table: with_tokens.to_frame(table) for table in _OF_TOKENS if runs}
    frames["families"] = FamilyScore.frame(results)
    return frames


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8", newline="")


_WRITERS: Mapping[ExportForm, Callable[["pd.DataFrame", Path], None]] = {
    "csv": lambda frame, path: _write_text(to_csv(frame), path),
    "json": lambda frame, path: _write_text(to_json(frame_to_json(frame), indent=2), path),
    "parquet": lambda frame, path: frame.to_parquet(path, index=False),
}
