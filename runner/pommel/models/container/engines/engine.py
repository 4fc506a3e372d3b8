"""The contract of a container engine: an image by its name, a command in it, bytes in and out.

An engine knows nothing of language models. Docker, Podman and Apptainer each have one file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from pommel.errors import ModelNotAvailableError
from pommel.models.container.engines.sandbox import Sandbox

Pull = Literal["missing", "always", "never"]

# Called with the bytes that have come so far, and all there are (0 while nobody knows).
PullProgress = Callable[[int, int], None]

STDOUT = 1
STDERR = 2

# Where a checkpoint is seen in the container, and the variable that names the place.
CHECKPOINT_FOLDER = "/opt/lmzoo_checkpoint"
CHECKPOINT_VARIABLE = "LMZOO_CHECKPOINT_PATH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image that is there to be run.

    `reference` is what was asked for, scheme and all. `id` is "sha256:..." over all that is in
    it; `digests` are the names, with digests, under which a registry has it (there may be none).
    `engine` says by which engine, in which version, it is run. `volumes` are the folders in it that
    its author has declared as places for data.
    """

    reference: str
    id: str
    digests: tuple[str, ...] = ()
    engine: Mapping[str, Any] = field(default_factory=dict)
    volumes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One command to be run in a container of its own.

    `checkpoint` is a file or folder of this machine, mounted at `CHECKPOINT_FOLDER`, read-only;
    nothing else of this machine is seen. `gpus` is "all", the number of one, or None. `label` is
    what messages call a command that is long.
    """

    image: Image
    command: tuple[str, ...]
    sandbox: Sandbox
    environment: Mapping[str, str] = field(default_factory=dict)
    checkpoint: Path | None = None
    gpus: str | None = None
    label: str = ""

    @property
    def where(self) -> str:
        """The image and the command, as messages begin."""
        return f"{self.image.reference}: {self.label or ' '.join(self.command)}"


@dataclass(frozen=True, slots=True, kw_only=True)
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
        self, reference: str, *, pull: Pull = "missing", progress: PullProgress | None = None
    ) -> Image:
        """Return the image that `reference` (`scheme://...`) names, pulled if need be.

        Raises `ModelNotAvailableError` if there is none or the engine does not answer; the
        message says what to do.
        """
        ...

    def start(self, job: Job) -> Channel:
        """Start a command; raises `ContainerError` if it can't be, and leaves nothing behind."""
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


def _docker(reference: str) -> Engine:
    from pommel.models.container.engines import docker_engine  # noqa: PLC0415 - only the engine that is asked for

    return docker_engine.connect_docker(reference)


def _podman(reference: str) -> Engine:
    from pommel.models.container.engines import docker_engine  # noqa: PLC0415 - only the engine that is asked for

    return docker_engine.connect_podman(reference)


def _apptainer(reference: str) -> Engine:
    from pommel.models.container.engines import apptainer_engine  # noqa: PLC0415 - only the engine that is asked for

    return apptainer_engine.find_apptainer(reference)


ENGINES: dict[str, Callable[[str], Engine]] = {
    "docker": _docker,
    "podman": _podman,
    "apptainer": _apptainer,
    "singularity": _apptainer,
    "library": _apptainer,
    "shub": _apptainer,
}
