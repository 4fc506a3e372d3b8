"""Workers as tasks of a Ray cluster; results go from the workers into the folder."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pommel.analysis import Option
from pommel.errors import PommelError, UsageError, counted
from pommel.models import LoadOptions
from pommel.sharding.launching.launcher import Launcher, Worker, is_lost
from pommel.sharding.segments import PlanFolder
from pommel.values import frozen

_SECONDS_TO_CONNECT = 10.0


class WorkerLostError(Exception):
    """A worker was killed: its task is to be tried again."""


@frozen(slots=False)
class RayTasks(Launcher):
    """Run the shards of PLAN as tasks of a Ray cluster; their results lie in a folder that all see.

    Without an address it is the cluster of RAY_ADDRESS, or this machine.

    \b
      pommel launch ray plan.json -o shards --address auto --gpus 1 --device cuda
    """

    address: Annotated[
        str | None, Option(help="The cluster, of which this is a machine: auto, HOST:6379.")
    ] = None
    n_cpus: Annotated[
        float, Option(name="--cpus", metavar="N", least=0, help="Processors that a worker needs.")
    ] = 1
    n_gpus: Annotated[
        float, Option(name="--gpus", metavar="N", least=0, help="GPUs that a worker needs.")
    ] = 0
    memory: Annotated[
        str | None,
        Option(
            metavar="SIZE",
            help="Memory that a worker needs (512M, 4G).  [default: what the plan says, where no "
            "GPU has the model]",
        ),
    ] = None

    def steps(self, work: PlanFolder) -> Generator[str]:
        needs = {number: self._needs(work, number) for number in work.status().missing}
        ray = self._connected()
        task = ray.remote(max_retries=self.n_retries, retry_exceptions=[WorkerLostError])(run_shard)
        numbers = {}
        try:
            for number, own in needs.items():
                _check_fits(number, own, ray.nodes())
                cpus, gpus, memory = own.values()
                placed = task.options(num_cpus=cpus, num_gpus=gpus, memory=memory)
                command = self.command(work, number, self.device)
                numbers[placed.remote(command, work.log(number))] = number
            while numbers:
                where = counted(len(ray.nodes()), "node")
                yield f"Ray: {counted(len(numbers), 'shard')} left, {where}"
                ended, _ = ray.wait([*numbers], num_returns=len(numbers), timeout=1)
                for each in ended:
                    # What has come of it lies in the folder; of some nobody but Ray knows why.
                    try:
                        number = numbers.pop(each)
                        ray.get(each)
                    except ray.exceptions.RayError as error:
                        with work.log(number).open("a", encoding="utf-8") as log:
                            print(error, file=log)
        finally:
            for each in numbers:
                ray.cancel(each)
            if numbers:
                ray.wait([*numbers], num_returns=len(numbers), timeout=60)
            ray.shutdown()

    def _connected(self) -> Any:
        """Return Ray's module, which is part of a cluster now; raises `PommelError` if it is not.

        Raises `UsageError` without Ray, and for the address of a cluster from outside.
        """
        if (self.address or "").startswith("ray://"):
            raise UsageError(
                f"{self.address}: run this on a machine of the cluster, or by `ray job submit`"
            )
        # Ray tells its makers of clusters that it starts, unless this says no.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ImportError:
            raise UsageError(f"Ray is not installed: {PommelError.install('ray')}") from None
        try:
            host, _, port = (self.address or "").rpartition(":")
            if host:
                # Ray tries it for minutes, in silence.
                socket.create_connection((host, port), _SECONDS_TO_CONNECT).close()
            ray.init(address=self.address, log_to_driver=False, logging_level="error")
        except (OSError, ValueError, RuntimeError) as error:
            # What differs, where versions do, is in the lines below the first.
            raise PommelError(f"Ray: {' '.join(str(error).split())}") from None
        return ray

    def _needs(self, work: PlanFolder, number: int) -> dict[str, float]:
        """Return what a shard needs, by Ray's names; raises `UsageError` for what is no size."""
        planned = 0 if self.n_gpus else work.plan.shards[number - 1].memory_bytes
        try:
            memory = LoadOptions.read_memory(self.memory) if self.memory else planned
        except ValueError as error:
            raise UsageError(f"--memory {self.memory}: {error}") from None
        return {"CPU": self.n_cpus, "GPU": self.n_gpus, "memory": memory}


def _check_fits(
    number: int, needs: Mapping[str, float], nodes: Iterable[Mapping[str, Any]]
) -> None:
    """Raise `PommelError` if no node has what a shard needs: Ray would wait for one for ever."""
    there = [each["Resources"] for each in nodes if each["Alive"]]
    if not any(all(each.get(of, 0) >= n for of, n in needs.items()) for each in there):
        told = ", ".join(f"{of} {n:,.15g}" for of, n in needs.items() if n)
        raise PommelError(f"Ray: no node has {told}, as shard {number} needs")


def run_shard(command: list[str], log: Path) -> None:
    """Run a worker where a task is; raises `WorkerLostError` if it was ended from outside."""
    # A task that is cancelled hears of it as of Ctrl-C, which a cluster in the background ignores.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    worker = Worker.started(command, log)
    try:
        while (status := worker.poll()) is None:
            # In pieces: a system call is not interrupted by it.
            with contextlib.suppress(subprocess.TimeoutExpired):
                worker.wait(1)
    finally:
        Worker.end_all([worker])
    if is_lost(status):
        raise WorkerLostError(f"status {status}")
