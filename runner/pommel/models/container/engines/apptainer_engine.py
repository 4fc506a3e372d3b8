"""Apptainer, and Singularity before it: no service, no root, one program to call."""

import contextlib
import math
import os
import random
import re
import shutil
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from pommel.errors import ContainerError, ModelNotAvailableError, PommelError
from pommel.files.writing import write_text
from pommel.models.container.engines.apptainer_command import (
    command_line,
    probe_line,
    process_environment,
    with_tmp_size,
)
from pommel.models.container.engines.apptainer_limits import (
    Limits,
    counts_processes_apart,
    lends_cgroups,
    own_config,
    probe_cgroups,
    read_build,
)
from pommel.models.container.engines.apptainer_pull import pull_image, pulled_file
from pommel.models.container.engines.engine import Image, Job, Pull, PullProgress
from pommel.models.container.engines.image_digest import image_digest
from pommel.models.container.engines.process_channel import ProcessChannel

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
