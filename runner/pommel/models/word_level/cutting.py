"""Cutting sentences into words."""

import re
import unicodedata
from collections.abc import Callable, Iterator

# The Penn Treebank's clitics, cut off a word only if the model lists them as words.
CLITICS = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")

_VISIBLE = re.compile(r"\S+")
_CLITIC = re.compile(f"(?<=.)(?:{'|'.join(CLITICS)})$".replace("'", "['\u2019]"), re.IGNORECASE)
# How many marks may belong to a word or stand together as one token: "a.m.", "...", "'tis".
_MAX_MARKS = 3


def word_spans(text: str, known: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Cut `text` into words; return their character offsets, `[start, end)`, in order.

    Cut at white space. Of each piece, what the model knows and is longest wins:

    1. A piece that is `known` is one word ("U.S.", "don't").
    2. Otherwise it is a core (from its first to its last character that is neither punctuation nor
       a symbol) between marks. The longest `known` stretch of the core and up to three marks on
       either side is one word ("Mr." in "(Mr.,").
    3. Otherwise the core is one word, `known` or not ("3.5", "mother-in-law"), but for a clitic
       at its end, if that is `known` ("dog" "'s", "do" "n't").
    4. The marks that are left are words: up to three together where that is `known` ("..."),
       otherwise one by one.
    """
    return [
        (start + match.start(), end + match.start())
        for match in _VISIBLE.finditer(text)
        for start, end in _cut(match.group(), known)
    ]


def _cut(piece: str, known: Callable[[str], bool]) -> list[tuple[int, int]]:
    if known(piece):
        return [(0, len(piece))]
    cores = [index for index, character in enumerate(piece) if not _is_mark(character)]
    if not cores:
        return list(_cut_marks(piece, 0, len(piece), known))
    start, end = _widened(piece, cores[0], cores[-1] + 1, known)
    before = _cut_marks(piece, 0, start, known)
    after = _cut_marks(piece, end, len(piece), known)
    return [*before, *_cut_clitic(piece, start, end, known), *after]


def _cut_clitic(
    piece: str, start: int, end: int, known: Callable[[str], bool]
) -> list[tuple[int, int]]:
    word = piece[start:end]
    clitic = None if known(word) else _CLITIC.search(word)
    if clitic is None or not known(clitic.group()):
        return [(start, end)]
    middle = start + clitic.start()
    return [(start, middle), (middle, end)]


def _widened(piece: str, start: int, end: int, known: Callable[[str], bool]) -> tuple[int, int]:
    """Return the longest known stretch around the core `[start, end)`, or the core itself."""
    stretches = [
        (left, right)
        for left in range(max(0, start - _MAX_MARKS), start + 1)
        for right in range(end, min(len(piece), end + _MAX_MARKS) + 1)
    ]
    stretches.sort(key=lambda stretch: stretch[0] - stretch[1])
    for left, right in stretches:
        if known(piece[left:right]):
            return left, right
    return start, end


def _cut_marks(
    piece: str, start: int, end: int, known: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    while start < end:
        longest = min(end - start, _MAX_MARKS)
        lengths = (
            length for length in range(longest, 1, -1) if known(piece[start : start + length])
        )
        length = next(lengths, 1)
        yield start, start + length
        start += length


def _is_mark(character: str) -> bool:
    # Not \W: that takes combining accents and vowel signs, which belong to words, for marks.
    return unicodedata.category(character)[0] in "PS"
