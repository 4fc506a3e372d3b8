"""`new_image`: a folder from the template."""

import os
import subprocess
from pathlib import Path

import pytest

from pommel.errors import PommelError, UsageError
from pommel.files.shipped import shipped_folder
from pommel.images.new import new_image


def test_the_folder_has_all_of_the_template(tmp_path: Path) -> None:
    folder = new_image("my-bigrams", tmp_path)
    assert folder == tmp_path / "my-bigrams"
    assert _names(folder) == _names(shipped_folder("image_sources") / "template")
    # Nothing else, not even of what it was made in.
    assert [each.name for each in tmp_path.iterdir()] == ["my-bigrams"]


def test_the_name_is_put_where_it_belongs(tmp_path: Path) -> None:
    folder = new_image("my-bigrams", tmp_path)
    assert 'name = "my-bigrams"' in (folder / "model.py").read_text("utf-8")
    assert 'image.title="my-bigrams"' in (folder / "Dockerfile").read_text("utf-8")
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_text("utf-8")
            assert '"template"' not in text
            assert "my-model" not in text


def test_the_commands_run(tmp_path: Path) -> None:
    folder = new_image("my-bigrams", tmp_path / "made" / "for" / "it")
    for script in (folder / "bin").iterdir():
        assert os.access(script, os.X_OK)
    done = subprocess.run(
        [folder / "bin" / "tokenize", "/dev/stdin"],
        input="Yes .\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(" . </s>\n")


def test_others_may_read_it(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        folder = new_image("my-bigrams", tmp_path)
    finally:
        os.umask(mask)
    assert folder.stat().st_mode & 0o777 == 0o755
    assert (folder / "model.py").stat().st_mode & 0o777 == 0o644
    assert (folder / "bin" / "spec").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_nothing_is_overwritten(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "my-bigrams")
    with pytest.raises(PommelError) as raised:
        new_image("my-bigrams", tmp_path)
    assert str(raised.value) == (
        f"{tmp_path}/my-bigrams: it is there already, and nothing is overwritten"
    )
    assert raised.value.exit_status == 1
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "name", ["My-Model", "", "a b", "../a", "a/b", "-a", "a-", "a..b", "ä", "a" * 65]
)
def test_a_name_that_no_image_can_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError) as raised:
        new_image(name, tmp_path)
    assert str(raised.value) == (
        f"an image cannot be called {name!r}; write small letters and digits, with single dots, "
        "dashes or underscores between them, 64 at most"
    )


def test_a_name_that_is_taken(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        new_image("ngram", tmp_path)
    assert str(raised.value) == ("'ngram' is an image that ships with pommel; choose another name")


def test_a_place_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PommelError) as raised:
        new_image("my-bigrams", tmp_path / "file")
    assert str(raised.value) == f"{tmp_path}/file/my-bigrams: cannot be written: File exists"


def _names(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
