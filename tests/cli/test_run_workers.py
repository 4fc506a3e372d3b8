"""`pommel run --workers`: several processes, and what one process would have said and kept."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.containers_support.processes import is_alive, named, wait_until, with_words
from tests.sharding.launching.work import kept, pommel as started
from tests.sharding.shards import assert_equal

from pommel.cli import run

SUITES = ("number_prep", "reflexive_src_fem")


def test_two_workers_say_and_keep_what_one_process_does(tmp_path: Path) -> None:
    told = []
    for name, workers in (("one", ()), ("two", ("--workers", "2"))):
        folder = tmp_path / name
        what = ("dummy://uniform?bits=2", "ngram://missing.arpa", "builtin://en-ngram", *SUITES)
        where = ("--store", tmp_path / f"{name}.sqlite", "-o", folder)
        # A model that there is not costs only itself, with the status that it has.
        said = started("run", *what, *where, *workers, "--limit", "3", status=4)
        told.append(said.replace(str(folder), "FOLDER"))
    assert told[0] == told[1]
    assert "missing.arpa" in told[0]
    for path in (tmp_path / "one").glob("*.csv"):
        assert path.read_text() == (tmp_path / "two" / path.name).read_text()
    assert_equal(tmp_path / "one.sqlite", tmp_path / "two.sqlite")


def test_the_suites_of_one_model_are_shared_out(tmp_path: Path) -> None:
    for name, workers in (("one", "1"), ("many", "8")):
        what = ("builtin://en-ngram", *SUITES, "--workers", workers, "--limit", "2", "-q")
        started("run", *what, "--store", tmp_path / f"{name}.sqlite")
    assert_equal(tmp_path / "one.sqlite", tmp_path / "many.sqlite")


def test_one_piece_of_work_or_little_memory_needs_no_workers(
    pommel: Pommel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "machine_memory_bytes", lambda: 1 << 30)
    outcome = pommel("run", "dummy://", *SUITES, "--workers", "2")
    assert outcome.status == 0
    assert "note: as many workers as there is memory: 1 GiB for each" in outcome.stderr


@pytest.mark.parametrize("other", [["--no-store"], ["--rescore"], ["--parallel-images", "2"]])
def test_what_one_process_does_is_refused(pommel: Pommel, other: list[str]) -> None:
    for several in (["--workers", "2"], ["--device", "cuda:0,cuda:1"]):
        outcome = pommel("run", "dummy://", "number_prep", *several, *other)
        assert outcome.status == 2
        assert "are for one process: workers meet in the store" in outcome.stderr


def test_a_shard_goes_into_a_folder_or_a_store(pommel: Pommel, tmp_path: Path) -> None:
    plan, store = tmp_path / "plan.json", tmp_path / "store.sqlite"
    pommel("plan", "dummy://", "number_prep", "-o", plan)
    shard = ("run", "--plan", plan, "--shard", "1/1")
    assert pommel(*shard, "--store", store).stderr.endswith("shard 1/1 is done: 1 run\n")
    assert "number_prep" in pommel("runs", "list", "--store", store).stdout
    both = pommel(*shard, "--store", store, "-o", tmp_path / "shards")
    assert both.status == 2
    assert "--shard K/N and -o DIR (or --store FILE)" in both.stderr


@pytest.mark.full
@pytest.mark.parametrize("killed", ["worker", "all"])
def test_what_is_killed_costs_what_was_under_way(tmp_path: Path, killed: str) -> None:
    what = ("builtin://en-gpt2", "builtin://en-ngram", "suites:en", "-q")
    store = tmp_path / "two.sqlite"
    again = ("run", *what, "--workers", "2", "--store", store)
    with subprocess.Popen(
        [sys.executable, "-m", "pommel", *map(str, again)], stdout=subprocess.DEVNULL
    ) as launcher:
        words = (f"--store={store}", "--shard")
        assert wait_until(lambda: len([*with_words(*words)]) == 2, timeout_s=60)
        workers = [*map(named, with_words(*words))]
        if killed == "worker":
            os.kill(next(with_words(*words)), signal.SIGKILL)
            assert launcher.wait(120) == 0
        else:
            launcher.kill()
    # Elsewhere than on Linux they go on until they are done.
    if shutil.which("setpriv"):
        assert wait_until(lambda: not any(map(is_alive, workers)), timeout_s=60)
        started(*again)
        started("run", *what, "--store", tmp_path / "one.sqlite")
        for one, two in zip(kept(tmp_path / "one.sqlite"), kept(store), strict=True):
            assert sorted(one, key=repr) == sorted(two, key=repr)
