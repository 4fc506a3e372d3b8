"""The four images that ship, built and run in real containers."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.containers_support.answering import connected
from tests.images.image_roots import KINDS, output, put_together

from pommel.errors import ContainerError, UnsupportedFeatureError
from pommel.models.alignment import PrintedToken
from pommel.models.container.commands import ImageCommands
from pommel.models.container.model import open_model as open_container
from pommel.models.model import LoadOptions, Model, Policy, closing, score_all
from pommel.models.registry import load_model

pytestmark = pytest.mark.docker

SENTENCES = (
    "The cat sleeps .",
    "The author near the senators is good .",
    "“Zoë’s naïve” café \N{SLIGHTLY SMILING FACE} .",  # noqa: RUF001 - quotes of that kind
    'NA null " 007',
)

Build = Callable[..., str]
Printed = Callable[[str], tuple[tuple[PrintedToken, ...], ...]]


def commands(reference: str, **options: Any) -> ImageCommands:
    return ImageCommands.open(reference, LoadOptions(**options))


def inspect(url: str, reference: str) -> dict[str, Any]:
    with connected(url) as client:
        untyped: Any = client
        config: dict[str, Any] = untyped.inspect_image(reference.removeprefix("docker://"))[
            "Config"
        ]
        return config


@pytest.fixture(scope="module")
def printed(built: Build) -> Printed:
    """A function that returns what an image says of the sentences: asked once, it starts slowly."""
    return cache(lambda kind: commands(built(kind)).get_surprisals(SENTENCES))


@pytest.mark.parametrize("kind", KINDS)
class TestEveryImage:
    def test_the_container_changes_nothing(
        self, kind: str, built: Build, weights: dict[str, Path], tmp_path: Path
    ) -> None:
        root = put_together(kind, tmp_path / "image")
        place = {"LMZOO_CHECKPOINT_PATH": str(weights[kind])} if kind in weights else {}
        text = "".join(f"{sentence}\n" for sentence in SENTENCES)
        found = "\n".join(commands(built(kind)).raw("get_surprisals", SENTENCES)) + "\n"
        here = output(root, "get_surprisals", "-", text=text, **place)
        for line, other in zip(found.splitlines(), here.splitlines(), strict=True):
            *same, bits = line.split("\t")
            *expected, other_bits = other.split("\t")
            assert same == expected
            assert bits == other_bits or float(bits) == pytest.approx(float(other_bits), abs=1e-4)

    def test_it_is_built_for_anyone(self, kind: str, built: Build, docker_engine: str) -> None:
        config = inspect(docker_engine, built(kind))
        assert config["User"] == "65534:65534"
        title = "template" if kind == "template" else "mine"
        version = "0.1.0" if kind == "template" else "1.2.3"
        assert config["Labels"]["org.opencontainers.image.title"] == title
        assert config["Labels"]["org.opencontainers.image.version"] == version
        spec = commands(built(kind)).spec()
        assert (spec["name"], spec["image"]["version"]) == (title, version)

    def test_both_protocols_agree(self, kind: str, built: Build, printed: Printed) -> None:
        with closing(open_container(built(kind), LoadOptions())) as model:
            answered = score_all(model, SENTENCES, Policy())
        for rows, scored in zip(printed(kind), answered, strict=True):
            bits = [token.surprisal_bits or 0 for token in scored.tokens]
            assert [row.surprisal_bits for row in rows] == pytest.approx(bits, abs=1e-5)


@pytest.mark.parametrize("kind", ["ngram", "lstm", "huggingface"])
def test_an_image_says_what_pommel_says(kind: str, built: Build, weights: dict[str, Path]) -> None:
    builtin = {"ngram": "builtin://en-ngram", "huggingface": "builtin://en-gpt2"}
    here: Model = load_model(builtin.get(kind) or f"lstm://{weights[kind]}")
    with closing(open_container(built(kind), LoadOptions())) as there:
        for policy in (Policy(), Policy(bos="never", eos="never")):
            pairs = zip(
                score_all(there, SENTENCES, policy),
                score_all(here, SENTENCES, policy),
                strict=True,
            )
            for answered, exact in pairs:
                for token, other in zip(answered.tokens, exact.tokens, strict=True):
                    assert token.surprisal_bits == pytest.approx(other.surprisal_bits, abs=1e-4)
                    assert (token.text, token.start, token.end) == (
                        other.text,
                        other.start,
                        other.end,
                    )
        assert there.info.details["model"]["fingerprint"] == here.info.fingerprint


@pytest.mark.parametrize("kind", ["ngram", "lstm", "huggingface"])
def test_weights_are_mounted_where_none_are_built_in(
    kind: str, built: Build, printed: Printed, weights: dict[str, Path], tmp_path: Path
) -> None:
    empty = built(kind, with_model=False)
    with pytest.raises(ContainerError, match="the image was built without a model: mount"):
        list(commands(empty).raw("tokenize", SENTENCES))
    # Mounted files keep their modes, and nobody in the container is their owner.
    mounted = tmp_path / "model"
    mounted.mkdir()
    for path in weights[kind].iterdir():
        (mounted / path.name).write_bytes(path.read_bytes())
    tmp_path.chmod(0o755)
    assert commands(empty, checkpoint=mounted).get_surprisals(SENTENCES) == printed(kind)


def test_an_image_without_h5py_says_that_it_has_no_predictions(
    built: Build, tmp_path: Path
) -> None:
    there = commands(built("template"))
    assert not there.spec()["image"]["supported_features"]["get_predictions"]
    with pytest.raises(UnsupportedFeatureError, match="h5py is missing"):
        there.write_predictions(SENTENCES, tmp_path / "predictions.hdf5")


def test_the_command_of_the_image_itself_is_spec(built: Build, docker_engine: str) -> None:
    assert inspect(docker_engine, built("template"))["Cmd"] == ["spec"]
