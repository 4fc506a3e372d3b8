"""Opening a store, to read or to write."""

import threading
from pathlib import Path

import pytest
from tests.store.run_samples import agreement, imported, made

from pommel.errors import StoreError
from pommel.store import Store, default_store_path


def test_it_is_the_users_own(own_store: Path) -> None:
    assert default_store_path() == own_store


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
