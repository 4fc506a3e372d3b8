"""A sentence as a network gets it: ids, and where in the text each of them lies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pommel.models.huggingface.token_names import TokenNames
from pommel.models.model import Spans
from pommel.models.neural.requests import Ids
from pommel.models.spans import asked_for
from pommel.surprisal import Token, Unscored

# A surprisal in bits, or why there is none.
Outcome = float | Unscored

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
    offsets: NDArray[np.int32]
    words: NDArray[np.int32]
    n_marks: int
    n_bos: int
    n_eos: int
    n_closing: int
    names: TokenNames

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
        nothing: list[Outcome] = ["no context"] * self.n_tokens
        return self.tokens_with(nothing)

    def tokens_with(self, outcomes: Sequence[Outcome]) -> tuple[Token, ...]:
        """Return the tokens, each with its surprisal or the reason why there is none."""
        names, ids = self.names, self.token_ids.tolist()
        first_eos = len(ids) - self.n_eos
        rows = zip(ids, names.texts(ids), self.offsets.tolist(), outcomes, strict=True)
        return tuple(
            Token(
                text=text,
                start=start,
                end=end,
                surprisal_bits=None if isinstance(outcome, str) else outcome,
                oov=token_id == names.unknown,
                role="bos" if i < self.n_bos else "eos" if i >= first_eos else names.role(token_id),
                why_unscored=outcome if isinstance(outcome, str) else "no context",
            )
            for i, (token_id, text, (start, end), outcome) in enumerate(rows)
        )

    def asked_for(self, spans: Spans | None) -> NDArray[np.bool_]:
        """Return for each token whether one of `spans` holds its first character; None asks all."""
        return asked_for(self.offsets[:, 0], spans)


def whitespace_words(text: str, starts: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the number of the word, between white space, that each token lies in, from 0.

    A token that begins with white space lies in the word after it.
    """
    word_ends = np.array([match.end() for match in _WORD.finditer(text)], dtype=np.int32)
    return np.searchsorted(word_ends, starts, side="right").astype(np.int32)
