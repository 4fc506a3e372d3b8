"""The image of `containers/serve`: it serves, as nobody, and keeps all in one volume."""

import time
from pathlib import Path
from typing import Any

import pytest
from tests.container_fixtures import BuildImage
from tests.containers_support.answering import connected
from tests.containers_support.site_packages import serve_context
from tests.serve.samples import TOKEN

pytestmark = pytest.mark.docker

CONTAINERS = Path(__file__).parents[2] / "containers"
_ASK = """
import sys, urllib.error, urllib.request
headers = {"Host": sys.argv[2], "Authorization": f"Bearer {sys.argv[3]}"}
try:
    print(urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers=headers)).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


def test_a_board_is_served_in_a_container(
    docker_engine: str, build_image: BuildImage, tmp_path: Path
) -> None:
    base = build_image(serve_context(), name="serve-base")
    dockerfile = (CONTAINERS / "serve" / "Dockerfile").read_text("utf-8")
    image = build_image({"Dockerfile": dockerfile}, base=base, name="serve")
    key = tmp_path / "key"
    key.write_text(f"{TOKEN}\n")
    key.chmod(0o444)
    command = ["--host", "0.0.0.0", "--name", "board.example.org", "--token-file", "/run/key"]  # noqa: S104 - of the container
    with connected(docker_engine) as client:
        untyped: Any = client
        config = untyped.inspect_image(image)["Config"]
        assert (config["User"], [*config["Volumes"]]) == ("65534:65534", ["/data"])
        container = untyped.create_container(
            image,
            command,
            host_config=untyped.create_host_config(
                read_only=True,
                tmpfs={"/tmp": ""},
                cap_drop=["ALL"],
                security_opt=["no-new-privileges"],
                network_mode="none",
                binds=[f"{key}:/run/key:ro"],
            ),
        )["Id"]

        def said(*program: str) -> str:
            started = untyped.exec_create(container, list(program))
            return str(untyped.exec_start(started).decode()).strip()

        def asked(host: str, token: str) -> str:
            return said("python3", "-c", _ASK, "http://127.0.0.1:8765/runs", host, token)

        try:
            untyped.start(container)
            late = time.monotonic() + 120
            while "8765" not in untyped.logs(container).decode() and time.monotonic() < late:
                time.sleep(0.5)
            assert asked("board.example.org", TOKEN) == "200", untyped.logs(container).decode()
            assert asked("board.example.org", "wrong") == "401"
            assert asked("evil.example", TOKEN) == "421"
            assert said(*config["Healthcheck"]["Test"][1:]) == ""
            # Tokens are made there, too, and what is kept lies in the volume.
            new = ["token", "new", "--name", "A. Keeper", "--scope", "keep", "-q"]
            made = said("python3", "-m", "pommel", "serve", *new)
            assert asked("board.example.org", made) == "200"
            kept = said("ls", "/data").split()
            assert {"store.sqlite", "serve.sqlite"} <= {*kept}
            untyped.stop(container, timeout=60)
            assert untyped.wait(container)["StatusCode"] == 143
            assert "Traceback" not in untyped.logs(container).decode()
        finally:
            untyped.remove_container(container, v=True, force=True)
