"""How far shards are, by what their workers have left."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from pommel.errors import InputError
from pommel.models import LoadOptions, NamedModel
from pommel.scoring import Choices
from pommel.sharding import Plan
from pommel.sharding.costs import Costs
from pommel.sharding.status import Status
from pommel.sources import load_suites


@pytest.fixture(name="plan")
def four_shards() -> Plan:
    """Four models on two suites, a shard each."""
    loaded = load_suites(["number_prep", "number_orc"])
    suites = {path: suite for path, suite in zip(loaded.paths, loaded.suites, strict=True) if path}
    models = [NamedModel(reference=f"ngram:///m/{name}.arpa") for name in "abcd"]
    return Plan.of(Costs.of(models, suites, LoadOptions()), Choices(), n_shards=4)


def leave(folder: Path, name: str, value: object) -> Path:
    """Write what a worker leaves in its folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")
    if path.name.startswith("sealed-"):
        (path.parent / "a.sqlite").touch()
    return path


def test_nothing_is_done_before_the_first_run(plan: Plan, tmp_path: Path) -> None:
    status = Status.read(plan, tmp_path / "nowhere")
    assert {each.state for each in status.shards} == {"missing"}
    assert (status.missing, status.array) == ((1, 2, 3, 4), "1-4")


def test_states_are_told_by_what_workers_leave(plan: Plan, tmp_path: Path) -> None:
    piece = {"model": 0, "loading": 2.0, "scoring": 6.0}
    leave(
        tmp_path,
        "shard-1-of-4/sealed-x.json",
        {"plan": plan.fingerprint, "file": "a.sqlite", "pieces": [piece], "failures": []},
    )
    failure = {
        "model": "ngram:///m/b.arpa",
        "suite": "",
        "reason": "ngram:///m/b.arpa: no such file",
    }
    leave(
        tmp_path,
        "shard-2-of-4/sealed-x.json",
        {"plan": plan.fingerprint, "file": "a.sqlite", "pieces": [], "failures": [failure]},
    )
    begun = leave(tmp_path, "shard-3-of-4/t1/attempt.json", {"host": "node-7"})
    for path in (begun, begun.parent):
        os.utime(path, (1_000_000, 1_000_000))
    leave(tmp_path, "shard-4-of-4/t1/attempt.json", {"host": "node-8"})
    leave(tmp_path, "shard-4-of-4/t1/ended.json", {"how": "stopped", "reason": "SIGTERM"})
    # Those of another plan count for nothing.
    leave(
        tmp_path,
        "shard-4-of-9/sealed-x.json",
        {"plan": plan.fingerprint, "file": "a.sqlite", "pieces": [], "failures": []},
    )
    status = Status.read(plan, tmp_path)
    assert [each.state for each in status.shards] == ["done", "failed", "running", "missing"]
    done, failed, running, missing = status.shards
    assert failed.reasons == ("ngram:///m/b.arpa: no such file",)
    assert (running.host, running.last_sign) == ("node-7", datetime.fromtimestamp(1e6, UTC))
    assert missing.reasons == ("SIGTERM",)
    assert (status.missing, status.array) == ((3, 4), "3-4")
    assert done.seconds == 8.0
    # The first took so much longer than was planned; so will the others.
    planned = [each.seconds for each in plan.shards]
    assert status.seconds_left == pytest.approx(8.0 * sum(planned[2:]) / planned[0])


def test_what_has_been_measured_is_taken_for_the_next_plan(plan: Plan, tmp_path: Path) -> None:
    piece = {"model": 0, "loading": 30.0, "scoring": 60.0}
    leave(
        tmp_path,
        "shard-1-of-4/sealed-x.json",
        {"plan": plan.fingerprint, "file": "a.sqlite", "pieces": [piece], "failures": []},
    )
    measured = Status.read(plan, tmp_path).measured
    (work,) = [piece.work for piece in plan.shards[0].pieces]
    assert measured == {"ngram:///m/a.arpa": (30.0, 60.0 / work)}
    loaded = load_suites(["number_prep", "number_orc"])
    suites = {path: suite for path, suite in zip(loaded.paths, loaded.suites, strict=True) if path}
    costs = Costs.of(plan.models, suites, LoadOptions(), measured)
    assert costs.work.loading.tolist() == [30.0, 2.0, 2.0, 2.0]
    # The others are as large, and so as fast.
    assert costs.work.scoring.sum(axis=1) == pytest.approx(np.full(4, 60.0))
    assert not any("guesses" in note for note in costs.notes)


@pytest.mark.parametrize(
    ("done", "array"), [((), "1-4"), ((1, 3), "2,4"), ((2,), "1,3-4"), ((1, 2, 3, 4), "")]
)
def test_missing_ones_are_an_array(
    plan: Plan, tmp_path: Path, done: tuple[int, ...], array: str
) -> None:
    for number in done:
        leave(
            tmp_path,
            f"shard-{number}-of-4/sealed-x.json",
            {"plan": plan.fingerprint, "file": "a.sqlite", "pieces": [], "failures": []},
        )
    assert Status.read(plan, tmp_path).array == array


def test_the_seal_with_the_fewest_failures_counts(plan: Plan, tmp_path: Path) -> None:
    failure = {"model": "m", "suite": "s", "reason": "why"}
    worse = {"plan": plan.fingerprint, "file": "a.sqlite", "pieces": [], "failures": [failure]}
    leave(tmp_path, "shard-1-of-4/sealed-a.json", worse)
    assert Status.read(plan, tmp_path).shards[0].reasons == ("m on s: why",)
    leave(tmp_path, "shard-1-of-4/sealed-b.json", {**worse, "failures": []})
    assert Status.read(plan, tmp_path).shards[0].state == "done"
    # A manifest without its store is no seal.
    (tmp_path / "shard-1-of-4" / "a.sqlite").unlink()
    assert Status.read(plan, tmp_path).missing == (1, 2, 3, 4)


def test_what_is_no_manifest_is_no_seal(plan: Plan, tmp_path: Path) -> None:
    for number, text in enumerate(("{}", '{"file": "a.sqlite", "fail', "[]", "")):
        leave(tmp_path, f"shard-1-of-4/sealed-{number}.json", {}).write_text(text)
    assert Status.read(plan, tmp_path).missing == (1, 2, 3, 4)


def test_a_seal_of_another_plan_is_refused(plan: Plan, tmp_path: Path) -> None:
    other = {"plan": "0" * 64, "file": "a.sqlite", "pieces": [], "failures": []}
    path = leave(tmp_path, "shard-1-of-4/sealed-a.json", other)
    with pytest.raises(InputError) as caught:
        Status.read(plan, tmp_path)
    assert str(caught.value) == f"{path}: is of another plan; take it out of this folder"
