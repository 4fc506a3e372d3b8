"""Who submits, and under which name."""

import itertools
import unicodedata
from dataclasses import dataclass, fields

from pommel.errors import UsageError, printable, quoted

# Letters to Unicode, of which nothing is seen: the fillers of Hangul.
_FILLERS = "\u115f\u1160\u3164\uffa0"

_MOST_CHARACTERS = {"name": 100, "by": 200, "contact": 200, "url": 500, "note": 2000}
_SCHEMES = ("https://", "http://")
# What has no looks of its own at the end of a name: joiners, marks of direction, blank letters.
_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u200c\u200d\u200e\u200f\u061c\u2800\u3164\uffa0"
_MOST_MARKS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitter:
    """Who submits (`by`), and what else a leaderboard shows; "" for what is not said.

    `name` is what the model is called there: packing puts the model's own in the place of "".
    `contact` is for whoever keeps the leaderboard, `url` where the model is described, `note` a
    remark. Each is one line. Raises `UsageError`.
    """

    by: str
    name: str = ""
    contact: str = ""
    url: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        for each in fields(self):
            text = getattr(self, each.name)
            most = _MOST_CHARACTERS[each.name]
            if len(text) > most:
                raise UsageError(f"{each.name} has more than {most} characters")
            if text != printable(text) or text != text.strip() or text != text.strip(_UNSEEN):
                raise UsageError(
                    f"{each.name} cannot be {quoted(text)}; write one line, without blanks around "
                    f"it or characters that are not shown"
                )
            if _n_marks(text) > _MOST_MARKS:
                raise UsageError(f"{each.name} has more than {_MOST_MARKS} marks on one letter")
        if not self.by:
            raise UsageError("by is empty; write who submits")
        for text, what in ((self.by, "by"), (self.name, "name")):
            if text and not has_letter(text):
                raise UsageError(f"{what} cannot be {text!a}; write a letter or digit")
        # Leaderboards make a link of it.
        if (self.url and not self.url.startswith(_SCHEMES)) or " " in self.url:
            raise UsageError(f"url cannot be {quoted(self.url)}; write https://...")


def _n_marks(text: str) -> int:
    """Return how many marks (accents, points, vowel signs) follow one another at most."""
    runs = itertools.groupby(text, lambda each: unicodedata.category(each).startswith("M"))
    return max((len(list(run)) for is_mark, run in runs if is_mark), default=0)


def has_letter(text: str) -> bool:
    """Return whether a text has a letter or digit that can be seen."""
    return any(each.isalnum() and each not in _FILLERS for each in text)
