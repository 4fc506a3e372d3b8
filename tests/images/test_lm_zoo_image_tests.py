"""What the LM Zoo's own tests of an image ask for, asked of each image that ships.

There are eleven, which run in the image, under its own user and without a sandbox. Two of them are
empty there (whether surprisals stay the same, whether predictions agree with them); here none is.
"""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
import pytest
from jsonschema import Draft202012Validator
from tests.container_fixtures import BuildImage
from tests.containers_support.answering import connected
from tests.images.image_roots import CONTAINERS, KINDS
from tests.images.lm_zoo_schema import SPECIFICATION

pytestmark = pytest.mark.docker

# The third has a word that nobody knows, the fourth a character that is not ASCII.
SENTENCES = (
    "Here is a short sentence.",
    "Here is one more of them.",
    "Nobody has ever seen a grumpfelt in here.",
    "A \u201c mark of that kind is rare.",
)
UNKNOWN = (2, 5)
ALL_COMMANDS = """
spec > spec
for command in tokenize unkify get_surprisals; do $command sentences > $command; done
get_surprisals sentences > again
get_predictions.hdf5 sentences predictions > nothing
"""


class Row(NamedTuple):
    """A row of the table of surprisals, as it is printed."""

    sentence: int
    token: str
    bits: float


class Said:
    """What an image's commands have written into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spec: dict[str, Any] = json.loads(self.text("spec"))
        self.vocabulary: list[str] = self.spec["vocabulary"]["items"]
        self.tokens, self.masks = (
            [line.split(" ") for line in self.text(name).splitlines()]
            for name in ("tokenize", "unkify")
        )
        table = [line.split("\t") for line in self.text("get_surprisals").splitlines()[1:]]
        self.rows = [Row(int(number), token, float(bits)) for number, _, token, bits in table]

    def text(self, name: str) -> str:
        """Return what a command has printed."""
        return (self.folder / name).read_text("utf-8")

    def bits_of(self, number: int) -> list[Row]:
        """Return the rows of a sentence, from 0."""
        return [row for row in self.rows if row.sentence == number + 1]

    def predictions(self) -> tuple[list[str], list[tuple[list[int], Any]]]:
        """Return the words, and each sentence's ids (n) and logarithms (n, vocabulary)."""
        with h5py.File(self.folder / "predictions") as file:
            words: list[str] = np.char.decode(file["vocabulary"], "utf-8").tolist()
            sentences = [file[f"sentence/{number}"] for number in range(len(file["sentence"]))]
            return words, [
                (each["tokens"][()].tolist(), each["predictions"][()]) for each in sentences
            ]


@pytest.fixture(scope="module", params=KINDS)
def image(
    request: pytest.FixtureRequest,
    built: Callable[[str], str],
    build_image: BuildImage,
    torch_base: str,
) -> str:
    """The name of one of the images. The template, built on what has h5py, has predictions."""
    if request.param == "template":
        return build_image(CONTAINERS / "template", base=torch_base, name="template")
    return built(request.param).removeprefix("docker://")


@pytest.fixture(scope="module")
def said(image: str, docker_engine: str, tmp_path_factory: pytest.TempPathFactory) -> Said:
    """What an image says, all of it from one start."""
    folder = tmp_path_factory.mktemp("said")
    folder.chmod(0o777)
    (folder / "sentences").write_text("".join(f"{each}\n" for each in SENTENCES), "utf-8")
    with connected(docker_engine) as client:
        untyped: Any = client
        container = untyped.create_container(
            image,
            ["sh", "-euc", ALL_COMMANDS],
            working_dir="/said",
            host_config=untyped.create_host_config(binds=[f"{folder}:/said"], init=True),
        )
        try:
            untyped.start(container)
            status = untyped.wait(container)["StatusCode"]
            assert status == 0, untyped.logs(container).decode()
        finally:
            untyped.remove_container(container, force=True, v=True)
    return Said(folder)


def test_the_spec_is_valid(said: Said) -> None:
    Draft202012Validator(SPECIFICATION).validate(said.spec)


def test_tokens_are_items_of_the_vocabulary(said: Said) -> None:
    assert {token for tokens in said.tokens for token in tokens} <= set(said.vocabulary)


def test_tokens_are_those_of_the_surprisals(said: Said) -> None:
    assert len(said.tokens) == len(SENTENCES)
    for number, tokens in enumerate(said.tokens):
        assert [row.token for row in said.bits_of(number)] == tokens


def test_unknown_words_are_marked(said: Said) -> None:
    assert list(map(len, said.masks)) == list(map(len, said.tokens))
    if said.spec["tokenizer"]["type"] == "word":
        sentence, place = UNKNOWN
        n_before = len(said.spec["vocabulary"]["prefix_types"])
        assert said.masks[sentence][place + n_before] == "1"


def test_surprisals_have_their_form(said: Said) -> None:
    row = r"\d+\t\d+\t[^\t\n]+\t\d+\.\d+\n"
    table = f"sentence_id\ttoken_id\ttoken\tsurprisal\n({row})+"
    assert re.fullmatch(table, said.text("get_surprisals"))


def test_surprisals_are_there_for_all_sentences(said: Said) -> None:
    assert {row.sentence for row in said.rows} == {1, 2, 3, 4}
    assert all(row.bits >= 0 for row in said.rows)


def test_surprisals_stay_the_same(said: Said) -> None:
    assert said.text("again") == said.text("get_surprisals")


def test_predictions_are_there_for_all_tokens(said: Said) -> None:
    words, sentences = said.predictions()
    ids = {word: place for place, word in enumerate(words)}
    assert said.text("nothing") == ""
    for (found, nats), tokens in zip(sentences, said.tokens, strict=True):
        assert nats.shape == (len(tokens), len(words))
        assert found == [ids[token] for token in tokens]


def test_predictions_are_distributions(said: Said) -> None:
    for _, nats in said.predictions()[1]:
        assert np.isfinite(nats).all()
        assert (nats <= 0).all()
        np.testing.assert_almost_equal(np.exp(nats).sum(axis=1), 1, decimal=3)


def test_predictions_are_of_the_vocabulary(said: Said) -> None:
    words, _ = said.predictions()
    assert len(words) == len(said.vocabulary) > 0
    assert set(words) == set(said.vocabulary)


def test_predictions_are_those_of_the_surprisals(said: Said) -> None:
    for number, (ids, nats) in enumerate(said.predictions()[1]):
        bits = -nats[np.arange(len(ids)), ids] / math.log(2)
        assert bits == pytest.approx([row.bits for row in said.bits_of(number)], abs=1e-3)
