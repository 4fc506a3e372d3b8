"""Word-level LSTM language models: `lstm://FOLDER`."""

import contextlib
import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pommel.errors import InputError, ModelError, ModelNotAvailableError, UsageError, first_line
from pommel.files import DecodedText, expanded, parse_json
from pommel.models.alignment import TokenizerSpec
from pommel.models.lstm.folder import RECORD, LstmConfig, LstmFiles, read_folder
from pommel.models.model import (
    DistinctSentence,
    LoadOptions,
    Model,
    ModelInfo,
    Policy,
    ScoredByIndex,
    Spans,
    SpansOfEach,
    naming,
)
from pommel.models.neural.memory import find_device, find_dtype
from pommel.models.neural.precision import check_products
from pommel.models.neural.questions import Ids, Request, asked_for
from pommel.models.neural.recurrent import LstmNetwork, RecurrentEngine
from pommel.models.reference_files import unchanged
from pommel.models.tokenizing import Predictor, TokenizingModel, after_nothing
from pommel.models.word_level import WordReader, WordSentence
from pommel.surprisal import Token, Unscored

if TYPE_CHECKING:
    from numpy.typing import NDArray


def describe(
    files: LstmFiles, folder: Path, *, reference: str, name: str, options: LoadOptions
) -> ModelInfo:
    """Return the description of the model in `folder`."""
    import torch

    config = files.config
    training = _training(folder / RECORD)
    return ModelInfo(
        reference=reference,
        name=name,
        kind="lstm",
        fingerprint=hashlib.sha256(f"{files.fingerprint} {options.dtype}\n".encode()).hexdigest(),
        n_parameters=sum(weights.numel() for weights in files.weights.values()),
        bos=config.eos,
        eos=config.eos,
        dtype=options.dtype,
        device=options.device,
        methods=("causal",),
        details={
            "scoring": "prefix tree (states)",
            "n_layers": config.n_layers,
            "embedding_size": config.embedding_size,
            "hidden_size": config.hidden_size,
            "tied": config.tied,
            # Words; the marks are not counted.
            "vocabulary_size": len(files.vocabulary) - len({config.unk, config.eos}),
            "case": "as written" if config.cased else "lower case",
            **({"training": training} if training else {}),
            "torch": str(torch.__version__),
        },
        # What sentences share is computed once a call; products are rounded by their shape.
        costly_calls=True,
        n_together=1024,
    )


def _training(path: Path) -> dict[str, int | float]:
    """Return what tells one training of a recipe from another, if a training has left it."""
    # Nobody's scores depend on it.
    with contextlib.suppress(OSError, InputError, AttributeError, TypeError):
        record = parse_json(DecodedText.of_file(path).text, decoder=json.JSONDecoder())
        kept = {"seed": record.get("seed")}
        figures = record.get("figures", {})
        kept |= {name: figures.get(name) for name in ("n_steps", "validation_perplexity")}
        return {name: value for name, value in kept.items() if isinstance(value, int | float)}
    return {}


SCHEME = "lstm://"

# So many distinct sentences are held as words at once: memory does not grow with their number.
_BLOCK = 8_192
# Words whose forms are kept: a sentence is cut by asking for some of them several times.
_FORMS_KEPT = 1 << 16


def open_model(reference: str, options: LoadOptions) -> Model:
    """Load the model that a `lstm://` reference names.

    Raises what `read_folder` raises, `UsageError` for a reference without a folder or an option
    that makes no sense, and `ModelNotAvailableError` for a device that is not there.
    """
    if reference == SCHEME:
        raise UsageError(f"{reference}: it names no folder; write {SCHEME}FOLDER")
    folder = expanded(reference.removeprefix(SCHEME))
    return open_folder(folder, reference=reference, name=folder.resolve().name, options=options)


