"""Apptainer, and Singularity before it: no service, no root, one program to call."""

import contextlib
import csv
import hashlib
import io
import math
import os
import platform
import random
import re
import resource
import shlex
import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pommel.errors import ContainerError, ModelNotAvailableError, PommelError
from pommel.files import write_text
from pommel.models.container.engines.docker_engine import environment
from pommel.models.container.engines.engine import (
    CHECKPOINT_FOLDER,
    KIB,
    MIB,
    Image,
    Job,
    Pull,
    PullProgress,
    Sandbox,
)
from pommel.models.container.engines.process import LastWords
from pommel.models.container.engines.process_channel import ProcessChannel

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


_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_AFTER_A_PULL = 10


def pulled_file(source: str) -> Path:
    """Return where the image `source` (`docker://...`, `library://...`) is kept, there or not."""
    root = os.environ.get("XDG_CACHE_HOME", "")
    # A relative one is to be ignored, says the specification of these folders.
    folder = Path(root) if Path(root).is_absolute() else Path.home() / ".cache"
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", source)[-60:].strip("-.")
    name = f"{readable}-{sha256(source.encode()).hexdigest()[:12]}.sif"
    return folder / "pommel" / "images" / name


def pull_image(program: str, source: str, *, reference: str, progress: PullProgress | None) -> None:
    """Have Apptainer pull `source` and put it where `pulled_file` says, in the place of an older.

    `progress` is told how many bytes have been written; how many there will be, nobody says.
    Raises `ModelNotAvailableError` if it can't be had, or not be kept.
    """
    target = pulled_file(source)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=target.parent, prefix=".pull-"))
    except OSError as error:
        raise _not_kept(reference, error) from error
    try:
        # The file is kept here, not in Apptainer's own folder as well.
        command = [program, "pull", "--disable-cache", "--tmpdir", str(aside)]
        _run([*command, str(aside / "image.sif"), source], aside, reference, progress)
        (aside / "image.sif").replace(target)
    except OSError as error:
        raise _not_kept(reference, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _run(command: list[str], folder: Path, reference: str, progress: PullProgress | None) -> None:
    channel = ProcessChannel.start(command, patience_s=_SECONDS_AFTER_A_PULL)
    last_words = LastWords()
    listener = threading.Thread(target=_listen, args=(channel, last_words), daemon=True)
    listener.start()
    n_bytes = 0
    try:
        channel.close_input()
        while True:
            try:
                status = channel.exit_status(_SECONDS_BETWEEN_LOOKS)
                break
            except TimeoutError:
                if progress:
                    # What was unpacked goes again before the end.
                    n_bytes = max(n_bytes, _n_bytes(folder))
                    progress(n_bytes, 0)
        listener.join(_SECONDS_AFTER_A_PULL)
    finally:
        channel.remove()
    if status.code != 0:
        raise ModelNotAvailableError(
            f"{reference}: the image is not here, and cannot be pulled "
            f"({Path(command[0]).name} pull: exit status {status.code}){last_words}"
        )


def _listen(channel: ProcessChannel, last_words: LastWords) -> None:
    while (piece := channel.read()) is not None:
        last_words.add(piece[1])


def _n_bytes(folder: Path) -> int:
    total = 0
    for parent, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(Path(parent) / name).st_size
            except FileNotFoundError:
                continue  # what is written here comes and goes
    return total


def _not_kept(reference: str, error: OSError) -> ModelNotAvailableError:
    return ModelNotAvailableError(f"{reference}: the image cannot be kept here: {error}")


def image_digest(path: Path) -> str:
    """Return "sha256:..." of a file's bytes, or of all that is in a folder.

    Of a folder, what counts is every name in it with its kind, its permissions and its contents
    (of a link, where it points to); not owners, and not times. Raises `OSError` for what cannot
    be read.
    """
    if not path.is_dir():
        return f"sha256:{_file_digest(path).hex()}"
    digest = hashlib.sha256()
    for entry in _entries(os.fsencode(path)):
        status = os.lstat(entry)
        fields = (os.path.relpath(entry, os.fsencode(path)), b"%o" % status.st_mode)
        for field in (*fields, _contents(entry, status.st_mode)):
            # Its length first: no two folders may be written down alike.
            digest.update(len(field).to_bytes(8))
            digest.update(field)
    return f"sha256:{digest.hexdigest()}"


def _entries(folder: bytes) -> list[bytes]:
    """Return everything below a folder, in an order that every file system agrees on."""
    found = []
    for parent, folders, files in os.walk(folder, onerror=_raise):
        found += [os.path.join(parent, name) for name in (*folders, *files)]  # noqa: PTH118 - names need not be text
    return sorted(found)


def _contents(entry: bytes, mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return os.readlink(entry)  # noqa: PTH115 - names need not be text
    if stat.S_ISREG(mode):
        return _file_digest(entry)
    return b""


def _file_digest(path: Path | bytes) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - names need not be text
        return hashlib.file_digest(file, "sha256").digest()


def _raise(error: OSError) -> None:
    raise error


_SECONDS_TO_ANSWER = 60
# Time for Apptainer to unmount an image after its command was killed, or to delete its copy.
_SECONDS_TO_TIDY_UP = 15


def find_apptainer(reference: str) -> "ApptainerEngine":
    """Return the engine: `apptainer` or `singularity`, whichever is on the PATH.

    Of both, `singularity://` takes the second. Raises `ModelNotAvailableError` if there is
    neither, if it does not run, and for root.
    """
    names = ["apptainer", "singularity"]
    if reference.startswith("singularity://"):
        names.reverse()
    program = next((found for name in names if (found := shutil.which(name))), None)
    if program is None:
        raise ModelNotAvailableError(
            f"{reference}: there is no apptainer or singularity on the PATH; "
            "install Apptainer (https://apptainer.org), or use the image with docker://"
        )
    if os.getuid() == 0:
        # What runs in the container would be root outside, and root may start any number of
        # processes, whatever the limit.
        raise ModelNotAvailableError(
            f"{reference}: Apptainer runs an image as the user who calls it, and you are root: "
            "become an ordinary user, or use the image with docker://"
        )
    return ApptainerEngine(program, *_version(program, reference))


class ApptainerEngine:
    """Apptainer or Singularity, as it says itself (`name`, `version`); `program` is its path.

    An image is a SIF file, an unpacked folder (a "sandbox"), or what `apptainer pull` can fetch.
    """

    def __init__(self, program: str, name: str, version: str) -> None:
        """Ask nothing yet."""
        self.program = program
        self.name = name
        self.version = version
        self._limits: Limits | None = None

    def find_image(
        self, reference: str, *, pull: Pull = "missing", progress: PullProgress | None = None
    ) -> Image:
        """Return the image that a reference names; see `Engine.find_image`.

        A file or folder is never pulled. `Image.engine` says which of a sandbox's limits this
        machine does not let Apptainer keep (`unenforced`), and what is done `instead`.
        """
        path = _image_path(reference)
        source = _source(reference)
        if source and (pull == "always" or not path.exists()):
            if pull == "never":
                raise ModelNotAvailableError(
                    f"{reference}: the image is not here, and nothing may be downloaded"
                )
            pull_image(self.program, source, reference=reference, progress=progress)
        if not path.exists():
            hint = "write apptainer://docker://IMAGE for an image in a registry"
            raise ModelNotAvailableError(f"{reference}: there is no file or folder {path}; {hint}")
        try:
            digest = image_digest(path)
        except OSError as error:
            raise ModelNotAvailableError(f"{reference}: cannot be read: {error}") from error
        engine = {"name": self.name, "version": self.version}
        return Image(
            reference=reference, id=digest, engine=engine | self._find_limits(path).to_dict()
        )

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def start(self, job: Job) -> ProcessChannel:
        """Start a command; see `Engine.start`.

        An image without the command, or without a shell, is told by the exit status.
        """
        path = _image_path(job.image.reference)
        where = job.where
        if not path.exists():
            raise ContainerError(f"{where}: the image has gone: there is no {path}")
        limits = self._find_limits(path)
        try:
            config = _config(limits, job.sandbox.tmp_bytes)
            command = command_line(self.program, path, job, limits, config=config)
            n_cpus = None if "cpus" in limits.cgroups else job.sandbox.n_cpus
            with _few_processors(n_cpus):
                return ProcessChannel.start(
                    command,
                    environment=process_environment(self.name, job),
                    folder=Path("/"),
                    patience_s=_SECONDS_TO_TIDY_UP,
                )
        except (OSError, PommelError) as error:
            raise ContainerError(f"{where}: {self.name} does not start: {error}") from error

    def _find_limits(self, image: Path) -> Limits:
        if self._limits is None:
            build = read_build(self.program)
            cgroups: frozenset[str] = frozenset()
            if lends_cgroups():
                line = probe_line(self.program, image)
                cgroups = probe_cgroups(line, process_environment(self.name))
            self._limits = Limits(
                cgroups=cgroups,
                config=own_config(build),
                count_processes=counts_processes_apart(build),
            )
        return self._limits


def _version(program: str, reference: str) -> tuple[str, str]:
    """Return what a program says of itself: ("apptainer", "1.4.5"), ("singularity-ce", "4.1.0")."""
    try:
        result = subprocess.run(  # noqa: S603 - the program that was found
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS_TO_ANSWER,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelNotAvailableError(f"{reference}: {program} does not run: {error}") from error
    printed = result.stdout.decode(errors="replace").strip()
    match = re.fullmatch(r"(\S+) version (\S+)", printed)
    if result.returncode != 0 or match is None:
        raise ModelNotAvailableError(
            f"{reference}: {program} does not say its version "
            f"(exit status {result.returncode}): {printed}"
        )
    return match[1], match[2]


def _source(reference: str) -> str | None:
    """Return what is to be pulled, None if the reference names a file or folder."""
    scheme, _, rest = reference.partition("://")
    if scheme in ("library", "shub"):
        return reference if rest else None
    return rest if re.match(r"[a-z][a-z0-9-]*://.", rest) else None


def _image_path(reference: str) -> Path:
    if source := _source(reference):
        return pulled_file(source)
    rest = reference.partition("://")[2]
    if not rest:
        raise ModelNotAvailableError(
            f"{reference}: it names no image; write apptainer://FILE.sif or "
            "apptainer://docker://IMAGE"
        )
    return Path(rest).absolute()


def _config(limits: Limits, tmp_bytes: int) -> Path | None:
    """Return a configuration for containers with a `/tmp` of this size, written if need be."""
    if limits.config is None:
        return None
    text = with_tmp_size(limits.config.read_text("utf-8"), tmp_bytes)
    name = f"apptainer-{sha256(text.encode()).hexdigest()[:12]}.conf"
    path = pulled_file("").with_name(name)
    if not path.exists():
        write_text(path, text)
    return path


@contextlib.contextmanager
def _few_processors(n_cpus: float | None) -> Iterator[None]:
    """Have what is started here run on so many processors, a part of one counted as one."""
    if n_cpus is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    ours = os.sched_getaffinity(0)
    # Any of them: two containers must not have to share one while others idle.
    chosen = random.sample(sorted(ours), min(len(ours), math.ceil(n_cpus)))
    os.sched_setaffinity(0, chosen)
    try:
        yield
    finally:
        os.sched_setaffinity(0, ours)
