"""Language models in the Hugging Face format: `huggingface://NAME-or-folder[@revision]`.

Causal, masked and encoder-decoder models; which kind it is, its configuration says.
"""

import contextlib
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pommel.errors import (
    AlignmentError,
    ModelError,
    ModelNotAvailableError,
    PommelError,
    SurprisalError,
    UnsupportedFeatureError,
    counted,
    first_line,
)
from pommel.models.alignment import TokenizerSpec
from pommel.models.huggingface.files import SCHEME, find_source, revision_of
from pommel.models.huggingface.in_numpy import load_in_numpy
from pommel.models.huggingface.left_to_right import LeftToRight, causal_scorer, decoder_scorer
from pommel.models.huggingface.loading import Kind, Loaded, load, require_extra
from pommel.models.huggingface.masked import Masked, masked_scorer
from pommel.models.huggingface.tokens import (
    Encoded,
    Outcome,
    shortened,
    vocabulary_spec,
)
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
from pommel.models.neural.causal import CausalEngine
from pommel.models.neural.memory import find_device
from pommel.models.neural.network import quiet
from pommel.models.reference_files import unchanged
from pommel.models.tokenizing import Predictor, TokenizingModel, after_nothing
from pommel.surprisal import Token

if TYPE_CHECKING:
    from numpy.typing import NDArray


# A network, and how sentences are put to it under a policy.
Scorer = LeftToRight | Masked
_SCORERS: Mapping[Kind, Callable[[Loaded], Scorer]] = {
    "causal": causal_scorer,
    "masked": masked_scorer,
    "encoder-decoder": decoder_scorer,
}


def describe(loaded: Loaded, scorer: Scorer, *, reference: str, name: str) -> ModelInfo:
    """Return the description of a model."""
    vocabulary = loaded.vocabulary
    start = vocabulary.start if scorer.start is None else scorer.start
    engine = scorer.engine
    return ModelInfo(
        reference=reference,
        name=name,
        kind="huggingface",
        fingerprint=loaded.files.fingerprint(loaded.options.dtype),
        revision=revision_of(loaded.files.config.parent),
        n_parameters=loaded.n_parameters,
        max_tokens=loaded.max_tokens,
        bos=vocabulary.text(start),
        eos=vocabulary.text(vocabulary.end),
        dtype=loaded.options.dtype,
        device=", ".join(loaded.devices),
        methods=scorer.methods,
        details={
            "network": loaded.kind,
            "architecture": loaded.architecture,
            "scoring": f"{engine.path} ({engine.why})" if engine.why else engine.path,
            "vocabulary_size": len(vocabulary.tokenizer),
            "tokenizer_hash": loaded.files.tokenizer_hash(),
            "arithmetic": next(iter(loaded.packages)),
            **loaded.packages,
        },
        # What sentences share is computed once a call; masked inputs of other suites share nothing.
        costly_calls=loaded.kind != "masked",
        n_together=_n_together(loaded),
    )


def _n_together(loaded: Loaded) -> int:
    """Return how many sentences a call had better have: work of some ten seconds.

    They depend on each other by rounding, since passes are filled with whatever comes together, and
    a product of matrices is rounded otherwise in another shape. The speeds are rough: weights x
    sentences a second of a processor core and of a GPU. Masked sentences are as many inputs as they
    have tokens.
    """
    speed = 2e10 if all(device == "cpu" for device in loaded.devices) else 5e12
    n_sentences = 10 * speed / loaded.n_parameters / (10 if loaded.kind == "masked" else 1)
    return int(min(max(n_sentences, 32), 1024))


# So many distinct sentences are held as tokens at once: memory does not grow with their number.
_BLOCK = 8_192
# Tokens of so many blocks wait for their turn, at less than a kilobyte a sentence; those of others
# are made again.
_BLOCKS_KEPT = 16


def open_model(reference: str, options: LoadOptions) -> Model:
    """Load the model that a `huggingface://` reference names, from disk or from the hub.

    Raises `ModelNotAvailableError` if it cannot be had, or cannot be had safely; the message says
    what to do.
    """
    require_extra(reference)
    with naming(reference):
        folder, name = find_source(reference.removeprefix(SCHEME), options)
    return open_folder(folder, reference=reference, name=name, options=options)


def open_folder(folder: Path, *, reference: str, name: str, options: LoadOptions) -> Model:
    """Load the model in `folder` under another reference and name. Raises as `open_model` does."""
    require_extra(reference)
    device = find_device(options.device)
    with unchanged(folder, asked_by=reference):
        with naming(reference), quiet():
            loaded = load(folder, device, options)
            scorer = _SCORERS[loaded.kind](loaded)
        info = describe(loaded, scorer, reference=reference, name=name)
    model = HuggingFaceModel(info=info, scorer=scorer)
    exact = replace(options, dtype="float32")
    model.in_float32 = partial(open_folder, folder, reference=reference, name=name, options=exact)
    return model


