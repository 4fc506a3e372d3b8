"""`get_predictions.hdf5`: a file out of a container that can write none."""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from tests.models.container.conftest import CommandsOf

from pommel.errors import ContainerError, InputError, PommelError, UnsupportedFeatureError
from pommel.models.container import predictions
from pommel.models.container.predictions import PredictionsFile

WHAT = "local://toy: get_predictions.hdf5: "


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of the test's own for what is written to /tmp in a container."""
    path = tmp_path / "inside.hdf5"
    command = (*predictions.COMMAND[:-1], str(path))
    monkeypatch.setattr(predictions, "COMMAND", command)
    return path


def test_the_file_comes_out(commands: CommandsOf, tmp_path: Path) -> None:
    path = tmp_path / "new" / "out.hdf5"
    commands().write_predictions(["The cat", "é"], path)
    assert path.read_bytes() == b"\x89HDF\r\n\x1a\n" + "The cat\né\n".encode()
    assert [each.name for each in path.parent.iterdir()] == ["out.hdf5"]


def test_a_large_file(commands: CommandsOf, tmp_path: Path) -> None:
    script = 'open(sys.argv[2], "wb").write(b"\\x89HDF\\r\\n\\x1a\\n" + bytes(20_000_000))\n'
    commands(get_predictions=script).write_predictions(["a"], tmp_path / "out")
    assert (tmp_path / "out").stat().st_size == 20_000_008


