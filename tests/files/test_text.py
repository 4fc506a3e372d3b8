"""Files are opened as what they are, gzipped or not; texts, their lines and their hashes."""

import gzip
import hashlib
from pathlib import Path

import pytest

from pommel.errors import SuiteError
from pommel.files.text import GZIP_FAULTS, lines, opened, read_text, read_words


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
    with opened(path) as stream:
        assert list(stream) == [b"one\n", b"two"]
    assert stream.closed


def test_files_that_are_too_short_to_tell(tmp_path: Path) -> None:
    for content in (b"", b"\x1f", b"\x1f\n"):
        (tmp_path / "file").write_bytes(content)
        with opened(tmp_path / "file") as stream:
            assert stream.read() == content


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
    with opened(path) as stream, pytest.raises(GZIP_FAULTS):
        stream.read()


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), opened(tmp_path / "none"):
        pass


def test_lines_end_where_editors_end_them() -> None:
    assert lines("a\nb\r\nc\rd\n\n") == ["a", "b", "c", "d", ""]
    assert lines("a\u2028b\x85c\x0bd\x0ce\x1cf\u2029g") == ["a\u2028b\x85c\x0bd\x0ce\x1cf\u2029g"]
    assert (lines(""), lines("\n"), lines("a")) == ([], [""], ["a"])


@pytest.mark.parametrize(
    "raw", [b"", b"a\r\nb\r", b"\xef\xbb\xbfa", b"\xef\xbb\xbf\xef\xbb\xbf\xc3\xa9"]
)
def test_the_hash_of_what_was_read(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(raw)
    read = read_text(path)
    path.write_bytes(b"edited")
    assert read.sha256 == hashlib.sha256(raw).hexdigest()


def test_words_have_no_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("a\tb\u200c\u200d\u200e\u200f\u061c\u00a0\n", "utf-8")
    assert read_words(path) == read_text(path)
    path.write_text("a\nb\0c\0\r\r\n\x1b\n\x85", "utf-8")
    with pytest.raises(SuiteError) as caught:
        read_words(path)
    assert [(each.line, each.column, each.message) for each in caught.value.faults] == [
        (2, 2, "this line has the character '\\x00'"),
        (4, 1, "this line has the character '\\x1b'"),
        (5, 1, "this line has the character '\\x85'"),
    ]
