"""The contract of a container engine: an image by its name, a command in it, bytes in and out.

An engine knows nothing of language models. Docker, Podman and Apptainer each have one file. What a
container may do and use is nothing more than it needs, and never without a limit (`Sandbox`).
"""

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from pommel.errors import ModelNotAvailableError, UsageError, nearest
from pommel.values import frozen

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


@frozen
class Sandbox:
    """The limits of one container; the defaults are for code that nobody vouches for.

    `timeout_s` is the time for one command, or, in a session, for one block of
    sentences; `total_s` that from an image's first command to the end of its last. `output_bytes`
    bounds what a container may print in that time, standard error
    included. `n_cpus` None means all there are. `tmp_bytes` is the size of `/tmp`, the one place
    that a container can write to beside `/dev/shm` with `shm_bytes`. `download_bytes` bounds what
    an engine fetches of an image. `runtime` is what the engine runs containers by, None its usual
    one. `user` is `uid:gid`, never root by default; `uid` alone becomes
    `uid:uid`, since an engine would take root's group.

    Raises `UsageError` for a limit out of its range (`_RANGES`). The least is never below one unit
    of the engines': they take 0 for no limit at all.
    """

    network: bool = False
    read_only: bool = True
    capabilities: bool = False
    new_privileges: bool = False
    user: str = "65534:65534"
    memory_bytes: int = 8 * GIB
    tmp_bytes: int = 1 * GIB
    shm_bytes: int = 64 * MIB
    n_cpus: float | None = None
    n_processes: int = 512
    timeout_s: float = 3600
    total_s: float | None = None
    output_bytes: int = 2 * GIB
    download_bytes: int | None = None
    runtime: str | None = None

    def __post_init__(self) -> None:
        """Check the limits, and give a user without a group one."""
        field = "user"
        try:
            object.__setattr__(self, "user", _user(self.user))
            for field in _RANGES:
                _check_range(field, getattr(self, field))
        except ValueError as error:
            raise UsageError(f"sandbox: {field}={getattr(self, field)!r}: {error}") from None

    def to_dict(self) -> Mapping[str, Any]:
        """Return the limits as plain JSON values, for a run's provenance."""
        return asdict(self)

    def freedoms(self) -> list[str]:
        """Return the names of what a container may do otherwise than by default."""
        default = Sandbox()
        names = ("network", "read_only", "capabilities", "new_privileges", "user", "runtime")
        return [name for name in names if getattr(self, name) != getattr(default, name)]

    @staticmethod
    def setting_keys() -> tuple[str, ...]:
        """Return the keys that `with_settings` knows."""
        return tuple(SETTINGS)

    def with_settings(self, settings: Iterable[str]) -> "Sandbox":
        """Return a sandbox with `KEY=VALUE` settings changed, as a command line has them.

        Raises `UsageError` for a key that there is not, with the nearest one that there is, and
        for a value that it can't be or that is out of its range.
        """
        changed: dict[str, Any] = {}
        for setting in settings:
            try:
                field, value = _read_setting(setting)
                _check_range(field, value)
            except ValueError as error:
                raise UsageError(f"--sandbox {setting}: {error}") from None
            changed[field] = value
        return replace(self, **changed)


Pull = Literal["missing", "always", "never"]
# What has Docker's interface.
DockerName = Literal["docker", "podman"]

# Called with the bytes that have come so far, and all there are (0 while nobody knows).
PullProgress = Callable[[int, int], None]

STDOUT = 1
STDERR = 2

# Where a checkpoint is seen in the container, and the variable that names the place.
CHECKPOINT_FOLDER = "/opt/lmzoo_checkpoint"
CHECKPOINT_VARIABLE = "LMZOO_CHECKPOINT_PATH"


@frozen
class Image:
    """An image that is there to be run.

    `reference` is what was asked for, scheme and all. `id` is "sha256:..." over all that is in
    it; `digests` are the names, with digests, under which a registry has it (there may be none).
    `engine` says by which engine, in which version, it is run. `volumes` are the folders in it that
    its author has declared as places for data. `is_new` says that it was fetched just now, and that
    nothing was there by its name before.
    """

    reference: str
    id: str
    digests: tuple[str, ...] = ()
    engine: Mapping[str, Any] = field(default_factory=dict)
    volumes: tuple[str, ...] = ()
    is_new: bool = False

    def to_dict(self) -> Mapping[str, Any]:
        """Return which image it is as plain JSON values."""
        return {"reference": self.reference, "id": self.id, "digests": list(self.digests)}


