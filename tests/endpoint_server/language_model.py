"""The built-in model as a server has it: token ids, how they are written, their logarithms."""

import codecs
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pommel.files.shipped import shipped_folder
from pommel.models.huggingface.model import HuggingFaceModel, open_folder
from pommel.models.model import LoadOptions

BOS = "<|endoftext|>"

# From a tokenizer and ids to how a server writes these tokens.
Writing = Callable[[Any, Sequence[int]], list[str]]


class LanguageModel:
    """`builtin://en-gpt2`, one prompt at a time."""

    @cached_property
    def model(self) -> HuggingFaceModel:
        """The model in this process, in torch and with transformers' tokenizer."""
        import torch

        torch.set_num_threads(1)
        name = "en-gpt2"
        folder = shipped_folder("builtin") / name
        model = open_folder(folder, reference=f"builtin://{name}", name=name, options=LoadOptions())
        assert isinstance(model, HuggingFaceModel)
        return model

    @property
    def tokenizer(self) -> Any:
        """Its tokenizer."""
        return self.model.vocabulary.tokenizer

    @cached_property
    def bos_id(self) -> int:
        """The mark that may stand in front; its tokenizer never adds it."""
        (token_id,) = self.tokenizer(BOS)["input_ids"]
        return int(token_id)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text; a mark that is written in it is one token."""
        return list(self.tokenizer(text)["input_ids"])

    @cache  # noqa: B019 - there is one for all tests
    def rows(self, *ids: int) -> NDArray[np.float32]:
        """Return the logarithms of all tokens after each of `ids`."""
        rows: NDArray[np.float32] = self.model.log_probabilities([*ids, 0])[1:]
        return rows


def as_text(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """Each token decoded by itself; a part of a character is U+FFFD."""
    return [tokenizer.decode([each], clean_up_tokenization_spaces=False) for each in ids]


def as_names(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """The names of the vocabulary."""
    return list(tokenizer.convert_ids_to_tokens(list(ids)))


def as_bytes(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """A part of a character is `bytes:` and its bytes, as OpenAI wrote it."""
    return [_text_or(raw, _escaped) for raw in raw_tokens(tokenizer, ids)]


def as_whole_characters(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """A character is written where its last part is."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    return [decoder.decode(raw) for raw in raw_tokens(tokenizer, ids)]


def without_parts(tokenizer: Any, ids: Sequence[int]) -> list[str]:
    """A part of a character is left out, in each of its tokens."""
    return [raw.decode(errors="ignore") for raw in raw_tokens(tokenizer, ids)]


def raw_tokens(tokenizer: Any, ids: Sequence[int]) -> list[bytes]:
    """Return the bytes of each token of a byte-level tokenizer."""
    names: Any = import_module("transformers.convert_slow_tokenizer")
    byte_of = {character: byte for byte, character in names.bytes_to_unicode().items()}
    return [
        name.encode()
        if each in tokenizer.all_special_ids
        else bytes(byte_of[character] for character in name)
        for each, name in zip(ids, as_names(tokenizer, ids), strict=True)
    ]


def _text_or(raw: bytes, otherwise: Callable[[bytes], str]) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return otherwise(raw)


def _escaped(raw: bytes) -> str:
    escaped = "".join(f"\\x{each:02x}" if each > 0x7E else chr(each) for each in raw)
    return f"bytes:{escaped}"
