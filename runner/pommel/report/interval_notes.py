"""What accuracies are, and which intervals they have: sentences for below or above a table."""

import math
from collections.abc import Iterable, Sequence

from pommel.analysis.accuracy_row import Accuracy, ShareInterval

SHARE_NAMES = {"wilson": "95% Wilson interval", "exact": "95% interval of Clopper and Pearson"}
_OF_PREDICTIONS = "95% bootstrap interval, by item"
_OF_SUITES = "95% bootstrap interval, items drawn within suites"


def suite_notes(
    rows: Iterable[Accuracy],
    interval: ShareInterval = "wilson",
    *,
    share: str = "Share of items on which a suite's predictions hold",
) -> list[str]:
    """Return the sentences about rows of suites, or of predictions.

    `share` says what the accuracy of a row is that is no mean over predictions. An interval is
    named if a row has it: families have none, and shares that were published without their items.
    """
    of_predictions, shares = _parted(_known(rows))
    notes = [f"{share}{_named(SHARE_NAMES[interval], shares, interval)}."]
    if of_predictions:
        named = _named(_OF_PREDICTIONS, of_predictions)
        notes.append(f"Of several predictions: their mean{named}.")
    return notes


def mean_notes(
    rows: Iterable[Accuracy], interval: ShareInterval = "wilson", *, name: str = ""
) -> list[str]:
    """Return the sentences about rows of circuits, and whatever else is a mean over suites.

    Of one suite a row is that suite's own. `name` is what the sentences call the means; without it
    they are about the whole table.
    """
    known = _known(rows)
    means = [row for row in known if len(row.suites) > 1]
    of_predictions, shares = _parted([row for row in known if len(row.suites) == 1])
    mean = f"{name}: mean over all suites" if name else "Mean over suites"
    of_one = f"{name} of one suite" if name else "Of one suite"
    notes = []
    if means:
        notes.append(f"{mean}{_named(_OF_SUITES, means)}.")
    if shares:
        notes.append(f"{of_one}: share of items{_named(SHARE_NAMES[interval], shares, interval)}.")
    if of_predictions:
        named = _named(_OF_PREDICTIONS, of_predictions)
        notes.append(f"{of_one} with several predictions: their mean{named}.")
    return notes


def _known(rows: Iterable[Accuracy]) -> list[Accuracy]:
    return [row for row in rows if not math.isnan(row.accuracy)]


def _parted(rows: Sequence[Accuracy]) -> tuple[list[Accuracy], list[Accuracy]]:
    """Return the means over predictions, and the shares of items."""
    return [row for row in rows if row.is_mean], [row for row in rows if not row.is_mean]


def _named(name: str, rows: Iterable[Accuracy], interval: ShareInterval = "wilson") -> str:
    """Return an interval's name in brackets if a row has one."""
    return f" [{name}]" if any(not math.isnan(row.interval(interval).low) for row in rows) else ""
