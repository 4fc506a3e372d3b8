"""`pommel runs merge`."""

from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.store.run_samples import agreement
from tests.store.test_merging import changed, kept, said
from tests.word_model import WordModel

from pommel.store import Store


@pytest.fixture
def colleagues(tmp_path: Path) -> list[Path]:
    """Two stores that share a sentence, of which one is turned."""
    one = kept(tmp_path / "one", [agreement()])
    two = kept(tmp_path / "two", [agreement("two")], WordModel(bits={"bark": 4.5}))
    for path in (one, two):
        changed(path, None, path.name)
    return [one, two]


def test_what_stores_have_comes_together(pommel: Pommel, tmp_path: Path) -> None:
    stores = [kept(tmp_path / each, [agreement(), agreement(each)]) for each in ("one", "two")]
    target = tmp_path / "all"
    outcome = pommel("runs", "merge", *map(str, stores), "--store", str(target))
    assert (outcome.status, outcome.stderr) == (0, f"Merged: {target}\n")
    assert outcome.stdout == (
        "runs                3 of 4 are new\nsurprisals          6 of 12 are new\n"
    )
    again = pommel("runs", "merge", str(stores[0]), "--store", str(target))
    assert again.stdout == (
        "runs                0 of 2 are new\nsurprisals          0 of 6 are new\n"
    )
    listed = pommel("runs", "list", "--format", "csv", "--store", str(target)).stdout
    assert len(listed.splitlines()) == 4


def test_other_numbers_are_an_error(
    pommel: Pommel, colleagues: list[Path], own_store: Path
) -> None:
    pommel("runs", "merge", str(colleagues[0]))
    with Store.open(own_store) as store:
        before = said(store)
    outcome = pommel("runs", "merge", str(colleagues[1]))
    assert outcome.failure(1) == (
        f"{colleagues[1]}: words gives 'The dogs bark .' 4.5 bits at 'bark' there, scored on two, "
        f"shard 2/2, and 4.0 in {own_store}, scored on one, shard 2/2: that is more than rounding, "
        f"so one of the two is wrong; nothing of it was merged. Score it again with --rescore "
        f"where it is, or leave it out"
    )
    with Store.open(own_store) as store:
        assert said(store) == before


def test_one_that_is_not_there(pommel: Pommel, tmp_path: Path, own_store: Path) -> None:
    outcome = pommel("runs", "merge", str(tmp_path / "none"))
    assert outcome.failure(1) == f"{tmp_path / 'none'}: there is no store"
    # Nothing is left of a store that was to be new, nor beside one that was only read.
    assert [*tmp_path.glob(f"{own_store.name}*")] == []


def test_a_store_that_is_read_has_nothing_beside_it(pommel: Pommel, tmp_path: Path) -> None:
    store = kept(tmp_path / "theirs" / "store", [agreement()])
    before = store.read_bytes()
    assert pommel("runs", "merge", str(store)).status == 0
    assert [*store.parent.iterdir()] == [store]
    assert store.read_bytes() == before
