"""A sentence as a string of units in which tokens can be looked up, each unit with its character.

Units are what is compared: characters without regard to case and typography, bytes, or letters
without their accents. White space is no unit (but for one reading): tokens are compared across it.
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from pommel.models.alignment.token_forms import bytes_of

# Compared as one: images print "'" for a typographic apostrophe and "-" for every dash.
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‘’‚‛′´ʼ＇", "'")  # noqa: RUF001 - the look-alikes are the point
    | dict.fromkeys("“”„‟″«»＂", '"')  # noqa: RUF001 - the look-alikes are the point
    | dict.fromkeys("‐‑‒–—―−－", "-"),  # noqa: RUF001 - the look-alikes are the point
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The sentence in units: `units[k]` belongs to the character `sentence[characters[k]]`.

    `read` turns a token's text into the units it may be printed as. `is_text` says that the units
    are characters, so that an inexact match (another case, another dash) can be told by comparing.
    """

    sentence: str
    units: str
    characters: tuple[int, ...]
    read: Callable[[str], tuple[str, ...]]
    is_text: bool

    def is_cut(self, boundary: int) -> bool:
        """Whether the boundary before unit `boundary` falls inside a character."""
        at = self.characters
        return 0 < boundary < len(at) and at[boundary - 1] == at[boundary]

    def is_word_edge(self, boundary: int) -> bool:
        """Whether the boundary is the beginning or the end of the sentence, or at white space."""
        at = self.characters
        if not 0 < boundary < len(at):
            return True
        return any(map(str.isspace, self.sentence[at[boundary - 1] : at[boundary]]))

    def is_punctuation_edge(self, boundary: int) -> bool:
        """Whether a letter or digit meets another sign here; False at the ends."""
        at = self.characters
        if not 0 < boundary < len(at):
            return False
        before, after = self.sentence[at[boundary - 1]], self.sentence[at[boundary]]
        return before.isalnum() != after.isalnum()

    def text(self, start: int, end: int) -> str:
        """Return the sentence's text, white space left out, of the units [start, end)."""
        if start == end:
            return ""
        first, last = self.characters[start], self.characters[end - 1]
        return "".join(self.sentence[first : last + 1].split())


def as_characters(sentence: str) -> Reading:
    """Read characters; case, dashes, quotes and Unicode's composed forms make no difference."""
    return _reading(sentence, _fold, read=lambda text: (_fold_all(text),), is_text=True)


def as_bytes(sentence: str) -> Reading:
    """Read UTF-8 bytes: a token may be a part of a character, in GPT-2's alphabet or as <0xE2>."""
    return _reading(sentence, _latin, read=_read_bytes, is_text=False)


def as_composed_bytes(sentence: str) -> Reading:
    """Read the bytes of the composed form (NFC), which some byte-level models make first.

    A letter and the marks that follow it are composed together, and belong to the letter.
    """
    composed: list[str] = []
    for character in sentence:
        if composed and unicodedata.combining(character):
            composed[-1] += character
        else:
            composed.append(character)
    parts = [part for letter in composed for part in (letter, *[""] * (len(letter) - 1))]
    units = [_latin(unicodedata.normalize("NFC", part)) for part in parts]
    return _spread(sentence, units, read=_read_bytes, is_text=False)


def as_bytes_of_spaces_too(sentence: str) -> Reading:
    """Read bytes, those of white space beyond ASCII too: a byte-level model may cut it up."""
    return _spread(
        sentence,
        [_latin(character) for character in sentence],
        read=lambda text: tuple(raw.decode("latin-1") for raw in bytes_of(text, spaces=True)),
        is_text=False,
        is_left_out=lambda character: character.isspace() and character.isascii(),
    )


def as_bare_letters(sentence: str) -> Reading:
    """Read characters without accents and other marks, as uncased BERT prints them."""
    return _reading(sentence, _bare, read=lambda text: (_bare(text),), is_text=True)


def is_slight(character: str) -> bool:
    """Whether the character is one that tokenizers drop in silence: marks, format, control."""
    return unicodedata.category(character) in {"Mn", "Me", "Cf", "Cc"}


def _reading(
    sentence: str,
    unit: Callable[[str], str],
    *,
    read: Callable[[str], tuple[str, ...]],
    is_text: bool,
) -> Reading:
    known = {character: unit(character) for character in set(sentence)}
    return _spread(sentence, [known[each] for each in sentence], read=read, is_text=is_text)


def _spread(
    sentence: str,
    units: list[str],
    *,
    read: Callable[[str], tuple[str, ...]],
    is_text: bool,
    is_left_out: Callable[[str], bool] = str.isspace,
) -> Reading:
    places = [place for place, character in enumerate(sentence) if not is_left_out(character)]
    return Reading(
        sentence=sentence,
        units="".join(units[place] for place in places),
        characters=tuple(place for place in places for _ in units[place]),
        read=read,
        is_text=is_text,
    )


def _read_bytes(text: str) -> tuple[str, ...]:
    return tuple(raw.decode("latin-1") for raw in bytes_of(text))


def _latin(text: str) -> str:
    # One character a byte, so that bytes can be looked up with the methods of str.
    return text.encode("utf-8", errors="surrogatepass").decode("latin-1")


def _fold(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character.translate(_TYPOGRAPHY))
    folded = unicodedata.normalize("NFKD", decomposed.casefold())
    # Some signs decompose into a space and an accent; a unit must stay visible.
    return "".join(folded.split()) or character


def _fold_all(text: str) -> str:
    # Character by character, as the sentence: normalising the whole would reorder accents.
    return text.lower() if text.isascii() else "".join(map(_fold, text))


def _bare(text: str) -> str:
    return "".join(letter for letter in _fold_all(text) if unicodedata.category(letter) != "Mn")
