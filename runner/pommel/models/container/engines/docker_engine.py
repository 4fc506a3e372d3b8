"""Docker, and Podman through the same interface, by the `docker` package."""

import contextlib
import math
import os
import re
import socket
import threading
import uuid
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import (
    ContainerError,
    ModelNotAvailableError,
    first_line,
    printable,
    readable_size,
)
from pommel.models.container.engines.engine import (
    CHECKPOINT_FOLDER,
    CHECKPOINT_VARIABLE,
    DockerName,
    ExitStatus,
    Image,
    Job,
    Pull,
    PullProgress,
    Sandbox,
)
from pommel.models.container.engines.process import cut_off
from pommel.models.container.engines.reaper import REAPER
from pommel.values import frozen

if TYPE_CHECKING:
    from docker import APIClient


_GONE = (404, 409)


@dataclass(eq=False, kw_only=True)
class DockerChannel:
    """The channel of one container, which need not exist yet; see `Channel`."""

    client: "APIClient"
    container: str
    # Whether the engine has said if it is there.
    is_answered: bool = False
    _stream: Any = None
    _socket: Any = None
    _is_pipe: bool = field(default=False, init=False)
    _pieces: Iterator[tuple[int, bytes]] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _removed: bool = False

    def attach(self) -> None:
        """Open the streams of the container. Before it starts: what it prints first is not lost."""
        from docker.utils import socket as sockets

        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        self._stream = self.client.attach_socket(self.container, params=streams)
        # What comes back is a socket, or a file over one, as the connection is; the file has no
        # public way to end one direction only. A file that is closed forgets its socket.
        self._socket = getattr(self._stream, "_sock", self._stream)
        self._socket.settimeout(None)
        untyped: Any = sockets
        self._is_pipe = isinstance(self._socket, untyped.NpipeSocket)
        self._pieces = untyped.frames_iter(self._socket, tty=False)

    def write(self, data: bytes) -> None:
        """Write all of `data` to the command's standard input."""
        with _losses_told():
            self._socket.sendall(data)

    def close_input(self) -> None:
        """Let the command see the end of its input."""
        with _losses_told():
            if self._is_pipe:
                # On Windows, where nothing ends one half of a pipe, an empty message does.
                self._socket.sendall(b"")
            else:
                self._socket.shutdown(socket.SHUT_WR)

    def read(self) -> tuple[int, bytes] | None:
        """Return the next piece of output and whose it is; None at the end."""
        with _losses_told():
            return next(self._pieces, None)

    def exit_status(self, timeout_s: float) -> ExitStatus:
        """Return how the command ended; raises `TimeoutError` if it has not by then."""
        try:
            self.client.wait(self.container, timeout=math.ceil(timeout_s))
        except OSError as error:
            # A time-out here and an engine that has died raise the same; only one still answers.
            with _losses_told():
                self.client.ping()
            raise TimeoutError from error
        with _losses_told():
            state = self.client.inspect_container(self.container)["State"]
        return ExitStatus(code=state["ExitCode"], out_of_memory=bool(state.get("OOMKilled")))

    def remove(self) -> None:
        """Kill what runs and leave nothing behind."""
        from docker.errors import APIError

        with self._lock:
            if self._removed:
                return
            if self._stream is not None:
                # First: the engine waits for output that nobody reads, until it gives up. Another
                # thread may be waiting in a read or a write.
                end_transfers = partial(self._socket.shutdown, socket.SHUT_RDWR)
                for end in (end_transfers, self._stream.close, self._socket.close):
                    with contextlib.suppress(OSError, ValueError):
                        end()
            try:
                self.client.remove_container(self.container, v=True, force=True)
            except APIError as error:
                # One that is not there may be on its way. The reaper tries again, when we end.
                if error.status_code not in _GONE or not self.is_answered:
                    return
            except OSError:
                return
            self._removed = True
        REAPER.discard(self.container)


