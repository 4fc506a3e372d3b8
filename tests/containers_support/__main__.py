"""`python -m tests.containers_support start|base|stop|clean`: engines that outlive a test session.

`start` prints what a shell has to be told. `base` prints the name of an image with torch and this
checkout's pommel, to build on where there is no registry (`pommel image build --base`).
"""

import sys

from tests.containers_support import (
    docker_daemon,
    engines,
    images,
    podman_service,
    site_packages,
    users,
)
from tests.containers_support.answering import answers
from tests.containers_support.engine_error import NoEngineError


def main() -> None:
    """Start the engines until they are stopped, stop them, or remove all that they have."""
    match sys.argv[1:]:
        case ["start"]:
            _start()
        case ["base"]:
            print(_base())  # noqa: T201
        case ["stop"]:
            _stop()
        case ["clean"]:
            _stop()
            with users.locked("engines"):
                docker_daemon.remove()
                podman_service.remove()
        case _:
            sys.exit("usage: python -m tests.containers_support start|base|stop|clean")


def _start() -> None:
    for variable, use in (
        ("DOCKER_HOST", engines.use_docker),
        ("CONTAINER_HOST", engines.use_podman),
    ):
        try:
            print(f"export {variable}={use(users.KEPT)}")  # noqa: T201 - it is for a shell
        except NoEngineError as error:
            print(f"# {error}")  # noqa: T201


def _stop() -> None:
    for url in users.uses_of(users.KEPT).values():
        if answers(url):
            images.remove_images(url, users.KEPT)
    engines.release(users.KEPT)


def _base() -> str:
    url = engines.use_docker(users.KEPT)
    return images.build(
        url,
        site_packages.pommel_context(),
        base=images.packages_base(url),
        user=users.KEPT,
        name="torch",
    )


if __name__ == "__main__":
    main()
