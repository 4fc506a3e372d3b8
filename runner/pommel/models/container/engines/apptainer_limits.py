"""Which limits Apptainer can keep on this machine, found out by asking for them.

Docker's engine runs as root and keeps every limit. Apptainer runs as the user who calls it: control
groups are there if systemd lends them to users, a `/tmp` of any size if Apptainer is installed
without setuid. Where they are not, limits that a process sets for itself take their place.
"""

import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pommel.models.container.engines.sandbox import MIB

# What the probe asks for: odd values, so that nothing else has set them.
_PROBE_BYTES = 513 * MIB
_PROBE_PROCESSES = 123
_PROBE_CPUS = "0.75"
CGROUP_PROBE = (
    "--memory", str(_PROBE_BYTES), "--memory-swap", str(_PROBE_BYTES),
    "--pids-limit", str(_PROBE_PROCESSES), "--cpus", _PROBE_CPUS,
)  # fmt: skip
# Only what every shell has built in: an image need not have more.
CGROUP_SCRIPT = """
IFS=: read -r number names path < /proc/self/cgroup
for name in memory.max pids.max cpu.max; do
    value=; read -r value < "/sys/fs/cgroup$path/$name"; echo "$name $value"
done
"""
_SECONDS_FOR_A_PROBE = 120
# From this Linux on, the processes in a container are counted apart from the user's others.
_COUNTS_PROCESSES_APART = (5, 14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Which limits can be kept: by control groups, by a configuration of ours, by each process.

    `cgroups` holds "memory", "processes" and "cpus", as far as control groups keep them. `config`
    is Apptainer's configuration file, where one of ours may be used in its place.
    `count_processes` says whether a limit on a user's processes counts the container's only.
    """

    cgroups: frozenset[str] = frozenset()
    config: Path | None = None
    count_processes: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return what is not kept as a `Sandbox` has it, and what is done instead; plain values."""
        kept = {
            "memory_bytes": "memory" in self.cgroups,
            "n_processes": "processes" in self.cgroups or self.count_processes,
            "n_cpus": "cpus" in self.cgroups,
            "tmp_bytes": self.config is not None,
            "user": False,
        }
        instead = {
            "memory_bytes": "for the data of each process, not for all of them together",
            "n_processes": "none",
            "n_cpus": "whole processors, which a program may choose to leave",
            "tmp_bytes": "`sessiondir max size` of apptainer.conf",
            "user": f"{os.getuid()}:{os.getgid()}",
        }
        unenforced = sorted(name for name in kept if not kept[name])
        return {
            "cgroups": sorted(self.cgroups),
            "unenforced": unenforced,
            "instead": {name: instead[name] for name in unenforced},
        }


def read_build(program: str) -> dict[str, str]:
    """Return how Apptainer was built (`apptainer buildcfg`); empty if it does not say."""
    try:
        result = subprocess.run(  # noqa: S603 - the program that was found
            [program, "buildcfg"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS_FOR_A_PROBE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    lines = result.stdout.decode(errors="replace").splitlines()
    return {key: value for key, separator, value in (_.partition("=") for _ in lines) if separator}


def own_config(build: Mapping[str, str]) -> Path | None:
    """Return the configuration file of an Apptainer that may be told to use another one."""
    values = {key.partition("_")[2]: value for key, value in build.items()}
    if values.get("SUID_INSTALL") != "0":
        return None
    path = Path(values.get("CONF_FILE", ""))
    return path if os.access(path, os.R_OK) and path.is_file() else None


def counts_processes_apart(build: Mapping[str, str], release: str | None = None) -> bool:
    """Return whether a container has a user namespace of its own that counts its processes."""
    numbers = re.match(r"(\d+)\.(\d+)", platform.release() if release is None else release)
    new = numbers is not None and tuple(map(int, numbers.groups())) >= _COUNTS_PROCESSES_APART
    without_setuid = any(
        key.endswith("_SUID_INSTALL") and value == "0" for key, value in build.items()
    )
    return new and without_setuid


def lends_cgroups() -> bool:
    """Return whether it is worth to ask for control groups: they are systemd's to lend."""
    return Path("/run/systemd/system").is_dir() and Path("/sys/fs/cgroup/cgroup.procs").exists()


def probe_cgroups(command: Sequence[str], environment: Mapping[str, str]) -> frozenset[str]:
    """Return which of "memory", "processes", "cpus" control groups limit.

    `command` runs `CGROUP_SCRIPT` in a container that was given `CGROUP_PROBE`. What counts is
    what the container reads of its own limits: what is asked for in vain may be passed over.
    """
    try:
        result = subprocess.run(  # noqa: S603 - the program that was found
            list(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS_FOR_A_PROBE,
            env=dict(environment),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    return read_cgroups(result.stdout.decode(errors="replace"))


def read_cgroups(printed: str) -> frozenset[str]:
    """Return which limits of `CGROUP_PROBE` are among those that `CGROUP_SCRIPT` printed."""
    said = {name: rest.split() for name, _, rest in (_.partition(" ") for _ in printed.split("\n"))}
    kept = set()
    if said.get("memory.max") == [str(_PROBE_BYTES)]:
        kept.add("memory")
    if said.get("pids.max") == [str(_PROBE_PROCESSES)]:
        kept.add("processes")
    # "75000 100000": microseconds of a processor in each so many of the clock.
    match said.get("cpu.max"):
        case [quota, period] if quota.isdigit() and period.isdigit():
            if int(quota) == float(_PROBE_CPUS) * int(period):
                kept.add("cpus")
    return frozenset(kept)
