"""Runs that are ended while the engine is still busy making their container."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from tests.builders import suite_text, suite_value
from tests.containers_support.processes import wait_until
from tests.models.container.engines.samples import Misbehaving, containers_of
from tests.models.container.engines.stalling_proxy import Held, StallingProxy

pytestmark = [pytest.mark.docker, pytest.mark.full]


@pytest.mark.parametrize("held", get_args(Held))
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_container_that_is_made_after_the_end_of_its_run_is_removed(
    docker_engine: str, misbehaving: Misbehaving, tmp_path: Path, held: Held, number: int
) -> None:
    suite = tmp_path / "suite.json"
    suite.write_text(suite_text(suite_value()), "utf-8")
    proxy = StallingProxy(engine=Path(docker_engine.removeprefix("unix://")), held=held)
    command = (sys.executable, "-m", "pommel", "run", f"docker://{misbehaving()}", str(suite))
    with proxy.listening(tmp_path / "docker.sock") as url:
        run = subprocess.Popen(
            command,
            env=os.environ | {"DOCKER_HOST": url},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            assert proxy.stalls.wait(60)
            assert bool(containers_of(docker_engine, run.pid)) == (held == "answer")
            os.killpg(run.pid, number)
            # Nobody waits when the engine makes it, and somebody has been too early to remove it.
            run.wait(60)
            assert proxy.removes.wait(20)
        finally:
            run.kill()
            proxy.go_on.set()
        assert proxy.answered.wait(20)
        assert proxy.made.startswith(b"HTTP/1.1 201 ")
        assert wait_until(lambda: not containers_of(docker_engine, run.pid), timeout_s=20)
