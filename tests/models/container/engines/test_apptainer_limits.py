"""Which limits Apptainer keeps: read from what it says, never taken for granted."""

import os
from pathlib import Path

import pytest

from pommel.models.container.engines.apptainer_engine import (
    Limits,
    counts_processes_apart,
    own_config,
    probe_cgroups,
    read_build,
    read_cgroups,
)

BUILD = {"PREFIX": "/usr", "APPTAINER_SUID_INSTALL": "0"}
ME = f"{os.getuid()}:{os.getgid()}"


def test_all_limits_but_the_user() -> None:
    limits = Limits(
        cgroups=frozenset({"memory", "processes", "cpus"}), config=Path("/etc/apptainer.conf")
    )
    assert limits.to_dict() == {
        "cgroups": ["cpus", "memory", "processes"],
        "unenforced": ["user"],
        "instead": {"user": ME},
    }


def test_no_limits() -> None:
    assert Limits().to_dict() == {
        "cgroups": [],
        "unenforced": ["memory_bytes", "n_cpus", "n_processes", "tmp_bytes", "user"],
        "instead": {
            "memory_bytes": "for the data of each process, not for all of them together",
            "n_cpus": "whole processors, which a program may choose to leave",
            "n_processes": "none",
            "tmp_bytes": "`sessiondir max size` of apptainer.conf",
            "user": ME,
        },
    }


def test_processes_that_are_counted_apart() -> None:
    assert "n_processes" not in Limits(count_processes=True).to_dict()["unenforced"]


@pytest.mark.parametrize(
    ("release", "build", "apart"),
    [
        ("5.14.0-362.el9.x86_64", BUILD, True),
        ("6.1.0", BUILD, True),
        ("4.18.0-513.el8", BUILD, False),
        ("unheard of", BUILD, False),
        ("6.1.0", {"SINGULARITY_SUID_INSTALL": "1"}, False),
        ("6.1.0", {}, False),
    ],
)
def test_who_counts_a_users_processes(release: str, build: dict[str, str], apart: bool) -> None:  # noqa: FBT001 - a table
    assert counts_processes_apart(build, release) is apart


@pytest.mark.parametrize("name", ["APPTAINER", "SINGULARITY"])
def test_a_configuration_that_may_be_replaced(tmp_path: Path, name: str) -> None:
    config = tmp_path / "a.conf"
    config.touch()
    build = {f"{name}_SUID_INSTALL": "0", f"{name}_CONF_FILE": str(config)}
    assert own_config(build) == config
    assert own_config({**build, f"{name}_SUID_INSTALL": "1"}) is None
    assert own_config({**build, f"{name}_CONF_FILE": f"{config}.old"}) is None
    assert own_config({f"{name}_SUID_INSTALL": "0"}) is None
    assert own_config({}) is None


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        (
            "memory.max 537919488\npids.max 123\ncpu.max 75000 100000\n",
            {"memory", "processes", "cpus"},
        ),
        ("memory.max 537919488\npids.max max\ncpu.max max 100000\n", {"memory"}),
        ("memory.max\npids.max 123\ncpu.max \n", {"processes"}),
        ("cpu.max 150000 200000\n", {"cpus"}),
        ("cpu.max 50000 100000\nmemory.max 1\n", set()),
        ("", set()),
        ("\n\n", set()),
    ],
)
def test_only_what_the_container_sees_counts(printed: str, kept: set[str]) -> None:
    assert read_cgroups(printed) == kept


def test_a_probe_is_run(tmp_path: Path) -> None:
    command = ["sh", "-c", 'echo "pids.max $A"']
    environment = {"A": "123", "PATH": os.environ["PATH"]}
    assert probe_cgroups(command, environment) == {"processes"}
    assert probe_cgroups([str(tmp_path / "nothing")], {}) == frozenset()


def test_how_it_was_built(tmp_path: Path) -> None:
    program = tmp_path / "apptainer"
    program.write_text('#!/bin/sh\n[ "$1" = buildcfg ] && echo "A=1" && echo no && echo B=c=d')
    program.chmod(0o755)
    assert read_build(str(program)) == {"A": "1", "B": "c=d"}
    assert read_build(str(tmp_path / "nothing")) == {}
