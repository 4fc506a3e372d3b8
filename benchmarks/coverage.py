"""How often intervals of "95%" hold the truth: `python -m benchmarks.coverage [--samples 1000]`.

Suites of 24 items are drawn again and again. Their items hold or not, with a share that is known;
counted is how many of 100 intervals have the mean over suites, or the difference of two models:
those by the score test, by adding squares, and by the bootstrap. `docs/statistics.md` has the table
that is printed. 1,000 samples tell a share of .95 to .007 (one standard error).
"""

import argparse
import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from pommel.statistics import Estimate, Interval

Values = NDArray[np.float64]
# Items of model A, and of B where there is one, of the shape (suites, items).
Drawn = tuple[Values, Values | None]
Draw = Callable[[np.random.Generator, int, float], Drawn]

N_ITEMS = 24
N_SUITES = (1, 3, 10, 33)
SHARES = (0.5, 0.7, 0.9, 0.95, 0.99, 1.0)


def alike(generator: np.random.Generator, n_suites: int, share: float) -> Drawn:
    """Draw suites whose items hold with one share."""
    return _items(generator, n_suites, share), None


def half_mastered(generator: np.random.Generator, n_suites: int, share: float) -> Drawn:
    """Draw suites of which every second one always holds."""
    values = _items(generator, n_suites, share)
    values[1::2] = 1.0
    return values, None


def two_predictions(generator: np.random.Generator, n_suites: int, share: float) -> Drawn:
    """Draw suites with two predictions, which are one and the same in half of the items."""
    first, second = _related(generator, n_suites, share)
    return (first + second) / 2, None


def equal_models(generator: np.random.Generator, n_suites: int, share: float) -> Drawn:
    """Draw two models that are as good as each other, and agree by more than chance."""
    return _related(generator, n_suites, share)


def perfect_and_other(generator: np.random.Generator, n_suites: int, share: float) -> Drawn:
    """Draw a model that is always right, and another one."""
    values = _items(generator, n_suites, share)
    return np.ones_like(values), values


WORLDS: dict[str, Draw] = {
    "shares, alike": alike,
    "shares, every second suite mastered": half_mastered,
    "means of two predictions": two_predictions,
    "differences of equal models": equal_models,
    "differences from a perfect model": perfect_and_other,
}


def _items(generator: np.random.Generator, n_suites: int, share: float) -> Values:
    return np.asarray(generator.random((n_suites, N_ITEMS)) < share, dtype=np.float64)


def _related(generator: np.random.Generator, n_suites: int, share: float) -> tuple[Values, Values]:
    first, second = (_items(generator, n_suites, share) for _ in range(2))
    return first, np.where(generator.random(first.shape) < 1 / 2, first, second)


def truth(world: str, n_suites: int, share: float) -> float:
    """Return what is to be estimated."""
    if world.startswith("differences"):
        return 1 - share if WORLDS[world] is perfect_and_other else 0.0
    n_mastered = n_suites // 2 if WORLDS[world] is half_mastered else 0
    return (n_mastered + (n_suites - n_mastered) * share) / n_suites


def by_score(a: Values, b: Values | None) -> Interval:
    """Return the interval that pommel gives."""
    if b is None:
        return Interval.of_means(a)
    return Interval.of_means(a - b, bounds=(-1.0, 1.0))


def by_bootstrap(a: Values, b: Values | None) -> Interval:
    """Return the percentile interval."""
    found = Estimate.of_groups(a if b is None else a - b, n_resamples=399)
    return Interval(low=found.low, high=found.high)


def by_squares(a: Values, b: Values | None) -> Interval:
    """Add the squares of the suites' distances to their ends (Zou and Donner 2008).

    Of shares these are Wilson's intervals, of differences those of Newcombe (1998, method 10).
    """
    if b is None:
        means, ends = a.mean(axis=1), [_wilson(float(own.mean())) for own in a]
    else:
        means, ends = (a - b).mean(axis=1), [_newcombe(*own) for own in zip(a, b, strict=True)]
    below = means - np.array([each.low for each in ends])
    above = np.array([each.high for each in ends]) - means
    mean, n = float(means.mean()), len(means)
    return Interval(
        low=mean - math.sqrt(float(below @ below)) / n,
        high=mean + math.sqrt(float(above @ above)) / n,
    )


def _wilson(share: float) -> Interval:
    z = 1.959964
    centre, spread = share + z**2 / (2 * N_ITEMS), share * (1 - share) / N_ITEMS
    half = z * math.sqrt(spread + z**2 / (4 * N_ITEMS**2))
    return Interval(
        low=(centre - half) / (1 + z**2 / N_ITEMS), high=(centre + half) / (1 + z**2 / N_ITEMS)
    )


def _newcombe(a: Values, b: Values) -> Interval:
    p_a, p_b = float(a.mean()), float(b.mean())
    one, other = _wilson(p_a), _wilson(p_b)
    both, neither = float(a @ b), float((1 - a) @ (1 - b))
    only_a, only_b = float(a @ (1 - b)), float((1 - a) @ b)
    product = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    excess = both * neither - only_a * only_b
    # As Newcombe has it, positive correlations are corrected for continuity.
    excess = max(excess - N_ITEMS / 2, 0.0) if excess > 0 else excess
    phi = excess / math.sqrt(product) if product else 0.0

    def distance(own: float, others: float) -> float:
        return math.sqrt(max(0.0, own**2 - 2 * phi * own * others + others**2))

    return Interval(
        low=p_a - p_b - distance(p_a - one.low, other.high - p_b),
        high=p_a - p_b + distance(one.high - p_a, p_b - other.low),
    )


METHODS = (by_score, by_squares, by_bootstrap)


def coverage(world: str, n_suites: int, share: float, n_samples: int) -> list[float]:
    """Return of 100 intervals of each method how many hold the truth."""
    generator = np.random.default_rng([n_suites, round(100 * share)])
    expected = truth(world, n_suites, share)
    held = np.zeros(len(METHODS))
    for _ in range(n_samples):
        drawn = WORLDS[world](generator, n_suites, share)
        for place, method in enumerate(METHODS):
            found = method(*drawn)
            held[place] += found.low - 1e-9 <= expected <= found.high + 1e-9
    return [100 * float(each) / n_samples for each in held]


def rows(n_samples: int) -> Iterable[str]:
    """Yield the lines of the table."""
    yield f"| | suites | {' | '.join(f'p = {share:g}' for share in SHARES)} |"
    yield "|" + "---|" * (2 + len(SHARES))
    for world, draw in WORLDS.items():
        for n_suites in N_SUITES:
            if n_suites > 1 or draw is not half_mastered:
                cells = (coverage(world, n_suites, share, n_samples) for share in SHARES)
                shown = (" ".join(f"{each:.0f}" for each in cell) for cell in cells)
                yield f"| {world} | {n_suites} | {' | '.join(shown)} |"


def main() -> None:
    """Print the table, a line as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    for line in rows(parser.parse_args().samples):
        print(line, flush=True)


if __name__ == "__main__":
    main()
