"""A power cut while a command writes: each file is the old one or a new one, and work goes on."""

import os
import random
import shutil
from pathlib import Path

import pytest
from tests.cli.terminal import called
from tests.crashes.commands import WRITING, Folder
from tests.crashes.power_cut import Disk, Image, recording

# A store, and what lies beside it while it is written, is for SQLite to keep whole; a log grows.
KEPT = (".log", ".sqlite", "-wal", "-shm", "-journal")
# A command that was done says so when it is repeated.
DONE = ("already", "no run in the store has such a model")
N_TRIED = 4

pytestmark = pytest.mark.skipif(
    shutil.which("strace") is None and "CI" not in os.environ, reason="needs strace"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder.filled(tmp_path_factory.mktemp("all") / "folder")


@pytest.mark.parametrize("command", WRITING)
def test_a_power_cut_leaves_the_old_or_the_new(
    command: str, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, log = folder.copy(tmp_path / "folder"), tmp_path / "log"
    disk, chance = Disk(place.path), random.Random(command)  # noqa: S311 - no secret
    before = whole(disk.image())
    done = place.ended(command, below=recording(log))
    assert done.returncode == 0, done.stderr
    images = list(disk.images(log, chance))
    assert images
    # Nothing has got past the record.
    after = whole(disk.image())
    assert after == whole(Disk(place.path).image())
    sound = {*before.items(), *after.items(), *disk.moved}
    for call, image in images:
        assert [name for name, found in whole(image).items() if (name, found) not in sound] == [], (
            call
        )
    if command.startswith("leaderboard "):
        # What a change has left is told from tampering, wherever it was cut off.
        for number, (call, image) in enumerate(images):
            write(image, tmp_path / f"left-{number}")
            left = tmp_path / f"left-{number}" / "board"
            assert called(["leaderboard", "verify", left])[0] == 0, call
    monkeypatch.setenv("POMMEL_STORE", "store.sqlite")
    for number, (call, image) in enumerate(chance.sample(images, min(N_TRIED, len(images)))):
        found = Folder(tmp_path / str(number))
        write(image, found.path)
        monkeypatch.chdir(found.path)
        monkeypatch.setenv("HOME", str(found.path))
        # What was cut off is done again, and what it was done with is sound.
        status, _, said = called(found.words(command))
        assert status == 0 or any(each in said for each in DONE), (call, said)
        for reading in ("runs list", "leaderboard verify board"):
            assert called(reading.split())[0] == 0, (call, reading)


def whole(image: Image) -> Image:
    """Return the files that somebody may see: not those that lie aside, nor what grows by lines."""
    return {
        name: content
        for name, content in image.items()
        if not name.endswith(KEPT)
        and not any(each.startswith(".") and each != ".cache" for each in Path(name).parts)
    }


def write(image: Image, folder: Path) -> None:
    """Write files to a new folder."""
    for name, content in {".": None, **image}.items():
        path = folder / name
        (path.parent if content is not None else path).mkdir(parents=True, exist_ok=True)
        if content is not None:
            path.write_bytes(content)
