"""gevalm's JSON Lines (Zaczynska et al. 2020): a masked sentence, and two candidates for the mask.

A line has `text`, `text_masked`, `candidates` (the good one, the bad one), `indexMASK` and `case`;
what the published program has scored has `probs` and `tokenized`, too. All of it is kept, but only
texts and candidates are read: `indexMASK` counts the terminals of a grammar from the end, some of
which are several words, and is a fixed 8 for one construction (SVlongVPCoord).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from json.encoder import encode_basestring_ascii
from typing import Any

from pommel.errors import InputError, quoted
from pommel.files import to_json
from pommel.sources.formats.pair_rows import PairRows, Problem, has_words, is_sentence, pairs_of
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import MinimalSet, words_in

_TEXT, _MASKED, _CANDIDATES = "text", "text_masked", "candidates"
_INDEX, _CASE, _SCORED = "indexMASK", "case", "probs"
_OWN = frozenset((_TEXT, _MASKED, _CANDIDATES, _INDEX, _CASE))
_MASK = "[MASK]"
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
_EXAMPLE = f'{{"{_TEXT}": "...", "{_MASKED}": "... {_MASK} ...", "{_CANDIDATES}": ["...", "..."]}}'
_SOUND = {_TEXT: "it", _MASKED: _MASK, _CANDIDATES: ["it", "I"]}


def gevalm_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield a line for each pair: what its file said, or else what the published program needs.

    The candidates are the contrast without the punctuation that both share at its ends. Pairs from
    elsewhere have the case "unnamed", and the place of the masked word from the end, from -1, as
    `indexMASK`. As published, characters stay themselves, and are escaped in lines with `probs`.
    Raises `InputError` for a pair whose contrast is no word in one of its sentences, or, if it is
    from elsewhere, more than one.
    """
    for pair in pairs_of(sets):
        fields = pair.fields or {}
        is_own = not fields.keys().isdisjoint(_OWN)
        _check_maskable(pair, several=is_own)
        if not is_own:
            fields = {_INDEX: -1 - len(words_in(pair.after)), _CASE: "unnamed", **fields}
        row = ROWS.row(pair, fields)
        line = to_json(row, indent=None)
        yield _NOT_ASCII.sub(_escaped, line) if _SCORED in row else line


def _escaped(found: re.Match[str]) -> str:
    return encode_basestring_ascii(found[0])[1:-1]


class _MaskedRows(PairRows):
    """The contrast is the candidates, or, where more touches the mask, the words that they end."""

    def problems(self, row: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what is wrong with the values of a row, or that they say different things."""
        wrong = list(_wrong_values(row))
        yield from wrong
        if not wrong and {*self.columns} <= row.keys():
            filled = row[_MASKED].replace(_MASK, row[_CANDIDATES][0])
            if not has_words(row[_TEXT], filled):
                what = f"this is not {_MASKED!r} with the first candidate"
                yield (_TEXT,), what, f"it is {filled!r}"

    def pair_of(self, row: Mapping[str, Any]) -> MinimalSet:
        """Return the pair of a row that is sound."""
        masked, (good, bad) = row[_MASKED], row[_CANDIDATES]
        if _MASK not in words_in(masked):
            return MinimalSet.of(masked.replace(_MASK, good), masked.replace(_MASK, bad))
        parts = (*masked.split(_MASK), good, bad)
        before, after, good, bad = (" ".join(words_in(each)) for each in parts)
        return MinimalSet(before, good, (bad,), after)

    def spelt(self, pair: MinimalSet) -> dict[str, object]:
        """Return what a row says of a pair; punctuation at both ends of the forms is not masked."""
        good, bad = pair.forms
        n_before = _n_shared_marks(good, bad)
        n_after = _n_shared_marks(good[n_before:][::-1], bad[n_before:][::-1])
        candidates = [each[n_before : len(each) - n_after] for each in (good, bad)]
        mask = f"{good[:n_before]}{_MASK}{good[len(good) - n_after :]}"
        masked = replace(pair, form=mask).grammatical
        return {_TEXT: pair.grammatical, _MASKED: masked, _CANDIDATES: candidates}


def _wrong_values(row: Mapping[str, Any]) -> Iterator[Problem]:
    # A key that is missing is a fault of its own.
    text, masked, candidates = ({**_SOUND, **row}[key] for key in _SOUND)
    if not is_sentence(text):
        yield (_TEXT,), "this is no sentence", "write its words as a text"
    if not (isinstance(masked, str) and masked.count(_MASK) == 1):
        hint = f"write {_MASK} where a candidate stands, once"
        yield (_MASKED,), "this is no sentence with a mask", hint
    if not isinstance(candidates, list) or len(candidates) != len(_SOUND[_CANDIDATES]):
        yield (_CANDIDATES,), "these are not two candidates", 'write ["good", "bad"]'
        return
    for index, each in enumerate(candidates):
        if not is_sentence(each) or _MASK in each:
            yield (_CANDIDATES, index), "this is no candidate", "write its words as a text"


def _n_shared_marks(good: str, bad: str) -> int:
    """Return with how many punctuation marks both begin, without all of either."""
    n_marks = 0
    for first, second in zip(good[:-1], bad[:-1], strict=False):
        if first != second or not unicodedata.category(first).startswith("P"):
            break
        n_marks += 1
    return n_marks


def _check_maskable(pair: MinimalSet, *, several: bool) -> None:
    for form in pair.forms:
        n_words = len(words_in(form))
        if n_words == 0 or (n_words > 1 and not several):
            sentences = " and ".join(map(quoted, pair.sentences))
            what = f"differ in {quoted(form)}" if form else "differ in words that one of them lacks"
            what = "are the same" if pair.is_tied else what
            raise InputError(f"{sentences} {what}; gevalm's format masks exactly one word")


ROWS = _MaskedRows(tuple(_SOUND), _OWN, _EXAMPLE)

GEVALM = SetFormat(
    name="gevalm",
    endings=(".jsonl",),
    parse=ROWS.parse_json,
    pieces=gevalm_lines,
    # Six published files are called like the case of another one, and results go by the case.
    named_by=_CASE,
    folder="group",
    is_like=lambda text: f'"{_MASKED}"' in text.lstrip().partition("\n")[0],
)
