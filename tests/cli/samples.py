"""What the tests of the command line share: an outcome's shape, a sound suite."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended, and what it printed."""

    status: int
    stdout: str
    stderr: str


Pommel = Callable[..., Outcome]


def suite_value(name: str = "agreement", n_items: int = 3) -> dict[str, Any]:
    """Return a sound suite of two conditions and three regions."""
    nouns = ("author", "pilot", "surgeon", "dancer")

    def condition(name: str, noun: str, verb: str) -> dict[str, Any]:
        contents = (f"The {noun}", verb, "good .")
        regions = [{"region_number": n, "content": text} for n, text in enumerate(contents, 1)]
        return {"condition_name": name, "regions": regions}

    return {
        "meta": {"name": name, "metric": "sum"},
        "region_meta": {"1": "subject", "2": "verb", "3": "rest"},
        "predictions": [{"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}],
        "items": [
            {
                "item_number": n,
                "conditions": [
                    condition("match", nouns[n % 4], "is"),
                    condition("mismatch", nouns[n % 4], "are"),
                ],
            }
            for n in range(1, n_items + 1)
        ],
    }
