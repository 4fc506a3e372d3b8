"""What can be fetched, the table `sources.json` as values, and where what was fetched is kept.

A source is somebody's repository at one commit, and the files in it that are wanted. What is known
of a file beforehand (its SHA-256, its size) stands in the table; None is what nobody has told us.

    FOLDER/NAME/COMMIT/PATH            the files
    FOLDER/.sha256/NAME/COMMIT/PATH    the SHA-256 of a file that the table has none for

The first part of the cache is what a mirror looks like: a web server on FOLDER is one.
"""

import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Collection
from dataclasses import field
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pommel.errors import InputError, UsageError, nearest
from pommel.files import Waiting, own_path, sha256_of, write_text
from pommel.values import frozen

# As `pommel.files.text.replacing` calls what it has begun.
_PARTS = ".*.part"
# Far longer than a server may be silent.
_ABANDONED_SECONDS = 3600.0


@frozen
class SourceFile:
    """A file: `path` below the source's folder, with slashes; SHA-256 in hexadecimal; bytes.

    One that is `shipped` comes with pommel: a table of numbers that a paper prints and no address
    has.
    """

    path: str
    sha256: str | None = None
    size: int | None = None
    shipped: bool = False


@frozen
class PublishedSource:
    """Data that somebody has published.

    `licence` is its SPDX identifier, None if no licence is known; `licence_file` the path of the
    file that states it, None if its page does. `address` is what stands before every path, `commit`
    what the address is of. `note` is what else has to be known before the data is used.
    """

    name: str
    title: str
    address: str
    commit: str
    languages: tuple[str, ...] = ()
    licence: str | None = None
    licence_file: str | None = None
    note: str | None = None
    citation: str = ""
    homepage: str = ""
    repository: str = ""
    files: tuple[SourceFile, ...] = ()

    @staticmethod
    @cache
    def known() -> "tuple[PublishedSource, ...]":
        """Return the table of sources, in its order."""
        table = files("pommel.sources.fetch").joinpath("sources.json").read_text("utf-8")
        return tuple(
            PublishedSource(
                **{
                    **value,
                    "languages": tuple(value["languages"]),
                    "citation": "".join(f"{line}\n" for line in value["citation"]),
                    "files": tuple(SourceFile(**each) for each in value["files"]),
                }
            )
            for value in json.loads(table)
        )

    @classmethod
    def named(cls, name: str) -> "PublishedSource":
        """Return the source of that name; raises `UsageError`, with the nearest name there is."""
        by_name = {source.name: source for source in cls.known()}
        if name not in by_name:
            meant = nearest(name.lower(), by_name)
            hint = f"did you mean {meant}? " if meant else ""
            shown = "`pommel fetch --list` shows them all"
            raise UsageError(f"there is no source {name!r}; {hint}{shown}")
        return by_name[name]

    @property
    def unlicensed(self) -> str:
        """What has to be said of data without a licence; nothing if there is one."""
        if self.licence is not None:
            return ""
        return (
            f"{self.name}: no licence is known. Nobody may pass these files on, changed or not, "
            "without leave of their authors; use them for your own research only, and cite them."
        )

    def cache(self, root: Path | None = None) -> "SourceCache":
        """Return where its files are kept; `root` is the cache, by default this machine's."""
        return SourceCache(root=root or own_path("cache"), source=self)

    def shipped_content(self, file: SourceFile) -> bytes:
        """Return the bytes of a file that comes with pommel."""
        folder = files("pommel.sources.fetch").joinpath("tables")
        return folder.joinpath(self.name, file.path.removeprefix("tables/")).read_bytes()

    def chosen(self, patterns: Collection[str]) -> tuple[SourceFile, ...]:
        """Return the files whose paths match one of the patterns (`*.json`), all if there are none.

        The file with the licence is always among them, unless all are shipped: these are tables of
        pommel's own. Raises `UsageError` for a pattern that matches nothing.
        """
        if not patterns:
            return self.files
        wanted: set[str] = set()
        for pattern in patterns:
            matching = {file.path for file in self.files if fnmatchcase(file.path, pattern)}
            if not matching:
                first = f"its first is {self.files[0].path!r}"
                raise UsageError(f"{self.name} has no file that matches {pattern!r}; {first}")
            wanted |= matching
        if self.licence_file and not all(
            file.shipped for file in self.files if file.path in wanted
        ):
            wanted.add(self.licence_file)
        return tuple(file for file in self.files if file.path in wanted)


