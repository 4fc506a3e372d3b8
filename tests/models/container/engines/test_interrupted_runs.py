"""`pommel run` with images that fail or hang, and runs that are ended from outside."""

import csv
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders import AGREEMENT
from tests.containers_support.processes import wait_until
from tests.models.container.engines.samples import Misbehaving, containers_of, run_command

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("nothing_left")]


def test_a_model_that_fails_leaves_the_others_alone(
    misbehaving: Misbehaving, suite: Path, tmp_path: Path
) -> None:
    broken, sound = (f"docker://{misbehaving(fault, protocol=2)}" for fault in ("exits", ""))
    command = run_command(broken, sound, suite, "--output", tmp_path / "results", "--strict-model")
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert (
        f"{broken}: score: it ended with exit status 1; "
        "the last it wrote to standard error:\n    ValueError: the weights have holes\n"
    ) in ended.stderr
    assert "Traceback" not in ended.stderr
    columns = ("condition_name", "token", "surprisal_bits")
    with (tmp_path / "results" / "tokens.csv").open(encoding="utf-8") as file:
        rows = [tuple(row[column] for column in columns) for row in csv.DictReader(file)]
    assert rows == [
        (condition, word, str(float(len(word))))
        for condition, regions in AGREEMENT.items()
        for word in " ".join(regions).split()
    ]


@pytest.fixture
def hanging(
    docker_engine: str, misbehaving: Misbehaving, suite: Path
) -> Iterator["subprocess.Popen[str]"]:
    """A run whose container is there, and hangs."""
    command = run_command(f"docker://{misbehaving('hangs', protocol=2)}", suite)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            # The first container, for `spec`, goes by itself.
            assert wait_until(
                lambda: "score" in "".join(containers_of(docker_engine, process.pid).values()),
                timeout_s=60,
            )
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        (signal.SIGINT, 130, "pommel: interrupted"),
        (signal.SIGTERM, 143, "pommel: interrupted"),
        (signal.SIGKILL, -signal.SIGKILL, ""),
    ],
)
def test_no_container_outlives_its_run(
    docker_engine: str,
    hanging: "subprocess.Popen[str]",
    number: signal.Signals,
    status: int,
    said: str,
) -> None:
    # As a terminal does: to all that it has started.
    os.killpg(hanging.pid, number)
    assert hanging.wait(timeout=20) == status
    assert hanging.stderr
    last_lines = hanging.stderr.read().split("\n")
    assert said in last_lines
    assert wait_until(lambda: not containers_of(docker_engine, hanging.pid), timeout_s=10)
