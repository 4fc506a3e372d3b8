"""A report of a small demo, and a browser that opens it."""

from pathlib import Path

import pytest
from tests.builders import make_suite
from tests.word_model import WordModel

from pommel.api import load_model, load_suite
from pommel.report.page import write_report
from pommel.scoring.run import Run, run_suites
from pommel.scoring.run_record import RunRecord


@pytest.fixture(scope="session")
def demo_runs() -> list[Run]:
    """Two shipped models on two shipped suites, and a suite of one's own in Hebrew."""
    suites = [load_suite("number_prep"), load_suite("fgd_subject")]
    runs = [
        run
        for name in ("en-gpt2", "en-ngram")
        for run in run_suites(load_model(f"builtin://{name}"), suites)
    ]
    hebrew = make_suite(
        [
            {"sg": ("הילד", "ישן", "."), "pl": ("הילד", "ישנים", ".")},
            {"sg": ("הילדה", "רצה", "."), "pl": ("הילדה", "רצות", ".")},
        ],
        ["(2;%sg%) < (2;%pl%)", "(*;%sg%) < (*;%pl%)"],
        name="hebrew",
        language="he",
        circuit="agreement",
    )
    return [*runs, *run_suites(WordModel(bits={"ישן": 1.5, "רצות": 0.5}), [hebrew])]


@pytest.fixture(scope="session")
def demo_records(demo_runs: list[Run]) -> list[RunRecord]:
    """The records of the demo."""
    return [RunRecord.of(run) for run in demo_runs]


@pytest.fixture(scope="session")
def demo(
    demo_runs: list[Run], demo_records: list[RunRecord], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The report of the demo."""
    path = tmp_path_factory.mktemp("report") / "demo.html"
    write_report(demo_records, demo_runs, path, title="The demo")
    return path
