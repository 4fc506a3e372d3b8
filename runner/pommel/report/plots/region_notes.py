"""What is written above a plot of regions: what its points are, and what has none."""

from collections.abc import Iterator
from typing import Literal

from pommel.errors import counted, listed
from pommel.report.plots.theme import Rows

# What whiskers show: mean +- 1 standard error, or the quartiles of the items.
Whiskers = Literal["standard error", "quartiles"]

# Why a region that has tokens has no surprisal (see `regions.region_rows`).
NOT_ASKED_FOR, UNSCORED = "not asked for", "unscored"

SCORES_THE_OTHERS = "`pommel run --regions all` scores {}"

_MOST_MODELS = 5


def region_notes(rows: Rows, whiskers: Whiskers) -> Iterator[str]:
    """Yield notes on rows as of `regions.region_rows`, whatever models they are of."""
    known = [row for row in rows if row["n_items"]]
    # Of an infinite mean there are none, and none of one item's.
    has_whiskers = any(row["low_bits"] is not None for row in known)
    shown = f"; whiskers: {_SPREAD[whiskers]}" if has_whiskers else ""
    yield f"{_means(known)}{shown}. Contents: first item."
    if any(row["is_compared"] for row in known):
        yield "Filled points and grey columns: what predictions compare."
    if n_infinite := sum(row["is_infinite"] for row in rows):
        verb = "is" if n_infinite == 1 else "are"
        yield f"∞: {counted(n_infinite, 'mean')} {verb} infinite, since a word has probability 0."
    yield from _models_notes(rows)


_SPREAD = {"standard error": "± 1 standard error", "quartiles": "quartiles of the items"}


def _means(known: Rows) -> str:
    least, most = (end(row["n_items"] for row in known) for end in (min, max))
    return f"Mean over {counted(most, 'item') if least == most else f'{least} to {most} items'}"


def _models_notes(rows: Rows) -> Iterator[str]:
    partial = [*dict.fromkeys(row["model"] for row in rows if row["missing"] == NOT_ASKED_FOR)]
    if partial:
        yield (
            f"{listed(partial, most=_MOST_MODELS)}: only the regions that predictions need "
            f"({SCORES_THE_OTHERS.format('the others')})."
        )
    seen = {row["model"] for row in rows if row["n_items"]}
    unknown = dict.fromkeys(row["model"] for row in rows if row["model"] not in seen)
    if without := [model for model in unknown if model not in partial]:
        yield f"{listed(without, most=_MOST_MODELS)}: no surprisal is known."
