"""From a job to what Docker is asked for: every limit in one place."""

import math
from typing import TYPE_CHECKING, Any

from pommel.models.container.engines.engine import CHECKPOINT_FOLDER, CHECKPOINT_VARIABLE, Job

if TYPE_CHECKING:
    from docker import APIClient

_NANO = 1_000_000_000


def container_options(client: "APIClient", job: Job, *, podman: bool) -> dict[str, Any]:
    """Return the arguments of `APIClient.create_container` that the job's sandbox decides.

    The two engines that have this interface differ in what they make of some of them.
    """
    sandbox = job.sandbox
    return {
        "user": sandbox.user,
        "environment": environment(job),
        "host_config": _host_config(client, job, podman=podman),
        "network_disabled": not sandbox.network,
        # Commands are run as they are, whatever the image has for an entry point: engines differ in
        # what they make of one, and some greet on standard output.
        "entrypoint": [job.command[0]],
        "command": list(job.command[1:]),
        # The proxy in the user's configuration of Docker may have a password in it.
        "use_config_proxy": sandbox.network,
    }


def environment(job: Job) -> dict[str, str]:
    """Return the variables that the command sees beside those of the image."""
    variables = {"HOME": "/tmp"}  # noqa: S108 - the one place that the container can write to
    if job.sandbox.n_cpus is not None:
        # Libraries count the machine's processors, and would start more threads than may run.
        variables["OMP_NUM_THREADS"] = str(math.ceil(job.sandbox.n_cpus))
    if job.checkpoint is not None:
        variables[CHECKPOINT_VARIABLE] = CHECKPOINT_FOLDER
    return variables | dict(job.environment)


def _host_config(client: "APIClient", job: Job, *, podman: bool) -> dict[str, Any]:
    from docker.types import DeviceRequest, LogConfig, Mount, Ulimit  # noqa: PLC0415 - an extra

    sandbox = job.sandbox
    options: dict[str, Any] = {
        "read_only": sandbox.read_only,
        "tmpfs": _in_memory(job),
        "mem_limit": sandbox.memory_bytes,
        # Memory and swap together: the limit is no limit where a container may swap.
        "memswap_limit": sandbox.memory_bytes,
        "pids_limit": sandbox.n_processes,
        # Otherwise the engine writes all that is printed to a file on this machine's disk.
        "log_config": LogConfig(type="none"),
        # Process number 1 ignores signals that it does not handle, and reaps no children.
        "init": True,
    }
    if not podman:
        # A dump of memory goes where the machine sends it, which is no place of the container's.
        # (Asked for one limit, Podman forgets those of its own configuration.)
        options["ulimits"] = [Ulimit(name="core", soft=0, hard=0)]
    if not sandbox.network:
        options["network_mode"] = "none"
    if not sandbox.capabilities:
        options["cap_drop"] = ["ALL"]
    if not sandbox.new_privileges:
        options["security_opt"] = ["no-new-privileges:true"]
    if sandbox.n_cpus is not None:
        options["nano_cpus"] = round(sandbox.n_cpus * _NANO)
    if job.checkpoint is not None:
        source = str(job.checkpoint.resolve())
        # Unlike `binds`: any name will do, and an engine elsewhere makes no empty folder of it.
        options["mounts"] = [Mount(CHECKPOINT_FOLDER, source, type="bind", read_only=True)]
    if job.gpus is not None:
        which: dict[str, Any] = {"count": -1} if job.gpus == "all" else {"device_ids": [job.gpus]}
        options["device_requests"] = [DeviceRequest(capabilities=[["gpu"]], **which)]
    config: dict[str, Any] = client.create_host_config(**options)
    return config


def _in_memory(job: Job) -> dict[str, str]:
    """Return the places that are in memory, with their options.

    Those are `/tmp` and whatever the image calls a volume, which would otherwise be room without
    limit on this machine's disk.
    """
    places = ["/tmp"]  # noqa: S108 - in the container
    if job.sandbox.read_only:
        places += job.image.volumes
    options = f"rw,nosuid,nodev,noexec,mode=1777,size={job.sandbox.tmp_bytes}"
    return dict.fromkeys(places, options)
