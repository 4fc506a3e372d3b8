"""Suites that differ from another in the first letters of their sentences alone."""

from collections.abc import Callable
from dataclasses import replace

from pommel.errors import with_first_letter
from pommel.suite.suite import Condition, Suite


def capitalized(suite: Suite) -> Suite:
    """Return the suite with the first letter of every sentence a capital one.

    It is the first letter of the first word, behind a quotation mark or an inverted question mark
    that it may begin with; the rest of the word stays as it is. A sentence whose first word has no
    letter, or none that there are two cases of, stays as it is.
    """
    return _with_first_letters(suite, str.title)


def uncapitalized(suite: Suite) -> Suite:
    """Return the suite with the first letter of every sentence a small one, names included."""
    return _with_first_letters(suite, str.lower)


def n_sentences_changed(suite: Suite, variant: Suite) -> int:
    """Return how many sentences a variant of a suite has that the suite itself has not."""
    pairs = zip(suite.items, variant.items, strict=True)
    return sum(
        one.condition(name).sentence(suite.joiner) != other.condition(name).sentence(suite.joiner)
        for one, other in pairs
        for name in suite.condition_names
    )


def _with_first_letters(suite: Suite, changed: Callable[[str], str]) -> Suite:
    items = tuple(
        replace(item, conditions=tuple(_changed(each, changed) for each in item.conditions))
        for item in suite.items
    )
    return replace(suite, items=items)


def _changed(condition: Condition, changed: Callable[[str], str]) -> Condition:
    regions = list(condition.regions)
    # Every sentence has a region with text.
    first = next(place for place, region in enumerate(regions) if region.text)
    written = with_first_letter(regions[first].content, changed)
    regions[first] = replace(regions[first], content=written)
    return replace(condition, regions=tuple(regions))
