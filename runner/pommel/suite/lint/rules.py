"""All rules by name, and a suite checked against those that are asked for."""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

from pommel.suite.lint import balance, characters, controls, patterns, sentences, variety
from pommel.suite.lint.frequencies import Frequencies
from pommel.suite.lint.proofs import Question, always_hold, contradict, never_hold, proved
from pommel.suite.lint.subject import Cause, Remark, Subject, Tokenized
from pommel.suite.suite import Suite
from pommel.values import frozen


@frozen
class Rule:
    """How a rule finds what it has to say, and what it needs beside the suite.

    What a pedantic one finds is true, and mostly meant so.
    """

    find: Callable[[Subject], Iterator[Remark]]
    needs: Literal["frequencies", "model"] | None = None
    is_pedantic: bool = False


def _proof(question: Question, message: str, hint: str) -> Rule:
    return Rule(find=partial(proved, question=question, message=message, hint=hint))


RULES: Mapping[str, Rule] = {
    "never-holds": _proof(
        never_hold,
        "prediction {} can never hold",
        "look at what it compares, and which way round",
    ),
    "always-holds": _proof(
        always_hold,
        "prediction {} always holds",
        "it says nothing of a model; look at what it compares",
    ),
    "contradiction": _proof(
        contradict,
        "the predictions can never hold together",
        "by the score rule `all` such an item never counts",
    ),
    "empty-region": Rule(find=sentences.empty_region),
    "no-contrast": Rule(find=sentences.no_contrast),
    "unequal-length": Rule(find=sentences.unequal_length),
    "unequal-words": Rule(find=sentences.unequal_words),
    "unequal-context": Rule(find=sentences.unequal_context),
    "context-free": Rule(find=controls.context_free),
    "duplicate-item": Rule(find=sentences.duplicate_item),
    "duplicate-contrast": Rule(find=sentences.duplicate_contrast),
    "duplicate-prefix": Rule(find=sentences.duplicate_prefix),
    "few-words": Rule(find=variety.few_words),
    "uneven-feature": Rule(find=variety.uneven_feature),
    "no-minimal-pair": Rule(find=sentences.no_minimal_pair),
    "odd-word": Rule(find=patterns.odd_word),
    "odd-form": Rule(find=patterns.odd_form),
    "swapped-conditions": Rule(find=patterns.swapped_conditions),
    "wrong-way": Rule(find=sentences.wrong_way),
    "control-character": Rule(find=characters.control_character),
    "mixed-normalization": Rule(find=characters.mixed_normalization),
    "mixed-scripts": Rule(find=characters.mixed_scripts),
    "missing-joiner": Rule(find=characters.missing_joiner),
    "closed-class": Rule(find=variety.closed_class, is_pedantic=True),
    "shared-context": Rule(find=variety.shared_context, is_pedantic=True),
    "unused-condition": Rule(find=sentences.unused_condition, is_pedantic=True),
    "unused-region": Rule(find=sentences.unused_region, is_pedantic=True),
    "word-frequency": Rule(find=balance.word_frequency, needs="frequencies"),
    "token-count": Rule(find=balance.token_count, needs="model"),
    "swallowed-region": Rule(find=balance.swallowed_region, needs="model"),
}

# Which rules have the say where several find the same.
_FIRST: Mapping[Cause, Collection[str]] = {
    "empty": ("empty-region",),
    "same": ("never-holds", "always-holds"),
    "odd": ("odd-word", "odd-form", "swapped-conditions"),
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
    subject = Subject(suite=suite, frequencies=frequencies, tokenized=tokenized)
    remarks = [
        replace(each, rule=name)
        for name, rule in RULES.items()
        if name in rules
        for each in rule.find(subject)
    ]
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