@contextlib.contextmanager
def _losses_told() -> Iterator[None]:
    """Turn whatever a connection that is lost raises, its client's errors among it, into one."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise ConnectionError(str(error)) from error


_NANO = 1_000_000_000


def container_options(client: "APIClient", job: Job, *, podman: bool) -> dict[str, Any]:
    """Return the arguments of `APIClient.create_container` that the job's sandbox decides.

    The two engines that have this interface differ in what they make of some of them.
    """
    sandbox = job.sandbox
    return {
        "image": job.image.id,
        "stdin_open": True,
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
    from docker.types import DeviceRequest, LogConfig, Mount, Ulimit

    sandbox = job.sandbox
    # In memory: `/tmp` and whatever the image calls a volume, which would otherwise be room without
    # limit on this machine's disk.
    places = ["/tmp", *(job.image.volumes if sandbox.read_only else ())]  # noqa: S108 - in the container
    how = f"rw,nosuid,nodev,noexec,mode=1777,size={sandbox.tmp_bytes}"
    options: dict[str, Any] = {
        "read_only": sandbox.read_only,
        "tmpfs": dict.fromkeys(places, how),
        "mem_limit": sandbox.memory_bytes,
        # Memory and swap together: the limit is no limit where a container may swap.
        "memswap_limit": sandbox.memory_bytes,
        "shm_size": sandbox.shm_bytes,
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
    if sandbox.runtime is not None:
        options["runtime"] = sandbox.runtime
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


def pull_image(
    client: "APIClient", name: str, *, reference: str, progress: PullProgress | None
) -> None:
    """Pull `name` (`IMAGE[:TAG]` or `IMAGE@DIGEST`; without either, the tag `latest`).

    Raises `ModelNotAvailableError` if its registry does not have it or cannot be reached.
    """
    from docker.errors import DockerException
    from docker.utils import parse_repository_tag

    repository, tag = parse_repository_tag(name)
    try:
        # Without a tag, the engine would fetch all there are.
        events = client.pull(repository, tag=tag or "latest", stream=True, decode=True)
        # An engine ends a pull whose asker has gone.
        with contextlib.closing(events):
            for done, total in layers_added_up(events):
                if progress:
                    progress(done, total)
    except (DockerException, OSError) as error:
        reason = printable(getattr(error, "explanation", None) or str(error))
        raise ModelNotAvailableError(
            f"{reference}: its registry does not give the image: {reason}"
        ) from error


def _download_limited(
    reference: str, most_bytes: int | None, progress: PullProgress | None
) -> PullProgress:
    """Return what looks at a pull, and ends it by an error when more is to come than may."""

    def look(done: int, total: int) -> None:
        if most_bytes is not None and max(done, total) > most_bytes:
            raise ModelNotAvailableError(
                f"{reference}: the image is larger than the {readable_size(most_bytes)} that may "
                "be fetched, and is not fetched (--sandbox download=SIZE allows more)"
            )
        if progress:
            progress(done, total)

    return look


def layers_added_up(events: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """Yield how many bytes of how many have come of all layers, as the engine tells.

    Raises `DockerException` for a failure that is told.
    """
    from docker.errors import DockerException

    layers: dict[str, tuple[int, int]] = {}
    for event in events:
        if message := event.get("error"):
            raise DockerException(message)
        layer, detail = event.get("id", ""), event.get("progressDetail") or {}
        if event.get("status") == "Downloading" and "current" in detail:
            layers[layer] = detail["current"], detail.get("total", 0)
        elif event.get("status") == "Download complete" and layer in layers:
            layers[layer] = (layers[layer][1],) * 2
        else:
            continue
        yield sum(done for done, _ in layers.values()), sum(size for _, size in layers.values())


_SECONDS_TO_ANSWER = 120
_HINTS = {
    "docker": "is Docker running? (try: docker info)",
    "podman": "start the service: systemctl --user start podman.socket",
}
_NOT_FOUND = 404
# What engines say when there is nothing by the name of the command (the status differs).
_NO_COMMAND = re.compile(r"executable file .*not found|(exec|stat)\b.*: no such file or directory")


def _docker_settings(reference: str) -> Mapping[str, Any]:
    """Return where Docker is: `DOCKER_HOST`, or where `docker context use` points to."""
    from docker.context import ContextAPI
    from docker.errors import DockerException
    from docker.utils import kwargs_from_env

    name = os.environ.get("DOCKER_CONTEXT")
    try:
        if settings := kwargs_from_env():
            return dict(settings)
        context: Any = ContextAPI.get_context(name) if name else ContextAPI.get_current_context()
    except (DockerException, OSError, ValueError) as error:
        message = f"{reference}: the Docker context, or DOCKER_HOST: {error}"
        raise ModelNotAvailableError(message) from error
    if context is None:
        which = f"Docker context {name}" if name else "current Docker context"
        raise ModelNotAvailableError(
            f"{reference}: the {which} is not there (docker context ls shows those that are)"
        )
    found = {"base_url": context.Host, "tls": context.TLSConfig}
    return {key: value for key, value in found.items() if value}


def _podman_settings() -> Mapping[str, Any]:
    """Return where Podman's service is: `CONTAINER_HOST`, the user's socket, or the system's."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folders = [os.environ.get("XDG_RUNTIME_DIR"), f"/run/user/{user}", "/run"]
    sockets = [Path(folder, "podman", "podman.sock") for folder in folders if folder]
    nearest = next((path for path in sockets if path.exists()), sockets[0])
    return {"base_url": os.environ.get("CONTAINER_HOST") or f"unix://{nearest}"}


