"""How often intervals of mixed models hold the truth: `python -m benchmarks.mixed`.

Items are simulated with an effect of models, one of items, and intercepts of both; printed is the
share of 200 tables in which the 95% interval holds what they were made with. docs/statistics.md
has the figures.
"""

import sys

import numpy as np
import pandas as pd

from pommel.analysis.mixed import MixedAsked

_N_TABLES = 200
_TRUTH = {"size": 0.8, "modifier": -0.6}
_SPREADS = {"model": 0.7, "item": 1.0}
_DESIGNS = ((4, 100), (6, 100), (10, 100), (20, 200), (2, 400))
# The normal distribution's 97.5%.
_NORMAL = 1.959964


def _simulated(n_models: int, n_items: int, seed: int) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    model, item = np.repeat(np.arange(n_models), n_items), np.tile(np.arange(n_items), n_models)
    size = generator.normal(size=n_models)[model]
    modifier = item % 2
    log_odds = 0.5 + _TRUTH["size"] * size + _TRUTH["modifier"] * modifier
    log_odds += _SPREADS["model"] * generator.normal(size=n_models)[model]
    log_odds += _SPREADS["item"] * generator.normal(size=n_items)[item]
    holds = (generator.random(len(model)) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return pd.DataFrame(
        {"model": model, "item": item, "size": size, "modifier": modifier, "holds": holds}
    )


def _held(n_models: int, n_items: int) -> list[str]:
    """Return the shares that are held: by t, by the normal distribution, and of spreads."""
    found: dict[str, list[bool]] = {}
    spreads: list[float] = []
    fixed = "size + modifier" if n_models > 2 else "modifier"  # noqa: PLR2004 - size has no freedom
    for seed in range(_N_TABLES):
        table = _simulated(n_models, n_items, seed)
        fit = MixedAsked(fixed=fixed, random=("model", "item")).of_items(table)
        for each in fit.coefficients[1:]:
            truth = _TRUTH[each.name]
            off = abs(each.estimate - truth) / each.sd
            found.setdefault(f"{each.name}, t", []).append(each.low < truth < each.high)
            found.setdefault(f"{each.name}, normal", []).append(off < _NORMAL)
        for part in fit.components:
            truth = _SPREADS[part.name]
            found.setdefault(f"sd of {part.name}", []).append(part.low < truth < part.high)
        spreads.append(fit.components[1].estimate)
    cells = [f"{name} {np.mean(held):.3f}" for name, held in found.items()]
    return [*cells, f"mean sd of item {np.mean(spreads):.2f}"]


if __name__ == "__main__":
    for design in _DESIGNS:
        cells = "; ".join(_held(*design))
        sys.stdout.write(f"{design[0]} models, {design[1]} items: {cells}\n")
