"""Files are opened as what they are, gzipped or not."""

import gzip
from pathlib import Path

import pytest

from pommel.text_file import GZIP_FAULTS, opened


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
