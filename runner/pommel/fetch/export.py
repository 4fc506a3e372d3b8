"""Copying what was fetched to a folder, with all that whoever gets it has to know."""

from collections.abc import Mapping
from pathlib import Path

from pommel.errors import PommelError, UsageError
from pommel.fetch.fetching import FetchedSource
from pommel.fetch.source import Source
from pommel.files import replacing, sha256_of
from pommel.json_document import to_json
from pommel.wording import counted, listed

LICENSE_NAME = "LICENSE.txt"
# Its text is JSON; a folder of suites is read for all files that end so.
SOURCE_NAME = "SOURCE.txt"


def export(
    fetched: FetchedSource,
    folder: Path,
    *,
    made: Mapping[str, bytes] | None = None,
    force: bool = False,
) -> tuple[Path, ...]:
    """Copy the files into `folder`, with LICENSE.txt and SOURCE.txt beside them; return them all.

    With `made`, those files are written instead: what was made of the source's, by their paths.
    Where a file lies already, and is another one, nothing is written unless `force` says so: raises
    `UsageError`. Raises `PommelError` if something cannot be read or written.
    """
    contents = {**(_contents(fetched) if made is None else made), **_notices(fetched)}
    different = [
        path
        for path, content in contents.items()
        if (folder / path).exists() and _is_other(folder / path, content)
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
    if own.name.upper().startswith("LICEN") and own.is_file():
        return own.read_bytes().decode("utf-8", "replace")
    says = f", as {source.licence_file} says" if source.licence_file else ""
    return f"{source.name}, {source.title}: {source.licence}{says}\n\n{source.homepage}\n"


def unlicensed(source: Source) -> str:
    """Return what has to be said of data without a licence."""
    return (
        f"{source.name}: no licence is known. Nobody may pass these files on, changed or not, "
        "without leave of their authors; use them for your own research only, and cite them."
    )


def _contents(fetched: FetchedSource) -> Mapping[str, bytes]:
    try:
        return {
            path.relative_to(fetched.folder).as_posix(): path.read_bytes() for path in fetched.files
        }
    except OSError as error:
        raise PommelError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _notices(fetched: FetchedSource) -> Mapping[str, bytes]:
    return {
        LICENSE_NAME: licence_text(fetched).encode(),
        SOURCE_NAME: _description(fetched).encode(),
    }


def _description(fetched: FetchedSource) -> str:
    source = fetched.source
    unknown = set(fetched.unknown)
    files = []
    for path in fetched.files:
        name = path.relative_to(fetched.folder).as_posix()
        known = "the first download" if name in unknown else "pommel's table"
        files.append({"path": name, "sha256": sha256_of(path), "checksum_of": known})
    value = {
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
        "files": files,
    }
    return to_json(value, indent=2)


def _is_other(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() != content
    except OSError:
        return True
