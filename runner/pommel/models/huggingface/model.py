"""Causal language models in the Hugging Face format: `huggingface://NAME-or-folder[@revision]`."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pommel.errors import ModelError, UsageError
from pommel.models.huggingface.loading import Loaded, load, quiet, require_extra, text_config
from pommel.models.huggingface.scoring import CausalScorer, causal_scorer
from pommel.models.huggingface.source import Source, commit_of, find_source, first_line
from pommel.models.huggingface.tokens import Encoded, Encoder, shortened
from pommel.models.model import LoadOptions, Model, ModelInfo
from pommel.models.policy import Policy
from pommel.surprisal import ScoredSentence

# How configurations name the longest input they can take.
_LIMITS = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "max_sequence_length")
# A tokenizer without a limit says 1e30.
_SANE_LIMIT = 1 << 30


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
    """A causal model in this process. Each distinct sentence is scored once, in batches."""

    def __init__(
        self, *, info: ModelInfo, encoder: Encoder, scorer: CausalScorer, batch_size: int
    ) -> None:
        """Put together what `open` has loaded and checked."""
        self._info = info
        self.encoder = encoder
        self.scorer = scorer
        self._batch_size = batch_size

    @property
    def info(self) -> ModelInfo:
        """Which model this is."""
        return self._info

    def score(
        self, sentences: Sequence[str], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Return an iterator over (index, scored sentence), the longest sentences first.

        Everything that can be known beforehand is checked now, not when the iterator runs.
        Raises `ModelError` for a mark that the policy wants and the model has not got, a sentence
        longer than the model's context, and (later) for one that the network fails on.
        """
        indices: dict[str, list[int]] = {}
        for index, sentence in enumerate(sentences):
            indices.setdefault(sentence, []).append(index)
        encoded = self.encoder.encode(list(indices), policy)
        for each in encoded:
            self._check_length(each)
        return self._score_encoded(encoded, indices, policy)

    def _score_encoded(
        self, encoded: Sequence[Encoded], indices: Mapping[str, Sequence[int]], policy: Policy
    ) -> Iterator[tuple[int, ScoredSentence]]:
        lengths = [len(sentence.ids) for sentence in encoded]
        for batch in self.scorer.batches(lengths, self._batch_size):
            sentences = [encoded[index] for index in batch]
            for sentence, bits in zip(sentences, self._bits(sentences), strict=True):
                scored = _scored(sentence, bits, policy)
                for index in indices[sentence.text]:
                    yield index, scored

    def _bits(self, batch: Sequence[Encoded]) -> list[list[float]]:
        """Return the batch's surprisals; one that does not fit into memory is cut in half."""
        try:
            with quiet():
                return self.scorer.bits([sentence.ids for sentence in batch])
        except MemoryError:
            if len(batch) == 1:
                message = f"out of memory on the {len(batch[0].ids)} tokens of"
                raise ModelError(f"{self._name}: {message} {shortened(batch[0].text)}") from None
        except RuntimeError as error:
            where = f"the batch of {shortened(batch[0].text)}"
            raise ModelError(f"{self._name}: failed on {where}: {first_line(error)}") from error
        middle = len(batch) // 2
        return [*self._bits(batch[:middle]), *self._bits(batch[middle:])]

    def _check_length(self, sentence: Encoded) -> None:
        limit, length = self._info.max_tokens, len(sentence.ids)
        if limit is not None and length > limit:
            raise ModelError(
                f"{self._name}: {shortened(sentence.text)} has {length} tokens, "
                f"more than the {limit} that the model can take"
            )

    @property
    def _name(self) -> str:
        return self._info.reference


def _open(source: Source, options: LoadOptions) -> Model:
    if options.batch_size < 1:
        raise UsageError(f"the batch size must be 1 or more, not {options.batch_size}")
    loaded = load(source.folder, reference=source.reference, options=options)
    with quiet():
        scorer = causal_scorer(
            loaded.network,
            device=loaded.device,
            dtype=loaded.dtype,
            reference=source.reference,
        )
        encoder = Encoder(loaded.tokenizer, n_known=scorer.n_known)
    return HuggingFaceModel(
        info=_info(source, loaded, encoder),
        encoder=encoder,
        scorer=scorer,
        batch_size=options.batch_size,
    )


def _info(source: Source, loaded: Loaded, encoder: Encoder) -> ModelInfo:
    import torch  # noqa: PLC0415
    import transformers  # noqa: PLC0415

    return ModelInfo(
        reference=source.reference,
        name=source.name,
        kind="huggingface",
        fingerprint=loaded.files.fingerprint(loaded.dtype),
        revision=source.revision,
        n_parameters=sum(weights.numel() for weights in loaded.network.parameters()),
        max_tokens=_max_tokens(text_config(loaded.network), loaded.tokenizer),
        bos=encoder.text_of(encoder.marks.start),
        eos=encoder.text_of(encoder.marks.end),
        dtype=loaded.dtype,
        device=loaded.device,
        details={
            "architecture": type(loaded.network).__name__,
            "vocabulary_size": len(loaded.tokenizer),
            "tokenizer_hash": loaded.files.tokenizer_hash(),
            "transformers": transformers.__version__,
            "torch": str(torch.__version__),
        },
    )


def _max_tokens(config: Any, tokenizer: Any) -> int | None:
    """Return the smallest of the limits that the configuration and the tokenizer give."""
    given = [getattr(config, name, None) for name in _LIMITS]
    limits = [*given, getattr(tokenizer, "model_max_length", None)]
    numbers = [int(limit) for limit in limits if isinstance(limit, int | float)]
    return min((number for number in numbers if 0 < number < _SANE_LIMIT), default=None)


def _scored(sentence: Encoded, bits: Sequence[float], policy: Policy) -> ScoredSentence:
    """Join tokens and surprisals; raises `ModelError` for surprisals that are no numbers."""
    # One per id; the marks in front are context only.
    all_bits = [policy.first_token_bits, *bits][sentence.n_marks :] if sentence.ids else []
    tokens = []
    for token, surprisal in zip(sentence.tokens, all_bits, strict=True):
        if surprisal is not None and math.isnan(surprisal):
            raise ModelError(
                f"the model gives no number (NaN) for {token.text!r} "
                f"in {shortened(sentence.text)}; a reduced dtype may be the reason"
            )
        tokens.append(replace(token, surprisal_bits=surprisal))
    scored = ScoredSentence(text=sentence.text, tokens=tuple(tokens))
    scored.check()
    return scored
