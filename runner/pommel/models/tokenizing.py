"""What a model in this process says of its tokens, as an image of the LM Zoo would."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pommel.models.alignment import TokenizerSpec
from pommel.models.model import Model, Policy
from pommel.surprisal import Token

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def after_nothing(following: "NDArray[np.float32]", n_ids: int) -> "NDArray[np.float32]":
    """Return rows of logarithms of probabilities with a uniform one before them, `n_ids` in all."""
    import numpy as np

    n_outputs = following.shape[-1]
    uniform = np.full((1, n_outputs), -np.log(n_outputs), dtype=np.float32)
    return np.concatenate([uniform, following])[:n_ids]


class Predictor(Protocol):
    """A model that says what it expects next."""

    @property
    def n_outputs(self) -> int:
        """How many tokens it chooses from; `UnsupportedFeatureError` for a masked model."""
        ...

    def log_probabilities(self, ids: Sequence[int]) -> "NDArray[np.float32]":
        """Return the natural logarithms of the probabilities of all tokens before each of `ids`.

        *Shape:* (ids x `n_outputs`); the first row, before which there is nothing, is uniform.
        """
        ...

    def ids_of(self, sentences: Sequence[str], policy: Policy) -> "Iterator[NDArray[np.int64]]":
        """Yield the ids of each sentence's tokens, its marks among them."""
        ...

    def tokens_of(self, sentences: Sequence[str], policy: Policy) -> Iterator[list[Token]]:
        """Yield the same tokens, unscored; nothing is computed for it."""
        ...

    def items(self) -> list[str]:
        """Return the tokens by their ids, all `n_outputs` of them."""
        ...


class TokenizingModel(ABC):
    """A model that knows how it makes tokens of sentences."""

    __slots__ = ()

    # What gives the same model in float32; only networks have it.
    in_float32: Callable[[], Model]

    @property
    @abstractmethod
    def tokenizer_spec(self) -> TokenizerSpec:
        """How its tokens are read."""

    @property
    def vocabulary_items(self) -> Sequence[str] | None:
        """Its tokens, without those that it never gives; None where nobody can list them."""
        return None

    @property
    def predictor(self) -> Predictor | None:
        """What says what the model expects next, None if it does not."""
        return None

    @property
    def printed_spec(self) -> Mapping[str, Any] | None:
        """The spec that the model came with, as an image has printed it."""
        return None

    @property
    def printed_predictions(self) -> Path | None:
        """The file of predictions that the model came with."""
        return None

    def opening_marks(self, sentences: Sequence[str], policy: Policy) -> list[list[Token]]:
        """Return the marks before each sentence that nothing predicts; they have 0 bits."""
        del policy
        return [[] for _ in sentences]
