"""Which engine is meant, and what is said when it does not answer. Nothing of this needs one."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docker.errors import APIError

from pommel.errors import ModelNotAvailableError
from pommel.models.container.engines.docker_engine import DockerChannel, DockerEngine
from pommel.models.container.engines.engine import open_engine


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Docker's configuration, empty; and no variable that says where an engine is."""
    for variable in ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "CONTAINER_HOST"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    return tmp_path / "config.json"


def refusal(reference: str = "docker://model") -> str:
    with pytest.raises(ModelNotAvailableError) as caught:
        open_engine(reference)
    return str(caught.value)


def test_an_engine_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:9")
    assert refusal().startswith(
        "docker://model: no Docker engine answers at tcp://127.0.0.1:9; is Docker running? "
        "(try: docker info): "
    )
    monkeypatch.setenv("CONTAINER_HOST", "tcp://127.0.0.1:9")
    assert refusal("podman://model").startswith(
        "podman://model: no Podman engine answers at tcp://127.0.0.1:9; start the service: "
        "systemctl --user start podman.socket: "
    )


def test_an_engine_over_ssh_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "ssh://me@host")
    assert refusal() == (
        "docker://model: ssh://me@host: engines over TLS and SSH are not supported; forward the "
        "socket, ssh -N -L /tmp/docker.sock:/var/run/docker.sock HOST, and use "
        "unix:///tmp/docker.sock"
    )


def test_the_current_context_may_be_gone(configuration: Path) -> None:
    configuration.write_text(json.dumps({"currentContext": "desktop"}))
    assert "context" in refusal()


def test_the_context_may_be_named_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONTEXT", "elsewhere")
    assert refusal() == (
        "docker://model: the Docker context elsewhere is not there "
        "(docker context ls shows those that are)"
    )


def test_a_scheme_that_no_engine_runs() -> None:
    assert refusal("rkt://model") == (
        "rkt://model: no engine runs this; an image is docker://, podman://, apptainer://, "
        "singularity://, library://, shub://"
    )


class _Client:
    """What an engine says of itself and of its only image."""

    def __init__(self, **info: object) -> None:
        self.info = lambda: info

    def inspect_image(self, name: str) -> dict[str, str]:
        return {"Id": name}


@pytest.mark.parametrize(
    ("info", "unenforced"),
    [
        ({"MemoryLimit": True, "CpuCfsQuota": True, "PidsLimit": True}, None),
        ({"MemoryLimit": True, "Rootless": True, "CgroupVersion": "2"}, None),
        ({"MemoryLimit": True, "CpuCfsQuota": False, "PidsLimit": True}, ["n_cpus"]),
        # So Podman 4.3.1 without root: it ignores them, and says that it does only in its log.
        (
            {"MemoryLimit": True, "PidsLimit": True, "Rootless": True, "CgroupVersion": "1"},
            ["memory_bytes", "n_cpus", "n_processes"],
        ),
    ],
)
def test_limits_that_an_engine_does_not_keep(
    info: dict[str, object], unenforced: list[str] | None
) -> None:
    client: Any = _Client(**info)
    engine = DockerEngine(client=client, name="podman", version="1", settings={})
    assert engine.find_image("podman://it").engine.get("unenforced") == unenforced


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (OSError("no route"), "docker://it: docker is lost: no route"),
        (APIError("busy", explanation="too busy"), "docker://it: docker refuses it: too busy"),
    ],
)
def test_an_engine_that_does_not_say_what_it_keeps(failure: Exception, message: str) -> None:
    def info() -> None:
        raise failure

    client: Any = _Client()
    client.info = info
    engine = DockerEngine(client=client, name="docker", version="1", settings={})
    with pytest.raises(ModelNotAvailableError) as caught:
        engine.find_image("docker://it")
    assert str(caught.value) == message


def test_input_ends_on_a_named_pipe_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's `shutdown` would close both ways, and with them the answers'."""

    class NpipeSocket:
        def __init__(self) -> None:
            self.sent: list[bytes] = []

        def settimeout(self, seconds: float | None) -> None:
            assert seconds is None

        def sendall(self, data: bytes) -> None:
            self.sent.append(data)

    pipe = NpipeSocket()
    monkeypatch.setattr("docker.utils.socket.NpipeSocket", NpipeSocket)
    client: Any = SimpleNamespace(attach_socket=lambda *_, **__: pipe)
    channel = DockerChannel(client=client, container="model")
    channel.attach()
    channel.write(b"a sentence\n")
    channel.close_input()
    assert pipe.sent == [b"a sentence\n", b""]
