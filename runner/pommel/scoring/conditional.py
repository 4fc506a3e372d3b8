"""Conditional scores: how surprising a target is after its left context."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pommel.errors import InputError
from pommel.models import Model
from pommel.scoring.choices import Choices
from pommel.scoring.questions import Questions
from pommel.scoring.regions import all_needed
from pommel.surprisal import ScoredSentence, Token
from pommel.values import frozen, positional

# Called with the number of pairs that have just been scored.
Progress = Callable[[int], None]


@frozen
class ConditionalScore:
    """The surprisal of a target after its context: of the sum -log2 p(target | context), in bits.

    `tokens` are the target's, in order, with offsets in `text`, the sentence that was scored.
    `crossing` is the text of a token that begins in the context and ends in the target, None where
    there is none: it counts where it begins, and so is none of `tokens`. `failure` is why the model
    has no answer for the sentence; then there are no tokens.
    """

    context: str
    target: str
    text: str
    tokens: tuple[Token, ...]
    crossing: str | None = None
    failure: str = ""

    @property
    def n_tokens(self) -> int:
        """How many tokens the target has, scored or not."""
        return len(self.tokens)

    @property
    def n_unscored(self) -> int:
        """How many of them have no surprisal; sum and mean leave these out."""
        return self.n_tokens - len(self._bits)

    @property
    def surprisal_bits(self) -> float:
        """The sum over the target's tokens, in bits; NaN if none has a surprisal."""
        return math.fsum(self._bits) if self._bits else math.nan

    @property
    def mean_surprisal_bits(self) -> float:
        """The mean over the target's tokens that have a surprisal, in bits; NaN if none has."""
        return self.surprisal_bits / len(self._bits) if self._bits else math.nan

    @property
    def oovs(self) -> tuple[str, ...]:
        """The target's words that the model does not know."""
        return tuple(self.text[t.start : t.end].strip() for t in self.tokens if t.oov)

    @property
    def _bits(self) -> list[float]:
        return [t.surprisal_bits for t in self.tokens if t.surprisal_bits is not None]

    @classmethod
    def of_pairs(
        cls,
        model: Model,
        pairs: Iterable[tuple[str, str]],
        choices: Choices | None = None,
        *,
        joiner: str = " ",
        progress: Progress | None = None,
    ) -> list["ConditionalScore"]:
        """Return the score of each (context, target), in order.

        Context and target are one sentence, joined by `joiner`, and the model is asked for the
        target's tokens only. As with the regions of a suite, a token belongs to what holds its
        first visible character, one without any follows its start, the joiner belongs to the
        target, nothing joins an empty context, and the mark at the end counts where the policy
        includes it. The first token after an empty context has the mark at the beginning for a
        context, or is unscored.

        A minimal pair of Kryvosheieva and Levy compares two of these by their mean per token
        (`mean_surprisal_bits`), without a mark at the end (`Policy(eos="never")`) and with those at
        the beginning that the tokenizer adds (`bos="tokenizer"`).

        A sentence at which the model fails has no score, unless it fails at all of them, or
        the choices say `strict_model`: then the first failure is raised. Of the choices only this
        and the policy matter here.
        Raises `InputError` for a target without a visible character, and what the model raises.
        """
        asked = [_Asked.of(number, *pair, joiner) for number, pair in enumerate(pairs, start=1)]
        # The token of a target's first word may begin with a space that the context ends in, and a
        # mark at the end lies behind the last character.
        needed = all_needed(
            {each.text: ((len(each.context.rstrip()), len(each.text) + 1),)} for each in asked
        )
        chosen = choices or Choices()
        questions = Questions(model, chosen.policy, needed, is_strict=chosen.strict_model)
        for n_scored in questions.ask(Counter(each.text for each in asked)):
            if progress and n_scored:
                progress(n_scored)
        questions.check_any(needed)
        scores = {each: each.score(questions.scored[each.text]) for each in dict.fromkeys(asked)}
        return [scores[each] for each in asked]

    @staticmethod
    def compared(
        good: Sequence["ConditionalScore"], bad: Sequence["ConditionalScore"]
    ) -> tuple["Comparison", "Comparison"]:
        """Compare good and bad targets: by the sums over their tokens, and by the means."""
        return (
            Comparison.of([s.surprisal_bits for s in good], [s.surprisal_bits for s in bad]),
            Comparison.of(
                [s.mean_surprisal_bits for s in good], [s.mean_surprisal_bits for s in bad]
            ),
        )


@frozen
class Comparison:
    """How two lists of scores compare, item by item.

    `n_right` counts items whose good target is less surprising; the others are `n_ties` (equal
    scores), `n_undefined` (a score is missing), or wrong.
    """

    n_items: int
    n_right: int
    n_ties: int
    n_undefined: int

    @property
    def share_right(self) -> float:
        """The accuracy, in which ties and what is missing are wrong; NaN without items."""
        return self.n_right / self.n_items if self.n_items else math.nan

    @classmethod
    def of(cls, good_bits: Sequence[float], bad_bits: Sequence[float]) -> "Comparison":
        """Compare the scores of good and bad targets, (n_items,) each; NaN is a missing one."""
        items = list(zip(good_bits, bad_bits, strict=True))
        return cls(
            n_items=len(items),
            n_right=sum(good < bad for good, bad in items),
            n_ties=sum(good == bad for good, bad in items),
            n_undefined=sum(math.isnan(good) or math.isnan(bad) for good, bad in items),
        )


@positional
class _Asked:
    """A pair as a sentence; the target, with what joins it, begins at `border`."""

    context: str
    target: str
    text: str
    border: int

    @classmethod
    def of(cls, number: int, context: str, target: str, joiner: str) -> "_Asked":
        if not target.strip():
            message = f"pair {number}: the target {target!r} has no visible character"
            raise InputError(f"{message}; write the words to be scored")
        text = f"{context}{joiner}{target}" if context else target
        return cls(context, target, text, len(context))

    def score(self, scored: ScoredSentence) -> ConditionalScore:
        tokens = scored.tokens
        before = [t for t in tokens if _first_visible(self.text, t) < self.border]
        crossing = (t.text for t in before if self.text[self.border : t.end].strip())
        return ConditionalScore(
            context=self.context,
            target=self.target,
            text=self.text,
            tokens=tuple(t for t in tokens if _first_visible(self.text, t) >= self.border),
            crossing=next(crossing, None),
            failure=scored.failure,
        )


def _first_visible(text: str, token: Token) -> int:
    """Return the place of a token's first visible character, or its start if it has none."""
    written = text[token.start : token.end]
    n_spaces = len(written) - len(written.lstrip())
    return token.start + (n_spaces if n_spaces < len(written) else 0)
