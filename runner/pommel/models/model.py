"""The contract of a model: strings in, tokens with offsets and bits out."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pommel.errors import UnsupportedFeatureError, UsageError
from pommel.models.container.engines.engine import Pull, PullProgress
from pommel.models.container.engines.sandbox import Sandbox
from pommel.models.policy import Method, Policy
from pommel.surprisal import ScoredSentence

# Ranges [start, end) of characters of a sentence. They ask for the tokens whose first character
# lies in one of them; a mark at the sentence's end lies behind its last character, at
# `len(sentence)`.
Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
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

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> "ModelInfo":
        """Return the model that `to_dict` described."""
        return cls(**{**description, "methods": tuple(description["methods"])})

    def to_dict(self) -> dict[str, Any]:
        """Return the description as plain JSON values (see `schemas/surprisals.json`)."""
        return {
            "reference": self.reference,
            "name": self.name,
            "kind": self.kind,
            "fingerprint": self.fingerprint,
            "revision": self.revision,
            "n_parameters": self.n_parameters,
            "max_tokens": self.max_tokens,
            "bos": self.bos,
            "eos": self.eos,
            "dtype": self.dtype,
            "device": self.device,
            "methods": list(self.methods),
            "details": dict(self.details),
        }

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


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """What may be said when a model is loaded; a backend ignores what does not concern it.

    `device` is "cpu", "cuda", "cuda:1", "mps" or "auto"; `dtype` "float32", "bfloat16" or
    "float16". `max_memory_bytes` bounds what scoring uses beside the weights, `batch_tokens` how
    many tokens go through the model at once (None: what suits the device). `trust_remote_code` runs
    Python code that comes with a model; `allow_pickle` reads weights that are not safetensors.
    Both are unsafe.
    `offline` forbids every download.

    For models in containers: `checkpoint` is a file or folder with weights to use instead of those
    in the image, `sandbox` what the container may do and use, `pull` when its image is fetched and
    `pull_progress` who is told how far that is.

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
    timeout_seconds: float = 60.0
    n_parallel: int = 4
    n_retries: int = 5

    def __post_init__(self) -> None:
        if self.batch_tokens is not None and self.batch_tokens < 1:
            raise UsageError(f"a batch has 1 token or more, not {self.batch_tokens}")
        if self.max_memory_bytes is not None and self.max_memory_bytes < 1:
            raise UsageError(f"scoring takes 1 byte of memory or more, not {self.max_memory_bytes}")


class Model(Protocol):
    """Anything that gives surprisals.

    A model knows nothing of suites. The surprisals of a sentence do not depend on which other
    sentences it is scored with, nor on their order (1e-4 bits in float32).
    """

    @property
    def info(self) -> ModelInfo:
        """Which model this is."""
        ...

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Yield (index into `sentences`, scored sentence), each index once, in any order.

        `spans` says, sentence by sentence, which tokens must be scored (None: all of them). A
        model may score more; a token that it leaves out is "not asked for".
        Raises `ModelError` for what the model can't do (a sentence longer than its context, a
        policy it does not know), and never truncates. What is yielded has passed
        `ScoredSentence.check`.
        """
        ...


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
    spans: Sequence[Spans | None] | None = None,
) -> list[ScoredSentence]:
    """Return the scored sentences in the order of `sentences`."""
    scored = dict(model.score(sentences, policy, spans))
    return [scored[index] for index in range(len(sentences))]
