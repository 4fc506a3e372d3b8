"""Every job's command line, word by word."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pommel.models.container.engines.apptainer_engine import (
    command_line,
    process_environment,
)
from pommel.models.container.engines.engine import Image, Job, Sandbox

IMAGE = Image(reference="apptainer:///images/a.sif", id="sha256:1")
FILE = Path("/images/a.sif")
CLOSED = [
    "apptainer", "--silent", "exec", "--containall", "--cleanenv", "--no-home", "--no-eval",
    "--no-mount", "bind-paths,hostfs,cwd,home", "--pwd", "/",
]  # fmt: skip
NO_NETWORK = ["--net", "--network", "none"]
NO_RIGHTS = ["--no-privs", "--drop-caps", "all"]
SCRIPT = 'ulimit -c 0; ulimit -d 8388608 || exit 125; HOME=/tmp; export HOME; exec "$@"'
SHELL = ["/images/a.sif", "sh", "-c", SCRIPT, "sh", "spec"]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in os.environ:
        monkeypatch.delenv(key)
    monkeypatch.setenv("PATH", "/usr/bin")


def job(*settings: str, **fields: Any) -> Job:
    sandbox = Sandbox().with_settings(settings)
    return Job(image=IMAGE, command=("spec",), sandbox=sandbox, **fields)


def line(wanted: Job) -> list[str]:
    return command_line("apptainer", FILE, wanted)


def test_by_default_a_container_may_do_nothing() -> None:
    assert line(job()) == [*CLOSED, *NO_NETWORK, *NO_RIGHTS, *SHELL]


def test_the_command_is_words_and_no_script() -> None:
    wanted = Job(image=IMAGE, command=("a b", "$(id)", "-x"), sandbox=Sandbox())
    assert line(wanted)[-4:] == ["sh", "a b", "$(id)", "-x"]


@pytest.mark.parametrize(
    ("setting", "options"),
    [
        ("network=on", NO_RIGHTS),
        ("capabilities=on", NO_NETWORK),
        ("read-only=off", [*NO_NETWORK, *NO_RIGHTS, "--writable-tmpfs"]),
        # No user may have them, whatever the sandbox allows.
        ("new-privileges=on", [*NO_NETWORK, *NO_RIGHTS]),
        ("user=0:0", [*NO_NETWORK, *NO_RIGHTS]),
        # Not kept under Apptainer.
        ("cpus=2", [*NO_NETWORK, *NO_RIGHTS]),
        ("processes=2", [*NO_NETWORK, *NO_RIGHTS]),
    ],
)
def test_each_switch_lifts_its_own_ban(setting: str, options: list[str]) -> None:
    assert line(job(setting)) == [*CLOSED, *options, *SHELL]


def test_a_limit_that_we_are_under_ourselves() -> None:
    # In a process of its own: what a process has lowered, it cannot raise again.
    code = (
        "import sys, resource; sys.path[:0] = sys.argv[1:]\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))\n"
        "from test_apptainer_command import job, line\n"
        "print(line(job())[-3])\n"
    )
    path = [str(Path(__file__).parent), *sys.path]
    result = subprocess.run(
        [sys.executable, "-c", code, *path], capture_output=True, text=True, check=True
    )
    assert "ulimit -d 1048576 ||" in result.stdout
    assert resource.getrlimit(resource.RLIMIT_DATA)[1] == resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("weights", "source=/w/weights"),
        ("a b", "source=/w/a b"),
        ("a,b:c", '"source=/w/a,b:c"'),
        ('a"b', '"source=/w/a""b"'),
    ],
)
def test_a_checkpoint_is_mounted_to_be_read(name: str, written: str) -> None:
    found = line(job(checkpoint=Path("/w") / name))
    mount = f"type=bind,{written},destination=/opt/lmzoo_checkpoint,ro"
    assert found == [*CLOSED, *NO_NETWORK, *NO_RIGHTS, "--mount", mount, *SHELL]


@pytest.mark.parametrize("gpus", ["all", "1"])
def test_gpus(gpus: str) -> None:
    assert line(job(gpus=gpus)) == [*CLOSED, *NO_NETWORK, *NO_RIGHTS, "--nv", *SHELL]


def test_the_home_folder_may_be_another() -> None:
    assert "; HOME='/opt/my home'; " in line(job(environment={"HOME": "/opt/my home"}))[-3]


class TestEnvironment:
    def test_settings_and_secrets_stay_outside(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("APPTAINER_BIND", "/etc")
        monkeypatch.setenv("APPTAINERENV_TOKEN", "secret")
        monkeypatch.setenv("https_proxy", "http://user:secret@proxy")
        monkeypatch.setenv("HOME", "/home/me")
        monkeypatch.setenv("APPTAINER_TMPDIR", "/scratch")
        assert process_environment("apptainer", job()) == {
            "PATH": "/usr/bin",
            "HOME": "/home/me",
            "APPTAINER_TMPDIR": "/scratch",
        }

    def test_what_the_command_sees(self) -> None:
        wanted = job("cpus=1.5", environment={"A": "$x, y"}, checkpoint=Path("/w"), gpus="1")
        assert process_environment("apptainer", wanted) == {
            "PATH": "/usr/bin",
            "APPTAINERENV_A": "$x, y",
            "APPTAINERENV_OMP_NUM_THREADS": "2",
            "APPTAINERENV_LMZOO_CHECKPOINT_PATH": "/opt/lmzoo_checkpoint",
            "APPTAINERENV_CUDA_VISIBLE_DEVICES": "1",
        }

    @pytest.mark.parametrize("name", ["singularity", "singularity-ce"])
    def test_singularity_has_a_prefix_of_its_own(self, name: str) -> None:
        found = process_environment(name, job(environment={"A": "1"}, gpus="all"))
        assert found == {"PATH": "/usr/bin", "SINGULARITYENV_A": "1"}
