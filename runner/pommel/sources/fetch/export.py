"""Copying what was fetched to a folder, with all that whoever gets it has to know."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from pommel.errors import PommelError, UsageError, counted, listed
from pommel.files.json import to_json
from pommel.files.writing import replacing, sha256_of
from pommel.sources.fetch.fetching import FetchedSource
from pommel.sources.fetch.source import PublishedSource

LICENSE_NAME = "LICENSE.txt"
# Its text is JSON; a folder of suites is read for all files that end so.
SOURCE_NAME = "SOURCE.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFile:
    """What was made of one of a source's files, and the path of that file."""

    content: bytes
    made_of: str


def export(
    fetched: FetchedSource,
    folder: Path,
    *,
    made: Mapping[str, MadeFile] | None = None,
    force: bool = False,
) -> tuple[Path, ...]:
    """Copy the files into `folder`, with their licence and SOURCE.txt; return all paths.

    The licence is in LICENSE.txt, unless a file of that kind is among the files. With `made`, those
    files are written instead, by their paths. A SOURCE.txt of the same source and commit is
    continued: it lists all files of the source that are there. Where another file lies already,
    nothing is written unless `force` says so: raises `UsageError`. Raises `PommelError` if
    something cannot be read or written.
    """
    contents = _contents(fetched, made)
    entries = _entries(fetched, made)
    known = _continued(fetched.source, folder)
    if known is not None:
        entries = [*_still_there(known, entries, folder), *entries]
    contents[SOURCE_NAME] = to_json(_description(fetched.source, known, entries), indent=2).encode()
    different = [
        path
        for path, content in contents.items()
        if (folder / path).exists()
        and _is_other(folder / path, content)
        and not (path == SOURCE_NAME and known is not None)
    ]
    if different and not force:
        raise UsageError(
            f"{folder}: {counted(len(different), 'file')} there would be overwritten by another "
            f"({listed(different)}); choose another folder, or add --force"
        )
    for path, content in contents.items():
        with replacing(folder / path) as aside:
            aside.write_bytes(content)
    return tuple(folder / path for path in contents)


def licence_text(fetched: FetchedSource) -> str:
    """Return what LICENSE.txt says: the licence itself if it is among the files, or its name."""
    source = fetched.source
    if source.licence is None:
        return f"{unlicensed(source)}\n\n{source.homepage}\n"
    own = fetched.folder / (source.licence_file or "")
    if _is_licence(source) and own.is_file():
        return own.read_bytes().decode("utf-8", "replace")
    says = f", as {source.licence_file} says" if source.licence_file else ""
    return f"{source.name}, {source.title}: {source.licence}{says}\n\n{source.homepage}\n"


def unlicensed(source: PublishedSource) -> str:
    """Return what has to be said of data without a licence."""
    return (
        f"{source.name}: no licence is known. Nobody may pass these files on, changed or not, "
        "without leave of their authors; use them for your own research only, and cite them."
    )


def _is_licence(source: PublishedSource) -> bool:
    """Return whether the file that states the licence is the licence itself, by its name."""
    return PurePosixPath(source.licence_file or "").name.upper().startswith("LICEN")


def _contents(fetched: FetchedSource, made: Mapping[str, MadeFile] | None) -> dict[str, bytes]:
    if made is not None:
        contents = {path: each.content for path, each in made.items()}
    else:
        try:
            contents = {_place(fetched, path): path.read_bytes() for path in fetched.files}
        except OSError as error:
            raise PommelError(f"{error.filename}: cannot be read: {error.strerror}") from None
    if not (_is_licence(fetched.source) and fetched.source.licence_file in contents):
        contents[LICENSE_NAME] = licence_text(fetched).encode()
    return contents


def _place(fetched: FetchedSource, path: Path) -> str:
    return path.relative_to(fetched.folder).as_posix()


def _entries(
    fetched: FetchedSource, made: Mapping[str, MadeFile] | None
) -> Sequence[dict[str, Any]]:
    """Return what SOURCE.txt says of each file that is exported now."""
    unknown = set(fetched.unknown)
    entries = {}
    for path in fetched.files:
        place = _place(fetched, path)
        known = "the first download" if place in unknown else "pommel's table"
        entries[place] = {"path": place, "sha256": sha256_of(path), "checksum_of": known}
    if made is None:
        return list(entries.values())
    return [
        {
            **entries[each.made_of],
            "made": path,
            "made_sha256": sha256(each.content).hexdigest(),
        }
        for path, each in made.items()
    ]


def _continued(source: PublishedSource, folder: Path) -> dict[str, Any] | None:
    """Return what a SOURCE.txt of the same source and commit says, None if there is none."""
    try:
        value = json.loads((folder / SOURCE_NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("files"), list):
        return None
    is_same = (value.get("name"), value.get("commit")) == (source.name, source.commit)
    is_whole = all(isinstance(each, dict) for each in value["files"])
    return value if is_same and is_whole else None


def _still_there(
    known: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], folder: Path
) -> list[dict[str, Any]]:
    """Return the entries of other files that lie in the folder as they were exported."""
    new = {_where(each) for each in entries}
    kept = []
    for each in known["files"]:
        where, expected = _where(each), each.get("made_sha256", each.get("sha256"))
        path = folder / where
        if where not in new and path.is_file() and sha256_of(path) == expected:
            kept.append(each)
    return kept


def _where(entry: Mapping[str, Any]) -> str:
    return str(entry.get("made", entry.get("path", "")))


def _description(
    source: PublishedSource,
    known: Mapping[str, Any] | None,
    entries: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    return {
        **(known or {}),
        "name": source.name,
        "title": source.title,
        "languages": list(source.languages),
        "licence": source.licence,
        "citation": source.citation,
        "homepage": source.homepage,
        "repository": source.repository,
        "commit": source.commit,
        "address": source.address,
        "note": source.note,
        "files": list(entries),
    }


def _is_other(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() != content
    except OSError:
        return True
