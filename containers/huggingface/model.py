"""A language model in the Hugging Face format: the folder that was mounted or built in."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pommel_backend import (  # type: ignore[import-not-found]
    Backend,
    image_name,
    plain,
    policy,
    value_errors,
)

from pommel.models.huggingface.model import HuggingFaceModel, open_folder
from pommel.models.huggingface.tokens import vocabulary_spec
from pommel.models.model import LoadOptions

# Casing shows in any of these that a tokenizer has tokens for.
_PROBES = ("The Cat Sat", "I", "A", "Mary", "THE", "É")


def load(folder: str | None) -> Any:
    """Return the model; raises ValueError if there is none that can be read."""
    if folder is None:
        raise ValueError(
            "the image was built without a model: mount a model's folder, and name the place in "
            "LMZOO_CHECKPOINT_PATH"
        )
    name = image_name("huggingface")
    with value_errors():
        options = LoadOptions(
            device=os.environ.get("POMMEL_DEVICE") or "auto",
            dtype=os.environ.get("POMMEL_DTYPE") or "float32",
            batch_tokens=_number("POMMEL_BATCH_TOKENS", "tokens"),
            max_memory_bytes=_number("POMMEL_MAX_MEMORY", "bytes"),
            offline=True,
        )
        model: Any = open_folder(Path(folder), reference=name, name=name, options=options)
        return Network(model) if model.info.details["network"] == "masked" else Predicting(model)


def _number(variable: str, unit: str) -> int | None:
    text = os.environ.get(variable)
    if text and not text.isdecimal():
        raise ValueError(f"{variable} has to be a number of {unit}, not {text!r}")
    return int(text) if text else None


class Network(Backend):  # type: ignore[misc]
    """A network and its tokenizer. Masked ones are scored by their default method."""

    gpu = True

    def __init__(self, model: HuggingFaceModel) -> None:
        """Take a model that has been loaded."""
        super().__init__(model)
        known = model.vocabulary
        tokenizer = known.tokenizer
        self.vocabulary = list(known.items(self.n_outputs()))
        marks = set(tokenizer.all_special_tokens)
        self.unk_types = [] if known.unknown is None else [tokenizer.unk_token]
        suffix = known.texts(known.suffix(policy("auto", "auto")))
        self.suffix_types = suffix
        self.special_types = sorted(marks - {*suffix, *self.unk_types})
        self.tokenizer = _tokenizer_spec(tokenizer)

    def tokens(
        self, sentences: Sequence[str], bos: str, eos: str
    ) -> Iterator[tuple[int, list[list[Any]]]]:
        """Yield (index, tokens) without asking the network."""
        with value_errors():
            encoded = self.model.encoded(sentences, policy(bos, eos))
        for index, each in enumerate(encoded):
            yield index, plain(each.tokens)

    def n_outputs(self) -> int:
        """Return how many tokens the network knows."""
        return int(self.model.vocabulary.n_known)


class Predicting(Network):
    """A network that reads from left to right, and so says what it expects next."""

    def n_outputs(self) -> int:
        """Return how many tokens a row of predictions has."""
        return int(self.model.n_outputs)

    def predictions(self, sentence: str) -> tuple[list[int], Any]:
        """Return the ids of the tokens and the logarithms of the probabilities at each of them.

        *Shape:* (tokens x vocabulary). A first token without context has equal probabilities.
        """
        with value_errors():
            (encoded,) = self.model.encoded([sentence], policy("auto", "auto"))
        if self.max_tokens is not None and len(encoded.ids) > self.max_tokens:
            raise ValueError(
                f"it has {len(encoded.ids)} tokens, more than the {self.max_tokens} that the "
                "model can take"
            )
        ids = encoded.ids.tolist()
        rows = self.model.log_probabilities(ids)
        if (rows != rows).any():  # noqa: PLR0124 - only NaN differs from itself
            raise ValueError("the model gives no numbers (NaN); a reduced dtype may be the reason")
        return ids[encoded.n_marks :], rows[encoded.n_marks :]


def _tokenizer_spec(tokenizer: Any) -> dict[str, Any]:
    """Return how the tokenizer writes its tokens."""
    found = vocabulary_spec(tokenizer)
    lower = [tokenizer.tokenize(probe) == tokenizer.tokenize(probe.lower()) for probe in _PROBES]
    marked = bool(found.sentinel or found.metaspace)
    spec: dict[str, Any] = {"type": "subword" if marked else "word", "cased": not all(lower)}
    if found.sentinel:
        spec["sentinel_pattern"] = found.sentinel
        spec["sentinel_position"] = found.sentinel_position
    if found.metaspace:
        spec["metaspace"] = found.metaspace
    return spec
