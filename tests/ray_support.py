"""A real Ray on this machine: a head without processors, and two nodes of one each.

Ray is in no environment that tests share: `make full` installs it into a folder of its own.
`python -m tests.ray_support` is the cluster; each line that it reads takes a node away.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SITE = Path(sys.prefix) / "ray"
_STORE_BYTES = 80_000_000


def environment() -> dict[str, str]:
    """Return what commands are told that are to find Ray; without it a test is skipped or fails."""
    if not SITE.is_dir():
        if os.environ.get("CI"):
            pytest.fail("CI runs with Ray; see .ray in the Makefile")
        pytest.skip("Ray is not installed; `make full` does it")
    paths = (os.environ.get("PYTHONPATH"), *sys.path[1:3], str(SITE))
    own = {"RAY_USAGE_STATS_ENABLED": "0"}
    return os.environ | own | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


@dataclass(frozen=True, kw_only=True)
class RayCluster:
    """A running cluster, where it is, and its process."""

    address: str
    process: "subprocess.Popen[str]"

    def remove_node(self) -> None:
        """Kill a node, and wait until it is gone."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "removed\n"


@contextlib.contextmanager
def running_ray() -> Iterator[RayCluster]:
    """Start a cluster, and end it."""
    command = [sys.executable, "-m", "tests.ray_support"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=environment(), stdin=pipe, stdout=pipe, text=True
    ) as process:
        assert process.stdout
        yield RayCluster(address=process.stdout.readline().strip(), process=process)
        assert process.stdin
        process.stdin.close()
        process.wait(60)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Be a cluster until there is no more to read."""
    from ray.cluster_utils import Cluster

    size = {"object_store_memory": _STORE_BYTES}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **size})
    nodes = [cluster.add_node(num_cpus=1, memory=1 << 32, **size) for _ in range(2)]
    cluster.wait_for_nodes()
    _say(cluster.address)
    for _ in sys.stdin:
        cluster.remove_node(nodes.pop(0), allow_graceful=False)
        _say("removed")
    cluster.shutdown()


if __name__ == "__main__":
    main()
