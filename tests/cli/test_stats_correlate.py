"""`pommel stats correlate`: from the store to correlations."""

from pathlib import Path

import pytest
from tests.analysis.records import record
from tests.cli.samples import Pommel, save


@pytest.fixture
def filled(own_store: Path) -> None:
    """A store with two models in three languages, one of which lacks a suite in one of them."""
    shares = {"m": (0.5, 0.6, 0.7), "n": (0.9, 0.8, 0.1)}
    records = [
        record(model, f"{language}-s", share=share, language=language, group="s")
        for model, own in shares.items()
        for language, share in zip(("de", "en", "fr"), own, strict=True)
    ]
    records.append(record("n", "de-t", share=0.1, language="de", group="t"))
    save(own_store, *records)


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.csv"
    path.write_text("lang,C,other\nde,1,3\nen,2,2\nfr,3,1\n")
    return path


def test_the_correlations_of_the_paper(pommel: Pommel, shared_data: Path) -> None:
    clams = shared_data / "clams"
    assert pommel("import-results", clams / "table1_table2.csv").status == 0
    with_file = ("--with", clams / "cwals" / "cwals.tsv", "--value", "C_WALS_fig3_vector")

    def rho(model: str, *arguments: str) -> float:
        outcome = pommel(
            *("stats", "correlate", *with_file, "--model", model, *arguments, "--format", "csv")
        )
        (row,) = outcome.rows()
        return float(row["value"])

    assert rho("LSTM mono") == pytest.approx(0.4)
    assert rho("LSTM mono", "--exclude", "de") == pytest.approx(1.0)
    assert rho("mBERT", "--common-suites") == pytest.approx(-0.9)


@pytest.mark.usefixtures("filled")
def test_a_table_for_people(pommel: Pommel, numbers: Path) -> None:
    outcome = pommel("stats", "correlate", "--with", numbers)
    assert outcome.status == 0
    assert "│ m      │   0.50 │   0.60 │   0.70 │     1.00 │  .333 exact │ 3 │" in outcome.stdout
    assert "│ n      │   0.50 │   0.80 │   0.10 │    -0.50 │" in outcome.stdout
    assert outcome.stderr == (
        "note: not the same suites for every language: n; --common-suites leaves out the others\n"
    )
    common = pommel("stats", "correlate", "--with", numbers, "--common-suites")
    assert "│ n      │   0.90 │   0.80 │   0.10 │    -1.00 │" in common.stdout
    assert common.stderr == ""


@pytest.mark.usefixtures("filled")
def test_columns_coefficients_and_keys_may_be_chosen(pommel: Pommel, numbers: Path) -> None:
    chosen = ("--key", "lang", "--value", "other", "--coefficient", "pearson", "--exclude", "de")
    outcome = pommel(
        *("stats", "correlate", "--with", numbers, *chosen, "--model", "m", "--format", "csv")
    )
    assert outcome.rows() == [
        {
            "models": "m",
            "level": "language",
            "coefficient": "pearson",
            "n": "2",
            "value": "-1.0",
            "p": "",
            "p_method": "",
            "average": "suites",
        }
    ]


@pytest.mark.usefixtures("filled")
def test_pairs_of_models_and_what_has_no_number(pommel: Pommel, tmp_path: Path) -> None:
    path = tmp_path / "models.csv"
    path.write_text("model,loss\nm,2.5\nzz,1\n")
    outcome = pommel(
        *("stats", "correlate", "--with", path, "--by", "model", "--table", "pairs"),
        *("--format", "csv"),
    )
    (row,) = outcome.rows()
    assert (row["key"], row["value"], row["n_suites"]) == ("m", "2.5", "3")
    assert outcome.stderr == (
        f"note: left out, with no number in {path}: n\n"
        "note: left out, with a number, but no run: zz\n"
    )


@pytest.mark.usefixtures("filled")
def test_what_cannot_be_asked_for(pommel: Pommel, numbers: Path, tmp_path: Path) -> None:
    neither = pommel("stats", "correlate")
    assert neither.failure(2) == "say what accuracy is compared with: --with FILE"
    column = pommel("stats", "correlate", "--with", numbers, "--value", "CC")
    assert column.failure(3) == f"{numbers}:1:1: there is no column 'CC'; there are lang, C, other"
    absent = pommel("stats", "correlate", "--with", tmp_path / "none.csv")
    assert absent.failure(3) == f"{tmp_path / 'none.csv'}: No such file or directory"
    numbers.write_text("lang,C\nxx,1\n")
    nothing = pommel("stats", "correlate", "--with", numbers)
    assert nothing.status == 2
    assert nothing.stderr.splitlines()[-1] == (
        "pommel: no language has both a number and an accuracy"
    )
