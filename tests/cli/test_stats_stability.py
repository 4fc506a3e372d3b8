"""`pommel stats stability` on runs in a real store."""

from pathlib import Path

import pytest
from tests.analysis.records import record
from tests.cli.samples import Pommel, save


def keep(path: Path, *suites: tuple[str, str, str]) -> None:
    save(path, *[record("m", name, holds, modifier_of=base) for name, holds, base in suites])


def test_pairs_and_their_mean(pommel: Pommel, own_store: Path) -> None:
    keep(own_store, ("s", "1111", ""), ("s_mod", "1000", "s"))
    outcome = pommel("stats", "stability", "--format", "csv")
    assert outcome.status == 0
    rows = outcome.rows()
    assert [(row["level"], row["suite"], row["modified_suite"]) for row in rows] == [
        ("pair", "s", "s_mod"),
        ("mean", "", ""),
    ]
    assert {(row["accuracy"], row["modified_accuracy"], row["difference"]) for row in rows} == {
        ("1.0", "0.25", "-0.75")
    }
    assert "-0.75 [-0.95, -0.09]" in pommel("stats", "stability").stdout


@pytest.mark.parametrize("option", ["--resamples", "--seed"])
def test_nothing_is_drawn_and_no_option_says_so(
    pommel: Pommel, own_store: Path, option: str
) -> None:
    keep(own_store, ("s", "1111", ""), ("s_mod", "1000", "s"))
    outcome = pommel("stats", "stability", option, "99")
    assert outcome.status == 2
    assert f"No such option '{option}'" in outcome.stderr


def test_without_a_pair_there_is_nothing_to_show(pommel: Pommel, own_store: Path) -> None:
    keep(own_store, ("s", "1111", ""), ("t", "1000", ""))
    outcome = pommel("stats", "stability")
    assert outcome.failure(2) == (
        "no model has run a suite both with and without intervening material; the suite "
        "that has it names the other one in meta.modifier_of"
    )
