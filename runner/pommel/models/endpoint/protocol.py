"""What a server is asked, and what it says of a prompt: OpenAI's completions."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pommel.errors import InputError, quoted
from pommel.values import frozen

# Of a token that is certain, rounded.
_MOST_ABOVE_ZERO = 1e-6
# What servers write for a probability of 0, because JSON has no infinity.
_PLACEHOLDER = -9000.0
_SHOWN_DIGITS = 24


@frozen
class PromptAnswer:
    """The tokens that a server shows, with natural logarithms; None where it gives none.

    `best` has the largest logarithm of each place, or is empty where a server does not tell.
    `n_prompt_tokens` is how many tokens the prompt has by the server's count. The last token that
    is shown may be none of it.
    """

    tokens: tuple[str, ...]
    log_probabilities: tuple[float | None, ...]
    best: tuple[float | None, ...]
    n_prompt_tokens: int | None


@frozen
class Completions:
    """OpenAI's completions, with `echo` and `logprobs`.

    One token is generated, and cut off (for some, 0 means "no limit").
    """

    base_url: str
    model: str
    # What a stored run says of it.
    name: ClassVar = "completions (echo, logprobs, max_tokens 1)"

    @property
    def url(self) -> str:
        """Where it is asked."""
        return f"{self.base_url}/completions"

    def body(self, prompt: str, *, special_tokens: bool = True) -> Mapping[str, Any]:
        """Return the request for a prompt."""
        # At a temperature of 1 scaled probabilities are the model's own.
        body: dict[str, Any] = {"model": self.model, "prompt": prompt, "echo": True, "logprobs": 1}
        body |= {"max_tokens": 1, "temperature": 1.0, "top_p": 1.0}
        return body if special_tokens else {**body, "add_special_tokens": False}

    def read(self, value: Mapping[str, Any]) -> PromptAnswer:
        """Return what an answer says. Raises `InputError` with what is wrong with it."""
        choices = _of(value, "choices", list, "its answer")
        if len(choices) != 1:
            raise InputError(f"its answer has {len(choices)} choices, and one was asked for")
        listed = choices[0].get("logprobs") if isinstance(choices[0], dict) else None
        if listed is None:
            raise InputError("it gives no log-probabilities (logprobs is ignored)")
        tokens = _of(listed, "tokens", list, "logprobs")
        numbers = _of(listed, "token_logprobs", list, "logprobs")
        usage = value.get("usage")
        counted = usage.get("prompt_tokens") if isinstance(usage, dict) else None
        return PromptAnswer(
            tokens=_texts(tokens),
            log_probabilities=_checked(numbers, tokens),
            best=_best(listed.get("top_logprobs"), len(tokens)),
            n_prompt_tokens=counted if isinstance(counted, int) else None,
        )


def _of(value: object, name: str, kind: type, where: str) -> Any:
    found = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(found, kind):
        raise InputError(f"{where} has no {name!r}")
    return found


def _texts(tokens: Sequence[Any]) -> tuple[str, ...]:
    if not all(isinstance(each, str) for each in tokens):
        raise InputError("its tokens are not all texts")
    if any(each.startswith("token_id:") for each in tokens):
        raise InputError(
            "it shows token ids instead of tokens; start it without --return-tokens-as-token-ids"
        )
    return tuple(tokens)


def _checked(numbers: Sequence[Any], tokens: Sequence[Any]) -> tuple[float | None, ...]:
    """Return log-probabilities that can be some; null is left for whoever knows where it may be."""
    if len(numbers) != len(tokens):
        raise InputError(f"it gives {len(numbers)} log-probabilities for {len(tokens)} tokens")
    return tuple(_log_probability(each, text) for each, text in zip(numbers, tokens, strict=True))


def _log_probability(number: object, token: str) -> float | None:
    if number is None:
        return None
    what = f"the log-probability of {quoted(token)} is"
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise InputError(f"{what} of type {type(number).__name__}, and no number")
    # Written so that NaN, too, is refused.
    if not -math.inf < number <= _MOST_ABOVE_ZERO:
        raise InputError(f"{what} {_shown(number)}, which none can be")
    if number < _PLACEHOLDER:
        raise InputError(
            f"{what} {_shown(number)}, which stands for one that the server does not know"
        )
    # Without the sign of -0.
    return min(float(number), 0.0) or 0.0


def _shown(number: float) -> str:
    """Return a number; JSON has integers of thousands of digits."""
    digits = str(number)
    return digits if len(digits) <= _SHOWN_DIGITS else f"{digits[:_SHOWN_DIGITS]}…"


def _best(listed: object, n_tokens: int) -> tuple[float | None, ...]:
    """Return the largest logarithm at each place; empty if there are none for all tokens."""
    if not isinstance(listed, list) or len(listed) != n_tokens:
        return ()
    return tuple(
        max((number for number in each.values() if isinstance(number, int | float)), default=None)
        if isinstance(each, dict)
        else None
        for each in listed
    )
