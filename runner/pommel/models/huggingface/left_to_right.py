"""Networks that read from left to right: causal ones, and the decoders of encoder-decoder models.

A decoder is taught by forcing: it gets the sentence's own tokens behind its start token, and the
encoder gets the tokenizer's marks without any text between them, so that a token's surprisal is
that after the tokens before it and nothing else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pommel.errors import UnsupportedFeatureError
from pommel.models.huggingface.boundary import Boundaries, corrected_bits, find_boundaries
from pommel.models.huggingface.loading import Loaded
from pommel.models.huggingface.tokens import Encoded, Ends, Outcome, Vocabulary
from pommel.models.model import Method, Policy, Spans
from pommel.models.neural.causal import CausalEngine, causal_engine, teacher_forced_engine
from pommel.models.neural.network import Network
from pommel.models.neural.questions import Ids, Request

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@dataclass(frozen=True, eq=False)
class LeftToRight:
    """An engine for causal requests. `start` is the decoder's start token, if it is a decoder."""

    engine: CausalEngine
    vocabulary: Vocabulary
    start: int | None = None

    methods: ClassVar[tuple[Method, ...]] = ("causal",)

    def check(self, policy: Policy) -> None:
        """Raise `UnsupportedFeatureError` if words are to be corrected and nothing marks them."""
        if policy.boundary == "corrected" and self._boundaries is None:
            raise UnsupportedFeatureError(
                "boundary=corrected: this model's tokenizer marks neither where "
                "words begin nor where they end; write boundary=raw"
            )

    def ends(self, policy: Policy) -> Ends:
        """Return the marks in front of a sentence and behind it."""
        opening = self.vocabulary.prefix(policy)
        if self.start is not None:
            if policy.bos == "never":
                start = self.vocabulary.text(self.start)
                raise UnsupportedFeatureError(
                    "bos=never: a decoder always begins with its start token, "
                    f"{start!r} here; write bos=auto"
                )
            opening = (self.start, *self.vocabulary.own_prefix)
        ends = Ends(opening=opening, closing=self.vocabulary.suffix(policy))
        ends.check(policy)
        return ends

    def n_fed(self, sentence: Encoded, policy: Policy) -> int:
        """Return how many tokens a sentence has for the network."""
        del policy
        return len(sentence.ids)

    def work(
        self, sentences: Sequence[Encoded], spans: Sequence[Spans | None], policy: Policy
    ) -> tuple[int, int]:
        """Return how much `outcomes` has the network compute: nodes and projected rows."""
        return self.engine.work(_requests(sentences, spans, self._boundaries_under(policy)))

    def outcomes(
        self, sentences: Sequence[Encoded], spans: Sequence[Spans | None], policy: Policy
    ) -> Iterator[tuple[int, list[Outcome]]]:
        """Yield (index into `sentences`, an outcome for each token), each index once."""
        boundaries = self._boundaries_under(policy)
        requests = _requests(sentences, spans, boundaries)
        group = boundaries.group if boundaries else None
        for index, answer in self.engine.answers(requests, group=group):
            request, bits = requests[index], answer.bits
            if boundaries:
                before, behind = boundaries.contexts(request.ids, request.positions)
                of_group = answer.boundary_bits
                bits = corrected_bits(bits, before, behind, request.boundaries, of_group)
            sentence = sentences[index]
            outcomes: list[Outcome] = ["not asked for"] * sentence.n_tokens
            if not sentence.n_marks and sentence.asked_for(spans[index])[:1].any():
                outcomes[0] = policy.first_outcome
            tokens = (request.positions - sentence.n_marks).tolist()
            for token, value in zip(tokens, bits.tolist(), strict=True):
                outcomes[token] = value
            yield index, outcomes

    def _boundaries_under(self, policy: Policy) -> Boundaries | None:
        return self._boundaries if policy.boundary == "corrected" else None

    @cached_property
    def _boundaries(self) -> Boundaries | None:
        return find_boundaries(self.vocabulary)


def causal_scorer(loaded: Loaded) -> LeftToRight:
    """Return the scorer of a causal model, which is tried on a few tokens.

    Raises `ModelNotAvailableError` if it is not causal.
    """
    network = Network(loaded.network, device=loaded.options.device)
    return LeftToRight(causal_engine(network, loaded.options), loaded.vocabulary)


def decoder_scorer(loaded: Loaded) -> LeftToRight:
    """Return the scorer of an encoder-decoder model.

    Raises `ModelNotAvailableError` if it does not say what its decoder starts with, or its decoder
    is not causal.
    """
    vocabulary = loaded.vocabulary
    start = _start_id(loaded.network, vocabulary.n_known)
    # An encoder must get something: the tokenizer's marks without a text between them.
    marks = (*vocabulary.own_prefix, *vocabulary.own_suffix)
    engine = teacher_forced_engine(
        loaded.network,
        loaded.options,
        source_ids=marks or (() if start is None else (start,)),
        start_id=start,
    )
    return LeftToRight(engine, vocabulary, start)


def _start_id(network: "PreTrainedModel", n_known: int) -> int | None:
    configs = (network.config, getattr(network, "generation_config", None))
    given = [getattr(config, "decoder_start_token_id", None) for config in configs]
    # What transformers itself falls back on.
    given.append(getattr(network.config, "bos_token_id", None))
    return next((each for each in given if isinstance(each, int) and 0 <= each < n_known), None)


def _requests(
    sentences: Sequence[Encoded], spans: Sequence[Spans | None], boundaries: Boundaries | None
) -> list[Request]:
    pairs = zip(sentences, spans, strict=True)
    return [_request(sentence, own, boundaries) for sentence, own in pairs]


def _request(sentence: Encoded, spans: Spans | None, boundaries: Boundaries | None) -> Request:
    """Return a request for the ids that are asked for and have a context."""
    (asked,) = sentence.asked_for(spans).nonzero()
    positions: Ids = asked + sentence.n_marks
    positions = positions[positions[:1].tolist() == [0] :]
    if boundaries is None:
        return Request(sentence.ids, positions)
    contexts = np.unique(np.concatenate(boundaries.contexts(sentence.ids, positions)))
    return Request(sentence.ids, positions, boundaries=contexts[contexts > 0])
