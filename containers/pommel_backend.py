"""A model of pommel's own as the model of an image: what `template/model.py` describes."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pommel.errors import PommelError
from pommel.models.model import Model, Policy
from pommel.surprisal import Token


class Backend:
    """Gives what pommel gives in its own process: the same tokens, offsets and bits."""

    def __init__(self, model: Model) -> None:
        """Take a model that has been loaded."""
        info = model.info
        self.model = model
        self.name, self.fingerprint = info.name, info.fingerprint
        self.bos, self.eos = info.bos, info.eos
        self.max_tokens, self.n_parameters = info.max_tokens, info.n_parameters
        self.dtype, self.device = info.dtype, info.device

    def score(
        self, sentences: Sequence[str], bos: str, eos: str
    ) -> Iterator[tuple[int, list[list[Any]]]]:
        """Yield (index, tokens); raises ValueError for what can't be scored."""
        with value_errors():
            for index, scored in self.model.score(sentences, policy(bos, eos)):
                yield index, plain(scored.tokens)


def image_name(otherwise: str) -> str:
    """Return how the image calls its model."""
    return os.environ.get("IMAGE_NAME") or otherwise


def policy(bos: str, eos: str) -> Policy:
    """Return pommel's policy of that name."""
    choices: dict[str, Any] = {"bos": bos, "eos": eos}
    return Policy(**choices)


def plain(tokens: Iterable[Token]) -> list[list[Any]]:
    """Return tokens as an image's model gives them."""
    return [
        [token.text, token.start, token.end, token.surprisal_bits, token.oov, token.role]
        for token in tokens
    ]


@contextmanager
def value_errors() -> Iterator[None]:
    """Turn what pommel has to say into the error that the protocol's commands pass on."""
    try:
        yield
    except PommelError as error:
        raise ValueError(str(error)) from error
