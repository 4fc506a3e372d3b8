"""What was killed leaves nothing behind for long, and nobody at work is disturbed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.sources.fetch.birds import AT, TIT, WREN
from tests.sources.fetch.server import COMMIT, FileServer, Reply, tree

from pommel.sources.fetch.fetching import FetchedSource, FetchOptions
from pommel.sources.fetch.source import PublishedSource, without_leftovers

FILES = [f"birds/{COMMIT}/a/tit.json", f"birds/{COMMIT}/wren.json"]


def leave(cache: Path) -> None:
    """Lay what a killed process leaves into a cache: files, and a folder with an archive."""
    birds = cache / "birds" / COMMIT
    record = cache / ".sha256" / "birds" / COMMIT / ".wren.json.x1y2.part"
    for path in (birds / "a" / ".tit.json.abcd.part", birds / ".efgh.part" / "0", record):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")


def test_a_fetch_removes_what_is_left_over(
    birds: PublishedSource, options: FetchOptions, cache: Path
) -> None:
    leave(cache)
    FetchedSource.fetch(birds, options=options)
    assert tree(cache) == FILES
    # A fetch of what is there already does so, too.
    leave(cache)
    FetchedSource.fetch(birds, options=options)
    assert tree(cache) == FILES
    assert not (cache / "birds" / COMMIT / ".efgh.part").exists()


def test_what_somebody_is_at_work_on_stays(
    birds: PublishedSource, options: FetchOptions, cache: Path
) -> None:
    leave(cache)
    half = [path for path in tree(cache) if ".part" in path]
    folder = str(cache / "birds" / COMMIT)
    # The lock of another process, shared as by a fetch that is under way.
    hold = "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_SH)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{hold}; print(flush=True); input()", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        FetchedSource.fetch(birds, options=options)
        assert tree(cache) == sorted([*half, *FILES])
        other.kill()
    FetchedSource.fetch(birds, options=options)
    assert tree(cache) == FILES


def test_without_locks_an_hour_has_to_pass(
    birds: PublishedSource,
    options: FetchOptions,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    leave(cache)
    old = cache / "birds" / COMMIT / "a" / ".tit.json.abcd.part"
    os.utime(old, times=(time.time() - 3700, time.time() - 3700))
    FetchedSource.fetch(birds, options=options)
    assert [path for path in tree(cache) if ".part" in path] == [
        f".sha256/birds/{COMMIT}/.wren.json.x1y2.part",
        f"birds/{COMMIT}/.efgh.part/0",
    ]


def test_there_need_be_no_folder(tmp_path: Path) -> None:
    with without_leftovers(tmp_path / "none", [tmp_path / "neither"]):
        pass
    assert tree(tmp_path) == []


def test_a_killed_process_leaves_nothing_for_the_next(
    server: FileServer, options: FetchOptions, cache: Path
) -> None:
    source = server.source({"wren.json": WREN, "a/tit.json": TIT})
    server.serve(f"{AT}/a/tit.json", TIT)
    server.serve(f"{AT}/wren.json", Reply(body=WREN, drip_s=5))
    code = (
        "import sys; from pathlib import Path; from pommel.sources.fetch.fetching import *;"
        "from pommel.sources.fetch.source import *;"
        "files = tuple(SourceFile(path=path) for path in ('wren.json', 'a/tit.json'));"
        "source = PublishedSource(name='birds', title='', commit=sys.argv[1], address=sys.argv[2],"
        "files=files); FetchedSource.fetch(source, options=FetchOptions(root=Path(sys.argv[3])))"
    )
    runner = str(Path(__file__).resolve().parents[3] / "runner")
    command = [sys.executable, "-c", code, COMMIT, source.address, str(cache)]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": runner}) as process:
        folder = cache / "birds" / COMMIT
        give_up = time.monotonic() + 60
        while not ((folder / "a" / "tit.json").exists() and list(folder.glob(".wren*.part"))):
            assert process.poll() is None
            assert time.monotonic() < give_up
            time.sleep(0.01)
        process.kill()
    assert list(folder.glob(".wren*.part"))
    server.serve(f"{AT}/wren.json", WREN)
    fetched = FetchedSource.fetch(source, options=options)
    assert fetched.n_downloaded == 1
    assert [path for path in tree(cache) if not path.startswith(".sha256/")] == FILES
