"""The contract of a model: strings in, tokens with offsets and bits out."""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, get_args

from pommel.errors import ModelError, UnsupportedFeatureError, UsageError, counted
from pommel.models.container.engines.engine import MIB, Pull, PullProgress, Sandbox, size_in_bytes
from pommel.surprisal import ScoredSentence, Unscored
from pommel.values import frozen, positional

Bos = Literal["auto", "always", "never", "tokenizer"]
Eos = Literal["auto", "always", "never"]
FirstToken = Literal["unscored", "zero"]
Method = Literal[
    "auto",
    "causal",
    "pll",
    "pll-word-l2r",
    "masked-l2r",
    "focus-mask",
    "unmasked-ce",
    "ngram",
]
Boundary = Literal["raw", "corrected"]


@frozen
class Policy:
    """How a model is asked for surprisals.

    `bos`: "auto" puts the model's beginning-of-sentence mark in front, exactly once, where it has
    one, so that the first token has a real surprisal; "always" is an error where it has none;
    "never" scores without; "tokenizer" does what a model's tokenizer does by itself (one that
    adds no mark, like GPT-2's, leaves the first token without context).
    `eos`: "auto" keeps the end-of-sentence surprisal where the model emits such a mark by itself;
    "always" asks for it of any model that knows one; "never" leaves it out.
    `first_token`: what a token without any left context gets: no surprisal ("unscored"), or the 0
    that the retired tools gave it ("zero").
    `method`: how a token is scored. "auto" is the model's own (`ModelInfo.methods`): "causal" for
    a model that reads from left to right, "ngram", or, for a masked model, "pll": mask one token at
    a time (Salazar et al. 2020). "pll-word-l2r" masks the later tokens of its word, too (Kauf and
    Ivanova 2023); "masked-l2r" everything from the token on, at fixed length (Perez-Mayos et al.
    2021); "focus-mask" only words that are one token (Goldberg 2019); "unmasked-ce" masks nothing
    and scores the marks at both ends, too (Zaczynska et al. 2020).
    `boundary`: "corrected" gives the probability of whole words, where a tokenizer marks where
    words begin: that a word ends here is moved from the next word's first token to this word's
    last (Pimentel and Meister 2024; Oh and Schuler 2024).
    """

    bos: Bos = "auto"
    eos: Eos = "auto"
    first_token: FirstToken = "unscored"
    method: Method = "auto"
    boundary: Boundary = "raw"

    METHODS: ClassVar[tuple[Method, ...]] = get_args(Method)
    BOUNDARIES: ClassVar[tuple[Boundary, ...]] = get_args(Boundary)
    # What the retired tools did: whatever the tokenizer adds and nothing else, first token 0.
    SYNTAXGYM: ClassVar["Policy"]

    @classmethod
    def default(cls, compat: str | None) -> "Policy":
        """Return the policy that holds where none is given; the retired tool had its own."""
        return cls.SYNTAXGYM if compat == "syntaxgym" else cls()

    def __post_init__(self) -> None:
        for each in fields(self):
            UsageError.check_choice(each.name, getattr(self, each.name), get_args(each.type))

    def to_dict(self) -> dict[str, str]:
        """Return the policy as plain JSON values, one key a choice."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def first_token_bits(self) -> float | None:
        """What a token without any left context gets, in bits; None for no surprisal."""
        return 0.0 if self.first_token == "zero" else None

    @property
    def first_outcome(self) -> float | Unscored:
        """What a token without any left context gets, or why it has no surprisal."""
        return 0.0 if self.first_token == "zero" else "no context"

    @property
    def fingerprint(self) -> str:
        """The first 16 hex digits of the SHA-256 over the policy's canonical JSON."""
        return _fingerprint(self)


Policy.SYNTAXGYM = Policy(bos="tokenizer", eos="auto", first_token="zero")


