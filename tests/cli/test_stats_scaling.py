"""`pommel stats scaling`: from the store to slopes."""

import csv
from pathlib import Path

import pytest
from tests.analysis.records import record
from tests.cli.samples import Pommel, save

BILLION = 10**9
NAMES = "bloom-1b, bloom-3b, xglm-1b, xglm-2b, human, xglm-big"


@pytest.fixture
def filled(own_store: Path) -> None:
    """A store with two families, a model of none and one of unknown size."""
    shares = {"bloom-1b": (1, 0.5), "bloom-3b": (3, 0.75), "xglm-1b": (1, 0.5), "xglm-2b": (2, 1.0)}
    records = [
        record(name, "s", share=share, n_parameters=size * BILLION)
        for name, (size, share) in shares.items()
    ]
    records += [record("human", "s", share=1.0), record("xglm-big", "s", share=1.0)]
    save(own_store, *records)


FAMILIES = ("--family", "BLOOM=bloom*", "--family", "XGLM=xglm-*")


def test_the_slopes_of_the_paper(pommel: Pommel, shared_data: Path) -> None:
    folder = shared_data / "multilingual"
    assert pommel("import-results", folder / "accuracies.csv", "--name", "multilingual").status == 0
    outcome = pommel(
        *("stats", "scaling", "--source", "multilingual", "--exclude-model", "xglm-4.5B"),
        *("--family", "mGPT=mGPT-*", *FAMILIES, "--family", "XLM-R=xlmr-*", "--format", "csv"),
    )
    found = {
        (row["family"], row["name"]): f"{float(row['slope_percent']):.3f}" for row in outcome.rows()
    }
    published = list(csv.DictReader((folder / "performance_vs_size.csv").read_text().splitlines()))
    assert found == {(row[""], suite): row[suite] for row in published for suite in row if suite}
    assert outcome.stderr == "note: left out, of no family (--family says which): human, mbert\n"


@pytest.mark.usefixtures("filled")
def test_a_table_for_people(pommel: Pommel) -> None:
    outcome = pommel("stats", "scaling", *FAMILIES)
    assert outcome.status == 0
    assert "│ s     │        12.500 │       50.000 │  31.250 │" in outcome.stdout
    assert outcome.stderr == (
        "note: left out, of no family (--family says which): human\n"
        "note: left out, of unknown size: xglm-big\n"
    )


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (),
            "no model is of a family and of known size; --family NAME=GLOB makes one",
        ),
        (("--family", "bloom*"), "--family bloom*: write NAME=GLOB, such as BLOOM='bloom*'"),
        (
            ("--family", "OPT=opt*"),
            f"no model matches 'opt*'; there are {NAMES}",
        ),
        (("--exclude-model", "*"), "--exclude-model leaves no model"),
    ],
)
def test_what_cannot_be_asked_for(pommel: Pommel, arguments: tuple[str, ...], message: str) -> None:
    outcome = pommel("stats", "scaling", *arguments)
    assert (outcome.status, outcome.stdout) == (2, "")
    assert outcome.stderr.splitlines()[-1] == f"pommel: {message}"
