"""What can be proved before any model has run: predictions that never or always hold."""

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from pommel.suite.formula.judge import ABSOLUTE_TOLERANCE_BITS, RELATIVE_TOLERANCE
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    ComparisonOperator,
    Expression,
    Form,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
    no_truth,
)
from pommel.suite.lint.subject import Cause, Remark, Subject
from pommel.values import positional

# A value in bits: variables are numbered, and 0 or more; None is a value that is undefined.
Value = Form[int] | None

# What is known of the values that formulas name in an item.
Values = Mapping[RegionValue, Value]


class TooHardError(Exception):
    """There are too many cases to look at, or what is compared is no sum; nothing can be said."""


@positional
class Inequality:
    """`form <= 0`, or `form < 0` if it is strict."""

    form: Form[int]
    strict: bool

    @property
    def is_false(self) -> bool:
        """Whether it has no variables, and does not hold."""
        constant = self.form.constant
        return not self.form.factors and (constant > 0 or (self.strict and constant == 0))


# All of these hold.
Conjunction = tuple[Inequality, ...]

# At least one of these holds; () is never the case, ((),) always.
Alternatives = tuple[Conjunction, ...]

_MOST_ALTERNATIVES = 512
# What is joined to alternatives: many of the results are the same, or false.
_MOST_JOINED = 4096

# By less than this share of the smallest constant no strict inequality is said to hold.
_LEAST_SLACK = 1e-6

# One object, so that factors are found to be equal at once.
_ONE = Fraction(1)

_ABSOLUTE_TOLERANCE: Form[int] = Form(constant=Fraction(ABSOLUTE_TOLERANCE_BITS))


@lru_cache(maxsize=4096)
def can_hold(inequalities: Conjunction) -> bool:
    """Say whether some values of 0 or more make all inequalities true.

    A linear program looks for the values for which the strict ones hold by most, at most by 1.
    """
    from scipy.optimize import linprog

    forms = [each.form for each in inequalities]
    variables = sorted({variable for form in forms for variable in form.factors})
    if not variables:
        return not any(each.is_false for each in inequalities)
    # Variables are bits of any size: so that no constant is too tiny for the solver, all are made
    # larger by as much as makes the smallest one 1.
    unit = min((abs(form.constant) for form in forms if form.constant), default=1)
    found = linprog(
        [*[0] * len(variables), -1],
        A_ub=[
            [*(float(each.form.factors.get(name, 0)) for name in variables), each.strict]
            for each in inequalities
        ],
        b_ub=[float(-form.constant / unit) for form in forms],
        bounds=[*[(0, None)] * len(variables), (0, 1)],
    )
    return bool(found.success) and -found.fun > _LEAST_SLACK


# Which regions of an item's conditions have one value: see `item_values`.
Sharing = Literal["none", "sentence", "left to right"]
# Why something is so, other than that it is so whatever a model says.
_SHARED: dict[Sharing, str] = {
    "none": "",
    "sentence": ": conditions that {they} have the same sentence",
    "left to right": ", for every left-to-right model: what {they} is the same, with all that "
    "stands before it",
}


def item_values(
    subject: Subject,
    item: int,
    references: Iterable[RegionValue],
    sharing: Sharing,
    *,
    is_full: bool = False,
) -> Values:
    """Return the values of some regions for one item.

    Every value is a variable of its own that is 0 or more, with these exceptions:

    - an empty region has the sum 0, and no other metric; if the item `is_full`, that is so only of
      those that may be empty, and the others stand for regions that have content;
    - the sum over a whole sentence (`*`) is that of its regions;
    - by "sentence", what stands in the same sentence (of two conditions) is one value;
    - by "left to right", so is what has the same `Subject.reading`.

    A region that is all of its sentence has the value of the sentence.
    """
    numbers: dict[Hashable, int] = {}
    is_sum = subject.metric == "sum"

    def variable(key: Hashable) -> Form[int]:
        return Form({numbers.setdefault(key, len(numbers)): _ONE})

    def value(name: str, region: int | None) -> Value:
        laid = subject.items[item][name]
        if region is None and is_sum:
            # No two regions of a sentence are one variable.
            parts = (value(name, number) for number in laid.spans)
            return Form({each: _ONE for part in parts if part for each in part.factors})
        start, end = laid.spans[region] if region is not None else (laid.sentence.start, laid.end)
        if start < end and sharing == "left to right":
            return variable(subject.reading(laid, start, end))
        if start < end:
            whole = laid.sentence.text if sharing == "sentence" else laid.path
            return variable((whole, start, end))
        reference = RegionValue(region=region, condition=name)
        if is_full and item in subject.reported_empty.get(reference, ()):
            return variable(reference)
        return Form() if is_sum else None

    ordered = sorted(set(references), key=lambda each: (each.condition, each.region or -1))
    return {each: value(each.condition, each.region) for each in ordered}


