"""Shares that were published without their items, as results."""

from collections.abc import Mapping
from dataclasses import dataclass

from pommel.scoring.results import Score, SuiteResult
from pommel.store.imports.result_format import ImportOptions


@dataclass(frozen=True, slots=True)
class Counts:
    """Of how many items shares are: `n_items`, or for some models another number; None: unknown.

    `n_decimals` is how many decimals the most exact share has.
    """

    n_items: int | None
    n_items_of: Mapping[str, int]
    n_decimals: int

    @classmethod
    def of(cls, options: ImportOptions, n_decimals: int, *, usual: int | None = None) -> "Counts":
        """Return what the options say; `usual` is the number where they say nothing."""
        n_items = usual if options.n_items is None else options.n_items
        return cls(n_items, options.n_items_of, n_decimals)

    def score(self, model: str, share: float) -> Score:
        """Return a share with its counts.

        Raises `ValueError` with what is wrong where no count, or more than one, gives this share
        when it is rounded to `n_decimals`.
        """
        n_items = self.n_items_of.get(model, self.n_items)
        if n_items is None:
            return Score(label="", n_holding=0, n_items=0, reported_share=share)
        n_holding = round(share * n_items)
        # Half of the last decimal, and what floats are off by.
        most = 0.5 * 10.0**-self.n_decimals + 1e-9
        if abs(n_holding / n_items - share) > most:
            raise ValueError(f"no number of {n_items:,} items is a share of {share:g}")
        if 1 / n_items <= most:
            raise ValueError(
                f"a share with {self.n_decimals} decimals does not tell {n_holding:,} of "
                f"{n_items:,} items from {n_holding + 1:,}"
            )
        return Score(label="", n_holding=n_holding, n_items=n_items, reported_share=share)


def decimals_of(text: str) -> int:
    """Return how many decimals a number is written with; an exponent moves the point."""
    digits, _, exponent = text.strip().lower().partition("e")
    _, _, decimals = digits.partition(".")
    return max(len(decimals) - int(exponent or 0), 0)


def reported_result(model: str, suite: str, score: Score, *, circuit: str = "") -> SuiteResult:
    """Return a result of which nothing but the share is known."""
    return SuiteResult(
        suite_name=suite,
        circuit=circuit,
        model_name=model,
        score_rule="all",
        item_numbers=(),
        predictions=(),
        reported=score,
    )


def share_fault(value: float | None) -> tuple[str, str] | None:
    """Return what is wrong with a share, and what to do; None if it is one."""
    if value is None:
        return "is no number", "write a share such as 0.87, and nothing where there is none"
    if not 0 <= value <= 1:
        hint = "write 87% as 0.87" if 1 < value <= 100 else "a share is between 0 and 1"  # noqa: PLR2004 - percent
        return "is no share", hint
    return None
