"""Where a model's tokens stand in the sentence, for models that only print them.

LM Zoo images, slow tokenizers and recorded files name tokens without offsets, and may change case
and accents: `TokenizerSpec.places` finds the likeliest places. A server's tokens have to spell the
sentence exactly (`endpoint.spelling`); nothing else in pommel compares a token with a sentence.

A token may stand for several texts (`spellings`: sentinels, Moses and Penn Treebank forms, bytes).
A sentence is read as a string of units in which they are looked up (`Reading`): characters without
regard to case and typography, bytes, or letters without their accents; white space is no unit (but
for one reading). What speaks against a place has a cost (`misfit`, `dropped`, `boundary_costs`),
and the least one is the intended alignment: a token stands for its own letters, an unknown token
for one whole word, or for a word up to its punctuation, and nothing is left out without need.

The cheapest way is one dynamic programme (`align`). `ready[i][k]` is the least cost of having
spelled the first k units of the sentence with the first i tokens. A token goes on from there to
where its spelling ends, an unknown token to anywhere behind, a special token stays; between tokens,
words that the model leaves out are passed over. Costs are whole numbers, so that ties are ties: the
longest spelling wins, the earlier end of the sentence, and of several unknown tokens in a row the
last one takes the words that are too many.
"""

import html
import math
import re
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import pairwise, takewhile
from typing import Any, ClassVar, Literal, NamedTuple

from pommel.errors import AlignmentError, InputError, quoted
from pommel.surprisal import ScoredSentence, Token, TokenRole
from pommel.values import frozen, positional


@frozen
class PrintedToken:
    """A token as a model prints it; `line` is its line in the table, from 1.

    `oov` is what the model's `unkify` says.
    """

    text: str
    surprisal_bits: float
    line: int
    oov: bool = False


@frozen
class TokenizerSpec:
    """How to read tokens that come without offsets (LM Zoo's `language_model_spec`).

    `unk_types`, `prefix_types`, `suffix_types`, `special_types` are whole tokens. `type` is "word",
    "subword" or "character". `sentinel` is a literal string that a subword carries at
    `sentinel_position` ("initial": at the beginning of a word, "medial": on all but a word's first
    piece, "final": at the end of a word); `metaspace` stands for the space itself.
    `drop_token_pattern` is a regular expression for words that the model leaves out.
    """

    VOCABULARY: ClassVar = ("unk_types", "prefix_types", "suffix_types", "special_types")

    unk_types: frozenset[str] = frozenset()
    prefix_types: frozenset[str] = frozenset()
    suffix_types: frozenset[str] = frozenset()
    special_types: frozenset[str] = frozenset()
    type: str = "word"
    cased: bool = True
    sentinel: str = ""
    sentinel_position: str = ""
    metaspace: str = ""
    drop_token_pattern: str | None = None

    @property
    def marks(self) -> frozenset[str]:
        """All tokens that stand for no text of the sentence."""
        return self.prefix_types | self.suffix_types | self.special_types

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any]) -> "TokenizerSpec":
        """Read the `vocabulary` and `tokenizer` objects of an image's spec; both may be absent.

        Raises `InputError` for a `drop_token_pattern` that has a `pattern_fault`.
        """
        vocabulary = spec.get("vocabulary") or {}
        tokenizer = spec.get("tokenizer") or {}
        pattern = tokenizer.get("drop_token_pattern")
        if pattern and (fault := pattern_fault(pattern)):
            raise InputError(f"the drop_token_pattern {quoted(pattern)}: {fault}")
        return cls(
            # Published specs hold "" among the prefix types; no token is the empty string.
            **{name: frozenset(vocabulary.get(name, ())) - {""} for name in cls.VOCABULARY},
            type=tokenizer.get("type", "word"),
            cased=tokenizer.get("cased", True),
            sentinel=tokenizer.get("sentinel_pattern") or "",
            sentinel_position=tokenizer.get("sentinel_position") or "",
            metaspace=tokenizer.get("metaspace") or "",
            drop_token_pattern=pattern,
        )

    def places(self, tokens: Sequence[str], sentence: str) -> tuple[Token, ...]:
        """Return each token at its place, in order, up to an end-of-sentence mark.

        None has a surprisal. A token stands for `sentence[start:end]`, which is what an unknown
        one covers. One without visible characters of its own has the white space it stands for, or
        is empty: a beginning-of-sentence mark at 0, an end-of-sentence mark at the sentence's
        length, anything else right behind the token before it. Of the pieces of one character the
        last has the character, the others are empty, at its start.
        Words that `drop_token_pattern` lets the model leave out lie in no token. Raises
        `AlignmentError` if the tokens do not spell the sentence from its beginning to its end.
        """
        aligned = _best_alignment(tokens, sentence, self)
        if isinstance(aligned, Broken):
            raise AlignmentError(_message(tokens, aligned, self))
        ranges = [_range(aligned.reading, start, end) for start, end in aligned.spans]
        return _placed(tokens, ranges, sentence, self)

    def scored(self, sentence: str, printed: Sequence[PrintedToken]) -> ScoredSentence:
        """Return the sentence with the offsets of its printed tokens.

        A word that the model leaves out (`drop_token_pattern`) becomes a token without a
        surprisal: the sentence has it, and the model gave no number for it. Raises
        `AlignmentError`.
        """
        tokens: list[Token] = []
        covered = 0
        places = self.places([token.text for token in printed], sentence)
        for token, place in zip(printed, places, strict=False):
            tokens += _left_out(sentence, covered, place.start)
            covered = place.end
            oov = place.oov or (token.oov and place.role == "text")
            tokens.append(replace(place, surprisal_bits=token.surprisal_bits, oov=oov))
        tokens += _left_out(sentence, covered, len(sentence))
        return ScoredSentence(text=sentence, tokens=tuple(tokens))