# When a formula is true, when false, when undefined (None): Kleene's logic, as in `judge`.
Outcomes = Mapping[bool | None, Alternatives]


def outcomes(node: Expression, values: Values) -> Outcomes:
    """Return when something is true, false and undefined.

    Raises `TooHardError` for more alternatives than can be looked at, and for what is not linear.
    """
    match node:
        case Comparison():
            return _compared(node, values)
        case Logical():
            left, right = outcomes(node.left, values), outcomes(node.right, values)
            if node.operator == "&":
                return _both(left, right)
            return _opposite(_both(_opposite(left), _opposite(right)))
        case Negation():
            return _opposite(outcomes(node.operand, values))
        case _:
            raise no_truth(node)


def all_of(*alternatives: Alternatives) -> Alternatives:
    """Return when all of several things are the case."""
    joined: Alternatives = ((),)
    for each in alternatives:
        if len(joined) * len(each) > _MOST_JOINED:
            raise TooHardError
        joined = _checked(one + other for one in joined for other in each)
    return joined


def _checked(alternatives: Iterable[Conjunction]) -> Alternatives:
    """Return the distinct ones that are not false at sight, without what says nothing."""
    distinct = {
        # What has no variables and holds says nothing.
        tuple(each for each in conjunction if each.form.factors): None
        for conjunction in alternatives
        if not any(each.is_false for each in conjunction)
    }
    if len(distinct) > _MOST_ALTERNATIVES:
        raise TooHardError
    return tuple(distinct)


def _both(left: Outcomes, right: Outcomes) -> Outcomes:
    undefined = ((None, None), (None, True), (True, None))
    return {
        True: all_of(left[True], right[True]),
        False: _checked(left[False] + right[False]),
        None: _checked(
            each for one, other in undefined for each in all_of(left[one], right[other])
        ),
    }


def _opposite(found: Outcomes) -> Outcomes:
    return {True: found[False], False: found[True], None: found[None]}


# A value, and when a number has it.
_Case = tuple[Value, Conjunction]


def _compared(node: Comparison, values: Values) -> Outcomes:
    found: dict[bool | None, list[Conjunction]] = {True: [], False: [], None: []}
    for left, right, when in _pairs(node, values):
        if left is None or right is None:
            found[None].append(when)
        else:
            positive, negative = _comparison(node.operator, left, right)
            found[True] += [when + each for each in positive]
            found[False] += [when + each for each in negative]
    return {truth: _checked(each) for truth, each in found.items()}


def _pairs(
    node: Arithmetic | Comparison, values: Values
) -> Iterator[tuple[Value, Value, Conjunction]]:
    """Yield every pair of values that two sides can have, and when it is the case."""
    lefts, rights = _cases(node.left, values), _cases(node.right, values)
    if len(lefts) * len(rights) > _MOST_ALTERNATIVES:
        raise TooHardError
    for (left, one), (right, other) in itertools.product(lefts, rights):
        yield left, right, one + other


def _comparison(
    operator: ComparisonOperator, left: Form[int], right: Form[int]
) -> tuple[Alternatives, Alternatives]:
    """Return when two values compare so, and when they do not."""
    if operator in ("=", "!="):
        close, far = _closeness(left, right)
        return (close, far) if operator == "=" else (far, close)
    if operator in (">", ">="):
        left, right = right, left
    is_strict = operator in ("<", ">")
    holds = Inequality(left - right, strict=is_strict)
    fails = Inequality(right - left, strict=not is_strict)
    return ((holds,),), ((fails,),)


def _closeness(left: Form[int], right: Form[int]) -> tuple[Alternatives, Alternatives]:
    """Return when |left - right| is within the tolerance of `=`, which has |right| in it, and when
    it is not.
    """
    apart = (left - right, right - left)
    close: list[Conjunction] = []
    far: list[Conjunction] = []
    for size, when in _absolute(right, ()):
        tolerance = size * Fraction(RELATIVE_TOLERANCE) + _ABSOLUTE_TOLERANCE
        close.append(when + tuple(Inequality(each - tolerance, strict=False) for each in apart))
        far += [(*when, Inequality(tolerance - each, strict=True)) for each in apart]
    return tuple(close), tuple(far)


# What a truth counts as a number.
_COUNTS: Mapping[bool | None, Value] = {True: Form(constant=_ONE), False: Form(), None: None}


def _cases(node: Expression, values: Values) -> list[_Case]:
    """Return the values that a number can have, and when it has each."""
    match node:
        case Number():
            return [(Form(constant=Fraction(node.value)), ())]
        case RegionValue():
            return [(values[node], ())]
        case Negative():
            return [
                (None if value is None else -value, when)
                for value, when in _cases(node.operand, values)
            ]
        case Absolute():
            return [
                each
                for value, when in _cases(node.operand, values)
                for each in ([(None, when)] if value is None else _absolute(value, when))
            ]
        case Arithmetic():
            return [
                (_calculated(node, left, right), when) for left, right, when in _pairs(node, values)
            ]
        case _:
            truths = outcomes(node, values).items()
            return [(_COUNTS[truth], when) for truth, cases in truths for when in cases]


