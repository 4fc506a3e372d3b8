"""All rules by name, and a suite checked against those that are asked for."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pommel.lint.duplicates import duplicate_contrast, duplicate_item, no_contrast
from pommel.lint.frequencies import Frequencies
from pommel.lint.holding import (
    always_holds,
    contradiction,
    equivalent_prediction,
    implied_prediction,
    never_holds,
)
from pommel.lint.matching import unequal_context, unequal_length, unequal_words
from pommel.lint.regions import empty_region
from pommel.lint.remark import Remark
from pommel.lint.subject import Subject
from pommel.lint.token_counts import Tokenized, token_count
from pommel.lint.unused import unused_condition, unused_region
from pommel.lint.word_frequency import word_frequency
from pommel.suite import Suite

Need = Literal["frequencies", "model"]

# Those that need nothing but the suite.
_RULES: Mapping[str, Callable[[Subject], Iterator[Remark]]] = {
    "never-holds": never_holds,
    "always-holds": always_holds,
    "contradiction": contradiction,
    "equivalent-prediction": equivalent_prediction,
    "implied-prediction": implied_prediction,
    "empty-region": empty_region,
    "no-contrast": no_contrast,
    "unequal-length": unequal_length,
    "unequal-words": unequal_words,
    "unequal-context": unequal_context,
    "duplicate-item": duplicate_item,
    "duplicate-contrast": duplicate_contrast,
    "unused-condition": unused_condition,
    "unused-region": unused_region,
}
NEEDS: Mapping[str, Need] = {"word-frequency": "frequencies", "token-count": "model"}
RULES: tuple[str, ...] = (*_RULES, *NEEDS)

# True, and often meant so.
PEDANTIC = frozenset({"implied-prediction", "unused-condition", "unused-region"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What some rules need beside the suite; they are left out where it is None."""

    frequencies: Frequencies | None = None
    tokenized: Tokenized | None = None


def check_suite(
    suite: Suite, rules: Collection[str], evidence: Evidence | None = None
) -> list[Remark]:
    """Return what the rules of these names have to say of a suite, in the order of `RULES`."""
    subject = Subject(suite=suite)
    remarks = [remark for name, rule in _RULES.items() if name in rules for remark in rule(subject)]
    if evidence and evidence.frequencies and "word-frequency" in rules:
        remarks += word_frequency(subject, evidence.frequencies)
    if evidence and evidence.tokenized and "token-count" in rules:
        remarks += token_count(subject, evidence.tokenized)
    return remarks
