"""Sentences of which one word is compared with another, found by its index."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pommel.errors import InputError, counted, quoted
from pommel.sources.formats.pair_rows import has_words
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


def stands_among(found: MinimalSet, words: Sequence[str]) -> bool:
    """Say whether a set's contrast has these words, but for one, around it."""
    index = n_before(found)
    around = [*words[:index], *words[index + 1 :]]
    return len(words) > index and has_words(" ".join(around), f"{found.before} {found.after}")


def n_before(found: MinimalSet) -> int:
    """Return how many words stand before the contrast, which is the index of a form."""
    return len(words_in(found.before))


def form_faults(correct: str, wrong: str) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with two forms, and with which of them: 0 is the correct one."""
    for place, form in enumerate((correct, wrong)):
        if words_in(form) != [form]:
            yield place, f"{quoted(form)} is not one word"


def forms_of(found: MinimalSet, number: int, title: str) -> tuple[str, str]:
    """Return the correct and the wrong form of the set with this number (from 1) in a file.

    `title` names the format. Raises `InputError` unless there is one of each, both single words.
    """
    if len(found.others) != 1:
        there = counted(len(found.others), "ungrammatical sentence")
        raise InputError(f"minimal set {number} has {there}; {title} have one wrong form each")
    correct, wrong = found.forms
    for place, _ in form_faults(correct, wrong):
        what = f"the contrast {quoted(found.forms[place])} of minimal set {number} is not one word"
        raise InputError(f"{what}; {title} compare single words")
    return correct, wrong


def field_of(found: MinimalSet, number: int, name: str, title: str) -> Any:
    """Return what the set with this number (from 1) says under a name; raises `InputError`."""
    value = (found.fields or {}).get(name)
    if value is None:
        sentence = quoted(found.grammatical)
        raise InputError(f"minimal set {number} has no {name!r}, which {title} need: {sentence}")
    return value


def field_error(number: int, name: str, what: str) -> InputError:
    """Return the error that the set with this number (from 1) says `what` under a name."""
    return InputError(f"{name!r} of minimal set {number} is {what}")
