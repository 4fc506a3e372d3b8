"""The probability of whole words: that a word ends is counted with the word, not with the next.

Where a tokenizer marks the beginning of words, the product of a word's token probabilities is
that of all words which begin so. With B, the items of the vocabulary that begin a new word or end
the sentence, and c, a context that ends where a word does (Pimentel and Meister 2024, "How to
compute the probability of a word"; Oh and Schuler 2024, "Leading whitespaces of language models'
subword vocabulary pose a confound for calculating word probabilities"):

    p(word | c) = p(its tokens | c) * p(next in B | c, its tokens) / p(next in B | c)

Token by token: the last of a word gets the surprisal of B behind it added, and a token of B that
of B before it taken off, so that sums over words, and over regions of them, come out right. Where
a sentence's first token is not in B (the first word of GPT-2, which has no space in front),
nothing is taken off.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from pommel.models.alignment import TokenizerSpec
from pommel.models.huggingface.tokens import Vocabulary, is_common, vocabulary_spec
from pommel.models.neural.questions import Bits, Ids
from pommel.values import frozen

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# What a vocabulary shows of words. "ends" is as good as "whole words": nothing has to be moved.
WordMark = Literal["beginnings", "continuations", "ends", "nothing"]

# No white space has a higher code than the ideographic one.
_LAST_SPACE = 0x3000


@frozen(eq=False)
class Boundaries:
    """Which items of a vocabulary begin a new word (or end the sentence), and which end it.

    `group` (n_known,) is B, `ends` the marks after which nothing comes. `group` is None if a
    word's probability is right as it is.
    """

    group: NDArray[np.bool_] | None
    ends: frozenset[int]

    def contexts(self, ids: Ids, positions: Ids) -> tuple[Ids, Ids]:
        """Return where B must be asked for, for each of `positions`: before and behind the token.

        Both are lengths of context, 0 where nothing is to be asked for (no network answers
        without context).
        """
        if self.group is None:
            nothing = np.zeros(len(positions), dtype=np.int64)
            return nothing, nothing
        # A word ends where the input does, unless a mark has ended the sentence.
        ends_word = len(ids) > 0 and int(ids[-1]) not in self.ends
        in_group = np.append(self.group[ids], ends_word)
        return positions * in_group[positions], (positions + 1) * in_group[positions + 1]


def corrected_bits(bits: Bits, before: Ids, behind: Ids, boundaries: Ids, of_group: Bits) -> Bits:
    """Return tokens' surprisals with what is known of B moved to where it belongs.

    `before` and `behind` are as `Boundaries.contexts` returns them, `of_group` is the surprisal
    of B at each of `boundaries`. What is impossible stays so.
    """
    at = np.append(of_group, 0.0)
    place = np.searchsorted(boundaries, np.stack([before, behind]))
    place[np.stack([before, behind]) == 0] = len(of_group)
    with np.errstate(invalid="ignore"):
        moved = bits + at[place[1]] - at[place[0]]
    return np.where(np.isposinf(bits), bits, moved)


def find_boundaries(vocabulary: Vocabulary) -> Boundaries | None:
    """Return which items of a tokenizer's vocabulary begin words; None if it does not show that."""
    tokenizer, ends = vocabulary.tokenizer, vocabulary.ends
    spec = vocabulary_spec(tokenizer)
    mark = word_mark(tokenizer, spec)
    if mark == "nothing":
        return None
    if mark == "ends":
        return Boundaries(group=None, ends=ends)
    group = np.zeros(vocabulary.n_known, dtype=np.bool_)
    special = vocabulary.special - {vocabulary.unknown}
    spaces = _spaces(metaspace=bool(spec.metaspace))
    for text, token_id in tokenizer.get_vocab().items():
        if token_id >= vocabulary.n_known:
            continue
        if token_id in special:
            group[token_id] = token_id in ends
        elif mark == "continuations":
            group[token_id] = not text.startswith("##")
        else:
            group[token_id] = text.startswith(spaces)
    return Boundaries(group=group, ends=ends)


def word_mark(tokenizer: "PreTrainedTokenizerBase", spec: TokenizerSpec) -> WordMark:
    """Return what of a word a tokenizer's vocabulary marks; `spec` is its `vocabulary_spec`."""
    if spec.metaspace or spec.sentinel_position == "initial":
        return "beginnings"
    if spec.sentinel_position == "medial":
        return "continuations"
    # Pieces that are not the last of a word may say so (`do@@ g`).
    ends = spec.sentinel_position == "final" or is_common("@@", tokenizer.get_vocab(), at_end=True)
    return "ends" if ends or _is_of_words(tokenizer) else "nothing"


def _is_of_words(tokenizer: "PreTrainedTokenizerBase") -> bool:
    """Say whether every token is a whole word."""
    backend: Any = getattr(tokenizer, "backend_tokenizer", None)
    parts = [type(getattr(backend, part, None)).__name__ for part in ("model", "pre_tokenizer")]
    return parts == ["WordLevel", "WhitespaceSplit"]


def _spaces(*, metaspace: bool) -> tuple[str, ...]:
    """Return every way in which a token may begin with white space, as vocabularies write it."""
    from tokenizers import pre_tokenizers

    plain = [character for character in map(chr, range(_LAST_SPACE + 1)) if character.isspace()]
    if metaspace:
        # SentencePiece has pieces for bytes where it has none for a character.
        return ("▁", *plain, *(f"<0x{ord(each):02X}>" for each in plain if each.isascii()))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return (*plain, *(byte_level.pre_tokenize_str(each)[0][0] for each in plain))
