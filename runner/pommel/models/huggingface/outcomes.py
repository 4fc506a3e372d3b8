"""What is known of each token of a sentence after scoring."""

import math
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

from pommel.errors import ModelError
from pommel.models.huggingface.loading import quiet
from pommel.models.huggingface.tokens import Encoded, Outcome, shortened
from pommel.surprisal import ScoredSentence, Token

# For so long an engine is asked before its answers are passed on.
_SECONDS_AT_ONCE = 0.1

_Answer = TypeVar("_Answer")


def scored_sentence(sentence: Encoded, outcomes: Sequence[Outcome]) -> ScoredSentence:
    """Join tokens and surprisals; raises `ModelError` for surprisals that are no numbers."""
    # Rounding may make the surprisal of a certain token -1e-7.
    clean = [0.0 if _is_rounded_zero(outcome) else outcome for outcome in outcomes]
    tokens = sentence.tokens_with(clean)
    for token in tokens:
        if token.surprisal_bits is not None and math.isnan(token.surprisal_bits):
            raise ModelError(
                f"the model gives no number (NaN) for {token.text!r} "
                f"in {shortened(sentence.text)}; a reduced dtype may be the reason"
            )
    scored = ScoredSentence(text=sentence.text, tokens=tokens)
    scored.check()
    return scored


def _is_rounded_zero(outcome: Outcome) -> bool:
    return not isinstance(outcome, str) and -Token.ROUNDING_BITS < outcome < 0


def without_noise(answers: Iterator[_Answer]) -> Iterator[_Answer]:
    """Yield an engine's answers, with transformers silent while the network is at work.

    To silence it takes as long as a few answers, so that these are taken several at once.
    """
    done = False
    while not done:
        ready: list[_Answer] = []
        failure: Exception | None = None
        deadline = time.monotonic() + _SECONDS_AT_ONCE
        with quiet():
            try:
                while time.monotonic() < deadline:
                    ready.append(next(answers))
            except StopIteration:
                done = True
            except Exception as error:  # noqa: BLE001 - it is raised when its turn has come
                failure = error
        yield from ready
        if failure is not None:
            raise failure
