"""A disk that is full, and files that may not grow: a clear error, and nothing lost."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.posix import POSIX_ONLY
from tests.store.store_samples import cache_of, ended, filled, found_in, numbered, started

from pommel.errors import StoreError
from pommel.store.database import Database


def test_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 100)
    with Database.open(path) as database:
        cache, key = cache_of(database)
        ((n_pages,),) = database.rows("PRAGMA page_count")
        database.rows(f"PRAGMA max_page_count = {n_pages + 2}")
        with pytest.raises(StoreError) as raised:
            cache.keep(key, numbered(500))
        assert len(cache.known(key, [each.text for each in numbered(500)])) == 100
        # With room again, it goes on.
        database.rows("PRAGMA max_page_count = 100000")
        assert len(cache.keep(key, numbered(500))) == 100
    assert str(raised.value) == (
        f"{path}: the disk is full; what was kept before is safe: make room and repeat the "
        f"command, or give another store with --store"
    )
    assert len(found_in(path, numbered(500))) == 500


NO_ROOM = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    Database.open(path)
except StoreError as error:
    print(error)
"""


@POSIX_ONLY
def test_a_store_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store"
    assert ended(started(NO_ROOM, str(path), "100")).startswith(f"{path}: could not be read or")
    assert [*tmp_path.iterdir()] == []
    # An empty file of somebody else's stays.
    path.touch()
    assert ended(started(NO_ROOM, str(path), "100"))
    assert path.exists()


# Files beyond a limit are what a quota is to a program: writing fails, at any point.
UNTIL_FULL = """
import resource
with Database.open(path) as database:
    cache, key = cache_of(database)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
    kept = 0
    try:
        while kept < 100_000:
            cache.keep(key, numbered(100, kept))
            kept += 100
    except StoreError as error:
        print(kept, error)
"""


@POSIX_ONLY
@pytest.mark.parametrize("n_bytes", [140_000, 333_333, 1_000_000])
def test_a_file_that_may_not_grow(tmp_path: Path, n_bytes: int) -> None:
    path = tmp_path / "store"
    printed = ended(started(UNTIL_FULL, str(path), str(n_bytes)))
    kept, message = printed.split(maxsplit=1)
    assert int(kept) > 0
    assert message == (
        f"{path}: could not be read or written (SQLITE_IOERR_WRITE): the disk may be full, a quota "
        f"used up, or the disk failing; what was kept before is safe: make room and repeat the "
        f"command, or give another store with --store\n"
    )
    # Every batch that was kept is there, and none in part.
    assert len(found_in(path, numbered(int(kept) + 100))) == int(kept)
    with Database.open(path) as database:
        assert database.rows("PRAGMA integrity_check") == [("ok",)]


@POSIX_ONLY
def test_no_room_for_a_new_store(tmp_path: Path) -> None:
    path = tmp_path / "store"
    code = (
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n    Database.open(path)\nexcept StoreError as error:\n    print(error)"
    )
    assert "could not be read or written (SQLITE_IOERR" in ended(started(code, str(path)))
    # What is left of it becomes one when there is room.
    filled(path, 10)
    assert len(found_in(path, numbered(10))) == 10


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 1)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE scored RENAME TO others")
    with pytest.raises(StoreError) as raised:
        found_in(path, numbered(1))
    assert str(raised.value) == (
        f"{path}: is damaged (no such table: scored); `pommel runs recover {path} -o NEW` saves "
        f"what can be read"
    )
