"""`pommel import-results`: what others have published, kept as runs."""

import json
import shlex
from pathlib import Path

import pytest
from tests.analysis.records import record
from tests.cli.samples import Pommel, save

from pommel.cli.import_results import command
from pommel.scoring.run_record import RunRecord
from pommel.store import Selection, Store

ITEMS = "model,suite,item,result\nm-1,s,1,1\nm-1,s,2,0\nm-2,s,1,1\nm-2,s,2,1\n"


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """A file with results of two models."""
    path = tmp_path / "theirs.csv"
    path.write_text(ITEMS)
    return path


def kept(store: Path) -> list[RunRecord]:
    """Return what a store holds."""
    with Store.open(store, read_only=True) as opened:
        return opened.runs.records(Selection(complete_only=False))


def test_results_are_kept_and_told(pommel: Pommel, items: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    outcome = pommel("import-results", items, "--store", store, "--format", "csv")
    assert outcome.status == 0
    assert outcome.stderr == f"2 runs of 2 models on 1 suite, as theirs: {store}\n"
    assert outcome.stdout == (
        "source,model_name,family,size_family,n_parameters,n_suites,n_items\n"
        "theirs,m-1,,,,1,2\n"
        "theirs,m-2,,,,1,2\n"
    )
    records = {record.result.model_name: record for record in kept(store)}
    assert records["m-1"].result.predictions[0].results == (True, False)
    assert records["m-2"].source == "theirs"
    provenance = records["m-2"].result.provenance
    assert (provenance["format"], provenance["files"][0]["name"]) == ("items", "theirs.csv")
    listed = pommel("stats", "accuracy", "--store", store, "--format", "csv").stdout
    assert [line.split(",")[1] for line in listed.splitlines()[1:]] == ["m-1", "m-2"]


def test_importing_again_replaces(pommel: Pommel, items: Path, own_store: Path) -> None:
    assert pommel("import-results", items, "--name", "x").status == 0
    items.write_text(ITEMS.replace("m-1,s,2,0", "m-1,s,2,1"))
    outcome = pommel("import-results", items, "--name", "x")
    assert outcome.stderr.splitlines()[0] == "note: 2 runs took the place of earlier ones"
    assert [record.result.score for record in kept(own_store)] == [1.0, 1.0]
    # Read in another way, the same file gives other runs; those of before are not lost.
    outcome = pommel("import-results", items, "--name", "x", "--score", "first")
    assert outcome.stderr.splitlines()[0] == (
        "note: 2 runs that an earlier import of these files made stay; `pommel runs delete "
        "--source x` deletes all from x"
    )
    assert len(kept(own_store)) == 4


def test_a_dry_run_keeps_nothing(pommel: Pommel, items: Path, own_store: Path) -> None:
    outcome = pommel("import-results", items, "--dry-run")
    assert outcome.status == 0
    assert outcome.stderr == (
        "2 runs of 2 models on 1 suite, as theirs: nothing is kept (--dry-run)\n"
    )
    assert not own_store.exists()


def test_faults_are_told_and_nothing_is_kept(
    pommel: Pommel, items: Path, tmp_path: Path, own_store: Path
) -> None:
    other = tmp_path / "other.csv"
    other.write_text(ITEMS + "m-3,s,x,1\nm-3,s,2,maybe\n")
    outcome = pommel("import-results", items, other, "--name", "x")
    assert outcome.status == 3
    assert outcome.stderr.startswith(f"pommel: {other}:6:7: 'x' is no number of an item; ")
    assert f"\n{other}:7:9: 'maybe' is neither true nor false; " in outcome.stderr
    assert not own_store.exists()
    outcome = pommel("import-results", tmp_path / "missing.csv")
    assert outcome.status == 3
    assert outcome.stderr.endswith("missing.csv: No such file or directory\n")


def test_shares_sizes_and_families(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("model,params,s\nhuman,,0.980\nbloom-1b,1e9,0.5\nbloom-7b,7e9,0.75\n")
    outcome = pommel(
        "import-results", path, "--items", "1000", "--items", "human=50", "--format", "json"
    )
    rows = {row["model_name"]: row for row in json.loads(outcome.stdout)}
    assert rows["bloom-7b"] == {
        "source": "matrix",
        "model_name": "bloom-7b",
        "family": None,
        "size_family": "bloom",
        "n_parameters": 7_000_000_000,
        "n_suites": 1,
        "n_items": 1000,
    }
    assert (rows["human"]["n_items"], rows["human"]["size_family"]) == (50, None)
    outcome = pommel("import-results", path, "--size-family", "BLOOM=bloom-*")
    assert "BLOOM" in outcome.stdout
    assert "│ human    │        │             │             - │      1 │     - │" in outcome.stdout
    assert {record.model.size_family for record in kept(own_store)} == {"", "BLOOM"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--items", "0"], "--items 0: write a number from 1 up, or MODEL=NUMBER"),
        (
            ["--items", "5", "--items", "6"],
            "--items stands there twice without a model; write MODEL=NUMBER",
        ),
        (["--column", "item"], "--column item: write it like item=pair_id"),
        (["--size-family", "=x"], "--size-family =x: write it like BLOOM=bloom*"),
        (["--language", "English"], "--language: 'English' is no language tag; did you mean en?"),
        (["--size-family", "M=m*", "--size-family", "N=m-1"], "m-1 cannot be of M and of N"),
        (["--name", ""], "--name cannot be empty"),
        (["--items", "5"], "items has no --items: its files say how many there are, or nobody"),
        (["--chance", "2"], "Invalid value for '--chance': 2.0 is not in the range 0<=x<=1."),
        (["--from", "gevalm"], "there is no column 'case'"),
    ],
)
def test_wrong_usage(pommel: Pommel, items: Path, options: list[str], message: str) -> None:
    outcome = pommel("import-results", items, *options)
    assert outcome.status == (3 if options[0] == "--from" else 2)
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr


def examples() -> list[str]:
    """Return the command lines that the help shows."""
    lines = map(str.strip, (command.help or "").splitlines())
    return [line for line in lines if line.startswith("pommel import-results ")]


def test_there_are_examples() -> None:
    assert len(examples()) == 4


@pytest.mark.parametrize("line", examples())
def test_the_examples_of_the_help_work(
    pommel: Pommel, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hu2020.csv").write_text("model,suite,item,correct\ngrnn__1,mvrr,0,True\n")
    (tmp_path / "accuracies.csv").write_text("model,s\nm,0.512\n")
    (tmp_path / "theirs.csv").write_text("model,suite,pair,acc\nm,s,1,1\n")
    (tmp_path / "losses.tsv").write_text("model\tsuite\tl1\tl2\nm\ts\t2.5\t3\n")
    outcome = pommel(*shlex.split(line)[1:])
    assert outcome.status == 0, outcome.stderr


def test_what_is_said_of_families_goes_before_what_the_file_says(
    pommel: Pommel, items: Path, own_store: Path
) -> None:
    items.write_text("model,suite,item,result,size_family\nm-1,s,1,1,X\nn,s,1,1,X\n")
    assert pommel("import-results", items, "--size-family", "M=m-*").status == 0
    found = {each.result.model_name: each.model.size_family for each in kept(own_store)}
    assert found == {"m-1": "M", "n": "X"}


def test_columns_that_mean_nothing_are_named(pommel: Pommel, items: Path, own_store: Path) -> None:
    items.write_text("model,suite,item,result,noise,rt\nm,s,1,1,0.2,3\n")
    outcome = pommel("import-results", items)
    line = "left out the columns noise, rt, which mean nothing here"
    assert outcome.stderr.splitlines()[0] == f"note: {line}"
    assert [each.result.provenance["steps"] for each in kept(own_store)] == [[line]]


def test_chance_is_said_or_unknown(pommel: Pommel, items: Path, own_store: Path) -> None:
    for options, chance in (([], ""), (["--chance", "0.25"], "0.25"), (["--chance", "0"], "0.0")):
        assert pommel("import-results", items, *options).status == 0
        outcome = pommel("stats", "accuracy", "--format", "csv")
        found = outcome.rows()
        assert [(row["chance"], bool(row["p_above"])) for row in found] == [
            (chance, bool(chance))
        ] * 2
    assert {record.suite.chance for record in kept(own_store)} == {0.0}


@pytest.mark.parametrize("name", ["=SUM(1)", "-x", "'-x", "a;=b", "'tis"])
def test_names_that_spreadsheets_are_kept_from_come_back(
    pommel: Pommel, tmp_path: Path, own_store: Path, name: str
) -> None:
    save(own_store, record(name, "s", ["1101"]))
    path, other = tmp_path / "own.csv", tmp_path / "other.sqlite"
    assert pommel("stats", "items", "-o", path).status == 0
    assert pommel("import-results", path, "--store", other).status == 0
    assert [each.result.model_name for each in kept(other)] == [name]


def test_what_stats_items_prints_comes_back(
    pommel: Pommel, tmp_path: Path, own_store: Path
) -> None:
    both = ["(1;%a%) < (1;%b%)", "(2;%a%) < (2;%b%)"]
    save(own_store, record("m", "s", ["11-0", "1101"], formulas=both))
    path = tmp_path / "own.csv"
    assert pommel("stats", "items", "-o", path).status == 0
    other = tmp_path / "other.sqlite"
    assert pommel("import-results", path, "--store", other).status == 0
    rows = [
        outcome.rows()[0]
        for outcome in (
            pommel("stats", "accuracy", "--store", store, "--format", "csv")
            for store in (own_store, other)
        )
    ]
    assert rows[0]["chance"] == "0.25"
    assert {**rows[0], "source": "own"} == rows[1]
