"""What was fetched, as suites that run."""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pommel.errors import InputError
from pommel.files.json import read_document
from pommel.sources.conversion import Conversion
from pommel.sources.fetch.export import MadeFile
from pommel.sources.fetch.fetching import FetchedSource
from pommel.sources.fetch.source import PublishedSource
from pommel.sources.formats.long_csv import COLUMNS
from pommel.sources.formats.set_formats import head_of, recognised


def suites_of(fetched: FetchedSource) -> tuple[dict[str, MadeFile], list[str]]:
    """Return the suites that the files are, by the names of their files, and all other files.

    A suite is an object with `items` in JSON, a long CSV, or a file of minimal sets. It is called
    like its file, with its folders (and its ending) where two of the source's files are called
    alike, fetched or not. Raises `InputError` for a file that is not what its beginning says.
    """
    names = _distinct_names(file.path for file in fetched.source.every_file)
    suites: dict[str, MadeFile] = {}
    others: list[str] = []
    for path in fetched.files:
        place = path.relative_to(fetched.folder).as_posix()
        is_suite = _is_suite(path)
        if not is_suite and recognised(path) is None:
            others.append(place)
            continue
        # A suite's JSON has its name in it.
        name = "" if is_suite and path.suffix == ".json" else names[place]
        conversion = Conversion(name=name, about=_about(fetched.source))
        (content,), _ = conversion.contents(path)
        text = "".join(content.suite_pieces())
        suites[f"{names[place]}.json"] = MadeFile(content=text.encode(), made_of=place)
    return suites, others


def _is_suite(path: Path) -> bool:
    if path.suffix == ".csv":
        header = next(csv.reader(head_of(path).splitlines()), [])
        return {*COLUMNS} <= {*header}
    if path.suffix != ".json":
        return False
    try:
        value = read_document(path).value
    except InputError:
        # Templates that end so need be neither JSON nor text.
        return False
    return isinstance(value, dict) and "items" in value


def _distinct_names(paths: Iterable[str]) -> dict[str, str]:
    """Return a name for each path: as short as it can be without being another's, too."""
    names = {path: PurePosixPath(path).stem for path in paths}
    for longer in (_with_folders, _with_ending, _with_marked_folders):
        # Some file systems do not tell cases apart.
        n_called = Counter(name.casefold() for name in names.values())
        names = {
            path: longer(path) if n_called[name.casefold()] > 1 else name
            for path, name in names.items()
        }
    return names


def _with_folders(path: str) -> str:
    return "-".join(PurePosixPath(path).with_suffix("").parts)


def _with_ending(path: str) -> str:
    return "-".join(PurePosixPath(path).parts).replace(".", "-")


def _with_marked_folders(path: str) -> str:
    return "--".join(PurePosixPath(path).parts)


def _about(source: PublishedSource) -> Mapping[str, Any]:
    """Return what a suite made of the source's pairs says of where they are from."""
    known = {
        "license": source.licence,
        "language": source.languages[0] if len(source.languages) == 1 else None,
        "reference": source.title,
        "repository": source.repository,
        "commit": source.commit,
    }
    return {key: value for key, value in known.items() if value}
