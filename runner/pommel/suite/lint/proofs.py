"""What can be proved before any model has run: predictions that never or always hold."""

import itertools
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal

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
from pommel.suite.lint.sentences import reported_empty
from pommel.suite.lint.subject import Cause, Laid, Remark, Subject, in_items

# Of inequalities while variables are removed; far more than any prediction needs.
_MOST = 2000

_ZERO = Fraction(0)


class TooHardError(Exception):
    """There are too many cases to look at; nothing can be said."""


@dataclass(frozen=True, slots=True)
class Form:
    """The sum of `factors[v] * v` over all variables v, and a constant."""

    factors: Mapping[int, Fraction] = field(default_factory=dict)
    constant: Fraction = _ZERO

    def __hash__(self) -> int:
        return hash((frozenset(self.factors.items()), self.constant))

    def __add__(self, other: "Form") -> "Form":
        factors = dict(self.factors)
        for variable, factor in other.factors.items():
            factors[variable] = factors.get(variable, _ZERO) + factor
        return Form(_without_zeros(factors), self.constant + other.constant)

    def __sub__(self, other: "Form") -> "Form":
        return self + other.times(Fraction(-1))

    def times(self, number: Fraction) -> "Form":
        """Return the form with everything in it multiplied by a number."""
        factors = {variable: factor * number for variable, factor in self.factors.items()}
        return Form(_without_zeros(factors), self.constant * number)

    @property
    def is_never_negative(self) -> bool:
        """Whether it is 0 or more because everything in it is."""
        return self.constant >= 0 and all(factor >= 0 for factor in self.factors.values())


@dataclass(frozen=True, slots=True)
class Inequality:
    """`form <= 0`, or `form < 0` if it is strict."""

    form: Form
    strict: bool

    @property
    def is_false(self) -> bool:
        """Whether it has no variables, and does not hold."""
        constant = self.form.constant
        return not self.form.factors and (constant > 0 or (self.strict and constant == 0))


def can_hold(inequalities: Collection[Inequality]) -> bool:
    """Say whether some values of 0 or more make all inequalities true.

    By Fourier-Motzkin elimination with fractions, so that the answer is exact, strict inequalities
    included. Raises `TooHardError`.
    """
    variables = _distinct_variables(inequalities)
    lower = {each: Inequality(Form({each: Fraction(-1)}), strict=False) for each in variables}
    rows = [_restricted(row, variables) for row in inequalities]
    rows = _tightest([*rows, *lower.values()])
    left = set(variables)
    while left:
        if any(row.is_false for row in rows):
            return False
        chosen = min(sorted(left), key=lambda variable: _cost(rows, variable))
        rows = _without(rows, chosen)
        left.remove(chosen)
    return not any(row.is_false for row in rows)


def _distinct_variables(inequalities: Collection[Inequality]) -> list[int]:
    """Return the variables, one of those that have the same factors everywhere.

    Such variables only occur as their sum, which is a value of 0 or more, too.
    """
    names = sorted({name for row in inequalities for name in row.form.factors})
    columns = {
        tuple(row.form.factors.get(name, _ZERO) for row in inequalities): name for name in names
    }
    return sorted(columns.values())


def _restricted(row: Inequality, variables: Sequence[int]) -> Inequality:
    factors = {name: row.form.factors[name] for name in variables if name in row.form.factors}
    return Inequality(Form(factors, row.form.constant), row.strict)


def _cost(rows: Sequence[Inequality], variable: int) -> int:
    signs = [row.form.factors[variable] > 0 for row in rows if variable in row.form.factors]
    return sum(signs) * (len(signs) - sum(signs))


def _without(rows: Sequence[Inequality], variable: int) -> list[Inequality]:
    """Return what the inequalities say of the other variables."""
    above = [row for row in rows if row.form.factors.get(variable, _ZERO) > 0]
    below = [row for row in rows if row.form.factors.get(variable, _ZERO) < 0]
    others = [row for row in rows if variable not in row.form.factors]
    if len(others) + len(above) * len(below) > _MOST:
        raise TooHardError
    joined = [
        Inequality(
            one.form.times(-other.form.factors[variable])
            + other.form.times(one.form.factors[variable]),
            one.strict or other.strict,
        )
        for one in above
        for other in below
    ]
    return _tightest([*others, *joined])


def _tightest(rows: Sequence[Inequality]) -> list[Inequality]:
    """Return the inequalities, of those that differ in their constants only the strictest."""
    found: dict[tuple[tuple[int, Fraction], ...], Inequality] = {}
    for row in rows:
        scaled = _scaled(row)
        key = tuple(sorted(scaled.form.factors.items()))
        other = found.get(key)
        if other is None or _rank(scaled) > _rank(other):
            found[key] = scaled
    return list(found.values())


