"""The images that ship, built; and images for checks: the template, with scripts replaced."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.container_fixtures import BuildImage
from tests.images.image_roots import CONTAINERS
from tests.images.samples import N_SENTENCES, CommandsOf, ResultOf
from tests.models.conftest import tiny_folder  # noqa: F401 - a fixture
from tests.models.container.local_engine import LocalEngine
from tests.models.lstm.folders import save_random_lstm

from pommel.files.shipped import shipped_folder
from pommel.images.check import CheckResult, Subject, run_check
from pommel.images.checks import CHECKS
from pommel.images.sources import files_below
from pommel.models.container.commands import ImageCommands
from pommel.models.container.engines import engine as engines
from pommel.models.container.engines.engine import Sandbox
from pommel.models.model import LoadOptions


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The models of the images that have none of their own."""
    lstm = tmp_path_factory.mktemp("models") / "lstm"
    save_random_lstm(lstm, ("The", "the", "cat", "sleeps", ".", "is", "NA"))
    # As programs that train models leave them.
    (lstm / "model.safetensors").chmod(0o600)
    return {
        "ngram": shipped_folder("builtin") / "en-ngram",
        "lstm": lstm,
        "huggingface": shipped_folder("builtin") / "en-gpt2",
    }


@pytest.fixture(scope="session")
def built(
    build_image: BuildImage, torch_base: str, plain_base: str, weights: dict[str, Path]
) -> Callable[..., str]:
    """A function that builds an image, with its model in it unless told otherwise."""

    def build(kind: str, *, with_model: bool = True) -> str:
        files: dict[str, str | bytes | Path] = {**files_below(CONTAINERS)}
        if kind == "template":
            return f"docker://{build_image(CONTAINERS / kind, base=plain_base, name=kind)}"
        files["Dockerfile"] = CONTAINERS / kind / "Dockerfile"
        if with_model:
            files |= {f"model/{path.name}": path for path in weights[kind].iterdir()}
        tag = build_image(
            files, base=torch_base, name=kind, arguments={"NAME": "mine", "VERSION": "1.2.3"}
        )
        return f"docker://{tag}"

    return build


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandsOf:
    """A function that returns the commands of the template, some replaced by shell scripts.

    `files` are further files to be changed: what stands there, and what is written instead.
    """
    source = tmp_path / "image"
    shutil.copytree(shipped_folder("image_sources") / "template", source)
    monkeypatch.setitem(engines.ENGINES, "local", lambda _reference: LocalEngine(folder=source))
    # The Python of these tests has h5py.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")

    def make(
        scripts: Mapping[str, str] | None = None,
        spec: Callable[[dict[str, Any]], object] | None = None,
        *,
        timeout_s: float = 60,
    ) -> ImageCommands:
        if spec is not None:
            found = ImageCommands.open("local://bin", LoadOptions())
            value = json.loads("\n".join(found.lines("spec")))
            spec(value)
            (source / "spec.json").write_text(json.dumps(value))
            scripts = {**(scripts or {}), "spec": 'cat "${0%/*}/../spec.json"'}
        for name, script in (scripts or {}).items():
            (source / "bin" / name).write_text(f"#!/bin/bash\n{script}\n")
        options = LoadOptions(sandbox=Sandbox(timeout_s=timeout_s))
        return ImageCommands.open("local://bin", options)

    return make


@pytest.fixture
def result(commands: CommandsOf) -> ResultOf:
    """A function that runs one check of an image."""

    def run(name: str, *arguments: Any, **settings: Any) -> CheckResult:
        (check,) = (check for check in CHECKS if check.name == name)
        subject = Subject(commands(*arguments, **settings), n_sentences=N_SENTENCES)
        return run_check(check, subject)

    return run
