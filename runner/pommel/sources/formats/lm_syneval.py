"""The templates of Marvin & Linzen (2018): pickles of a dictionary, case -> list of tuples.

A tuple is a grammatical sentence and the ungrammatical ones: one, or two for negative polarity
items (the intrusive licensor, then none).
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pommel.errors import Fault, InputError, SuiteError
from pommel.sources.formats.pair_rows import mended_text
from pommel.sources.formats.plain_pickle import read_plain_pickle
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import MinimalSet

# A field of a set: the case it belongs to, and its sentences where they are not just their words
# with spaces between.
CASE, SENTENCES = "case", "sentences"

# One list can stand in a pickle a million times, and be a million sentences.
_MOST_SENTENCES = 1 << 20
_MOST_CHARACTERS = 1 << 26

_KINDS: dict[type, str] = {
    dict: "a dictionary",
    list: "a list",
    tuple: "a tuple",
    str: "text",
    bytes: "bytes",
    bool: "a truth value",
    type(None): "None",
}
_SHAPE = "write a dictionary of cases, each a list of tuples of sentences"


def read_templates(path: Path) -> list[MinimalSet]:
    """Return the sets of a file, in its order.

    Raises `SuiteError` with everything in it that is no such tuple, and `InputError` as
    `read_plain_pickle`, and for a file that repeats itself until it has too many sentences.
    """
    value = read_plain_pickle(path)
    _check_size(value, path)
    faults = [
        Fault(file=str(path), path=where, message=what, hint=hint)
        for where, what, hint in _problems(value)
    ]
    if faults:
        raise SuiteError(faults)
    return [_set(case, entry) for case, entries in value.items() for entry in entries]


def _set(case: str, entry: tuple[str, ...]) -> MinimalSet:
    fields: dict[str, object] = {CASE: case}
    if any(mended_text(sentence) != sentence for sentence in entry):
        fields[SENTENCES] = list(entry)
    return MinimalSet.of(*entry, fields=fields)


def _check_size(value: object, path: Path) -> None:
    """Raise `InputError` if there is more than can be looked at, before anything is."""
    level: list[Any] = [value.values()] if isinstance(value, dict) else []
    # Lists, then tuples, then texts, each level counted before it is laid out.
    for kinds, most in (((list, tuple), _MOST_SENTENCES),) * 2 + (((str,), _MOST_CHARACTERS),):
        level = [each for each in itertools.chain(*level) if isinstance(each, kinds)]
        if sum(map(len, level)) > most:
            most_of_all = f"{_MOST_SENTENCES:,} sentences or {_MOST_CHARACTERS:,} characters"
            raise InputError(f"{path}: has more than {most_of_all}; no such file is read")


# Where something stands, what is wrong with it, and what to do.
_Problem = tuple[str, str, str]


def _problems(value: object) -> Iterator[_Problem]:
    if not isinstance(value, dict):
        yield "", f"this is {_kind(value)} and no dictionary", _SHAPE
        return
    if not value:
        yield "", "there is no case", _SHAPE
    for case, entries in value.items():
        where = f"[{case!r}]"
        if not isinstance(entries, (list, tuple)):
            yield where, f"this is {_kind(entries)} and no list", _SHAPE
        elif not entries:
            yield where, "this case has no sentences", "write its sentences, or leave it out"
        else:
            for index, entry in enumerate(entries):
                yield from _entry_problems(entry, f"{where}[{index}]")


def _entry_problems(entry: object, where: str) -> Iterator[_Problem]:
    hint = "write the grammatical sentence, then the ungrammatical ones"
    if not isinstance(entry, (list, tuple)):
        yield where, f"this is {_kind(entry)} and no tuple", hint
    elif len(entry) < len(("grammatical", "ungrammatical")):
        yield where, "these are not two sentences", hint
    else:
        is_text = all(isinstance(each, str) for each in entry)
        for index, each in enumerate(entry):
            place = f"{where}[{index}]"
            if not isinstance(each, str):
                yield place, f"this is {_kind(each)} and no sentence", "write text"
            elif is_text and not each.strip():
                yield place, "this sentence is empty", "write its words"


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a number")


LM_SYNEVAL = SetFormat(
    name="lm-syneval",
    endings=(".pickle", ".pkl"),
    load=read_templates,
)