def _rank(row: Inequality) -> tuple[Fraction, bool]:
    return row.form.constant, row.strict


def _scaled(row: Inequality) -> Inequality:
    if not row.form.factors:
        return row
    size = abs(row.form.factors[min(row.form.factors)])
    return Inequality(row.form.times(1 / size), row.strict)


def _without_zeros(factors: Mapping[int, Fraction]) -> dict[int, Fraction]:
    return {variable: factor for variable, factor in factors.items() if factor}


# Which regions of an item's conditions have one value: see `item_values`.
Sharing = Literal["none", "sentence", "left to right"]
SHARINGS: tuple[Sharing, ...] = ("none", "sentence", "left to right")


@dataclass(frozen=True, slots=True)
class Values:
    """Values of what formulas name in an item: None where undefined.

    `facts` are known of two of them, whatever they are.
    """

    forms: Mapping[RegionValue, Form | None]
    facts: Mapping[tuple[RegionValue, RegionValue], Inequality] = field(default_factory=dict)

    def among(self, references: Collection[RegionValue]) -> "Values":
        """Return what is known of some of the values."""
        return Values(
            {each: form for each, form in self.forms.items() if each in references},
            {pair: fact for pair, fact in self.facts.items() if set(pair) <= set(references)},
        )

    @property
    def known(self) -> Hashable:
        """What is known, equal for items that are alike in it (of the same references)."""
        return tuple(self.forms.values()), tuple(self.facts.values())


@dataclass(slots=True)
class _Variables:
    """Numbers for whatever is one value: what has the same key has the same number."""

    number_of: dict[Hashable, int] = field(default_factory=dict)

    def form(self, key: Hashable) -> Form:
        number = self.number_of.setdefault(key, len(self.number_of))
        return Form({number: Fraction(1)})


def item_values(
    subject: Subject, item: int, sharing: Sharing, *, filled: Collection[RegionValue] = ()
) -> Values:
    """Return the values of all regions that the predictions name, for one item.

    Every value is a variable of its own that is 0 or more, with these exceptions:

    - an empty region has the sum 0, and no other metric; not so those that are `filled`, which
      stand for regions that have content;
    - the sum over a whole sentence (`*`) is that of its regions, its max and range are at least
      those of each region, and its min is at most that of each;
    - by "sentence", what stands in the same sentence (of two conditions) is one value;
    - by "left to right", so is what has the same `Subject.reading`.

    A region that is all of its sentence has the value of the sentence.
    """
    variables = _Variables()
    references = {each for formula in subject.formulas for each in formula.references}
    ordered = sorted(references, key=lambda each: (each.condition, each.region or -1))
    is_sum = subject.suite.metrics[0] == "sum"
    key = _KEYS[sharing]

    def value(name: str, region: int | None) -> Form | None:
        laid = subject.items[item][name]
        if region is None and is_sum:
            parts = [value(name, number) or Form() for number in laid.spans]
            return sum(parts, Form())
        start, end = laid.spans[region] if region is not None else (laid.sentence.start, laid.end)
        if start < end:
            return variables.form(key(subject, laid, start, end))
        if RegionValue(region=region, condition=name) in filled:
            return variables.form((name, region))
        return Form() if is_sum else None

    forms = {each: value(each.condition, each.region) for each in ordered}
    return Values(forms, dict(_facts(forms, subject.suite.metrics[0])))


def _facts(
    forms: Mapping[RegionValue, Form | None], metric: str
) -> Iterator[tuple[tuple[RegionValue, RegionValue], Inequality]]:
    """Yield what is known of a whole sentence and each of its regions."""
    for whole, most in forms.items():
        if whole.region is not None or most is None or metric not in ("max", "min", "range"):
            continue
        for part, form in forms.items():
            if part.condition == whole.condition and part != whole and form is not None:
                difference = most - form if metric == "min" else form - most
                yield (whole, part), Inequality(difference, strict=False)


def _own_key(_subject: Subject, laid: Laid, start: int, end: int) -> Hashable:
    return laid.path, start, end


def _sentence_key(_subject: Subject, laid: Laid, start: int, end: int) -> Hashable:
    return laid.sentence.text, start, end


def _left_to_right_key(subject: Subject, laid: Laid, start: int, end: int) -> Hashable:
    return subject.reading(laid, start, end)


_KEYS: Mapping[Sharing, Callable[[Subject, Laid, int, int], Hashable]] = {
    "none": _own_key,
    "sentence": _sentence_key,
    "left to right": _left_to_right_key,
}


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
            return [_times(each, Fraction(-1)) for each in _values(node.operand, lookup)]
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


