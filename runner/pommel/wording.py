"""Pieces that messages are made of."""

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Sequence

from pommel.errors import UsageError

_WORD = re.compile(r"\S+")
_LONGEST_QUOTED = 80

# Joiners without a width, and marks of direction; they change nothing but what stands beside them.
_INVISIBLE = "\u200c\u200d\u200e\u200f\u061c"
# Letters to Unicode, of which nothing is seen: the fillers of Hangul.
_FILLERS = "\u115f\u1160\u3164\uffa0"


def nearest(name: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """Return the known name that was probably meant, None if none is like it.

    `likeness` is how much of both has to be alike at least, from 0 to 1.
    """
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=likeness)
    return close[0] if close else None


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise `UsageError` if a value is none of those that it can be."""
    if value not in choices:
        raise UsageError(f"{name} cannot be {value!r}; it is one of {', '.join(choices)}")


def counted(number: int, noun: str) -> str:
    """Return "1 file" or "3 files"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(words: Sequence[str], *, most: int = 3) -> str:
    """Return the first words with commas between, and dots if there are more."""
    return ", ".join(words[:most]) + (", ..." if len(words) > most else "")


def quoted(text: str) -> str:
    """Return the text in quotation marks, its beginning if it is long."""
    if len(text) <= _LONGEST_QUOTED:
        return repr(text)
    return f"{text[:_LONGEST_QUOTED]!r}…"


def printable(text: str) -> str:
    """Return a text without what could steer a terminal; one line stays one.

    A tab becomes a blank, everything else that is not printable a question mark, except what
    scripts need to be read: joiners without a width, and marks of direction.
    """
    return "".join(
        each if each.isprintable() or each in _INVISIBLE else " " if each == "\t" else "?"
        for each in text
    )


def has_letter(text: str) -> bool:
    """Return whether a text has a letter or digit that can be seen."""
    return any(each.isalnum() and each not in _FILLERS for each in text)


def with_first_letter(text: str, changed: Callable[[str], str]) -> str:
    """Return the text with its first letter changed, the rest as it is.

    Marks in front of the letter are passed over, within the first word. A text that begins with
    something else (a digit, an ideograph, a letter without cases) stays as it is.
    """
    word = _WORD.search(text)
    for place in range(*word.span()) if word else ():
        first = text[place]
        if first.isalnum():
            return text[:place] + changed(first) + text[place + 1 :]
    return text


def first_line(error: BaseException) -> str:
    """Return an error's first line, which is what fits into one of ours."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