_WARNINGS = threading.Lock()
_LONGEST_PATTERN = 200
# How many ways of matching a pattern may try at one place, and how many of them are in a * or +.
_MOST_WAYS = 1000
_REPEATED = 100

# An escaped character or a set; not a reference to a group.
_ONE_CHARACTER = re.compile(r"\\[^1-9]|\[\^?\]?(\\.|[^\]\\])*\]", re.DOTALL)
_NOT_ALLOWED = re.compile(r"\(\?[^:]|\\.", re.DOTALL)
_REPEAT = re.compile(r"[*+]|\{\d*,\d*\}")


def pattern_fault(pattern: str) -> str | None:
    """Return what is wrong with a pattern, None for one that is matched in no time.

    Only a part of Python's regular expressions is allowed: no look-around, no back-references, no
    group that is repeated, and in each alternative one `*` or `+` and a few other choices.
    """
    if len(pattern) > _LONGEST_PATTERN:
        return f"it is longer than {_LONGEST_PATTERN} characters"
    try:
        # How warnings are taken is one setting for all threads.
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, OverflowError, Warning) as error:
        return f"it is not a regular expression: {error}"
    bare = _ONE_CHARACTER.sub("x", pattern)
    if odd := _NOT_ALLOWED.search(bare):
        return f"{odd[0]!r} is not allowed in it"
    # A group that is there once or not at all is no more than a choice.
    if re.search(r"\)[*+{]", bare):
        return "a group is repeated in it, which can take for ever; write [...]+ instead"
    ways = [_REPEATED ** len(_REPEAT.findall(each)) << each.count("?") for each in bare.split("|")]
    # What is in groups may be tried with what is behind them; alternatives of the whole may not.
    if (math.prod(ways) << len(ways) - 1 if "(" in bare else sum(ways)) > _MOST_WAYS:
        return "it has so many choices that it can take for ever; use one * or + at most"
    return None


# Where in a word a spelling belongs: at its beginning, not at its beginning, at its end, not at
# its end, or anywhere.
Edge = Literal["any", "begins", "continues", "ends", "goes on"]


@frozen
class Spelling:
    """A text, without white space, that a token may stand for; `cost` 0 is the obvious one.

    The empty text is a token that stands for white space, or for nothing at all.
    """

    text: str
    cost: int
    edge: Edge


# A token carries a mark that nothing declared, or is written in a corpus' own convention.
_UNUSUAL = 1

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_WRITTEN_FOR: dict[str, tuple[str, ...]] = {
    **{form: (sign,) for name, sign in _BRACKETS.items() for form in (name, name.lower())},
    "``": ('"', "''"),
    "''": ('"',),
    "`": ("'",),
    "--": ("-",),  # the sentence's dash; typographic dashes are compared as "-"
    "---": ("-",),
}
_MOSES_SPLIT = re.compile(r"\A@(\S)@\Z")


