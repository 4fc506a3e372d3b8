"""The published `lm_zoo`, as it is on PyPI, drives an image of ours; pommel does it as well.

It cannot be installed with what it asks for on a current Python, so it is installed without: into
a folder of its own, and the newer packages of this environment do.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.cli.conftest import pommel  # noqa: F401 - a fixture
from tests.cli.samples import Pommel
from tests.container_fixtures import BuildImage

from pommel.compat import lm_zoo as Z  # noqa: N812 - everybody called it so

pytestmark = pytest.mark.docker

# None that the client reads wrongly: NA, null, nan, a quotation mark, a number alone in its column.
SENTENCES = (
    "The cats that the dog saw were here .",
    "A zorbl sleeps.",
    "Don't say “naïve” 🦒 & <unk> 1984 !",
    "I",
)
CLIENT = Path(__file__).with_name("client.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the client got from an image: values by function, and the file of predictions."""

    image: str
    answers: Mapping[str, Any]
    predictions: Path


@pytest.fixture(scope="module")
def template(build_image: BuildImage, torch_base: str, repository: Path) -> str:
    """The image that authors copy, where h5py is."""
    tag = build_image(repository / "containers" / "template", base=torch_base, name="template")
    # The client mounts a file that only its own user may write: here root, as the LM Zoo's images.
    as_root = {"Dockerfile": "ARG BASE\nFROM $BASE\nUSER 0:0\n"}
    return build_image(as_root, base=tag, name="template-as-root")


@pytest.fixture(scope="module", params=["1.3", "1.4a3"])
def said(
    request: pytest.FixtureRequest, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Said:
    """What the client of one version says of the template."""
    folder = tmp_path_factory.mktemp(f"lm-zoo-{request.param}")
    _install(folder / "site", f"lm-zoo=={request.param}", "spython==0.3.14")
    predictions = folder / "predictions.hdf5"
    done = subprocess.run(
        [sys.executable, CLIENT, template, predictions],
        input=json.dumps(SENTENCES),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(folder / "site")},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert answers["version"] == request.param
    return Said(image=f"docker://{template}", answers=answers, predictions=predictions)


def _install(folder: Path, *packages: str) -> None:
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    done = subprocess.run(
        [*pip, "--no-deps", "--no-build-isolation", "--target", folder, *packages],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return
    reason = f"the published client cannot be installed: {done.stderr.strip()[-500:]}"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.mark.parametrize("function", [Z.tokenize, Z.unkify])
def test_tokens_and_unknown_words_are_the_same(said: Said, function: Callable[..., Any]) -> None:
    assert function(said.image, SENTENCES) == said.answers[function.__name__]


def test_there_are_unknown_words_and_known_ones(said: Said) -> None:
    flags = {flag for mask in said.answers["unkify"] for flag in mask}
    assert flags == {0, 1}


def test_surprisals_are_the_same(said: Said) -> None:
    frame = Z.get_surprisals(said.image, SENTENCES)
    assert frame.reset_index().to_dict("list") == said.answers["get_surprisals"]


def test_the_spec_is_the_same(said: Said) -> None:
    if "spec" in said.answers:
        assert Z.spec(said.image) == said.answers["spec"]


def test_predictions_are_the_same(said: Said) -> None:
    with (
        Z.get_predictions(said.image, SENTENCES) as ours,
        h5py.File(said.predictions) as theirs,
    ):
        assert ours["vocabulary"][:].tolist() == theirs["vocabulary"][:].tolist()
        assert sorted(ours["sentence"]) == sorted(theirs["sentence"]) == ["0", "1", "2", "3"]
        for index in range(len(SENTENCES)):
            for name in ("tokens", "predictions"):
                place = f"sentence/{index}/{name}"
                assert np.array_equal(ours[place][:], theirs[place][:])


def test_the_commands_print_what_the_client_would(
    said: Said,
    pommel: Pommel,  # noqa: F811
) -> None:
    text = "".join(f"{sentence}\n" for sentence in SENTENCES)
    tokens = "".join(f"{' '.join(row)}\n" for row in said.answers["tokenize"])
    assert pommel("tokenize", said.image, "-", stdin=text).stdout == tokens
    masks = "".join(f"{' '.join(map(str, row))}\n" for row in said.answers["unkify"])
    assert pommel("unkify", said.image, "-", stdin=text).stdout == masks
    columns = said.answers["get_surprisals"]
    rows = zip(*columns.values(), strict=True)
    lines = ["\t".join(columns), *("\t".join(map(str, row)) for row in rows)]
    table = "".join(f"{line}\n" for line in lines)
    assert pommel("get-surprisals", said.image, "-", stdin=text).stdout == table
