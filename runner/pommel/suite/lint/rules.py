"""All rules by name, and a suite checked against those that are asked for."""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pommel.suite.lint.balance import Tokenized, swallowed_region, token_count, word_frequency
from pommel.suite.lint.frequencies import Frequencies
from pommel.suite.lint.proofs import CLAIMS, Proofs, proved
from pommel.suite.lint.sentences import (
    control_character,
    duplicate_contrast,
    duplicate_item,
    empty_region,
    no_contrast,
    unequal_context,
    unequal_length,
    unequal_words,
    unused_condition,
    unused_region,
)
from pommel.suite.lint.subject import Cause, Remark, Subject
from pommel.suite.suite import Suite

Need = Literal["frequencies", "model"]

# Those that need nothing but the suite, beside `CLAIMS`, which reason about its formulas.
_SEEN: Mapping[str, Callable[[Subject], Iterator[Remark]]] = {
    "empty-region": empty_region,
    "no-contrast": no_contrast,
    "unequal-length": unequal_length,
    "unequal-words": unequal_words,
    "unequal-context": unequal_context,
    "duplicate-item": duplicate_item,
    "duplicate-contrast": duplicate_contrast,
    "control-character": control_character,
    "unused-condition": unused_condition,
    "unused-region": unused_region,
}
_NEEDS: Mapping[str, Need] = {
    "word-frequency": "frequencies",
    "token-count": "model",
    "swallowed-region": "model",
}
# True, and often meant so.
_PEDANTIC = ("unused-condition", "unused-region")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a rule needs beside the suite, and whether what it finds is mostly meant so."""

    needs: Need | None
    is_pedantic: bool


RULES: Mapping[str, Rule] = {
    name: Rule(needs=_NEEDS.get(name), is_pedantic=name in _PEDANTIC)
    for name in (*CLAIMS, *_SEEN, *_NEEDS)
}

# Which rules have the say where several find the same.
_FIRST: Mapping[Cause, Collection[str]] = {
    "empty": ("empty-region",),
    "same": ("never-holds", "always-holds"),
}


def check_suite(
    suite: Suite,
    rules: Collection[str],
    *,
    frequencies: Frequencies | None = None,
    tokenized: Tokenized | None = None,
) -> list[Remark]:
    """Return what the rules of these names have to say of a suite, in the order of `RULES`.

    What one of them has said of the same predictions and items for the same cause is left out, and
    so are the rules for which there are no frequencies, or no tokens.
    """
    suite = _by_its_metric(suite)
    subject = Subject(suite=suite)
    remarks: list[Remark] = []
    # Proofs are about one metric: of predictions that compare different ones nothing is said.
    if all(suite.metric_of(each) == suite.metrics[0] for each in suite.predictions):
        proofs = Proofs(subject)
        remarks += [each for name in CLAIMS if name in rules for each in proved(proofs, name)]
    remarks += [each for name, rule in _SEEN.items() if name in rules for each in rule(subject)]
    remarks = _without_repetition(remarks)
    if frequencies and "word-frequency" in rules:
        remarks += word_frequency(subject, frequencies)
    if tokenized and "token-count" in rules:
        remarks += token_count(subject, tokenized)
    if tokenized and "swallowed-region" in rules:
        remarks += swallowed_region(subject, tokenized)
    return remarks


def _by_its_metric(suite: Suite) -> Suite:
    """Return a suite whose first metric is that of its predictions, where they have one."""
    compared = {suite.metric_of(each) for each in suite.predictions}
    return replace(suite, metrics=tuple(compared)) if len(compared) == 1 else suite


def _without_repetition(remarks: Sequence[Remark]) -> list[Remark]:
    said = {
        (each.cause, *place)
        for each in remarks
        if each.cause and each.rule in _FIRST[each.cause]
        for place in _places(each)
    }
    return [
        each
        for each in remarks
        if not each.cause
        or each.rule in _FIRST[each.cause]
        or not all((each.cause, *place) in said for place in _places(each))
    ]


def _places(remark: Remark) -> Iterator[tuple[int, int]]:
    return itertools.product(remark.predictions, remark.item_numbers)
