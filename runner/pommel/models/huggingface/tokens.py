"""From sentences to token ids with character offsets, with the marks that the policy asks for.

What a tokenizer calls its tokens, and which marks it has for the two ends of a sentence
(`Vocabulary`), what it writes where words begin (`vocabulary_spec`), a sentence as a network gets
it (`Encoded`), and how it becomes so (`Vocabulary.encode`). A tokenizer in Python gives no offsets:
they are recovered from the text.
"""

import itertools
import math
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pommel.errors import AlignmentError, ModelError, SurprisalError
from pommel.models.alignment import TokenizerSpec
from pommel.models.model import Policy, Spans
from pommel.models.neural.questions import Ids, asked_for
from pommel.surprisal import ScoredSentence, Token, TokenRole, Unscored
from pommel.values import frozen

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# Of a token each: one number or several, and `[start, end)` in characters.
Places = NDArray[np.int32]
Offsets = Sequence[tuple[int, int]]


def character_spans(sentence: str, offsets: Offsets) -> list[tuple[int, int]]:
    """Return one `(start, end)` in characters for each of `offsets`, in order, never overlapping.

    A token's start is kept. Where pieces share a character (a byte-level tokenizer cuts an emoji
    in up to four), the last of them owns it and the others end where they start, so that each
    still lies in the region that the character lies in; a piece that ended after the character
    would be counted in the next region. Characters that the tokenizer's normaliser drops
    (combining accents, zero-width marks, control characters) are given to the token they touch.
    """
    if _follow_each_other(sentence, offsets):
        return list(offsets)
    starts: list[int] = []
    ends: list[int] = []
    for start, end in offsets:
        # A token for no character at all may come with any offset: it follows the token before.
        floating = start >= end or start < (starts[-1] if starts else 0)
        first = max(start, ends[-1] if ends else 0) if floating else start
        starts.append(min(first, len(sentence)))
        ends.append(first if floating else min(end, len(sentence)))
    for index in range(len(starts) - 1):
        ends[index] = min(ends[index], starts[index + 1])
    _adopt_dropped(sentence, starts, ends)
    return list(zip(starts, ends, strict=True))


def _follow_each_other(sentence: str, offsets: Offsets) -> bool:
    """Say whether nothing has to be done: the case of nearly every sentence."""
    covered = 0
    for start, end in offsets:
        if start != covered and (start < covered or sentence[covered:start].strip()):
            return False
        if start >= end:
            return False
        covered = end
    return covered <= len(sentence) and not sentence[covered:].strip()


def _adopt_dropped(sentence: str, starts: list[int], ends: list[int]) -> None:
    """Widen the spans, in place, over the characters between them that no tokenizer reads."""
    covered = 0
    for index in range(len(starts) + 1 if starts else 0):
        next_start = starts[index] if index < len(starts) else len(sentence)
        gap = sentence[covered:next_start]
        if gap.strip() and all(c.isspace() or unicodedata.category(c)[0] in "MC" for c in gap):
            # What touches the token before is its own, the rest belongs to the token after.
            touching = len(gap.rstrip())
            if index < len(starts):
                is_apart = index == 0 or gap[0].isspace()
                touching = 0 if is_apart else len(gap.split(maxsplit=1)[0])
                starts[index] = next_start - len(gap[touching:].lstrip())
            if index:
                ends[index - 1] = covered + touching
        if index < len(starts):
            covered = ends[index]


# A mark counts as a tokenizer's own when this share of its vocabulary carries it.
_SHARE = 0.02


def vocabulary_spec(tokenizer: "PreTrainedTokenizerBase") -> TokenizerSpec:
    """Return how to read a tokenizer's tokens, found by looking at its vocabulary."""
    words = list(tokenizer.get_vocab())
    sentinel, position, metaspace = "", "", ""
    if is_common("▁", words):
        metaspace = "▁"
    elif is_common("Ġ", words):
        sentinel, position = "Ġ", "initial"
    elif is_common("##", words):
        sentinel, position = "##", "medial"
    elif is_common("</w>", words, at_end=True):
        sentinel, position = "</w>", "final"
    unknown = tokenizer.unk_token
    return TokenizerSpec(
        unk_types=frozenset({unknown} if unknown else ()),
        special_types=frozenset(tokenizer.all_special_tokens) - {unknown},
        type="subword",
        sentinel=sentinel,
        sentinel_position=position,
        metaspace=metaspace,
    )


