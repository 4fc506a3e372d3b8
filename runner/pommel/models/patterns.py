"""Patterns of names: braces and ranges as shells have them, wildcards. Text only, no files."""

import difflib
import fnmatch
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from pommel.errors import UsageError, listed

# More than anybody means: {1..1000000} would otherwise fill the memory before anything is said.
MAX_NAMES = 10_000

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?")
_WILDCARD = re.compile(r"[*?\[]")


def has_wildcard(text: str) -> bool:
    """Say whether a text has a character that stands for others in a name: `*`, `?` or `[`."""
    return _WILDCARD.search(text) is not None


def fixed_start(text: str, *, wildcards: bool) -> str:
    """Return what stands before the first brace, or wildcard where these count."""
    found = re.search(r"[{*?\[]" if wildcards else "{", text)
    return text[: found.start()] if found else text


def split_outside_braces(text: str, separators: str) -> list[str]:
    """Return the parts of a text, each but the first with the separator that begins it.

    A separator inside braces does not separate.
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if character in separators and depth <= 0:
            parts.append("")
        parts[-1] += character
    return parts


def expand_braces(text: str, *, reference: str) -> list[str]:
    """Return the texts that braces stand for, in the order in which a shell has them.

    `{a,b}` (also nested), `{1..5}`, `{5..1..2}`, and `{01..10}`, whose numbers have one width. A
    text without braces stands for itself. Raises `UsageError`, naming the reference, for braces
    that do not match, that hold nothing or one name, and for more than `MAX_NAMES` texts.
    """
    texts = list(itertools.islice(_expanded(text, reference), MAX_NAMES + 1))
    if len(texts) > MAX_NAMES:
        raise UsageError(f"{reference}: it names more than {MAX_NAMES} models")
    return texts


def _expanded(text: str, reference: str) -> Iterator[str]:
    before, brace, rest = text.partition("{")
    if "}" in before:
        raise UsageError(_unmatched(reference))
    if not brace:
        yield text
        return
    inside, after = _to_the_matching_brace(rest, reference)
    for middle in _alternatives(inside, reference):
        for end in _expanded(after, reference):
            yield f"{before}{middle}{end}"


def _to_the_matching_brace(text: str, reference: str) -> tuple[str, str]:
    depth = 1
    for index, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if not depth:
            return text[:index], text[index + 1 :]
    raise UsageError(_unmatched(reference))


def _alternatives(inside: str, reference: str) -> Iterator[str]:
    first, *others = split_outside_braces(inside, ",")
    if others:
        for part in (first, *(each[1:] for each in others)):
            yield from _expanded(part, reference)
    elif (numbers := _RANGE.fullmatch(inside)) and int(numbers[3] or 1):
        yield from _numbers(numbers[1], numbers[2], int(numbers[3] or 1))
    else:
        raise UsageError(
            f"{reference}: {{{inside}}} is no choice; write two names or more, as in "
            "{step1000,step2000}, or a range, as in {1..5} or {1000..5000..1000}"
        )


def _numbers(first: str, last: str, step: int) -> Iterator[str]:
    start, end = int(first), int(last)
    width = 0
    if any(re.match(r"-?0\d", each) for each in (first, last)):
        width = max(len(first), len(last))
    # As in a shell, the direction is that of the ends, whatever sign the step has.
    towards = abs(step) if start <= end else -abs(step)
    for number in range(start, end + (1 if towards > 0 else -1), towards):
        yield f"{number:0{width}d}"


def _unmatched(reference: str) -> str:
    return f"{reference}: its braces do not match; write {{a,b}}, as in NAME@{{step1000,step2000}}"


def matching(names: Iterable[str], pattern: str) -> list[str]:
    """Return the names that match a pattern; hidden ones only if it begins with a dot, too."""
    return [
        name
        for name in names
        if fnmatch.fnmatchcase(name, pattern)
        and (pattern.startswith(".") or not name.startswith("."))
    ]


def nearest_names(names: Sequence[str], pattern: str) -> str:
    """Return, for a message, what is there that a pattern may have meant."""
    shown = [name for name in names if not name.startswith(".")]
    if not shown:
        return "it has none"
    plain = _WILDCARD.sub("", pattern)

    def likeness(name: str) -> float:
        return difflib.SequenceMatcher(None, plain, name).ratio()

    return f"there is: {listed(sorted(shown, key=likeness, reverse=True))}"
