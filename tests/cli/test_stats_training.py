"""`pommel stats training`: from the store to the steps at which something is learnt."""

from pathlib import Path

import pytest
from tests.analysis.records import record, seed
from tests.cli.samples import Pommel, save


@pytest.fixture
def filled(own_store: Path) -> None:
    """A store with three steps of a family on two suites, of which the last lacks one."""
    counts = {("s", 10): 10, ("s", 200): 16, ("s", 3000): 20, ("t", 10): 5, ("t", 200): 10}
    records = [
        record(f"p/step-{n}", suite, "1" * held + "0" * (20 - held), member=seed(n, "p", "step"))
        for (suite, n), held in counts.items()
    ]
    save(own_store, *records, record("other", "s", "10"))


@pytest.mark.usefixtures("filled")
def test_how_much_has_to_be_reached_and_what_is_chance(pommel: Pommel) -> None:
    outcome = pommel(*("stats", "training", "--reach", "75", "--chance", "0.25", "--format", "csv"))
    (first, _) = outcome.rows()
    assert (first["name"], first["reached_from"], first["above_chance_from"]) == (
        "s",
        "200.0",
        "10.0",
    )


@pytest.mark.usefixtures("filled")
def test_points_of_means_and_what_they_leave_out(pommel: Pommel) -> None:
    outcome = pommel(
        *("stats", "training", "--by", "all", "--table", "points"),
        *("--format", "csv"),
    )
    assert outcome.stderr == "note: left out, not run on all suites of a mean: p/step-3000\n"
    found = [(row["member"], row["accuracy"], row["n_items"]) for row in outcome.rows()]
    assert found == [("step-10", "0.375", "40"), ("step-200", "0.65", "40")]
    people = pommel("stats", "training", "--by", "all", "--table", "points")
    assert "│ 200  │ 0.65 [" in people.stdout


@pytest.mark.usefixtures("filled")
def test_a_family_of_steps_is_needed(pommel: Pommel) -> None:
    outcome = pommel("stats", "training", "--model", "other")
    assert (outcome.status, outcome.stdout) == (2, "")
    assert outcome.stderr == (
        "pommel: no run is of a family of steps or epochs; a reference with a pattern names one "
        "('MODEL@step{1000..3000..1000}')\n"
    )
