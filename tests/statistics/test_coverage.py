"""How many intervals of 95% hold the truth: the table of docs/statistics.md."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from pommel.statistics import Estimate, Interval

SHARES = np.linspace(0.05, 0.95, 181)
# Mean and least coverage of shares (three methods), then that of two kinds of margins.
_ROW = re.compile(
    r"^\| (\d+) \| (\d+) \((\d+)\) \| (\d+) \((\d+)\) \| (\d+) \((\d+)\) \| (\d+) \| (\d+) \|$",
    re.MULTILINE,
)


def coverages(intervals: list[Interval]) -> tuple[float, float]:
    """Return how often an interval, one a count, holds the truth: mean and least over shares."""
    n = len(intervals) - 1
    counts = np.arange(n + 1)[:, np.newaxis]
    low, high = (np.array([getattr(each, end) for each in intervals]) for end in ("low", "high"))
    is_held = (low[:, np.newaxis] <= SHARES) & (high[:, np.newaxis] >= SHARES)
    held = (binom.pmf(counts, n, SHARES) * is_held).sum(axis=0)
    return 100 * float(held.mean()), 100 * float(held.min())


@pytest.fixture(scope="module")
def table(repository: Path) -> dict[int, list[int]]:
    text = (repository / "docs" / "statistics.md").read_text("utf-8")
    return {int(n): [*map(int, others)] for n, *others in _ROW.findall(text)}


@pytest.mark.parametrize("n", [5, 10, 24, 60])
def test_shares(table: dict[int, list[int]], n: int) -> None:
    found: list[float] = []
    for method in ("wilson", "exact"):
        found += coverages([Interval.of_share(k, n, method=method) for k in range(n + 1)])
    drawn = [Estimate.of_values([1.0] * k + [0.0] * (n - k)) for k in range(n + 1)]
    found += coverages([Interval(low=each.low, high=each.high) for each in drawn])
    assert found == pytest.approx(table[n][:6], abs=0.6)


@pytest.mark.parametrize("n", [5, 24])
def test_margins(table: dict[int, list[int]], n: int) -> None:
    """400 samples tell the share to about 4 of 100, two standard errors."""
    generator = np.random.default_rng(1)
    for kind, expected in zip(("normal", "exponential"), table[n][6:], strict=True):
        samples = getattr(generator, kind)(size=(400, n))
        mean = 1.0 if kind == "exponential" else 0.0
        intervals = [Estimate.of_values(each, n_resamples=399) for each in samples]
        held = 100 * np.mean([each.low <= mean <= each.high for each in intervals])
        assert held == pytest.approx(expected, abs=4)