@frozen
class Job:
    """One command to be run in a container of its own.

    `checkpoint` is a file or folder of this machine, mounted at `CHECKPOINT_FOLDER`, read-only;
    nothing else of this machine is seen. `gpus` is "all", the number of one, or None. `label` is
    what messages call a command that is long. The command is stopped at `until`, a time of
    `time.monotonic`, whatever the sandbox allows.
    """

    image: Image
    command: tuple[str, ...]
    sandbox: Sandbox
    environment: Mapping[str, str] = field(default_factory=dict)
    checkpoint: Path | None = None
    gpus: str | None = None
    label: str = ""
    until: float = math.inf

    @property
    def where(self) -> str:
        """The image and the command, as messages begin."""
        return f"{self.image.reference}: {self.label or ' '.join(self.command)}"


@frozen
class ExitStatus:
    """How a command ended; `out_of_memory` says that something in the container was killed for it.

    Podman and Apptainer do not say so: there it stays False.
    """

    code: int
    out_of_memory: bool = False


class Channel(Protocol):
    """A container that runs. Reading, writing and removing may be done from different threads.

    Whatever goes wrong between us and the engine raises `ConnectionError`, never anything else.
    """

    def write(self, data: bytes) -> None:
        """Write all of `data` to the command's standard input; waits until it is taken."""
        ...

    def close_input(self) -> None:
        """Let the command see the end of its input."""
        ...

    def read(self) -> tuple[int, bytes] | None:
        """Return the next piece of output and whose it is (`STDOUT`, `STDERR`); None at the end."""
        ...

    def exit_status(self, timeout_s: float) -> ExitStatus:
        """Return how the command ended; raises `TimeoutError` if it has not by then."""
        ...

    def remove(self) -> None:
        """Kill what runs and leave nothing behind; may be called twice, and by any thread."""
        ...


class Engine(Protocol):
    """What runs containers."""

    def find_image(
        self,
        reference: str,
        *,
        sandbox: Sandbox | None = None,
        pull: Pull = "missing",
        progress: PullProgress | None = None,
    ) -> Image:
        """Return the image that `reference` (`scheme://...`) names, pulled if need be.

        Raises `ModelNotAvailableError` if there is none, if more would have to be fetched than the
        sandbox allows, if the engine lacks its runtime, or does not answer; the message says what
        to do.
        """
        ...

    def start(self, job: Job) -> Channel:
        """Start a command; raises `ContainerError` if it can't be, and leaves nothing behind."""
        ...

    def remove_image(self, image: Image) -> None:
        """Remove an image by its name; it stays where somebody else uses it."""
        ...

    def close(self) -> None:
        """Let go of the connection to the engine; it is made anew when it is needed again."""
        ...


def open_engine(reference: str) -> Engine:
    """Return the engine that runs the image `reference` (`scheme://...`) names.

    Raises `ModelNotAvailableError` if it does not answer or is not installed.
    """
    scheme = reference.partition("://")[0]
    if scheme not in ENGINES:
        known = ", ".join(f"{name}://" for name in ENGINES)
        raise ModelNotAvailableError(f"{reference}: no engine runs this; an image is {known}")
    return ENGINES[scheme](reference)


def _of_docker(name: DockerName, reference: str) -> Engine:
    from pommel.models.container.engines.docker_engine import DockerEngine

    return DockerEngine.connect(name, asked_by=reference)


def _apptainer(reference: str) -> Engine:
    if sys.platform != "linux":
        raise ModelNotAvailableError(
            f"{reference}: Apptainer is for Linux; use the image with docker://"
        )
    from pommel.models.container.engines import apptainer_engine

    return apptainer_engine.find_apptainer(reference)


ENGINES: dict[str, Callable[[str], Engine]] = {
    **{name: partial(_of_docker, name) for name in get_args(DockerName)},
    **dict.fromkeys(("apptainer", "singularity", "library", "shub"), _apptainer),
}


