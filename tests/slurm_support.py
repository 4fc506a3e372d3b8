"""A real Slurm on this machine: a controller and two nodes of one processor each.

Nothing of it is the system's: its files lie in a folder of a test's own, and its daemons end with
the test. `.ci/install-slurm` installs it on Debian and Ubuntu.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.containers_support.processes import end, wait_until

# Every path is absolute: daemons change their folder, and would wait for ever without a word.
_CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
SlurmctldPort={ports[0]}
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=5
SchedulerParameters=sched_interval=1,bf_interval=1
MaxArraySize=5
MpiDefault=none
MailProg=/bin/true
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 MaxTime=INFINITE State=UP
PartitionName=high Nodes=ALL PriorityTier=9 MaxTime=INFINITE State=UP
"""
_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")


@dataclass(frozen=True)
class Slurm:
    """A running cluster; commands find it where SLURM_CONF says."""

    folder: Path

    def said(self, *command: str) -> str:
        """Return what a command of Slurm's prints; it has to succeed."""
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    @property
    def environment(self) -> dict[str, str]:
        """What commands are told."""
        return os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def start_node(self, node: str) -> None:
        """Start the daemon of a node."""
        subprocess.run(
            [_found("slurmd"), "-f", str(self.folder / "slurm.conf"), "-N", node], check=True
        )

    def tasks(self, show: str = "%T %N") -> list[str]:
        """Return what `squeue` shows of each task of an array in the partition of low priority."""
        told = ("--array", "--noheader", "--partition=low", f"--format={show}")
        return self.said("squeue", *told).splitlines()

    def start_requeued(self) -> None:
        """Have tasks that were put back start now; Slurm has them wait for two minutes."""
        for task in self.tasks("%i %r"):
            job, _, why = task.partition(" ")
            if why == "BeginTime":
                self.said("scontrol", "update", f"JobId={job}", "StartTime=now")

    def kill_node(self, node: str) -> None:
        """Kill all that runs on a node, and wait until the controller has found out."""
        daemon = int((self.folder / f"{node}.pid").read_text())
        # What jobs run has the node's name in its environment. Their parents, which belong to
        # Slurm, would tell the controller how they have ended.
        jobs = [*_with_environment(f"SLURM_CONF={self.folder}/", f"SLURMD_NODENAME={node}\0")]
        for number in (daemon, *({*map(_parent, jobs)} - {1}), *jobs):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        states = ("sinfo", "--noheader", f"--nodes={node}", "--partition=low", "--format=%T")
        assert wait_until(lambda: self.said(*states).startswith("down"), timeout_s=60)


@contextlib.contextmanager
def running_slurm(folder: Path) -> Iterator[Slurm]:
    """Start a cluster, and end it; without Slurm a test is skipped, and in CI it fails."""
    if os.geteuid() or not all(map(_found, _PROGRAMS)):
        if os.environ.get("CI"):
            pytest.fail("CI runs with Slurm, as root; see .ci/install-slurm")
        pytest.skip("Slurm is not installed, or one is not root")
    slurm = Slurm(folder)
    (folder / "state").mkdir()
    for node in ("n1", "n2"):
        (folder / f"spool{node}").mkdir()
    host = socket.gethostname().partition(".")[0]
    written = _CONFIGURATION.format(host=host, folder=folder, ports=_free_ports(3))
    (folder / "slurm.conf").write_text(written)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    settings = {"key-file": key, "socket": folder / "munge.socket"}
    settings |= {f"{each}-file": folder / f"munge.{each}" for each in ("pid", "log", "seed")}
    arguments = [f"--{name}={value}" for name, value in settings.items()]
    try:
        subprocess.run([_found("munged"), "--force", *arguments], check=True, capture_output=True)
        subprocess.run([_found("slurmctld"), "-f", str(folder / "slurm.conf"), "-c"], check=True)
        for node in ("n1", "n2"):
            slurm.start_node(node)
        states = ("sinfo", "--noheader", "--partition=low", "--format=%T %D")
        assert wait_until(lambda: _quiet(slurm, *states) == "idle 2\n", timeout_s=30)
        yield slurm
    finally:
        for number in _with_environment(f"SLURM_CONF={folder}/"):
            if number != os.getpid():
                end(number, timeout_s=10)
        for name in ("n1", "n2", "slurmctld", "munge"):
            pid = folder / f"{name}.pid"
            if pid.exists():
                end(int(pid.read_text()), timeout_s=10)


def _quiet(slurm: Slurm, *command: str) -> str:
    with contextlib.suppress(subprocess.CalledProcessError):
        return slurm.said(*command)
    return ""


def _found(program: str) -> str:
    return shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") or ""


def _free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _parent(process: int) -> int:
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return int(fields[1])


def _with_environment(*texts: str) -> Iterator[int]:
    """Yield the processes that have all of these in their environment."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found = (folder / "environ").read_bytes().decode(errors="replace") + "\0"
            if all(text in found for text in texts):
                yield int(folder.name)
