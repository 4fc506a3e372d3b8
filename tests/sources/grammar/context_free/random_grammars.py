"""Grammars that Hypothesis makes up, and what NLTK derives from them."""

from collections.abc import Sequence

from hypothesis import reject, strategies as st
from nltk.grammar import CFG
from nltk.parse.generate import generate

TERMINALS = ("'a'", "'b'", "'der Mann'", '"c"', "''")
_NAMES = ("S", "NP", "N1", "V^x", "P/Q")


@st.composite
def grammars(draw: st.DrawFn, *, recursive: bool, terminals: Sequence[str] = TERMINALS) -> str:
    """Draw the rules of up to five nonterminals, each of which leads to those behind it or to any.

    The last of them has terminals only; without recursion a sentence comes of each.
    """
    names = _NAMES[: draw(st.integers(1, len(_NAMES)))]
    lines = []
    for number, name in enumerate(names):
        below = names if recursive and number + 1 < len(names) else names[number + 1 :]
        symbols = st.sampled_from([*terminals, *below, *below])
        alternatives = draw(st.lists(st.lists(symbols, max_size=3), min_size=1, max_size=3))
        lines.append(f"{name} -> {' | '.join(' '.join(each) for each in alternatives)}")
    return "\n".join(lines)


def generated(text: str, depth: int | None = None) -> list[str]:
    """Return the sentences that NLTK generates, as text; an example of too many is rejected."""
    sentences = generate(CFG.fromstring(text), depth=depth)
    try:
        return [" ".join(filter(None, tokens)) for tokens in sentences]
    except ValueError as error:
        if "Refusing to generate" in str(error):
            reject()
        raise
