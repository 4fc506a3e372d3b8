"""What a damaged page makes of a row is a message, whatever asks for it."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.samples import Pommel

DAMAGES = {
    "a record is nested without end": ("UPDATE runs SET record = ?", "[" * 100_000),
    "a record is no JSON": ("UPDATE runs SET record = ?", "{"),
    "a number has thousands of digits": ("UPDATE runs SET record = ?", f'{{"a": {"9" * 5000}}}'),
    "a run's id is bytes": ("UPDATE runs SET run_id = ?", b"\xff"),
    "a model's name is bytes": ("UPDATE runs SET model_name = ?", b"\xff"),
    "a suite is text": ("UPDATE suites SET document = ?", "[]"),
    "a suite is a number": ("UPDATE suites SET document = ?", 1e308),
    "tokens are text": ("UPDATE scored SET tokens = ?", "3"),
}
# What reads the damaged tables, and so says it; the others end as if nothing were.
TELL = {
    "runs": {"list", "show", "export", "evaluate", "delete"},
    "suites": {"export", "evaluate", "gc"},
    "scored": {"export", "evaluate"},
}
COMMANDS = ("list", "show ID", "export -o OUT", "evaluate --oov skip", "gc", "delete ID --yes")


@pytest.mark.parametrize(("change", "value"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_row_that_makes_no_sense(
    pommel: Pommel, suite_file: Path, own_store: Path, change: str, value: object
) -> None:
    assert pommel("run", "dummy://", suite_file).status == 0
    (listed,) = pommel("runs", "list", "--format", "csv").rows()
    with closing(sqlite3.connect(own_store)) as connection:
        connection.execute(change, (value,))
        connection.commit()
    told = set()
    for command in COMMANDS:
        named = command.replace("ID", listed["run_id"]).replace("OUT", str(own_store.parent / "o"))
        outcome = pommel("runs", *named.split())
        assert outcome.status in {0, 1, 2}, outcome.stderr
        if f"`pommel runs recover {own_store} -o NEW` saves what can be read" in outcome.stderr:
            assert outcome.status == 1
            told.add(command.split()[0])
    assert told == TELL[change.split()[1]]


def test_a_name_in_the_file_is_wrong_wherever_it_stands(
    pommel: Pommel, suite_file: Path, own_store: Path
) -> None:
    # One of three is looked for in the index; for most of all, none is.
    for each in (suite_file, "number_prep", "number_orc"):
        assert pommel("run", "dummy://", each, "--limit", "1").status == 0
    listed, *_ = pommel("runs", "list", "--format", "csv").rows()
    with closing(sqlite3.connect(own_store)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    sound = own_store.read_bytes()
    changes = {
        # The place of a run in an index, which then leads nowhere.
        listed["run_id"].encode(): b"0" * len(listed["run_id"]),
        # The name of a table or of a column: SQLite's message has it, and is no text, either.
        b"model_id": b"model_\xf3\xa0",
        b"CREATE TABLE runs": b"CREATE TABLE r\xccns",
    }
    said = set()
    for old, new in changes.items():
        for place in (match.start() for match in re.finditer(re.escape(old), sound)):
            for command in COMMANDS:
                for each in own_store.parent.glob(f"{own_store.name}*"):
                    each.unlink()
                own_store.write_bytes(sound[:place] + new + sound[place + len(old) :])
                named = command.replace("ID", listed["run_id"][:6])
                outcome = pommel("runs", *named.replace("OUT", f"{own_store.parent}/o").split())
                assert outcome.status in {0, 1, 2}, outcome.stderr
                said |= {each for each in ("UTF-8", "cannot be found") if each in outcome.stderr}
    assert said == {"UTF-8", "cannot be found"}
