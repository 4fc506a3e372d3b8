"""Punctuation marks as a language writes them, in sentences in which they stand apart as words.

A space beside a mark goes, and nothing else: letters and marks stay what they are.
"""

# ruff: noqa: RUF001 - marks that look like others are what this is about

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pommel.suite.published import PublishedSuite
from pommel.values import frozen

# Written to the word before: marks of European scripts, of Arabic, Devanagari, Armenian, Ethiopic,
# Burmese and Khmer, and Chinese and Japanese ones.
_CLOSING = frozenset(
    ".,;:!?…‥‼⁇⁈⁉\u037e\u0387\u05c3،؛؟۔।॥։՝՞՜።፣፤፥፦၊။។៕៖。、\uff0c\uff0e\uff1a\uff1b\uff1f\uff01"
)
# Written to the word after.
_OPENING = frozenset("¿¡")
# Quotation marks, and what may end them in some language. A mark may begin one, and end another.
_ENDS_OF = dict(
    zip(
        *('"“”„«»‹›‘‚「『', ('"', "”", "”", "“”", "»", "«»", "›", "‹›", "’", "‘’", "」", "』")),
        strict=True,
    )
)
# In some languages a space stays before these marks, and behind those.
_SPACED = {"fr": (frozenset(";:?!»›"), frozenset("«‹"))}
# A word without letters and digits.
_APART = re.compile(r"(?<![^ ])[^\w ]+(?![^ ])")


@frozen
class Part:
    """A part of a sentence, and whether a space stands before it that may go."""

    text: str
    is_spaced: bool


class _Word(NamedTuple):
    """A word, and whether it is marks that belong to the word before it, or to the one after."""

    text: str
    is_apart: bool = False
    ends: bool = False
    begins: bool = False


def attached(parts: Sequence[Part], language: str) -> list[Part]:
    """Return the parts of a sentence with marks at the words that they belong to."""
    if not any(_APART.search(part.text) for part in parts):
        return [*parts]
    marks = _Marks(*_SPACED.get(PublishedSuite.primary_language(language), ((), ())))
    made: list[Part] = []
    before: _Word | None = None
    for part in parts:
        text, is_spaced = "", part.is_spaced
        for written in part.text.split(" "):
            word = marks.word(written)
            is_joined = before is not None and marks.are_joined(before, word)
            if text:
                text += word.text if is_joined else f" {word.text}"
            else:
                text, is_spaced = word.text, part.is_spaced and not is_joined
            before = word
        made.append(Part(text=text, is_spaced=is_spaced))
    return made


@dataclass(slots=True)
class _Marks:
    """What words are, one after another: a mark may end a quotation that is open, or begin one."""

    spaced_before: frozenset[str] | tuple[()]
    spaced_behind: frozenset[str] | tuple[()]
    quotations: list[str] = field(default_factory=list)

    def word(self, text: str) -> _Word:
        """Return what a word is."""
        if text.isalnum():
            return _Word(text)
        if _APART.fullmatch(text):
            sides = [self._side(mark) for mark in text]
            ends, begins = sides[0] == "end", sides[-1] == "begin"
            return _Word(text, is_apart=True, ends=ends, begins=begins)
        n_before = len(text) - len(text.lstrip("".join(_ENDS_OF)))
        self.quotations += text[:n_before]
        for mark in text[n_before:]:
            self._ends_quotation(mark)
        return _Word(text)

    def _side(self, mark: str) -> str:
        """Return whether a mark stands at an "end" or at a "begin", "" for neither."""
        if self._ends_quotation(mark):
            return "end"
        if mark in _ENDS_OF:
            self.quotations.append(mark)
            return "begin"
        category = unicodedata.category(mark)
        if mark in _CLOSING or category == "Pe":
            return "end"
        return "begin" if mark in _OPENING or category == "Ps" else ""

    def _ends_quotation(self, mark: str) -> bool:
        """Say whether a mark ends a quotation, with those that are open within; so it is closed."""
        for n in range(len(self.quotations) - 1, -1, -1):
            if mark in _ENDS_OF[self.quotations[n]]:
                del self.quotations[n:]
                return True
        return False

    def are_joined(self, before: _Word, word: _Word) -> bool:
        """Say whether no space stands between two words."""
        if before.begins:
            return before.text[-1] not in self.spaced_behind
        if word.ends:
            mark = word.text[0]
            # Of several such marks the first one has the space.
            return mark not in self.spaced_before or (before.ends and mark not in _ENDS_OF)
        # Marks as wide as an ideograph have their space within.
        is_wide_before = before.is_apart and _is_wide(before.text[-1])
        return is_wide_before or (word.begins and _is_wide(word.text[0]))


def _is_wide(mark: str) -> bool:
    return unicodedata.east_asian_width(mark) in "WF"