@lru_cache(maxsize=2**16)
def spellings(token: str, spec: TokenizerSpec) -> tuple[Spelling, ...]:
    """Return what `token` may stand for, each text once, the cheapest first, then the longest."""
    cheapest: dict[str, Spelling] = {}
    for text, cost, edge in _without_marks(token, spec):
        for form, extra in _surface_forms(text):
            spelling = Spelling(text="".join(form.split()), cost=cost + extra, edge=edge)
            known = cheapest.get(spelling.text)
            if known is None or spelling.cost < known.cost:
                cheapest[spelling.text] = spelling
    return tuple(sorted(cheapest.values(), key=lambda each: (each.cost, -len(each.text))))


def _without_marks(token: str, spec: TokenizerSpec) -> Iterator[tuple[str, int, Edge]]:
    """Yield (text, cost, edge) for the token as it stands and without its word-boundary mark."""
    marked = list(_declared(token, spec))
    yield from ((text, 0, edge) for text, edge in marked)
    if marked:
        # A sentence may itself hold the sentinel, so the literal token stays possible.
        yield token, _UNUSUAL, "any"
    # Without the mark, in a tokenizer that marks words.
    elif spec.metaspace or (spec.sentinel and spec.sentinel_position == "initial"):
        yield token, 0, "continues"
    elif spec.sentinel and spec.sentinel_position == "final":
        yield token, 0, "goes on"
    else:
        yield token, 0, "any"
    if not spec.sentinel and not spec.metaspace:
        yield from ((text, _UNUSUAL, edge) for text, edge in _well_known(token))


def _declared(token: str, spec: TokenizerSpec) -> Iterator[tuple[str, Edge]]:
    if spec.metaspace and spec.metaspace in token:
        begins = token.startswith(spec.metaspace)
        yield token.replace(spec.metaspace, " "), "begins" if begins else "any"
    sentinel, position = spec.sentinel, spec.sentinel_position
    if not sentinel:
        return
    # Some specs name a sentinel and no position: then it may be on either side.
    is_anywhere = position not in {"initial", "medial", "final"}
    if token.startswith(sentinel) and position != "final":
        text = token.removeprefix(sentinel)
        yield text, "any" if is_anywhere else "continues" if position == "medial" else "begins"
        if position == "initial":
            # Two spaces may be one token `ĠĠ`.
            while text.startswith(sentinel):
                text = text.removeprefix(sentinel)
            yield text, "begins"
    if token.endswith(sentinel) and (is_anywhere or position == "final"):
        yield token.removesuffix(sentinel), "any" if is_anywhere else "ends"


def _well_known(token: str) -> Iterator[tuple[str, Edge]]:
    """Yield the token without a mark that tokenizers commonly use, for specs that name none."""
    if "▁" in token:
        yield token.replace("▁", " "), "any"
    if token.startswith("Ġ"):
        yield token.lstrip("Ġ"), "begins"
    if token.startswith("##"):
        yield token.removeprefix("##"), "continues"
    if token.endswith("</w>"):
        yield token.removesuffix("</w>"), "ends"
    if token.endswith("@@"):
        yield token.removesuffix("@@"), "goes on"


def _surface_forms(text: str) -> Iterator[tuple[str, int]]:
    yield text, 0
    yield from ((form, _UNUSUAL) for form in _WRITTEN_FOR.get(text, ()))
    unescaped = text.replace("\\/", "/").replace("\\*", "*")
    for form in (_MOSES_SPLIT.sub(r"\1", text), html.unescape(text), unescaped):
        if form != text:
            yield form, _UNUSUAL


_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")


def bytes_of(text: str, *, spaces: bool = False) -> tuple[bytes, ...]:
    """Return the bytes a token's text may stand for, itself in UTF-8 first.

    A byte-level tokenizer prints each byte as a character of GPT-2's alphabet ("Ã©" for "é"),
    SentencePiece prints a byte that it has no piece for as `<0xE2>`. White space is left out; with
    `spaces`, only that of ASCII is.
    """
    if byte := _BYTE_TOKEN.fullmatch(text):
        return (bytes([int(byte.group(1), 16)]),)
    plain = text.encode("utf-8", errors="surrogatepass")
    alphabet = _byte_alphabet()
    if text.isascii() or not all(character in alphabet for character in text):
        return (plain,)
    decoded = bytes(alphabet[character] for character in text)
    if spaces:
        return plain, b"".join(decoded.split())
    # surrogateescape keeps the half characters that a piece may begin or end with.
    characters = decoded.decode("utf-8", errors="surrogateescape").split()
    return plain, "".join(characters).encode("utf-8", errors="surrogateescape")


