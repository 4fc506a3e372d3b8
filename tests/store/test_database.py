"""Opening a store, transactions, and what SQLite refuses."""

import json
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest
from tests.posix import POSIX_ONLY
from tests.store.store_samples import (
    WREN,
    cache_of,
    ended,
    filled,
    found_in,
    numbered,
    started,
)

from pommel.errors import PommelError, StoreError
from pommel.store.database import (
    CURRENT_VERSION,
    Database,
    allows_log,
    beside,
    insert_rows,
    marks,
    pieces,
    uri_of,
    version_of,
)
from pommel.store.salvage import salvage

EARLIER = Path(__file__).parents[1] / "earlier" / "data" / "store.sqlite"


@pytest.mark.parametrize("name", ["store.sqlite", "a b#c?d%41.sqlite", "Zaunkönig"])
def test_it_is_made_with_its_folder(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deep" / "er" / name
    with Database.open(path) as database:
        assert database.rows("PRAGMA journal_mode") == [("wal",)]
        assert database.rows("PRAGMA synchronous") == [(2,)]
        assert database.rows("PRAGMA foreign_keys") == [(1,)]
        assert not database.read_only
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("n_before", [1, 2])
def test_a_store_that_another_process_makes_meanwhile_is_one(tmp_path: Path, n_before: int) -> None:
    path = tmp_path / "store"
    told: list[str] = []

    def meanwhile(statement: str) -> None:
        told.append(statement)
        if len(told) == n_before + 1:
            Database.open(path).close()

    with closing(sqlite3.connect(path)) as connection:
        connection.set_trace_callback(meanwhile)
        assert version_of(connection, path) in (0, CURRENT_VERSION)
        connection.set_trace_callback(None)
        assert version_of(connection, path) == CURRENT_VERSION
    assert len(told) > n_before


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.touch()
    filled(path, 3)
    assert len(found_in(path, numbered(3))) == 3


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as raised:
        Database.open(tmp_path)
    assert str(raised.value) == f"{tmp_path}: is a folder; give the store's file with --store"
    with pytest.raises(StoreError) as raised:
        Database.open(Path(os.devnull))
    assert str(raised.value) == f"{os.devnull}: is no file; give the store's file with --store"
    (tmp_path / "file").touch()
    with pytest.raises(PommelError, match="file: cannot be written: "):
        Database.open(tmp_path / "file" / "store")


def test_several_processes_make_it_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    code = "sys.stdin.read()\nDatabase.open(path).close()\nprint('done')"
    processes = [started(code, str(path)) for _ in range(4)]
    assert [ended(process) for process in processes] == ["done\n"] * 4
    with Database.open(path) as database:
        assert database.rows("PRAGMA integrity_check") == [("ok",)]


def test_a_transaction_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    with Database.open(tmp_path / "store") as database:
        sql = "INSERT INTO models VALUES (?, 'a', '{}')"
        # A mistake of ours, which says nothing of the file.
        with (
            pytest.raises(sqlite3.IntegrityError, match="UNIQUE"),
            database.transaction() as connection,
        ):
            connection.executemany(sql, [(1,), (2,)])
        assert database.rows("SELECT * FROM models") == []
        with database.transaction() as connection:
            connection.execute("INSERT INTO models VALUES (1, 'a', '{}')")
        assert database.rows("SELECT * FROM models") == [(1, "a", "{}")]


def test_what_belongs_to_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with (
        Database.open(path) as database,
        pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"),
        database.transaction() as connection,
    ):
        connection.execute("INSERT INTO scored VALUES (1, 1, 1, 1, x'', NULL, NULL)")


def test_a_store_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link, real = tmp_path / "link", tmp_path / "real" / "store"
    link.symlink_to(real)
    with Database.open(link) as database:
        cache, key = cache_of(database)
        cache.keep(key, numbered(100))
        # All that was written is in the log, beside the real file.
        assert database.n_bytes > 4096 + 100 * 100
        salvage(link, tmp_path / "new")
        assert beside(link, "-journal") == tmp_path / "real" / "store-journal"
    assert len(found_in(tmp_path / "new", numbered(100))) == 100
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "new", "real"]


def test_a_deleted_run_takes_its_results_along(tmp_path: Path) -> None:
    with Database.open(tmp_path / "store") as database:
        with database.transaction() as connection:
            connection.execute(
                "INSERT INTO runs VALUES (1, 'id', 'complete', '', '', '', '', '', '', '', '', "
                "NULL, NULL, NULL, NULL, NULL, NULL, '[]', '{}', NULL)"
            )
            connection.execute("INSERT INTO results VALUES (1, x'00')")
            connection.execute("DELETE FROM runs")
        assert database.rows("SELECT * FROM results") == []


