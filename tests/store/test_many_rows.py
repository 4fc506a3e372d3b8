"""Keys in pieces, and rows by hundreds."""

import sqlite3
from contextlib import closing

import pytest

from pommel.store.database import insert_rows, marks, pieces


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