def is_common(mark: str, words: Collection[str], *, at_end: bool = False) -> bool:
    """Say whether so many of a vocabulary's words begin (or end) with a mark that it is meant."""
    n_carriers = sum((word.endswith if at_end else word.startswith)(mark) for word in words)
    return n_carriers >= max(1, _SHARE * len(words))


@frozen
class Ends:
    """The token ids that go in front of a sentence and behind it.

    `opening_is_scored` and `closing_is_scored` say whether these are tokens that get a
    surprisal; otherwise they are context only.
    """

    opening: tuple[int, ...]
    closing: tuple[int, ...]
    opening_is_scored: bool = False
    closing_is_scored: bool = True

    def check(self, policy: Policy) -> None:
        """Raise `ModelError` for a mark that has to be there and is not."""
        missing = "{}=always: this model has no {}-of-sentence mark"
        if policy.bos == "always" and not self.opening:
            raise ModelError(missing.format("bos", "beginning"))
        if policy.eos == "always" and not self.closing:
            raise ModelError(missing.format("eos", "end"))


# A surprisal in bits, or why there is none.
Outcome = float | Unscored

_WORD = re.compile(r"\S+")


@frozen(eq=False)
class Encoded:
    """A sentence's token ids and places, kept small: tokens are made when they are asked for.

    `ids` (n,) is the whole input. The first `n_marks` and the last `n_closing` of them are marks
    that are context only; each of the others is one token, in order: `n_bos` marks in front, the
    text, `n_eos` marks behind. `offsets` (tokens x 2) are characters `[start, end)`. `words`
    (tokens of the text,) numbers the words that the tokenizer cut the text into before it cut
    tokens; white space ends a word too, whether the tokenizer cuts there, or tells, or not.
    """

    text: str
    ids: Ids
    offsets: Places
    words: Places
    n_marks: int
    n_bos: int
    n_eos: int
    n_closing: int
    vocabulary: "Vocabulary"

    @property
    def n_tokens(self) -> int:
        """How many tokens the sentence has, without the marks that are context only."""
        return len(self.offsets)

    @property
    def token_ids(self) -> Ids:
        """The ids of the tokens, (tokens,)."""
        return self.ids[self.n_marks : self.n_marks + self.n_tokens]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens, made anew; none has a surprisal yet."""
        return self.tokens_with(["no context"] * self.n_tokens)

    def tokens_with(self, outcomes: Sequence[Outcome]) -> tuple[Token, ...]:
        """Return the tokens, each with its surprisal or the reason why there is none."""
        known, ids = self.vocabulary, self.token_ids.tolist()
        text_ids = ids[self.n_bos : len(ids) - self.n_eos]
        roles = [*["bos"] * self.n_bos, *known.roles(text_ids), *["eos"] * self.n_eos]
        starts, ends = self.offsets.T.tolist()
        # Rounding may make the surprisal of a certain token -1e-7.
        bits = [
            None if isinstance(each, str) else 0.0 if -Token.ROUNDING_BITS < each < 0 else each
            for each in outcomes
        ]
        oov = [each == known.unknown for each in ids]
        why = [each if isinstance(each, str) else "no context" for each in outcomes]
        return Token.of_rows(
            zip(known.texts(ids), starts, ends, bits, oov, roles, why, strict=True)
        )

    def scored(self, outcomes: Sequence[Outcome]) -> ScoredSentence:
        """Return the sentence with its surprisals; `ModelError` for those that are no numbers."""
        scored = ScoredSentence(text=self.text, tokens=self.tokens_with(outcomes))
        try:
            scored.check()
        except SurprisalError:
            for token in scored.tokens:
                if token.surprisal_bits is not None and math.isnan(token.surprisal_bits):
                    raise ModelError(
                        f"the model gives no number (NaN) for {token.text!r} "
                        f"in {shortened(self.text)}"
                    ) from None
            raise
        return scored

    def asked_for(self, spans: Spans | None) -> NDArray[np.bool_]:
        """Return for each token whether one of `spans` holds its first character; None asks all."""
        return asked_for(self.offsets[:, 0], spans)


def whitespace_words(text: str, starts: Places) -> Places:
    """Return the number of the word, between white space, that each token lies in, from 0.

    A token that begins with white space lies in the word after it.
    """
    word_ends = np.array([match.end() for match in _WORD.finditer(text)], dtype=np.int32)
    return np.searchsorted(word_ends, starts, side="right").astype(np.int32)


_SHOWN_CHARACTERS = 60
# What a tokenizer returns takes a hundred times the room of what is kept of it.
_SENTENCES_AT_ONCE = 1024

# Ids, offsets, and the word that each token belongs to.
_Read = tuple[list[int], Offsets, Places]


class Vocabulary:
    """The tokens of one tokenizer, by their ids, of which the network knows those below `n_known`.

    `bos`, `eos` and `mask` are the marks that have these names, None where there are none or the
    network does not know them. `own_prefix` and `own_suffix` are what the tokenizer adds by itself.
    `unknown` is the token for text outside the vocabulary, None if there is none; `special` are
    all marks, the unknown token among them if the tokenizer counts it as one.
    """

    def __init__(self, tokenizer: "PreTrainedTokenizerBase", *, n_known: int) -> None:
        """Ask `tokenizer` for its marks."""
        self.tokenizer = tokenizer
        self.n_known = n_known
        self.bos = _named_mark(tokenizer, "bos_token", n_known)
        self.eos = _named_mark(tokenizer, "eos_token", n_known)
        self.mask = _named_mark(tokenizer, "mask_token", n_known)
        self.own_prefix, self.own_suffix = _own_marks(tokenizer)
        unknown = tokenizer.unk_token_id
        # GPT-2 says that its unknown token is its end-of-text mark; in truth it has none.
        self.unknown = None if unknown in {self.bos, self.eos} else unknown
        self.special = frozenset(tokenizer.all_special_ids)
        self._texts: dict[int, str] = {}
        self._slow_spec = None if tokenizer.is_fast else vocabulary_spec(tokenizer)

    @property
    def start(self) -> int | None:
        """The mark for a sentence's beginning, by whatever name; None if there is none."""
        return next(iter(self.prefix(Policy(bos="auto"))), None)

    @property
    def end(self) -> int | None:
        """The mark for a sentence's end, by whatever name; None if there is none."""
        return self.eos if self.eos is not None else next(iter(self.own_suffix), None)

    @property
    def ends(self) -> frozenset[int]:
        """Every mark after which a sentence is over."""
        return frozenset(self.own_suffix if self.eos is None else (self.eos, *self.own_suffix))

    def prefix(self, policy: Policy) -> tuple[int, ...]:
        """Return what goes in front of a sentence that is read from left to right.

        1. Nothing, if the policy is "never"; what the tokenizer adds, if it is "tokenizer".
        2. What the tokenizer adds by itself, if that holds its BOS mark or it names none.
        3. Its BOS mark.
        4. Nothing, if it has none.
        """
        if policy.bos == "never":
            return ()
        own = self.own_prefix
        if policy.bos == "tokenizer" or self.bos is None or self.bos in own:
            return own
        return (self.bos,)

    def suffix(self, policy: Policy) -> tuple[int, ...]:
        """Return what follows a sentence that is read from left to right: one mark or none.

        "auto" is what the tokenizer adds by itself; "always" is that or else its EOS mark.
        """
        if policy.eos == "never":
            return ()
        if self.eos is not None and (self.eos in self.own_suffix or policy.eos == "always"):
            return (self.eos,)
        return self.own_suffix[:1]

    def texts(self, token_ids: Sequence[int]) -> list[str]:
        """Return how the tokenizer writes each of some tokens; it is asked once for each."""
        known = self._texts
        if new := [each for each in token_ids if each not in known]:
            known.update(zip(new, map(str, self.tokenizer.convert_ids_to_tokens(new)), strict=True))
        return [known[each] for each in token_ids]

    def text(self, token_id: int | None) -> str | None:
        """Return how the tokenizer writes a token, None for None."""
        return None if token_id is None else self.texts([int(token_id)])[0]

    def roles(self, token_ids: Sequence[int]) -> list[TokenRole]:
        """Return whether tokens of a sentence are text or marks that are written out in it."""
        marks = self.special - {self.unknown}
        return ["special" if each in marks else "text" for each in token_ids]

    def items(self, width: int) -> Iterator[str]:
        """Yield a name for each of the `width` outputs of a network, in order.

        A network may have room for more than its tokenizer has: `<unused7>` is the output 7
        that no token has.
        """
        names = {token_id: text for text, token_id in self.tokenizer.get_vocab().items()}
        for token_id in range(width):
            yield str(names.get(token_id) or f"<unused{token_id}>")

    def encode(self, sentences: Sequence[str], ends: Ends) -> list[Encoded]:
        """Return the sentences' tokens, in order, each with the marks `ends` exactly once.

        Raises `ModelError` for text that is no Unicode, for tokens that do not spell it, and for a
        token that the network does not know.
        """
        blamed: dict[str, str] = {}
        for sentence in sentences:
            try:
                sentence.encode()
            except UnicodeEncodeError as error:
                broken = sentence[error.start]
                what = f"the character {broken!a} at {error.start} is half of a pair and no text"
                blamed[sentence] = f"{what} (in {shortened(sentence)})"
        if blamed:
            raise ModelError.of_sentences(blamed)
        encoded = []
        # Tokens that do not spell a sentence end the reading of those beside it.
        n_at_once = _SENTENCES_AT_ONCE if self._slow_spec is None else 1
        for first in range(0, len(sentences), n_at_once):
            chunk = sentences[first : first + n_at_once]
            reads = self._read(chunk)
            for sentence in chunk:
                try:
                    encoded.append(self._with_marks(sentence, next(reads), ends))
                except (AlignmentError, ModelError) as error:
                    blamed[sentence] = str(error)
        if blamed:
            raise ModelError.of_sentences(blamed)
        return encoded

    def _read(self, sentences: Sequence[str]) -> Iterator[_Read]:
        """Yield the ids and places of each sentence, without marks at its ends."""
        if (spec := self._slow_spec) is not None:
            for sentence in sentences:
                # Before they become ids, unknown tokens still show the text they stand for.
                pieces = self.tokenizer.tokenize(sentence)
                ids = np.ravel(self.tokenizer.convert_tokens_to_ids(pieces)).tolist()
                offsets = _byte_offsets(pieces, sentence) or [
                    (token.start, token.end) for token in spec.places(pieces, sentence)
                ]
                yield ids, offsets, whitespace_words(sentence, _table(offsets)[:, 0])
            return
        batch = self.tokenizer(list(sentences), add_special_tokens=False, verbose=False)
        for sentence, read in zip(sentences, batch.encodings, strict=True):
            ids, offsets = read.ids, read.offsets
            first, last = self._without_added(ids, offsets)
            spans = character_spans(sentence, offsets[first:last])
            words = _words(sentence, read.word_ids[first:last], spans)
            yield ids[first:last], spans, words

    def _without_added(self, ids: Sequence[int], offsets: Offsets) -> tuple[int, int]:
        # Some tokenizers add a mark even when told not to; ours are added elsewhere, once.
        first, last = 0, len(ids)
        while first < last and self._is_added(ids[first], offsets[first]):
            first += 1
        while first < last and self._is_added(ids[last - 1], offsets[last - 1]):
            last -= 1
        return first, last

    def _is_added(self, token_id: int, offset: tuple[int, int]) -> bool:
        return token_id in self.special and offset[0] == offset[1]

    def _with_marks(self, text: str, read: _Read, ends: Ends) -> Encoded:
        ids, offsets, words = read
        # A sentence may have its marks written out; it is not given them twice.
        opening, closing = ends.opening, ends.closing
        if opening and tuple(ids[: len(opening)]) == opening:
            opening = ()
        if closing and tuple(ids[-len(closing) :]) == closing:
            closing = ()
        n_bos = len(opening) if ends.opening_is_scored else 0
        n_eos = len(closing) if ends.closing_is_scored else 0
        places = [*[(0, 0)] * n_bos, *offsets, *[(len(text), len(text))] * n_eos]
        whole = [*opening, *ids, *closing]
        if max(whole, default=0) >= self.n_known:
            name = self.text(next(each for each in whole if each >= self.n_known))
            message = f"the model does not know its tokenizer's {name!r}"
            raise ModelError(f"{message} in {shortened(text)}")
        return Encoded(
            text=text,
            ids=np.array(whole, dtype=np.int64),
            offsets=_table(places),
            words=words,
            n_marks=len(opening) - n_bos,
            n_bos=n_bos,
            n_eos=n_eos,
            n_closing=len(closing) - n_eos,
            vocabulary=self,
        )


