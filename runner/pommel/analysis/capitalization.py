"""The capitalisation experiment: what a capital letter at a sentence's beginning is worth.

Mueller et al. (2020), "Cross-linguistic syntactic evaluation of word prediction models", Table 4:
models that were trained on text with capital letters are tested on sentences without and with one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pommel.analysis.cells import (
    Answer,
    FamilyColumn,
    add_suite_rows,
    number_cell,
    plain_table,
)
from pommel.errors import counted
from pommel.files import frame_of
from pommel.models import Membership, Model, Named
from pommel.scoring import Choices, FamilyScore, run_suites
from pommel.statistics import Spread, mean_score
from pommel.suite import Condition, Suite, with_first_letter

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantScore:
    """The score of one variant of a suite: a share of `n_items`, NaN without predictions.

    `n_items` are those that are not skipped; `n_oov` of them rest on an unknown word.
    """

    score: float
    n_items: int
    n_oov: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CapitalizationGain:
    """A suite's score on a model as it is, and with its sentences capitalised.

    `n_changed` is how many of the suite's `n_sentences` sentences the capital letter changes.
    """

    model_reference: str
    model_name: str
    membership: Membership | None
    suite_name: str
    circuit: str
    n_sentences: int
    n_changed: int
    as_is: VariantScore
    capitalized: VariantScore

    @property
    def gain(self) -> float:
        """By how much the capital letter raises the score."""
        return self.capitalized.score - self.as_is.score

    @staticmethod
    def measured(  # noqa: PLR0913 - each of these is a choice of the caller's
        model: Model,
        suites: Sequence[Suite],
        choices: Choices | None = None,
        *,
        lower: bool = False,
        model_name: str = "",
        membership: Membership | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Iterator[CapitalizationGain]":
        """Score every suite as it is and with the first letter of every sentence a capital one.

        Yields one gain a suite, each as soon as both scores are there. `lower` takes the capital
        letters away first: for suites that are written with them. `model_name` is what the model is
        called, if not as it calls itself. Raises what `run_suites` raises.
        """
        pairs = [(plain, capitalized(plain)) for plain in _plain(suites, lower=lower)]
        pair_of = {id(suite): pair for pair in pairs for suite in pair}
        scores: dict[int, VariantScore] = {}
        for run in run_suites(
            model,
            [suite for pair in pairs for suite in pair],
            replace(choices or Choices(), regions="needed"),
            progress=progress,
        ):
            scores[id(run.surprisals.suite)] = VariantScore(
                score=run.result.score, n_items=run.result.n_counted, n_oov=run.result.n_oov
            )
            plain, variant = pair_of[id(run.surprisals.suite)]
            if id(plain) in scores and id(variant) in scores:
                yield CapitalizationGain(
                    model_reference=model.info.reference,
                    model_name=model_name or model.info.name,
                    membership=membership,
                    suite_name=plain.name,
                    circuit=plain.circuit,
                    n_sentences=plain.n_sentences,
                    n_changed=n_sentences_changed(plain, variant),
                    as_is=scores[id(plain)],
                    capitalized=scores[id(variant)],
                )

    @staticmethod
    def with_distinct_names(gains: Sequence["CapitalizationGain"]) -> list["CapitalizationGain"]:
        """Rename models and families that share a name, so that tables tell them apart."""
        called = Named.unique_names(
            {
                each.model_reference: Named(name=each.model_name, membership=each.membership)
                for each in gains
            }
        )
        names = [called[each.model_reference] for each in gains]
        return [
            replace(each, model_name=named.name, membership=named.membership)
            for each, named in zip(gains, names, strict=True)
        ]

    @staticmethod
    def frame(gains: Sequence["CapitalizationGain"]) -> "pd.DataFrame":
        """One row a suite and model: both scores, the gain, and which member of a family it is."""
        members = [each.membership for each in gains]
        return frame_of(
            {
                "model_name": [each.model_name for each in gains],
                "family": [each.family if each else None for each in members],
                "axis": [each.axis if each else None for each in members],
                "axis_value": [each.value if each else None for each in members],
                "suite": [each.suite_name for each in gains],
                "circuit": [each.circuit for each in gains],
                "n_sentences": [each.n_sentences for each in gains],
                "n_changed": [each.n_changed for each in gains],
                "n_items_as_is": [each.as_is.n_items for each in gains],
                "n_oov_as_is": [each.as_is.n_oov for each in gains],
                "score_as_is": [_or_none(each.as_is.score) for each in gains],
                "n_items_capitalized": [each.capitalized.n_items for each in gains],
                "n_oov_capitalized": [each.capitalized.n_oov for each in gains],
                "score_capitalized": [_or_none(each.capitalized.score) for each in gains],
                "gain": [_or_none(each.gain) for each in gains],
            }
        )


def capitalized(suite: Suite) -> Suite:
    """Return the suite with the first letter of every sentence a capital one.

    It is the first letter of the first word, behind a quotation mark or an inverted question mark
    that it may begin with; the rest of the word stays as it is. A sentence whose first word has no
    letter, or none that there are two cases of, stays as it is.
    """
    return _with_first_letters(suite, str.title)


def uncapitalized(suite: Suite) -> Suite:
    """Return the suite with the first letter of every sentence a small one, names included."""
    return _with_first_letters(suite, str.lower)


def n_sentences_changed(suite: Suite, variant: Suite) -> int:
    """Return how many sentences a variant of a suite has that the suite itself has not."""
    pairs = zip(suite.items, variant.items, strict=True)
    return sum(
        one.condition(name).sentence(suite.joiner) != other.condition(name).sentence(suite.joiner)
        for one, other in pairs
        for name in suite.condition_names
    )


def _with_first_letters(suite: Suite, changed: Callable[[str], str]) -> Suite:
    items = tuple(
        replace(item, conditions=tuple(_changed(each, changed) for each in item.conditions))
        for item in suite.items
    )
    return replace(suite, items=items)


def _changed(condition: Condition, changed: Callable[[str], str]) -> Condition:
    if condition.context:
        return replace(condition, context=with_first_letter(condition.context, changed))
    regions = list(condition.regions)
    # Every sentence has a region with text.
    first = next(place for place, region in enumerate(regions) if region.text)
    written = with_first_letter(regions[first].content, changed)
    regions[first] = replace(regions[first], content=written)
    return replace(condition, regions=tuple(regions))


def _plain(suites: Sequence[Suite], *, lower: bool) -> list[Suite]:
    return [uncapitalized(suite) for suite in suites] if lower else list(suites)


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


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
