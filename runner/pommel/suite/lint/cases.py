"""When a formula is true, false or undefined, as alternatives of linear inequalities."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pommel.suite.formula.judge import ABSOLUTE_TOLERANCE_BITS, RELATIVE_TOLERANCE
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Logical,
    Negation,
    Negative,
    Number,
    RegionValue,
)
from pommel.suite.lint.linear import Form, Inequality, TooHardError, can_hold

# A region's value; None where it is undefined (the mean of an empty region).
Lookup = Callable[[RegionValue], Form | None]

# All of these hold.
Conjunction = tuple[Inequality, ...]

# At least one of these holds; () is never the case, ((),) always.
Alternatives = tuple[Conjunction, ...]

_MOST_ALTERNATIVES = 512
# What is joined to alternatives: many of the results are the same, or false.
_MOST_JOINED = 4096
_ALWAYS: Alternatives = ((),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """When a formula is true, when false, when undefined (Kleene's logic, as in `judge`)."""

    true: Alternatives
    false: Alternatives
    undefined: Alternatives

    @property
    def not_true(self) -> Alternatives:
        """When it does not hold, for whatever reason."""
        return self.false + self.undefined


def outcomes(node: Expression, lookup: Lookup) -> Outcomes:
    """Return when something is true, false and undefined.

    Raises `TooHardError` for more alternatives than can be looked at, and for what is not linear.
    """
    match node:
        case Comparison():
            return _compared(node, lookup)
        case Logical():
            left, right = outcomes(node.left, lookup), outcomes(node.right, lookup)
            return _both(left, right) if node.operator == "&" else _either(left, right)
        case Negation():
            return _opposite(outcomes(node.operand, lookup))
        case _:
            raise AssertionError(f"the parser lets no {type(node).__name__} stand for a truth")


def all_of(*alternatives: Alternatives) -> Alternatives:
    """Return when all of several things are the case."""
    joined = _ALWAYS
    for each in alternatives:
        if len(joined) * len(each) > _MOST_JOINED:
            raise TooHardError
        joined = _checked([one + other for one in joined for other in each])
    return joined


def is_possible(alternatives: Alternatives, facts: Conjunction = ()) -> bool:
    """Say whether there are values of 0 or more for which one of the alternatives holds.

    `facts` are known of the values whatever they are.
    """
    return any(can_hold(each + facts) for each in alternatives)


def _checked(alternatives: Sequence[Conjunction]) -> Alternatives:
    distinct = tuple(dict.fromkeys(tuple(_known(each)) for each in alternatives if _may(each)))
    if len(distinct) > _MOST_ALTERNATIVES:
        raise TooHardError
    return distinct


def _may(conjunction: Conjunction) -> bool:
    return not any(each.is_false for each in conjunction)


def _known(conjunction: Conjunction) -> Sequence[Inequality]:
    # What has no variables and holds says nothing.
    return [each for each in conjunction if each.form.factors]


def _both(left: Outcomes, right: Outcomes) -> Outcomes:
    undefined = (
        all_of(left.undefined, right.undefined)
        + all_of(left.undefined, right.true)
        + all_of(left.true, right.undefined)
    )
    return Outcomes(
        true=all_of(left.true, right.true),
        false=_checked(left.false + right.false),
        undefined=_checked(undefined),
    )


def _either(left: Outcomes, right: Outcomes) -> Outcomes:
    return _opposite(_both(_opposite(left), _opposite(right)))


def _opposite(outcome: Outcomes) -> Outcomes:
    return Outcomes(true=outcome.false, false=outcome.true, undefined=outcome.undefined)


@dataclass(frozen=True, slots=True)
class _Case:
    """A value, None if it is undefined, and when it is that."""

    value: Form | None
    when: Conjunction


def _compared(node: Comparison, lookup: Lookup) -> Outcomes:
    true: list[Conjunction] = []
    false: list[Conjunction] = []
    undefined: list[Conjunction] = []
    lefts, rights = _values(node.left, lookup), _values(node.right, lookup)
    if len(lefts) * len(rights) > _MOST_ALTERNATIVES:
        raise TooHardError
    for left, right in itertools.product(lefts, rights):
        when = left.when + right.when
        if left.value is None or right.value is None:
            undefined.append(when)
            continue
        positive, negative = _comparison(node.operator, left.value, right.value)
        true += [when + each for each in positive]
        false += [when + each for each in negative]
    return Outcomes(true=_checked(true), false=_checked(false), undefined=_checked(undefined))


def _comparison(operator: str, left: Form, right: Form) -> tuple[Alternatives, Alternatives]:
    """Return when two values compare so, and when they do not."""
    match operator:
        case "<":
            return ((_less(left, right),),), ((_at_most(right, left),),)
        case ">":
            return ((_less(right, left),),), ((_at_most(left, right),),)
        case "<=":
            return ((_at_most(left, right),),), ((_less(right, left),),)
        case ">=":
            return ((_at_most(right, left),),), ((_less(left, right),),)
        case _:
            close, far = _closeness(left, right)
            return (close, far) if operator == "=" else (far, close)


def _closeness(left: Form, right: Form) -> tuple[Alternatives, Alternatives]:
    """Return when |left - right| is within the tolerance of `=`, and when it is not.

    The tolerance has |right| in it, the larger of right and -right, mostly known to be the former.
    """
    difference = left - right
    opposite = difference.times(Fraction(-1))
    absolute = Form(constant=Fraction(ABSOLUTE_TOLERANCE_BITS))
    relative = right.times(Fraction(RELATIVE_TOLERANCE))
    tolerances = [absolute + relative]
    if not right.is_never_negative:
        tolerances.append(absolute - relative)
    close = tuple((_at_most(difference, each), _at_most(opposite, each)) for each in tolerances)
    far = tuple(
        tuple(_less(each, apart) for each in tolerances) for apart in (difference, opposite)
    )
    return close, far


def _less(one: Form, other: Form) -> Inequality:
    return Inequality(one - other, strict=True)


def _at_most(one: Form, other: Form) -> Inequality:
    return Inequality(one - other, strict=False)


def _values(node: Expression, lookup: Lookup) -> list[_Case]:
    match node:
        case Number():
            return [_Case(Form(constant=Fraction(node.value)), ())]
        case RegionValue():
            return [_Case(lookup(node), ())]
        case Negative():
            return [_scaled(each, Fraction(-1)) for each in _values(node.operand, lookup)]
        case Absolute():
            return [each for case in _values(node.operand, lookup) for each in _absolute(case)]
        case Arithmetic():
            left, right = _values(node.left, lookup), _values(node.right, lookup)
            if len(left) * len(right) > _MOST_ALTERNATIVES:
                raise TooHardError
            return [_calculated(node.operator, *pair) for pair in itertools.product(left, right)]
        case _:
            truth = outcomes(node, lookup)
            return [
                *(_Case(Form(constant=Fraction(1)), when) for when in truth.true),
                *(_Case(Form(), when) for when in truth.false),
                *(_Case(None, when) for when in truth.undefined),
            ]


def _scaled(case: _Case, number: Fraction) -> _Case:
    return _Case(case.value.times(number) if case.value is not None else None, case.when)


def _absolute(case: _Case) -> list[_Case]:
    value = case.value
    if value is None or value.is_never_negative:
        return [case]
    opposite = value.times(Fraction(-1))
    return [
        _Case(value, (*case.when, _at_most(opposite, Form()))),
        _Case(opposite, (*case.when, _at_most(value, Form()))),
    ]


def _calculated(operator: str, left: _Case, right: _Case) -> _Case:
    when = left.when + right.when
    one, other = left.value, right.value
    if one is None or other is None:
        return _Case(None, when)
    match operator:
        case "+":
            return _Case(one + other, when)
        case "-":
            return _Case(one - other, when)
        case "*" if not other.factors:
            return _Case(one.times(other.constant), when)
        case "*" if not one.factors:
            return _Case(other.times(one.constant), when)
        case "/" if not other.factors and other.constant:
            return _Case(one.times(1 / other.constant), when)
        case _:
            raise TooHardError
