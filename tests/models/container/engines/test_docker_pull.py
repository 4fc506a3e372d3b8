from collections.abc import Iterator
from typing import Any

import pytest
from docker.errors import DockerException

from pommel.models.container.engines.docker_engine import layers_added_up

EVENTS: list[dict[str, Any]] = [
    {"status": "Pulling from cpllab/language-models", "id": "grnn"},
    {"status": "Downloading", "progressDetail": {"current": 10, "total": 100}, "id": "a"},
    {"status": "Downloading", "progressDetail": {"current": 5, "total": 50}, "id": "b"},
    {"status": "Verifying Checksum", "progressDetail": {}, "id": "a"},
    {"status": "Download complete", "progressDetail": {}, "id": "a"},
    {"status": "Extracting", "progressDetail": {"current": 3, "total": 100}, "id": "a"},
    {"status": "Downloading", "progressDetail": {"current": 7}, "id": "c"},
    {"status": "Download complete", "progressDetail": {}, "id": "already there"},
]


def test_the_layers_progress_is_added_up() -> None:
    assert list(layers_added_up(EVENTS)) == [(10, 100), (15, 150), (105, 150), (112, 150)]


def test_a_failure_that_is_told_in_the_middle_is_one() -> None:
    def events() -> Iterator[dict[str, Any]]:
        yield EVENTS[1]
        yield {"error": "unexpected EOF", "errorDetail": {"message": "unexpected EOF"}}

    with pytest.raises(DockerException, match="unexpected EOF"):
        list(layers_added_up(events()))
