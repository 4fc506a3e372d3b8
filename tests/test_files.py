"""Writing files: whole or not at all, and what is no file is left what it is."""

import os
import stat
import threading
from pathlib import Path

import pytest

from pommel.errors import PommelError
from pommel.files import write_text


def test_folders_are_made_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "file.txt"
    write_text(path, "naïve\n")
    assert path.read_bytes() == "naïve\n".encode()
    assert [each.name for each in path.parent.iterdir()] == ["file.txt"]


def test_others_may_read_what_they_might_read_of_any_new_file(tmp_path: Path) -> None:
    write_text(tmp_path / "ours", "x")
    (tmp_path / "plain").write_text("x")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "plain")]
    assert modes[0] == modes[1]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_text, args=(pipe, "through\n"))
    writer.start()
    assert pipe.read_text() == "through\n"
    writer.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_to() -> None:
    write_text(Path(os.devnull), "away")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(PommelError, match="taken: cannot be written: Is a directory"):
        write_text(tmp_path / "taken", "x")


def test_what_was_there_stays_if_the_new_text_cannot_be_encoded(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1
