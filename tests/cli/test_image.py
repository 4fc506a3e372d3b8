"""`pommel image new|build|check`."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.samples import Pommel
from tests.models.container.local_engine import LocalEngine

from pommel.files.shipped import shipped_folder
from pommel.models.container.engines import engine as engines


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The template's folder, whose commands are the image local://bin."""
    source = tmp_path / "image"
    shutil.copytree(shipped_folder("image_sources") / "template", source)
    monkeypatch.setitem(engines.ENGINES, "local", lambda _reference: LocalEngine(folder=source))
    return source


def test_new_says_what_to_do_next(
    pommel: Pommel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = pommel("image", "new", "my-model")
    assert outcome.status == 0
    assert outcome.stdout == (
        "my-model: a model that runs. Put yours into model.py; README.md says how. Then:\n"
        "  pommel image build ./my-model\n"
        "  pommel image check docker://pommel/my-model\n"
        "  pommel run docker://pommel/my-model suites:en\n"
    )
    assert (tmp_path / "my-model" / "model.py").is_file()
    again = pommel("image", "new", "my-model")
    assert again.failure(1) == "my-model: it is there already, and nothing is overwritten"


def test_new_elsewhere_and_with_a_wrong_name(pommel: Pommel, tmp_path: Path) -> None:
    outcome = pommel("image", "new", "my-model", "--into", tmp_path / "a b")
    assert f"  pommel image build '{tmp_path}/a b/my-model'\n" in outcome.stdout
    assert pommel("image", "new", "My-Model", "--into", tmp_path).status == 2


def test_check_has_a_line_for_each_check_and_a_report(
    pommel: Pommel, image: Path, tmp_path: Path
) -> None:
    assert image.is_dir()
    report = tmp_path / "report.json"
    outcome = pommel("image", "check", "local://bin", "--sentences", "100", "--report", report)
    lines = outcome.stdout.splitlines()
    written = json.loads(report.read_text("utf-8"))
    assert outcome.status == 0
    assert outcome.stderr == f"Report: {report}\n"
    assert len(lines) == len(written["checks"]) + 1
    assert lines[0] == (
        "ok       spec                          `spec` prints one JSON object that "
        "schemas/model_spec.json allows: template, protocol 2"
    )
    assert lines[-1].startswith(f"{len(written['checks'])} checks: ")
    assert " 0 failed, 0 warning, " in lines[-1]
    assert written["n_sentences"] == 100
    assert written["sandbox"]["timeout_s"] == 600


def test_check_says_what_is_wrong_and_what_to_do(pommel: Pommel, image: Path) -> None:
    (image / "bin" / "unkify").write_text("#!/bin/sh\necho no vocabulary >&2\nexit 3\n")
    outcome = pommel("image", "check", "local://bin", "--sentences", "10", "--sandbox", "time=60")
    lines = outcome.stdout.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("FAILED   unkify"))
    assert lines[start : start + 3] == [
        (
            f"FAILED   {'unkify':29} unkify /dev/stdin: it ended with exit status 3; "
            "the last it wrote to "
            "standard error:"
        ),
        "              no vocabulary",
        (
            "          to do: standard error says why "
            "(weights that are not in the image: --checkpoint PATH)"
        ),
    ]
    assert outcome.failure(1) == "local://bin: 1 check failed"


def test_check_of_what_is_not_there(pommel: Pommel, image: Path) -> None:
    assert image.is_dir()
    outcome = pommel("image", "check", "local://nothing")
    assert outcome.status == 4
    outcome = pommel("image", "check", "nosuch://nothing")
    assert outcome.status == 4
    assert "no engine runs this" in outcome.stderr
    outcome = pommel("image", "check", "local://bin", "--sandbox", "tine=3")
    assert outcome.status == 2
    assert "did you mean time?" in outcome.stderr


def test_build_arguments_that_are_none(pommel: Pommel) -> None:
    outcome = pommel("image", "build", "template", "--build-arg", "VERSION")
    assert outcome.failure(2) == "--build-arg VERSION: write KEY=VALUE"


@pytest.fixture
def tag(docker_engine: str) -> Iterator[str]:
    """A name for an image, which is removed at the end."""
    from docker import APIClient
    from docker.errors import ImageNotFound

    name = f"pommel-test/cli-{os.getpid()}"
    yield name
    client = APIClient(base_url=docker_engine, version="auto")
    try:
        client.remove_image(name, force=True)
    except ImageNotFound:
        pass
    finally:
        client.close()


@pytest.mark.docker
def test_from_new_to_a_checked_image(
    pommel: Pommel, tmp_path: Path, plain_base: str, tag: str
) -> None:
    pommel("image", "new", "my-model", "--into", tmp_path)
    folder = tmp_path / "my-model"
    built = pommel("image", "build", folder, "--base", plain_base, "-t", tag)
    assert built.status == 0
    first, second = built.stdout.splitlines()
    assert first.startswith(f"docker://{tag}  sha256:")
    assert second == f"  pommel image check docker://{tag}"
    assert "Successfully built" in built.stderr
    report = tmp_path / "report.json"
    outcome = pommel("image", "check", tag, "--report", report, "--pull", "never")
    assert (outcome.status, outcome.stderr) == (0, f"Report: {report}\n")
    written = json.loads(report.read_text("utf-8"))
    assert written["image"]["id"] in first
    assert {each["status"] for each in written["checks"]} == {"ok", "skipped"}
    by_name = {each["name"]: each for each in written["checks"]}
    assert by_name["many-sentences"]["message"].startswith("10000 sentences in ")
    assert by_name["sandbox"]["status"] == "ok"


@pytest.mark.docker
def test_check_of_an_image_that_is_not_here(pommel: Pommel, docker_engine: str) -> None:
    assert docker_engine
    outcome = pommel("image", "check", "pommel-test/nothing:1", "--pull", "never")
    assert outcome.failure(4) == (
        "docker://pommel-test/nothing:1: the image is not here, and nothing may be downloaded"
    )


@pytest.mark.docker
def test_a_build_that_fails_ends_with_1(
    pommel: Pommel, tmp_path: Path, plain_base: str, tag: str
) -> None:
    (tmp_path / "Dockerfile").write_text("ARG BASE\nFROM ${BASE}\nRUN exit 7\n")
    outcome = pommel("image", "build", tmp_path, "--base", plain_base, "-t", f"{tag}-broken")
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr.endswith(
        f"pommel: {tag}-broken: the build failed at `RUN exit 7`: exit status 7\n"
    )
