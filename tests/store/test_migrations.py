"""Stores of older and newer versions, and files that are no stores."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.store_samples import (
    OLD,
    WREN,
    cache_of,
    ended,
    found_in,
    make_version_1,
    numbered,
    started,
)

from pommel.errors import StoreError
from pommel.store.database import KEYS, VERSIONS, Database, seal_of
from pommel.store.salvage import salvage


def test_an_older_store_becomes_one_of_today(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    make_version_1(path)
    with Database.open(path) as database:
        assert database.rows("PRAGMA user_version") == [(len(VERSIONS),)]
        assert database.rows("PRAGMA integrity_check") == [("ok",)]
        counts = {
            table: database.rows(f"SELECT count(*) FROM {table}")[0][0]  # noqa: S608
            for table in KEYS
        }
        assert counts == {
            **dict.fromkeys(KEYS, 1),
            **dict.fromkeys(("sentences", "scored"), 20),
            "sessions": 0,
        }
        cache, key = cache_of(database)
        assert cache.known(key, [each.text for each in OLD]) == {each.text: each for each in OLD}
        assert cache.keep(key, numbered(21)) == {each.text: each for each in OLD}
        of_sessions = database.rows("SELECT session_id, count(*) FROM scored GROUP BY session_id")
        assert of_sessions == [(None, 20), (1, 1)]


def test_what_an_older_version_kept_is_sealed(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    make_version_1(path)
    with Database.open(path) as database, Database.open(tmp_path / "new") as new:
        cache, key = cache_of(new)
        cache.keep(key, OLD)
        sql = "SELECT text, check_sum FROM scored JOIN sentences USING (sentence_id) ORDER BY text"
        assert database.rows(sql) == new.rows(sql)
        ((check_sum,),) = database.rows("SELECT check_sum FROM runs")
        assert check_sum == seal_of(database.connection, 1)
        with database.transaction() as connection:
            connection.execute("UPDATE item_results SET margin_bits = 0.25")
    assert salvage(path, tmp_path / "saved").n_reopened == 1


def test_a_new_store_has_the_tables_of_a_migrated_one(tmp_path: Path) -> None:
    make_version_1(tmp_path / "old")
    found = []
    for name in ("old", "new"):
        with Database.open(tmp_path / name) as database:
            tables = [database.rows(f"PRAGMA table_info({table})") for table in KEYS]
            indices = database.rows("SELECT name FROM sqlite_master WHERE sql NOT NULL")
            found.append((tables, sorted(indices)))
    assert found[0] == found[1]


def test_a_migration_that_fails_leaves_the_old_store(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    make_version_1(path)
    with closing(sqlite3.connect(path)) as connection:
        # The last statement of the second version has nowhere to go then.
        connection.execute("CREATE INDEX runs_by_model_and_suite ON runs (model_name)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"is damaged \(index runs_by_model_and_suite already"):
        Database.open(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchall() == [(1,)]
        tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'sessions'")
        assert tables.fetchall() == []
    assert path.read_bytes() == before


def test_several_processes_migrate_once(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    make_version_1(path)
    code = "sys.stdin.read()\nDatabase.open(path).close()\nprint('done')"
    processes = [started(code, str(path)) for _ in range(3)]
    assert [ended(process) for process in processes] == ["done\n"] * 3
    assert found_in(path, OLD) == {each.text: each for each in OLD}


def test_a_newer_store(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    make_version_1(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(StoreError) as raised:
        Database.open(path)
    assert str(raised.value) == (
        f"{path}: is a store of version 99, and this pommel knows versions up to {len(VERSIONS)}; "
        f"update pommel (`pip install --upgrade pommel`), or give another store with --store"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("application_id", [0, 77])
def test_another_programs_file(tmp_path: Path, journal: str, application_id: int) -> None:
    path = tmp_path / "bookmarks.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError) as raised:
        Database.open(path)
    assert str(raised.value) == (
        f"{path}: is another program's SQLite file, and was not changed; give another store with "
        f"--store"
    )
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"wren", b"wren" * 5000, bytes(8192)])
def test_no_sqlite_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(StoreError) as raised:
        Database.open(path)
    assert str(raised.value) == (
        f"{path}: is no SQLite file, and was not changed; give another store with --store (if it "
        f"was a store once, `pommel runs recover {path} -o NEW` saves what can be read)"
    )
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_description_has_stays_readable(tmp_path: Path) -> None:
    with Database.open(tmp_path / "store") as database:
        cache, key = cache_of(database)
        cache.keep(key, OLD)
        ((text,),) = database.rows("SELECT description FROM models")
    assert json.loads(text) == json.loads(json.dumps(WREN.to_dict()))
