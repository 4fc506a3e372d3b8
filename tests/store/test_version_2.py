"""Stores of version 2 become those of today, with the same results to the last bit."""

import math
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.posix import POSIX_ONLY
from tests.store.damaged_stores import is_sound
from tests.store.store_samples import ended, started
from tests.store.test_database import EARLIER, NOBODY

from pommel.errors import StoreError
from pommel.store import Selection, Store

FLAGS = ("tie", "undefined", "unscored", "oov", "skipped", "swallowed")
EVERY = Selection(complete_only=False)


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A store that was made by pommel when stores were of version 2."""
    path = tmp_path / "earlier.sqlite"
    shutil.copyfile(EARLIER, path)
    return path


def changed(path: Path, *statements: str) -> None:
    """Change what a store has, as damage would."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for each in statements:
            connection.execute(each)


def items_of(store: Store) -> Iterator[tuple[object, ...]]:
    """Yield what version 2 had a row of: each item of each prediction, in their order."""
    for record in store.runs.records(EVERY):
        for each in record.result.predictions:
            asked = (record.run_id, each.prediction_id, each.formula, each.description)
            marks = [
                ~each.defined if name == "undefined" else getattr(each, name) for name in FLAGS
            ]
            for place, number in enumerate(record.result.item_numbers):
                margin = float(each.margin_bits[place])
                flags = sum(int(mark[place]) << bit for bit, mark in enumerate(marks))
                known = None if math.isnan(margin) else margin
                yield (*asked, place, number, int(each.holds[place]), known, flags)


def test_all_items_of_all_runs_are_as_they_were(earlier: Path) -> None:
    with closing(sqlite3.connect(earlier)) as connection:
        wanted = connection.execute(
            "SELECT run_id, prediction_id, formula, description, position, item_number, holds, "
            "margin_bits, flags FROM runs JOIN predictions USING (run_key) "
            "JOIN item_results USING (prediction_key) ORDER BY run_key, prediction_id, position"
        ).fetchall()
        runs = connection.execute(
            "SELECT run_key, run_id, status, created, finished, model_id, policy_id, suite_id, "
            "json_extract(record, '$.provenance.date') FROM runs"
        ).fetchall()
    with Store.open(earlier) as store:
        assert [*items_of(store)] == wanted
        assert len(wanted) == 452
        rows = store.database.rows(
            "SELECT run_key, run_id, status, created, finished, model_id, policy_id, suite_id, "
            "json_extract(record, '$.date') FROM runs"
        )
        assert rows == runs
        # What other tests know of this store is that its other columns are as they were, too.
        assert len(store.runs.records(EVERY)) == len(runs)
    assert is_sound(earlier)


def test_it_is_converted_once(earlier: Path) -> None:
    Store.open(earlier).close()
    before = earlier.read_bytes()
    with Store.open(earlier) as store:
        assert store.database.rows("PRAGMA user_version") == [(3,)]
    assert earlier.read_bytes() == before


def test_a_run_that_was_damaged_before_is_refused_as_before(earlier: Path, tmp_path: Path) -> None:
    changed(
        earlier,
        "UPDATE item_results SET holds = 1 - holds WHERE item_result_key = "
        "(SELECT item_result_key FROM item_results JOIN predictions USING (prediction_key) "
        "JOIN runs USING (run_key) WHERE run_id = 'f36e3f19ac14')",
    )
    with Store.open(earlier) as store:
        with pytest.raises(StoreError, match=r"the results of run f36e3f19ac14 .* are not"):
            store.runs.records()
        others = [each for each in store.runs.heads() if each.run_id != "f36e3f19ac14"]
        assert store.runs.filled(others) == others
    found = Store.salvage(earlier, tmp_path / "new")
    assert (found.n_reopened, found.lost["runs"]) == (1, 0)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE runs SET record = '{}' WHERE run_key = 2",
        "UPDATE runs SET score_rule = 'some' WHERE run_key = 2",
        # An item of a run's second prediction.
        """
        DELETE FROM item_results WHERE item_result_key = (SELECT max(item_result_key)
        FROM item_results JOIN predictions USING (prediction_key) WHERE prediction_id = 1)
        """,
        """
        UPDATE item_results SET flags = 9999 WHERE item_result_key = (SELECT max(item_result_key)
        FROM item_results JOIN predictions USING (prediction_key) WHERE prediction_id = 1)
        """,
    ],
)
def test_one_that_makes_no_sense_leaves_the_store_as_it_was(
    earlier: Path, tmp_path: Path, damage: str
) -> None:
    changed(earlier, damage)
    with pytest.raises(StoreError, match=r"is damaged \(what is kept of run \w+ makes no sense\)"):
        Store.open(earlier)
    with closing(sqlite3.connect(earlier)) as connection:
        assert connection.execute("PRAGMA user_version").fetchall() == [(2,)]
        ((n_runs,),) = connection.execute("SELECT count(*) FROM runs")
    found = Store.salvage(earlier, tmp_path / "new")
    assert (found.kept["runs"], found.lost["runs"], found.n_reopened) == (n_runs - 1, 1, 0)


def test_who_ends_before_it_has_converted_all_leaves_the_store_as_it_was(earlier: Path) -> None:
    with closing(sqlite3.connect(earlier)) as connection:
        before = [*connection.iterdump()]
    code = (
        "import os\n"
        "from pommel.store import version_2\n"
        "whole = version_2.convert\n"
        "version_2.convert = lambda *given: (whole(*given), os._exit(9))\n"
        "Database.open(path)\n"
    )
    process = started(code, str(earlier))
    process.communicate()
    assert process.returncode == 9
    with closing(sqlite3.connect(earlier)) as connection:
        assert [*connection.iterdump()] == before
        assert connection.execute("PRAGMA user_version").fetchall() == [(2,)]


def test_sentences_are_saved_of_one_whose_runs_cannot_be_read(
    earlier: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(earlier)) as connection:
        ((n_scored,),) = connection.execute("SELECT count(*) FROM scored")
        sql = "SELECT rootpage FROM sqlite_master WHERE name = 'runs'"
        ((page,),) = connection.execute(sql)
    data = bytearray(earlier.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = bytes(4096)
    earlier.write_bytes(data)
    found = Store.salvage(earlier, tmp_path / "new")
    assert found.kept["scored"] == n_scored
    assert found.kept["runs"] == 0


@POSIX_ONLY
def test_one_that_may_not_be_written_is_not_read(earlier: Path) -> None:
    earlier.parent.chmod(0o555)
    earlier.chmod(0o444)
    parents = [each for each in earlier.parents if each.stat().st_mode & 0o055 != 0o055]
    for each in parents:
        each.chmod(each.stat().st_mode | 0o055)
    code = NOBODY + "try:\n    Database.open(path)\nexcept StoreError as error:\n    print(error)"
    printed = ended(started(code, str(earlier)))
    earlier.parent.chmod(0o755)
    assert printed == (
        f"{earlier}: is a store of version 2, and may not be written to be brought up to date; "
        f"copy it, and give the copy with --store\n"
    )
