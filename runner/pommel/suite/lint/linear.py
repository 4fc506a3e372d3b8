"""Exact linear inequalities over values that are not negative: can all of them hold at once?"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

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
