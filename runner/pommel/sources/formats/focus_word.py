"""Sentences of which one word is compared with another, found by its index."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pommel.errors import quoted
from pommel.sources.minimal_sets import MinimalSet, words_in

# What the corpora of word-level models end every sentence with.
EOS = "<eos>"

_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")


def whole_number(text: str) -> int | None:
    """Return the number that a text is, if it is spelt as a number is written; otherwise None."""
    return int(text) if _WHOLE_NUMBER.fullmatch(text) else None


def words_of(sentence: str) -> list[str]:
    """Return the words of a sentence, without the mark at its end."""
    words = words_in(sentence)
    return words[:-1] if words[-1:] == [EOS] else words


def focus_set(
    words: Sequence[str], index: int, forms: Sequence[str], fields: Mapping[str, Any]
) -> MinimalSet:
    """Return the set of a sentence's words with each of two forms, the correct one first, at
    `index` (from 0), whatever stands there.
    """
    correct, wrong = forms
    before, after = " ".join(words[:index]), " ".join(words[index + 1 :])
    return MinimalSet(before, correct, (wrong,), after, fields)


def form_faults(correct: str, wrong: str) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with two forms, and with which of them: 0 is the correct one."""
    for place, form in enumerate((correct, wrong)):
        if words_in(form) != [form]:
            yield place, f"{quoted(form)} is not one word"
