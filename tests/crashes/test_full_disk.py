"""A run whose store may not grow: a quota, a full disk."""

import contextlib
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

# Runs that keep often, so that the store is full at another commit each; then with room again.
AT_ANOTHER_COMMIT = """
import json, sys
from pathlib import Path
from tests.crashes.killing import Program

folder, seconds = Path(sys.argv[1]), float(sys.argv[2])
words = ["builtin://en-ngram", "suites:en/licensing"]
program = Program(folder=folder, words=words, n_together=None, seconds=seconds)
print(json.dumps([program.run(0)]))
n_bytes = (folder / "store-0.sqlite").stat().st_size
for number in range(1, 9):
    full = program.run(number, most_bytes=n_bytes * number // 10)
    print(json.dumps([full, program.run(number)]))
"""


def test_a_store_that_is_full_at_any_commit(tmp_path: Path, repository: Path) -> None:
    seconds = 0.02
    done = subprocess.run(
        [sys.executable, "-c", AT_ANOTHER_COMMIT, tmp_path, str(seconds)],
        capture_output=True,
        text=True,
        check=False,
        cwd=repository,
    )
    assert done.returncode == 0, done.stderr
    (whole,), *pairs = (json.loads(line) for line in done.stdout.splitlines())
    for full, resumed in pairs:
        path = tmp_path / f"store-{full['round']}.sqlite"
        # It ends by itself, after a commit that was refused, with what came since the one before.
        assert full["ended"] == "failed"
        assert f"pommel: {path}: could not be read or written (SQLITE_IOERR" in done.stderr
        assert full["n_kept"] == full["n_answered"] - full["n_lost"]
        assert full["lost_s"] < seconds
        # What was kept is whole, and what was lost is scored once more.
        assert resumed["n_before"] == full["n_kept"]
        assert resumed["n_answered"] == whole["n_kept"] - full["n_kept"]
        assert (resumed["ended"], resumed["sha256"]) == ("done", whole["sha256"])
        printed = [tmp_path / f"round-{each['round']}.csv" for each in (whole, resumed)]
        assert len({each.read_bytes() for each in printed}) == 1
        with contextlib.closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert "Traceback" not in done.stderr
    # It was another commit each time.
    assert len({full["n_kept"] for full, _ in pairs}) > len(pairs) / 2
