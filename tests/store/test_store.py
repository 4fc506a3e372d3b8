"""Opening a store, to read or to write."""

import sys
import threading
from pathlib import Path

import pytest
from tests.posix import POSIX_ONLY
from tests.store.run_samples import agreement, imported, made

from pommel.errors import StoreError
from pommel.store import Store, default_store_path

HOME = Path.home()


@POSIX_ONLY
@pytest.mark.parametrize(
    ("platform", "environment", "path"),
    [
        ("linux", {}, HOME / ".local" / "share" / "pommel" / "store.sqlite"),
        ("linux", {"XDG_DATA_HOME": "/big"}, Path("/big/pommel/store.sqlite")),
        ("linux", {"XDG_DATA_HOME": "big"}, HOME / ".local/share/pommel/store.sqlite"),
        (
            "darwin",
            {"XDG_DATA_HOME": "/big"},
            HOME / "Library/Application Support/pommel/store.sqlite",
        ),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/pommel/store.sqlite")),
        ("win32", {}, HOME / "AppData" / "Local" / "pommel" / "store.sqlite"),
        ("linux", {"POMMEL_STORE": "/mine", "XDG_DATA_HOME": "/big"}, Path("/mine")),
        ("win32", {"POMMEL_STORE": "~/mine"}, HOME / "mine"),
    ],
)
def test_where_it_is(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], path: Path
) -> None:
    for name in ("POMMEL_STORE", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert default_store_path() == path


def test_it_is_made_where_it_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "store.sqlite"
    with Store.open(path) as store:
        assert store.path == path
        assert not store.is_read_only
        assert store.runs.records() == []
    assert path.exists()


@pytest.mark.parametrize("how", [{"read_only": True}, {"create": False}])
def test_none_is_made_to_be_read(tmp_path: Path, how: dict[str, bool]) -> None:
    path = tmp_path / "folder" / "store.sqlite"
    with pytest.raises(StoreError) as raised:
        Store.open(path, **how)
    assert str(raised.value) == f"{path}: there is no store; `pommel run` makes one"
    assert list(tmp_path.iterdir()) == []


def test_one_that_is_read_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.open(path) as store:
        made(store, agreement())
    with Store.open(path, read_only=True) as store:
        assert len(store.runs.records()) == 1
        with pytest.raises(StoreError, match="may not be written"):
            store.runs.delete(["0" * 12])
        with pytest.raises(StoreError, match="may not be written"):
            store.runs.save_records([imported()])
    with Store.open(path) as store:
        assert len(store.runs.records()) == 1


def test_a_reader_sees_one_moment_while_another_writes(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with Store.open(path) as writer, Store.open(path, read_only=True) as reader:
        writer.runs.save_records([imported()])
        assert len(reader.runs.records()) == 1
        writer.runs.save_records([imported("1" * 12)])
        assert len(reader.runs.records()) == 2


def test_another_thread_opens_it_again(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.sqlite", rescore=True) as store:
        found = []

        def look() -> None:
            with store.reopened() as again:
                found.append((again.path, again.rescore, again.database.rows("SELECT 1")))

        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    assert found == [(tmp_path / "store.sqlite", True, [(1,)])]
