"""What lme4 makes of simulated items beside what we do: `python -m tests.analysis.lme4`.

It prints the rows of the table in docs/statistics.md. Needs R with lme4 (.ci/install-r).
"""

import csv
import math
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pommel.analysis.mixed import MixedAsked

# Set -> lme4's formula, what is fixed here, and what is random.
SETS = {
    "crossed intercepts": ("x + size + (1 | model) + (1 | suite) + (1 | item)", "x + size", None),
    "with a random slope": (
        "x + size + (x || model) + (1 | suite) + (1 | item)",
        "x + size",
        ["x || model", "suite", "item"],
    ),
    "nearly separated": ("x + size + (1 | model) + (1 | suite) + (1 | item)", "x + size", None),
    "an effect of suites": ("b + (1 | model) + (1 | suite) + (1 | item)", "b", None),
}

_SCRIPT = """
suppressMessages(library(lme4))
arguments <- commandArgs(trailingOnly = TRUE)
fit <- glmer(as.formula(paste("holds ~", arguments[2])), read.csv(arguments[1]), family = binomial)
effects <- summary(fit)$coefficients
spreads <- as.data.frame(VarCorr(fit))
term <- c(rownames(effects), paste(spreads$grp, spreads$var1))
write.csv(data.frame(term, estimate = c(effects[, 1], spreads$sdcor),
                     error = c(effects[, 2], rep(NA, nrow(spreads)))), row.names = FALSE)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A coefficient with its standard error, or the sd of a random effect (no error: NaN)."""

    table: str
    term: str
    estimate: float
    error: float
    of_lme4: float
    error_of_lme4: float


def is_there() -> bool:
    """Say whether R can load lme4."""
    if not shutil.which("Rscript"):
        return False
    loading = ["Rscript", "-e", "library(lme4)"]
    return subprocess.run(loading, check=False, capture_output=True).returncode == 0


def simulated(name: str) -> pd.DataFrame:
    """Return the rows of a set: models, suites and items with intercepts; x differs by item.

    `b` is the same within suites, `size` within models.
    """
    n_models, n_suites, n_items = {
        "nearly separated": (6, 8, 20),
        "an effect of suites": (8, 12, 24),
    }.get(name, (20, 10, 24))
    generator = np.random.default_rng(1)
    model = np.repeat(np.arange(n_models), n_suites * n_items)
    suite = np.tile(np.repeat(np.arange(n_suites), n_items), n_models)
    item = np.tile(np.arange(n_suites * n_items), n_models)
    size = generator.normal(size=n_models)
    of_models = generator.normal(size=n_models) * 0.7
    of_suites = generator.normal(size=n_suites)
    of_items = generator.normal(size=n_suites * n_items) * 0.9
    x = item % 2
    log_odds = 0.5 + 0.6 * size[model] - 0.5 * x
    log_odds += of_models[model] + of_suites[suite] + of_items[item]
    if name == "with a random slope":
        log_odds += x * generator.normal(size=n_models)[model] * 0.8
    if name == "nearly separated":
        log_odds += 3.2 + x * 1.5
    holds = generator.random(len(model)) < 1 / (1 + np.exp(-log_odds))
    return pd.DataFrame(
        {
            "holds": holds.astype(int),
            "model": [f"m{number}" for number in model],
            "suite": [f"s{number}" for number in suite],
            "item": [f"i{number}" for number in item],
            "x": x,
            "b": suite % 2,
            "size": size[model],
        }
    )


def compared() -> list[Compared]:
    """Fit each set here and by lme4."""
    return [each for name in SETS for each in _compared(name)]


def _compared(name: str) -> list[Compared]:
    formula, fixed, random = SETS[name]
    table = simulated(name)
    fit = MixedAsked(fixed=fixed, random=tuple(random or ())).of_items(table)
    ours = {each.name: (each.estimate, each.sd) for each in fit.coefficients}
    ours |= {f"sd of {each.name}": (each.estimate, math.nan) for each in fit.components}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        table.to_csv(path, index=False)
        command = ["Rscript", "-e", _SCRIPT, str(path), formula]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
    theirs = {
        _term(row["term"]): (float(row["estimate"]), float(row["error"].replace("NA", "nan")))
        for row in csv.DictReader(found.stdout.splitlines())
    }
    return [
        Compared(
            table=name,
            term=term,
            estimate=estimate,
            error=error,
            of_lme4=theirs[term][0],
            error_of_lme4=theirs[term][1],
        )
        for term, (estimate, error) in ours.items()
    ]


def _term(name: str) -> str:
    """Return what lme4's term is called here: "model.1 (Intercept)" is "sd of model"."""
    group, _, of = name.partition(" ")
    if not of:
        return name
    unit = group.partition(".")[0]
    return f"sd of {unit}" if of == "(Intercept)" else f"sd of {of} || {unit}"


def rows(found: list[Compared]) -> list[str]:
    """Return the lines of the table in the documentation."""
    return [_row(each) for each in found]


def _row(own: Compared) -> str:
    term = own.term.replace("|", r"\|")
    ours, theirs = _cell(own.estimate, own.error), _cell(own.of_lme4, own.error_of_lme4)
    return f"| {own.table} | `{term}` | {ours} | {theirs} |"


def _cell(estimate: float, error: float) -> str:
    if math.isnan(error):
        return f"{estimate:.3f}"
    p = math.erfc(abs(estimate / error) / math.sqrt(2))
    return f"{estimate:+.3f} ± {error:.3f}, p {'< .001' if p < 0.001 else f'{p:.3f}'[1:]}"


if __name__ == "__main__":
    sys.stdout.write("\n".join(rows(compared())) + "\n")