def open_shipped(folder: Path, *, reference: str, name: str, options: LoadOptions) -> Model:
    """Load a model that ships with pommel: in numpy on a processor, which needs no torch.

    There it is as fast, and ready seconds sooner. GPUs and half precision are torch's.
    Raises as `open_model` does.
    """
    device = options.device
    if device == "auto":
        # What finds GPUs is torch.
        with contextlib.suppress(ModelNotAvailableError):
            device = find_device(device, asked_by=reference)
    if device not in ("auto", "cpu") or options.dtype not in _IN_NUMPY:
        find_device(device, asked_by=f"{reference} on {options.device} in {options.dtype}")
        return open_folder(folder, reference=reference, name=name, options=options)
    with naming(reference):
        loaded = load_in_numpy(folder, options)
    engine = CausalEngine(network=loaded.network, path="prefix tree", options=loaded.options)
    scorer = LeftToRight(engine, loaded.vocabulary)
    info = describe(loaded, scorer, reference=reference, name=name)
    return HuggingFaceModel(info=info, scorer=scorer)


_IN_NUMPY = ("float32", "float64")

# A cased tokenizer keeps the capital of this word.
_PROBE = "Testing"


class HuggingFaceModel(TokenizingModel):
    """A language model in this process. Each distinct sentence is scored once, in batches."""

    def __init__(self, *, info: ModelInfo, scorer: Scorer) -> None:
        """Put together what `open_model` has loaded and checked."""
        self.info = info
        self.vocabulary = scorer.vocabulary
        self.scorer = scorer

    def work(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None]
    ) -> tuple[int, int]:
        """Return what `score` has the network compute: (nodes of its prefix tree, projected rows).

        Only the tokenizer is asked. Raises `ModelError` for sentences that it cannot read.
        """
        return self.scorer.work(self.encoded(sentences, policy), spans, policy)

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: SpansOfEach = None,
    ) -> ScoredByIndex:
        """Return an iterator over (index, scored sentence).

        Everything that can be known beforehand is checked now, not when the iterator runs. Equal
        sentences are scored once, with what is asked of any of them.
        Raises `UnsupportedFeatureError` for a method, a boundary or a mark that this kind of model
        can't do, `ModelError` for a mark that the policy wants and the model has not got, a
        sentence longer than the model's context, and (later) for one that the network fails on.
        """
        self.info.method(policy)
        with naming(self._name):
            self.scorer.check(policy)
        wanted = DistinctSentence.all_of(sentences, spans)
        blocks = [wanted[start : start + _BLOCK] for start in range(0, len(wanted), _BLOCK)]
        kept = deque[Sequence[Encoded]]()
        blamed: dict[str, str] = {}
        limit = self.info.max_tokens or sys.maxsize
        for number, block in enumerate(blocks):
            try:
                encoded = self.encoded([each.text for each in block], policy)
            except ModelError as error:
                if not error.blamed:
                    raise
                # Told with what is wrong in other blocks: each telling costs an encoding of all.
                blamed.update(error.blamed)
                continue
            if number < _BLOCKS_KEPT:
                kept.append(encoded)
            for each in encoded:
                if (length := self.scorer.n_fed(each, policy)) > limit:
                    blamed[each.text] = (
                        f"{self._name}: {shortened(each.text)} has {length} tokens, "
                        f"more than the {limit} that the model can take"
                    )
        if blamed:
            raise ModelError.of_sentences(blamed)
        return self._score_blocks(blocks, kept, policy)

    def log_probabilities(self, ids: Sequence[int]) -> "NDArray[np.float32]":
        """Return the natural logarithms of the probabilities of all tokens before each of `ids`.

        *Shape:* (ids x `n_outputs`); the first row, before which there is nothing, is uniform.
        Raises `UnsupportedFeatureError` for a masked model, which predicts no next token.
        """
        following = self._left_to_right.engine.log_probabilities(ids[:-1])
        return after_nothing(following, len(ids))

    @cached_property
    def n_outputs(self) -> int:
        """How many tokens a row of `log_probabilities` has. Raises as that does."""
        return int(self._left_to_right.engine.log_probabilities([0]).shape[-1])

    @property
    def _left_to_right(self) -> LeftToRight:
        if not isinstance(self.scorer, LeftToRight):
            message = "a masked model gives no probabilities of next tokens"
            raise UnsupportedFeatureError(f"{self._name}: {message}")
        return self.scorer

    @property
    def tokenizer_spec(self) -> TokenizerSpec:
        """How its tokens are read, by what its vocabulary looks like."""
        # That says more than how one word is cut.
        tokenizer = self.vocabulary.tokenizer
        found = vocabulary_spec(tokenizer)
        vocabulary = self.vocabulary
        first = frozenset(filter(None, [vocabulary.text(vocabulary.start)]))
        last = frozenset(filter(None, [self.info.eos]))
        unknown = found.unk_types - first - last
        return replace(
            found,
            unk_types=unknown,
            prefix_types=first,
            suffix_types=last,
            special_types=frozenset(tokenizer.all_special_tokens) - first - last - unknown,
            cased=any(letter.isupper() for token in tokenizer.tokenize(_PROBE) for letter in token),
        )

    @property
    def vocabulary_items(self) -> list[str]:
        """The tokens of its tokenizer, by their ids."""
        return [*self.vocabulary.items(int(self.info.details["vocabulary_size"]))]

    @property
    def predictor(self) -> Predictor:
        """The model itself."""
        return self

    def items(self) -> list[str]:
        """Return the tokens by their ids; a network may have room for more than its tokenizer."""
        return [*self.vocabulary.items(self.n_outputs)]

    def ids_of(self, sentences: Sequence[str], policy: Policy) -> "Iterator[NDArray[np.int64]]":
        """Yield the ids of each sentence's tokens, its marks among them."""
        return (each.ids for each in self.encoded(sentences, policy))

    def tokens_of(self, sentences: Sequence[str], policy: Policy) -> Iterator[list[Token]]:
        """Yield the same tokens, unscored; the network need not run for it."""
        for each in self.encoded(sentences, policy):
            yield [*self._opening(each), *each.tokens]

    def opening_marks(self, sentences: Sequence[str], policy: Policy) -> list[list[Token]]:
        """Return the marks before each sentence that nothing predicts; they have 0 bits."""
        return [[*self._opening(each)] for each in self.encoded(sentences, policy)]

    def _opening(self, encoded: Encoded) -> Iterator[Token]:
        for token_id in encoded.ids[: encoded.n_marks]:
            text = self.vocabulary.text(token_id) or ""
            yield Token(text=text, start=0, end=0, surprisal_bits=0.0, role="bos")

    def _score_blocks(
        self,
        blocks: Sequence[Sequence[DistinctSentence]],
        kept: deque[Sequence[Encoded]],
        policy: Policy,
    ) -> ScoredByIndex:
        """Score block by block; `kept`, the tokens of the first blocks, is emptied on the way."""
        blamed: dict[str, str] = {}
        for block in blocks:
            texts = [each.text for each in block]
            encoded = kept.popleft() if kept else self.encoded(texts, policy)
            spans = [each.spans for each in block]
            for place, outcomes in self._outcomes(encoded, spans, policy):
                try:
                    scored = encoded[place].scored(outcomes)
                except (AlignmentError, ModelError, SurprisalError) as error:
                    why = f"; {self.info.why_no_number}" if isinstance(error, ModelError) else ""
                    blamed[block[place].text] = f"{self._name}: {error}{why}"
                    continue
                for index in block[place].indices:
                    yield index, scored
        if blamed:
            raise ModelError.of_sentences(blamed)

    def encoded(self, sentences: Sequence[str], policy: Policy) -> Sequence[Encoded]:
        """Return the sentences as the network gets them; raises as `score` does."""
        with naming(self._name):
            ends = self.scorer.ends(policy)
        return self.vocabulary.encode(sentences, ends)

    def _outcomes(
        self, encoded: Sequence[Encoded], spans: Sequence[Spans | None], policy: Policy
    ) -> Iterator[tuple[int, list[Outcome]]]:
        """Yield what the scorer does; whatever a network may raise becomes a `ModelError`."""
        left = np.ones(len(encoded), dtype=np.bool_)
        try:
            for place, outcomes in self.scorer.outcomes(encoded, spans, policy):
                left[place] = False
                yield place, outcomes
        except PommelError:
            raise
        except MemoryError:
            # If any of those that are left does not fit, the longest doesn't.
            waiting = [encoded[place] for place in np.flatnonzero(left).tolist()]
            longest = max(waiting, key=lambda each: len(each.ids))
            message = f"out of memory on the {len(longest.ids)} tokens of"
            raise ModelError(f"{self._name}: {message} {shortened(longest.text)}") from None
        except Exception as error:  # a network is foreign code, and may come with the model
            first = encoded[int(np.flatnonzero(left)[0])]
            n_others = int(left.sum()) - 1
            others = f" or {counted(n_others, 'other')}" if n_others else ""
            where = f"{shortened(first.text)}{others}"
            kind = type(error).__name__
            why = f"{kind}: {first_line(error)}" if str(error) else kind
            raise ModelError(f"{self._name}: failed on {where}: {why}") from error

    @property
    def _name(self) -> str:
        return self.info.reference
