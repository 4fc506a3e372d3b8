"""Where this user's cache and store are."""

import sys
from pathlib import Path
from typing import Literal

import pytest
from tests.posix import POSIX_ONLY

from pommel.files import own_path

HOME = Path.home()


@POSIX_ONLY
@pytest.mark.parametrize(
    ("platform", "environment", "cache", "store"),
    [
        ("linux", {}, HOME / ".cache/pommel", HOME / ".local/share/pommel/store.sqlite"),
        (
            "linux",
            {"XDG_CACHE_HOME": "/fast", "XDG_DATA_HOME": "/big"},
            Path("/fast/pommel"),
            Path("/big/pommel/store.sqlite"),
        ),
        (
            "linux",
            {"XDG_CACHE_HOME": "relative", "XDG_DATA_HOME": "relative"},
            HOME / ".cache/pommel",
            HOME / ".local/share/pommel/store.sqlite",
        ),
        (
            "darwin",
            {"XDG_CACHE_HOME": "/fast", "XDG_DATA_HOME": "/big"},
            HOME / "Library/Caches/pommel",
            HOME / "Library/Application Support/pommel/store.sqlite",
        ),
        (
            "win32",
            {"LOCALAPPDATA": "/local"},
            Path("/local/pommel/Cache"),
            Path("/local/pommel/store.sqlite"),
        ),
        (
            "win32",
            {},
            HOME / "AppData/Local/pommel/Cache",
            HOME / "AppData/Local/pommel/store.sqlite",
        ),
        (
            "linux",
            {"POMMEL_CACHE": "/mine", "POMMEL_STORE": "/kept", "XDG_CACHE_HOME": "/fast"},
            Path("/mine"),
            Path("/kept"),
        ),
        ("win32", {"POMMEL_CACHE": "~/a", "POMMEL_STORE": "~/b"}, HOME / "a", HOME / "b"),
    ],
)
def test_where_a_users_own_files_are(
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    environment: dict[str, str],
    cache: Path,
    store: Path,
) -> None:
    for name in ("POMMEL_CACHE", "POMMEL_STORE", "LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    wanted: dict[Literal["cache", "store"], Path] = {"cache": cache, "store": store}
    assert {what: own_path(what) for what in wanted} == wanted
