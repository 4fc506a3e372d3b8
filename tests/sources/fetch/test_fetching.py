"""Fetching from a real server, also one that misbehaves."""

import asyncio
import multiprocessing
import re
import socket
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from tests.sources.fetch.birds import AT, TIT, WREN, failure, reason
from tests.sources.fetch.server import COMMIT, FileServer, Reply, tree

from pommel.errors import PommelError, UsageError
from pommel.sources.fetch.fetching import FetchedSource
from pommel.sources.fetch.source import FetchOptions, PublishedSource, SourceFile


def test_what_was_published_lies_in_the_cache(
    birds: PublishedSource, server: FileServer, options: FetchOptions, cache: Path
) -> None:
    fetched = FetchedSource.fetch(birds, options=options)
    assert fetched.folder == cache / "birds" / COMMIT
    assert [path.read_bytes() for path in fetched.files] == [WREN, TIT]
    assert tree(cache) == [f"birds/{COMMIT}/a/tit.json", f"birds/{COMMIT}/wren.json"]
    assert (fetched.n_downloaded, fetched.damaged, fetched.unknown) == (2, (), ())
    assert sorted(server.asked) == [f"/{AT}/a/tit.json", f"/{AT}/wren.json"]


def test_what_a_paper_prints_comes_with_pommel(options: FetchOptions) -> None:
    clams = PublishedSource.named("clams")
    clams = replace(clams, licence_file=None)
    fetched = FetchedSource.fetch(clams, only=["tables/*"], options=replace(options, offline=True))
    assert [path.name for path in fetched.files] == ["table1_table2.csv", "cwals.tsv"]
    assert (fetched.n_downloaded, fetched.unknown) == (2, ())


