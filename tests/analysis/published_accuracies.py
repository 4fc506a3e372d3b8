"""Published accuracies as records, read with the csv module and nothing of pommel's."""

import csv
from pathlib import Path

from tests.analysis.records import record

from pommel.scoring.run_record import RunRecord


def multilingual_records(shared_data: Path) -> list[RunRecord]:
    """Return the accuracies of Kryvosheieva and Levy (2025), people's among them."""
    with (shared_data / "multilingual" / "accuracies.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        record(
            row["model"],
            suite,
            share=float(row[suite]),
            n_parameters=int(row["params"]) if row["params"] else None,
            language=suite.split("-")[0],
        )
        for row in rows
        for suite in row
        if suite not in ("model", "params")
    ]
