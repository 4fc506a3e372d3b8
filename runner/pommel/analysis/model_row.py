"""What rows about a model, or about the mean of a family of models, have in common."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from pommel.analysis.subjects import labelled


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """A model as it was run, or the mean of a family (`is_family`) over its `n_members` members.

    Of a family, `sd` and `sd_population` are the standard deviations over members (`sd` divides by
    n - 1, `sd_population` by n).
    """

    model_name: str
    variant: str
    score_rule: str
    source: str
    is_family: bool = False
    n_members: int = 1
    sd: float = math.nan
    sd_population: float = math.nan

    @property
    def label(self) -> str:
        """The model's or family's name, and what tells it from others of the name."""
        return labelled(self.model_name, self.variant)


_RowT = TypeVar("_RowT", bound=ModelRow)


def without_lone_families(rows: Iterable[_RowT]) -> list[_RowT]:
    """Return the rows without those of families of one member, which say what the member's say."""
    return [row for row in rows if not row.is_family or row.n_members > 1]
