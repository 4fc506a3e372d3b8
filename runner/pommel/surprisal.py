"""What a model says of a sentence: its tokens, where they are, and how surprising each one was."""

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import fields, make_dataclass
from typing import Any, ClassVar, Literal

from pommel.errors import AlignmentError, SurprisalError
from pommel.values import frozen

TokenRole = Literal["text", "bos", "eos", "special"]
Unscored = Literal["no context", "not asked for", "not comparable"]


@frozen
class Token:
    """One token of a sentence, as the model names it.

    `start` and `end` are character offsets in the sentence, `[start, end)`; a token that stands
    for no character of its own (an end-of-sentence mark) has `start == end`.
    `surprisal_bits` is -log2 p(token | context); None means that there is no probability for it.
    Never silently 0. `why_unscored` then says why: "no context" (a first token without a
    beginning-of-sentence mark), "not asked for" (outside the spans that a request named), or
    "not comparable" (the method does not apply: a word of several tokens under `focus-mask`).
    `oov` says that the token stands for text outside the model's vocabulary.
    `role` is "text" for what the sentence is made of, and says which mark it is otherwise.
    """

    # A model's probabilities are rounded: a certain token may come out as -1e-7 bits.
    ROUNDING_BITS: ClassVar[float] = 1e-4
    # Sums that differ by no more are equal. The same tokens add up to the same bits in another
    # order, but for the last digits, which must decide nothing: some 1e-14 in float64, 1e-6 where a
    # reader of n-grams adds in float32. A network's bits differ by up to 4e-5 between machines.
    TIE_BITS: ClassVar[float] = 1e-5

    text: str
    start: int
    end: int
    surprisal_bits: float | None
    oov: bool = False
    role: TokenRole = "text"
    why_unscored: Unscored = "no context"

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[object, ...]]) -> "tuple[Token, ...]":
        """Return a token of each row, which has the fields in their order: the quick way to many.

        What is frozen from the start takes ten times as long to fill.
        """
        tokens: list[Any] = [*itertools.starmap(_unfrozen(), rows)]
        for each in tokens:
            each.__class__ = cls
        return tuple(tokens)


@functools.cache
def _unfrozen() -> type:
    """Return a class whose objects have the fields of tokens and may become tokens."""
    return make_dataclass("_Unfrozen", [each.name for each in fields(Token)], slots=True)


@frozen
class ScoredSentence:
    """A sentence and its tokens, in order.

    `failure` is why a model has no answer for the sentence, which has no tokens then. A model never
    says so itself: it raises `ModelError`, and whoever asks goes on without the sentence.
    """

    text: str
    tokens: tuple[Token, ...]
    failure: str = ""

    def check(self) -> None:
        """Raise if the tokens cannot be this sentence's.

        Every visible character lies in exactly one token, offsets never run backwards, and
        surprisals are finite or +infinity (a word of probability 0) and not below 0. Raises
        `AlignmentError` or `SurprisalError`; both name the sentence.
        """
        covered, n_characters = 0, len(self.text)
        for token in self.tokens:
            start, bits = token.start, token.surprisal_bits
            if not covered <= start <= token.end <= n_characters:
                raise AlignmentError(
                    f"token {token.text!r} has the offsets {start}-{token.end}, which do not fit "
                    f"the sentence {self.text!r}"
                )
            if covered < start:
                _check_nothing_visible(self.text, covered, start)
            covered = token.end
            # Nothing compares with what is not a number.
            if bits is not None and not bits >= -Token.ROUNDING_BITS:
                what = f"token {token.text!r} has a surprisal of {bits} bits"
                raise SurprisalError(f"{what} in {self.text!r}")
        _check_nothing_visible(self.text, covered, len(self.text))

    def has_all_of(self, spans: Sequence[tuple[int, int]] | None) -> bool:
        """Say whether every token was asked for whose first character lies in one of `spans`.

        They are ranges [start, end) of characters; None asks for all tokens.
        """
        return not any(
            token.why_unscored == "not asked for"
            and (spans is None or any(start <= token.start < end for start, end in spans))
            for token in [each for each in self.tokens if each.surprisal_bits is None]
        )


def _check_nothing_visible(text: str, start: int, end: int) -> None:
    missing = text[start:end].strip()
    if missing:
        raise AlignmentError(f"no token stands for {missing!r} (character {start}) in {text!r}")
