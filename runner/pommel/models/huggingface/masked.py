"""Masked language models: which tokens are hidden, from which are they told, and what is context.

The methods are `pommel.models.model.Policy.method`'s. Under all but "unmasked-ce" the marks at
both ends are context and no tokens. Under "focus-mask" only a word between white space that is
one token of the vocabulary is scored (Goldberg 2019 leaves out the others); the tokens of other
words are "not comparable".
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, cast, get_args

import numpy as np

from pommel.errors import ModelNotAvailableError, UnsupportedFeatureError
from pommel.models.huggingface.loading import Loaded
from pommel.models.huggingface.tokens import Encoded, Ends, Outcome, Vocabulary, whitespace_words
from pommel.models.model import Method, Policy, Spans
from pommel.models.neural.masked import MaskedEngine, MaskedMethod, MaskedRequest, masked_engine
from pommel.values import positional

METHODS: tuple[MaskedMethod, ...] = get_args(MaskedMethod)


@positional(eq=False)
class Masked:
    """An engine for masked requests."""

    engine: MaskedEngine
    vocabulary: Vocabulary

    methods: ClassVar[tuple[Method, ...]] = METHODS
    start: ClassVar[int | None] = None

    def check(self, policy: Policy) -> None:
        """Raise `UnsupportedFeatureError` if the probability of whole words is asked for."""
        if policy.boundary == "corrected":
            raise UnsupportedFeatureError(
                "boundary=corrected: a masked model sees where words end; write boundary=raw"
            )

    def ends(self, policy: Policy) -> Ends:
        """Return the marks in front of a sentence and behind it."""
        method = _method(policy)
        are_scored = method == "unmasked-ce"
        if policy.eos == "always" and not are_scored:
            raise UnsupportedFeatureError(
                f"eos=always: the method {method!r} takes the mark at the end of "
                "a sentence for context and gives it no surprisal; write eos=auto, or "
                "method=unmasked-ce"
            )
        # What the tokenizer adds, at each end on its own.
        ends = Ends(
            opening=() if policy.bos == "never" else self.vocabulary.own_prefix,
            closing=() if policy.eos == "never" else self.vocabulary.own_suffix,
            opening_is_scored=are_scored,
            closing_is_scored=are_scored,
        )
        ends.check(policy)
        return ends

    def n_fed(self, sentence: Encoded, policy: Policy) -> int:
        """Return how many tokens a sentence has for the network."""
        # That method has one place behind the sentence whether there is a mark for it or not.
        has_place = sentence.n_closing + sentence.n_eos > 0
        return len(sentence.ids) + (_method(policy) == "masked-l2r" and not has_place)

    def work(
        self, sentences: Sequence[Encoded], spans: Sequence[Spans | None], policy: Policy
    ) -> tuple[int, int]:
        """Return how much `outcomes` has the network compute: ids of its inputs, projected rows."""
        method = _method(policy)
        pairs = zip(sentences, spans, strict=True)
        requests = [_request(sentence, own, method) for sentence, own in pairs]
        n_fed = sum(each.n_fed(method) for each in requests)
        return n_fed, sum(len(each.positions) for each in requests)

    def outcomes(
        self, sentences: Sequence[Encoded], spans: Sequence[Spans | None], policy: Policy
    ) -> Iterator[tuple[int, list[Outcome]]]:
        """Yield (index into `sentences`, an outcome for each token), each index once."""
        method = _method(policy)
        requests = [
            _request(sentence, own, method) for sentence, own in zip(sentences, spans, strict=True)
        ]
        for index, answer in self.engine.answers(requests, method):
            sentence = sentences[index]
            # What is asked for and not scored is what the method leaves out.
            outcomes: list[Outcome] = [
                "not comparable" if asked else "not asked for"
                for asked in sentence.asked_for(spans[index])
            ]
            tokens = (requests[index].positions - sentence.n_marks).tolist()
            for token, value in zip(tokens, answer.bits.tolist(), strict=True):
                outcomes[token] = value
            yield index, outcomes


def masked_scorer(loaded: Loaded) -> Masked:
    """Return the scorer of a masked model.

    Raises `ModelNotAvailableError` if its tokenizer has no mask.
    """
    if loaded.vocabulary.mask is None:
        raise ModelNotAvailableError(
            "its tokenizer has no mask token (mask_token), which is "
            "what a masked model is asked with"
        )
    engine = masked_engine(loaded.network, loaded.options, mask_id=loaded.vocabulary.mask)
    return Masked(engine, loaded.vocabulary)


def _method(policy: Policy) -> MaskedMethod:
    return METHODS[0] if policy.method == "auto" else cast("MaskedMethod", policy.method)


def _request(sentence: Encoded, spans: Spans | None, method: Method) -> MaskedRequest:
    """Return a request for the tokens that are asked for and the method applies to."""
    scored = sentence.asked_for(spans)
    if method == "focus-mask":
        # Only what is a whole word between white space, and known to the vocabulary.
        places = whitespace_words(sentence.text, sentence.offsets[:, 0])
        unknown = -1 if sentence.vocabulary.unknown is None else sentence.vocabulary.unknown
        scored &= np.bincount(places, minlength=1)[places] == 1
        scored &= sentence.token_ids != unknown
    n_opening = sentence.n_marks + sentence.n_bos
    n_closing = sentence.n_eos + sentence.n_closing
    words = np.pad(sentence.words.astype(np.int64), (n_opening, n_closing), constant_values=-1)
    return MaskedRequest(
        ids=sentence.ids,
        positions=np.flatnonzero(scored) + sentence.n_marks,
        words=words,
        n_closing=n_closing,
    )
