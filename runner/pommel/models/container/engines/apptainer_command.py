"""From a job to a command line of Apptainer: every limit in one place."""

import csv
import io
import math
import os
import re
import resource
import shlex
from collections.abc import Sequence
from pathlib import Path

from pommel.models.container.engines.apptainer_limits import CGROUP_PROBE, CGROUP_SCRIPT, Limits
from pommel.models.container.engines.docker_options import environment
from pommel.models.container.engines.engine import CHECKPOINT_FOLDER, Job
from pommel.models.container.engines.sandbox import KIB, MIB, Sandbox

# With any others, Apptainer might find settings (more places to mount), and pass a proxy on.
_OUR_VARIABLES = (
    "PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH",
    "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    "APPTAINER_CACHEDIR", "APPTAINER_CONFIGDIR", "APPTAINER_TMPDIR",
    "SINGULARITY_CACHEDIR", "SINGULARITY_CONFIGDIR", "SINGULARITY_TMPDIR",
)  # fmt: skip
_CLOSED = (
    "exec", "--containall", "--cleanenv", "--no-home", "--no-eval",
    "--no-mount", "bind-paths,hostfs,cwd,home", "--pwd", "/",
)  # fmt: skip


def command_line(
    program: str, image: Path, job: Job, limits: Limits, *, config: Path | None = None
) -> list[str]:
    """Return the command line that runs a job; `config` is the configuration to use, if any."""
    return [
        program,
        # Its remarks would push the command's own last words out of sight.
        "--silent",
        *(["--config", str(config)] if config else []),
        *_CLOSED,
        *_isolation(job.sandbox),
        *_cgroup_options(job.sandbox, limits),
        *_mounts(job),
        *(["--nv"] if job.gpus is not None else []),
        str(image),
        *("sh", "-c", _script(job, limits), "sh"),
        *job.command,
    ]


def probe_line(program: str, image: Path) -> list[str]:
    """Return the command line by which a container tells which of its limits are kept."""
    isolation = _isolation(Sandbox())
    return [
        *(program, "--silent", *_CLOSED, *isolation, *CGROUP_PROBE),
        *(str(image), "sh", "-c", CGROUP_SCRIPT),
    ]


def process_environment(name: str, job: Job | None = None) -> dict[str, str]:
    """Return the variables that Apptainer itself sees; those of the job carry its own prefix."""
    ours = {key: os.environ[key] for key in _OUR_VARIABLES if key in os.environ}
    if job is None:
        return ours
    prefix = "APPTAINERENV_" if name == "apptainer" else "SINGULARITYENV_"
    theirs = environment(job)
    if job.gpus is not None and job.gpus != "all":
        theirs.setdefault("CUDA_VISIBLE_DEVICES", job.gpus)
    # Apptainer refuses to set HOME; the script does.
    return ours | {prefix + key: value for key, value in theirs.items() if key != "HOME"}


def with_tmp_size(config: str, n_bytes: int) -> str:
    """Return a configuration of Apptainer with another size for `/tmp`, rounded up to whole MiB."""
    line = f"sessiondir max size = {math.ceil(n_bytes / MIB)}"
    kept = re.sub(r"(?m)^[ \t]*sessiondir max size[ \t]*=.*\n?", "", config)
    return f"{kept}\n{line}\n"


def _isolation(sandbox: Sandbox) -> list[str]:
    options: list[str] = []
    if not sandbox.network:
        options += ["--net", "--network", "none"]
    if not sandbox.capabilities:
        options += ["--no-privs", "--drop-caps", "all"]
    if not sandbox.read_only:
        options += ["--writable-tmpfs"]
    return options


def _cgroup_options(sandbox: Sandbox, limits: Limits) -> list[str]:
    options: list[str] = []
    if "memory" in limits.cgroups:
        # Memory and swap together: the limit is no limit where a container may swap.
        options += ["--memory", str(sandbox.memory_bytes)]
        options += ["--memory-swap", str(sandbox.memory_bytes)]
    if "processes" in limits.cgroups:
        options += ["--pids-limit", str(sandbox.n_processes)]
    if "cpus" in limits.cgroups and sandbox.n_cpus is not None:
        options += ["--cpus", f"{sandbox.n_cpus:g}"]
    return options


def _mounts(job: Job) -> list[str]:
    if job.checkpoint is None:
        return []
    source = f"source={job.checkpoint.resolve()}"
    return ["--mount", _csv(("type=bind", source, f"destination={CHECKPOINT_FOLDER}", "ro"))]


def _csv(fields: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


def _script(job: Job, limits: Limits) -> str:
    """Return what the image's shell does before it becomes the command.

    A shell says by 126 and 127 that there is no such command; Apptainer itself says 255, which a
    command may say, too. What a limit allows less of already, it cannot allow more of.
    """
    lines = ["ulimit -c 0"]
    if "memory" not in limits.cgroups:
        n_bytes = _at_most(job.sandbox.memory_bytes, resource.RLIMIT_DATA)
        lines += [f"ulimit -d {max(1, n_bytes // KIB)} || exit 125"]
    if "processes" not in limits.cgroups and limits.count_processes:
        n_processes = _at_most(job.sandbox.n_processes, resource.RLIMIT_NPROC)
        # Shells do not agree on its letter.
        lines += [f"ulimit -u {n_processes} 2>/dev/null || ulimit -p {n_processes} || exit 125"]
    home = shlex.quote(environment(job)["HOME"])
    return "; ".join([*lines, f"HOME={home}", "export HOME", 'exec "$@"'])


def _at_most(wanted: int, kind: int) -> int:
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
