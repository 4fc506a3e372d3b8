"""The engines and images that other tests rely on."""

import sys

import pytest
from tests.container_fixtures import BuildImage, PodmanImage
from tests.containers_support.answering import connected

pytestmark = pytest.mark.docker


def run_in(url: str, image: str, *command: str) -> tuple[int, str]:
    """Run a command as nobody, on a read-only system; return its exit status and output."""
    with connected(url) as client:
        config = client.create_host_config(network_mode="none", read_only=True)
        container = client.create_container(
            image, list(command), user="65534:65534", host_config=config
        )["Id"]
        try:
            client.start(container)
            status = client.wait(container)["StatusCode"]
            return status, client.logs(container).decode()
        finally:
            client.remove_container(container, force=True, v=True)


def test_the_plain_base_has_python_and_a_shell(docker_engine: str, plain_base: str) -> None:
    code = "import ctypes, hashlib, json, ssl, sqlite3, subprocess, sys; print(sys.version)"
    script = f'python3 -c "{code}" && echo a | sed s/a/b/ | tr b c && id -u && python --version'
    status, output = run_in(docker_engine, plain_base, "sh", "-c", script)
    assert (status, output.splitlines()[1:]) == (
        0,
        [*sys.version.splitlines()[1:], "c", "65534", f"Python {sys.version.split()[0]}"],
    )


def test_built_images_have_their_files(docker_engine: str, build_image: BuildImage) -> None:
    tag = build_image({"usr/bin/hello": "#!/bin/sh\necho hello\n", "etc/note": "é\n"})
    assert run_in(docker_engine, tag, "hello") == (0, "hello\n")
    assert run_in(docker_engine, tag, "cat", "/etc/note") == (0, "é\n")


def test_podman_runs_the_same_images(
    podman_engine: str, podman_image: PodmanImage, plain_base: str
) -> None:
    assert run_in(podman_engine, podman_image(plain_base), "echo", "hello") == (0, "hello\n")


def test_the_torch_base_has_this_pommel_and_what_it_needs(
    docker_engine: str, torch_base: str
) -> None:
    code = "import h5py, torch, transformers, pommel.models.huggingface; print(pommel.__file__)"
    assert run_in(docker_engine, torch_base, "python3", "-c", code) == (
        0,
        "/opt/site/pommel/__init__.py\n",
    )
