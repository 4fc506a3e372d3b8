"""What an image declares does not change what a container may do: VOLUME, ENTRYPOINT."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.container_fixtures import BuildImage

from pommel.models.container.engines.engine import Job, Sandbox, open_engine
from pommel.models.container.engines.process import output_lines

pytestmark = pytest.mark.docker

DOCKERFILE = """
ARG BASE
FROM $BASE
RUN mkdir -p /data && chmod 1777 /data
VOLUME /data
ENTRYPOINT ["python3"]
"""

Run = Callable[..., list[str]]


@pytest.fixture(params=["docker", "podman"])
def run(request: pytest.FixtureRequest, build_image: BuildImage) -> Run:
    """A function that runs a command in the image, by either engine, and returns its lines."""
    tag = build_image({"Dockerfile": DOCKERFILE}, name="declares")
    if request.param == "podman":
        tag = request.getfixturevalue("podman_image")(tag)

    def lines(*command: str, settings: tuple[str, ...] = ()) -> list[str]:
        reference = f"{request.param}://{tag}"
        engine = open_engine(reference)
        image = engine.find_image(reference, pull="never")
        sandbox = Sandbox().with_settings(("time=30", *settings))
        try:
            return list(output_lines(engine, Job(image=image, command=command, sandbox=sandbox)))
        finally:
            engine.close()

    return lines


def test_a_volume_is_in_memory_and_no_larger_than_tmp(run: Run) -> None:
    script = (
        "grep ' /data ' /proc/mounts | cut -d' ' -f3,4;"
        "head -c 3000000 /dev/zero > /data/file || wc -c < /data/file"
    )
    mount, written = run("sh", "-c", f"({script}) 2>/dev/null", settings=("tmp=1M",))
    kind, options = mount.split(" ")
    assert kind == "tmpfs"
    assert {"rw", "nosuid", "nodev", "noexec", "size=1024k"} <= set(options.split(","))
    assert int(written) <= 1 << 20


def test_an_entry_point_does_not_get_between(run: Run) -> None:
    assert run("sh", "-c", "echo as it is") == ["as it is"]


def test_a_proxy_of_the_users_is_not_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxies = {"httpProxy": "http://user:secret@proxy:3128"}
    (tmp_path / "config.json").write_text(json.dumps({"proxies": {"default": proxies}}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    assert not [line for line in run("env") if "secret" in line]
