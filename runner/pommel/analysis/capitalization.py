"""The gain table of the capitalisation experiment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pommel.analysis.cells import (
    Answer,
    FamilyColumn,
    add_suite_rows,
    number_cell,
    plain_table,
)
from pommel.errors import counted
from pommel.scoring.capitalization import CapitalizationGain
from pommel.scoring.family_scores import FamilyScore
from pommel.statistics import Spread, mean_score

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class CapitalizationGains(Answer):
    """What a capital letter at a sentence's beginning is worth, suite by suite and model by model.

    Mueller et al. (2020), Table 4. Models of one name are told apart.
    """

    rows: tuple[CapitalizationGain, ...]

    @classmethod
    def of(cls, gains: Sequence[CapitalizationGain]) -> "CapitalizationGains":
        """Return the gains of all models, under names that tell these apart."""
        return cls(rows=tuple(CapitalizationGain.with_distinct_names(gains)))

    @property
    def unchanged(self) -> list[str]:
        """The suites in which the capital letter changes nothing."""
        return list(dict.fromkeys(each.suite_name for each in self.rows if not each.n_changed))

    @property
    def notes(self) -> Sequence[str]:
        """What makes the two scores of a suite hard to compare."""
        return [line for each in self.rows for line in _notes(each)]

    def frame(self) -> "pd.DataFrame":
        """Return one row a suite and model: both scores and the gain."""
        return CapitalizationGain.frame(self.rows)

    def tables(self) -> "list[Table]":
        """Return suites x models: the score as it is, capitalised, and the gain; their mean.

        Of a family of seeds it is the mean of its members, with the standard deviation of a sample.
        """
        table = plain_table(
            "Scores of suites as they are, and capitalised", names=("circuit", "suite")
        )
        groups = _groups(self.rows)
        for group in groups:
            table.add_column(f"{group.header}\nas it is", justify="right")
            table.add_column("\ncapitalised", justify="right")
            table.add_column("\ngain", justify="right", style="bold")

        def cells(suite: str) -> Iterator[str]:
            for group in groups:
                yield from group.cells([each for each in group.gains if each.suite_name == suite])

        suites = {(each.circuit, each.suite_name) for each in self.rows}
        add_suite_rows(table, suites, cells)
        if len(suites) > 1:
            table.add_section()
            means = (cell for group in groups for cell in group.cells(group.gains))
            table.add_row("all suites", "mean", *means)
        return [table]


def _notes(gain: CapitalizationGain) -> Iterator[str]:
    where = f"{gain.model_name} on {gain.suite_name}"
    one, other = gain.as_is, gain.capitalized
    if one.n_oov or other.n_oov:
        yield (
            f"{where}: {counted(one.n_oov, 'item')} as they are and {other.n_oov} capitalised rest "
            "on an unknown word; --oov skip leaves them out"
        )
    if one.n_items != other.n_items:
        items = counted(one.n_items, "item")
        yield f"{where}: {items} count as they are, {other.n_items} capitalised"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """What belongs into three columns: a model's gains, or those of a family of seeds."""

    family: str
    gains: Sequence[CapitalizationGain]

    @property
    def header(self) -> str:
        # The spread of a single seed would say nothing.
        is_one = self._n_models == 1
        return self.gains[0].model_name if is_one else self._column.header

    def cells(self, gains: Sequence[CapitalizationGain]) -> tuple[str, str, str]:
        """Return the mean of some of the gains: the score as it is, capitalised, the gain."""
        return (
            self._cell([(each, each.as_is.score) for each in gains]),
            self._cell([(each, each.capitalized.score) for each in gains]),
            self._cell([(each, each.gain) for each in gains], sign="+"),
        )

    def _cell(self, values: Sequence[tuple[CapitalizationGain, float]], *, sign: str = "") -> str:
        if not values:
            return ""
        if self._n_models == 1:
            return number_cell(mean_score(value for _, value in values), sign=sign)
        suites: dict[str, dict[str, float]] = {}
        for each, value in values:
            suites.setdefault(each.suite_name, {})[each.model_name] = value
        scores = Spread.of(FamilyScore.means_of_members([*suites.values()]))
        return self._column.cell(scores, sign=sign)

    @property
    def _column(self) -> FamilyColumn:
        return FamilyColumn(family=self.family, n=self._n_models)

    @property
    def _n_models(self) -> int:
        return len({each.model_name for each in self.gains})


def _groups(gains: Sequence[CapitalizationGain]) -> list[_Group]:
    # A model may be called as a family is, and is none of its members.
    found: dict[tuple[str, str], list[CapitalizationGain]] = {}
    for each in gains:
        member = each.membership
        family = member.family if member and member.axis == "seed" else ""
        found.setdefault((family, "" if family else each.model_name), []).append(each)
    return [_Group(family=family, gains=own) for (family, _), own in found.items()]
