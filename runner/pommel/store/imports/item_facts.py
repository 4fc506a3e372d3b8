"""What the rows of item tables say of models and suites, chance among it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from pommel.scoring.results import ScoreRule
from pommel.store.imports.item_runs import Key, RunKey


@dataclass(slots=True)
class ItemFacts:
    """What rows say of models and suites, and where they first do: by (column, name)."""

    told: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def add(self, column: str, name: str, value: str, where: str) -> str:
        """Take a value in; return where another one stands, "" if there is none."""
        first, place = self.told.setdefault((column, name), (value, where))
        return "" if first == value else place

    def of(self, column: str, name: str) -> str:
        """Return what is said, "" if nothing."""
        return self.told.get((column, name), ("", ""))[0]


def run_name(run: RunKey) -> str:
    """Return what a run is called, whose predictions hold together by a certain chance."""
    model, suite = run
    return f"{suite} (of {model})"


def prediction_name(run: RunKey, prediction: int) -> str:
    """Return what a prediction of a run is called, which holds by a certain chance."""
    return f"prediction {prediction} of {run_name(run)}"


def chance_told(
    run: RunKey, keys: Iterable[Key], rule: ScoreRule, told: Callable[[str, str], str]
) -> float | None:
    """Return the share of items on which what the score rule counts holds by chance.

    `told` returns what a column says of a name, "" if nothing. None where the rows do not say it:
    of several predictions that have to hold together it needs the column `suite_chance`, since
    they may depend on each other. Under "each" it is that of each, if all have the same.
    """
    predictions = sorted({prediction for prediction, _ in keys})
    counted = predictions[:1] if rule == "first" else predictions
    own = {told("chance", prediction_name(run, each)) for each in counted}
    if (rule == "all" and len(counted) > 1) or (own == {""} and len(predictions) == 1):
        own = {told("suite_chance", run_name(run))}
    text = own.pop() if len(own) == 1 else ""
    return float(text) if text else None