def test_a_pipe_is_written_to(commands: CommandsOf, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    commands().write_predictions(["a"], pipe)
    reader.join()
    assert found == [b"\x89HDF\r\n\x1a\na\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_stays_a_link(commands: CommandsOf, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    commands().write_predictions(["a"], tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"\x89HDF\r\n\x1a\na\n"


def test_a_failure_leaves_what_was_there(commands: CommandsOf, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("before")
    half = 'open(sys.argv[2], "wb").write(b"\\x89HDF")\nprint("no")\nsys.exit(4)\n'
    with pytest.raises(ContainerError) as caught:
        commands(get_predictions=half).write_predictions(["a"], path)
    assert str(caught.value) == WHAT + (
        "it ended with exit status 4; the last it wrote to standard error:\n    no"
    )
    assert path.read_text() == "before"
    assert sorted(each.name for each in tmp_path.iterdir() if each.is_file()) == [
        "inside.hdf5",
        "out",
    ]


def test_99_is_a_feature_that_is_not_there(commands: CommandsOf, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFeatureError):
        commands(get_predictions="sys.exit(99)\n").write_predictions(["a"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", ["", "x", "sentence_id"])
def test_what_is_no_hdf5(commands: CommandsOf, tmp_path: Path, content: str) -> None:
    image = commands(get_predictions=f'open(sys.argv[2], "w").write({content!r})\n')
    with pytest.raises(ContainerError) as caught:
        image.write_predictions(["a"], tmp_path / "out")
    assert str(caught.value) == WHAT + "what it has written is no HDF5 file"
    assert not (tmp_path / "out").exists()


def test_where_nothing_can_be_written(commands: CommandsOf, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PommelError, match="cannot be written"):
        commands().write_predictions(["a"], tmp_path / "file" / "out")


SECRET = "sentence/0/tokens"


def virtual(file: h5py.File, source: str) -> None:
    layout = h5py.VirtualLayout(shape=(3,), dtype="i8")
    layout[:] = h5py.VirtualSource(source, "secret", shape=(3,))
    file.create_virtual_dataset(SECRET, layout)


def nested(file: h5py.File) -> None:
    group = file
    for _ in range(10):
        group = group.create_group("a")


def looping(file: h5py.File) -> None:
    file.create_group("sentence/0")
    file["sentence/0/again"] = file["sentence"]


def with_many(file: h5py.File) -> None:
    for number in range(1100):
        file.create_group(f"x{number}")


def sharing(file: h5py.File) -> None:
    """Let a million words share one of 100 kB."""
    words = file.create_dataset("words", (1_000_000,), h5py.string_dtype(), chunks=(1000,))
    words[0] = "x" * 100_000
    raw = words.id.read_direct_chunk((0,))[1]
    for start in range(0, 1_000_000, 1000):
        words.id.write_direct_chunk((start,), raw[:16] * 1000)


def huge(name: str, kind: Any) -> Callable[[h5py.File], object]:
    return lambda file: file.create_dataset(name, (10**13,), kind, chunks=(1000,))


LINK = "is a link, and not what it stands for"
HOSTILE: list[tuple[str, Callable[[h5py.File, str], object], str]] = [
    (
        "external",
        lambda file, other: file.create_dataset(SECRET, (3,), "i8", external=[(other, 0, 24)]),
        "'/sentence/0/tokens' is kept in other files",
    ),
    ("virtual", virtual, "'/sentence/0/tokens' is kept in other files"),
    (
        "external link",
        lambda file, other: file.__setitem__(SECRET, h5py.ExternalLink(other, "/secret")),
        f"'/sentence/0/tokens' {LINK}",
    ),
    (
        "soft link",
        lambda file, _: file.__setitem__("vocabulary", h5py.SoftLink("/sentence")),
        f"'/vocabulary' {LINK}",
    ),
    (
        "external link to all",
        lambda file, other: file.__setitem__("extra", h5py.ExternalLink(other, "/")),
        f"'/extra' {LINK}",
    ),
    (
        "huge vocabulary",
        lambda file, _: huge("vocabulary", "S8")(file),
        "'/vocabulary' claims to be bigger than the file: it has the shape (10000000000000,)",
    ),
    (
        "huge words",
        lambda file, _: huge("vocabulary", h5py.string_dtype())(file),
        "'/vocabulary' claims to be bigger than the file: it has the shape (10000000000000,)",
    ),
    (
        "huge numbers",
        lambda file, _: huge(SECRET, "f4")(file),
        (
            "'/sentence/0/tokens' claims to be bigger than the file: "
            "it has the shape (10000000000000,)"
        ),
    ),
    ("shared words", lambda file, _: sharing(file), "'/words' claims to be bigger than the file"),
    (
        "references",
        lambda file, _: file.create_dataset("r", (3,), h5py.ref_dtype),
        "'/r' holds neither numbers nor words",
    ),
    (
        "nothing",
        lambda file, _: file.__setitem__("null", h5py.Empty("f4")),
        "'/null' holds neither numbers nor words",
    ),
    (
        "nested",
        lambda file, _: nested(file),
        "there is more in the file than predictions, at '/a/a/a/a/a/a/a/a/a'",
    ),
    (
        "looping",
        lambda file, _: looping(file),
        (
            "there is more in the file than predictions, at "
            "'/sentence/0/again/0/again/0/again/0/again'"
        ),
    ),
    (
        "many",
        lambda file, _: with_many(file),
        "there is more in the file than predictions, at '/x918'",
    ),
]


@pytest.mark.parametrize(
    ("make", "message"), [pytest.param(*each[1:], id=each[0]) for each in HOSTILE]
)
def test_hostile_files(
    tmp_path: Path, make: Callable[[h5py.File, str], object], message: str
) -> None:
    other = tmp_path / "secret.hdf5"
    with h5py.File(other, "w") as file:
        file["secret"] = np.arange(3)
    path = tmp_path / "predictions.hdf5"
    with h5py.File(path, "w") as file:
        make(file, str(other))
    with pytest.raises(InputError) as caught:
        PredictionsFile(path, n_sentences=1)
    assert str(caught.value) == message


def test_a_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "predictions.hdf5"
    with h5py.File(path, "w") as file:
        file["sentence/0/predictions"] = np.zeros((100, 100))
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], b"\x89HDF\r\n\x1a\n and nothing else"):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=r"^the file cannot be read: "):
            PredictionsFile(path, n_sentences=1)


@pytest.mark.parametrize("words", [np.array([b"a", "é".encode()]), ["a", "é"]])
@pytest.mark.parametrize("settings", [{}, {"compression": "gzip"}])
def test_what_is_right(tmp_path: Path, words: Any, settings: dict[str, str]) -> None:
    path = tmp_path / "predictions.hdf5"
    with h5py.File(path, "w") as file:
        file["vocabulary"] = words
        for number in range(11):
            file.create_dataset(f"sentence/{number}/tokens", data=np.arange(3), **settings)
    with PredictionsFile(path, n_sentences=11) as file:
        assert file.sentence_names() == [str(number) for number in range(11)]
        assert file.words("vocabulary") == ["a", "é"]
        assert file.numbers("sentence/10/tokens", "float64").tolist() == [0.0, 1.0, 2.0]


def test_what_is_not_there_or_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "predictions.hdf5"
    with h5py.File(path, "w") as file:
        file["sentence"] = np.arange(3)
        file["vocabulary"] = np.array([[b"a"]])
        file["words"] = np.array([b"\xff"])
    with PredictionsFile(path, n_sentences=1) as file:
        for read in (
            file.sentence_names,
            lambda: file.numbers("vocabulary", "float64"),
            lambda: file.words("words"),
            lambda: file.words("nothing"),
        ):
            with pytest.raises(InputError, match=r"^the file cannot be read: "):
                read()
        with pytest.raises(InputError) as caught:
            file.words("vocabulary")
        assert str(caught.value) == "/vocabulary has the shape (1, 1)"
