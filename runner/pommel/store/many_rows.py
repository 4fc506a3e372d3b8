"""Many rows or keys in few statements."""

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

# What every SQLite takes in one statement.
_MOST_PARAMETERS = 999

# How many keys a query is given at once.
_KEYS = 500


def pieces(values: Sequence[Any], size: int = _KEYS) -> Iterator[Sequence[Any]]:
    """Cut values into parts of one size; the last one may be shorter."""
    for at in range(0, len(values), size):
        yield values[at : at + size]


def marks(values: Sequence[Any]) -> str:
    """Return the placeholders of a statement for so many values."""
    return ", ".join("?" * len(values))


def insert_rows(
    connection: sqlite3.Connection,
    table: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Insert rows, hundreds in a statement; within a transaction.

    Every statement has SQLite note the last key of its table, which costs as much as a row.
    """
    for piece in pieces(rows, _MOST_PARAMETERS // len(columns)):
        row = f"({marks(columns)})"
        sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES "  # noqa: S608 - our own names
        connection.execute(sql + ", ".join([row] * len(piece)), [*chain.from_iterable(piece)])