@frozen(eq=False)
class DockerEngine:
    """An engine with Docker's interface; `settings` are what its client was made with."""

    client: "APIClient"
    name: str
    version: str
    settings: Mapping[str, Any]

    @classmethod
    def connect(cls, name: DockerName, *, asked_by: str) -> "DockerEngine":
        """Return Docker's engine, or Podman's; messages begin with `asked_by`.

        Raises `ModelNotAvailableError` if the `docker` package is missing or no engine answers.
        """
        try:
            from docker.errors import DockerException
        except ImportError as error:
            raise ModelNotAvailableError(
                f"{asked_by}: models in containers need the package docker: "
                f"{ModelNotAvailableError.install('docker')}"
            ) from error
        settings = _docker_settings(asked_by) if name == "docker" else _podman_settings()
        url = settings.get("base_url") or "the default socket"
        if settings.get("tls") or url.startswith("ssh://"):
            # Over TLS the end of a command's input cannot be told without ending all.
            raise ModelNotAvailableError(
                f"{asked_by}: {url}: engines over TLS and SSH are not supported; forward the "
                "socket, ssh -N -L /tmp/docker.sock:/var/run/docker.sock HOST, and use "
                "unix:///tmp/docker.sock"
            )
        try:
            client, version = _client(settings)
        except (DockerException, OSError, ValueError) as error:
            hint = _HINTS[name]
            if "Permission denied" in str(error):
                hint = "you may not use it: on Linux, that takes membership in the group docker"
            raise ModelNotAvailableError(
                f"{asked_by}: no {name.capitalize()} engine answers at {url}; {hint}: "
                f"{printable(str(error))}"
            ) from error
        engine = cls(client=client, name=name, version=version, settings=settings)
        weakref.finalize(engine, client.close)
        return engine

    def find_image(
        self,
        reference: str,
        *,
        sandbox: Sandbox | None = None,
        pull: Pull = "missing",
        progress: PullProgress | None = None,
    ) -> Image:
        """Return the image that a reference names; see `Engine.find_image`."""
        from docker.errors import APIError, ImageNotFound

        sandbox = sandbox or Sandbox()
        untyped: Any = self.client
        name = reference.partition("://")[2]
        if len(name.split()) != 1 or name != name.strip():
            raise ModelNotAvailableError(f"{reference}: it names no image; write docker://IMAGE")
        try:
            said = untyped.info()
            if sandbox.runtime is not None:
                self._check_runtime(sandbox.runtime, reference, said)
            found: Any = None
            with contextlib.suppress(ImageNotFound):
                found = untyped.inspect_image(name)
            is_new = found is None
            if is_new or pull == "always":
                if pull == "never":
                    raise ModelNotAvailableError(
                        f"{reference}: the image is not here, and nothing may be downloaded"
                    )
                limited = _download_limited(reference, sandbox.download_bytes, progress)
                pull_image(self.client, name, reference=reference, progress=limited)
                found = untyped.inspect_image(name)
        except APIError as error:
            reason = error.explanation or str(error)
            raise ModelNotAvailableError(
                f"{reference}: {self.name} refuses it: {reason}"
            ) from error
        except OSError as error:
            raise ModelNotAvailableError(f"{reference}: {self.name} is lost: {error}") from error
        return Image(
            reference=reference,
            # Podman leaves out the name of the hash.
            id=f"sha256:{found['Id'].removeprefix('sha256:')}",
            digests=tuple(found.get("RepoDigests") or ()),
            engine={"name": self.name, "version": self.version, **_unenforced(said)},
            volumes=tuple((found.get("Config") or {}).get("Volumes") or ()),
            is_new=is_new,
        )

    def _check_runtime(self, name: str, reference: str, said: Mapping[str, Any]) -> None:
        asked = f"{reference}: --sandbox runtime={name}"
        if self.name == "podman":
            # It takes the name, and goes by its own configuration.
            raise ModelNotAvailableError(
                f"{asked}: Podman's service runs containers by the runtime in its containers.conf; "
                "name it there"
            )
        there = said["Runtimes"]
        # A full name is that of a program, which an engine of today finds by itself.
        if name not in there and not name.startswith("io.containerd."):
            raise ModelNotAvailableError(
                f"{asked}: this engine has no such runtime; it has {', '.join(sorted(there))}"
            )

    @contextlib.contextmanager
    def failures_told(self, where: str, what: str) -> Iterator[None]:
        """Turn what the engine raises into a `ContainerError`: where, and what it does not do."""
        from docker.errors import DockerException

        try:
            yield
        except DockerException as error:
            reason = printable(getattr(error, "explanation", None) or str(error))
            raise ContainerError(f"{where}: {what}: {reason}") from error
        except OSError as error:
            message = f"{where}: the container engine is lost: {first_line(error)}"
            raise cut_off(message) from error

    def remove_image(self, image: Image) -> None:
        """Remove an image; see `Engine.remove_image`."""
        from docker.errors import APIError

        # Without force: containers that others have made of it are more than it is worth.
        with contextlib.suppress(APIError, OSError):
            self.client.remove_image(image.reference.partition("://")[2])

    def close(self) -> None:
        """Let go of the connection; see `Engine.close`."""
        self.client.close()

    def start(self, job: Job) -> DockerChannel:
        """Start a command; see `Engine.start`."""
        # By its name people see whose it is.
        container = f"pommel-{os.getpid()}-{uuid.uuid4().hex[:16]}"
        channel = DockerChannel(client=self.client, container=container)
        try:
            with (
                self.failures_told(job.where, "the container does not start"),
                _start_failures_told(job),
            ):
                self._create(channel, job)
                channel.attach()
                self.client.start(container)
        except BaseException:
            channel.remove()
            raise
        return channel

    def _create(self, channel: DockerChannel, job: Job, *, has_init: bool = True) -> None:
        """Have a channel's container made; raises `APIError`."""
        from docker.errors import APIError

        options = container_options(self.client, job, podman=self.name == "podman")
        options["host_config"]["Init"] = has_init
        thing = {"kind": "docker", "id": channel.container, "settings": self.settings}
        # Before it exists: there must be no moment at which nobody would remove it.
        REAPER.add({**thing, "is_answered": False})
        try:
            self.client.create_container(**options, name=channel.container)
        except APIError as error:
            # Podman has no process number 1 of its own unless a further package is there.
            if has_init and "init" in str(error.explanation).lower():
                self._create(channel, job, has_init=False)
                return
            channel.is_answered = True
            raise
        channel.is_answered = True
        REAPER.add({**thing, "is_answered": True})


