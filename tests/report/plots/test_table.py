"""The table of all plots."""

import pytest
from tests.analysis.records import record, seed
from tests.builders import make_suite
from tests.report.plots.drawn import draw
from tests.report.plots.test_regions import run_of

from pommel.analysis import Answer, Complexity, Scaling, SentenceSets, Stability, Training
from pommel.analysis.accuracy import AccuracyAnswer
from pommel.analysis.correlation import PropertyCorrelations
from pommel.errors import UsageError
from pommel.report.plots.table import PLOTS
from pommel.scoring.run_record import RunRecord

SIZES = [
    record(f"m{size}", "s", share=0.5, n_parameters=size, size_family="f") for size in (10, 20)
]


def test_names() -> None:
    assert {name: kind.needs for name, kind in PLOTS.items()} == {
        "regions": "runs",
        "circuits": "records",
        "heat-map": "records",
        "stability": "records",
        "scaling": "records",
        "training": "records",
        "complexity": "records",
        "correlation": "records",
        "auc": "runs",
    }
    assert all(kind.about for kind in PLOTS.values())
    drawn: set[type[Answer]] = {
        AccuracyAnswer,
        Stability,
        Scaling,
        Training,
        Complexity,
        PropertyCorrelations,
        SentenceSets,
    }
    assert {each.plot for each in drawn} == {name for name, kind in PLOTS.items() if kind.chart}


def test_numbers_of_a_file_are_another_command_s() -> None:
    with pytest.raises(UsageError, match="`pommel stats correlate --with FILE"):
        PLOTS["correlation"].draw([])


@pytest.mark.parametrize(
    ("name", "records"),
    [
        ("circuits", [record("m", "s", "110", circuit="c")]),
        ("heat-map", [record("m", "s", "110")]),
        ("stability", [record("m", "s", "11"), record("m", "t", "10", modifier_of="s")]),
        ("scaling", SIZES),
        (
            "training",
            [record(f"m/step{n}", "s", "10", member=seed(n, "m", "step")) for n in (1, 2)],
        ),
        ("complexity", [record("m", "s", "10", complexity=2.0, circuit="c")]),
    ],
)
def test_plots_of_records(
    name: str, records: list[RunRecord], capfd: pytest.CaptureFixture[str]
) -> None:
    kind = PLOTS[name]
    assert kind.needs == "records"
    assert draw(kind.draw(records), capfd).rows


def test_plots_of_runs(capfd: pytest.CaptureFixture[str]) -> None:
    regions, auc = PLOTS["regions"], PLOTS["auc"]
    assert regions.needs == "runs"
    assert auc.needs == "runs"
    assert draw(regions.draw([run_of()]), capfd).rows
    suite = make_suite(unacceptable="mismatch")
    (mean, *templates) = draw(auc.draw([run_of(suite)]), capfd).rows
    assert (mean["auc"], [row["auc"] for row in templates]) == (1, [1])
    # What is no set is left out, and named.
    drawn = draw(auc.draw([run_of(suite), run_of(make_suite(name="other"))]), capfd)
    assert drawn.caption.endswith(" Without suites that have no ungrammatical conditions: other.")
    with pytest.raises(UsageError, match="no suite says which of its conditions"):
        auc.draw([run_of()])