def _times(case: _Case, number: Fraction) -> _Case:
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


# Why something is so, other than that it is so whatever a model says.
_SHARED: dict[Sharing, str] = {
    "none": "",
    "sentence": ": conditions that {they} have the same sentence",
    "left to right": ", for every left-to-right model: what {they} is the same, with all that "
    "stands before it",
}


def never_holds(proofs: Proofs) -> Iterator[Remark]:
    """Yield the predictions that can never hold, whatever surprisals a model gives."""
    for index in proofs.predictions:

        def can_not(values: Values, index: int = index) -> bool:
            return not proofs.can(index, "true", values)

        message = f"prediction {index} can never hold"
        hint = "look at what it compares, and which way round"
        yield from _remarks(proofs, "never-holds", [index], can_not, message=message, hint=hint)


def always_holds(proofs: Proofs) -> Iterator[Remark]:
    """Yield the predictions that always hold, whatever surprisals a model gives."""
    for index in proofs.predictions:

        def must(values: Values, index: int = index) -> bool:
            return not proofs.can(index, "not true", values)

        message = f"prediction {index} always holds"
        hint = "it says nothing of a model; look at what it compares"
        yield from _remarks(proofs, "always-holds", [index], must, message=message, hint=hint)


def contradiction(proofs: Proofs) -> Iterator[Remark]:
    """Yield that the predictions can never hold together, though each of them can by itself."""
    indexes = proofs.predictions
    if len(indexes) < 2:  # noqa: PLR2004 - a single one contradicts nothing
        return

    def contradict(values: Values) -> bool:
        each_can = all(proofs.can(index, "true", values) for index in indexes)
        return each_can and not proofs.can_all_hold(indexes, values)

    message = "the predictions can never hold together"
    hint = "by the score rule `all` such an item never counts"
    yield from _remarks(proofs, "contradiction", indexes, contradict, message=message, hint=hint)


def equivalent_prediction(proofs: Proofs) -> Iterator[Remark]:
    """Yield the predictions that say what an earlier one says, each once."""
    said = set()
    for one, other in itertools.combinations(proofs.predictions, 2):
        if other not in said and proofs.implies(one, other) and proofs.implies(other, one):
            said.add(other)
            yield Remark(
                rule="equivalent-prediction",
                path=("predictions", other, "formula"),
                message=f"prediction {other} says the same as prediction {one}",
                hint="remove one of them",
            )


def implied_prediction(proofs: Proofs) -> Iterator[Remark]:
    """Yield the predictions that hold wherever another one does, which says more."""
    for one, other in itertools.permutations(proofs.predictions, 2):
        if proofs.implies(one, other) and not proofs.implies(other, one):
            yield Remark(
                rule="implied-prediction",
                path=("predictions", other, "formula"),
                message=f"prediction {other} holds wherever prediction {one} does",
                hint="by the score rule `all` it changes nothing",
            )


def _remarks(  # noqa: PLR0913 - each of these is a part of what is said
    proofs: Proofs,
    rule: str,
    predictions: Sequence[int],
    question: Question,
    *,
    message: str,
    hint: str,
) -> Iterator[Remark]:
    """Yield a remark for each reason why something is so in some items, or in all."""
    subject = proofs.subject
    is_one = len(predictions) == 1
    for reason, items in proofs.items_where(predictions, question).items():
        numbers = subject.numbers(items)
        is_all = len(items) == len(subject.items)
        formula = ("predictions", predictions[0], "formula") if is_one else ("predictions",)
        because = _because(reason, subject.suite.metrics[0], is_one=is_one)
        where = "" if is_all else f" {in_items(numbers, len(subject.items))}"
        yield Remark(
            rule=rule,
            path=formula if is_all else ("items", items[0]),
            message=f"{message}{where}{because}",
            hint=hint,
            item_numbers=numbers,
            predictions=tuple(predictions),
            cause=_cause(reason),
        )


def _cause(reason: Reason) -> Cause | None:
    # Where it takes both, neither of them says it.
    if reason.is_empty:
        return "empty" if reason.sharing == "none" else None
    return None if reason.sharing == "none" else "same"


def _because(reason: Reason, metric: str, *, is_one: bool) -> str:
    shared = _SHARED[reason.sharing].format(they="it compares" if is_one else "they compare")
    if not reason.is_empty:
        return shared
    value = "and its sum is 0" if metric == "sum" else f"and has no {metric}"
    named = "it names" if is_one else "they name"
    return f"{shared}{'; and' if shared else ':'} a region that {named} is empty, {value}"
