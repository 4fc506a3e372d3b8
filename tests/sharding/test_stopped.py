"""Workers that are stopped or killed: what they leave, and what the next one has left to do."""

import json
import signal
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.posix import POSIX_ONLY
from tests.sharding.shards import SUITES, assert_equal, merged, planned
from tests.sharding.slow_model import open_model, started
from tests.word_model import replace_kind

from pommel.sharding import Plan

if TYPE_CHECKING:
    from subprocess import Popen

pytestmark = POSIX_ONLY

# Of all suites.
N_SENTENCES = 288


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan of one shard, of a model that takes its time."""
    replace_kind(monkeypatch, "slow", open_model)
    made = planned(["slow://one"], SUITES[:1], n_shards=1)
    made.write(tmp_path / "plan.json")
    return made


def shard(folder: Path, number: int = 1, *, seconds: float = 0.01) -> "Popen[str]":
    """Start a worker."""
    plan = ("run", "--plan", folder / "plan.json", "--shard", str(number), "-o", folder / "shards")
    return started(*plan, SLOW_LOG=str(folder / "log"), SLOW_SECONDS=str(seconds))


def assert_as_alone(folder: Path, plan: Plan) -> None:
    """Fail unless the shards come to what one process makes, with the packages that it loads."""
    path = folder / "whole.sqlite"
    what = [*(each.reference for each in plan.models), *(each.source for each in plan.suites)]
    run = started("run", *what, "--regions=all", "--store", path, SLOW_LOG=str(folder / "alone"))
    _, said = run.communicate(timeout=60)
    assert run.returncode == 0, said
    assert_equal(merged(folder / "shards", folder / "merged.sqlite"), path)


def scored(folder: Path) -> list[str]:
    path = folder / "log"
    return path.read_text().splitlines() if path.exists() else []


def wait_until_scored(folder: Path, n: int) -> None:
    until = time.monotonic() + 60
    while len(scored(folder)) < n:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGUSR1,
        pytest.param(signal.SIGTERM, marks=pytest.mark.full),
        pytest.param(signal.SIGINT, marks=pytest.mark.full),
    ],
)
def test_a_signal_ends_it_and_nothing_is_lost(tmp_path: Path, plan: Plan, number: int) -> None:
    worker = shard(tmp_path)
    wait_until_scored(tmp_path, 20)
    worker.send_signal(number)
    _, said = worker.communicate(timeout=60)
    assert worker.returncode == 128 + number, said
    assert "Traceback" not in said
    n_before = len(scored(tmp_path))
    assert n_before < plan.suites[0].n_sentences
    (ended,) = tmp_path.glob("shards/*/*/ended.json")
    assert json.loads(ended.read_text()) == {"how": "stopped"}
    _, said = shard(tmp_path, seconds=0).communicate(timeout=60)
    assert f"shard 1/1: {n_before} sentences of earlier attempts\n" in said
    assert max(Counter(scored(tmp_path)).values()) == 1
    assert_as_alone(tmp_path, plan)


@pytest.mark.full
def test_a_segment_that_was_cut_is_scored_again(tmp_path: Path, plan: Plan) -> None:
    worker = shard(tmp_path)
    wait_until_scored(tmp_path, 50)
    worker.kill()
    worker.communicate(timeout=60)
    segments = sorted(tmp_path.glob("shards/*/*/*.sqlite"))
    assert len(segments) > 1
    segments[0].chmod(0o644)
    segments[0].write_bytes(segments[0].read_bytes()[: segments[0].stat().st_size // 2])
    _, said = shard(tmp_path, seconds=0).communicate(timeout=60)
    assert f"note: {segments[0]}: is not what was written, and passed over\n" in said
    assert_as_alone(tmp_path, plan)


@pytest.mark.full
def test_killed_at_random_moments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is scored twice is what was under way: a commit's time, and the one before a segment."""
    replace_kind(monkeypatch, "slow", open_model)
    plan = planned(["slow://one", "slow://two", "builtin://en-ngram"], n_shards=3)
    plan.write(tmp_path / "plan.json")
    n_killed = 0
    left = [1, 2, 3, 2]
    running = {at: shard(tmp_path, number) for at, number in enumerate(left)}
    until = time.monotonic() + 50
    while running:
        assert time.monotonic() < until
        # Another moment of a second each time, which has nothing to do with what goes on.
        time.sleep(0.2 + n_killed * 0.618 % 0.6)
        at = [*running][n_killed % len(running)]
        if n_killed < 8 and running[at].poll() is None and scored(tmp_path):
            running[at].kill()
            running[at].communicate()
            running[at] = shard(tmp_path, left[at])
            n_killed += 1
        for each in [*running]:
            if running[each].poll() is not None:
                _, said = running.pop(each).communicate()
                assert "is done" in said, said
    assert n_killed == 8
    assert_as_alone(tmp_path, plan)
    # Shard 2 was run by two at once. A commit comes every tenth of a second, at 0.01 s a sentence.
    n_again = len(scored(tmp_path)) - len({*scored(tmp_path)})
    assert n_again - N_SENTENCES <= 8 * 25
