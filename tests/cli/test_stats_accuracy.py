"""`pommel stats accuracy` on runs in a real store."""

import json
from pathlib import Path

import pytest
from tests.analysis.records import record, seeds
from tests.cli.samples import Pommel, save


@pytest.fixture
def kept(own_store: Path) -> Path:
    """A store with two models on three suites, one of them in two seeds."""
    runs = [
        record("m", "s", ["1111", "1100"], circuit="c"),
        record("m", "t", "10", circuit="c"),
        *seeds("lstm", "s", "1100", "1110", circuit="c"),
    ]
    save(own_store, *runs)
    return own_store


def test_a_run_that_was_made_is_there(pommel: Pommel, suite_file: Path) -> None:
    assert pommel("run", "dummy://uniform?bits=2", suite_file).status == 0
    outcome = pommel("stats", "accuracy", "--format", "csv")
    assert outcome.status == 0
    (row,) = outcome.rows()
    assert (row["level"], row["suite"], row["score_rule"]) == ("suite", "agreement", "all")
    assert (row["n_items"], row["n_holding"], row["n_ties"]) == ("3", "0", "3")
    assert (row["chance"], row["p_below"], row["mark"]) == ("0.5", "0.125", "")
    assert (row["margin_bits"], row["median_margin_bits"]) == ("0.0", "0.0")


@pytest.mark.usefixtures("kept")
def test_json_has_null_for_what_is_missing(pommel: Pommel) -> None:
    rows = json.loads(pommel("stats", "accuracy", "--model", "lstm", "--format", "json").stdout)
    assert [(row["member"], row["sd"]) for row in rows[:2]] == [("seed-1", None), ("seed-2", None)]
    assert (rows[2]["member"], rows[2]["wilson_low"]) == (None, None)
    assert rows[2]["sd"] == pytest.approx(0.1767766952966369)


@pytest.mark.usefixtures("kept")
def test_chance_interval_and_draws_can_be_chosen(pommel: Pommel) -> None:
    chosen = ("--model", "m", "--suite", "t", "--chance", "0.1", "--interval", "exact")
    outcome = pommel("stats", "accuracy", *chosen)
    assert "0.50 [0.01, 0.99]" in outcome.stdout
    assert "95% interval of Clopper and Pearson" in outcome.stdout
    mean = ("stats", "accuracy", "--model", "m", "--by", "circuit", "--format", "csv")
    few = ("--resamples", "99", "--seed")
    assert pommel(*mean, *few, "1").stdout == pommel(*mean, *few, "1").stdout


@pytest.mark.usefixtures("kept")
def test_models_are_drawn_as_one_with_their_spread_over_suites(
    pommel: Pommel, tmp_path: Path
) -> None:
    plot = tmp_path / "plot.json"
    asked = ("--by", "circuit", "--as-one", "both=*", "--sd", "population", "--plot", plot)
    shown = pommel("stats", "accuracy", *asked)
    # On s: .5 of m, .5 and .75 of the seeds; on t: .5 of m alone.
    assert "0.54 ± 0.04" in shown.stdout
    (rows,) = json.loads(plot.read_text("utf-8"))["datasets"].values()
    assert [(row["model"], row["unit"], row["n_suites"]) for row in rows] == [("both", "c", 2)]
    assert (rows[0]["low"], rows[0]["high"]) == pytest.approx((0.5, 7 / 12))


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--as-one", "lstm"), "--as-one lstm: write NAME=GLOB"),
        (("--as-one", "a=n*"), "no model matches 'n*'"),
        (("--chance", "2"), "2.0 is not in the range 0<=x<=1"),
        (("--resamples", "10"), "10 is not in the range x>=99"),
        (("--by", "item"), "'item' is not one of"),
        (("--model", "n"), "--model 'n': no run in the store has such a model"),
    ],
)
def test_what_cannot_be_is_wrong_usage(
    pommel: Pommel, arguments: tuple[str, ...], message: str
) -> None:
    outcome = pommel("stats", "accuracy", *arguments)
    assert outcome.status == 2
    assert message in outcome.stderr
    assert outcome.stdout == ""
