"""Files are opened as what they are, gzipped or not; texts, their lines and their hashes."""

import contextlib
import gzip
import hashlib
import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.posix import POSIX_ONLY

from pommel.errors import InputError, PommelError, SuiteError, UsageError
from pommel.files.text import (
    GZIP_FAULTS,
    DecodedText,
    check_file_names,
    expanded,
    locked_for_others,
    opened,
    replacing,
    sha256_of,
    write_text,
)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"one\ntwo", id="plain"),
        pytest.param(gzip.compress(b"one\ntwo"), id="gzip"),
        pytest.param(gzip.compress(b"one\n") + gzip.compress(b"two"), id="two streams of gzip"),
    ],
)
def test_the_content_says_whether_it_is_gzipped(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any name"
    path.write_bytes(content)
    with opened(path) as lines:
        assert list(lines) == [b"one\n", b"two"]


def test_files_that_are_too_short_to_tell(tmp_path: Path) -> None:
    for content in (b"", b"\x1f", b"\x1f\n"):
        (tmp_path / "file").write_bytes(content)
        with opened(tmp_path / "file") as lines:
            assert b"".join(lines) == content


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda raw: raw[:-9], id="cut short"),
        pytest.param(lambda raw: raw[:12] + bytes(9) + raw[21:], id="zeros in between"),
        pytest.param(lambda raw: raw[:-8] + bytes(8), id="another checksum"),
        pytest.param(lambda _: b"\x1f\x8bno gzip at all", id="magic alone"),
    ],
)
def test_damage_is_met_while_reading(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    path = tmp_path / "file.gz"
    path.write_bytes(damage(gzip.compress(bytes(range(256)) * 9, mtime=0)))
    with opened(path) as lines, pytest.raises(GZIP_FAULTS):
        list(lines)


# A character more than a line has.
LONG = DecodedText.MOST_OF_LINE + 1
TOO_LONG = (
    "this line has more than 1,048,576 characters, the most that is read; write a sentence or a "
    "row a line"
)
TOO_MANY_BYTES = TOO_LONG.replace("characters", "bytes")


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_line_that_is_no_line(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "file"
    sound = b"one\n" + b"x" * (LONG - 1) + b"\r\n"
    path.write_bytes(pack(sound))
    with opened(path) as lines:
        assert b"".join(lines) == sound
    path.write_bytes(pack(sound + b"x" * LONG))
    with opened(path) as lines, pytest.raises(InputError) as caught:
        list(lines)
    assert str(caught.value) == f"{path}:3: {TOO_MANY_BYTES}"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_text_with_a_line_that_is_no_line(end: str) -> None:
    sound = f"{end}".join(["x" * (LONG - 3), "y" * (LONG - 3), "z" * 9, ""]) * 2
    assert DecodedText.decode(sound.encode(), file="f").text == sound
    with pytest.raises(InputError) as caught:
        DecodedText.decode(f"one{end}{sound}{'x' * LONG}".encode(), file="f")
    assert str(caught.value) == f"f:8: {TOO_LONG}"


def test_json_may_be_one_line() -> None:
    for begin in ('{"', ' \n["', '\ufeff["'):
        assert len(DecodedText.decode(f"{begin}{'x' * LONG}".encode(), file="f").text) > LONG


def test_what_is_read_as_a_whole_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pommel.files.text._MOST_BYTES", 2 << 20)
    path = tmp_path / "file"
    path.write_bytes(b"a line\n" * (2 << 20))
    said = "has more than 2 MiB, the most that is read of such a file; divide it"
    with pytest.raises(InputError) as caught:
        DecodedText.read(path)
    assert str(caught.value) == f"{path}: {said}"
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(InputError) as caught:
            DecodedText.of_stdin()
    assert str(caught.value) == f"<stdin>: {said}"


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), opened(tmp_path / "none"):
        pass


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb\r\nc\rd\n\n", ["a", "b", "c", "d", ""]),
        ("a\u2028b\x85c\x0bd\x0ce\x1cf\u2029g", ["a\u2028b\x85c\x0bd\x0ce\x1cf\u2029g"]),
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
    ],
)
def test_lines_end_where_editors_end_them(text: str, lines: list[str]) -> None:
    assert DecodedText.of(text).lines == lines


@pytest.mark.parametrize(
    "raw", [b"", b"a\r\nb\r", b"\xef\xbb\xbfa", b"\xef\xbb\xbf\xef\xbb\xbf\xc3\xa9"]
)
def test_the_hash_of_what_was_read(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(raw)
    read = DecodedText.read(path)
    path.write_bytes(b"edited")
    assert read.sha256 == hashlib.sha256(raw).hexdigest()


def test_words_have_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("a\tb\u200c\u200d\u200e\u200f\u061c\u00a0\n", "utf-8")
    assert DecodedText.read_words(path) == DecodedText.read(path)
    path.write_text("a\nb\0c\0\r\r\n\x1b\n\x85", "utf-8")
    with pytest.raises(SuiteError) as caught:
        DecodedText.read_words(path)
    assert [(each.line, each.column, each.message) for each in caught.value.faults] == [
        (2, 2, "this line has the character '\\x00'"),
        (4, 1, "this line has the character '\\x1b'"),
        (5, 1, "this line has the character '\\x85'"),
    ]


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


@POSIX_ONLY
def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write_text, args=(pipe, "through\n"))
    writer.start()
    assert pipe.read_text() == "through\n"
    writer.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@POSIX_ONLY
