"""Where the cache is, and what it makes of what lies there."""

import hashlib
from pathlib import Path

import pytest
from tests.sources.fetch.server import COMMIT

from pommel.sources.fetch.source import PublishedSource, SourceCache, SourceFile, cache_folder

HOME = Path.home()


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, HOME / ".cache" / "pommel"),
        ("linux", {"XDG_CACHE_HOME": "/big/cache"}, Path("/big/cache/pommel")),
        ("linux", {"XDG_CACHE_HOME": "relative"}, HOME / ".cache" / "pommel"),
        ("darwin", {"XDG_CACHE_HOME": "/big/cache"}, HOME / "Library" / "Caches" / "pommel"),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/pommel/Cache")),
        ("win32", {}, HOME / "AppData" / "Local" / "pommel" / "Cache"),
        ("linux", {"POMMEL_CACHE": "/mine", "XDG_CACHE_HOME": "/big"}, Path("/mine")),
        ("win32", {"POMMEL_CACHE": "~/mine"}, HOME / "mine"),
    ],
)
def test_where_it_is(platform: str, environment: dict[str, str], folder: Path) -> None:
    assert cache_folder(environment, platform) == folder


KNOWN = SourceFile(path="a/wren.json", sha256=hashlib.sha256(b"wren").hexdigest())
UNKNOWN = SourceFile(path="tit.json")


@pytest.fixture
def kept(tmp_path: Path) -> SourceCache:
    """The place of a source with two files, none of which is there."""
    source = PublishedSource(
        name="birds", title="", address="https://x/y", commit=COMMIT, files=(KNOWN, UNKNOWN)
    )
    return SourceCache(root=tmp_path, source=source)


def put(cache: SourceCache, file: SourceFile, content: bytes) -> None:
    """Lay a file into its place, as if it had been fetched."""
    cache.path(file).parent.mkdir(parents=True, exist_ok=True)
    cache.path(file).write_bytes(content)


def test_a_file_is_what_its_checksum_says(kept: SourceCache, tmp_path: Path) -> None:
    assert kept.state(KNOWN) == "missing"
    put(kept, KNOWN, b"wren")
    assert kept.path(KNOWN) == tmp_path / "birds" / COMMIT / "a" / "wren.json"
    assert kept.state(KNOWN) == "there"
    put(kept, KNOWN, b"Wren")
    assert kept.state(KNOWN) == "damaged"
    assert kept.n_kept() == 1


def test_without_a_checksum_the_first_one_counts(kept: SourceCache) -> None:
    put(kept, UNKNOWN, b"tit")
    assert kept.state(UNKNOWN) == "missing"
    kept.remember(UNKNOWN, hashlib.sha256(b"tit").hexdigest())
    assert kept.state(UNKNOWN) == "there"
    kept.remember(UNKNOWN, "0" * 64)
    assert kept.state(UNKNOWN) == "there"
    put(kept, UNKNOWN, b"tits")
    assert kept.state(UNKNOWN) == "damaged"


@pytest.mark.parametrize("record", [b"", b"0123", b"\xff\xfe", b"0" * 65])
def test_a_damaged_record_is_none(kept: SourceCache, tmp_path: Path, record: bytes) -> None:
    put(kept, UNKNOWN, b"tit")
    kept.remember(UNKNOWN, hashlib.sha256(b"tit").hexdigest())
    (tmp_path / ".sha256" / "birds" / COMMIT / "tit.json").write_bytes(record)
    assert kept.state(UNKNOWN) == "missing"


def test_a_folder_where_a_file_should_be(kept: SourceCache) -> None:
    kept.path(KNOWN).mkdir(parents=True)
    assert kept.state(KNOWN) == "missing"