def _named_mark(tokenizer: "PreTrainedTokenizerBase", name: str, n_known: int) -> int | None:
    text, token_id = getattr(tokenizer, name), getattr(tokenizer, f"{name}_id")
    # A tokenizer's class may name a mark by default that this model's vocabulary has not got.
    is_unknown = token_id == tokenizer.unk_token_id and text != tokenizer.unk_token
    if text is None or token_id is None or is_unknown or token_id >= n_known:
        return None
    return int(token_id)


# Any of these is a token or more for any tokenizer we know of.
_PROBES = ("a", "the", "1", ".")


def _own_marks(tokenizer: "PreTrainedTokenizerBase") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return what the tokenizer puts in front of and behind a sentence."""
    for probe in _PROBES:
        plain = tokenizer.encode(probe, add_special_tokens=False)
        full = tokenizer.encode(probe, add_special_tokens=True)
        for start in range(len(full) - len(plain) + 1 if plain else 0):
            end = start + len(plain)
            if full[start:end] == plain:
                return tuple(full[:start]), tuple(full[end:])
    return (), ()


def shortened(sentence: str) -> str:
    """Return a sentence, quoted, for a message: about 60 characters of it."""
    too_long = len(sentence) > _SHOWN_CHARACTERS
    return repr(sentence[: _SHOWN_CHARACTERS - 3] + "..." if too_long else sentence)


def _words(sentence: str, told: Sequence[int | None], offsets: Offsets) -> Places:
    """Return the number of each token's word, from what a tokenizer has `told` of it."""
    if None not in told and len(set(told)) >= len(sentence.split()):
        return np.array(told, dtype=np.int32)
    # Without a pre-tokenizer (Llama's family has none) everything between two marks is one word.
    words = np.array([-1 if word is None else word for word in told], dtype=np.int32)
    spaced = whitespace_words(sentence, _table(offsets)[:, 0])
    begins = (np.diff(words, prepend=words[:1]) != 0) | (np.diff(spaced, prepend=spaced[:1]) != 0)
    return np.cumsum(begins, dtype=np.int32)


def _byte_offsets(pieces: Sequence[str], sentence: str) -> Offsets | None:
    """Return the places of pieces that are the bytes of a sentence (ByT5's); None of others."""
    if [*map(ord, "".join(pieces))] != [*sentence.encode()]:
        return None
    offsets = [(at, at + 1) for at, each in enumerate(sentence) for _ in each.encode()]
    return character_spans(sentence, offsets) if len(offsets) == len(pieces) else None


def _table(offsets: Offsets) -> Places:
    flat = itertools.chain.from_iterable(offsets)
    return np.fromiter(flat, dtype=np.int32, count=2 * len(offsets)).reshape(-1, 2)
