"""Names that people take for one another: equal ones, and those that look alike."""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from functools import cache

_DIRECTIONS = str.maketrans("", "", "\u200e\u200f")
# Blanks and lines are not told apart at a glance, nor is what is not seen.
_LIKE_HYPHENS = frozenset({"Pd", "Zs", "Pc"})
_UNSEEN = frozenset({"Cf", "Mn", "Me"})


def confused(names: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return for each id of `names` the other ids whose names can be taken for its own.

    Names are compared by their looks (`_looks`), as they are and in small letters: `GPT-5`,
    `gpt 5` and `\N{FULLWIDTH LATIN CAPITAL LETTER G}PT-5` are one, `Llama` and `IIama` are, and
    so is `g\N{CYRILLIC SMALL LETTER ER}t-5`.
    """
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    keys = {}
    for each, name in names.items():
        plain = unicodedata.normalize("NFKC", name)
        keys[each] = (("as it is", _looks(plain)), ("small", _looks(plain.casefold())))
        for key in keys[each]:
            alike[key].append(each)
    return {
        each: tuple(dict.fromkeys(other for key in own for other in alike[key] if other != each))
        for each, own in keys.items()
    }


def _looks(text: str) -> str:
    """Return what is the same for texts that look alike: Unicode's skeleton (UTS #39, section 4).

    Beyond that, marks and what is not seen are left out, and lines and blanks are hyphens.
    """
    shown = []
    for each in unicodedata.normalize("NFD", text):
        kind = unicodedata.category(each)
        if kind in _LIKE_HYPHENS:
            shown.append("-")
        elif kind not in _UNSEEN:
            shown.append(_prototypes().get(each, each))
    return "".join(shown)


@cache
def _prototypes() -> dict[str, str]:
    """Return one text for all characters that are confused with one another, by character."""
    # Imported here: its table takes a tenth of a second to load.
    from confusable_homoglyphs.confusables import confusables_data

    first: dict[str, str] = {}

    def root(text: str) -> str:
        while (above := first.setdefault(text, text)) != text:
            text = above
        return text

    for character, others in confusables_data.items():
        for other in others:
            one = root(character.translate(_DIRECTIONS))
            first[root(other["c"].translate(_DIRECTIONS))] = one
    groups = defaultdict(list)
    for text in [*first]:
        groups[root(text)].append(text)
    return {
        text: min(group, key=lambda each: (-len(each) if each.isascii() else 0, each))
        for group in groups.values()
        for text in group
        if len(text) == 1
    }
