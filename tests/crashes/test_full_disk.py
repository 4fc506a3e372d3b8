"""A run whose store may not grow: a quota, a full disk."""

import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SUITES = "suites:en/center-embedding"


def run(*arguments: str | Path, most_bytes: int | None = None) -> subprocess.CompletedProcess[str]:
    """Run pommel in a process none of whose files may be larger than `most_bytes`."""

    def limit() -> None:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run(
        [sys.executable, "-m", "pommel", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )


def on_ngram(store: Path) -> Sequence[str | Path]:
    return ["run", "builtin://en-ngram", SUITES, "--format", "csv", "--store", store]


def test_a_run_meets_a_quota_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    undisturbed = run(*on_ngram(tmp_path / "other.sqlite"))
    assert undisturbed.returncode == 0
    path = tmp_path / "store.sqlite"
    stopped = run(*on_ngram(path), most_bytes=100_000)
    assert stopped.returncode == 1
    assert "Traceback" not in stopped.stderr
    assert stopped.stderr.splitlines()[-1].startswith(f"pommel: {path}: ")
    assert "make room and repeat the command" in stopped.stderr
    resumed = run(*on_ngram(path))
    assert (resumed.returncode, resumed.stdout) == (0, undisturbed.stdout)


def test_no_room_for_a_store_at_all(tmp_path: Path) -> None:
    done = run(*on_ngram(tmp_path / "store.sqlite"), most_bytes=1_000)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "make room" in done.stderr
    assert run(*on_ngram(tmp_path / "store.sqlite")).returncode == 0
