"""Workers on this machine: so many at once, or one a device."""

import os
import time
from collections import Counter, deque
from collections.abc import Generator
from itertools import cycle, islice
from typing import Annotated

from pommel.analysis import Option
from pommel.errors import counted
from pommel.sharding.launching.launcher import Launcher, Worker, is_lost
from pommel.sharding.segments import PlanFolder
from pommel.values import frozen

_SECONDS_BETWEEN_LOOKS = 0.1


@frozen(slots=False)
class LocalWorkers(Launcher):
    """Run the shards of PLAN on this machine, several at once; their results lie in a folder.

    \b
      pommel launch local plan.json -o shards --workers 4
      pommel launch local plan.json -o shards --device cuda:0,cuda:1
    """

    n_workers: Annotated[
        int | None,
        Option(
            name="--workers",
            metavar="N",
            least=1,
            help="Shards at once.  [default: one for each device]",
        ),
    ] = None

    def steps(self, work: PlanFolder) -> Generator[str]:
        devices = self.device.split(",") if self.device else [None]
        n_workers = self.n_workers or len(devices)
        free = [*islice(cycle(devices), n_workers)]
        # All processors for one, otherwise each would start as many threads as there are.
        n_threads = max(1, (os.cpu_count() or 1) // n_workers)
        environment = {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(n_threads))}
        waiting = deque(work.status().missing)
        running: dict[int, tuple[Worker, str | None]] = {}
        n_lost = Counter[int]()
        try:
            while waiting or running:
                while waiting and free:
                    number, device = waiting.popleft(), free.pop()
                    command = self.command(work, number, device)
                    worker = Worker.started(command, work.log(number), environment)
                    running[number] = (worker, device)
                yield counted(len(running), "worker")
                time.sleep(_SECONDS_BETWEEN_LOOKS)
                for number, (process, device) in [*running.items()]:
                    if (status := process.poll()) is None:
                        continue
                    del running[number]
                    free.append(device)
                    if is_lost(status) and n_lost[number] < self.n_retries:
                        n_lost[number] += 1
                        waiting.append(number)
        finally:
            Worker.end_all(process for process, _ in running.values())
