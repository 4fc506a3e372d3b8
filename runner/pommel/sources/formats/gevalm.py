"""gevalm's JSON Lines (Zaczynska et al. 2020): a masked sentence, and two candidates for the mask.

A line has `text`, `text_masked`, `candidates` (the good one, the bad one), `indexMASK` and `case`;
what the published program has scored has `probs` and `tokenized`, too. All of it is kept, but only
texts and candidates are read: `indexMASK` counts the terminals of a grammar from the end, some of
which are several words, and is a fixed 8 for one construction (SVlongVPCoord).
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pommel.errors import InputError, nearest, quoted
from pommel.sources.formats.json_lines import json_line
from pommel.sources.formats.pair_rows import PairRows, Problem, has_words, pairs_of
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import MinimalSet, words_in

_TEXT, _MASKED, _CANDIDATES = "text", "text_masked", "candidates"
_INDEX, _CASE, _SCORED = "indexMASK", "case", "probs"
_OWN = frozenset((_TEXT, _MASKED, _CANDIDATES, _INDEX, _CASE))
_MASK = "[MASK]"
_EXAMPLE = f'{{"{_TEXT}": "...", "{_MASKED}": "... {_MASK} ...", "{_CANDIDATES}": ["...", "..."]}}'
_N_CANDIDATES = 2


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
            fields = {_INDEX: _place_from_end(_spelt(pair)[_MASKED]), _CASE: "unnamed", **fields}
        row = _ROWS.row(pair, fields)
        yield json_line(row, escaped=_SCORED in row)


def parse_gevalm(text: str, file: str) -> list[MinimalSet]:
    """Return the pairs of a file's text.

    The contrast is the candidates, or, where other characters touch the mask, the words they are
    part of. Raises `SuiteError` with every line that is no JSON object, lacks one of the three
    texts, or whose `text` is not `text_masked` with the first candidate, and for a text without a
    pair.
    """
    return _ROWS.parse_json(text, file, _EXAMPLE)


def _problems(row: Mapping[str, Any]) -> Iterator[Problem]:
    missing = [key for key in (_TEXT, _MASKED, _CANDIDATES) if key not in row]
    for key in missing:
        meant = nearest(key, (each for each in row if each not in _OWN))
        yield (), f"there is no {key!r}", f"rename {meant!r}" if meant else f"write {_EXAMPLE}"
    wrong = list(_wrong_values(row))
    yield from wrong
    if missing or wrong:
        return
    good = row[_CANDIDATES][0]
    if not has_words(row[_TEXT], _filled(row[_MASKED], good)):
        hint = f"it is {_filled(row[_MASKED], good)!r}"
        yield (_TEXT,), f"this is not {_MASKED!r} with the first candidate", hint


def _wrong_values(row: Mapping[str, Any]) -> Iterator[Problem]:
    text, masked, candidates = (row.get(key) for key in (_TEXT, _MASKED, _CANDIDATES))
    if _TEXT in row and not _has_content(text):
        yield (_TEXT,), "this is no sentence", "write its words as a text"
    if _MASKED in row and not (isinstance(masked, str) and masked.count(_MASK) == 1):
        hint = f"write {_MASK} where a candidate stands, once"
        yield (_MASKED,), "this is no sentence with a mask", hint
    if _CANDIDATES not in row:
        return
    if not isinstance(candidates, list) or len(candidates) != _N_CANDIDATES:
        yield (_CANDIDATES,), "these are not two candidates", 'write ["good", "bad"]'
        return
    for index, each in enumerate(candidates):
        if not _has_content(each) or _MASK in each:
            yield (_CANDIDATES, index), "this is no candidate", "write its words as a text"


def _has_content(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _filled(masked: str, candidate: str) -> str:
    return masked.replace(_MASK, candidate)


def _pair(row: Mapping[str, Any]) -> MinimalSet:
    masked, (good, bad) = row[_MASKED], row[_CANDIDATES]
    if _MASK not in words_in(masked):
        return MinimalSet.of(_filled(masked, good), _filled(masked, bad))
    before, _, after = masked.partition(_MASK)
    before, good, bad, after = (" ".join(words_in(each)) for each in (before, good, bad, after))
    return MinimalSet(before, good, (bad,), after)


def _spelt(pair: MinimalSet) -> dict[str, Any]:
    good, bad = pair.form, pair.others[0]
    n_before = _n_shared_marks(good, bad)
    n_after = _n_shared_marks(good[n_before:][::-1], bad[n_before:][::-1])
    candidates = [each[n_before : len(each) - n_after] for each in (good, bad)]
    mask = f"{good[:n_before]}{_MASK}{good[len(good) - n_after :]}"
    masked = " ".join(filter(None, (pair.before, mask, pair.after)))
    return {_TEXT: pair.grammatical, _MASKED: masked, _CANDIDATES: candidates}


def _n_shared_marks(good: str, bad: str) -> int:
    """Return with how many punctuation marks both begin, without all of either."""
    n_marks = 0
    for first, second in zip(good[:-1], bad[:-1], strict=False):
        if first != second or not unicodedata.category(first).startswith("P"):
            break
        n_marks += 1
    return n_marks


def _check_maskable(pair: MinimalSet, *, several: bool) -> None:
    for form in (pair.form, *pair.others):
        n_words = len(words_in(form))
        if n_words == 0 or (n_words > 1 and not several):
            sentences = f"{quoted(pair.grammatical)} and {quoted(pair.ungrammatical[0])}"
            what = f"differ in {quoted(form)}" if form else "differ in words that one of them lacks"
            what = "are the same" if pair.is_tied else what
            raise InputError(f"{sentences} {what}; gevalm's format masks exactly one word")


def _place_from_end(masked: str) -> int:
    words = words_in(masked)
    return next(index for index, word in enumerate(words) if _MASK in word) - len(words)


_ROWS = PairRows(_problems, _pair, _spelt, _OWN)

GEVALM = SetFormat(
    name="gevalm",
    title="gevalm's JSON Lines",
    endings=(".jsonl",),
    parse=parse_gevalm,
    pieces=gevalm_lines,
    is_like=lambda text: f'"{_MASKED}"' in text.lstrip().partition("\n")[0],
)
