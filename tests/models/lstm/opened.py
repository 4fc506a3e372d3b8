"""A model that has been opened, and what it says of a sentence."""

from pathlib import Path
from typing import Any

from pommel.models.lstm import model as lstm
from pommel.models.lstm.model import LstmModel
from pommel.models.model import LoadOptions
from pommel.surprisal import ScoredSentence

WORDS = ("The", "the", "cat", "cats", "dog", "sleeps", "are", "here", ".", ",", "(", ")", "don't")


def opened(folder: Path, **options: Any) -> LstmModel:
    found = lstm.open_model(f"lstm://{folder}", LoadOptions(**options))
    assert isinstance(found, LstmModel)
    return found


def outcomes(scored: ScoredSentence) -> list[float | str]:
    return [
        token.why_unscored if token.surprisal_bits is None else token.surprisal_bits
        for token in scored.tokens
    ]