def test_a_locked_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pommel.store.database.BUSY_SECONDS", 0.1)
    path = tmp_path / "store"
    filled(path, 10)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Database.open(path) as database:
            cache, key = cache_of(database)
            # Reading goes on.
            assert len(cache.known(key, [each.text for each in numbered(10)])) == 10
            with pytest.raises(StoreError) as raised:
                cache.keep(key, numbered(20))
            other.execute("COMMIT")
            assert len(cache.keep(key, numbered(20))) == 10
    assert str(raised.value) == (
        f"{path}: is locked by another process, for 0.1 s already; wait until that has ended, and "
        f"repeat the command"
    )


def test_whether_there_can_be_a_log(tmp_path: Path) -> None:
    assert allows_log(tmp_path)
    # This way of locking has no shared memory, like that of many network file systems.
    assert not allows_log(tmp_path, how="vfs=unix-dotfile")
    assert list(tmp_path.iterdir()) == []


def test_a_store_without_a_log(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 10)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode = DELETE").fetchall() == [("delete",)]
    with Database.open(path) as database:
        # Where it is now there can be one.
        assert database.rows("PRAGMA journal_mode") == [("wal",)]
    assert len(found_in(path, numbered(10))) == 10


def test_room_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 2000)
    before = path.stat().st_size
    with Database.open(path) as database:
        with database.transaction() as connection:
            connection.execute("DELETE FROM scored")
        database.shrink()
        assert path.stat().st_size < before - 100_000


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that any user can read."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


# Who is root may write everything.
NOBODY = """
import os
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
"""
READING = (
    NOBODY
    + """
with Database.open(path) as database:
    cache, key = cache_of(database)
    print(database.read_only, len(cache.known(key, [each.text for each in numbered(30)])))
    try:
        cache.keep(key, numbered(1))
    except StoreError as error:
        print(error)
"""
)


def read_as_nobody(path: Path) -> str:
    """Open a store in a process that may not write it; return what that prints."""
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        return ended(started(READING, str(path)))
    finally:
        path.parent.chmod(stat.S_IRWXU)
        path.chmod(0o644)


@POSIX_ONLY
def test_a_store_that_may_only_be_read(shared: Path) -> None:
    path = shared / "store"
    filled(path, 20)
    before = path.read_bytes()
    assert read_as_nobody(path) == (
        f"True 20\n"
        f"{path}: may not be written (no permission, or a file system for reading only); give "
        f"another store with --store\n"
    )
    assert path.read_bytes() == before


@POSIX_ONLY
def test_reading_what_another_is_writing_without_permission(shared: Path) -> None:
    path = shared / "store"
    filled(path, 10)
    with Database.open(path) as database:
        cache, key = cache_of(database)
        cache.keep(key, numbered(30))
        assert path.with_name("store-wal").stat().st_size
        assert read_as_nobody(path).startswith("True 30\n")


@POSIX_ONLY
def test_an_empty_store_that_may_only_be_read(shared: Path) -> None:
    path = shared / "store"
    path.touch()
    path.chmod(0o444)
    shared.chmod(0o555)
    code = NOBODY + "try:\n    Database.open(path)\nexcept StoreError as error:\n    print(error)"
    printed = ended(started(code, str(path)))
    shared.chmod(stat.S_IRWXU)
    assert printed == (
        f"{path}: is a store without content, and may not be written to be brought up to date; "
        f"copy it, and give the copy with --store\n"
    )


@POSIX_ONLY
def test_where_no_file_may_be_made(shared: Path) -> None:
    shared.chmod(0o555)
    code = NOBODY + "try:\n    Database.open(path)\nexcept StoreError as error:\n    print(error)"
    printed = ended(started(code, str(shared / "store")))
    assert printed == (
        f"{shared / 'store'}: cannot be opened: it is no file, or it or its folder may not be read "
        f"or written; give another store with --store\n"
    )


