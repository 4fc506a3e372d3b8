"""Rule: compared regions that a model cuts into different numbers of tokens."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pommel.suite.lint.balance import unbalanced
from pommel.suite.lint.contrasts import Contrast, Side
from pommel.suite.lint.remark import Remark
from pommel.suite.lint.subject import Subject
from pommel.surprisal import ScoredSentence

# Half a token an item.
_AT_LEAST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenized:
    """A model's name and its tokens of every sentence of a suite, by the sentence's text."""

    model_name: str
    sentences: Mapping[str, ScoredSentence]


def token_count(subject: Subject, tokenized: Tokenized) -> Iterator[Remark]:
    """Yield the predictions whose sides differ systematically in their number of tokens.

    Marks of a sentence's beginning and end are not counted. See `balance.unbalanced`.
    """

    def difference(item: int, contrast: Contrast) -> float:
        more, less = (
            _n_tokens(subject, item, side, tokenized) for side in (contrast.more, contrast.less)
        )
        return more - less

    for found in unbalanced(subject, difference, at_least=_AT_LEAST):
        mean = found.imbalance.mean
        contrast = found.contrasts[0]
        side = "what should be more surprising" if mean > 0 else "what should be less surprising"
        if not contrast.directed:
            side = repr((contrast.more if mean > 0 else contrast.less).condition)
        yield found.remark(
            "token-count",
            f"{side} has more tokens for {tokenized.model_name}: {abs(mean):.1f} more on average, "
            f"{found.imbalance.agreement}",
            "a sum grows with the number of its tokens; match the words, or add the reverse "
            "comparison",
        )


def _n_tokens(subject: Subject, item: int, side: Side, tokenized: Tokenized) -> int:
    laid = subject.items[item][side.condition]
    scored = tokenized.sentences[laid.sentence.text]
    numbers = list(laid.spans)
    tokens = [token for token in scored.tokens if token.role == "text"]
    return sum(
        side.regions is None or numbers[region] in side.regions
        for region in laid.sentence.regions_of(tokens)
    )
