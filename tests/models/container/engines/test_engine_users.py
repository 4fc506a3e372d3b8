"""Who uses the tests' engines, and what happens where there is none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests import container_fixtures
from tests.containers_support import users
from tests.containers_support.answering import answers
from tests.containers_support.archive import Tree
from tests.containers_support.processes import is_alive, named


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(users, "FOLDER", tmp_path / "engines")
    return tmp_path / "engines"


def test_without_an_engine_ci_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception) as caught:
        container_fixtures.do_without("dockerd is not installed")
    assert str(caught.value) == "CI runs with real container engines: dockerd is not installed"


def test_without_an_engine_a_laptop_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"^dockerd is not installed$"):
        container_fixtures.do_without("dockerd is not installed")


def test_nobody_answers_where_nobody_listens(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not answers(f"unix://{tmp_path}/nothing")
    assert not answers(f"unix://{tmp_path}/file")
    assert not answers("tcp://127.0.0.1:1")


def test_a_process_that_has_ended_uses_nothing(own_folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        name = named(other.pid)
        users.add_use(name, "docker", "unix:///engine")
        users.add_use(name, "podman", "unix:///other")
        assert is_alive(name)
        assert users.in_use("unix:///engine")
        assert users.uses_of(name) == {"docker": "unix:///engine", "podman": "unix:///other"}
        other.kill()
        other.wait()
    assert not users.in_use("unix:///engine")
    assert list((own_folder / "users").iterdir()) == []


@pytest.mark.usefixtures("own_folder")
def test_engines_can_be_kept_for_nobody() -> None:
    users.add_use(users.KEPT, "docker", "unix:///engine")
    assert users.in_use("unix:///engine")
    users.leave(users.KEPT)
    assert not users.in_use("unix:///engine")


def test_a_number_used_again_is_another_process() -> None:
    assert is_alive(named(os.getpid()))
    assert not is_alive(f"{os.getpid()}-1")


def test_a_folder_of_somebody_elses_is_not_used(own_folder: Path, tmp_path: Path) -> None:
    own_folder.symlink_to(tmp_path)
    with pytest.raises(PermissionError, match="belongs to somebody else; remove it"):
        users.folder()


def test_an_archive_is_the_same_each_time_and_everybody_may_read_it(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    secret.chmod(0o600)
    tree = Tree(files={"/a/b": secret}, texts={"/run": "#!/bin/sh\n"}, links={"/c": "a"})
    tar = tmp_path / "made.tar"
    tar.write_bytes(b"".join(tree.pieces()))
    listed = subprocess.run(
        ["tar", "--list", "--verbose", "--numeric-owner", "--file", tar],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert [(line.split()[0], line.split()[1]) for line in listed] == [
        ("drwxr-xr-x", "0/0"),
        ("lrwxrwxrwx", "0/0"),
        ("-rwxr-xr-x", "0/0"),
        ("-rw-r--r--", "0/0"),
    ]
    assert b"".join(tree.pieces()) == tar.read_bytes()
