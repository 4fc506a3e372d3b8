"""Two processes that write into one store for a minute."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from pommel.store.surprisal_cache import decode_tokens

WRITING = Path(__file__).with_name("writing.py")


@pytest.mark.timeout(900)
def test_two_writers_for_a_minute(tmp_path: Path, repository: Path) -> None:
    path = tmp_path / "store.sqlite"
    folders = os.pathsep.join(map(str, (repository, repository / "runner")))
    writers = [
        subprocess.Popen(
            [sys.executable, WRITING, path, "60", str(seed)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": folders},
        )
        for seed in (1, 2)
    ]
    # Each has checked that the store gives back what it was told.
    told = [writer.communicate() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], told
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        ((n_texts, n_different),) = connection.execute(
            "SELECT count(*), count(DISTINCT text) FROM sentences"
        )
        rows = connection.execute(
            "SELECT text, tokens, session_id FROM scored JOIN sentences USING (sentence_id)"
        ).fetchall()
    assert n_texts == n_different == len(rows)
    by_session: dict[int, set[float | None]] = {}
    for text, tokens, session in rows:
        scored = decode_tokens(text, tokens)
        by_session.setdefault(session, set()).add(scored.tokens[0].surprisal_bits)
    # Both have written, and a sentence has the numbers of one of them.
    assert sorted(by_session.values(), key=str) == [{1.0}, {2.0}]
    n_asked = [int(stdout) for stdout, _ in told]
    assert len(rows) <= sum(n_asked)
    assert min(n_asked) > len(rows) / 20
