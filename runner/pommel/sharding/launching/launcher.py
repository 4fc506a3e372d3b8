"""What all launchers share: their options, the command that runs a shard, and its process."""

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from pommel.analysis import Option
from pommel.sharding.segments import PlanFolder
from pommel.values import frozen

# A worker that is told to end does so after its batch.
_SECONDS_TO_STOP = 30


@frozen(slots=False)
class Launcher(ABC):
    """Who starts `pommel run` for each shard of a plan; its fields are options of its command."""

    device: Annotated[
        str | None, Option(help="Where the workers score, as `pommel run` takes it.")
    ] = None
    max_memory: Annotated[
        str | None,
        Option(metavar="SIZE", help="What a worker may use beside the weights (512M, 4G)."),
    ] = None
    batch_tokens: Annotated[
        int | None, Option(metavar="N", least=1, help="Tokens that go through a model at once.")
    ] = None
    trust_remote_code: Annotated[
        bool, Option(help="Run Python code that comes with a model. Unsafe.")
    ] = False
    allow_pickle: Annotated[bool, Option(help="Read weights that are not safetensors. Unsafe.")] = (
        False
    )
    n_retries: Annotated[
        int,
        Option(
            name="--retries",
            metavar="N",
            least=0,
            help="How often a shard is run again whose worker was lost.",
        ),
    ] = 2

    @abstractmethod
    def steps(self, work: PlanFolder) -> Generator[str]:
        """Run what is missing, and yield again and again, in words, what is under way.

        Closed before its end, it ends all workers. Raises `PommelError` if nothing can be started.
        """

    def text(self, work: PlanFolder) -> str:
        """Return what would be started, as one might write it by hand."""
        commands = (self.command(work, number, self.device) for number in work.status().missing)
        return "".join(f"{shlex.join(['pommel', *each])}\n" for each in commands)

    def command(self, work: PlanFolder, number: object, device: str | None) -> list[str]:
        """Return the command that runs a shard, without the program."""
        told = {
            "plan": work.file,
            "shard": f"{number}/{len(work.plan.shards)}",
            "output": None if work.store else work.path,
            "store": work.store,
            "device": device,
            "max-memory": self.max_memory,
            "batch-tokens": self.batch_tokens,
        }
        flags = {"trust-remote-code": self.trust_remote_code, "allow-pickle": self.allow_pickle}
        values = (f"--{name}={value}" for name, value in told.items() if value)
        return ["run", *values, *(f"--{name}" for name, is_given in flags.items() if is_given)]


class Worker(subprocess.Popen[bytes]):
    """A process that runs a command of pommel for another one."""

    @classmethod
    def started(
        cls,
        command: Iterable[str],
        log: Path,
        environment: Mapping[str, str] = {},
        *,
        folder: Path | None = None,
        output: Path | None = None,
    ) -> "Worker":
        """Start a worker; it hears of no Ctrl-C but by us, and ends if we are killed.

        All that it says goes to the end of `log`, but for what it prints where there is an
        `output`. It works in a folder, by default in ours.
        """
        ending = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
        with (
            log.open("ab") as said,
            output.open("wb") if output else nullcontext(said) as printed,
        ):
            return cls(
                [*ending, sys.executable, "-m", "pommel", *command],
                cwd=folder,
                env=os.environ | environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=said,
                start_new_session=True,
            )

    @staticmethod
    def end_all(workers: "Iterable[Worker]") -> None:
        """End workers after their batch, or at once if that takes long, or at a second Ctrl-C."""
        running = [each for each in workers if each.poll() is None]
        until = time.monotonic() + _SECONDS_TO_STOP
        try:
            for each in running:
                each.terminate()
            for each in running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    each.wait(max(0, until - time.monotonic()))
        finally:
            for each in running:
                each.kill()
                each.wait()


def is_lost(status: int) -> bool:
    """Say whether a worker was ended from outside: by a signal, or as one that it has obeyed."""
    return status < 0 or status > 128  # noqa: PLR2004