@cache
def _byte_alphabet() -> dict[str, int]:
    """Return GPT-2's character for each byte: itself if printable, else the next from U+0100."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    shifted = {chr(0x100 + place): byte for place, byte in enumerate(others)}
    return {chr(byte): byte for byte in printable} | shifted


# Compared as one: images print "'" for a typographic apostrophe and "-" for every dash.
_TYPOGRAPHY = str.maketrans(
    dict.fromkeys("‘’‚‛′´ʼ＇", "'")  # noqa: RUF001 - the look-alikes are the point
    | dict.fromkeys("“”„‟″«»＂", '"')  # noqa: RUF001 - the look-alikes are the point
    | dict.fromkeys("‐‑‒–—―−－", "-"),  # noqa: RUF001 - the look-alikes are the point
)


@frozen
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
    return _reading(sentence, map(_fold, sentence), lambda text: (_fold_all(text),), is_text=True)


def as_bytes(sentence: str) -> Reading:
    """Read UTF-8 bytes: a token may be a part of a character, in GPT-2's alphabet or as <0xE2>."""
    return _reading(sentence, map(_latin, sentence), _read_bytes)


def as_composed_bytes(sentence: str) -> Reading:
    """Read the bytes of the composed form (NFC), which some byte-level models make first.

    A letter and the marks that follow it are composed together, and belong to the letter.
    """
    parts: list[str] = []
    letter = 0
    for place, character in enumerate(sentence):
        if place and unicodedata.combining(character):
            parts[letter] += character
            parts.append("")
        else:
            letter = place
            parts.append(character)
    units = (_latin(unicodedata.normalize("NFC", part)) for part in parts)
    return _reading(sentence, units, _read_bytes)


def as_bytes_of_spaces_too(sentence: str) -> Reading:
    """Read bytes, those of white space beyond ASCII too: a byte-level model may cut it up."""
    return _reading(
        sentence,
        map(_latin, sentence),
        partial(_read_bytes, spaces=True),
        is_left_out=lambda character: character.isspace() and character.isascii(),
    )


def as_bare_letters(sentence: str) -> Reading:
    """Read characters without accents and other marks, as uncased BERT prints them."""
    return _reading(sentence, map(_bare, sentence), lambda text: (_bare(text),), is_text=True)


def is_slight(character: str) -> bool:
    """Whether the character is one that tokenizers drop in silence: marks, format, control."""
    return unicodedata.category(character) in {"Mn", "Me", "Cf", "Cc"}


def _reading(
    sentence: str,
    units: Iterable[str],
    read: Callable[[str], tuple[str, ...]],
    *,
    is_text: bool = False,
    is_left_out: Callable[[str], bool] = str.isspace,
) -> Reading:
    """Return a sentence in the units of its characters, without those left out."""
    places = [
        (place, unit)
        for place, (character, unit) in enumerate(zip(sentence, units, strict=True))
        if not is_left_out(character)
    ]
    return Reading(
        sentence=sentence,
        units="".join(unit for _, unit in places),
        characters=tuple(place for place, unit in places for _ in unit),
        read=read,
        is_text=is_text,
    )


def _read_bytes(text: str, *, spaces: bool = False) -> tuple[str, ...]:
    return tuple(raw.decode("latin-1") for raw in bytes_of(text, spaces=spaces))


def _latin(text: str) -> str:
    # One character a byte, so that bytes can be looked up with the methods of str.
    return text.encode("utf-8", errors="surrogatepass").decode("latin-1")


@lru_cache(maxsize=2**12)
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


_SLIGHT = 1  # a mark is left out; an unknown token ends at punctuation
_INEXACT = 2  # another case or typography; a piece that begins a word, inside a word
_DROPPED = 2  # a word that the model leaves out
_BROKEN_WORD = 4  # an unknown token begins or ends between two letters
_EXTRA_WORD = 8  # an unknown token stands for one word more


