"""Short names: what ships with pommel, and the user's own copy."""

import json
from pathlib import Path
from typing import Any

import pytest

from pommel.errors import InputError, ModelNotAvailableError
from pommel.models.container.names import LmZooRegistry


@pytest.fixture(autouse=True)
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the user's copy would be; it is not there."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path / "pommel" / "lm_zoo_registry.json"


def write(copy: Path, registry: Any) -> None:
    copy.parent.mkdir()
    copy.write_text(registry if isinstance(registry, str) else json.dumps(registry), "utf-8")


def test_every_published_name_is_an_image() -> None:
    names = list(LmZooRegistry.installed())
    assert len(names) == 7
    assert [LmZooRegistry.installed().image_reference(name) for name in names] == [
        f"docker://cpllab/language-models:{name.lower()}" for name in names
    ]


def test_a_name_that_is_none() -> None:
    with pytest.raises(ModelNotAvailableError) as caught:
        LmZooRegistry.installed().image_reference("GRN")
    known = ", ".join(LmZooRegistry.installed())
    assert str(caught.value) == (
        "there is no image 'GRN' in the registry (did you mean GRNN?); "
        f"it is one of {known}, or write docker://NAME:TAG"
    )


def test_the_users_copy_goes_first(copy: Path) -> None:
    registry = dict(LmZooRegistry.installed())
    mine = {**registry["GRNN"], "shortname": "mine"}
    mine["image"] = {**mine["image"], "registry": "ghcr.io", "name": "me/mine", "tag": "2"}
    write(copy, {"mine": mine})
    assert LmZooRegistry.copy_path() == copy
    assert list(LmZooRegistry.installed()) == ["mine"]
    assert LmZooRegistry.installed().image_reference("mine") == "docker://ghcr.io/me/mine:2"


def test_where_the_copy_is_without_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert LmZooRegistry.copy_path() == Path(
        "/home/someone/.local/share/pommel/lm_zoo_registry.json"
    )


@pytest.mark.parametrize("content", ["[", '{"GRNN": {"shortname": "GRNN"}}', "[]", '"\xff'])
def test_a_broken_copy(copy: Path, content: str) -> None:
    write(copy, content)
    if content.startswith('"'):
        copy.write_bytes(b"\xff")
    with pytest.raises(InputError) as caught:
        LmZooRegistry.installed()
    assert str(caught.value).startswith(str(copy))
    assert str(caught.value).endswith("; mend this file, or delete it")
