"""`pommel run --limit`: the first items of suites, which nothing takes for whole ones."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

from pommel.suite import LoadedSuite, Suite

DUMMY = "dummy://uniform?bits=1"
SUITE, CIRCUIT = "agreement (first 2 of 3)", "(first 2 items)"


@pytest.fixture
def limited(pommel: Pommel, suite_file: Path, here: Path) -> Path:
    """A folder in which two items have been run, and are kept."""
    assert pommel("run", DUMMY, suite_file, "--limit", "2", "-o", "out").status == 0
    return here


def test_the_table_says_so(pommel: Pommel, suite_file: Path) -> None:
    done = pommel("run", DUMMY, suite_file, "--limit", "2", "--no-store")
    assert SUITE in done.stdout
    (row,) = pommel("run", DUMMY, suite_file, "--limit", "2", "--format", "csv").rows()
    assert (row["suite"], row["circuit"], row["n_items"]) == (SUITE, CIRCUIT, "2")


def test_a_suite_that_has_no_more_items_is_a_whole_one(pommel: Pommel, suite_file: Path) -> None:
    whole, same = (
        pommel("run", DUMMY, suite_file, *more).stdout for more in ((), ("--limit", "3"))
    )
    assert whole == same
    assert "first" not in whole


def test_files_and_their_provenance_say_so(limited: Path) -> None:
    for table in ("suites", "predictions", "regions", "tokens"):
        rows = list(csv.DictReader((limited / "out" / f"{table}.csv").read_text().splitlines()))
        assert {row["suite"] for row in rows} == {SUITE}
    (run,) = json.loads((limited / "out" / "runs.json").read_text())["runs"]
    suite = run["provenance"]["suite"]
    assert (suite["name"], suite["n_items"], suite["first_items_of"]) == (SUITE, 2, 3)


def test_the_store_keeps_it_beside_the_whole_run(
    pommel: Pommel, limited: Path, suite_file: Path
) -> None:
    assert pommel("run", DUMMY, suite_file).status == 0
    rows = pommel("runs", "list", "--format", "csv").rows()
    assert [(row["suite"], row["n_items"]) for row in rows] == [("agreement", "3"), (SUITE, "2")]
    shown = pommel("runs", "show", rows[1]["run_id"]).stdout
    assert f"suite       {SUITE}" in shown
    assert "suite.first_items_of" in shown
    assert limited.is_dir()


@pytest.mark.usefixtures("limited")
def test_analyses_leave_it_out_where_a_whole_suite_was_run(
    pommel: Pommel, suite_file: Path
) -> None:
    asked = ("stats", "accuracy", "--format", "csv")
    alone = pommel(*asked)
    assert [row["suite"] for row in alone.rows()] == [SUITE]
    pommel("run", DUMMY, suite_file)
    both = pommel(*asked)
    assert [row["suite"] for row in both.rows()] == ["agreement"]
    assert both.stderr == (
        "note: 1 run left out with only the first items of a suite (uniform-1 on "
        f"{SUITE}); --run chooses others\n"
    )
    by_id = pommel("runs", "list", "--suite", "*first*", "--format", "csv").rows()[0]["run_id"]
    named = pommel(*asked, "--run", by_id)
    assert ([row["suite"] for row in named.rows()], named.stderr) == ([SUITE], "")


@pytest.mark.usefixtures("limited")
def test_it_is_compared_with_no_whole_run(pommel: Pommel, suite_file: Path) -> None:
    pommel("run", "dummy://", suite_file)
    assert pommel("compare", "uniform-1", "dummy").status == 2


@pytest.mark.full
def test_a_page_says_so(pommel: Pommel, limited: Path) -> None:
    pytest.importorskip("altair")
    assert pommel("report", "-o", limited / "page.html").status == 0
    assert SUITE in (limited / "page.html").read_text("utf-8")


@pytest.mark.usefixtures("limited")
def test_it_is_submitted_nowhere(pommel: Pommel, here: Path) -> None:
    done = pommel("submit", "--by", "me", "-o", "x.pommel.zip")
    assert done.failure(2) == (
        f"{SUITE}: only its first items were run (--limit), and a board has whole suites; run it "
        "without --limit"
    )
    assert not (here / "x.pommel.zip").exists()


def test_in_python_too(suite_file: Path) -> None:
    suite = LoadedSuite.read(suite_file).suite
    first = suite.first_items(2)
    assert [item.number for item in first.items] == [1, 2]
    assert (first.name, first.circuit, first.first_items_of) == (SUITE, CIRCUIT, 3)
    whole = [Suite.whole_name(each) for each in (first.name, first.circuit, suite.name)]
    assert whole == [suite.name, suite.circuit, suite.name]
    assert first.sha256 != suite.sha256
    modified = replace(suite, meta={**suite.meta, "modifier_of": "base"}).first_items(2)
    # So that first items are compared with first items.
    assert (first.modifier_of, modified.modifier_of) == ("", "base (first 2 of 3)")
    assert suite.first_items(3) is suite
    assert LoadedSuite.parse(first.to_text(), file="x").suite == first