def _misfit(spelling: Spelling, reading: Reading, start: int, end: int, *, cased: bool) -> int:
    """Return what speaks against the spelling for the units [start, end); 0: nothing."""
    cost = spelling.cost
    if not _fits_edge(spelling.edge, reading, start, end):
        cost += _INEXACT
    if reading.is_text:
        text = reading.text(start, end)
        if spelling.text != text and (cased or spelling.text != text.lower()):
            cost += _INEXACT
    return cost


def _fits_edge(edge: Edge, reading: Reading, start: int, end: int) -> bool:
    if edge == "any" or (edge == "continues" and start == 0):
        return True
    is_at_edge = reading.is_word_edge(start if edge in {"begins", "continues"} else end)
    return is_at_edge == (edge in {"begins", "ends"})


def _dropped(reading: Reading, spec: TokenizerSpec) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, cost) of the units that need no token, in the order of `start`.

    These are the marks that tokenizers drop in silence, and the words, or ends of words, or runs
    of punctuation, that `drop_token_pattern` matches.
    """
    pattern = re.compile(spec.drop_token_pattern) if spec.drop_token_pattern else None
    for start in range(len(reading.units)):
        if is_slight(reading.sentence[reading.characters[start]]) and not reading.is_cut(start):
            yield start, _next(start, reading, lambda at: not reading.is_cut(at)), _SLIGHT
        if pattern and (reading.is_word_edge(start) or reading.is_punctuation_edge(start)):
            word_end = _next(start, reading, reading.is_word_edge)
            run_end = min(word_end, _next(start, reading, reading.is_punctuation_edge))
            for end, cost in ((word_end, _DROPPED), (run_end, _DROPPED + _SLIGHT)):
                if not pattern.sub("", reading.text(start, end)):
                    yield start, end, cost


def _next(start: int, reading: Reading, is_boundary: Callable[[int], bool]) -> int:
    count = len(reading.units)
    return next((at for at in range(start + 1, count) if is_boundary(at)), count)


@positional
class Aligned:
    """Which units each token spells: `spans[i]` for token i, empty for a token that spells none.

    `spans` is shorter than the tokens where those after an end-of-sentence mark are left out.
    """

    reading: Reading
    spans: tuple[tuple[int, int], ...]
    cost: int


@positional
class Broken:
    """Where no alignment goes on: before token `token` (their number: behind them), at `unit`."""

    reading: Reading
    token: int
    unit: int


class _Ways(dict[int, tuple[int, int]]):
    """The units that can be reached: the least cost of each, and the unit that it is reached from.

    Of ways that cost the same the one that was found first stays.
    """

    def reach(self, unit: int, cost: int, origin: int) -> None:
        """Note a way, unless one is known that costs no more."""
        if unit not in self or cost < self[unit][0]:
            self[unit] = cost, origin


def align(tokens: Sequence[str], reading: Reading, spec: TokenizerSpec) -> Aligned | Broken:
    """Return the cheapest alignment, or where the one that got furthest breaks off."""
    drops = list(_dropped(reading, spec))
    edges = list(_edges(reading)) if spec.unk_types.intersection(tokens) else []
    n_units = len(reading.units)
    ready = _passed_over(_Ways({0: (0, 0)}), drops)
    # For each token where it ends, and where the next one may begin then.
    steps: list[tuple[_Ways, _Ways]] = []
    ends: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        if index and token in spec.suffix_types and n_units in ready:
            ends.append((ready[n_units][0], index))
        if token in spec.unk_types:
            arrived = _unknown_ways(ready, edges)
        else:
            arrived = _ways(token, ready, reading, spec)
        if not arrived:
            break
        ready = _passed_over(arrived, drops)
        steps.append((arrived, ready))
    else:
        if n_units in ready:
            ends.append((ready[n_units][0], len(tokens)))
    if not ends:
        # The way that got furthest, or the cheapest of them. Text left over is told from its first
        # word on, a token at its likeliest place.
        all_used = len(steps) == len(tokens)
        unit = max(ready) if all_used else min(ready, key=lambda each: (ready[each][0], each))
        return Broken(reading, len(steps), unit)
    cost, end = min(ends)
    spans: list[tuple[int, int]] = []
    unit = n_units
    for arrived, ready in reversed(steps[:end]):
        stop = ready[unit][1]
        unit = arrived[stop][1]
        spans.append((unit, stop))
    spans.reverse()
    if end < len(tokens):
        spans.append((n_units, n_units))  # the end-of-sentence mark
    return Aligned(reading, tuple(spans), cost)


def _passed_over(arrived: _Ways, drops: Sequence[tuple[int, int, int]]) -> _Ways:
    """Return the ways after words that the model leaves out, each from where these begin."""
    ready = _Ways({unit: (cost, unit) for unit, (cost, _) in arrived.items()})
    for start, end, more in drops:
        if start in ready:
            cost, origin = ready[start]
            ready.reach(end, cost + more, origin)
    return ready


def _ways(token: str, ready: _Ways, reading: Reading, spec: TokenizerSpec) -> _Ways:
    """Return where a token that is not unknown ends."""
    arrived = _Ways()
    forms = spellings(token, spec)
    for spelling in forms:
        for units in filter(None, reading.read(spelling.text)):
            for start, (cost, _) in ready.items():
                if reading.units.startswith(units, start):
                    end = start + len(units)
                    more = _misfit(spelling, reading, start, end, cased=spec.cased)
                    arrived.reach(end, cost + more, start)
    is_mark = token in spec.marks
    if is_mark or any(not spelling.text for spelling in forms):
        # It spells nothing here; white space stands at the edge of a word.
        for unit, (cost, _) in ready.items():
            more = 0 if is_mark or reading.is_word_edge(unit) else _INEXACT
            arrived.reach(unit, cost + more, unit)
    return arrived


class _Edge(NamedTuple):
    """What it costs an unknown token to begin and to end at a boundary; None: it can't.

    `words` is the sum of what word edges up to it cost a token that they lie in.
    """

    begin: int | None
    end: int | None
    words: int


def _edges(reading: Reading) -> Iterator[_Edge]:
    """Yield the boundaries of a reading, from the sentence's beginning to its end."""
    words = 0
    for at in range(len(reading.units) + 1):
        if reading.is_word_edge(at):
            words += _EXTRA_WORD
            yield _Edge(0, 0, words)
        elif reading.is_punctuation_edge(at):
            yield _Edge(0, _SLIGHT, words)
        else:
            inside = None if reading.is_cut(at) else _BROKEN_WORD
            yield _Edge(inside, inside, words)


