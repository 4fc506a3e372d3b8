#!/usr/bin/env python3
"""What a container may do and see, found out from inside, as one JSON object."""

# ruff: noqa: PTH112, T201 - what it prints is its answer

import errno
import json
import os
import socket
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

# Of the kernel, of the container's own files, or in memory: nothing that this machine has.
OWN_FILE_SYSTEMS = {
    *("overlay", "tmpfs", "proc", "sysfs", "devpts", "mqueue", "cgroup", "cgroup2", "ramfs"),
}


def status() -> dict[str, str]:
    """Return what the kernel says of this process."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def mounts() -> list[tuple[str, str, set[str]]]:
    """Return place, file system and options of each mount."""
    lines = Path("/proc/self/mounts").read_text("utf-8").splitlines()
    return [
        (at, kind, set(options.split(","))) for _, at, kind, options, *_ in map(str.split, lines)
    ]


def limit(*places: str) -> str:
    """Return a control group's setting, in either version; "" where it can't be read."""
    for place in places:
        path = Path("/sys/fs/cgroup") / place
        if path.exists():
            return path.read_text("utf-8").strip()
    return ""


def cpus() -> float | None:
    """Return how many processors this may use, None for all."""
    if both := limit("cpu.max"):
        quota, period = both.split()
    else:
        quota, period = limit("cpu/cpu.cfs_quota_us"), limit("cpu/cpu.cfs_period_us")
    return None if quota in ("max", "-1", "") else int(quota) / int(period)


def outcome(action: Callable[[], object]) -> str:
    """Return the name of the error that an action gives; "" if it can be done."""
    try:
        action()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error.errno))
    return ""


def writable() -> dict[str, str]:
    """Return the folders that this can write to, each with the file system that it is on."""
    places = {at: kind for at, kind, _ in mounts() if os.path.isdir(at)}
    for folder in ("/", "/etc", "/usr/bin", "/var/tmp", "/run", "/root", "/opt"):
        if os.path.isdir(folder):
            above = max((at for at in places if folder.startswith(at)), key=len)
            places.setdefault(folder, places[above])
    tried = {at: outcome(partial(make_in, at)) for at in sorted(places)}
    return {at: places[at] for at, error in tried.items() if not error}


def make_in(folder: str) -> None:
    """Make a file, and remove it."""
    path = Path(folder, "made-by-the-probe")
    path.write_text("x", "utf-8")
    path.unlink()


def run_in_tmp() -> None:
    """Try to run a program that was not in the image."""
    path = Path("/tmp/program")
    path.write_text("#!/bin/sh\n", "utf-8")
    path.chmod(0o755)
    subprocess.run([path], check=True)


def connect() -> None:
    """Try to reach another machine (an address that nobody has)."""
    socket.create_connection(("192.0.2.1", 80), timeout=0.5)


def facts() -> dict[str, object]:
    """Return everything."""
    own, tmp, shm = status(), os.statvfs("/tmp"), os.statvfs("/dev/shm")
    root = next(options for at, _, options in mounts() if at == "/")
    return {
        "user": [os.getuid(), os.getgid(), os.getgroups()],
        "effective_capabilities": int(own["CapEff"], 16),
        "possible_capabilities": int(own["CapBnd"], 16) > 0,
        "no_new_privileges": own["NoNewPrivs"],
        "seccomp": own["Seccomp"],
        "interfaces": sorted(name for _, name in socket.if_nameindex()),
        "reaching_out": outcome(connect),
        "root_is_read_only": "ro" in root,
        "writable": writable(),
        "tmp_bytes": tmp.f_blocks * tmp.f_frsize,
        "shm_bytes": shm.f_blocks * shm.f_frsize,
        "running_from_tmp": outcome(run_in_tmp),
        "of_this_machine": sorted(at for at, kind, _ in mounts() if kind not in OWN_FILE_SYSTEMS),
        "memory_bytes": int(limit("memory/memory.limit_in_bytes", "memory.max") or 0),
        "n_processes": int(limit("pids/pids.max", "pids.max") or 0),
        "n_cpus": cpus(),
        "seen_processes": len(list(Path("/proc").glob("[0-9]*"))),
        "disks": [path.name for path in Path("/dev").iterdir() if path.is_block_device()],
        "home": os.environ["HOME"],
        "threads_to_use": os.environ.get("OMP_NUM_THREADS"),
        "variables": sorted(os.environ),
        "hostname": socket.gethostname(),
    }


if __name__ == "__main__":
    print(json.dumps(facts()))
