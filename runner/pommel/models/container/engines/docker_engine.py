"""Docker, and Podman through the same interface, by the `docker` package."""

import contextlib
import os
import re
import uuid
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import ContainerError, ModelNotAvailableError, printable
from pommel.models.container.engines.docker_channel import DockerChannel
from pommel.models.container.engines.docker_options import container_options
from pommel.models.container.engines.docker_pull import pull_image
from pommel.models.container.engines.engine import Image, Job, Pull, PullProgress
from pommel.models.container.engines.leftovers import OWNER_LABEL, owner, remove_leftovers
from pommel.models.container.engines.reaper import REAPER

if TYPE_CHECKING:
    from docker import APIClient

_SECONDS_TO_ANSWER = 120
_NOT_FOUND = 404
# What engines say when there is nothing by the name of the command (the status differs).
_NO_COMMAND = re.compile(r"executable file .*not found|(exec|stat)\b.*: no such file or directory")


def connect_docker(reference: str) -> "DockerEngine":
    """Return the Docker engine: that of `DOCKER_HOST`, or of the current Docker context.

    Raises `ModelNotAvailableError` if the `docker` package is missing or no engine answers.
    """
    _require_package(reference)
    from docker.errors import DockerException  # noqa: PLC0415 - an extra
    from docker.utils import kwargs_from_env  # noqa: PLC0415 - an extra

    try:
        settings: dict[str, Any] = {**kwargs_from_env()}
    except DockerException as error:
        raise ModelNotAvailableError(f"{reference}: {error}") from error
    settings = settings or _current_context(reference)
    return _connect(reference, "docker", settings, hint="is Docker running? (try: docker info)")


def connect_podman(reference: str) -> "DockerEngine":
    """Return the Podman service: that of `CONTAINER_HOST`, the user's socket, or the system's.

    Raises `ModelNotAvailableError` if the `docker` package is missing or no service answers.
    """
    _require_package(reference)
    user = os.getuid() if hasattr(os, "getuid") else 0
    sockets = [Path(f"/run/user/{user}/podman/podman.sock"), Path("/run/podman/podman.sock")]
    if folder := os.environ.get("XDG_RUNTIME_DIR"):
        sockets.insert(0, Path(folder) / "podman" / "podman.sock")
    there = [f"unix://{path}" for path in sockets if path.exists()]
    url = os.environ.get("CONTAINER_HOST") or next(iter(there), f"unix://{sockets[0]}")
    hint = "start the service: systemctl --user start podman.socket"
    return _connect(reference, "podman", {"base_url": url}, hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True, eq=False)
class DockerEngine:
    """An engine with Docker's interface; `settings` are what its client was made with."""

    client: "APIClient"
    name: str
    version: str
    settings: dict[str, Any]

    def find_image(
        self, reference: str, *, pull: Pull = "missing", progress: PullProgress | None = None
    ) -> Image:
        """Return the image that a reference names; see `Engine.find_image`."""
        from docker.errors import APIError  # noqa: PLC0415 - an extra

        name = reference.partition("://")[2]
        if not name or name != "".join(name.split()):
            raise ModelNotAvailableError(f"{reference}: it names no image; write docker://IMAGE")
        try:
            found = None if pull == "always" else self._inspect(name)
            if found is None:
                if pull == "never":
                    raise ModelNotAvailableError(
                        f"{reference}: the image is not here, and nothing may be downloaded"
                    )
                pull_image(self.client, name, reference=reference, progress=progress)
                found = self._inspect(name)
        except APIError as error:
            reason = error.explanation or str(error)
            raise ModelNotAvailableError(
                f"{reference}: {self.name} refuses it: {reason}"
            ) from error
        except OSError as error:
            raise ModelNotAvailableError(f"{reference}: {self.name} is lost: {error}") from error
        if found is None:
            raise ModelNotAvailableError(f"{reference}: the image was pulled and is not there")
        return Image(
            reference=reference,
            id=found["Id"] if ":" in found["Id"] else f"sha256:{found['Id']}",
            digests=tuple(found.get("RepoDigests") or ()),
            engine={"name": self.name, "version": self.version},
            volumes=tuple((found.get("Config") or {}).get("Volumes") or ()),
        )

    def _inspect(self, name: str) -> dict[str, Any] | None:
        from docker.errors import ImageNotFound  # noqa: PLC0415 - an extra

        client: Any = self.client
        try:
            found: dict[str, Any] = client.inspect_image(name)
        except ImageNotFound:
            return None
        return found

    def close(self) -> None:
        """Let go of the connection; see `Engine.close`."""
        self.client.close()

    def start(self, job: Job) -> DockerChannel:
        """Start a command; see `Engine.start`."""
        container = f"pommel-{uuid.uuid4().hex[:16]}"
        channel = DockerChannel(client=self.client, container=container)
        try:
            with _explained(job):
                remove_leftovers(self.client)
                # Before it exists: there must be no moment at which nobody would remove it.
                REAPER.add({"kind": "docker", "id": container, "settings": self.settings})
                self._create(job, container)
                channel.attach()
                self.client.start(container)
        except BaseException:
            channel.remove()
            raise
        return channel

    def _create(self, job: Job, container: str) -> None:
        from docker.errors import APIError  # noqa: PLC0415 - an extra

        options = container_options(self.client, job, podman=self.name == "podman")
        create = self._creator(job, container)
        try:
            create(options)
        except APIError as error:
            # Podman has no process number 1 of its own unless a further package is there.
            if "init" not in str(error.explanation).lower():
                raise
            create({**options, "host_config": {**options["host_config"], "Init": False}})

    def _creator(self, job: Job, container: str) -> Callable[[dict[str, Any]], None]:
        def create(options: dict[str, Any]) -> None:
            self.client.create_container(
                image=job.image.id,
                name=container,
                labels={OWNER_LABEL: owner()},
                stdin_open=True,
                **options,
            )

        return create


