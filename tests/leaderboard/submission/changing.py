"""Sound submissions with one thing changed; hashes and counts in the manifest follow."""

from collections.abc import Callable
from typing import Any

from tests.leaderboard.submission.samples import Parts, results, surprisals

Make = Callable[[Parts], bytes]

TOKENS, CLAIMS = surprisals(), results()
ON = "suite agreement"
MOVED = (
    f"{ON}: the sums of its regions are not those that it was packed with; its surprisals have "
    f"been moved or changed"
)


def manifest(change: Callable[[Any], object]) -> Make:
    """Return a submission with another manifest."""
    return lambda parts: parts.with_manifest(change).packed()


def lines(change: Callable[[Any], object]) -> Make:
    """Return a submission with other surprisals; hashes and counts are right."""
    return lambda parts: parts.with_lines(change).packed()


def claims(change: Callable[[Any], object]) -> Make:
    """Return a submission with other claimed results; the hash is right."""
    return lambda parts: parts.with_claims(change).packed()


def raw(name: str, content: bytes) -> Make:
    """Return a submission with another file; the hash is right."""
    return lambda parts: parts.with_file(name, content).packed()


def raw_manifest(content: bytes) -> Make:
    """Return a submission with these bytes as its manifest."""
    return lambda parts: parts.with_raw("manifest.json", content).packed()


def token(index: int, field: int, value: Any, line: int = 1) -> Make:
    """Return a submission in which one field of a token is changed: text, start, end, bits, ..."""

    def change(found: Any) -> None:
        found[line]["tokens"][index][field] = value

    return lines(change)


def put(value: Any, *path: Any) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return change


def line(content: bytes) -> Make:
    """Return a submission whose file of tokens has this behind its header."""
    return lambda parts: raw(TOKENS, parts.files[TOKENS].splitlines(keepends=True)[0] + content)(
        parts
    )


SENTENCE = "'The dogs bark .'"