def _absolute(value: Form[int], when: Conjunction) -> list[tuple[Form[int], Conjunction]]:
    # Everything in it is 0 or more.
    if value.constant >= 0 and all(factor >= 0 for factor in value.factors.values()):
        return [(value, when)]
    return [
        (value, (*when, Inequality(-value, strict=False))),
        (-value, (*when, Inequality(value, strict=False))),
    ]


def _calculated(node: Arithmetic, left: Value, right: Value) -> Value:
    if left is None or right is None:
        return None
    found = left.calculated(node.operator, right)
    if found is None:
        raise TooHardError
    return found


# What is asked of some formulas, given an item's values. It may raise `TooHardError`: no.
Question = Callable[[Sequence[Expression], Values], bool]


def never_hold(trees: Sequence[Expression], values: Values) -> bool:
    """Say whether formulas can never hold together."""
    true = (outcomes(each, values)[True] for each in trees)
    return not any(map(can_hold, all_of(*true)))


def always_hold(trees: Sequence[Expression], values: Values) -> bool:
    """Say whether each of the formulas always holds: it is never false, and never undefined."""
    found = [outcomes(each, values) for each in trees]
    return not any(can_hold(case) for each in found for case in each[False] + each[None])


def contradict(trees: Sequence[Expression], values: Values) -> bool:
    """Say whether formulas can never hold together, though each of them can by itself."""
    return not any(never_hold([each], values) for each in trees) and never_hold(trees, values)


@positional
class Reason:
    """Which regions have to be one value for it, and whether a region has to be empty for it."""

    sharing: Sharing
    is_empty: bool

    @property
    def cause(self) -> Cause | None:
        """What other rules may find, too; where it takes both, neither of them says it."""
        if self.is_empty:
            return "empty" if self.sharing == "none" else None
        return None if self.sharing == "none" else "same"

    def in_words(self, metric: str, *, is_one: bool) -> str:
        """Return what is said behind what is so, of one prediction or of several."""
        shared = _SHARED[self.sharing].format(they="it compares" if is_one else "they compare")
        if not self.is_empty:
            return shared
        value = "and its sum is 0" if metric == "sum" else f"and has no {metric}"
        named = "it names" if is_one else "they name"
        return f"{shared}{'; and' if shared else ':'} a region that {named} is empty, {value}"


def items_where(
    subject: Subject, predictions: Iterable[int], question: Question
) -> dict[Reason, list[int]]:
    """Return the items in which something is so of some predictions, by the first reason."""
    formulas = [subject.formulas[each] for each in predictions]
    trees = [each.tree for each in formulas]
    references = [named for each in formulas for named in each.references]
    known: dict[Hashable, bool] = {}

    def is_so(item: int, sharing: Sharing, *, is_full: bool = False) -> bool:
        values = item_values(subject, item, references, sharing, is_full=is_full)
        # Most items of a suite are alike in all that counts.
        key = tuple(values.values())
        if key not in known:
            try:
                known[key] = question(trees, values)
            except TooHardError:
                known[key] = False
        return known[key]

    found: dict[Reason, list[int]] = {}
    for item in range(len(subject.items)):
        sharing = next((each for each in _SHARED if is_so(item, each)), None)
        if sharing:
            is_empty = not is_so(item, sharing, is_full=True)
            found.setdefault(Reason(sharing, is_empty), []).append(item)
    return found


def proved(subject: Subject, *, question: Question, message: str, hint: str) -> Iterator[Remark]:
    """Yield what can never or always be, whatever surprisals a model gives.

    That is said of each prediction, contradiction of all of them. There is a remark for each reason
    why it is so in some items, or in all; nothing is said of predictions that compare different
    metrics.
    """
    if len(subject.compared_metrics) > 1:
        return
    # Of a formula without regions `validate` has said that it is the same for every item.
    every = tuple(i for i, each in enumerate(subject.formulas) if each.references)
    is_one = question is not contradict
    together = [every] if len(every) > 1 else []
    for predictions in [(index,) for index in every] if is_one else together:
        for reason, items in items_where(subject, predictions, question).items():
            is_all = len(items) == len(subject.items)
            formula = ("predictions", predictions[0], "formula") if is_one else ("predictions",)
            where = "" if is_all else f" {subject.where(items)}"
            because = reason.in_words(subject.metric, is_one=is_one)
            yield Remark(
                path=formula if is_all else ("items", items[0]),
                message=f"{message.format(*predictions)}{where}{because}",
                hint=hint,
                item_numbers=subject.numbers(items),
                predictions=predictions,
                cause=reason.cause,
            )
