"""The commands of the LM Zoo protocol for a model that scores in this process."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.compat.lm_zoo.errors import UnsupportedFeatureError
from pommel.compat.lm_zoo.own_spec import spec_of, stored_answer
from pommel.compat.lm_zoo.predictions import PredictingModel, require_h5py, write_predictions
from pommel.errors import InputError
from pommel.models.huggingface.model import HuggingFaceModel
from pommel.models.lstm import LstmModel
from pommel.models.model import Model, score_all
from pommel.models.policy import SYNTAXGYM_POLICY
from pommel.models.surprisal_table import PrintedToken
from pommel.surprisal import Token

if TYPE_CHECKING:
    import h5py


class ScoredCommands:
    """Answers from scored sentences, as the LM Zoo's own back-end did.

    The tokens are those that the model's tokenizer makes, its marks among them. The first has 0
    bits unless the model has scored it. A word that a model leaves out is no token.
    """

    def __init__(self, model: Model) -> None:
        """Take a loaded model."""
        self._model = model

    def spec(self) -> dict[str, Any]:
        """Return the spec that a dummy or recorded model came with, otherwise a made-up one."""
        return spec_of(self._model)

    def tokenize(self, sentences: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each sentence."""
        return [[token.text for token in tokens] for tokens in self._tokens(sentences)]

    def unkify(self, sentences: Sequence[str]) -> list[list[bool]]:
        """Return for each of these tokens whether it stands for an unknown word."""
        return [[token.oov for token in tokens] for tokens in self._tokens(sentences)]

    def get_surprisals(self, sentences: Sequence[str]) -> tuple[tuple[PrintedToken, ...], ...]:
        """Return the same tokens with their surprisals; `line` is 0: nothing was printed."""
        return tuple(
            tuple(
                PrintedToken(
                    text=token.text, surprisal_bits=token.surprisal_bits, line=0, oov=token.oov
                )
                for token in tokens
                if token.surprisal_bits is not None
            )
            for tokens in self._scored(sentences)
        )

    def write_predictions(self, sentences: Sequence[str], path: Path) -> None:
        """Write what a model predicts that does, or copy what a dummy model came with."""
        if isinstance(self._model, PredictingModel):
            write_predictions(self._model, sentences, path)
            return
        stored = stored_answer(self._model.info, "get_predictions")
        if stored is None:
            reference = self._model.info.reference
            message = f"{reference}: this model gives surprisals and no predictions"
            raise UnsupportedFeatureError(reference, "get_predictions", message)
        try:
            path.write_bytes(stored.read_bytes())
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}") from None

    def open_predictions(self, path: Path, *, n_sentences: int) -> "h5py.File":
        """Open a file that is ours or the user's; raises `InputError` if it is no HDF5."""
        del n_sentences
        hdf5 = require_h5py()
        try:
            return hdf5.File(path, "r")
        except OSError as error:
            message = f"its predictions cannot be read: {error}"
            raise InputError(f"{self._model.info.reference}: {message}") from None

    def _tokens(self, sentences: Sequence[str]) -> Iterator[list[Token]]:
        """Yield each sentence's tokens, with or without surprisals."""
        if isinstance(self._model, HuggingFaceModel):
            # A network need not run for it.
            for each in self._model.encoder.encode(sentences, SYNTAXGYM_POLICY):
                yield [*_marks(self._model, each.ids[: each.n_marks]), *each.tokens]
        elif isinstance(self._model, LstmModel):
            for text in sentences:
                yield [*self._model.reader.read(text, SYNTAXGYM_POLICY).tokens]
        else:
            yield from self._scored(sentences)

    def _scored(self, sentences: Sequence[str]) -> Iterator[list[Token]]:
        """Yield each sentence's tokens that have a surprisal."""
        scored = score_all(self._model, sentences, SYNTAXGYM_POLICY)
        marks: list[list[Token]] = [[] for _ in sentences]
        if isinstance(self._model, HuggingFaceModel):
            encoded = self._model.encoder.encode(sentences, SYNTAXGYM_POLICY)
            marks = [list(_marks(self._model, each.ids[: each.n_marks])) for each in encoded]
        for before, sentence in zip(marks, scored, strict=True):
            tokens = [*before, *sentence.tokens]
            yield [token for token in tokens if token.surprisal_bits is not None]


def _marks(model: HuggingFaceModel, ids: Iterable[int]) -> Iterator[Token]:
    """Yield the marks in front of a sentence, which nothing predicts."""
    for token_id in ids:
        text = model.encoder.text_of(token_id) or ""
        yield Token(text=text, start=0, end=0, surprisal_bits=0.0, role="bos")
