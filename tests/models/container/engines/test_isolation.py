"""What a container may do: looked at from inside, on real engines."""

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.container_fixtures import BuildImage, PodmanImage
from tests.containers_support.answering import connected

from pommel.models.container.engines.engine import (
    CHECKPOINT_FOLDER,
    CHECKPOINT_VARIABLE,
    MIB,
    Job,
    Sandbox,
    open_engine,
)
from pommel.models.container.engines.process import output_lines

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("nothing_left")]

PROBE = Path(__file__).parent / "isolation_probe.py"
# Sizes and counts that no machine has by itself.
SETTINGS = ("memory=300M", "tmp=7M", "shm=3M", "processes=77", "cpus=0.5", "time=20")

# What engines themselves bring: names of machines and users, and process number 1.
BY_ENGINE = {
    *("/etc/resolv.conf", "/etc/hostname", "/etc/hosts", "/run/.containerenv", "/dev/init"),
    *("/etc/passwd", "/etc/group"),
    *("/sbin/docker-init", "/usr/bin/docker-init", "/run/podman-init"),
}

Facts = dict[str, Any]
Probe = Callable[..., Facts]


@pytest.fixture(scope="module")
def probe_image(build_image: BuildImage) -> str:
    return build_image({"usr/bin/probe": PROBE}, name="isolation")


@pytest.fixture(scope="module", params=["docker", "podman"])
def probe(request: pytest.FixtureRequest, probe_image: str) -> Iterator[Probe]:
    """Return a function from settings of a sandbox to what a container sees of them."""
    scheme = request.param
    if scheme == "podman":
        to_podman: PodmanImage = request.getfixturevalue("podman_image")
        probe_image = to_podman(probe_image)
    reference = f"{scheme}://{probe_image}"
    engine = open_engine(reference)

    def look(*settings: str, checkpoint: Path | None = None) -> Facts:
        job = Job(
            image=engine.find_image(reference, pull="never"),
            command=("probe",),
            sandbox=Sandbox().with_settings(settings),
            checkpoint=checkpoint,
        )
        (line,) = output_lines(engine, job)
        seen = json.loads(line)
        not_engines = sorted(set(seen["of_this_machine"]) - BY_ENGINE)
        return {**seen, "of_this_machine": not_engines, "engine": scheme}

    yield look
    engine.close()


@pytest.fixture(scope="module")
def facts(probe: Probe) -> Facts:
    return probe(*SETTINGS)


def test_it_is_nobody_and_may_do_nothing(facts: Facts) -> None:
    assert facts["user"] == [65534, 65534, [65534]]
    assert facts["effective_capabilities"] == 0
    assert facts["possible_capabilities"] is False
    assert facts["no_new_privileges"] == "1"
    assert facts["seccomp"] == "2"


def test_it_reaches_nobody(facts: Facts) -> None:
    assert facts["interfaces"] == ["lo"]
    assert facts["reaching_out"] == "ENETUNREACH"


def test_it_writes_to_tmp_only(facts: Facts) -> None:
    assert facts["root_is_read_only"] is True
    # In memory, all of them, and so within the limit of that.
    assert set(facts["writable"].values()) <= {"tmpfs", "mqueue"}
    elsewhere = {"/dev/shm", "/dev/mqueue"}
    if facts["engine"] == "podman":
        # Not asked for, and not to be had without.
        elsewhere |= {"/run", "/var/tmp"}
    assert "/tmp" in facts["writable"]
    assert set(facts["writable"]) - {"/tmp"} <= elsewhere
    assert facts["tmp_bytes"] == 7 * MIB
    assert facts["shm_bytes"] == 3 * MIB
    assert facts["running_from_tmp"] == "EACCES"
    assert facts["home"] == "/tmp"


def test_it_sees_nothing_of_this_machine(facts: Facts) -> None:
    assert facts["of_this_machine"] == []
    assert facts["disks"] == []
    assert facts["seen_processes"] <= 2
    assert facts["hostname"] != socket.gethostname()
    ours = {"PATH", "LANG", "HOME", "HOSTNAME", "OMP_NUM_THREADS", "container", "TERM"}
    assert set(facts["variables"]) <= ours


def test_it_has_what_was_allowed(facts: Facts) -> None:
    assert facts["memory_bytes"] == 300 * MIB
    assert facts["n_processes"] == 77
    assert facts["n_cpus"] == pytest.approx(0.5)
    assert facts["threads_to_use"] == "1"


@pytest.mark.parametrize(
    ("setting", "changed"),
    [
        ("capabilities=on", {"possible_capabilities": True}),
        ("new-privileges=on", {"no_new_privileges": "0"}),
        ("memory=200M", {"memory_bytes": 200 * MIB}),
        ("tmp=5M", {"tmp_bytes": 5 * MIB}),
        ("processes=66", {"n_processes": 66}),
        ("cpus=1.5", {"n_cpus": 1.5, "threads_to_use": "2"}),
    ],
)
def test_an_option_changes_its_own_thing_only(
    probe: Probe, facts: Facts, setting: str, changed: Facts
) -> None:
    assert difference(facts, probe(*SETTINGS, setting)) == changed


def test_a_system_that_can_be_written_to(probe: Probe, facts: Facts) -> None:
    changed = difference(facts, probe(*SETTINGS, "read-only=off"))
    assert changed.keys() == {"root_is_read_only", "writable"}
    assert changed["root_is_read_only"] is False
    # Where everybody may write, in the image's own files.
    assert changed["writable"]["/var/tmp"] == "overlay"


def test_another_user(probe: Probe, facts: Facts) -> None:
    changed = difference(facts, probe(*SETTINGS, "user=1234:4321"))
    assert changed.keys() == {"user"}
    assert changed["user"][:2] == [1234, 4321]


def test_root_without_capabilities(probe: Probe) -> None:
    seen = probe(*SETTINGS, "user=0:0")
    assert seen["effective_capabilities"] == 0
    assert set(seen["writable"].values()) <= {"tmpfs", "mqueue"}


# Podman needs further packages for a network.
@pytest.mark.parametrize("probe", ["docker"], indirect=True)
def test_a_network_if_asked_for(probe: Probe, facts: Facts, docker_engine: str) -> None:
    changed = difference(facts, probe(*SETTINGS, "network=on"))
    with connected(docker_engine) as client:
        has_network = any(each["Driver"] == "bridge" for each in client.networks())
    # An engine of the tests' own has no network to give.
    assert bool(changed) is has_network
    assert changed.keys() <= {"interfaces", "reaching_out"}


def test_a_checkpoint_is_all_that_is_seen_of_this_machine(
    probe: Probe, facts: Facts, tmp_path: Path
) -> None:
    (tmp_path / "weights").write_text("1 2 3")
    changed = difference(facts, probe(*SETTINGS, checkpoint=tmp_path))
    assert changed.keys() == {"of_this_machine", "variables"}
    new = set(changed["of_this_machine"]) - set(facts["of_this_machine"])
    assert new == {CHECKPOINT_FOLDER}
    assert set(changed["variables"]) - set(facts["variables"]) == {CHECKPOINT_VARIABLE}
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]


def difference(before: Facts, after: Facts) -> Facts:
    """Return what is not as it was; a container always has another name."""
    return {
        key: value for key, value in after.items() if key != "hostname" and before[key] != value
    }