def _read_setting(setting: str) -> tuple[str, Any]:
    """Return the field of a `KEY=VALUE` and its value; raises `ValueError`."""
    key, separator, text = setting.partition("=")
    if key not in SETTINGS:
        meant = nearest(key, SETTINGS)
        hint = f" (did you mean {meant}?)" if meant else ""
        raise ValueError(f"there is no {key!r}{hint}; it is {', '.join(SETTINGS)}")
    if not separator:
        raise ValueError(f"write {key}=VALUE")
    field, read = SETTINGS[key]
    return field, read(text)


def _switch(text: str) -> bool:
    try:
        return {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}[
            text.lower()
        ]
    except KeyError:
        raise ValueError("write on or off") from None


_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kmg]?)(?:i?b)?", re.IGNORECASE)
_UNITS = {"": 1, "k": KIB, "m": MIB, "g": GIB}


def size_in_bytes(text: str) -> int:
    """Read a size as people write it: "16G", "512M", "100". Raises `ValueError` for anything else.

    A unit is 1024 of the one below it.
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError("write a size like 512M or 16G")
    n_bytes = float(match[1]) * _UNITS[match[2].lower()]
    # With enough digits a number is infinite.
    return int(n_bytes) if math.isfinite(n_bytes) else sys.maxsize


def _positive(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        raise ValueError("write a number above 0")
    return float(text)


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]+", text):
        raise ValueError("write a whole number from 1 up")
    return int(text)


def _runtime(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", text):
        raise ValueError("write the name of a runtime of the engine, such as runsc")
    return text


def _user(text: str) -> str:
    if not re.fullmatch(r"[0-9]+(:[0-9]+)?", text):
        raise ValueError("write UID or UID:GID, in digits")
    if any(int(number) > _LAST_USER for number in text.split(":")):
        raise ValueError(f"the last number of a user or a group is {_LAST_USER}")
    return text if ":" in text else f"{text}:{text}"


def _check_range(field: str, value: float | None) -> None:
    if field in _RANGES and value is not None:
        least, most, words = _RANGES[field]
        # In this order NaN is out of range, too.
        if not least <= value <= most:
            raise ValueError(f"write {words}")


# That of the engines.
_LAST_USER = (1 << 31) - 1
_TEN_YEARS_S = 10 * 365 * 24 * 3600
# Field -> (least, most, what can be written). 6 MiB and 0.01 are Docker's own.
_RANGES: dict[str, tuple[float, float, str]] = {
    "memory_bytes": (6 * MIB, 1 << 50, "a size from 6M to 1048576G"),
    "tmp_bytes": (1, 1 << 50, "a size from 1 byte to 1048576G"),
    "shm_bytes": (1, 1 << 50, "a size from 1 byte to 1048576G"),
    "n_cpus": (0.01, 10_000, "a number from 0.01 to 10000"),
    "n_processes": (1, 1 << 22, "a whole number from 1 to 4194304"),
    "timeout_s": (0.001, _TEN_YEARS_S, f"seconds from 0.001 to {_TEN_YEARS_S} (ten years)"),
    "total_s": (0.001, _TEN_YEARS_S, f"seconds from 0.001 to {_TEN_YEARS_S} (ten years)"),
    "output_bytes": (1, 1 << 50, "a size from 1 byte to 1048576G"),
    "download_bytes": (1, 1 << 50, "a size from 1 byte to 1048576G"),
}


# Key on the command line -> (field, how it is read).
SETTINGS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "network": ("network", _switch),
    "read-only": ("read_only", _switch),
    "capabilities": ("capabilities", _switch),
    "new-privileges": ("new_privileges", _switch),
    "user": ("user", _user),
    "memory": ("memory_bytes", size_in_bytes),
    "tmp": ("tmp_bytes", size_in_bytes),
    "shm": ("shm_bytes", size_in_bytes),
    "cpus": ("n_cpus", _positive),
    "processes": ("n_processes", _count),
    "time": ("timeout_s", _positive),
    "total-time": ("total_s", _positive),
    "output": ("output_bytes", size_in_bytes),
    "download": ("download_bytes", size_in_bytes),
    "runtime": ("runtime", _runtime),
}
