"""The capitalisation experiment: what a capital letter at a sentence's beginning is worth.

Mueller et al. (2020), "Cross-linguistic syntactic evaluation of word prediction models", Table 4:
models that were trained on text with capital letters are tested on sentences without and with one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Self

from pommel.analysis.cells import (
    Answer,
    FamilyColumn,
    add_sections,
    circuit_cell,
    grouped,
    number_cell,
    plain_table,
)
from pommel.errors import counted
from pommel.files import frame_of_rows
from pommel.models import Model, Named
from pommel.scoring import Choices, FamilyScore, SuiteResult, run_suites
from pommel.statistics import Spread, mean_score
from pommel.suite import Condition, Suite, with_first_letter
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


@frozen
class CapitalizationGain:
    """A suite's results on a model as it is, and with its sentences capitalised.

    `n_changed` is how many of the suite's `n_sentences` sentences the capital letter changes.
    """

    model_reference: str
    as_is: SuiteResult
    capitalized: SuiteResult
    n_sentences: int
    n_changed: int

    @property
    def gain(self) -> float:
        """By how much the capital letter raises the score."""
        return self.capitalized.score - self.as_is.score

    @classmethod
    def measured(
        cls,
        model: Model,
        suites: Sequence[Suite],
        choices: Choices | None = None,
        *,
        lower: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> Iterator[Self]:
        """Score every suite as it is and with the first letter of every sentence a capital one.

        Yields one gain a suite, each as soon as both scores are there. `lower` takes the capital
        letters away first: for suites that are written with them. Raises what `run_suites` raises.
        """
        plain = [with_first_letters(each, str.lower) for each in suites] if lower else suites
        pairs = [(each, with_first_letters(each, str.title)) for each in plain]
        pair_of = {id(suite): pair for pair in pairs for suite in pair}
        results: dict[int, SuiteResult] = {}
        both = [suite for pair in pairs for suite in pair]
        needed = replace(choices or Choices(), regions="needed")
        for run in run_suites(model, both, needed, progress=progress):
            results[id(run.surprisals.suite)] = run.result
            suite, variant = pair_of[id(run.surprisals.suite)]
            if id(suite) in results and id(variant) in results:
                rows = zip(suite.sentences(), variant.sentences(), strict=True)
                yield cls(
                    model_reference=model.info.reference,
                    as_is=results[id(suite)],
                    capitalized=results[id(variant)],
                    n_sentences=suite.n_sentences,
                    n_changed=sum(
                        a != b for one, other in rows for a, b in zip(one, other, strict=True)
                    ),
                )

    def renamed(self, called: Named) -> Self:
        """Return the gain of a model that is called something else."""
        as_is, capitalized = (
            replace(each, model_name=called.name, membership=called.membership)
            for each in (self.as_is, self.capitalized)
        )
        return replace(self, as_is=as_is, capitalized=capitalized)

    def row(self) -> dict[str, object]:
        """Return both scores, the gain, and which member of a family the model is."""
        result, member = self.as_is, self.as_is.membership
        return {
            "model_name": result.model_name,
            "family": member.family if member else None,
            "axis": member.axis if member else None,
            "axis_value": member.value if member else None,
            "suite": result.suite_name,
            "circuit": result.circuit,
            "n_sentences": self.n_sentences,
            "n_changed": self.n_changed,
            "n_items_as_is": result.n_counted,
            "n_oov_as_is": result.n_oov,
            "score_as_is": _or_none(result.score),
            "n_items_capitalized": self.capitalized.n_counted,
            "n_oov_capitalized": self.capitalized.n_oov,
            "score_capitalized": _or_none(self.capitalized.score),
            "gain": _or_none(self.gain),
        }


def with_first_letters(suite: Suite, changed: Callable[[str], str]) -> Suite:
    """Return the suite with the first letter of every sentence changed (`str.title`, `str.lower`).

    It is the first letter of the first word, behind a quotation mark or an inverted question mark
    that it may begin with; the rest of the word stays as it is. A sentence whose first word has no
    letter, or none that there are two cases of, stays as it is.
    """
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


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


@frozen
class CapitalizationGains(Answer):
    """What a capital letter at a sentence's beginning is worth, suite by suite and model by model.

    Mueller et al. (2020), Table 4. Models of one name are told apart.
    """

    rows: tuple[CapitalizationGain, ...]

    @classmethod
    def of(cls, gains: Sequence[CapitalizationGain]) -> "CapitalizationGains":
        """Return the gains of all models, under names that tell these and their families apart."""
        called = Named.unique_names(
            {
                each.model_reference: Named(
                    name=each.as_is.model_name, membership=each.as_is.membership
                )
                for each in gains
            }
        )
        return cls(rows=tuple(each.renamed(called[each.model_reference]) for each in gains))

    @property
    def unchanged(self) -> list[str]:
        """The suites in which the capital letter changes nothing."""
        names = (each.as_is.suite_name for each in self.rows if not each.n_changed)
        return list(dict.fromkeys(names))

    @property
    def notes(self) -> Sequence[str]:
        """What makes the two scores of a suite hard to compare."""
        lines: list[str] = []
        for each in self.rows:
            one, other = each.as_is, each.capitalized
            where = f"{one.model_name} on {one.suite_name}"
            if one.n_oov or other.n_oov:
                lines.append(
                    f"{where}: {counted(one.n_oov, 'item')} as they are and {other.n_oov} "
                    "capitalised rest on an unknown word; --oov skip leaves them out"
                )
            if one.n_counted != other.n_counted:
                items = counted(one.n_counted, "item")
                lines.append(f"{where}: {items} count as they are, {other.n_counted} capitalised")
        return lines

    def frame(self) -> "pd.DataFrame":
        """Return one row a suite and model: both scores and the gain."""
        rows = [each.row() for each in self.rows]
        return frame_of_rows(rows, [*rows[0]])

    def tables(self) -> "list[Table]":
        """Return suites x models: the score as it is, capitalised, and the gain; their mean.

        Of a family of seeds it is the mean of its members, with the standard deviation of a sample.
        """
        table = plain_table(
            "Scores of suites as they are, and capitalised", names=("circuit", "suite")
        )
        groups = self._groups()
        for group in groups:
            # The spread of a single seed would say nothing.
            is_one = group.column.n == 1
            header = group.gains[0].as_is.model_name if is_one else group.column.header
            table.add_column(f"{header}\nas it is", justify="right")
            table.add_column("\ncapitalised", justify="right")
            table.add_column("\ngain", justify="right", style="bold")
        suites = {(each.as_is.circuit, each.as_is.suite_name) for each in self.rows}
        rows = []
        # Those without a circuit come last.
        for circuit, suite in sorted(suites, key=lambda each: (not each[0], each)):
            cells = chain.from_iterable(each.cells(suite) for each in groups)
            rows.append((circuit_cell(circuit), suite, *cells))
        add_sections(table, rows)
        if len(suites) > 1:
            table.add_section()
            means = chain.from_iterable(each.cells() for each in groups)
            table.add_row("all suites", "mean", *means)
        return [table]

    def _groups(self) -> "list[_Group]":
        # A model may be called as a family is, and is none of its members.
        def called(each: CapitalizationGain) -> tuple[str, str]:
            member = each.as_is.membership
            family = member.family if member and member.axis == "seed" else ""
            return family, "" if family else each.as_is.model_name

        return [
            _Group(
                gains=own,
                column=FamilyColumn(family=family, n=len({each.as_is.model_name for each in own})),
            )
            for (family, _), own in grouped(self.rows, called).items()
        ]


@frozen
class _Group:
    """What belongs into three columns: a model's gains, or those of a family of seeds."""

    gains: Sequence[CapitalizationGain]
    column: FamilyColumn

    def cells(self, suite: str | None = None) -> tuple[str, str, str]:
        """Return the means over a suite, or all of them: as it is, capitalised, the gain."""
        chosen = [each for each in self.gains if suite in (None, each.as_is.suite_name)]
        return (
            self._cell(chosen, lambda each: each.as_is.score),
            self._cell(chosen, lambda each: each.capitalized.score),
            self._cell(chosen, lambda each: each.gain, sign="+"),
        )

    def _cell(
        self,
        chosen: Sequence[CapitalizationGain],
        value: Callable[[CapitalizationGain], float],
        *,
        sign: str = "",
    ) -> str:
        if not chosen:
            return ""
        if self.column.n == 1:
            return number_cell(mean_score(map(value, chosen)), sign=sign)
        suites = [
            {each.as_is.model_name: value(each) for each in own}
            for own in grouped(chosen, lambda each: each.as_is.suite_name).values()
        ]
        scores = Spread.of(FamilyScore.means_of_members(suites))
        return self.column.cell(scores, sign=sign)
