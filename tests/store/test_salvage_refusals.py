"""When there is nothing to salvage, or nowhere to put it."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.posix import POSIX_ONLY
from tests.store.damaged_stores import is_sound
from tests.store.store_samples import cache_of, ended, filled, found_in, numbered, started

from pommel.errors import StoreError
from pommel.store.database import PAGE_BYTES, Database
from pommel.store.salvage import salvage


@pytest.mark.parametrize("content", [b"", b"wren", b"wren" * 9000, bytes(40960)])
def test_what_has_nothing_to_be_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "store"
    path.write_bytes(content)
    with pytest.raises(StoreError) as raised:
        salvage(path, tmp_path / "new")
    assert str(raised.value) == f"{path}: nothing can be read from it"
    assert list(tmp_path.iterdir()) == [path]


def test_another_programs_file(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
    with pytest.raises(StoreError, match="bookmarks: is another program's SQLite file"):
        salvage(path, tmp_path / "new")
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as raised:
        salvage(tmp_path / "store", tmp_path / "new")
    assert str(raised.value) == f"{tmp_path / 'store'}: No such file or directory"
    assert list(tmp_path.iterdir()) == []


@POSIX_ONLY
def test_a_device_would_fill_the_disk(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"^/dev/zero: is no file$"):
        salvage(Path("/dev/zero"), tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


@POSIX_ONLY
@pytest.mark.parametrize("content", [None, b"wren"])
def test_a_folder_that_was_made_for_nothing_is_gone(tmp_path: Path, content: bytes | None) -> None:
    path = Path("/dev/zero") if content is None else tmp_path / "store"
    if content:
        path.write_bytes(content)
    with pytest.raises(StoreError):
        salvage(path, tmp_path / "new" / "folder" / "store")
    assert not (tmp_path / "new").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path, target = tmp_path / "store", tmp_path / "new"
    filled(path, 3)
    target.write_text("mine")
    with pytest.raises(StoreError) as raised:
        salvage(path, target)
    assert str(raised.value) == f"{target}: is there already; give the new store another name"
    assert target.read_text() == "mine"


LIMITED = """
import resource
from pommel.store.salvage import salvage
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    salvage(path, path.with_name("new"))
    print("done")
except StoreError as error:
    print(error)
"""


@POSIX_ONLY
def test_no_room_for_the_copy(tmp_path: Path) -> None:
    filled(tmp_path / "store", 3000)
    printed = ended(started(LIMITED, str(tmp_path / "store"), "600000"))
    assert printed.endswith(": File too large\n")
    assert list(tmp_path.iterdir()) == [tmp_path / "store"]


@POSIX_ONLY
def test_no_room_for_the_new_store(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 3000)
    data = path.read_bytes()
    # At any point, up to the last page: a new store is there and whole, or not at all.
    outcomes = set()
    for n_pages in range(-24, 8, 4):
        limit = len(data) + n_pages * PAGE_BYTES
        (tmp_path / "new").unlink(missing_ok=True)
        outcome = ended(started(FULL, str(path), str(limit)))
        if outcome == "done\n":
            assert is_sound(tmp_path / "new")
            assert len(found_in(tmp_path / "new", numbered(3000))) > 2800
        else:
            assert str(tmp_path / "new") in outcome
            assert "disk" in outcome
            assert sorted(tmp_path.iterdir()) == [path]
        outcomes.add(outcome == "done\n")
    assert outcomes == {True, False}
    # What no page leads to is looked for in a copy of its own.
    (tmp_path / "new").unlink(missing_ok=True)
    path.write_bytes(data[: PAGE_BYTES * 20] + bytes(PAGE_BYTES) + data[PAGE_BYTES * 21 :])
    outcome = ended(started(FULL, str(path), str(len(data) - PAGE_BYTES)))
    assert outcome.endswith(": File too large\n")
    assert sorted(tmp_path.iterdir()) == [path]


# The copy has come to be; whatever is written then is limited.
FULL = LIMITED.replace(
    "resource.setrlimit",
    "import pommel.store.salvage as salvaging\n"
    "rescued = salvaging._rescued\n"
    "def limited(*given, **named):\n"
    "    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)\n"
    "    return rescued(*given, **named)\n"
    "salvaging._rescued = limited\n#",
)


def test_a_kill_leaves_no_store_by_halves(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 2000)
    code = (
        "import os\nimport pommel.store.salvage as salvaging\n"
        "salvaging._put = lambda new, target: os._exit(0)\n"
        "salvaging.salvage(path, path.with_name('new'))"
    )
    ended(started(code, str(path)))
    assert sorted(each.name[:5] for each in tmp_path.iterdir()) == [".new.", "store"]
    salvage(path, tmp_path / "new")
    assert len(found_in(tmp_path / "new", numbered(2000))) == 2000


def test_another_process_takes_the_name_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, target = tmp_path / "store", tmp_path / "new"
    filled(path, 3)

    def refuse(*_: object) -> None:
        target.write_text("mine")
        raise PermissionError

    def take(*_: object) -> None:
        target.write_text("mine")
        raise FileExistsError

    # Neither of the ways to give a file its name overwrites one.
    for way in (take, refuse):
        monkeypatch.setattr(os, "link", way)
        with pytest.raises(StoreError, match="new: is there already"):
            salvage(path, target)
        assert target.read_text() == "mine"
        target.unlink()


def test_a_file_system_without_second_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, target = tmp_path / "store", tmp_path / "new"
    filled(path, 3)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    salvage(path, target)
    assert len(found_in(target, numbered(3))) == 3
    assert sorted(tmp_path.iterdir()) == [target, path]


def test_a_store_that_is_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store"
    copy = shutil.copyfile
    with Database.open(path) as database:
        cache, key = cache_of(database)
        cache.keep(key, numbered(500))
        times: list[object] = []

        def copied(source: Path, target: Path) -> None:
            copy(source, target)
            if source == path and not times:
                # What is in the log goes into the file, which has been copied, and the log begins
                # anew.
                times.append(database.rows("PRAGMA wal_checkpoint(TRUNCATE)"))
                cache.keep(key, numbered(600))

        monkeypatch.setattr(shutil, "copyfile", copied)
        salvage(path, tmp_path / "new")
    assert times
    assert len(found_in(tmp_path / "new", numbered(600))) == 600


def test_a_store_that_never_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store"
    filled(path, 3)
    copy = shutil.copyfile

    def copied(source: Path, target: Path) -> None:
        copy(source, target)
        if source == path:
            filled(path, 3)
            os.utime(path)

    monkeypatch.setattr(shutil, "copyfile", copied)
    monkeypatch.setattr("pommel.store.salvage._WAIT_SECONDS", 0.001)
    with pytest.raises(StoreError) as raised:
        salvage(path, tmp_path / "new")
    assert str(raised.value) == (
        f"{path}: is written to by another process; wait until that has ended, and repeat the "
        f"command"
    )
    assert sorted(tmp_path.iterdir()) == [path]
