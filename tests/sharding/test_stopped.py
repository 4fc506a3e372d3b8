"""Workers that are stopped or killed: what they leave, and what the next one has left to do."""

import contextlib
import json
import random
import resource
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.posix import POSIX_ONLY
from tests.sharding.shards import SUITES, assert_equal, merged, planned
from tests.sharding.slow_model import open_model, started
from tests.word_model import replace_kind

from pommel.sharding import Plan
from pommel.suite import Suite

if TYPE_CHECKING:
    from subprocess import Popen

pytestmark = POSIX_ONLY

TWELVE_SUITES = (
    *("number_orc", "number_prep", "number_src", "number_simple"),
    *("reflexive_orc_fem", "reflexive_orc_masc", "reflexive_prep_fem", "reflexive_src_fem"),
    *("reflexive_prep_masc", "reflexive_simple_fem", "reflexive_simple_masc", "reflexive_src_masc"),
)


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan of one shard, of a model that takes its time."""
    replace_kind(monkeypatch, "slow", open_model)
    made = planned(["slow://one"], SUITES[:1], n_shards=1)
    made.write(tmp_path / "plan.json")
    return made


def shard(
    folder: Path, number: int = 1, *, seconds: float = 0.01, environment: Mapping[str, str] = {}
) -> "Popen[str]":
    """Start a worker."""
    plan = ("run", "--plan", folder / "plan.json", "--shard", str(number), "-o", folder / "shards")
    noted = {"SLOW_LOG": str(folder / "log"), "SLOW_SECONDS": str(seconds)}
    return started(*plan, **{**noted, **environment})


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


def texts_of(suite: Suite) -> set[str]:
    return {each.text for row in suite.sentences() for each in row}


def segments_of(folder: Path, number: int) -> list[Path]:
    """What attempts at a shard of 64 have kept and not yet sealed."""
    return [*folder.glob(f"shards/shard-{number:02}-of-64/*/0*.sqlite")]


def cut_in_half(segment: Path) -> int:
    """Cut a segment; return how many sentences it had."""
    with contextlib.closing(sqlite3.connect(segment)) as connection:
        ((n,),) = connection.execute("SELECT count(*) FROM scored")
    segment.chmod(0o644)
    segment.write_bytes(segment.read_bytes()[: segment.stat().st_size // 2])
    return int(n)


def killed(worker: "Popen[str]") -> bool:
    """Kill a worker; return whether it was at work."""
    was_at_work = worker.poll() is None
    worker.kill()
    worker.communicate()
    return was_at_work


def failed(worker: "Popen[str]") -> bool:
    """Return whether a worker that has ended told a failure."""
    _, said = worker.communicate()
    assert "Traceback" not in said
    return worker.returncode != 0


@pytest.mark.full
def test_chaos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """64 shards on 8 workers, of which 10 are killed: what is scored twice was under way.

    One shard is given to two workers, a segment is cut, the disk of a worker is full, and in every
    third one's clock it is 1999.
    """
    replace_kind(monkeypatch, "slow", open_model)
    slow = [f"slow://{name}" for name in ("one", "two", "three", "four")]
    quick = ["builtin://en-ngram", *(f"dummy://uniform?bits={n}" for n in (2, 3, 4))]
    plan = planned([*slow, *quick], TWELVE_SUITES, n_shards=64)
    plan.write(tmp_path / "plan.json")
    assert len(plan.shards) == 64
    # How many sentences of slow models each shard has.
    n_once = [
        sum(
            len({text for suite in plan.load_suites(piece) for text in texts_of(suite)})
            for piece in each.pieces
            if plan.models[piece.model].reference in slow
        )
        for each in plan.shards
    ]
    rng = random.Random(22)  # noqa: S311 - moments, no secrets
    waiting = [1, *rng.sample(range(1, 65), 64)]
    running: list[tuple[int, Popen[str]]] = []
    begun: list[int] = []
    n_killed = n_cut = n_full = full = 0
    until = time.monotonic() + 240
    while waiting or running:
        assert time.monotonic() < until
        while waiting and len(running) < 8:
            number = waiting.pop(0)
            # A shard that was begun before may have nothing left to write.
            is_new = number not in begun and n_once[number - 1] > 0
            is_full = len(begun) >= 20 and not full and is_new
            environment = {"SLOW_CLOCK": ""} if len(begun) % 3 == 2 else {}
            if is_full:
                environment["SLOW_LOG"] = str(tmp_path / "log-of-full")
            running.append((number, shard(tmp_path, number, environment=environment)))
            begun.append(number)
            if is_full:
                # As of a disk that is full, for any segment. It is not one of those killed.
                full = running[-1][1].pid
                resource.prlimit(full, resource.RLIMIT_FSIZE, (20_000, 20_000))
        time.sleep(rng.uniform(0.2, 1.2))
        killable = [each for each in running if each[1].pid != full]
        to_cut = n_killed >= 5 and not n_cut
        if to_cut:
            # Of a shard that no other worker seals at that moment.
            n_kept = {each[0]: len(segments_of(tmp_path, each[0])) for each in killable}
            killable = [each for each in killable if each[0] != 1 and n_kept[each[0]]]
        if n_killed < 10 and killable and scored(tmp_path):
            number, worker = rng.choice(killable)
            running.remove((number, worker))
            n_killed += killed(worker)
            waiting.insert(0, number)
            if to_cut and (segments := segments_of(tmp_path, number)):
                n_cut = cut_in_half(rng.choice(segments))
        for number, worker in [each for each in running if each[1].poll() is not None]:
            running.remove((number, worker))
            if failed(worker):
                # It is told, and the shard is begun again.
                n_full += 1
                waiting.append(number)
    assert (n_killed, n_full) == (10, 1)
    assert n_cut
    assert_as_alone(tmp_path, plan)
    # One shard was run by two. A commit comes every tenth of a second, at 0.01 s a sentence.
    n_again = len(scored(tmp_path)) - sum(n_once)
    assert n_again <= n_once[0] + n_cut + 10 * 25
