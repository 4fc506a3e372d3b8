"""A word-level LSTM: the folder that was mounted or built in.

It holds config.json, vocabulary.txt and model.safetensors; `pommel train lstm` writes such folders,
and `pommel/models/lstm/folder.py` describes them.
"""

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

from pommel.models.lstm.model import LstmModel, open_folder
from pommel.models.model import LoadOptions


def load(folder: str | None) -> Any:
    """Return the model; raises ValueError if there is none that can be read."""
    if folder is None:
        raise ValueError(
            "the image was built without a model: mount a folder with config.json, vocabulary.txt "
            "and model.safetensors, and name the place in LMZOO_CHECKPOINT_PATH"
        )
    name = image_name("lstm")
    options = LoadOptions(device=os.environ.get("POMMEL_DEVICE") or "auto")
    with value_errors():
        return WordLstm(open_folder(Path(folder), reference=name, name=name, options=options))


class WordLstm(Backend):  # type: ignore[misc]
    """A network, and the words it knows."""

    gpu = True

    def __init__(self, model: LstmModel) -> None:
        """Take a model that has been loaded."""
        super().__init__(model)
        config = model.config
        self.vocabulary = model.vocabulary
        self.unk_types, self.suffix_types = [config.unk], [config.eos]
        self.tokenizer = {"type": "word", "cased": config.cased}

    def printed(self, word: str) -> str:
        """Return the form in which the vocabulary has a word that the model knows."""
        return self.model.form(word) or word

    def tokens(
        self, sentences: Sequence[str], bos: str, eos: str
    ) -> Iterator[tuple[int, list[list[Any]]]]:
        """Yield (index, tokens) without asking the network."""
        for index, sentence in enumerate(sentences):
            yield index, plain(self.model.reader.read(sentence, policy(bos, eos)).tokens)

    def predictions(self, sentence: str) -> tuple[list[int], Any]:
        """Return the ids of the tokens and the logarithms of the probabilities at each of them.

        *Shape:* (tokens x vocabulary).
        """
        ids = self.model.ids(self.model.reader.read(sentence, policy("auto", "auto"))).tolist()
        # The first is the mark that all the others stand after.
        return ids[1:], self.model.log_probabilities(ids)[1:]
