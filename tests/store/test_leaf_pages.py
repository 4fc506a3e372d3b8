"""Rows read from pages are what SQLite has written."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from pommel.store.damaged_file import leaf_rows

PAGE_BYTES = 4096
VALUES = [
    None,
    *(sign * (1 << bits) - 1 for bits in (0, 1, 7, 8, 15, 23, 31, 47, 62) for sign in (1, -1)),
    *("", "wren", "Zaunkönig", "鷦鷯" * 50),
    *(b"", bytes(range(256))),
    *("x" * n for n in (4050, 4061, 4062, 4100, 20_000)),
    *(b"y" * n for n in (4059, 4060, 8_200)),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def made(path: Path, rows: Sequence[tuple[object, ...]]) -> None:
    """Write rows to a table that needs several pages."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("CREATE TABLE birds (key INTEGER PRIMARY KEY, a, b)")
        connection.executemany("INSERT INTO birds VALUES (?, ?, ?)", rows)
        connection.commit()


def test_every_kind_of_value(path: Path) -> None:
    keys = (n * 977 if n % 2 else -n for n in range(len(VALUES)))
    rows = [(key, value, "end") for key, value in zip(keys, VALUES, strict=True)]
    made(path, rows)
    found = {
        key: columns for key, columns in leaf_rows(path, PAGE_BYTES) if columns[2:] == ("end",)
    }
    wanted = {key % (1 << 64): (None, value, "end") for key, value, _ in rows}
    assert found == wanted


def test_numbers_that_are_no_integers_are_left_out(path: Path) -> None:
    made(path, [(1, 0.5, None), (2, 7, None)])
    assert list(leaf_rows(path, PAGE_BYTES)) == [(2, (None, 7, None))]


def test_a_chain_that_bites_its_tail_ends(path: Path) -> None:
    made(path, [(1, "x" * 20_000, None), (2, "wren", None)])
    data = bytearray(path.read_bytes())
    # The first page of the chain names itself as the next.
    starts = range(0, len(data), PAGE_BYTES)
    page = next(at // PAGE_BYTES for at in starts if data[at + 4 : at + 9] == b"xxxxx")
    data[page * PAGE_BYTES : page * PAGE_BYTES + 4] = (page + 1).to_bytes(4, "big")
    path.write_bytes(data)
    found = dict(leaf_rows(path, PAGE_BYTES))
    assert found[2] == (None, "wren", None)
    # As long as it was, and nothing says that it is another text.
    assert found[1] == (None, "x" * 20_000, None)
