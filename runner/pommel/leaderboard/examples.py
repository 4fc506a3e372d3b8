"""What a board's site shows of its suites: of each the first item, and what holds by chance.

Suites may be large, and chance takes its time: so it is kept in `derived/`.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from pommel.errors import InputError
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import sealed, unsealed
from pommel.scoring import SuiteResult
from pommel.suite import LoadedSuite, Suite
from pommel.values import frozen

VERSION = 1
_DIGITS = 6


@frozen
class SuiteExample:
    """A suite with its first item only.

    `chance` is the share of items that holds by chance under the board's rule, NaN where it is not
    known.
    """

    suite: Suite
    chance: float

    @classmethod
    def of(cls, suite: Suite, board: Board) -> Self:
        """Take the first item of a suite of a board."""
        formulas = [each.formula.text for each in suite.predictions]
        counted = {"all": [formulas], "first": [formulas[:1]], "each": [[one] for one in formulas]}
        shares = [SuiteResult.chance_of(tuple(each)) for each in counted[board.score_rule]]
        chance = round(math.fsum(shares) / len(shares), _DIGITS)
        return cls(suite=replace(suite, items=suite.items[:1]), chance=chance)

    @property
    def in_words(self) -> list[str]:
        """The predictions in words, in lines; "" where there would be too many of them."""
        suite = self.suite
        return [
            "\n".join(each.formula.in_few_words(suite.region_names, metric=suite.metric_of(each)))
            for each in suite.predictions
        ]


def examples_text(examples: Sequence[SuiteExample]) -> str:
    """Return the content of the file that keeps the examples of all suites of a board."""
    values = [
        {"suite": each.suite.to_dict(), "chance": None if math.isnan(each.chance) else each.chance}
        for each in examples
    ]
    return sealed({"version": VERSION, "examples": values})


def examples_from(text: str, board: Board) -> tuple[SuiteExample, ...] | None:
    """Return the examples of `examples_text`, None if they cannot be those of this board.

    What is wrong with them does not matter: they are made again.
    """
    try:
        value = unsealed(text)
        found = tuple(
            SuiteExample(
                suite=LoadedSuite.from_dict(each["suite"]).suite,
                chance=math.nan if each["chance"] is None else each["chance"],
            )
            for each in value["examples"]
        )
        is_sound = value["version"] == VERSION and all(
            math.isnan(each.chance) or 0 <= each.chance <= 1 for each in found
        )
    except (InputError, ValueError, TypeError, KeyError):
        return None
    names = [each.suite.name for each in found]
    return found if is_sound and names == [each.name for each in board.suites] else None
