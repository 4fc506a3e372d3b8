"""Images that are fetched from a registry: how much of them, and what becomes of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.container_fixtures import BuildImage
from tests.containers_support.answering import connected
from tests.models.container.engines.image_registry import ImageRegistry
from tests.models.container.engines.samples import SENTENCES, SURPRISALS

from pommel.errors import ModelNotAvailableError
from pommel.models.container.engines.engine import MIB, Sandbox
from pommel.models.model import LoadOptions, Policy, closing, score_all
from pommel.models.registry import load_model

pytestmark = [pytest.mark.docker, pytest.mark.full, pytest.mark.usefixtures("nothing_left")]

_MODEL = Path(__file__).parent / "misbehaving" / "model.py"
_N_BYTES = 64 * MIB


@pytest.fixture(scope="module")
def registry(docker_engine: str, build_image: BuildImage, engine_user: str) -> ImageRegistry:
    """A registry with a model whose own layer, which is not here, is of 64 MiB."""
    files: dict[str, str | bytes | Path] = {
        "usr/bin/spec": _MODEL,
        "usr/bin/tokenize": _MODEL,
        "usr/bin/get_surprisals": _MODEL,
        "weights": engine_user.encode().ljust(_N_BYTES, b"\0"),
    }
    tag = build_image(files, name="fetched")
    made = ImageRegistry.with_image(docker_engine, tag)
    with connected(docker_engine) as client:
        client.remove_image(tag)
    return made


@pytest.fixture
def reference(docker_engine: str, registry: ImageRegistry) -> Iterator[str]:
    """The image by its name in the registry; it is not here before the test, nor after it."""
    registry.sent.clear()
    with registry.listening() as place:
        yield f"docker://{place}/model"
        untyped: Any = connected(docker_engine)
        with untyped as client:
            for image in client.images(name=f"{place}/model"):
                client.remove_image(image["RepoTags"][0], force=True)


def has_image(engine: str, reference: str) -> bool:
    untyped: Any = connected(engine)
    with untyped as client:
        return bool(client.images(name=reference.removeprefix("docker://")))


def scored(reference: str, *settings: str, remove_image: bool = False) -> list[list[float | None]]:
    options = LoadOptions(
        sandbox=Sandbox().with_settings(("time=60", *settings)), remove_image=remove_image
    )
    with closing(load_model(reference, options)) as model:
        assert model.info.details["sandbox"] == options.sandbox.to_dict()
        return [
            [token.surprisal_bits for token in sentence.tokens]
            for sentence in score_all(model, SENTENCES, Policy())
        ]


def test_a_layer_that_is_too_large_is_not_fetched(
    docker_engine: str,
    registry: ImageRegistry,
    reference: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Half of it takes five seconds, in which a busy machine says stop, too.
    monkeypatch.setattr(registry, "seconds_a_piece", 0.01)
    with pytest.raises(ModelNotAvailableError) as raised:
        scored(reference, "download=1M")
    assert str(raised.value) == (
        f"{reference}: the image is larger than the 1 MiB that may be fetched, and is not fetched "
        "(--sandbox download=SIZE allows more)"
    )
    assert not has_image(docker_engine, reference)
    # The engine has let go of it: what has come by then is what was on its way.
    assert max(registry.sent.values()) < _N_BYTES // 2


def test_an_image_that_was_fetched_is_removed_again(docker_engine: str, reference: str) -> None:
    assert scored(reference, remove_image=True) == SURPRISALS
    assert not has_image(docker_engine, reference)
    # What is not fetched does not count: a hundred MiB that the base image has, too. By now the
    # engine knows that.
    assert scored(reference, "download=65M") == SURPRISALS


def test_an_image_that_was_here_is_not_removed(docker_engine: str, reference: str) -> None:
    scored(reference)
    assert scored(reference, remove_image=True) == SURPRISALS
    assert has_image(docker_engine, reference)


def test_an_image_that_somebody_uses_by_then_is_not_removed(
    docker_engine: str, reference: str
) -> None:
    untyped: Any = connected(docker_engine)
    with untyped as client:
        with closing(load_model(reference, LoadOptions(remove_image=True))):
            other = client.create_container(reference.removeprefix("docker://"), "spec")
        try:
            assert has_image(docker_engine, reference)
        finally:
            client.remove_container(other)


def test_an_image_that_fails_is_removed_too(docker_engine: str, reference: str) -> None:
    with pytest.raises(ModelNotAvailableError):
        load_model(reference, LoadOptions(remove_image=True, checkpoint=Path("/nowhere")))
    with pytest.raises(Exception, match=r"used up its 0\.001 s"):
        scored(reference, "total-time=0.001", remove_image=True)
    assert not has_image(docker_engine, reference)


def test_an_engine_says_which_runtimes_it_has(docker_engine: str, reference: str) -> None:
    with pytest.raises(ModelNotAvailableError) as raised:
        scored(reference, "runtime=runsc")
    untyped: Any = connected(docker_engine)
    with untyped as client:
        there = ", ".join(sorted(client.info()["Runtimes"]))
    assert str(raised.value) == (
        f"{reference}: --sandbox runtime=runsc: this engine has no such runtime; it has {there}"
    )
    # Before anything is fetched.
    assert not has_image(docker_engine, reference)
    assert scored(reference, "runtime=runc") == SURPRISALS


def test_podman_has_its_runtime_from_its_configuration(podman_engine: str) -> None:
    assert podman_engine
    with pytest.raises(ModelNotAvailableError) as raised:
        scored("podman://not-there", "runtime=runc")
    assert str(raised.value) == (
        "podman://not-there: --sandbox runtime=runc: Podman's service runs containers by the "
        "runtime in its containers.conf; name it there"
    )
