"""How a server is asked under each policy, and what its answers say of a sentence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pommel.errors import InputError, UnsupportedFeatureError, quoted
from pommel.models.endpoint.protocol import PromptAnswer, PromptProtocol
from pommel.models.endpoint.spelling import spell
from pommel.models.policy import Policy
from pommel.surprisal import ScoredSentence, Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to ask for a sentence.

    `mark` is written in front of it; without `special_tokens` the server is told to add none.
    `front` are the tokens that are then shown in front of the sentence's own, and `n_hidden` is
    how many more the server counts and does not show; None if it does not count. `is_first_scored`
    says that the sentence's first token has a probability.
    """

    mark: str = ""
    special_tokens: bool = True
    front: tuple[str, ...] = ()
    n_hidden: int | None = None
    is_first_scored: bool = False

    @property
    def has_mark(self) -> bool:
        """Whether something stands before the sentence for certain; a count alone may be wrong."""
        return bool(self.front) or self.is_first_scored

    def prompt(self, sentence: str) -> str:
        """Return what is sent for a sentence; it is not given a mark that it begins with."""
        return sentence if sentence.startswith(self.mark) else self.mark + sentence

    def scored(self, sentence: str, answer: PromptAnswer, policy: Policy) -> ScoredSentence:
        """Return the sentence with its tokens' surprisals, from natural logarithms to bits.

        Raises `InputError` for an answer that is not this sentence's: other tokens, other marks in
        front, a token without a probability that is not the first.
        """
        n_front = len(self.front)
        is_marked = bool(self.mark) and sentence.startswith(self.mark)
        if is_marked:
            # The mark is the sentence's own first token.
            n_front -= 1
        if answer.tokens[:n_front] != self.front[:n_front]:
            shown, expected = answer.tokens[:n_front], self.front[:n_front]
            raise InputError(f"it puts {listing(shown)} and not {listing(expected)} in front")
        texts, numbers = answer.tokens[n_front:], answer.log_probabilities[n_front:]
        n_tokens = self._n_counted(answer, n_front)
        spans = spell(sentence, texts, most_generated=answer.most_generated, n_tokens=n_tokens)
        tokens = []
        for index, (start, end) in enumerate(spans):
            number, text = numbers[index], texts[index]
            if index == 0 and (is_marked or not self.is_first_scored):
                bits = policy.first_token_bits
            elif number is None:
                raise InputError(
                    f"it gives no log-probability for {quoted(text)}, its token {index + 1}"
                )
            else:
                bits = -number / math.log(2)
            tokens.append(Token(text=text, start=start, end=end, surprisal_bits=bits))
        scored = ScoredSentence(text=sentence, tokens=tuple(tokens))
        scored.check()
        return scored

    def _n_counted(self, answer: PromptAnswer, n_front: int) -> int | None:
        """Return how many tokens the sentence has by the server's own count."""
        if answer.n_prompt_tokens is None or self.n_hidden is None:
            return None
        return answer.n_prompt_tokens - self.n_hidden - n_front


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What a server does by itself (`own`), and what it can be made to do.

    `marked` is the way in which a mark stands in front of a sentence, `bare` that in which none
    does; None where there is no such way. `contexts` says how far it was seen that the numbers of a
    token are those after what stands before it.
    """

    protocol: PromptProtocol
    own: Way
    marked: Way | None
    bare: Way | None
    contexts: str

    def way(self, policy: Policy, *, reference: str) -> Way:
        """Return how sentences are asked for; raises `UnsupportedFeatureError` if they can't be."""
        if policy.eos == "always":
            raise UnsupportedFeatureError(
                f"{reference}: eos=always: a server scores a prompt as it is, without a mark at "
                "its end; write eos=auto"
            )
        ways = {
            "tokenizer": self.own,
            "auto": self.usual,
            "always": self.marked,
            "never": self.bare,
        }
        if way := ways[policy.bos]:
            return way
        why = {
            "always": "the server puts no mark in front of a sentence; name the model's: "
            "http://HOST/v1?bos=MARK#MODEL",
            "never": "the server puts a mark in front of every sentence; write bos=auto",
        }
        if self.marked is None and self.bare is None:
            reason = "the server counts a token that it does not show, which may be a mark or not"
        else:
            reason = why[policy.bos]
        raise UnsupportedFeatureError(f"{reference}: bos={policy.bos}: {reason}")

    @property
    def usual(self) -> Way:
        """The way of bos=auto."""
        return self.marked or self.own

    @property
    def bos(self) -> str | None:
        """The mark in front of a sentence under bos=auto, if it is shown."""
        return "".join(self.usual.front) or self.usual.mark or None

    @property
    def details(self) -> dict[str, Any]:
        """What a stored run says of it."""
        return {
            "protocol": self.protocol.name,
            "first_token": _first_token(self.usual, is_marked=self.marked is not None),
            "without_mark": _without_mark(self.bare),
            "contexts": self.contexts,
        }


def listing(tokens: Sequence[str]) -> str:
    """Return tokens as a message shows them."""
    return f"[{', '.join(quoted(each) for each in tokens)}]"


def _first_token(way: Way, *, is_marked: bool) -> str:
    if way.mark:
        return f"scored, after {way.mark!r} of the reference"
    if way.front:
        by = f"{''.join(way.front)!r}, which the server puts in front"
    elif is_marked:
        by = "a mark that the server puts in front and does not show"
    elif way.n_hidden:
        return "unscored: the server counts a token that it does not show"
    else:
        return "unscored: nothing stands before it"
    return f"scored, after {by}" if way.is_first_scored else f"unscored by the server, after {by}"


def _without_mark(bare: Way | None) -> str:
    if bare is None:
        return "not possible"
    return "as it is" if bare.special_tokens else "add_special_tokens=false"
