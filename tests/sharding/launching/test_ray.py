"""Tasks of a real Ray cluster, whose nodes and workers are taken away."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.containers_support.processes import wait_until, with_words
from tests.ray_support import RayCluster, environment, running_ray
from tests.sharding.launching.work import check_equal_to_one_run, planned, pommel

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def ray() -> Iterator[RayCluster]:
    with running_ray() as running:
        yield running


def _launched(ray: RayCluster, folder: Path) -> list[str]:
    """Write a plan; return the command that launches it."""
    plan = planned(folder)
    return ["launch", "ray", str(plan), "-o", str(folder / "shards"), "--address", ray.address]


def _workers(folder: Path) -> list[int]:
    return [*with_words(f"--output={folder / 'shards'}", "--shard")]


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--gpus", "1"), 1, "pommel: Ray: no node has CPU 1, GPU 1, as shard 1 needs"),
        (("--memory", "900G"), 1, "pommel: Ray: no node has CPU 1, memory 966,367,641,600, as"),
        (("--memory", "much"), 2, "pommel: --memory much: "),
        (("--address", "ray://127.0.0.1:10001"), 2, "pommel: ray://127.0.0.1:10001: run this on"),
        (("--address", "127.0.0.1:1"), 1, "pommel: Ray: [Errno 111] Connection refused"),
    ],
)
def test_what_cannot_be_placed_is_told(
    ray: RayCluster, tmp_path: Path, options: tuple[str, ...], status: int, said: str
) -> None:
    told = pommel(*_launched(ray, tmp_path), *options, status=status, environment=environment())
    assert any(line.startswith(said) for line in told.splitlines())
    assert "Traceback" not in told


def test_without_ray_it_says_what_to_install(tmp_path: Path) -> None:
    launch = ("launch", "ray", planned(tmp_path), "-o", tmp_path / "shards")
    said = pommel(*launch, status=2)
    assert "Ray is not installed: " in said
    assert "pip install 'pommel[ray]'" in said


def test_ctrl_c_ends_all_workers_and_the_same_command_goes_on(
    ray: RayCluster, tmp_path: Path
) -> None:
    command = _launched(ray, tmp_path)
    with subprocess.Popen(
        [sys.executable, "-m", "pommel", *command], env=environment()
    ) as launcher:
        assert wait_until(lambda: len(_workers(tmp_path)) == 2, timeout_s=60)
        launcher.send_signal(signal.SIGINT)
        assert launcher.wait(60) == 130
    assert wait_until(lambda: not _workers(tmp_path), timeout_s=60)
    assert "4 shards: 4 done" in pommel(*command, environment=environment())
    check_equal_to_one_run(tmp_path / "shards", tmp_path)


def test_a_killed_worker_and_a_removed_node_cost_nothing_that_was_kept(
    ray: RayCluster, tmp_path: Path
) -> None:
    command = _launched(ray, tmp_path)
    with subprocess.Popen(
        [sys.executable, "-m", "pommel", *command], env=environment()
    ) as launcher:
        assert wait_until(lambda: len(_workers(tmp_path)) == 2, timeout_s=60)
        os.kill(_workers(tmp_path)[0], signal.SIGKILL)
        ray.remove_node()
        assert launcher.wait(150) == 0
    check_equal_to_one_run(tmp_path / "shards", tmp_path)
