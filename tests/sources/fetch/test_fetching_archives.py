"""Fetching files that come packed."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from tests.sources.fetch.birds import AT, TIT, WREN, failure, reason
from tests.sources.fetch.packing import tarred, zipped
from tests.sources.fetch.server import COMMIT, FileServer, tree

from pommel.sources.fetch.fetching import FetchedSource, FetchOptions
from pommel.sources.fetch.source import Archive, PublishedSource, SourceFile


def packed_source(server: FileServer, raw: bytes, sha256_hex: str | None = None) -> PublishedSource:
    """Return a source with an archive of two files that are wanted, and serve it."""
    server.serve(f"{AT}/birds.zip", raw)
    members = {
        "top/wren.json": SourceFile(path="wren.json", sha256=sha256(WREN).hexdigest()),
        "top/tit.json": SourceFile(path="a/tit.json"),
    }
    known = sha256_hex or sha256(raw).hexdigest()
    archive = Archive(path="birds.zip", kind="zip", members=members, sha256=known)
    return server.source({}, archives=(archive,))


SOUND = zipped({"top/wren.json": WREN, "top/tit.json": TIT, "top/other.json": b"{}"})


def test_files_out_of_an_archive(server: FileServer, options: FetchOptions, cache: Path) -> None:
    source = packed_source(server, SOUND)
    fetched = FetchedSource.fetch(source, options=options)
    assert [path.read_bytes() for path in fetched.files] == [WREN, TIT]
    assert tree(cache) == [
        f".sha256/birds/{COMMIT}/a/tit.json",
        f"birds/{COMMIT}/a/tit.json",
        f"birds/{COMMIT}/wren.json",
    ]
    again = FetchedSource.fetch(source, options=replace(options, offline=True))
    assert (again.n_downloaded, server.asked) == (0, [f"/{AT}/birds.zip"])


def test_a_tar_file(server: FileServer, options: FetchOptions) -> None:
    raw = tarred({"top/wren.json": WREN, "top/tit.json": TIT}, gzipped=True)
    source = packed_source(server, raw)
    (archive,) = source.archives
    tar = replace(source, archives=(replace(archive, kind="tar.gz"),))
    assert FetchedSource.fetch(tar, options=options).files[1].read_bytes() == TIT


def test_the_checksum_comes_before_unpacking(
    server: FileServer, options: FetchOptions, cache: Path
) -> None:
    # It is no archive at all, which nobody may find out.
    source = packed_source(server, b"cuckoo", sha256(SOUND).hexdigest())
    assert reason(server, failure(source, options), "birds.zip") == (
        f"its SHA-256 is {sha256(b'cuckoo').hexdigest()}, "
        f"by the table it has to be {sha256(SOUND).hexdigest()}; it is not kept"
    )
    assert tree(cache) == []


def test_an_archive_with_a_name_that_leads_out(
    server: FileServer, options: FetchOptions, cache: Path, tmp_path: Path
) -> None:
    raw = zipped({"top/wren.json": WREN, "../../../evil.json": b"!", "top/tit.json": TIT})
    source = packed_source(server, raw)
    assert failure(source, options) == (
        f"{server.address}/{AT}/birds.zip: '../../../evil.json' is no safe name; "
        "nothing of it is unpacked"
    )
    assert tree(cache) == []
    assert not list(tmp_path.rglob("evil*"))


def test_an_archive_that_has_come_is_kept_when_another_file_fails(
    server: FileServer, options: FetchOptions, cache: Path
) -> None:
    packed = packed_source(server, SOUND)
    source = replace(packed, files=(SourceFile(path="owl.json"),))
    assert failure(source, options) == (
        "birds: 1 of 2 files could not be fetched\n"
        f"  owl.json: the server says 404 Not Found ({server.address}/{AT}/owl.json)\n"
        "what has come whole is kept"
    )
    assert tree(cache / "birds" / COMMIT) == ["a/tit.json", "wren.json"]
    server.asked.clear()
    server.serve(f"{AT}/owl.json", b"{}")
    assert FetchedSource.fetch(source, options=options).n_downloaded == 1
    assert server.asked == [f"/{AT}/owl.json"]


def test_an_archive_that_is_broken_does_not_stop_another(
    server: FileServer, options: FetchOptions, cache: Path
) -> None:
    (sound,) = packed_source(server, SOUND).archives
    raw = zipped({"owl.json": b"{}"})[:-3]
    server.serve(f"{AT}/owls.zip", raw)
    broken = Archive(
        path="owls.zip",
        kind="zip",
        members={"owl.json": SourceFile(path="owl.json")},
        sha256=sha256(raw).hexdigest(),
    )
    source = server.source({"lost.json": None}, archives=(broken, sound))
    assert failure(source, options) == (
        f"{server.address}/{AT}/owls.zip: it is no sound zip file: File is not a zip file\n"
        "birds: 1 of 3 files could not be fetched\n"
        f"  lost.json: the server says 404 Not Found ({server.address}/{AT}/lost.json)\n"
        "what has come whole is kept"
    )
    assert tree(cache / "birds" / COMMIT) == ["a/tit.json", "wren.json"]


def test_a_member_with_a_wrong_checksum(
    server: FileServer, options: FetchOptions, cache: Path
) -> None:
    source = packed_source(server, zipped({"top/wren.json": b"cuckoo", "top/tit.json": TIT}))
    assert failure(source, options) == (
        f"birds: wren.json: its SHA-256 is {sha256(b'cuckoo').hexdigest()}, "
        f"by the table it has to be {sha256(WREN).hexdigest()}; it is not kept"
    )
    assert not (cache / "birds" / COMMIT / "a").exists()