def _unknown_ways(ready: _Ways, edges: Sequence[_Edge]) -> _Ways:
    """Return where an unknown token ends: anywhere behind."""
    arrived = _Ways()
    cheapest: tuple[int, int] | None = None
    for at, (before, edge) in enumerate(pairwise(edges)):
        if at in ready and before.begin is not None:
            # Ways to begin differ in the words that lie behind them, too.
            begun = ready[at][0] + before.begin - before.words
            if cheapest is None or begun < cheapest[0]:
                cheapest = begun, at
        if cheapest is not None and edge.end is not None:
            arrived.reach(at + 1, cheapest[0] + before.words + edge.end, cheapest[1])
    return arrived


# The characters a token stands for, [start, end); None for a token that stands for none.
Range = tuple[int, int] | None


def _best_alignment(tokens: Sequence[str], sentence: str, spec: TokenizerSpec) -> Aligned | Broken:
    """Return the cheapest alignment over the ways to read the sentence, or where it breaks."""
    first = align(tokens, as_characters(sentence), spec)
    if isinstance(first, Aligned):
        if first.cost == 0 or sentence.isascii() or "".join(tokens).isascii():
            return first
        # An unknown token may have swallowed what pieces of characters spell exactly.
        second = align(tokens, as_bytes(sentence), spec)
        return second if isinstance(second, Aligned) and second.cost < first.cost else first
    furthest = first
    for read in (as_bytes, as_composed_bytes, as_bare_letters, as_bytes_of_spaces_too):
        result = align(tokens, read(sentence), spec)
        if isinstance(result, Aligned):
            return result
        if result.token > furthest.token:
            furthest = result
    return furthest


def _range(reading: Reading, start: int, end: int) -> Range:
    """Return the characters of the units [start, end); the last piece of a character has it."""
    if start == end:
        return None
    first, last = reading.characters[start], reading.characters[end - 1]
    return first, last if reading.is_cut(end) else last + 1


