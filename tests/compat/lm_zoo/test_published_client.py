"""The published `lm-zoo` and `syntaxgym` drive images of ours; pommel does it as well.

The images are built as the documentation says for these clients: with `--for-lm-zoo`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.cli.conftest import pommel  # noqa: F401 - a fixture
from tests.cli.samples import Pommel
from tests.compat.lm_zoo.published import Published, published
from tests.containers_support.answering import connected
from tests.containers_support.images import BUILDS
from tests.containers_support.users import locked

from pommel.compat import lm_zoo as Z  # noqa: N812 - everybody called it so

pytestmark = pytest.mark.docker

# None that the client reads wrongly: NA, null, nan, a quotation mark, a number alone in its column.
SENTENCES = (
    "The cats that the dog saw were here .",
    "A zorbl sleeps.",
    "Don't say “naïve” 🦒 & <unk> 1984 !",
    "I",
)
TEXT = "".join(f"{sentence}\n" for sentence in SENTENCES)
CLIENT = Path(__file__).with_name("client.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the client got from an image: values by function, and the file of predictions."""

    image: str
    answers: Mapping[str, Any]
    predictions: Path


@pytest.fixture(scope="module")
def image(docker_engine: str, torch_base: str) -> Iterator[str]:
    """The image that authors copy, built as for the published clients, where h5py is."""
    tag = f"pommel-test/for-lm-zoo:{os.getpid()}"
    arguments = ("template", "--base", torch_base, "--tag", tag, "--for-lm-zoo")
    with locked(BUILDS):
        build = (sys.executable, "-m", "pommel", "image", "build", *arguments)
        subprocess.run(build, check=True, capture_output=True)
    yield f"docker://{tag}"
    with locked(BUILDS), connected(docker_engine) as client:
        client.remove_image(tag, force=True)


@pytest.fixture(scope="module", params=["1.3", "1.4a3"])
def lm_zoo(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Published]:
    """The client of one version."""
    folder = tmp_path_factory.mktemp(f"lm-zoo-{request.param}")
    with published(folder, f"lm-zoo=={request.param}", "syntaxgym==0.8a1") as client:
        yield client


@pytest.fixture(scope="module")
def said(lm_zoo: Published, image: str) -> Said:
    """What the client's functions say of an image."""
    predictions = lm_zoo.site.parent / "predictions.hdf5"
    name = image.removeprefix("docker://")
    printed = lm_zoo.output(CLIENT, name, predictions, text=json.dumps(SENTENCES))
    return Said(image=image, answers=json.loads(printed), predictions=predictions)


class TestFunctions:
    @pytest.mark.parametrize("function", [Z.tokenize, Z.unkify])
    def test_tokens_and_unknown_words_are_the_same(
        self, said: Said, function: Callable[..., Any]
    ) -> None:
        assert function(said.image, SENTENCES) == said.answers[function.__name__]

    def test_there_are_unknown_words_and_known_ones(self, said: Said) -> None:
        flags = {flag for mask in said.answers["unkify"] for flag in mask}
        assert flags == {0, 1}

    def test_surprisals_are_the_same(self, said: Said) -> None:
        frame = Z.get_surprisals(said.image, SENTENCES)
        assert frame.reset_index().to_dict("list") == said.answers["get_surprisals"]

    def test_the_spec_is_the_same(self, said: Said) -> None:
        assert said.answers["version"] in {"1.3", "1.4a3"}
        if said.answers["version"] != "1.3":
            assert Z.spec(said.image) == said.answers["spec"]

    def test_predictions_are_the_same(self, said: Said) -> None:
        with Z.get_predictions(said.image, SENTENCES) as ours:
            assert_same_predictions(ours, said.predictions)


def assert_same_predictions(ours: h5py.File, path: Path) -> None:
    with h5py.File(path) as theirs:
        assert ours["vocabulary"].dtype == theirs["vocabulary"].dtype
        assert ours["vocabulary"][:].tolist() == theirs["vocabulary"][:].tolist()
        assert sorted(ours["sentence"]) == sorted(theirs["sentence"]) == ["0", "1", "2", "3"]
        for index in range(len(SENTENCES)):
            for name in ("tokens", "predictions"):
                place = f"sentence/{index}/{name}"
                assert np.array_equal(ours[place][:], theirs[place][:])


@pytest.mark.parametrize("options", [(), ("--short",)])
def test_the_client_lists_what_pommel_lists(
    lm_zoo: Published,
    pommel: Pommel,  # noqa: F811
    options: tuple[str, ...],
) -> None:
    assert pommel("list", *options).stdout == lm_zoo.output("lm-zoo", "list", *options)


class TestCommands:
    @pytest.mark.parametrize("command", ["tokenize", "unkify", "get-surprisals"])
    def test_they_print_the_same(
        self,
        lm_zoo: Published,
        image: str,
        pommel: Pommel,  # noqa: F811
        command: str,
    ) -> None:
        theirs = lm_zoo.output("lm-zoo", command, image, "-", text=TEXT)
        assert pommel(command, image, "-", stdin=TEXT).stdout == theirs

    def test_they_write_the_same(
        self,
        lm_zoo: Published,
        image: str,
        pommel: Pommel,  # noqa: F811
        tmp_path: Path,
    ) -> None:
        lm_zoo.output("lm-zoo", "get-predictions", image, "-", tmp_path / "theirs", text=TEXT)
        pommel("get-predictions", image, "-", tmp_path / "ours", stdin=TEXT)
        with h5py.File(tmp_path / "ours") as ours:
            assert_same_predictions(ours, tmp_path / "theirs")


def test_pommel_still_runs_such_an_image_as_nobody(
    docker_engine: str,
    image: str,
    pommel: Pommel,  # noqa: F811
) -> None:
    with connected(docker_engine) as client:
        untyped: Any = client
        name = image.removeprefix("docker://")
        assert untyped.inspect_image(name)["Config"]["User"] == "0:0"
    outcome = pommel("image", "check", image, "--sentences", "100")
    assert (outcome.status, outcome.stderr) == (0, "")
    assert "ok       sandbox " in outcome.stdout


@pytest.mark.parametrize("lm_zoo", ["1.4a3"], indirect=True)
def test_syntaxgym_says_what_pommel_says(
    lm_zoo: Published,
    image: str,
    pommel: Pommel,  # noqa: F811
    suite_dict: Callable[..., dict[str, Any]],
    tmp_path: Path,
) -> None:
    # Unknown words in a row, in one region and across two; a region without words at the end.
    contents = {
        "a": ["The cats", "zorbl grumpf", "are", "here .", ""],
        "b": ["Zorbl", "grumpf", "near", "the cats sleeps .", ""],
    }
    formulas = ("(4;%a%) < (4;%b%)", "(*;%a%) > (*;%b%)")
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(suite_dict(contents, formulas)))
    compat = (image, path, "--compat", "syntaxgym")
    results = lm_zoo.output("syntaxgym", "run", image, path)
    assert len(results.splitlines()) == 3
    assert pommel("run", *compat).stdout == results
    ours = bits(json.loads(pommel("compute-surprisals", *compat, "--format", "json").stdout))
    theirs = json.loads(lm_zoo.output("syntaxgym", "compute-surprisals", image, path))
    # Six decimals are printed for each token.
    assert ours == pytest.approx(bits(theirs), abs=5e-6)


def bits(suite: dict[str, Any]) -> list[float]:
    """Return what an evaluated suite has for all regions."""
    return [
        region["metric_value"]["sum"]
        for item in suite["items"]
        for condition in item["conditions"]
        for region in condition["regions"]
    ]