# Each run asks for it a dozen times.
@lru_cache(maxsize=256)
def _fingerprint(policy: Policy) -> str:
    canonical = json.dumps(policy.to_dict(), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


# In `ModelInfo.details["offsets"]`: the model printed tokens only, and where they are is found out.
RECOVERED = "recovered"

# Ranges [start, end) of characters of a sentence. They ask for the tokens whose first character
# lies in one of them; a mark at the sentence's end lies behind its last character, at
# `len(sentence)`.
Spans = Sequence[tuple[int, int]]
# What is asked of each of some sentences; None, for a sentence or altogether: all tokens.
SpansOfEach = Sequence[Spans | None] | None
# Pairs of an index into the sentences asked for, each once and in any order, and the answer.
ScoredByIndex = Iterator[tuple[int, ScoredSentence]]

# Of a model's fields, those that describe how it is best asked, and not which it is.
_HOW_TO_CALL = ("costly_calls", "n_together", "all_at_once")


@frozen
class ModelInfo:
    """Which model it is, for people (`name`) and for a stored run (everything else).

    `fingerprint` is a SHA-256 over all that decides the model's numbers (weights, configuration,
    tokenizer); two models with the same fingerprint give the same surprisals.
    `methods` are the scoring methods that it takes, its own first; empty for a model that
    has one that nobody can choose (a container, recorded surprisals).
    `details` holds what one kind of model has and another has not, as plain JSON values.
    `costly_calls` says that all sentences are better asked for at once: because a call costs a
    start (of a container), or because what sentences share is computed once a call.
    `n_together` is how many sentences a call may have for their numbers to be repeated to the last
    bit by a call with the same sentences, at a cost that hardly grows; None where a sentence's
    numbers are the same whatever it comes with.
    `all_at_once` says that a call has to have all sentences that there are, in their order, as the
    model knows them by that only. None of these three is a part of the description.
    """

    reference: str
    name: str
    kind: str
    fingerprint: str
    revision: str | None = None
    n_parameters: int | None = None
    max_tokens: int | None = None
    bos: str | None = None
    eos: str | None = None
    dtype: str | None = None
    device: str | None = None
    methods: tuple[Method, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    costly_calls: bool = False
    n_together: int | None = None
    all_at_once: bool = False

    @property
    def why_no_number(self) -> str:
        """What may be the reason where a network answers with NaN."""
        reduced = self.dtype not in ("float32", "float64")
        return "a reduced dtype may be the reason" if reduced else "its weights may be damaged"

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> "ModelInfo":
        """Return the model that `to_dict` described."""
        return cls(**{**description, "methods": tuple(description["methods"])})

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain JSON values (see `schemas/surprisals.json`)."""
        names = [each.name for each in fields(self) if each.name not in _HOW_TO_CALL]
        description = {name: getattr(self, name) for name in names}
        return description | {"methods": list(self.methods), "details": dict(self.details)}

    @property
    def has_recovered_offsets(self) -> bool:
        """Whether the model prints tokens only, and where they are is found out."""
        return self.details.get("offsets") == RECOVERED

    @property
    def is_half(self) -> bool:
        """Whether its numbers are of half precision, so that rounding shows."""
        return self.dtype in ("float16", "bfloat16")

    @property
    def remarks(self) -> list[str]:
        """What is told of how it has answered: sentences asked for again, an image's habits."""
        said = []
        if seen := self.details.get("asked_again"):
            again = counted(seen["n_sentences"], "sentence")
            said.append(
                f"{again} asked again, in reverse order: {seen['largest_bits']:.4f} bits at most"
            )
        if habits := self.details.get("habits"):
            said.append(habits)
        return said

    def method(self, policy: Policy) -> Method:
        """Return the method that a policy means for this model.

        Raises `UnsupportedFeatureError` for one that the model does not take.
        """
        if policy.method == "auto":
            return self.methods[0] if self.methods else "auto"
        if policy.method not in self.methods:
            can = f"it takes {', '.join(self.methods)}" if self.methods else "it has its own"
            message = f"{self.reference} does not take the method {policy.method!r}"
            raise UnsupportedFeatureError(f"{message}; {can}")
        return policy.method

    def resolved_method(self, policy: Policy) -> Method:
        """Return the scoring method that a policy means, "auto" where the model has none to name.

        A recording's is that of the model that it was made with. Raises `UnsupportedFeatureError`
        for a method that the model does not take.
        """
        method = self.method(policy)
        if method != "auto":
            return method
        recorded = self.details.get("method")
        return next((each for each in Policy.METHODS if each == recorded), method)


@frozen
class LoadOptions:
    """What may be said when a model is loaded; a backend ignores what does not concern it.

    `device` is "cpu", "cuda", "cuda:1", "mps" or "auto"; `dtype` "float32", "bfloat16" or
    "float16". `max_memory_bytes` bounds what scoring uses beside the weights, `batch_tokens` how
    many tokens go through the model at once (None: what suits the device). `trust_remote_code` runs
    Python code that comes with a model; `allow_pickle` reads weights that are not safetensors.
    Both are unsafe.
    `offline` forbids every download.

    For models in containers: `checkpoint` is a file or folder with weights to use instead of those
    in the image, `sandbox` what the container may do and use, `pull` when its image is fetched,
    `pull_progress` who is told how far that is, and `remove_image` whether one that was not there
    before is removed when the model is closed.

    For models behind a server: `timeout_seconds` is how long one answer may take, `n_parallel` how
    many requests are under way at once, `n_retries` how often one is repeated that failed for a
    reason that may pass.
    Raises `UsageError` for limits that leave no room.
    """

    device: str = "cpu"
    dtype: str = "float32"
    max_memory_bytes: int | None = None
    batch_tokens: int | None = None
    trust_remote_code: bool = False
    allow_pickle: bool = False
    offline: bool = False
    checkpoint: Path | None = None
    sandbox: Sandbox = field(default_factory=Sandbox)
    pull: Pull = "missing"
    pull_progress: PullProgress | None = None
    remove_image: bool = False
    timeout_seconds: float = 60.0
    n_parallel: int = 4
    n_retries: int = 5

    @staticmethod
    def read_memory(text: str) -> int:
        """Read `max_memory_bytes` as people write it, "4G"; raises `ValueError` below 1M."""
        n_bytes = size_in_bytes(text)
        if n_bytes < MIB:
            raise ValueError("write a size from 1M up")
        return n_bytes

    def __post_init__(self) -> None:
        if self.batch_tokens is not None and self.batch_tokens < 1:
            raise UsageError(f"a batch has 1 token or more, not {self.batch_tokens}")
        if self.max_memory_bytes is not None and self.max_memory_bytes < 1:
            raise UsageError(f"scoring takes 1 byte of memory or more, not {self.max_memory_bytes}")


class Model(Protocol):
    """Anything that gives surprisals.

    A model knows nothing of suites. The surprisals of a sentence do not depend on which other
    sentences it is scored with, nor on their order (1e-4 bits in float32). One of half precision
    may have a method `in_float32`, which gives the same in float32: its verdicts can be those then.
    """

    @property
    def info(self) -> ModelInfo:
        """Which model this is."""
        ...

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: SpansOfEach = None,
    ) -> ScoredByIndex:
        """Yield (index into `sentences`, scored sentence), each index once, in any order.

        `spans` says, sentence by sentence, which tokens must be scored (None: all of them). A
        model may score more; a token that it leaves out is "not asked for".
        Raises `ModelError` for what the model can't do (a sentence longer than its context, a
        policy it does not know), and never truncates. Where sentences are to blame, it says which
        (`ModelError.of_sentences`): before anything is computed, or when all others have been
        yielded. What is yielded has passed `ScoredSentence.check`.
        """
        ...


@contextlib.contextmanager
def naming(reference: str) -> Iterator[None]:
    """Have what is wrong with a model, or with what is asked of it, begin with its reference."""
    try:
        yield
    except ModelError as error:
        raise type(error)(f"{reference}: {error}") from error.__cause__


@contextlib.contextmanager
def closing(model: Model) -> Iterator[Model]:
    """Give a model and, at the end, have it let go of what it holds.

    Only a model that holds something (a container) has a method `close`.
    """
    try:
        yield model
    finally:
        if close := getattr(model, "close", None):
            close()


def score_all(
    model: Model,
    sentences: Sequence[str],
    policy: Policy,
    spans: SpansOfEach = None,
) -> list[ScoredSentence]:
    """Return the scored sentences in the order of `sentences`."""
    scored = dict(model.score(sentences, policy, spans))
    return [scored[index] for index in range(len(sentences))]


@positional
class DistinctSentence:
    """A text, the places at which it was given, and the spans that are asked for (None: all)."""

    text: str
    indices: tuple[int, ...]
    spans: Spans | None

    @classmethod
    def all_of(
        cls, sentences: Sequence[str], spans: SpansOfEach = None
    ) -> "list[DistinctSentence]":
        """Return each text once, sorted: neighbours share their beginnings.

        `spans` are as in `Model.score`.
        """
        indices: dict[str, list[int]] = {}
        for index, text in enumerate(sentences):
            indices.setdefault(text, []).append(index)
        found = []
        for text, own in sorted(indices.items()):
            asked = [None if spans is None else spans[index] for index in own]
            # All of it, if anybody asks for that.
            joined = [span for each in asked for span in each or ()]
            found.append(cls(text, tuple(own), None if None in asked else tuple(joined)))
        return found


def check_only_method(
    info: ModelInfo, policy: Policy, recorded_policy: Mapping[str, Any] | None = None
) -> None:
    """Raise `UnsupportedFeatureError` for a method or a boundary that a model cannot choose.

    What was recorded with a corrected boundary (`recorded_policy`) may be asked for so.
    """
    info.method(policy)
    recorded = (recorded_policy or {}).get("boundary", "raw")
    if policy.boundary not in ("raw", recorded):
        raise UnsupportedFeatureError(
            f"{info.reference} does not take the boundary {policy.boundary!r}; "
            "score it with boundary=raw"
        )