@frozen
class FetchOptions:
    """How a source is fetched.

    `base_url` is a mirror, by default what POMMEL_MIRROR says, or none. `offline` touches no
    network. `root` is the folder of the cache, by default that of this machine. A server may be
    silent for `timeout_seconds`, and a file take `longest_seconds`. No file may be bigger than
    `max_bytes`, nor than its own size where that is known. `progress` is called with the bytes that
    have come so far, and all there are (0: unknown).
    """

    base_url: str | None = None
    offline: bool = False
    root: Path | None = None
    progress: Callable[[int, int], None] = lambda _done, _total: None
    n_parallel: int = 4
    n_retries: int = 4
    n_redirects: int = 10
    timeout_seconds: float = 30.0
    longest_seconds: float = 3600.0
    max_bytes: int = 1 << 29
    waiting: Waiting = field(default_factory=Waiting)

    @property
    def mirror(self) -> str | None:
        """The mirror that is asked instead of the address where files were published."""
        return self.base_url or os.environ.get("POMMEL_MIRROR") or None


State = Literal["there", "missing", "damaged"]


@frozen
class SourceCache:
    """The place of one source in the cache."""

    root: Path
    source: PublishedSource

    @property
    def folder(self) -> Path:
        """The folder that a source's paths begin in."""
        return self.root / self.source.name / self.source.commit

    @property
    def records(self) -> Path:
        """The folder of checksums that the table does not have."""
        return self.root / ".sha256" / self.source.name / self.source.commit

    def path(self, file: SourceFile) -> Path:
        """Return where a file lies, or would."""
        return self.folder / file.path

    def expected_sha256(self, file: SourceFile) -> str | None:
        """Return the checksum from the table, else that of the first download; None before one."""
        if file.sha256 is not None:
            return file.sha256
        try:
            recorded = self._record(file).read_text("ascii").strip()
        except (OSError, UnicodeDecodeError):
            return None
        # A damaged record is none.
        return recorded if re.fullmatch(r"[0-9a-f]{64}", recorded) else None

    def remember(self, file: SourceFile, sha256: str) -> None:
        """Keep the checksum of a first download; raises `PommelError` if that is not possible."""
        if self.expected_sha256(file) is None:
            write_text(self._record(file), f"{sha256}\n")

    def state(self, file: SourceFile) -> State:
        """Return what there is of a file; all of it is read.

        A file whose checksum nobody knows counts as missing: an interrupted download can have left
        anything.
        """
        expected = self.expected_sha256(file)
        if expected is None or not self.path(file).is_file():
            return "missing"
        try:
            return "there" if sha256_of(self.path(file)) == expected else "damaged"
        except InputError:
            return "damaged"

    def n_kept(self) -> int:
        """Return how many of the source's files are there, without reading them."""
        return sum(self.path(file).is_file() for file in self.source.files)

    def _record(self, file: SourceFile) -> Path:
        return self.records / file.path


def remove_leftovers(*folders: Path) -> None:
    """Remove what downloads that were killed have left: what nobody has written to for an hour.

    What cannot be removed stays.
    """
    latest = time.time() - _ABANDONED_SECONDS
    for part in [part for folder in folders for part in folder.rglob(_PARTS)]:
        with contextlib.suppress(OSError):
            if part.lstat().st_mtime < latest:
                part.unlink()
