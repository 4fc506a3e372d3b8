"""One digest for all that is in an image, a file's or a folder's."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from pommel.models.container.engines.apptainer_engine import image_digest


def image(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "spec").write_text("#!/bin/sh\n", "utf-8")
    (folder / "bin" / "spec").chmod(0o755)
    (folder / "data").write_bytes(b"abc")
    (folder / "data").chmod(0o644)
    (folder / "link").symlink_to("data")
    (folder / "empty").mkdir()
    return folder


def test_of_a_file_it_is_that_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "x.sif").write_bytes(b"abc")
    expected = hashlib.sha256(b"abc").hexdigest()
    assert image_digest(tmp_path / "x.sif") == f"sha256:{expected}"


def test_the_same_in_another_place_at_another_time(tmp_path: Path) -> None:
    first = image(tmp_path / "first")
    second = tmp_path / "second"
    shutil.copytree(first, second, symlinks=True)
    os.utime(second / "data", (1, 1))
    assert image_digest(first) == image_digest(second)


def test_names_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff\xfe")).write_bytes(b"")
    assert image_digest(tmp_path).startswith("sha256:")


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    before = image_digest(tmp_path)
    (tmp_path / "pipe").unlink()
    assert image_digest(tmp_path) != before


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        image_digest(tmp_path / "nowhere")


def change_contents(folder: Path) -> None:
    (folder / "data").write_bytes(b"abd")


def change_mode(folder: Path) -> None:
    (folder / "bin" / "spec").chmod(0o644)


def change_link(folder: Path) -> None:
    (folder / "link").unlink()
    (folder / "link").symlink_to("bin/spec")


def change_name(folder: Path) -> None:
    (folder / "data").rename(folder / "date")


def move_between_files(folder: Path) -> None:
    (folder / "data").write_bytes(b"ab")
    (folder / "date").write_bytes(b"c")


def remove_empty(folder: Path) -> None:
    (folder / "empty").rmdir()


@pytest.mark.parametrize(
    "change",
    [
        change_contents,
        change_mode,
        change_link,
        change_name,
        move_between_files,
        remove_empty,
    ],
)
def test_whatever_changes_changes_it(tmp_path: Path, change: object) -> None:
    folder = image(tmp_path / "image")
    before = image_digest(folder)
    assert callable(change)
    change(folder)
    assert image_digest(folder) != before
