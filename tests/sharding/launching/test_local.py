"""Workers on this machine, as users start them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.containers_support.processes import wait_until, with_words
from tests.sharding.launching.work import check_equal_to_one_run, planned, pommel


def test_what_would_be_started_is_printed(tmp_path: Path) -> None:
    plan, shards = planned(tmp_path, 2), tmp_path / "shards"
    options = ("--max-memory", "2G", "--allow-pickle", "--dry-run")
    assert pommel("launch", "local", plan, "-o", shards, *options).splitlines() == [
        f"pommel run --plan={shards}/plan.json --shard={number}/2 --output={shards} "
        "--max-memory=2G --allow-pickle"
        for number in (1, 2)
    ]
    # The plan lies there, so that the commands can be run as they are.
    assert (shards / "plan.json").read_text() == plan.read_text()


def test_shards_of_another_plan_are_refused(tmp_path: Path) -> None:
    plan, shards = planned(tmp_path, 2), tmp_path / "shards"
    shards.mkdir()
    changed = plan.read_text().replace('"score_rule":"all"', '"score_rule":"first"')
    changed = changed.replace('"score_rule": "all"', '"score_rule": "first"')
    (shards / "plan.json").write_text(changed)
    assert changed != plan.read_text()
    said = pommel("launch", "local", plan, "-o", shards, status=2)
    assert f"pommel: {shards}: has the shards of another plan" in said


@pytest.mark.full
def test_killed_workers_are_started_again_and_ctrl_c_ends_all(tmp_path: Path) -> None:
    plan, shards = planned(tmp_path), tmp_path / "shards"
    command = [sys.executable, "-m", "pommel", "launch", "local", str(plan), "-o", str(shards)]
    words = (f"--plan={shards}/plan.json", "--shard")
    with subprocess.Popen([*command, "--workers", "2"], stderr=subprocess.PIPE) as launcher:
        assert wait_until(lambda: len([*with_words(*words)]) == 2, timeout_s=60)
        os.kill(next(with_words(*words)), signal.SIGKILL)
        assert wait_until(lambda: any(shards.glob("*/sealed-*.json")), timeout_s=60)
        launcher.send_signal(signal.SIGINT)
        assert launcher.wait(60) == 130
    assert not [*with_words(*words)]
    again = pommel("launch", "local", plan, "-o", shards, "--workers", "2")
    assert "4 shards: 4 done" in again
    check_equal_to_one_run(shards, tmp_path)
