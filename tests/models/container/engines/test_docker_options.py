from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from docker import APIClient

from pommel.models.container.engines.docker_engine import container_options, environment
from pommel.models.container.engines.engine import GIB, MIB, Image, Job, Sandbox

IMAGE = Image(reference="docker://model", id="sha256:1")


@pytest.fixture
def client() -> Any:
    # Made, and never asked for anything.
    return APIClient(base_url="unix:///nowhere", version="1.41")


def job(*settings: str, **fields: Any) -> Job:
    sandbox = Sandbox().with_settings(settings)
    return Job(image=IMAGE, command=("spec",), sandbox=sandbox, **fields)


def test_by_default_a_container_may_do_nothing(client: Any) -> None:
    options = container_options(client, job(), podman=False)
    assert options["user"] == "65534:65534"
    assert options["network_disabled"] is True
    assert (options["entrypoint"], options["command"]) == (["spec"], [])
    assert options["use_config_proxy"] is False
    assert options["environment"] == {"HOME": "/tmp"}
    assert options["host_config"] == {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges:true"],
        "Tmpfs": {"/tmp": f"rw,nosuid,nodev,noexec,mode=1777,size={GIB}"},
        "Memory": 8 * GIB,
        "MemorySwap": 8 * GIB,
        "ShmSize": 64 * MIB,
        "PidsLimit": 512,
        "Ulimits": [{"Name": "core", "Soft": 0, "Hard": 0}],
        "LogConfig": {"Type": "none", "Config": {}},
        "Init": True,
    }


@pytest.mark.parametrize(
    ("setting", "gone"),
    [
        ("network=on", "NetworkMode"),
        ("read-only=off", "ReadonlyRootfs"),
        ("capabilities=on", "CapDrop"),
        ("new-privileges=on", "SecurityOpt"),
    ],
)
def test_each_switch_lifts_its_own_ban(client: Any, setting: str, gone: str) -> None:
    banned = container_options(client, job(), podman=False)["host_config"]
    lifted = container_options(client, job(setting), podman=False)["host_config"]
    assert {key for key in banned if lifted.get(key) != banned[key]} == {gone}
    assert set(lifted) <= set(banned) | {"NetworkMode", "ReadonlyRootfs"}


def test_limits_are_handed_on(client: Any) -> None:
    limited = job("memory=1G", "cpus=1.5", "processes=9", "tmp=1M", "shm=2M", "runtime=runsc")
    options = container_options(client, limited, podman=False)
    host = options["host_config"]
    assert (host["Memory"], host["MemorySwap"]) == (GIB, GIB)
    assert (host["NanoCpus"], host["PidsLimit"]) == (1_500_000_000, 9)
    assert host["Tmpfs"]["/tmp"].endswith("size=1048576")
    assert (host["ShmSize"], host["Runtime"]) == (2 * MIB, "runsc")
    assert options["environment"]["OMP_NUM_THREADS"] == "2"


def test_what_an_image_calls_a_volume_is_in_memory(client: Any) -> None:
    image = Image(reference="docker://model", id="sha256:1", volumes=("/out", "/data"))
    options = container_options(client, replace(job("tmp=1M"), image=image), podman=False)
    assert list(options["host_config"]["Tmpfs"]) == ["/tmp", "/out", "/data"]
    assert options["host_config"]["Tmpfs"]["/out"] == (
        "rw,nosuid,nodev,noexec,mode=1777,size=1048576"
    )
    # Without the ban on writing, the engine does what it does.
    writable = replace(job("read-only=off"), image=image)
    host = container_options(client, writable, podman=False)["host_config"]
    assert list(host["Tmpfs"]) == ["/tmp"]


def test_podman_keeps_the_limits_of_its_own_configuration(client: Any) -> None:
    assert "Ulimits" not in container_options(client, job(), podman=True)["host_config"]


def test_nothing_but_the_checkpoint_is_mounted(client: Any, tmp_path: Path) -> None:
    assert "Mounts" not in container_options(client, job(), podman=False)["host_config"]
    options = container_options(client, job(checkpoint=tmp_path), podman=False)
    assert options["host_config"]["Mounts"] == [
        {
            "Target": "/opt/lmzoo_checkpoint",
            "Source": str(tmp_path),
            "Type": "bind",
            "ReadOnly": True,
        }
    ]
    assert options["environment"]["LMZOO_CHECKPOINT_PATH"] == "/opt/lmzoo_checkpoint"


@pytest.mark.parametrize(("gpus", "which"), [("all", (-1, [])), ("1", (0, ["1"]))])
def test_gpus_are_asked_for_by_number_or_all(client: Any, gpus: str, which: object) -> None:
    (request,) = container_options(client, job(gpus=gpus), podman=False)["host_config"][
        "DeviceRequests"
    ]
    assert (request["Count"], request["DeviceIDs"]) == which
    assert request["Capabilities"] == [["gpu"]]


def test_what_the_job_says_comes_last() -> None:
    assert environment(job(environment={"HOME": "/home"})) == {"HOME": "/home"}
