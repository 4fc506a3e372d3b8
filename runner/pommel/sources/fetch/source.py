"""What can be fetched: the table `sources.json`, as values.

A source is somebody's repository at one commit, and the files in it that are wanted. What is known
of a file beforehand (its SHA-256, its size) stands in the table; None is what nobody has told us.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pommel.errors import UsageError, nearest

ArchiveKind = Literal["zip", "tar", "tar.gz"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file: `path` below the source's folder, with slashes; SHA-256 in hexadecimal; bytes."""

    path: str
    sha256: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """A packed file at `path`, and which of its members become which files."""

    path: str
    kind: ArchiveKind
    members: Mapping[str, SourceFile]
    sha256: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSource:
    """Data that somebody has published.

    `licence` is its SPDX identifier, None if no licence is known; `licence_file` the path of the
    file that states it. `address` is what stands before every path, `commit` what the address is
    of. `note` is what else has to be known before the data is used.
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
    archives: tuple[Archive, ...] = ()

    @property
    def every_file(self) -> tuple[SourceFile, ...]:
        """The files as they lie in the end, those out of archives among them."""
        packed = (file for archive in self.archives for file in archive.members.values())
        return (*self.files, *packed)

    def chosen(self, patterns: Collection[str]) -> tuple[SourceFile, ...]:
        """Return the files whose paths match one of the patterns (`*.json`), all if there are none.

        The file with the licence is always among them. Raises `UsageError` for a pattern that
        matches nothing.
        """
        if not patterns:
            return self.every_file
        for pattern in patterns:
            if not any(fnmatchcase(file.path, pattern) for file in self.every_file):
                raise UsageError(
                    f"{self.name} has no file that matches {pattern!r}; "
                    f"its first is {self.every_file[0].path!r}"
                )
        return tuple(
            file
            for file in self.every_file
            if file.path == self.licence_file
            or any(fnmatchcase(file.path, pattern) for pattern in patterns)
        )


@cache
def known_sources() -> tuple[PublishedSource, ...]:
    """Return the table of sources, in its order."""
    text = files("pommel.sources.fetch").joinpath("sources.json").read_text("utf-8")
    return tuple(source_from_dict(value) for value in json.loads(text))


def find_source(name: str) -> PublishedSource:
    """Return the source of that name; raises `UsageError`, with the nearest name there is."""
    by_name = {source.name: source for source in known_sources()}
    if name not in by_name:
        meant = nearest(name.lower(), by_name)
        hint = f"did you mean {meant}? " if meant else ""
        raise UsageError(f"there is no source {name!r}; {hint}`pommel fetch --list` shows them all")
    return by_name[name]


def source_from_dict(value: Mapping[str, Any]) -> PublishedSource:
    """Return the source that an entry of the table describes."""
    fields = dict(value)
    return PublishedSource(
        **{
            **fields,
            "languages": tuple(fields.get("languages", ())),
            "citation": _lines(fields.get("citation", ())),
            "files": tuple(SourceFile(**each) for each in fields.get("files", ())),
            "archives": tuple(_archive(each) for each in fields.get("archives", ())),
        }
    )


def _archive(value: Mapping[str, Any]) -> Archive:
    members = {each["member"]: _member(each) for each in value["members"]}
    return Archive(**{**value, "members": members})


def _member(value: Mapping[str, Any]) -> SourceFile:
    path = value.get("path", value["member"])
    return SourceFile(path=path, sha256=value.get("sha256"), size=value.get("size"))


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