def _placed(
    tokens: Sequence[str], ranges: Sequence[Range], sentence: str, spec: TokenizerSpec
) -> tuple[Token, ...]:
    """Give tokens without text a place among the others, and every token its role."""
    marks = spec.marks
    n_leading = sum(1 for _ in takewhile(marks.__contains__, tokens))
    placed: list[Token] = []
    at = 0
    for index, (token, place) in enumerate(zip(tokens, ranges, strict=False)):
        role: TokenRole = "text"
        # A token of white space has one such character, if there is one left.
        start, end = at, at + sentence[at : at + 1].isspace()
        if place is not None:
            start, end = _take_in_marks(placed, sentence, at, place[0]), place[1]
        elif token in marks:
            # One that both opens and closes sentences goes by its place.
            ends = index > 0 and not any(ranges[index:])
            leads = index < n_leading and token in spec.prefix_types
            role = "bos" if leads else "special"
            if ends and token in spec.suffix_types:
                role = "eos"
            start = end = len(sentence) if role == "eos" else at
        oov = place is not None and token in spec.unk_types
        placed.append(
            Token(text=token, start=start, end=end, surprisal_bits=None, oov=oov, role=role)
        )
        at = at if role == "eos" else max(at, end)
    _take_in_marks(placed, sentence, at, len(sentence))
    return tuple(placed)


def _take_in_marks(placed: list[Token], sentence: str, at: int, start: int) -> int:
    """Give marks that no token spells, before `start`, to the token they follow.

    Returns where the next token begins: earlier than `start` if no token is there to follow.
    """
    gap = sentence[at:start].rstrip()
    visible = gap.strip()
    if not visible or not all(is_slight(each) or each.isspace() for each in visible):
        return start
    last = len(placed) - 1
    if last >= 0 and placed[last].role == "text":
        placed[last] = replace(placed[last], end=at + len(gap))
        return start
    return at + len(gap) - len(gap.lstrip())


def _message(tokens: Sequence[str], broken: Broken, spec: TokenizerSpec) -> str:
    """Say where tokens and sentence part, show both there, and what would be right."""
    sentence, characters = broken.reading.sentence, broken.reading.characters
    left_over = broken.unit < len(characters)
    at = characters[broken.unit] if left_over else len(sentence)
    if broken.token == len(tokens):
        what = f"the tokens end before character {at} of the sentence"
        hint = "a token is missing, or the spec's drop_token_pattern has to match what is left out"
    else:
        token = tokens[broken.token]
        fault = "comes after the end of the sentence"
        if left_over:
            fault = f"does not fit the sentence from character {at} on"
        what = f"token {broken.token + 1}, {token!r}, {fault}"
        hint = _hint_for_mark(token, spec)
    return (
        f"the tokens are not this sentence's: {what}\n"
        f"    tokens:   {' '.join(_around(tokens, broken.token, _N_TOKENS_SHOWN))}\n"
        f"    sentence: {''.join(_around(sentence, at, _N_CHARACTERS_SHOWN))}\n"
        f"{hint}"
    )


def _hint_for_mark(token: str, spec: TokenizerSpec) -> str:
    if re.fullmatch(r"<.+>|\[.+\]", token, re.DOTALL):
        return (
            f"if {token!r} is a mark and no text, the spec has to list it among its unk_types, "
            "prefix_types, suffix_types or special_types"
        )
    unknown = ", ".join(sorted(spec.unk_types)) or "none"
    return f"it has to spell what stands there, or be one of the spec's unk_types ({unknown})"


_N_TOKENS_SHOWN = 4
_N_CHARACTERS_SHOWN = 30


def _around(parts: Sequence[str], at: int, n_shown: int) -> list[str]:
    """Return the parts about the one `at`, which stands after the bar."""
    first, last = max(0, at - n_shown), at + n_shown
    before = ["..."] if first else []
    after = ["..."] if last < len(parts) else []
    return [*before, *parts[first:at], "|", *parts[at:last], *after]


_WORD = re.compile(r"\S+")


def _left_out(sentence: str, start: int, end: int) -> Iterator[Token]:
    for word in _WORD.finditer(sentence, start, end):
        yield Token(text=word[0], start=word.start(), end=word.end(), surprisal_bits=None)
