"""Weights from outside: are they there, will a container see them, and which ones are they?"""

from pathlib import Path

import pytest

from pommel.errors import ModelNotAvailableError
from pommel.models.container.checkpoint import (
    check_checkpoint,
    check_readable,
    contents_hash,
)


def folder(parent: Path, **files: str) -> Path:
    for name, content in files.items():
        path = parent / name.replace("_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return parent


def refusal(path: Path) -> str:
    """Return what is said of a checkpoint that cannot be used."""
    with pytest.raises(ModelNotAvailableError) as caught:
        check_checkpoint(path)
    assert caught.value.exit_status == 4
    head, _, rest = str(caught.value).partition(f"--checkpoint {path}: ")
    assert head == ""
    return rest


def test_what_is_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "x") == "there is no such file or folder"


def test_a_file_or_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(tmp_path / "c", weights="1")
    monkeypatch.chdir(tmp_path)
    assert check_checkpoint(Path("c")) == tmp_path / "c"
    assert check_checkpoint(Path("c/weights")) == tmp_path / "c" / "weights"


def test_a_user_that_there_is_not() -> None:
    message = "there is no home folder of ~pommel-nobody"
    assert refusal(Path("~pommel-nobody/x")) == message


def test_links_that_lead_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert refusal(tmp_path / "a") == "this link leads in a circle"
    message = refusal(tmp_path)
    assert message in {f"{name}: this link leads in a circle; remove it" for name in "ab"}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("file/x", "there is no such file or folder"),
        ("x" * 300, "File name too long"),
        ("x\0", "embedded null byte"),
    ],
)
def test_what_cannot_be_reached(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file").touch()
    assert refusal(tmp_path / name) == reason


def test_a_link_to_nothing_is_harmless(tmp_path: Path) -> None:
    inside = folder(tmp_path / "c", weights="1")
    (inside / "old").symlink_to("gone")
    assert check_checkpoint(inside) == inside


def test_links_inside_and_outside(tmp_path: Path) -> None:
    inside = folder(tmp_path / "c", weights="1")
    (inside / "again").symlink_to("weights")
    assert check_checkpoint(inside) == inside
    # The cache of the Hugging Face hub looks like this.
    folder(tmp_path, blob="2")
    (inside / "model").symlink_to("../blob")
    assert refusal(inside) == (
        "model is a link that leads out of it, where a container sees nothing; copy what it leads "
        f"to: cp -rL {inside} FOLDER"
    )


def test_the_hash_is_that_of_names_and_contents(tmp_path: Path) -> None:
    first = contents_hash(folder(tmp_path / "a", w="1", sub_v="2"))
    assert contents_hash(folder(tmp_path / "b", sub_v="2", w="1")) == first
    different = [
        contents_hash(folder(tmp_path / "c", w="1", sub_v="3")),
        contents_hash(folder(tmp_path / "d", w="1", sub_u="2")),
        contents_hash(folder(tmp_path / "e", w="12", sub_v="")),
        contents_hash(folder(tmp_path / "f", w="1")),
        contents_hash(folder(tmp_path / "f") / "w"),
    ]
    assert len({first, *different}) == 6


def test_what_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(tmp_path / "a", w="1")
    monkeypatch.setattr(Path, "open", _refuse)
    with pytest.raises(ModelNotAvailableError) as caught:
        contents_hash(path)
    assert str(caught.value) == f"--checkpoint {path}/w: Permission denied"


def _refuse(path: Path, _mode: str) -> None:
    # Root may read everything, so that a file's mode would not do.
    raise PermissionError(13, "Permission denied", str(path))


def test_weights_that_only_their_owner_can_read(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir(mode=0o755)
    weights = folder / "weights"
    weights.write_text("")
    weights.chmod(0o600)
    with pytest.raises(ModelNotAvailableError) as caught:
        check_readable(folder, "65534:65534")
    assert str(caught.value) == (
        f"--checkpoint {folder}: in the container, user 65534:65534 cannot read weights; "
        f"chmod -R a+rX {folder}, or --sandbox user=UID:GID"
    )
    stat = weights.stat()
    check_readable(folder, f"{stat.st_uid}:{stat.st_gid}")
    check_readable(folder, "0:0")
    weights.chmod(0o644)
    check_readable(folder, "65534:65534")
    folder.chmod(0o750)
    with pytest.raises(ModelNotAvailableError, match="cannot read model;"):
        check_readable(folder, "65534:65534")
