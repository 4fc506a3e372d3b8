"""Pulling with Apptainer's stand-in: kept in one place, whole or not at all."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.containers_support.processes import wait_until, with_words

from pommel.errors import ModelNotAvailableError
from pommel.models.container.engines.apptainer_engine import pull_image, pulled_file
from pommel.models.container.engines.process_channel import ProcessChannel

PROGRAM = Path(__file__).with_name("apptainer_stand_in.sh")
REFERENCE = "apptainer://docker://a/b:c"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POMMEL_CACHE", str(tmp_path / "pommel"))
    return tmp_path / "pommel" / "images"


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "bin" / "apptainer"
    path.parent.mkdir()
    path.write_bytes(PROGRAM.read_bytes())
    path.chmod(0o755)
    return str(path)


def test_one_file_for_each_source(cache: Path) -> None:
    found = pulled_file("docker://docker.io/a/b:c")
    assert found == cache / "docker-docker.io-a-b-c-084256e3ae6f.sif"
    assert pulled_file("docker://docker.io/a-b:c") != found


def test_long_names_and_none(cache: Path) -> None:
    assert len(pulled_file("library://" + "x/" * 500).name) < 100
    assert pulled_file("-").parent == cache


def test_what_is_pulled_is_kept(cache: Path, program: str) -> None:
    pull_image(program, "docker://a/b:c", reference=REFERENCE)
    assert "docker://a/b:c" in pulled_file("docker://a/b:c").read_text("utf-8")
    assert [path.suffix for path in cache.iterdir()] == [".sif"]
    called = (Path(program).parent / "called").read_text("utf-8").splitlines()
    aside = called[3]
    expected = ["pull", "--disable-cache", "--tmpdir", aside, f"{aside}/image.sif"]
    assert called == [*expected, "docker://a/b:c"]


def test_another_takes_the_place_of_the_first(cache: Path, program: str) -> None:
    texts = []
    for _ in range(2):
        pull_image(program, "docker://a", reference=REFERENCE)
        texts.append(pulled_file("docker://a").read_text("utf-8"))
    assert texts[0] != texts[1]
    assert len(list(cache.iterdir())) == 1


def test_what_no_registry_has(cache: Path, program: str) -> None:
    with pytest.raises(ModelNotAvailableError) as raised:
        pull_image(program, "docker://not-there", reference=REFERENCE)
    assert str(raised.value) == (
        "apptainer://docker://a/b:c: the image is not here, and cannot be pulled "
        "(apptainer pull: exit status 255); the last it wrote to standard error:\n"
        "    INFO:    a remark\n"
        "    FATAL:   manifest unknown"
    )
    assert list(cache.iterdir()) == []


def test_what_was_there_stays_if_pulling_fails(cache: Path, program: str) -> None:
    cache.mkdir(parents=True)
    pulled_file("docker://not-there").write_text("old", "utf-8")
    with pytest.raises(ModelNotAvailableError):
        pull_image(program, "docker://not-there", reference=REFERENCE)
    assert pulled_file("docker://not-there").read_text("utf-8") == "old"


def test_a_cache_that_cannot_be_written(cache: Path, program: str) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("a file", "utf-8")
    with pytest.raises(ModelNotAvailableError, match="the image cannot be kept here: "):
        pull_image(program, "docker://a", reference=REFERENCE)


def test_who_stops_it_leaves_nothing(
    cache: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **_named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProcessChannel, "read", stop)
    with pytest.raises(KeyboardInterrupt):
        pull_image(program, "docker://a", reference=REFERENCE)
    assert list(cache.iterdir()) == []


def test_two_at_once(cache: Path, program: str) -> None:
    def pull() -> None:
        pull_image(program, "docker://a", reference=REFERENCE)

    threads = [threading.Thread(target=pull) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.name for path in cache.iterdir()] == [pulled_file("docker://a").name]
    assert os.access(pulled_file("docker://a"), os.R_OK)


def test_nothing_is_left_of_a_pull_that_is_killed(cache: Path, tmp_path: Path) -> None:
    program = tmp_path / "apptainer"
    program.write_text('#!/bin/sh\ntouch "$5"\nsleep 60\n', "utf-8")
    program.chmod(0o755)
    code = (
        "from pommel.models.container.engines.apptainer_engine import pull_image\n"
        f"pull_image({str(program)!r}, 'docker://a', reference='apptainer://docker://a')\n"
    )
    asking = subprocess.Popen([sys.executable, "-c", code])
    try:
        assert wait_until(lambda: bool([*cache.glob(".pull-*/image.sif")]), timeout_s=30)
    finally:
        asking.kill()
        asking.wait()
    assert wait_until(lambda: not [*cache.iterdir()], timeout_s=60)
    assert wait_until(lambda: not [*with_words(str(program), "pull")], timeout_s=60)