def test_pieces_are_of_one_size_and_the_last_one_is_what_is_left() -> None:
    assert list(pieces([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]
    assert list(pieces([], 2)) == []


def test_marks_are_as_many_as_values() -> None:
    assert marks([7, 8, 9]) == "?, ?, ?"


@pytest.mark.parametrize("n_rows", [0, 1, 332, 333, 334, 1_000])
def test_all_rows_come_in_their_order_however_many_fit_in_a_statement(n_rows: int) -> None:
    rows = [(number, f"bird {number}", bytes(number % 5)) for number in range(n_rows)]
    with closing(sqlite3.connect(":memory:")) as connection:
        # What the oldest SQLite takes.
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
        connection.execute("CREATE TABLE birds (number INTEGER, name TEXT, song BLOB)")
        insert_rows(connection, "birds", ("number", "name", "song"), rows)
        assert connection.execute("SELECT * FROM birds ORDER BY rowid").fetchall() == rows


def test_a_row_that_is_refused_takes_all_of_them_back() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute("CREATE TABLE birds (number INTEGER UNIQUE)")
        connection.execute("BEGIN")
        with pytest.raises(sqlite3.IntegrityError):
            insert_rows(connection, "birds", ("number",), [(1,), (2,), (1,)])
        connection.execute("ROLLBACK")
        assert connection.execute("SELECT count(*) FROM birds").fetchone() == (0,)


def test_tables_begin_where_they_always_began(tmp_path: Path) -> None:
    """The first page of a new store takes the place of one that an older store has lost."""
    shutil.copyfile(EARLIER, tmp_path / "earlier")
    sql = "SELECT name, rootpage FROM sqlite_master"
    with (
        Database.open(tmp_path / "new") as database,
        Database.open(tmp_path / "earlier") as earlier,
    ):
        assert database.rows(sql) == earlier.rows(sql)


NEWER = (
    "and this pommel knows versions up to 3; update pommel (`pip install --upgrade pommel`), or "
    "give another store with --store"
)
OLDER = (
    "from before the first release, which is not read; move it aside and repeat the command, or "
    "give another store with --store"
)


@pytest.mark.parametrize(("version", "said"), [(99, NEWER), (2, OLDER)])
def test_a_store_of_another_version(tmp_path: Path, version: int, said: str) -> None:
    path = tmp_path / "new.sqlite"
    filled(path, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    with pytest.raises(StoreError) as raised:
        Database.open(path)
    assert str(raised.value) == f"{path}: is a store of version {version}, {said}"
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
        cache.keep(key, numbered(20))
        ((text,),) = database.rows("SELECT description FROM models")
    assert json.loads(text) == json.loads(json.dumps(WREN.to_dict()))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (PurePosixPath("/a b/é#?.sqlite"), "file:///a%20b/%C3%A9%23%3F.sqlite"),
        (PureWindowsPath(r"C:\a b\s.sqlite"), "file:///C:/a%20b/s.sqlite"),
        (PureWindowsPath(r"\\server\share\s.sqlite"), "file:////server/share/s.sqlite"),
    ],
)
def test_the_address_of_a_file(path: PurePath, expected: str) -> None:
    """SQLite refuses one with a server where addresses have theirs."""
    assert uri_of(path) == expected


@POSIX_ONLY
@pytest.mark.parametrize("comes", ["nothing", "another store"])
def test_a_store_that_was_deleted_or_replaced_is_not_written_any_more(
    tmp_path: Path, comes: str
) -> None:
    path, other = tmp_path / "store", tmp_path / "other"
    filled(path, 10)
    filled(other, 3)
    with Database.open(path) as database:
        cache, key = cache_of(database)
        cache.keep(key, numbered(20))
        path.unlink()
        if comes == "another store":
            other.rename(path)
        with pytest.raises(StoreError) as raised:
            cache.keep(key, numbered(30))
    assert str(raised.value) == (
        f"{path}: was deleted or replaced while it was open, and nothing more is kept in it; "
        f"repeat the command"
    )


@POSIX_ONLY
def test_a_store_is_written_by_who_has_opened_it(tmp_path: Path) -> None:
    # What a fork kept in its parent's store was lost: to others, nobody had it open.
    path = tmp_path / "store"
    code = """
import os
with Database.open(path) as database:
    cache, key = cache_of(database)
    if child := os.fork():
        os.waitpid(child, 0)
        cache.keep(key, numbered(10))
    else:
        try:
            cache.keep(key, numbered(20))
        except StoreError as error:
            print(error, flush=True)
        os._exit(0)
"""
    assert ended(started(code, str(path))) == (
        f"{path}: was opened by another process; open it in each\n"
    )
    assert len(found_in(path, numbered(20))) == 10


def test_a_store_is_found_again_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Database.open(Path("store")) as database:
        monkeypatch.chdir("/")
        cache, key = cache_of(database)
        cache.keep(key, numbered(10))
    assert len(found_in(tmp_path / "store", numbered(10))) == 10


def test_what_others_have_kept_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Database.open(path) as other, Database.open(path, any_thread=True) as watched:
        before = watched.n_changes
        assert watched.n_changes == before
        with other.transaction() as connection:
            connection.execute("INSERT INTO sessions (started, provenance) VALUES ('', '')")
        assert watched.n_changes != before


def test_another_file_in_its_place_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Database.open(path) as opened:
        assert opened.is_in_place
        path.rename(tmp_path / "other.sqlite")
        assert not opened.is_in_place
        Database.open(path).close()
        assert not opened.is_in_place


def test_a_database_is_for_its_thread_unless_it_is_for_any(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as thread:
        for any_thread in (False, True):
            path = tmp_path / "store.sqlite"
            with Database.open(path, any_thread=any_thread) as database:
                asked = thread.submit(database.rows, "SELECT 1")
                if any_thread:
                    assert asked.result() == [(1,)]
                else:
                    with pytest.raises(sqlite3.ProgrammingError):
                        asked.result()
