"""An engine without containers, and images that are folders of scripts.

It keeps the contract of an engine (streams, exit status, removal), and nothing is shut in: what
is tried here is what pommel makes of an image's answers.
"""

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pommel.errors import ContainerError, ModelNotAvailableError
from pommel.models.container.engines.engine import (
    CHECKPOINT_VARIABLE,
    Image,
    Job,
    Pull,
    PullProgress,
    Sandbox,
)
from pommel.models.container.engines.process_channel import ProcessChannel

SCHEME = "local://"


@dataclass
class LocalEngine:
    """Runs the scripts in `folder/NAME` for the image `local://NAME`.

    `jobs` are those that were started, `channels` what runs or ran them.
    """

    folder: Path
    jobs: list[Job] = field(default_factory=list)
    channels: list[ProcessChannel] = field(default_factory=list)
    pulls: list[Pull] = field(default_factory=list)

    @property
    def commands(self) -> list[str]:
        """The names of the commands that were started."""
        return [job.command[0] for job in self.jobs]

    @property
    def n_running(self) -> int:
        """How many of them run still."""
        return sum(channel._process.poll() is None for channel in self.channels)  # noqa: SLF001

    def find_image(
        self,
        reference: str,
        *,
        sandbox: Sandbox | None = None,
        pull: Pull = "missing",
        progress: PullProgress | None = None,
    ) -> Image:
        """Return the image; its id is a hash of its scripts and of where they are."""
        del sandbox, progress
        self.pulls.append(pull)
        folder = self.folder / reference.removeprefix(SCHEME)
        if not folder.is_dir():
            raise ModelNotAvailableError(f"{reference}: there is no such image")
        digest = hashlib.sha256(str(folder).encode())
        for script in sorted(folder.iterdir()):
            digest.update(script.name.encode() + script.read_bytes())
        return Image(
            reference=reference,
            id=f"sha256:{digest.hexdigest()}",
            engine={"name": "local", "version": "1"},
        )

    def remove_image(self, image: Image) -> None:
        """Do nothing: no image was fetched."""

    def close(self) -> None:
        """Do nothing: there is no connection."""

    def start(self, job: Job) -> ProcessChannel:
        """Start a script as a program of this machine."""
        folder = self.folder / job.image.reference.removeprefix(SCHEME)
        environment = {**os.environ, **job.environment, "PATH": f"{folder}:{os.environ['PATH']}"}
        if job.checkpoint is not None:
            environment[CHECKPOINT_VARIABLE] = str(job.checkpoint)
        self.jobs.append(job)
        if not ((folder / job.command[0]).exists() or job.command[0] == "sh"):
            where = f"{job.image.reference}: {' '.join(job.command)}"
            raise ContainerError(f"{where}: the image has no such command")
        command = [str(folder / job.command[0]), *job.command[1:]]
        if job.command[0] == "sh":
            command = list(job.command)
        channel = ProcessChannel(command, environment=environment)
        self.channels.append(channel)
        return channel

    def add_image(self, name: str, scripts: Mapping[str, str]) -> str:
        """Write scripts in Python; return the image's reference."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        for command, code in scripts.items():
            script = folder / command
            # Without site-packages Python starts in a third of the time.
            script.write_text(f"#!{sys.executable} -SE\n{code}", "utf-8")
            script.chmod(0o755)
        return f"{SCHEME}{name}"
