"""What can be proved of the predictions of a suite, each question answered once."""

import itertools
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.cases import Outcomes, all_of, is_possible, outcomes
from pommel.suite.lint.linear import TooHardError
from pommel.suite.lint.regions import reported_empty
from pommel.suite.lint.subject import Subject
from pommel.suite.lint.values import SHARINGS, Sharing, Values, item_values

_Outcome = Literal["true", "not true"]

# What is asked of an item's values. It may raise `TooHardError`, which is no.
Question = Callable[[Values], bool]


@dataclass(frozen=True, slots=True)
class Reason:
    """Which regions have to be one value for it, and whether a region has to be empty for it."""

    sharing: Sharing
    is_empty: bool


class Proofs:
    """What is so of the predictions of a suite, whatever surprisals a model gives."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._items: dict[tuple[int, Sharing, bool], Values] = {}
        self._outcomes: dict[tuple[int, Hashable], Outcomes | None] = {}
        self._possible: dict[tuple[int, _Outcome, Hashable], bool] = {}
        self._implied: dict[tuple[int, int], bool] = {}

    @cached_property
    def predictions(self) -> tuple[int, ...]:
        """The indexes of the predictions to ask about.

        Of a formula without regions `validate` has said that it is the same for every item.
        """
        return tuple(i for i, each in enumerate(self.subject.formulas) if each.references)

    def can(self, prediction: int, outcome: _Outcome, values: Values) -> bool:
        """Say whether a prediction can have this outcome; raises `TooHardError`."""
        values = values.among(self._references([prediction]))
        key = prediction, outcome, values.known
        if key not in self._possible:
            found = self._outcomes_of(prediction, values)
            alternatives = found.true if outcome == "true" else found.not_true
            self._possible[key] = is_possible(alternatives, tuple(values.facts.values()))
        return self._possible[key]

    def can_all_hold(self, predictions: Sequence[int], values: Values) -> bool:
        """Say whether predictions can hold together; raises `TooHardError`."""
        true = [self._outcomes_of(each, values).true for each in predictions]
        facts = values.among(self._references(predictions)).facts
        return is_possible(all_of(*true), tuple(facts.values()))

    def items_where(
        self, predictions: Sequence[int], question: Question
    ) -> dict[Reason, list[int]]:
        """Return the items in which something is so of some predictions, by the first reason."""
        known: dict[Hashable, bool] = {}
        references = self._references(predictions)

        def is_so(item: int, sharing: Sharing, *, is_full: bool = False) -> bool:
            # Most items of a suite are alike in all that counts.
            values = self._values(item, sharing, is_full=is_full).among(references)
            if values.known not in known:
                known[values.known] = _answer(question, values)
            return known[values.known]

        found: dict[Reason, list[int]] = {}
        for item in range(len(self.subject.items)):
            sharing = next((each for each in SHARINGS if is_so(item, each)), None)
            if sharing:
                is_empty = not is_so(item, sharing, is_full=True)
                found.setdefault(Reason(sharing, is_empty), []).append(item)
        return found

    def implies(self, one: int, other: int) -> bool:
        """Say whether in every item `other` holds wherever `one`, which can hold, does."""
        if (one, other) not in self._implied:
            self._implied[one, other] = self._implies(one, other)
        return self._implied[one, other]

    def _implies(self, one: int, other: int) -> bool:
        references = self._references([one, other])
        items = range(len(self.subject.items))
        values = (self._values(item, "none").among(references) for item in items)
        distinct = {each.known: each for each in values}

        def follows(values: Values) -> bool:
            # What never holds, or always, implies nothing, and is implied by nothing.
            if not self.can(one, "true", values) or not self.can(other, "not true", values):
                return False
            first, second = self._outcomes_of(one, values), self._outcomes_of(other, values)
            facts = tuple(values.facts.values())
            return not is_possible(all_of(first.true, second.not_true), facts)

        return all(_answer(follows, each) for each in distinct.values())

    def _references(self, predictions: Collection[int]) -> frozenset[RegionValue]:
        formulas = (self.subject.formulas[each] for each in predictions)
        return frozenset(itertools.chain.from_iterable(each.references for each in formulas))

    def _values(self, item: int, sharing: Sharing, *, is_full: bool = False) -> Values:
        key = item, sharing, is_full
        if key not in self._items:
            empty = reported_empty(self.subject) if is_full else {}
            filled = {each for each, items in empty.items() if item in items}
            self._items[key] = item_values(self.subject, item, sharing, filled=filled)
        return self._items[key]

    def _outcomes_of(self, prediction: int, values: Values) -> Outcomes:
        key = prediction, values.among(self._references([prediction])).known
        if key not in self._outcomes:
            tree = self.subject.formulas[prediction].tree
            try:
                self._outcomes[key] = outcomes(tree, values.forms.__getitem__)
            except TooHardError:
                self._outcomes[key] = None
        found = self._outcomes[key]
        if found is None:
            raise TooHardError
        return found


def _answer(question: Question, values: Values) -> bool:
    try:
        return question(values)
    except TooHardError:
        return False
