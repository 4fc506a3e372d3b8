"""`pommel stats complexity`: from the store to accuracies by complexity."""

import json
from pathlib import Path

import pytest
from tests.analysis.records import record
from tests.cli.samples import Pommel, save

SHARES = {"a": (0.5, 0.75), "b": (0.25, 0.5), "c": (0.5, 0.25)}


@pytest.fixture
def filled(own_store: Path) -> None:
    """A store with two models of a family on three suites; two say how complex they are."""
    records = [
        record(
            model,
            suite,
            share=share,
            size_family="F",
            circuit="verb",
            complexity={"a": 0.0, "b": 1.0, "c": None}[suite],
        )
        for suite, own in SHARES.items()
        for model, share in zip(("m", "n"), own, strict=True)
    ]
    save(own_store, *records)


@pytest.mark.usefixtures("filled")
def test_a_file_may_say_it(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "complexity.tsv"
    path.write_text("suite\tcomplexity\tseries\na\t0\tx\nc\t2\tx\nb\t1\ty\n")
    outcome = pommel("stats", "complexity", "--complexity", path, "--format", "csv")
    assert outcome.stderr == ""
    found = [(row["models"], row["series"], row["complexity"]) for row in outcome.rows()]
    assert found == [
        ("m", "x", "0.0"),
        ("m", "x", "2.0"),
        ("n", "x", "0.0"),
        ("n", "x", "2.0"),
        ("m", "y", "1.0"),
        ("n", "y", "1.0"),
    ]
    trends = pommel(
        *("stats", "complexity", "--complexity", path, "--table", "trends", "--format", "csv")
    )
    slopes = [row["slope_percent"] for row in trends.rows()]
    assert slopes == ["0.0", "-25.0", "", ""]


@pytest.mark.usefixtures("filled")
def test_what_cannot_be_asked_for(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "complexity.csv"
    path.write_text("suite,complexity\na,low\n")
    faulty = pommel("stats", "complexity", "--complexity", path)
    assert (faulty.status, faulty.stdout) == (3, "")
    assert faulty.stderr.startswith(f"pommel: {path}:2:3: 'low' is no number; ")
    path.write_text("suite,complexity\nz,1\n")
    none = pommel("stats", "complexity", "--complexity", path)
    assert none.failure(2) == f"{path}: none of its suites has a run"
    unknown = pommel("stats", "complexity", "--suite", "c")
    assert unknown.failure(2) == (
        "no suite says how complex it is (meta.complexity); --complexity FILE does instead"
    )
    both = pommel("stats", "complexity", "--complexity", path, "--difference", "a", "b")
    assert both.failure(2) == "--difference compares two suites; it needs no --complexity"
    missing = pommel("stats", "complexity", "--difference", "a", "zz")
    assert missing.failure(2) == "no run is on the suite 'zz'"


@pytest.mark.usefixtures("filled")
def test_what_was_asked_for_is_drawn_too(pommel: Pommel, tmp_path: Path) -> None:
    plot = tmp_path / "family.json"
    asked = ("stats", "complexity", "--pool", "family", "--plot", plot, "--format", "csv")
    assert [row["models"] for row in pommel(*asked).rows()] == ["F", "F"]
    (rows,) = json.loads(plot.read_text("utf-8"))["datasets"].values()
    assert [(row["complexity"], row["accuracy"], row["n_models"]) for row in rows] == [
        (0.0, 0.625, 2),
        (1.0, 0.375, 2),
    ]


@pytest.mark.usefixtures("filled")
def test_what_cannot_be_drawn(pommel: Pommel, tmp_path: Path) -> None:
    plot = tmp_path / "plot.svg"
    differences = ("stats", "complexity", "--difference", "a", "b", "--plot", plot)
    why = pommel(*differences).failure(2)
    assert why.startswith("of this there is no plot; --plot is for accuracy, auc, ")
    nameless = pommel("stats", "complexity", "--plot", tmp_path / "plot")
    assert nameless.failure(2).endswith("end the name so")
    assert not plot.exists()
