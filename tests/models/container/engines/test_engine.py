"""The limits of a container: what they are, what they can be, how they are written."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from pommel.errors import UsageError, readable_size
from pommel.models.container.engines.engine import GIB, MIB, SETTINGS, Sandbox

# More digits than a floating-point number has room for.
NINES = "9" * 400


def test_the_defaults_are_for_code_that_nobody_vouches_for() -> None:
    assert Sandbox().to_dict() == {
        "network": False,
        "read_only": True,
        "capabilities": False,
        "new_privileges": False,
        "user": "65534:65534",
        "memory_bytes": 8 * GIB,
        "tmp_bytes": GIB,
        "shm_bytes": 64 * MIB,
        "n_cpus": None,
        "n_processes": 512,
        "timeout_s": 3600,
        "total_s": None,
        "output_bytes": 2 * GIB,
        "download_bytes": None,
        "runtime": None,
    }


@pytest.mark.parametrize(
    ("setting", "field", "value"),
    [
        ("network=on", "network", True),
        ("read-only=no", "read_only", False),
        ("capabilities=true", "capabilities", True),
        ("new-privileges=ON", "new_privileges", True),
        ("user=1000", "user", "1000:1000"),
        ("user=1000:100", "user", "1000:100"),
        ("user=0", "user", "0:0"),
        ("user=0:0", "user", "0:0"),
        ("memory=16G", "memory_bytes", 16 * GIB),
        ("memory=1.5GiB", "memory_bytes", 3 * GIB // 2),
        ("memory=512 MB", "memory_bytes", 512 * MIB),
        ("memory=6M", "memory_bytes", 6 * MIB),
        ("tmp=100", "tmp_bytes", 100),
        ("tmp=1", "tmp_bytes", 1),
        ("cpus=0.5", "n_cpus", 0.5),
        ("cpus=0.01", "n_cpus", 0.01),
        ("processes=32", "n_processes", 32),
        ("time=90", "timeout_s", 90.0),
        ("time=315360000", "timeout_s", 315_360_000.0),
        ("output=10m", "output_bytes", 10 * MIB),
        ("shm=64M", "shm_bytes", 64 * MIB),
        ("total-time=7200", "total_s", 7200.0),
        ("download=20G", "download_bytes", 20 * GIB),
        ("runtime=kata-fc", "runtime", "kata-fc"),
        ("runtime=io.containerd.runsc.v1", "runtime", "io.containerd.runsc.v1"),
    ],
)
def test_every_limit_can_be_set_on_a_command_line(setting: str, field: str, value: object) -> None:
    changed = Sandbox().with_settings([setting])
    assert getattr(changed, field) == value
    others = {key: each for key, each in changed.to_dict().items() if key != field}
    assert others == {key: each for key, each in Sandbox().to_dict().items() if key != field}


def test_every_field_has_a_setting_and_the_last_one_counts() -> None:
    assert {field for field, _ in SETTINGS.values()} == set(Sandbox().to_dict())
    assert Sandbox().with_settings(["cpus=1", "cpus=2"]).n_cpus == 2


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            "memroy=1G",
            (
                "--sandbox memroy=1G: there is no 'memroy' (did you mean memory?); it is network, "
                "read-only, capabilities, new-privileges, user, memory, tmp, shm, cpus, processes, "
                "time, total-time, output, download, runtime"
            ),
        ),
        ("memory", "--sandbox memory: write memory=VALUE"),
        ("memory=much", "--sandbox memory=much: write a size like 512M or 16G"),
        ("memory=0", "--sandbox memory=0: write a size from 6M to 1048576G"),
        ("memory=0.1", "--sandbox memory=0.1: write a size from 6M to 1048576G"),
        ("memory=5.9M", "--sandbox memory=5.9M: write a size from 6M to 1048576G"),
        (f"memory={NINES}", f"--sandbox memory={NINES}: write a size from 6M to 1048576G"),
        ("tmp=0.5", "--sandbox tmp=0.5: write a size from 1 byte to 1048576G"),
        ("output=0", "--sandbox output=0: write a size from 1 byte to 1048576G"),
        ("memory=\u0661G", "--sandbox memory=\u0661G: write a size like 512M or 16G"),
        ("shm=0", "--sandbox shm=0: write a size from 1 byte to 1048576G"),
        (
            "total-time=0",
            "--sandbox total-time=0: write seconds from 0.001 to 315360000 (ten years)",
        ),
        (
            "runtime=/bin/sh",
            ("--sandbox runtime=/bin/sh: write the name of a runtime of the engine, such as runsc"),
        ),
        ("network=maybe", "--sandbox network=maybe: write on or off"),
        ("user=me", "--sandbox user=me: write UID or UID:GID, in digits"),
        (
            "user=0:2147483648",
            "--sandbox user=0:2147483648: the last number of a user or a group is 2147483647",
        ),
        ("processes=1.5", "--sandbox processes=1.5: write a whole number from 1 up"),
        ("processes=0", "--sandbox processes=0: write a whole number from 1 to 4194304"),
        (
            f"processes={NINES}",
            f"--sandbox processes={NINES}: write a whole number from 1 to 4194304",
        ),
        (
            "time=10000000000",
            ("--sandbox time=10000000000: write seconds from 0.001 to 315360000 (ten years)"),
        ),
        ("time=-1", "--sandbox time=-1: write a number above 0"),
        ("cpus=", "--sandbox cpus=: write a number above 0"),
        ("cpus=0", "--sandbox cpus=0: write a number from 0.01 to 10000"),
        (
            "cpus=0.0000000001",
            "--sandbox cpus=0.0000000001: write a number from 0.01 to 10000",
        ),
        (f"cpus={NINES}", f"--sandbox cpus={NINES}: write a number from 0.01 to 10000"),
    ],
)
def test_a_setting_that_cannot_be_says_what_can(setting: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Sandbox().with_settings([setting])
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"memory_bytes": 0}, "sandbox: memory_bytes=0: write a size from 6M to 1048576G"),
        ({"tmp_bytes": 0}, "sandbox: tmp_bytes=0: write a size from 1 byte to 1048576G"),
        ({"output_bytes": -1}, "sandbox: output_bytes=-1: write a size from 1 byte to 1048576G"),
        ({"n_cpus": 0.0}, "sandbox: n_cpus=0.0: write a number from 0.01 to 10000"),
        ({"n_cpus": math.nan}, "sandbox: n_cpus=nan: write a number from 0.01 to 10000"),
        ({"n_processes": -1}, "sandbox: n_processes=-1: write a whole number from 1 to 4194304"),
        (
            {"timeout_s": math.inf},
            "sandbox: timeout_s=inf: write seconds from 0.001 to 315360000 (ten years)",
        ),
        ({"user": ""}, "sandbox: user='': write UID or UID:GID, in digits"),
    ],
)
def test_no_limit_is_none_by_way_of_python_either(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Sandbox(**limits)
    assert str(caught.value) == message
    with pytest.raises(UsageError):
        replace(Sandbox(), **limits)


def test_a_user_alone_has_the_group_of_that_number() -> None:
    # An engine would take root's group.
    assert Sandbox(user="1000").user == "1000:1000"


def test_limits_are_plain_json() -> None:
    assert json.loads(json.dumps(Sandbox().to_dict())) == Sandbox().to_dict()


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (8 * GIB, "8 GiB"),
        (3 * GIB // 2, "1.5 GiB"),
        (10 * MIB, "10 MiB"),
        (2048, "2 KiB"),
        (7, "7 bytes"),
    ],
)
def test_sizes_are_shown_as_people_write_them(n_bytes: int, text: str) -> None:
    assert readable_size(n_bytes) == text
