"""What can be told of a model without its weights: enough to say what it costs."""

from collections.abc import Sequence
from pathlib import Path

from pommel.values import frozen

# Tokens for each word, where a tokenizer is not at hand.
_SUBWORDS = 1.3


@frozen
class Outline:
    """A model's reference, as certain as can be, and its size.

    `reference` names a place on disk from the root, and a commit of a model on the Hub unless this
    could not be told (not `is_pinned`). `n_bytes` are read when it is loaded. `n_parameters` is
    None where nobody knows. `tokenizer` is its tokenizer.json, None if that is not at hand.
    """

    reference: str
    n_bytes: int = 0
    n_parameters: int | None = None
    tokenizer: Path | None = None
    is_masked: bool = False
    is_pinned: bool = True

    def n_nodes(self, sentences: Sequence[str]) -> float:
        """Return how many nodes sentences' prefix tree has; for masked models, ids of all inputs.

        Without a tokenizer it is 1.3 for each word.
        """
        import numpy as np

        from pommel.models.neural.passes import prefix_tree

        if self.tokenizer:
            from tokenizers import Tokenizer

            read = Tokenizer.from_file(str(self.tokenizer))
            rows = [each.ids for each in read.encode_batch(sentences, add_special_tokens=False)]
        else:
            ids: dict[str, int] = {}
            rows = [[ids.setdefault(word, len(ids)) for word in each.split()] for each in sentences]
        each_word = 1.0 if self.tokenizer else _SUBWORDS
        if self.is_masked:
            return sum((each_word * len(row)) ** 2 for row in rows)
        return each_word * len(prefix_tree([np.array(row, dtype=np.int64) for row in rows]))
