"""What was fetched, as suites that run."""

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from pommel.conversion import Conversion
from pommel.errors import UsageError
from pommel.fetch.fetching import FetchedSource
from pommel.fetch.source import Source


def suites_of(fetched: FetchedSource) -> tuple[dict[str, bytes], list[str]]:
    """Return the suites that the files are, by the paths to write them to, and all other files.

    A suite is called like its file, with its folders where two files are called alike. Raises
    `InputError` for a file that is not what its beginning says.
    """
    paths = {path.relative_to(fetched.folder).as_posix(): path for path in fetched.files}
    stems = Counter(PurePosixPath(name).stem for name in paths)
    suites: dict[str, bytes] = {}
    others: list[str] = []
    for name, path in paths.items():
        own = PurePosixPath(name).with_suffix("")
        stem = own.name if stems[own.name] == 1 else "-".join(own.parts)
        is_suite = path.suffix == ".json"
        conversion = Conversion(name="" if is_suite else stem, about=_about(fetched.source))
        try:
            (content,), _ = conversion.contents(path)
            pieces = content.suite_pieces()
        except UsageError:
            # Its format is none of ours, or it holds nothing to compare.
            others.append(name)
            continue
        suites[f"{stem}.json"] = "".join(pieces).encode()
    return suites, others


def _about(source: Source) -> Mapping[str, Any]:
    """Return what a suite made of the source's pairs says of where they are from."""
    known = {
        "license": source.licence,
        "language": source.languages[0] if len(source.languages) == 1 else None,
        "reference": source.title,
        "repository": source.repository,
        "commit": source.commit,
    }
    return {key: value for key, value in known.items() if value}
