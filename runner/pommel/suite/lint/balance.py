"""Do the sides of contrasts differ systematically in something that they should not differ in?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pommel.suite.lint.contrasts import Contrast, contrasts
from pommel.suite.lint.remark import Remark
from pommel.suite.lint.subject import Subject

# Below this p a difference counts as systematic: eight items that all agree.
_SIGNIFICANT = 0.01

# The difference of two sides in one item (of what should be more surprising minus the other),
# None where there is nothing to measure.
Difference = Callable[[int, Contrast], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imbalance:
    """Differences that mostly have one sign: their mean over items, and the sign test's p."""

    mean: float
    n_above: int
    n_below: int
    n_items: int
    p: float

    @property
    def agreement(self) -> str:
        """How many items agree with the mean, in words."""
        n_same, n_other = self.n_above, self.n_below
        if self.mean < 0:
            n_same, n_other = n_other, n_same
        reverse = f", the reverse in {n_other}" if n_other else ""
        return f"so in {n_same} of {self.n_items} items{reverse} (sign test: p = {self.p:.1g})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbalanced:
    """The contrasts of one prediction, taken together, and how they are out of balance."""

    prediction: int
    contrasts: tuple[Contrast, ...]
    imbalance: Imbalance

    def remark(self, rule: str, message: str, hint: str) -> Remark:
        """Return the remark at the prediction."""
        path = ("predictions", self.prediction, "formula")
        return Remark(rule=rule, path=path, message=message, hint=hint)


def unbalanced(
    subject: Subject, difference: Difference, *, at_least: float
) -> Iterator[Unbalanced]:
    """Yield the predictions whose contrasts differ systematically.

    The differences of all directed contrasts of a prediction are added up in each item, so that a
    crossed design, whose contrasts go both ways (*is* with *are*, and *are* with *is*), is in
    balance. A contrast without direction stands for itself. A difference is systematic if its mean
    over items is `at_least` that large, and the two-sided sign test has p < 0.01. What several
    predictions have in common is reported once.
    """
    seen: set[frozenset[Contrast]] = set()
    for index, formula in enumerate(subject.formulas):
        found = contrasts(formula)
        directed = tuple(each for each in found if each.directed)
        for group in (directed, *((each,) for each in found if not each.directed)):
            if not group or frozenset(group) in seen:
                continue
            seen.add(frozenset(group))
            imbalance = _imbalance(_sums(subject, group, difference), at_least)
            if imbalance:
                yield Unbalanced(prediction=index, contrasts=group, imbalance=imbalance)


def _sums(subject: Subject, group: Sequence[Contrast], difference: Difference) -> list[float]:
    rows = [[difference(item, each) for each in group] for item in range(len(subject.items))]
    known = [[each for each in row if each is not None] for row in rows]
    return [sum(row) for row in known if len(row) == len(group)]


def _imbalance(differences: Sequence[float], at_least: float) -> Imbalance | None:
    from scipy.stats import binomtest  # noqa: PLC0415 - takes longer to import than pommel

    n_above = sum(each > 0 for each in differences)
    n_below = sum(each < 0 for each in differences)
    if not n_above + n_below:
        return None
    mean = sum(differences) / len(differences)
    p = float(binomtest(n_above, n_above + n_below).pvalue)
    if abs(mean) < at_least or p >= _SIGNIFICANT:
        return None
    return Imbalance(mean=mean, n_above=n_above, n_below=n_below, n_items=len(differences), p=p)
