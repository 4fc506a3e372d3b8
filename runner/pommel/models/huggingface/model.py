"""Language models in the Hugging Face format: `huggingface://NAME-or-folder[@revision]`.

Causal, masked and encoder-decoder models; which kind it is, its configuration says.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pommel.errors import ModelError, PommelError, UnsupportedFeatureError, counted, first_line
from pommel.models.distinct import DistinctSentence, distinct_sentences
from pommel.models.huggingface.description import describe
from pommel.models.huggingface.encoded import Encoded, Outcome
from pommel.models.huggingface.left_to_right import LeftToRight, causal_scorer, decoder_scorer
from pommel.models.huggingface.loading import load, quiet, require_extra
from pommel.models.huggingface.marks import Marks
from pommel.models.huggingface.masked import Masked, masked_scorer
from pommel.models.huggingface.outcomes import Scorer, scored_sentence
from pommel.models.huggingface.source import Source, commit_of, find_source
from pommel.models.huggingface.token_names import TokenNames
from pommel.models.huggingface.tokens import Encoder, shortened
from pommel.models.model import LoadOptions, Model, ModelInfo, Spans
from pommel.models.policy import Policy
from pommel.surprisal import ScoredSentence

if TYPE_CHECKING:
    from numpy.typing import NDArray

# So many distinct sentences are held as tokens at once: memory does not grow with their number.
_BLOCK = 8_192


def open(reference: str, options: LoadOptions) -> Model:  # noqa: A001 - every backend has `open`
    """Load the model that a `huggingface://` reference names, from disk or from the hub.

    Raises `ModelNotAvailableError` if it cannot be had, or cannot be had safely; the message says
    what to do.
    """
    require_extra(reference)
    return _open(find_source(reference, options), options)


def open_folder(folder: Path, *, reference: str, name: str, options: LoadOptions) -> Model:
    """Load the model in `folder` under another reference and name. Raises as `open` does."""
    require_extra(reference)
    source = Source(reference=reference, folder=folder, name=name, revision=commit_of(folder))
    return _open(source, options)


class HuggingFaceModel:
    """A language model in this process. Each distinct sentence is scored once, in batches."""

    def __init__(self, *, info: ModelInfo, encoder: Encoder, scorer: Scorer) -> None:
        """Put together what `open` has loaded and checked."""
        self._info = info
        self.encoder = encoder
        self.scorer = scorer

    @property
    def info(self) -> ModelInfo:
        """Which model this is."""
        return self._info

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Return an iterator over (index, scored sentence).

        Everything that can be known beforehand is checked now, not when the iterator runs. Equal
        sentences are scored once, with what is asked of any of them.
        Raises `UnsupportedFeatureError` for a method, a boundary or a mark that this kind of model
        can't do, `ModelError` for a mark that the policy wants and the model has not got, a
        sentence longer than the model's context, and (later) for one that the network fails on.
        """
        self._info.method(policy)
        self.scorer.check(policy)
        wanted = distinct_sentences(sentences, spans)
        blocks = [wanted[start : start + _BLOCK] for start in range(0, len(wanted), _BLOCK)]
        encoded: Sequence[Encoded] = ()
        for block in blocks:
            encoded = self._encoded(block, policy)
            for each in encoded:
                self._check_length(each, policy)
        # What was encoded to be checked is kept if it is all there is, else made again when needed.
        kept = encoded if len(blocks) == 1 else None
        return self._score_blocks(blocks, kept, policy)

    def log_probabilities(self, ids: Sequence[int]) -> "NDArray[np.float32]":
        """Return the natural logarithms of the probabilities of all tokens before each of `ids`.

        *Shape:* (ids x `n_outputs`); the first row, before which there is nothing, is uniform.
        Raises `UnsupportedFeatureError` for a masked model, which predicts no next token.
        """
        return self._left_to_right.log_probabilities(ids, n_outputs=self.n_outputs)

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

    def _score_blocks(
        self,
        blocks: Sequence[Sequence[DistinctSentence]],
        kept: Sequence[Encoded] | None,
        policy: Policy,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        for block in blocks:
            encoded = kept if kept is not None else self._encoded(block, policy)
            spans = [each.spans for each in block]
            for place, outcomes in self._outcomes(encoded, spans, policy):
                scored = scored_sentence(encoded[place], outcomes)
                for index in block[place].indices:
                    yield index, scored

    def _encoded(self, block: Sequence[DistinctSentence], policy: Policy) -> Sequence[Encoded]:
        return self.encoder.encode([each.text for each in block], policy)

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
            longest = max((encoded[place] for place in np.flatnonzero(left).tolist()), key=_length)
            message = f"out of memory on the {_length(longest)} tokens of"
            raise ModelError(f"{self._name}: {message} {shortened(longest.text)}") from None
        except Exception as error:  # a network is foreign code, and may come with the model
            first = encoded[int(np.flatnonzero(left)[0])]
            n_others = int(left.sum()) - 1
            others = f" or {counted(n_others, 'other')}" if n_others else ""
            where = f"{shortened(first.text)}{others}"
            kind = type(error).__name__
            why = f"{kind}: {first_line(error)}" if str(error) else kind
            raise ModelError(f"{self._name}: failed on {where}: {why}") from error

    def _check_length(self, sentence: Encoded, policy: Policy) -> None:
        limit, length = self._info.max_tokens, self.scorer.n_fed(sentence, policy)
        if limit is not None and length > limit:
            raise ModelError(
                f"{self._name}: {shortened(sentence.text)} has {length} tokens, "
                f"more than the {limit} that the model can take"
            )

    @property
    def _name(self) -> str:
        return self._info.reference


def _length(sentence: Encoded) -> int:
    return len(sentence.ids)


def _open(source: Source, options: LoadOptions) -> Model:
    reference = source.reference
    loaded = load(source.folder, reference=reference, options=options)
    with quiet():
        marks = Marks(loaded.tokenizer, n_known=loaded.n_known)
        names = TokenNames(loaded.tokenizer, marks)
        scorer: LeftToRight | Masked
        match loaded.kind:
            case "causal":
                scorer = causal_scorer(loaded, names, marks, reference=reference, options=options)
            case "encoder-decoder":
                scorer = decoder_scorer(loaded, names, marks, reference=reference, options=options)
            case "masked":
                scorer = masked_scorer(loaded, marks, reference=reference, options=options)
        encoder = Encoder(names, marks, n_known=loaded.n_known, ends=scorer.ends)
    return HuggingFaceModel(
        info=describe(source, loaded, encoder, scorer), encoder=encoder, scorer=scorer
    )
