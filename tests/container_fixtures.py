"""Container engines and images for tests: real ones.

Fixtures, all of them made once a session and only when a test asks for them:

* `docker_engine`: the URL of a Docker engine. `DOCKER_HOST` is set, so `docker://IMAGE` works.
* `podman_engine`: the same of a Podman service, with `CONTAINER_HOST` and `podman://IMAGE`.
* `plain_base`: an image with Python, sh and the common programs.
* `torch_base`: an image with Python, torch, transformers, h5py and this checkout's pommel
  (`python3 -m pommel ...`, `import pommel`).
* `build_image(source, base=..., name=..., arguments=...)`: a function that builds and returns a
  tag. `source` is a folder with a Dockerfile (`ARG BASE`, `FROM $BASE`), or files by their path:
  `build_image({"usr/bin/spec": "#!/bin/sh\\necho {}\\n"})`. `base` is `plain_base` unless given.
* `podman_image(tag)`: a function that brings an image from Docker to Podman.

Tests that use them are marked `docker`. Where there is no engine and none can be started, they are
skipped with the reason; with `CI` set they fail. Images that tests build are removed at the end.
An engine of the tests' own stops at the end, unless `python -m tests.containers_support start`
has been called; its base images stay for the next time (`... clean` removes all).
"""

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, Protocol

import pytest
from tests.containers_support import engines, images, site_packages, users
from tests.containers_support.engine_error import NoEngineError
from tests.containers_support.processes import named

_USER = "pommel_engine_user"


class BuildImage(Protocol):
    """See `build_image` above."""

    def __call__(
        self,
        source: Path | Mapping[str, str | bytes | Path],
        *,
        base: str | None = None,
        name: str = "image",
        arguments: Mapping[str, str] | None = None,
    ) -> str:
        """Build an image; return its tag."""
        ...


PodmanImage = Callable[[str], str]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker in whose session it is: the engine is the whole session's."""
    node.workerinput[_USER] = named(os.getpid())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Let go of engines when the session ends, after all of its workers."""
    if hasattr(config, "workerinput"):
        return
    user = named(os.getpid())
    uses = users.uses_of(user) if users.FOLDER.exists() else {}
    for url in uses.values():
        images.remove_images(url, user)
    if uses:
        engines.release(user)


@pytest.fixture(scope="session")
def engine_user(request: pytest.FixtureRequest) -> str:
    """The name of this session, for which engines run and images are made."""
    user: str = getattr(request.config, "workerinput", {}).get(_USER) or named(os.getpid())
    return user


@pytest.fixture(scope="session")
def docker_engine(engine_user: str) -> Iterator[str]:
    """The URL of a Docker engine that answers."""
    yield from _engine("DOCKER_HOST", engines.use_docker, engine_user)


@pytest.fixture(scope="session")
def podman_engine(engine_user: str) -> Iterator[str]:
    """The URL of a Podman service that answers."""
    yield from _engine("CONTAINER_HOST", engines.use_podman, engine_user)


@pytest.fixture(scope="session")
def plain_base(docker_engine: str) -> str:
    """An image with Python and a shell."""
    return images.plain_base(docker_engine)


@pytest.fixture(scope="session")
def torch_base(docker_engine: str, engine_user: str) -> str:
    """An image with torch, transformers, h5py and this checkout's pommel."""
    return images.build(
        docker_engine,
        site_packages.pommel_context(),
        base=images.packages_base(docker_engine),
        user=engine_user,
        name="torch",
    )


@pytest.fixture(scope="session")
def build_image(docker_engine: str, engine_user: str, plain_base: str) -> BuildImage:
    """A function that builds images."""

    def build(
        source: Path | Mapping[str, str | bytes | Path],
        *,
        base: str | None = None,
        name: str = "image",
        arguments: Mapping[str, str] | None = None,
    ) -> str:
        return images.build(
            docker_engine,
            source,
            base=base or plain_base,
            user=engine_user,
            name=name,
            arguments=arguments,
        )

    return build


@pytest.fixture(scope="session")
def podman_image(docker_engine: str, podman_engine: str) -> PodmanImage:
    """A function that brings images from Docker to Podman."""

    def copy(tag: str) -> str:
        return images.copy(tag, docker_engine, podman_engine)

    return copy


def _engine(variable: str, use: Callable[[str], str], user: str) -> Iterator[str]:
    pytest.importorskip("docker", reason="the package docker is not installed")
    try:
        url = use(user)
    except NoEngineError as error:
        do_without(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(variable, url)
        yield url


def do_without(reason: str) -> NoReturn:
    """End a test that needs an engine: in CI nothing is passed over."""
    if os.environ.get("CI"):
        pytest.fail(f"CI runs with real container engines: {reason}")
    pytest.skip(reason)
