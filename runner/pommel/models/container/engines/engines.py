"""From a reference to its engine: one table of schemes."""

from collections.abc import Callable

from pommel.errors import ModelNotAvailableError
from pommel.models.container.engines.engine import Engine


def open_engine(reference: str) -> Engine:
    """Return the engine that runs the image `reference` (`scheme://...`) names.

    Raises `ModelNotAvailableError` if it does not answer or is not installed.
    """
    scheme = reference.partition("://")[0]
    if scheme not in ENGINES:
        known = ", ".join(f"{name}://" for name in ENGINES)
        raise ModelNotAvailableError(f"{reference}: no engine runs this; an image is {known}")
    return ENGINES[scheme](reference)


def _docker(reference: str) -> Engine:
    from pommel.models.container.engines import docker_engine  # noqa: PLC0415 - only the engine that is asked for

    return docker_engine.connect_docker(reference)


def _podman(reference: str) -> Engine:
    from pommel.models.container.engines import docker_engine  # noqa: PLC0415 - only the engine that is asked for

    return docker_engine.connect_podman(reference)


def _apptainer(reference: str) -> Engine:
    from pommel.models.container.engines import apptainer_engine  # noqa: PLC0415 - only the engine that is asked for

    return apptainer_engine.find_apptainer(reference)


ENGINES: dict[str, Callable[[str], Engine]] = {
    "docker": _docker,
    "podman": _podman,
    "apptainer": _apptainer,
    "singularity": _apptainer,
    "library": _apptainer,
    "shub": _apptainer,
}