def _unenforced(said: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return which of a sandbox's limits an engine does not keep, by what it says of itself."""
    limits = {"memory_bytes": "MemoryLimit", "n_cpus": "CpuCfsQuota", "n_processes": "PidsLimit"}
    # Without root, old control groups are not for Podman to set; it says that it has them all.
    is_without = said.get("Rootless") and said.get("CgroupVersion") == "1"
    found = sorted(name for name, key in limits.items() if is_without or said.get(key) is False)
    return {"unenforced": found} if found else {}


def _client(settings: Mapping[str, Any]) -> tuple["APIClient", str]:
    """Return a client that speaks the engine's version of the interface, and the engine's own."""
    from docker import APIClient
    from docker.constants import DEFAULT_DOCKER_API_VERSION

    # A client that looks for the version by itself cannot be closed when nobody answers.
    with contextlib.closing(
        APIClient(version=DEFAULT_DOCKER_API_VERSION, timeout=_SECONDS_TO_ANSWER, **settings)
    ) as asking:
        said = asking.version(api_version=False)
    client = APIClient(version=said["ApiVersion"], timeout=_SECONDS_TO_ANSWER, **settings)
    return client, said["Version"]


@contextlib.contextmanager
def _start_failures_told(job: Job) -> Iterator[None]:
    """Say what is known of why a command does not start."""
    from docker.errors import APIError

    try:
        yield
    except APIError as error:
        reason = printable(error.explanation or str(error))
        if error.status_code == _NOT_FOUND and "image" in reason.lower():
            why = f"the image has gone: {reason}"
        elif job.gpus is not None and "gpu" in reason.lower():
            why = (
                "this engine has no GPUs to give (NVIDIA's container toolkit lets it); "
                f"--device cpu does without: {reason}"
            )
        elif _NO_COMMAND.search(reason):
            why = f"the image has no such command ({reason})"
        else:
            raise
        raise ContainerError(f"{job.where}: {why}") from error
