"""`pommel stats stability` on runs in a real store."""

from pathlib import Path

from tests.analysis.records import record
from tests.cli.samples import Pommel, save


def test_without_a_pair_there_is_nothing_to_show(pommel: Pommel, own_store: Path) -> None:
    save(own_store, record("m", "s", "1111"), record("m", "t", "1000"))
    outcome = pommel("stats", "stability")
    assert outcome.failure(2) == (
        "no model has run a suite both with and without intervening material; the suite "
        "that has it names the other one in meta.modifier_of"
    )
