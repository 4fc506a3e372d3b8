"""The server's own file: whole or not there, for several processes at once, however they end."""

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.posix import POSIX_ONLY

from pommel.errors import PommelError, StoreError
from pommel.serve.desk import Desk
from pommel.serve.people import People

# The classes of a desk that is opened by many at once, and of one that is ended.
_OPENED = """
import sys, time
from pathlib import Path
from pommel.serve.people import People
while time.time() < float(sys.argv[2]): pass
people = People.at(Path(sys.argv[1]), owner_name="", owner_token="", is_open=False)
for number in range(20):
    people.grant(f"{sys.argv[3]}-{number}", ["read"], n_days=1)
"""
_WRITING = """
import sys, time
from pathlib import Path
from pommel.serve.desk import Desk, now
desk = Desk.open(Path(sys.argv[1]))
number = 0
while True:
    with desk.writing() as connection:
        number += 1
        for half in ("left", "right"):
            connection.execute(
                "INSERT INTO jobs (job_id, kind, title, arguments, about, begun, begun_by, server, "
                "seen, log) VALUES (?, 'run', 'x', '[]', '{}', ?, '', '', '', '')",
                (f"{number}-{half}", now()),
            )
            print(number, half, flush=True)
"""


def _python(program: str, *arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _n_jobs(desk: Desk) -> int:
    with desk.reading() as connection:
        (n,) = connection.execute("SELECT count(*) FROM jobs").fetchone()
    return int(n)


def test_a_desk_is_made_and_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "serve.sqlite"
    desk = Desk.open(path)
    People(desk=desk).grant("A. Linguist", ["read"], n_days=1)
    assert [each.name for each in People(desk=Desk.open(path)).grants()] == ["A. Linguist"]


@POSIX_ONLY
def test_a_desk_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        desk = Desk.open(tmp_path / "serve.sqlite")
        with desk.writing():
            modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["serve.sqlite", "serve.sqlite-wal", "serve.sqlite-shm"], 0o600)


def test_one_that_another_process_makes_meanwhile_is_a_desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, connect = tmp_path / "serve.sqlite", sqlite3.connect
    told: list[str] = []

    def watched(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **named)
        connection.set_trace_callback(meanwhile)
        return connection

    def meanwhile(statement: str) -> None:
        # From the first statement that reads what is in the file.
        if told or any(each in statement for each in ("application_id", "sqlite_master")):
            told.append(statement)
        if len(told) == 2:
            monkeypatch.setattr(sqlite3, "connect", connect)
            Desk.open(path)

    monkeypatch.setattr(sqlite3, "connect", watched)
    desk = Desk.open(path)
    assert len(told) > 2
    assert _n_jobs(desk) == 0


def test_what_is_no_desk_is_left_alone(tmp_path: Path) -> None:
    for name, made in {
        "other.sqlite": "CREATE TABLE mine (x)",
        "newer.sqlite": "CREATE TABLE x (x); PRAGMA application_id = 1886350707; "
        "PRAGMA user_version = 2",
    }.items():
        with closing(sqlite3.connect(tmp_path / name)) as connection:
            connection.executescript(made)
    (tmp_path / "text.sqlite").write_text("a text that is long enough " * 100)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for name, said in {
        "other.sqlite": "is no file of `pommel serve`; name another with --desk",
        "newer.sqlite": "is of version 2, and this pommel knows 1; update pommel, or name another "
        "file with --desk",
        "text.sqlite": "file is not a database",
    }.items():
        with pytest.raises(StoreError) as caught:
            Desk.open(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: {said}"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_where_no_desk_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PommelError, match="cannot be written"):
        Desk.open(tmp_path / "file" / "serve.sqlite")
    with pytest.raises(StoreError, match="name a place that can be written with --desk"):
        Desk.open(tmp_path)


def test_a_desk_that_is_gone_is_not_made_anew(tmp_path: Path) -> None:
    desk = Desk.open(tmp_path / "a desk? of 100%#.sqlite")
    for path in tmp_path.iterdir():
        path.unlink()
    for use in (desk.reading, desk.writing):
        with pytest.raises(StoreError, match="unable to open database file"), use():
            pass
    assert [*tmp_path.iterdir()] == []


def test_what_fails_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    people = People.at(tmp_path / "desk", owner_name="", owner_token="", is_open=False)

    def write(then: str) -> None:
        with people.desk.writing() as connection:
            connection.execute(
                "INSERT INTO tokens (name, hash, scopes, created, expires) "
                "VALUES ('a', x'00', 'read', '', '9')"
            )
            connection.execute(then)
            raise KeyError

    with pytest.raises(StoreError, match="NOT NULL"):
        write("INSERT INTO tokens (name) VALUES ('b')")
    assert people.grants() == []
    with pytest.raises(KeyError):
        write("UPDATE tokens SET revoked = 'now'")
    assert people.grants() == []


@pytest.mark.full
def test_several_servers_make_and_fill_one_desk_at_once(tmp_path: Path) -> None:
    path, at = tmp_path / "serve.sqlite", time.time() + 3
    processes = [_python(_OPENED, path, at, number) for number in range(6)]
    assert [process.wait(120) for process in processes] == [0] * 6
    for each in processes:
        each.communicate()
    names = [each.name for each in People(desk=Desk.open(path)).grants()]
    assert sorted(names) == sorted(f"{a}-{b}" for a in range(6) for b in range(20))


@pytest.mark.full
def test_who_is_killed_in_the_middle_has_written_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "serve.sqlite"
    for attempt in range(8):
        # One that was begun before the last is ended goes on as if nothing had been.
        with _python(_WRITING, path) as process:
            assert process.stdout
            for line in process.stdout:
                if line.split() == [str(3 + attempt), "left"]:
                    break
            process.kill()
            rest = process.stdout.read().split("\n")
        desk = Desk.open(path)
        n_said = 2 + attempt + sum(line.endswith("left") for line in rest)
        # What it has said the other half of is there, and no half is.
        n_jobs = _n_jobs(desk)
        assert n_jobs % 2 == 0
        assert 2 * (2 + attempt) <= n_jobs <= 2 * (n_said + 1)
        with desk.reading() as connection:
            (found,) = connection.execute("PRAGMA integrity_check")
            assert tuple(found) == ("ok",)
        with desk.writing() as connection:
            connection.execute("DELETE FROM jobs")
