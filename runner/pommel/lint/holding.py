"""Rules: predictions that can never hold, or always hold, and those that say the same."""

import itertools
from collections.abc import Callable, Iterator
from typing import Literal

from pommel.formula import Formula
from pommel.lint.cases import Outcomes, all_of, is_possible, outcomes
from pommel.lint.linear import TooHardError
from pommel.lint.remark import Remark, in_items
from pommel.lint.subject import Subject
from pommel.lint.values import SHARINGS, Sharing, Values, item_values

# Why something is so: whatever a model says, or for want of a value, or because values are shared.
_Reason = Literal["undefined"] | Sharing
_REASONS: dict[_Reason, str] = {
    "none": "",
    "undefined": ": a region that it names is empty, and has no {metric}",
    "sentence": ": conditions that it compares have the same sentence",
    "left to right": ", for every left-to-right model: what it compares is the same, with all that "
    "stands before it",
}

_Predicate = Callable[[Values], bool]


def never_holds(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions that can never hold, whatever surprisals a model gives."""
    for index, formula in _formulas(subject):

        def can_not(values: Values, formula: Formula = formula) -> bool:
            return not is_possible(_outcomes(formula, values).true)

        message = f"prediction {index} can never hold"
        hint = "look at what it compares, and which way round"
        yield from _remarks(subject, "never-holds", index, can_not, message=message, hint=hint)


def always_holds(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions that always hold, whatever surprisals a model gives."""
    for index, formula in _formulas(subject):

        def must(values: Values, formula: Formula = formula) -> bool:
            return not is_possible(_outcomes(formula, values).not_true)

        message = f"prediction {index} always holds"
        hint = "it says nothing of a model; look at what it compares"
        yield from _remarks(subject, "always-holds", index, must, message=message, hint=hint)


def contradiction(subject: Subject) -> Iterator[Remark]:
    """Yield that the predictions can never hold together, though each of them can by itself."""
    formulas = [formula for _, formula in _formulas(subject)]

    def contradict(values: Values) -> bool:
        true = [_outcomes(formula, values).true for formula in formulas]
        return all(map(is_possible, true)) and not is_possible(all_of(*true))

    message = "the predictions can never hold together"
    hint = "by the score rule `all` such an item never counts"
    yield from _remarks(subject, "contradiction", None, contradict, message=message, hint=hint)


def equivalent_prediction(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions that say what an earlier one says."""
    for one, other in itertools.combinations(_formulas(subject), 2):
        if _implies(subject, one[1], other[1]) and _implies(subject, other[1], one[1]):
            yield Remark(
                rule="equivalent-prediction",
                path=("predictions", other[0], "formula"),
                message=f"prediction {other[0]} says the same as prediction {one[0]}",
                hint="remove one of them",
            )


def implied_prediction(subject: Subject) -> Iterator[Remark]:
    """Yield the predictions that hold wherever another one does, which says more."""
    for one, other in itertools.permutations(_formulas(subject), 2):
        if _implies(subject, one[1], other[1]) and not _implies(subject, other[1], one[1]):
            yield Remark(
                rule="implied-prediction",
                path=("predictions", other[0], "formula"),
                message=f"prediction {other[0]} holds wherever prediction {one[0]} does",
                hint="by the score rule `all` it changes nothing",
            )


def _formulas(subject: Subject) -> list[tuple[int, Formula]]:
    # Of a formula without regions `validate` has said that it is the same for every item.
    return [(i, each) for i, each in enumerate(subject.formulas) if each.references]


def _outcomes(formula: Formula, values: Values) -> Outcomes:
    return outcomes(formula.tree, values.__getitem__)


def _remarks(  # noqa: PLR0913 - each of these is a part of what is said
    subject: Subject,
    rule: str,
    prediction: int | None,
    predicate: _Predicate,
    *,
    message: str,
    hint: str,
) -> Iterator[Remark]:
    """Yield a remark for each reason why the predicate holds in some items, or in all."""
    for reason, items in _items_where(subject, predicate).items():
        numbers = subject.numbers(items)
        is_all = len(items) == len(subject.items)
        formula = ("predictions",) if prediction is None else ("predictions", prediction, "formula")
        because = _REASONS[reason].format(metric=subject.suite.metrics[0])
        where = "" if is_all else f" {in_items(numbers, len(subject.items))}"
        yield Remark(
            rule=rule,
            path=formula if is_all else ("items", items[0]),
            message=f"{message}{where}{because}",
            hint=hint,
            item_numbers=numbers,
        )


def _items_where(subject: Subject, predicate: _Predicate) -> dict[_Reason, list[int]]:
    known: dict[object, bool] = {}

    def is_so(values: Values) -> bool:
        # Most items of a suite are alike in all that counts.
        key = tuple(values.values())
        if key not in known:
            try:
                known[key] = predicate(values)
            except TooHardError:
                known[key] = False
        return known[key]

    found: dict[_Reason, list[int]] = {}
    for item in range(len(subject.items)):
        for sharing in SHARINGS:
            values = item_values(subject, item, sharing)
            if is_so(values):
                reason = "undefined" if None in values.values() else sharing
                found.setdefault(reason, []).append(item)
                break
    return found


def _implies(subject: Subject, one: Formula, other: Formula) -> bool:
    """Say whether in every item `other` holds wherever `one`, which can hold, does."""

    def follows(values: Values) -> bool:
        first, second = _outcomes(one, values), _outcomes(other, values)
        is_trivial = not is_possible(first.true) or not is_possible(second.not_true)
        return not is_trivial and not is_possible(all_of(first.true, second.not_true))

    return len(_items_where(subject, follows).get("none", ())) == len(subject.items)
