"""Small suites and made-up surprisals that many tests share."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence, Token, TokenRole, Unscored

Sentences = Mapping[str, Sequence[str]]

AGREEMENT: Sentences = {
    "match": ("The dog", "barks", "."),
    "mismatch": ("The dog", "bark", "."),
}


def suite_value(
    items: Iterable[Mapping[str, Sequence[str]]] = (AGREEMENT,),
    formulas: Iterable[str] = ("(2;%match%) < (2;%mismatch%)",),
    **meta: Any,
) -> dict[str, Any]:
    """Return a suite's JSON value: for each item its conditions, for each of these its regions."""
    items = list(items)
    n_regions = max(len(regions) for item in items for regions in item.values())
    return {
        "meta": {"name": "small", "metric": "sum", **meta},
        "region_meta": {str(number): f"r{number}" for number in range(1, n_regions + 1)},
        "predictions": [{"type": "formula", "formula": formula} for formula in formulas],
        "items": [
            {
                "item_number": number,
                "conditions": [
                    {
                        "condition_name": name,
                        "regions": [
                            {"region_number": place, "content": content}
                            for place, content in enumerate(regions, 1)
                        ],
                    }
                    for name, regions in item.items()
                ],
            }
            for number, item in enumerate(items, 1)
        ],
    }


def make_suite(
    items: Iterable[Mapping[str, Sequence[str]]] = (AGREEMENT,),
    formulas: Iterable[str] = ("(2;%match%) < (2;%mismatch%)",),
    **meta: Any,
) -> Suite:
    """Return the suite of `suite_value`."""
    return LoadedSuite.from_dict(suite_value(items, formulas, **meta)).suite


def suite_text(value: Any | None = None) -> str:
    """Return a suite's file: two spaces a level, so that positions can be counted."""
    return json.dumps(suite_value() if value is None else value, indent=2, ensure_ascii=False)


def token(  # noqa: PLR0913 - a token has that many sides
    text: str,
    start: int,
    bits: float | None,
    *,
    end: int | None = None,
    oov: bool = False,
    role: TokenRole = "text",
    why: Unscored = "no context",
) -> Token:
    """Return a token; it ends where its text does unless `end` says otherwise."""
    return Token(
        text=text,
        start=start,
        end=start + len(text) if end is None else end,
        surprisal_bits=bits,
        oov=oov,
        role=role,
        why_unscored=why,
    )


def by_word(text: str, bits: Mapping[str, float | None] | None = None) -> ScoredSentence:
    """Return a sentence with one token a word, whose surprisal is its length unless `bits` says."""
    tokens = []
    end = 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        known = (bits or {}).get(word, float(len(word)))
        tokens.append(token(word, start, known))
    return ScoredSentence(text=text, tokens=tuple(tokens))
