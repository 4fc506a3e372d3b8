"""A back-off n-gram model: the ARPA file, plain or gzipped, that was mounted or built in."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pommel_backend import (  # type: ignore[import-not-found]
    Backend,
    image_name,
    policy,
    value_errors,
)

from pommel.models.ngram.arpa import BOS, EOS
from pommel.models.ngram.model import NgramModel, open_arpa

# Above this many words all their probabilities at every token are too much to compute and to keep.
_MAX_PREDICTED = 20_000
# The logarithm of a probability of 0; the tables that are made of it must be finite. What an ARPA
# file has rounded may add up to more than a probability of 1, too.
_SMALLEST_NATS = math.log(5e-324)


def load(folder: str | None) -> Any:
    """Return the model; raises ValueError if there is no ARPA file, or more than one."""
    if folder is None:
        raise ValueError(
            "the image was built without a model: mount an ARPA file, or a folder with one, "
            "and name the place in LMZOO_CHECKPOINT_PATH"
        )
    path = _arpa_file(Path(folder))
    with value_errors():
        name = image_name("ngram")
        model = open_arpa(path, reference=name, name=name)
    # What pommel reads by itself, it knows the words of.
    words = model.tables.vocabulary or ()
    return Ngrams(model, words) if len(words) <= _MAX_PREDICTED else BigNgrams(model, words)


def _arpa_file(path: Path) -> Path:
    if path.is_file():
        return path
    found = sorted(entry for entry in path.iterdir() if ".arpa" in entry.suffixes)
    if len(found) == 1:
        return found[0]
    names = ", ".join(entry.name for entry in found) or "none"
    raise ValueError(f"{path} has to hold one file *.arpa or *.arpa.gz; there is: {names}")


class BigNgrams(Backend):  # type: ignore[misc]
    """An n-gram model with more words than a table of all probabilities can have."""

    def __init__(self, model: NgramModel, words: Sequence[str]) -> None:
        """Take a model that has been read, and the words that it knows."""
        super().__init__(model)
        unk = model.tables.unk
        self.vocabulary = words
        self.unk_types = [unk]
        self.suffix_types = [EOS] if model.info.eos else []
        self.special_types = [BOS] if model.info.bos else []
        self.tokenizer = {
            "type": "word",
            "cased": any(word != word.lower() for word in self.vocabulary if word != unk),
        }

    def printed(self, word: str) -> str:
        """Return the form in which the model knows the word."""
        return word if word in self.model.tables else word.lower()


class Ngrams(BigNgrams):
    """An n-gram model with all its probabilities."""

    def predictions(self, sentence: str) -> tuple[list[int], list[list[float]]]:
        """Return the ids of the tokens and the logarithms of the probabilities at each of them."""
        ids = {word: index for index, word in enumerate(self.vocabulary)}
        history = [BOS] if self.bos else []
        words = list(self._words(sentence))
        rows = []
        for word in words:
            rows.append(self._row(history))
            history.append(word)
        return [ids[word] for word in words], rows

    def _words(self, sentence: str) -> Iterator[str]:
        """Yield the vocabulary's items that a sentence's tokens are."""
        ((_, scored),) = self.model.score([sentence], policy("auto", "auto"))
        for token in scored.tokens:
            if token.role == "text":
                yield self.unk_types[0] if token.oov else self.printed(token.text)
            else:
                yield token.text

    def _row(self, history: list[str]) -> list[float]:
        if not history:
            return [-math.log(len(self.vocabulary))] * len(self.vocabulary)
        tables = self.model.tables
        # What is further back than the longest n-grams says nothing.
        context = history[max(0, len(history) - tables.order + 1) :]
        continued = tables.log10_probabilities([[*context, word] for word in self.vocabulary])
        nats = continued[len(context) :: len(context) + 1] * math.log(10)
        finite: list[float] = np.clip(nats, _SMALLEST_NATS, 0).tolist()
        return finite