def open_folder(folder: Path, *, reference: str, name: str, options: LoadOptions) -> "LstmModel":
    """Load the model in `folder` under another reference and name. Raises as `open_model` does."""
    options = replace(options, device=find_device(options.device, asked_by=reference))
    find_dtype(options.dtype)
    with unchanged(folder, asked_by=reference):
        files = read_folder(folder, reference=reference)
        try:
            with naming(reference):
                check_products(options.device)
            network = LstmNetwork(files.weights, device=options.device, dtype=options.dtype)
        # A device may lack the memory (RuntimeError), or the number format (TypeError).
        except (RuntimeError, TypeError) as error:
            message = f"cannot move the model to {options.device}; {first_line(error)}"
            raise ModelNotAvailableError(f"{reference}: {message}") from None
        info = describe(files, folder, reference=reference, name=name, options=options)
    engine = RecurrentEngine(network, options)
    model = LstmModel(info=info, config=files.config, vocabulary=files.vocabulary, engine=engine)
    exact = replace(options, dtype="float32")
    model.in_float32 = partial(open_folder, folder, reference=reference, name=name, options=exact)
    return model


class LstmModel(TokenizingModel):
    """An LSTM over words. Each distinct sentence is scored once.

    A word is looked up as it is written, or in lower case if the model is not `cased`; one that is
    unknown has the surprisal of the unknown word and `oov=True`. A token's text is always what the
    sentence has. The end mark written in a sentence is no mark.

    The end mark is also what stands before a sentence. Without it (`bos` "never" or "tokenizer")
    nothing stands before the first word, which then gets what `first_token` says. It is scored at
    the end unless `eos` is "never".
    """

    def __init__(
        self,
        *,
        info: ModelInfo,
        config: LstmConfig,
        vocabulary: Sequence[str],
        engine: RecurrentEngine,
    ) -> None:
        """Put together what was loaded; the vocabulary is in the order of the weights."""
        self.info = info
        self.config = config
        self.vocabulary = tuple(vocabulary)
        self.engine = engine
        self._ids = {word: index for index, word in enumerate(self.vocabulary)}

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: SpansOfEach = None,
    ) -> ScoredByIndex:
        """Return an iterator over (index, scored sentence).

        Equal sentences are scored once, with what is asked of any of them. A token is a whole
        word: a corrected boundary changes nothing. Raises `UnsupportedFeatureError` for another
        method, at once, and `ModelError` later if the network fails.
        """
        self.info.method(policy)
        self.reader.check(policy)
        return self._score(DistinctSentence.all_of(sentences, spans), policy)

    def work(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None]
    ) -> tuple[int, int]:
        """Return what `score` has the network compute: (nodes of a prefix tree, projected rows)."""
        read = [self.reader.read(each, policy) for each in sentences]
        return self.engine.work(self._requests(read, [*map(_asked_tokens, read, spans)]))

    @cached_property
    def reader(self) -> WordReader:
        """What cuts sentences into the model's words."""
        eos = self.config.eos
        return WordReader(
            name=self.info.reference,
            form=lru_cache(_FORMS_KEPT)(self.form),
            unk=self.config.unk,
            bos=eos,
            eos=eos,
        )

    def form(self, word: str) -> str | None:
        """Return the form in which the vocabulary has a word, None if it has none."""
        form = word if self.config.cased else word.lower()
        return form if form in self._ids and form != self.config.eos else None

    def ids(self, sentence: WordSentence) -> Ids:
        """Return the places in the vocabulary of a sentence's context and words."""
        forms = (*sentence.context, *sentence.forms)
        return np.array([self._ids[form] for form in forms], dtype=np.int64)

    @property
    def n_outputs(self) -> int:
        """How many words a row of `log_probabilities` has: the whole vocabulary, marks and all."""
        return len(self.vocabulary)

    def log_probabilities(self, ids: Sequence[int]) -> "NDArray[np.float32]":
        """Return the natural logarithms of the probabilities of all words before each of `ids`.

        *Shape:* (ids x `n_outputs`); the first row, before which there is nothing, is uniform.
        """
        return after_nothing(self.engine.log_probabilities(ids[:-1]).numpy(), len(ids))

    @property
    def tokenizer_spec(self) -> TokenizerSpec:
        """How its words are read."""
        config = self.config
        return TokenizerSpec(
            unk_types=frozenset({config.unk}),
            suffix_types=frozenset({config.eos}),
            cased=config.cased,
        )

    @property
    def vocabulary_items(self) -> Sequence[str]:
        """Its words, marks and all, in the order of the weights."""
        return self.vocabulary

    @property
    def predictor(self) -> Predictor:
        """The model itself."""
        return self

    def items(self) -> list[str]:
        """Return the words by their places."""
        return [*self.vocabulary]

    def ids_of(self, sentences: Sequence[str], policy: Policy) -> "Iterator[NDArray[np.int64]]":
        """Yield the places of each sentence's words in the vocabulary, its context first."""
        return (self.ids(self.reader.read(text, policy)) for text in sentences)

    def tokens_of(self, sentences: Sequence[str], policy: Policy) -> Iterator[list[Token]]:
        """Yield each sentence's words, unscored."""
        for text in sentences:
            yield [*self.reader.read(text, policy).tokens]

    def _score(self, wanted: Sequence[DistinctSentence], policy: Policy) -> ScoredByIndex:
        blamed: dict[str, str] = {}
        for start in range(0, len(wanted), _BLOCK):
            block = wanted[start : start + _BLOCK]
            read = [self.reader.read(each.text, policy) for each in block]
            asked = [*map(_asked_tokens, read, [each.spans for each in block])]
            for place, outcomes in self._outcomes(read, asked, policy):
                text = block[place].text
                tokens = zip(read[place].tokens, outcomes, strict=True)
                nan = [
                    token.text
                    for token, bits in tokens
                    if isinstance(bits, float) and math.isnan(bits)
                ]
                if nan:
                    blamed[text] = (
                        f"{self.info.reference}: the model gives no number (NaN) for {nan[0]!r} in "
                        f"{text!r}; {self.info.why_no_number}"
                    )
                    continue
                scored = read[place].scored(outcomes)
                for index in block[place].indices:
                    yield index, scored
        if blamed:
            raise ModelError.of_sentences(blamed)

    def _requests(self, sentences: Sequence[WordSentence], asked: Sequence[Ids]) -> list[Request]:
        requests = []
        for sentence, tokens in zip(sentences, asked, strict=True):
            positions = tokens + len(sentence.context)
            # Before the first of all there is nothing.
            requests.append(Request(ids=self.ids(sentence), positions=positions[positions > 0]))
        return requests

    def _outcomes(
        self, sentences: Sequence[WordSentence], asked: Sequence[Ids], policy: Policy
    ) -> Iterator[tuple[int, list[float | Unscored]]]:
        """Yield (index into `sentences`, an outcome for each token); `asked` are tokens."""
        requests = self._requests(sentences, asked)
        try:
            for index, answer in self.engine.answers(requests):
                sentence = sentences[index]
                outcomes: list[float | Unscored] = ["not asked for"] * len(sentence.tokens)
                for token in asked[index].tolist():
                    outcomes[token] = policy.first_outcome
                places = requests[index].positions - len(sentence.context)
                for token, bits in zip(places.tolist(), answer.bits.tolist(), strict=True):
                    outcomes[token] = bits
                yield index, outcomes
        except MemoryError:
            message = "out of memory, even with one sentence at a time"
            raise ModelError(f"{self.info.reference}: {message}") from None
        except RuntimeError as error:
            message = f"the network failed: {first_line(error)}"
            raise ModelError(f"{self.info.reference}: {message}") from error


def _asked_tokens(sentence: WordSentence, spans: Spans | None) -> Ids:
    """Return which words of a sentence are asked for."""
    starts = np.array([token.start for token in sentence.tokens], dtype=np.int64)
    return np.flatnonzero(asked_for(starts, spans))
