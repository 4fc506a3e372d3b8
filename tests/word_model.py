"""A toy model that gives what it is asked for, and keeps what that was."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.builders import by_word

from pommel.errors import ModelError
from pommel.models.kinds import KINDS, Kind, Opener, find_kind
from pommel.models.model import Method, ModelInfo, Policy, Spans
from pommel.surprisal import ScoredSentence


@dataclass(slots=True)
class WordModel:
    """Scores a word with its length, or as it is told, if it is asked for it; last things first.

    `failure` is raised when it comes to a sentence of `fails_at` ("end": behind the last one), or
    at once if it is to be asked for `refuses`.
    """

    bits: Mapping[str, float | None] = field(default_factory=dict)
    sentences: Mapping[str, ScoredSentence] = field(default_factory=dict)
    costly_calls: bool = False
    n_together: int | None = None
    methods: tuple[Method, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str = "0"
    fails_at: str = ""
    refuses: str = ""
    failure: BaseException = field(default_factory=lambda: ModelError("it fails"))
    asked: list[list[str]] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)
    spans: list[list[Spans | None]] = field(default_factory=list)

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(
            reference="toy://words",
            name="words",
            kind="toy",
            fingerprint=self.fingerprint,
            methods=self.methods,
            details=self.details,
            costly_calls=self.costly_calls,
            n_together=self.n_together,
        )

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        self.asked.append(list(sentences))
        self.policies.append(policy)
        self.spans.append(list(spans or [None] * len(sentences)))
        if self.refuses in sentences:
            raise self.failure
        return self._scored(sentences)

    def _scored(self, sentences: Sequence[str]) -> Iterator[tuple[int, ScoredSentence]]:
        for index in reversed(range(len(sentences))):
            text = sentences[index]
            if text == self.fails_at:
                raise self.failure
            scored = self.sentences.get(text) or by_word(text, self.bits)
            yield index, only_in(scored, self.spans[-1][index])
        if self.fails_at == "end":
            raise self.failure


def only_in(scored: ScoredSentence, spans: Spans | None) -> ScoredSentence:
    """Return the sentence with what was asked for and nothing else."""
    if spans is None:
        return scored
    kept = (
        each
        if any(start <= each.start < end for start, end in spans)
        else replace(each, surprisal_bits=None, why_unscored="not asked for")
        for each in scored.tokens
    )
    return replace(scored, tokens=tuple(kept))


def replace_kind(monkeypatch: pytest.MonkeyPatch, scheme: str, opener: Opener) -> None:
    """Have references of a scheme, which may be a new one, opened so."""
    kind = replace(find_kind(scheme) or Kind(open=opener), open=opener, place=None)
    monkeypatch.setitem(sys.modules, f"kind_{scheme}", SimpleNamespace(KIND=kind))
    monkeypatch.setitem(KINDS, scheme, f"kind_{scheme}")
