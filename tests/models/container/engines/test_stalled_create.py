"""Runs that are ended while the engine is still busy making their container."""

import os
import signal
import subprocess
from pathlib import Path
from typing import get_args

import pytest
from tests.containers_support.processes import wait_until
from tests.models.container.engines.samples import Misbehaving, containers_of, run_command
from tests.models.container.engines.stalling_proxy import Held, StallingProxy

pytestmark = [pytest.mark.docker, pytest.mark.full]


@pytest.mark.parametrize("held", get_args(Held))
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_container_that_is_made_after_the_end_of_its_run_is_removed(
    docker_engine: str, misbehaving: Misbehaving, suite: Path, held: Held, number: int
) -> None:
    proxy = StallingProxy(engine=Path(docker_engine.removeprefix("unix://")), held=held)
    with proxy.listening(suite.with_name("docker.sock")) as url:
        run = subprocess.Popen(
            run_command(f"docker://{misbehaving()}", suite),
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
