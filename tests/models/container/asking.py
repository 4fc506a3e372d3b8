"""Asking an image of protocol 2, and what is said when it fails."""

from collections.abc import Sequence

import pytest

from pommel.errors import ModelError
from pommel.models.container.commands import ImageCommands
from pommel.models.container.engines.engine import Sandbox
from pommel.models.container.model import SessionAnswers
from pommel.models.model import LoadOptions, Policy
from pommel.surprisal import ScoredSentence

SENTENCES = ("The cat", "A dog", "Unbelievable")


def answers_of(reference: str, sandbox: Sandbox | None = None) -> SessionAnswers:
    return SessionAnswers(ImageCommands.open(reference, LoadOptions(sandbox=sandbox or Sandbox())))


def scored(
    answers: SessionAnswers, sentences: Sequence[str] = SENTENCES, policy: Policy | None = None
) -> list[ScoredSentence]:
    found = dict(answers.score(sentences, policy or Policy()))
    assert len(found) == len(sentences)
    return [found[index] for index in range(len(sentences))]


def failure(reference: str, sandbox: Sandbox | None = None) -> str:
    """Return what is said when the sentences are scored."""
    answers = answers_of(reference, sandbox)
    with pytest.raises(ModelError) as caught:
        scored(answers)
    head, _, rest = str(caught.value).partition(": score: ")
    assert head == "local://toy"
    return rest
