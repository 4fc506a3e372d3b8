"""What chance is on the suites of Hu et al. (2020); test_reproducing.py has their scores."""

from pathlib import Path

import pytest
from scipy.stats import binomtest

from pommel.analysis.accuracy import Accuracies
from pommel.analysis.asking import Settings
from pommel.scoring.run_record import RunRecord
from pommel.store.imports.results import read_results

FEW = Settings(n_resamples=99)


@pytest.fixture
def records(shared_data: Path) -> list[RunRecord]:
    files = sorted((shared_data / "hu2020" / "per_item").glob("*_grnn_*.csv"))
    return list(read_results(files, form="hu2020").records)


def test_chance_is_what_the_formulas_of_the_suites_say(records: list[RunRecord]) -> None:
    rows = {
        row.unit.suite: row
        for row in Accuracies.of(records, "suite", FEW).rows
        if not row.is_family
    }
    assert len(rows) == 33
    assert {name: row.chance for name, row in rows.items()}["number_orc"] == 0.25
    assert rows["number_orc"].p_above == pytest.approx(
        binomtest(8, 19, 0.25, alternative="greater").pvalue
    )
    assert {row.chance for row in rows.values()} == {1 / 2, 1 / 4, 5 / 16, 5 / 24}
