"""`pommel run --parallel-images` with real containers."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest
from tests.containers_support.processes import wait_until
from tests.models.container.engines.samples import Misbehaving, containers_of, run_command

pytestmark = [pytest.mark.docker, pytest.mark.full, pytest.mark.usefixtures("nothing_left")]


@pytest.fixture
def images(misbehaving: Misbehaving) -> list[str]:
    """Images that are sound, fail, hang, and hang already when they say what they are."""
    faults = ("", "exits", "hangs", "spec-hangs")
    built = [misbehaving(fault, protocol=2 if fault else 1) for fault in faults]
    return [f"docker://{tag}" for tag in built]


def n_complete(store: Path) -> int:
    if not store.exists():
        return 0
    with contextlib.closing(sqlite3.connect(store)) as opened, contextlib.suppress(sqlite3.Error):
        ((n_complete,),) = opened.execute("SELECT count(*) FROM runs WHERE status = 'complete'")
        return int(n_complete)
    return 0


def test_nothing_tells_that_they_ran_at_once(
    images: list[str], suite: Path, tmp_path: Path
) -> None:
    sound, broken, *_ = images
    said = {}
    for n_at_once in ("1", "3"):
        folder = tmp_path / n_at_once
        asked = run_command(
            *(broken, sound, f"{sound}-nowhere", "builtin://en-ngram", suite, "-o", folder),
            *("--pull", "never", "--strict-model"),
            *("--parallel-images", n_at_once, "--store", tmp_path / f"{n_at_once}.sqlite"),
            *("--sandbox", "memory=500M", "--sandbox", "cpus=0.5"),
        )
        ended = subprocess.run(asked, check=False, capture_output=True, text=True)
        tables = [(folder / f"{name}.csv").read_text("utf-8") for name in ("suites", "tokens")]
        told = ended.stderr.replace(str(folder), "")
        said[n_at_once] = (ended.returncode, ended.stdout, told, tables)
        (run, _) = json.loads((folder / "runs.json").read_text("utf-8"))["runs"]
        assert '"n_cpus": 0.5' in json.dumps(run)
    assert said["1"] == said["3"]
    assert said["1"][0] == 1
    assert "2 of 4 runs are complete" in said["1"][2]


def test_all_of_them_end_with_their_run(
    docker_engine: str, images: list[str], suite: Path, tmp_path: Path
) -> None:
    sound, _, *hanging = images
    store = tmp_path / "store.sqlite"
    asked = run_command(
        *(hanging[0], sound, hanging[1], suite, "--parallel-images", "2", "--store", store),
        *("--sandbox", "memory=500M"),
    )
    with subprocess.Popen(
        asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as run:
        try:
            assert wait_until(lambda: n_complete(store) == 1, timeout_s=60)
            # Where the sound one was, the next one runs.
            assert wait_until(
                lambda: {*containers_of(docker_engine, run.pid).values()} == {"score", "spec"},
                timeout_s=30,
            )
            os.killpg(run.pid, signal.SIGINT)
            out, err = run.communicate(timeout=40)
        finally:
            run.kill()
    assert run.returncode == 130
    assert "pommel: stopped; 1 of 3 runs are complete" in err.splitlines()
    assert "misbehaving" in out
    assert containers_of(docker_engine, run.pid) == {}
