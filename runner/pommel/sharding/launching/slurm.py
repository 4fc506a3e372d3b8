"""Workers as the tasks of a Slurm array: a script in plain text, and following what it does."""

import getpass
import hashlib
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Annotated

from pommel.analysis import Option
from pommel.errors import PommelError, UsageError, first_line
from pommel.files import DecodedText
from pommel.sharding.launching.launcher import Launcher
from pommel.sharding.segments import PlanFolder
from pommel.values import frozen

# It is asked again after a second, then more and more seldom: many who ask keep it from its work.
_MOST_SECONDS_BETWEEN_LOOKS = 60

# "JobHeldUser", "launch failed requeued held", "JobHoldMaxRequeue"
_IS_HELD = re.compile("[Hh][eo]ld")

_SCRIPT = """\
#!/bin/bash
# A shard of the plan an array task; edit what you like. What is missing is submitted by:
#   sbatch --array="$(pommel plan status {folder} --missing)" THIS_FILE
#SBATCH --job-name={name}
#SBATCH --array={array}
#SBATCH --output={log}
#SBATCH --open-mode=append
{lines}
# `exec`: Slurm's signal is for this process, which ends after its batch.
exec {command}
"""


@frozen(slots=False)
class SlurmArray(Launcher):
    """Run the shards of PLAN as an array of Slurm jobs; their results lie in a folder that all see.

    What is missing in the end is submitted again. Ctrl-C cancels the jobs. Whatever else ends this
    command, such as a terminal that is closed, leaves them, and the same command follows them.

    \b
      pommel launch slurm plan.json -o shards --partition gpu --gres gpu:1 --time 4:00:00 --requeue
      pommel launch slurm plan.json -o shards --dry-run > array.sh
      pommel launch slurm plan.json -o shards --script array.sh
    """

    n_workers: Annotated[
        int | None,
        Option(name="--workers", metavar="N", least=1, help="Jobs at once.  [default: no limit]"),
    ] = None
    partition: Annotated[str | None, Option(help="Partition of the jobs.")] = None
    gres: Annotated[str | None, Option(help="What a job needs beside processors: gpu:1")] = None
    time_limit: Annotated[
        str | None, Option(name="--time", metavar="LIMIT", help="How long a job may take: 4:00:00")
    ] = None
    requeue: Annotated[bool, Option(help="Have jobs that are preempted run again by Slurm.")] = (
        False
    )
    signal: Annotated[
        str,
        Option(
            metavar="SIGNAL@SECONDS",
            help="What a job is told, and how long before its end: it ends after its batch.",
        ),
    ] = "USR1@60"
    sbatch: Annotated[
        tuple[str, ...],
        Option(metavar="OPTION", help="Any other option of sbatch: --account=syntax; repeatable."),
    ] = ()
    container: Annotated[
        str | None,
        Option(metavar="IMAGE", help="Image with pommel that Apptainer runs each job in."),
    ] = None
    script: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Script to submit, whatever other options say: what --dry-run printed, edited.",
        ),
    ] = None

    def steps(self, work: PlanFolder) -> Generator[str]:
        script = DecodedText.read(self.script).text if self.script else self.text(work)
        name = _name(work)
        # Who only leaves, or whose session ends, does not mean the jobs.
        for number in {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        before, n_left, pause = None, self.n_retries, 0.0
        try:
            while True:
                try:
                    jobs = _jobs(name)
                except PommelError as error:
                    if not pause:
                        raise
                    # A controller that is busy or restarts; the jobs go on.
                    jobs = Counter({first_line(error): 1})
                if not jobs:
                    status = work.status()
                    # A job that has come to its time has not tried in vain.
                    kept = (status.array, len([*work.path.glob("shard-*/*/*.sqlite")]))
                    n_left -= kept == before
                    if not status.missing or n_left < 0:
                        return
                    before, pause = kept, 1.0
                    _said(
                        "sbatch", f"--job-name={name}", f"--array={self._array(work)}", given=script
                    )
                elif all(map(_IS_HELD.search, jobs)):
                    raise PommelError(
                        f"Slurm holds all jobs that are left ({', '.join(jobs)}): `scontrol "
                        f"release jobname={name}` has them run, `scancel --name={name}` ends them; "
                        "then the same command goes on"
                    )
                yield f"{name}: " + ", ".join(f"{n} {state}" for state, n in jobs.items())
                pause = min(1.2 * pause + 1, _MOST_SECONDS_BETWEEN_LOOKS)
                time.sleep(pause)
        except KeyboardInterrupt:
            _said("scancel", f"--name={name}", f"--user={getpass.getuser()}")
            raise

    def text(self, work: PlanFolder) -> str:
        """Return the script, whose array is of what is missing."""
        asked = {
            "partition": self.partition,
            "gres": self.gres,
            "time": self.time_limit,
            # The batch script is what runs pommel, and has no steps.
            "signal": self.signal if ":" in self.signal else f"B:{self.signal}",
        }
        lines = [f"--{name}={value}" for name, value in asked.items() if value]
        lines += [*["--requeue"] * self.requeue, *self.sbatch]
        program = [sys.executable, "-m", "pommel"]
        if self.container:
            gpus = ["--nv"] if "gpu" in (self.gres or "") else []
            seen = str(work.path)
            program = ["apptainer", "exec", *gpus, "--bind", seen, self.container, "pommel"]
        log = str(work.log("TASK"))
        command = shlex.join([*program, *self.command(work, "TASK", self.device)])
        return _SCRIPT.format(
            name=_name(work),
            array=self._array(work),
            folder=shlex.quote(str(work.path)),
            log=shlex.quote(log.replace("%", "%%").replace("shard-TASK", "shard-%a")),
            lines="\n".join(f"#SBATCH {line}" for line in lines),
            command=command.replace("--shard=TASK/", "--shard=$SLURM_ARRAY_TASK_ID/"),
        )

    def _array(self, work: PlanFolder) -> str:
        at_once = f"%{self.n_workers}" if self.n_workers else ""
        return f"{work.status().array}{at_once}"


def _name(work: PlanFolder) -> str:
    """Return what the jobs are called; so they are found again, and no others."""
    of_both = f"{work.plan.fingerprint} {work.path}"
    return f"pommel-{hashlib.sha256(of_both.encode()).hexdigest()[:8]}"


def _jobs(name: str) -> Counter[str]:
    """Return how many tasks are in which state: "RUNNING", "PENDING (Resources)"."""
    said = _said("squeue", "--me", "--array", "--noheader", f"--name={name}", "--format=%T (%r)")
    return Counter(line.replace(" (None)", "") for line in said.splitlines())


def _said(*command: str, given: str = "") -> str:
    """Return what a command of Slurm's prints; raises `PommelError` with what is wrong."""
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise UsageError(
            f"{command[0]} is not here: run this where jobs are submitted, or write the script "
            "with --dry-run"
        ) from None
    if done.returncode:
        told = done.stderr.strip()
        if "array spec" in told:
            told += "\nNumbers of shards have to be below MaxArraySize (`scontrol show config`)"
        raise PommelError(told)
    return done.stdout
