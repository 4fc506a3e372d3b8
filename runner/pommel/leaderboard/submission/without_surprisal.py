"""Which tokens may be without a surprisal where a prediction looks."""

from pommel.errors import quoted
from pommel.models.model import Method, Spans
from pommel.surprisal import ScoredSentence

# Those that may read a sentence from left to right; the others see what stands behind, too.
_LEFT_TO_RIGHT: tuple[Method, ...] = ("auto", "causal", "ngram")


def unscored_fault(scored: ScoredSentence, spans: Spans | None, method: Method) -> str:
    """Return what is wrong with tokens in `spans` that have no context, "" if nothing is.

    Predictions take such a token for one of 0 bits. So it has to be one that no model could score:
    nothing that can be seen stands before it in the sentence, and the method is none that masks.
    `spans` are as in `needed.needed_spans`; that tokens were not asked for, or are not comparable
    (their items are skipped), is not looked at.
    """
    for token in scored.tokens:
        if token.surprisal_bits is not None or token.why_unscored != "no context":
            continue
        if not (spans is None or any(start <= token.start < end for start, end in spans)):
            continue
        is_from_left = method in _LEFT_TO_RIGHT
        if is_from_left and not scored.text[: token.start].strip():
            continue
        rule = (
            "only the first token of a sentence can be without context"
            if is_from_left
            else f"under the method {method} no token is without context"
        )
        return (
            f"the token {quoted(token.text)} has no surprisal in {quoted(scored.text)}, in a "
            f"region that a prediction names; {rule}"
        )
    return ""