def _require_package(reference: str) -> None:
    try:
        import docker  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise ModelNotAvailableError(
            f"{reference}: models in containers need the package docker: "
            "pip install 'pommel[docker]'"
        ) from error


def _connect(reference: str, name: str, settings: dict[str, Any], *, hint: str) -> DockerEngine:
    from docker.errors import DockerException  # noqa: PLC0415 - an extra

    url = settings.get("base_url") or "the default socket"
    if settings.get("tls") or url.startswith("ssh://"):
        # Over TLS the end of a command's input cannot be told without ending all.
        raise ModelNotAvailableError(
            f"{reference}: {url}: engines over TLS and SSH are not supported; forward the socket, "
            "ssh -N -L /tmp/docker.sock:/var/run/docker.sock HOST, and use unix:///tmp/docker.sock"
        )
    try:
        client, version = _client(settings)
    except (DockerException, OSError, ValueError) as error:
        if "Permission denied" in str(error):
            hint = "you may not use it: on Linux, that takes membership in the group docker"
        raise ModelNotAvailableError(
            f"{reference}: no {name.capitalize()} engine answers at {url}; {hint}: "
            f"{printable(str(error))}"
        ) from error
    engine = DockerEngine(client=client, name=name, version=version, settings=settings)
    weakref.finalize(engine, client.close)
    return engine


def _client(settings: dict[str, Any]) -> tuple["APIClient", str]:
    """Return a client that speaks the engine's version of the interface, and the engine's own."""
    from docker import APIClient  # noqa: PLC0415 - an extra
    from docker.constants import DEFAULT_DOCKER_API_VERSION  # noqa: PLC0415 - an extra

    # A client that looks for the version by itself cannot be closed when nobody answers.
    with contextlib.closing(
        APIClient(version=DEFAULT_DOCKER_API_VERSION, timeout=_SECONDS_TO_ANSWER, **settings)
    ) as asking:
        said = asking.version(api_version=False)
    client = APIClient(version=said["ApiVersion"], timeout=_SECONDS_TO_ANSWER, **settings)
    return client, said["Version"]


def _current_context(reference: str) -> dict[str, Any]:
    """Return where `docker context use` points to: an engine on a desktop is often found so."""
    from docker.context import ContextAPI  # noqa: PLC0415 - an extra
    from docker.errors import DockerException  # noqa: PLC0415 - an extra

    name = os.environ.get("DOCKER_CONTEXT")
    try:
        context: Any = ContextAPI.get_context(name) if name else ContextAPI.get_current_context()
    except (DockerException, OSError, ValueError) as error:
        raise ModelNotAvailableError(f"{reference}: the Docker context: {error}") from error
    if context is None:
        which = f"Docker context {name}" if name else "current Docker context"
        raise ModelNotAvailableError(
            f"{reference}: the {which} is not there (docker context ls shows those that are)"
        )
    settings = {"base_url": context.Host, "tls": context.TLSConfig}
    return {key: value for key, value in settings.items() if value}


@contextlib.contextmanager
def _explained(job: Job) -> Iterator[None]:
    """Turn what the engine raises into messages that name image and command."""
    from docker.errors import APIError  # noqa: PLC0415 - an extra

    where = job.where
    try:
        yield
    except APIError as error:
        reason = printable(error.explanation or str(error))
        if error.status_code == _NOT_FOUND and "image" in reason.lower():
            raise ContainerError(f"{where}: the image has gone: {reason}") from error
        if job.gpus is not None and "gpu" in reason.lower():
            raise ContainerError(
                f"{where}: this engine has no GPUs to give (NVIDIA's container toolkit lets it); "
                f"--device cpu does without: {reason}"
            ) from error
        if _NO_COMMAND.search(reason):
            raise ContainerError(f"{where}: the image has no such command ({reason})") from error
        raise ContainerError(f"{where}: the container does not start: {reason}") from error
    except OSError as error:
        raise ContainerError(f"{where}: the container engine is lost: {error}") from error