def test_nothing_is_asked_for_twice(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    FetchedSource.fetch(birds, options=options)
    server.asked.clear()
    for offline in (False, True):
        again = FetchedSource.fetch(birds, options=replace(options, offline=offline))
        assert (again.n_downloaded, len(again.files)) == (0, 2)
    assert server.asked == []


def test_only_what_is_missing_is_fetched(
    birds: PublishedSource, server: FileServer, options: FetchOptions
) -> None:
    FetchedSource.fetch(birds, only=["*/tit.json"], options=options)
    assert server.asked == [f"/{AT}/a/tit.json"]
    assert FetchedSource.fetch(birds, options=options).n_downloaded == 1
    assert server.asked == [f"/{AT}/a/tit.json", f"/{AT}/wren.json"]


def test_a_damaged_file_is_fetched_again(birds: PublishedSource, options: FetchOptions) -> None:
    fetched = FetchedSource.fetch(birds, options=options)
    fetched.files[0].write_bytes(b"{}")
    again = FetchedSource.fetch(birds, options=options)
    assert (again.damaged, again.n_downloaded) == (("wren.json",), 1)
    assert again.files[0].read_bytes() == WREN


def test_offline_says_what_is_missing(
    birds: PublishedSource, server: FileServer, options: FetchOptions, cache: Path
) -> None:
    offline = replace(options, offline=True)
    assert failure(birds, offline) == (
        f"birds: 2 files are not in {cache}/birds/{COMMIT} (wren.json, a/tit.json); "
        "run `pommel fetch birds` once without --offline, or set POMMEL_CACHE to where they are"
    )
    assert server.asked == []


def test_offline_a_damaged_file_is_none(
    birds: PublishedSource, options: FetchOptions, cache: Path
) -> None:
    FetchedSource.fetch(birds, options=options).files[0].write_bytes(b"{}")
    said = failure(birds, replace(options, offline=True))
    where = f"1 file is not in {cache}/birds/{COMMIT} (wren.json), or there but damaged (1); "
    assert said.startswith(f"birds: {where}run `pommel fetch birds` once without --offline")


def test_no_network_at_all(options: FetchOptions) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        # Nobody listens there.
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        files = tuple(SourceFile(path=f"{n}.json") for n in range(9))
        source = PublishedSource(
            name="birds", title="", address=address, commit="0123456", files=files
        )
        said = failure(source, replace(options, n_parallel=1))
    assert said.splitlines()[0] == "birds: 9 of 9 files could not be fetched"
    assert re.fullmatch(
        rf"  0\.json: the server cannot be reached: .* \({address}/0\.json\)", said.splitlines()[1]
    )
    # Its other files are not even tried.
    assert said.splitlines()[2:] == [
        "try again when the server can be reached, or name a mirror (--base-url)"
    ]


def test_a_mirror_has_the_files_as_the_cache_has(
    birds: PublishedSource,
    options: FetchOptions,
    monkeypatch: pytest.MonkeyPatch,
    server: FileServer,
) -> None:
    elsewhere = replace(birds, address="https://nowhere.invalid/x")
    FetchedSource.fetch(elsewhere, options=replace(options, base_url=f"{server.address}/"))
    again = replace(options, root=options.root and options.root / "other")
    monkeypatch.setenv("POMMEL_MIRROR", server.address)
    assert FetchedSource.fetch(elsewhere, options=again).n_downloaded == 2


def test_a_mirror_that_is_no_address(birds: PublishedSource, options: FetchOptions) -> None:
    with pytest.raises(UsageError, match=r"^ftp://m.org: a mirror's address begins with https://"):
        FetchedSource.fetch(birds, options=replace(options, base_url="ftp://m.org"))


def test_a_wrong_checksum_is_told_and_nothing_is_kept(
    birds: PublishedSource, server: FileServer, options: FetchOptions, cache: Path
) -> None:
    server.serve(f"{AT}/wren.json", b"cuckoo")
    said = failure(birds, options)
    assert reason(server, said) == (
        f"its SHA-256 is {sha256(b'cuckoo').hexdigest()}, "
        f"by the table it has to be {sha256(WREN).hexdigest()}; it is not kept"
    )
    assert tree(cache) == [f"birds/{COMMIT}/a/tit.json"]
    # To ask again would not help.
    assert server.asked.count(f"/{AT}/wren.json") == 1


def test_without_a_checksum_the_first_download_counts(
    server: FileServer, options: FetchOptions, cache: Path
) -> None:
    source = server.source({"wren.json": None})
    server.serve(f"{AT}/wren.json", WREN)
    fetched = FetchedSource.fetch(source, options=options)
    assert fetched.unknown == ("wren.json",)
    record = cache / ".sha256" / "birds" / COMMIT / "wren.json"
    assert record.read_text() == f"{sha256(WREN).hexdigest()}\n"
    assert FetchedSource.fetch(source, options=replace(options, offline=True)).n_downloaded == 0
    fetched.files[0].unlink()
    server.serve(f"{AT}/wren.json", b"cuckoo")
    assert reason(server, failure(source, options)) == (
        f"its SHA-256 is {sha256(b'cuckoo').hexdigest()}, "
        f"by the first download it has to be {sha256(WREN).hexdigest()}; it is not kept"
    )


def test_several_files_at_once_but_not_too_many(server: FileServer, options: FetchOptions) -> None:
    files = {f"{n}.json": b"%d" % n for n in range(12)}
    for path, content in files.items():
        server.serve(f"{AT}/{path}", Reply(body=content, pause_s=0.02))
    FetchedSource.fetch(server.source(files), options=options)
    assert 2 <= server.most_at_once <= 4


def test_progress_counts_bytes(birds: PublishedSource, options: FetchOptions) -> None:
    told: list[tuple[int, int]] = []
    sizes = {"wren.json": len(WREN), "a/tit.json": len(TIT)}
    sized = replace(birds, files=tuple(replace(f, size=sizes[f.path]) for f in birds.files))
    progress = replace(options, progress=lambda done, total: told.append((done, total)))
    FetchedSource.fetch(sized, options=progress)
    total = len(WREN) + len(TIT)
    assert told[-1] == (total, total)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_cache_that_cannot_be_written(
    birds: PublishedSource, options: FetchOptions, cache: Path
) -> None:
    cache.mkdir()
    (cache / "birds").write_text("in the way")
    with pytest.raises(PommelError) as caught:
        FetchedSource.fetch(birds, options=options)
    assert str(caught.value) == f"{cache}/birds/{COMMIT}: cannot be written: Not a directory"


def test_it_works_where_an_event_loop_runs(birds: PublishedSource, options: FetchOptions) -> None:
    async def notebook() -> int:
        return FetchedSource.fetch(birds, options=options).n_downloaded

    assert asyncio.run(notebook()) == 2


def fetch_in_a_process(source: PublishedSource, root: Path) -> tuple[int, list[bytes]]:
    """Fetch in another process; return what came of it."""
    fetched = FetchedSource.fetch(source, options=FetchOptions(root=root))
    return fetched.n_downloaded, [path.read_bytes() for path in fetched.files]


def test_two_processes_do_not_disturb_each_other(server: FileServer, cache: Path) -> None:
    files = {f"{n}.json": b"%d" % n * 50_000 for n in range(8)}
    for path, content in files.items():
        server.serve(f"{AT}/{path}", Reply(body=content, pause_s=0.01))
    source = server.source({**files, "unknown.json": None})
    server.serve(f"{AT}/unknown.json", WREN)
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        outcomes = pool.starmap(fetch_in_a_process, [(source, cache)] * 2)
    assert [contents for _, contents in outcomes] == [[*files.values(), WREN]] * 2
    assert tree(cache / "birds" / COMMIT) == sorted([*files, "unknown.json"])