def test_one_in_another_is_given_to_a_pipe_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    with replacing(pipe) as outer, replacing(outer) as inner:
        inner.write_bytes(b"once")
    reader.join()
    assert found == [b"once"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]
    assert not outer.exists()


def test_one_in_another_leaves_a_link_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/new")
    with replacing(tmp_path / "link") as outer, replacing(outer) as inner:
        inner.write_bytes(b"once")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "new").read_bytes() == b"once"
    assert sorted(tmp_path.rglob("*")) == [
        *(tmp_path / "folder", tmp_path / "folder" / "new", tmp_path / "link")
    ]


@POSIX_ONLY
def test_a_link_to_a_pipe_is_written_to(tmp_path: Path) -> None:
    # The pipe has no name; this is what a shell makes of >(command).
    reading, writing = os.pipe()
    (tmp_path / "link").symlink_to(f"/dev/fd/{writing}")
    write_text(tmp_path / "link", "through\n")
    os.close(writing)
    with os.fdopen(reading) as opened:
        assert opened.read() == "through\n"
    assert (tmp_path / "link").is_symlink()


@POSIX_ONLY
def test_a_pipe_is_given_nothing_if_something_goes_wrong(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Nobody reads, so that this would wait for ever if anything were written.
    with contextlib.suppress(KeyError), replacing(pipe) as aside:
        aside.write_bytes(b"half of")
        raise KeyError
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert not aside.exists()


@POSIX_ONLY
def test_a_link_that_leads_in_a_circle(tmp_path: Path) -> None:
    path = tmp_path / "link"
    path.symlink_to("link")
    with pytest.raises(PommelError) as caught:
        write_text(path, "x")
    assert str(caught.value) == f"{path}: cannot be written: Too many levels of symbolic links"
    assert path.is_symlink()


def test_a_device_is_written_to() -> None:
    write_text(Path(os.devnull), "away")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(PommelError, match="taken: cannot be written: Is a directory"):
        write_text(tmp_path / "taken", "x")


def test_a_folder_that_was_made_for_nothing_is_gone(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "new" / "folder" / "file", "\ud800")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there").mkdir()
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "there" / "file", "\ud800")
    assert list(tmp_path.iterdir()) == [tmp_path / "there"]


def test_what_was_there_stays_if_the_new_text_cannot_be_encoded(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    # The example of FIPS 180-2, appendix B.1.
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_of(path) == digest
    with pytest.raises(InputError) as caught:
        sha256_of(tmp_path / "none")
    assert str(caught.value) == f"{tmp_path}/none: cannot be read: No such file or directory"


def test_heads_of_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xff\x00abc")
    assert DecodedText.head(path) == "\N{REPLACEMENT CHARACTER}\x00abc"
    with pytest.raises(InputError, match="No such file"):
        DecodedText.head(tmp_path / "none.txt")


@pytest.mark.parametrize("name", ["aux", "AUX", "con.old", "lpt9 .x", "com¹", "nul.tar.gz"])
def test_no_file_is_called_as_a_device_of_windows(name: str) -> None:
    with pytest.raises(InputError) as caught:
        check_file_names(["agreement", name])
    said = f"{name!r} cannot be a file's name: it is that of a device on Windows"
    assert str(caught.value) == said


def test_names_that_are_no_devices() -> None:
    check_file_names(["auxiliary", "con_text", "com", "com10", "my.aux", "שלום", "é b"])


def test_names_that_some_file_systems_do_not_tell_apart() -> None:
    with pytest.raises(InputError) as caught:
        check_file_names(["Été", "other", "été"])
    assert str(caught.value) == "'Été' and 'été' differ in capital letters only"


def test_homes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert expanded("~/s.json") == tmp_path / "s.json"
    for text in ("~pommel-nobody/s.json", "a/~/s.json", "~ stands for a home .", ""):
        assert expanded(text) == Path(text)


def test_who_has_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    # As in a container whose user is a number.
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(UsageError, match=r"^~/s\.json: there is no home folder; set HOME$"):
        expanded(Path("~/s.json"))
    assert expanded("~pommel-nobody/s.json") == Path("~pommel-nobody/s.json")


# Files that are locked for others, until who has locked them is gone.

_HOLDS = """
import os, sys, time
from pommel.files import locked_for_others
print(locked_for_others(os.open(sys.argv[1], os.O_RDWR)), flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is locked there")
def test_others_are_kept_out_until_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    descriptor = os.open(path, os.O_RDWR)
    try:
        with subprocess.Popen(
            [sys.executable, "-c", _HOLDS, path], stdout=subprocess.PIPE, text=True
        ) as holder:
            assert holder.stdout
            assert holder.stdout.readline() == "True\n"
            assert not locked_for_others(descriptor, waiting=False)
            holder.kill()
        began = time.monotonic()
        assert locked_for_others(descriptor)
        assert time.monotonic() - began < 30
    finally:
        os.close(descriptor)


def test_what_is_not_open_cannot_be_locked(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    descriptor = os.open(path, os.O_RDWR)
    os.close(descriptor)
    assert locked_for_others(descriptor) is False


@pytest.mark.skipif(sys.platform == "win32", reason="children inherit no locks there")
def test_a_child_that_has_it_open_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    ours, other = (os.open(path, os.O_RDWR) for _ in range(2))
    assert locked_for_others(ours)
    with subprocess.Popen(["sleep", "60"], pass_fds=[ours]) as child:
        os.close(ours)
        assert not locked_for_others(other, waiting=False)
        child.kill()
    assert locked_for_others(other, waiting=False)
    os.close(other)
