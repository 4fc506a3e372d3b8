"""Accuracy of models, by prediction, suite, circuit, language, group, and over all suites.

A share of items has Wilson's interval (1927) and that of Clopper and Pearson (1934). A circuit's
accuracy is the unweighted mean over its suites, and so on up, or the share of all their items; a
mean has the stratified score interval, which speaks of other items and not of other suites.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from pommel.analysis.asking import Option, Question, Settings, globs_by_name
from pommel.analysis.cells import (
    Answer,
    Column,
    add_sections,
    grouped,
    interval_cell,
    mean_sd_cell,
    number_cell,
    p_cell,
    plain_table,
)
from pommel.analysis.item_columns import (
    NO_INTERVAL,
    Chance,
    ItemScores,
    Values,
    chances_of,
    columns_of,
    groups_by_item,
    prediction_chance,
)
from pommel.analysis.models_compared import (
    ALL_SUITES,
    Average,
    ComparedFamily,
    ComparedModel,
    ModelRow,
    ModelsCompared,
    labelled,
    without_lone_families,
)
from pommel.scoring import RunRecord, Score, SuiteKey, SuiteResult
from pommel.statistics import (
    ALPHA,
    Estimate,
    Interval,
    Spread,
    binomial_sum_ps,
    mean_score,
)
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


# What a row is about, or the mean over its suites.
Level = Literal["prediction", "suite", "circuit", "language", "group", "model"]

# Which of the two intervals of a share of items is meant.
ShareInterval = Literal["wilson", "exact"]

# Which standard deviation is meant: of a sample, that divides by n - 1, or by n.
StandardDeviation = Literal["sample", "population"]

_SD_OVER_SUITES: dict[StandardDeviation, str] = {
    "sample": " ± standard deviation over them (n - 1)",
    "population": " ± standard deviation over them (n)",
}

COUNTS = SuiteResult.COUNTS


class Unit(NamedTuple):
    """What a row is about; "" where it is about several, or where there is none.

    A suite has all that is known of it, a circuit only its name.
    """

    language: str = ""
    circuit: str = ""
    group: str = ""
    suite: str = ""
    prediction_id: str = ""

    @classmethod
    def of(cls, record: RunRecord, prediction_id: str = "") -> "Unit":
        """Return the suite of a record, or one of its predictions."""
        suite, result = record.suite, record.result
        return cls(suite.language, result.circuit, suite.group, result.suite_name, prediction_id)

    def named(self, *, with_language: bool) -> str:
        """Return the suite, with its language if that is to be named."""
        return labelled(self.suite, self.language if with_language else "")

    @property
    def order(self) -> tuple[tuple[bool, str] | str | int, ...]:
        """What rows are sorted by: those without a language, circuit or group come last."""
        names = (self.language, self.circuit, self.group)
        number = int(self.prediction_id) if self.prediction_id.isdecimal() else -1
        return (*((not name, name) for name in names), self.suite, number, self.prediction_id)


@frozen
class Accuracy(ModelRow):
    """What a model, or a family, reaches.

    `accuracy` is the unweighted mean over `suites`, those that have a score; where `average` is
    "items" it is the share of all their items, pooled. `n_items` and `n_holding` are pooled over
    suites, under the score rule "each" over predictions, too; None where a suite was published
    without them. `wilson` and `exact` are intervals of the pooled
    share, `p_above` and `p_below` the exact one-sided p of the pooled count; under "each" they are
    missing for more than one prediction, since the predictions of an item depend on each other.
    `stratified` is the interval of a mean over suites or predictions (`Interval.of_means`).
    `chance` is the mean over suites, or items, as `accuracy` is.

    `margin_bits` is such a mean, too, of the means over items, with its bootstrap interval, its n
    the items that have a margin; `median_margin_bits` the median over all items. `counts` are those
    of `COUNTS`, None where they are not known.

    The row of a family (`is_family`) is the mean over those `n_members` members that have a score
    on every suite on which another one has; it has no intervals and tests, and its counts are added
    up.
    """

    level: Level
    unit: Unit
    suites: frozenset[SuiteKey]
    accuracy: float
    n_items: int | None
    n_holding: int | None
    chance: float
    margin_bits: Estimate
    median_margin_bits: float
    counts: Mapping[str, int | None]
    average: Average = "suites"
    stratified: Interval = NO_INTERVAL
    wilson: Interval = NO_INTERVAL
    exact: Interval = NO_INTERVAL
    p_above: float = math.nan
    p_below: float = math.nan

    COUNTS: ClassVar[tuple[str, ...]] = COUNTS

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over suites or predictions, and no share of items."""
        return (self.average == "suites" and len(self.suites) > 1) or not math.isnan(
            self.stratified.low
        )

    def interval(self, of_share: ShareInterval = "wilson") -> Interval:
        """Return the interval of the accuracy: the stratified one of a mean, or that of a share."""
        if self.is_mean:
            return self.stratified
        return self.wilson if of_share == "wilson" else self.exact

    @property
    def over_suites(self) -> Spread:
        """The shares of the suites whose mean the accuracy is, of a family the members' means.

        None for a row about one suite, and for pooled items.
        """
        if len(self.suites) < 2 or self.average != "suites":  # noqa: PLR2004
            return Spread.of(())
        every = self.who.members if isinstance(self.who, ComparedFamily) else (self.who,)
        members = [each.scores for each in every if each.scores.keys() >= self.suites]
        by_member = [[scores[suite] for suite in self.suites] for scores in members]
        if len(by_member) == 1:
            return Spread.of(by_member[0])
        return Spread.of(map(mean_score, zip(*by_member, strict=True)))

    def sd_over_suites(self, sd: StandardDeviation | None) -> float:
        """Return such a standard deviation over suites; NaN where none is meant, or there is."""
        found = self.over_suites if sd else Spread.of(())
        return found.sd_population if sd == "population" else found.sd

    def cell(self, of_share: ShareInterval = "wilson", sd: StandardDeviation | None = None) -> str:
        """Return "0.83 [0.61, 0.94]", of a family "0.83 ± 0.05", and with `sd` of means, too."""
        if not math.isnan(over_suites := self.sd_over_suites(sd)):
            return mean_sd_cell(self.accuracy, over_suites)
        if self.is_family:
            return mean_sd_cell(self.accuracy, self.sd)
        return interval_cell(self.accuracy, self.interval(of_share))

    def about(self, *, with_language: bool) -> str:
        """Return what the row is about, a suite with its language if that is to be named."""
        unit = self.unit
        match self.level:
            case "model":
                return ALL_SUITES
            case "suite" | "prediction":
                suite = f"{unit.suite} {unit.prediction_id}".strip()
                return labelled(suite, unit.language if with_language else "")
            case level:
                return str(getattr(unit, level))

    @property
    def axis_value(self) -> float:
        """The number of the member, NaN for none."""
        value = self.member.value if self.member else None
        return math.nan if value is None else value

    @property
    def n_suites(self) -> int:
        """How many suites have a score."""
        return len(self.suites)

    def n_suites_cell(self, uneven: Mapping[Hashable, int]) -> str:
        """Return on how many suites it is, of how many where models differ in these, "1 of 40"."""
        of = uneven.get((self.level, self.unit))
        return f"{self.n_suites} of {of}" if of else str(self.n_suites)

    @property
    def shown_average(self) -> Average | None:
        """What the accuracy of several suites is; None for a row that is about one."""
        return None if self.level in ("suite", "prediction") else self.average

    @property
    def pooled_accuracy(self) -> float:
        """The share of all items together; NaN where their number is not known."""
        if not self.n_items or self.n_holding is None:
            return math.nan
        return self.n_holding / self.n_items

    @property
    def mark(self) -> str:
        """Whether the pooled share is "above" or "below" chance, at p < .05, or ""."""
        if self.p_above < ALPHA:
            return "above"
        return "below" if self.p_below < ALPHA else ""


@frozen(slots=False)
class AccuracyAsked(Settings, Question):
    """Accuracy of stored runs, with intervals, tests against chance, and margins.

    \b
      pommel stats accuracy --model gpt2
      pommel stats accuracy --by circuit --source hu2020
      pommel stats accuracy --by group --average items
      pommel stats accuracy --by prediction --suite number_prep --format csv
    """

    level: Annotated[
        Level,
        Option(
            name="--by",
            help="What a row is about; circuits, languages, groups and models have several suites.",
        ),
    ] = "suite"
    interval: Annotated[
        ShareInterval,
        Option(help="Interval of shares in the table; csv, tsv and json have both."),
    ] = "wilson"
    sd: Annotated[
        StandardDeviation | None,
        Option(
            help="Show means over suites ± the standard deviation over these (n - 1, or n), in "
            "place of an interval; csv, tsv and json have both."
        ),
    ] = None
    as_one: Annotated[
        tuple[str, ...],
        Option(
            metavar="NAME=GLOB",
            help="Models that are shown as one (mono='lstm-??'), with the mean of those that have "
            "run on a suite; repeatable.",
        ),
    ] = ()

    def answer(self, records: Sequence[RunRecord]) -> "AccuracyAnswer":
        """Return the rows of a level, which are those of `Accuracies.of`.

        Raises `UsageError` as `ModelsCompared.as_one` does.
        """
        names = globs_by_name(self.as_one, "--as-one")
        return AccuracyAnswer(asked=self, records=ModelsCompared.as_one(records, names))


@frozen
class AccuracyAnswer(Answer):
    """Accuracies of which intervals are found when it is known how many rows are looked at."""

    plot: ClassVar[str] = "circuits"

    asked: AccuracyAsked
    records: Sequence[RunRecord]

    def frame(self) -> "pd.DataFrame":
        """Return all rows."""
        return self._found().frame()

    def tables(self) -> "list[Table]":
        """Return one table, which may end after the first rows."""
        return self._found(_MOST_SHOWN).tables()

    def drawn(self) -> "Accuracies":
        """Return the rows that a plot shows, which has no margins."""
        return self._found(settings=replace(self.asked, n_resamples=0))

    def _found(
        self, most: int | None = None, settings: AccuracyAsked | None = None
    ) -> "Accuracies":
        asked = self.asked
        found = Accuracies.of(
            self.records, asked.level, settings or asked, interval=asked.interval, most=most
        )
        return replace(found, sd=asked.sd)


@frozen
class Accuracies(Answer):
    """Rows of accuracies, model by model, a family's behind its last member.

    `interval` is that of shares of items in tables for people; means over suites have the
    stratified score interval, or with `sd` their standard deviation over suites, as in figure 2 of
    Mueller et al. (2020).
    """

    Asked = AccuracyAsked

    rows: tuple[Accuracy, ...]
    interval: ShareInterval = "wilson"
    sd: StandardDeviation | None = None

    @classmethod
    def of(
        cls,
        records: Iterable[RunRecord],
        level: Level = "suite",
        settings: Settings | None = None,
        *,
        interval: ShareInterval = "wilson",
        most: int | None = None,
    ) -> "Accuracies":
        """Return the rows of a level; behind the first `most`, as in `by_level`.

        Families whose members are steps of a training have no rows. Raises `ValueError` for a
        chance outside [0, 1] and for too few resamples.
        """
        compared = ModelsCompared.of(records)
        return replace(
            cls.by_level(compared, [level], settings, most=most)[level], interval=interval
        )

    @classmethod
    def by_level(
        cls,
        compared: ModelsCompared,
        levels: Sequence[Level],
        settings: Settings | None = None,
        *,
        most: int | None = None,
    ) -> "dict[Level, Accuracies]":
        """Return the rows of several levels; what these have in common is computed once.

        Rows behind the first `most` of a level may lack the intervals of means and the margins: no
        items are looked at for them. Raises `ValueError` as `of` does.
        """
        settings = settings or Settings()
        # Of suites, and of predictions.
        parts: dict[bool, list[list[_Part]]] = {}
        found: dict[Level, Accuracies] = {}
        for level in levels:
            is_split = level == "prediction"
            if is_split not in parts:
                parts[is_split] = [
                    _parts_of(each, settings.chance, is_split=is_split) for each in compared.models
                ]
            by_model = [
                [*_Cell.of(each, own, level, settings.average)]
                for each, own in zip(compared.models, parts[is_split], strict=True)
            ]
            rows = _rows(by_model, level, settings, most)
            found[level] = cls(rows=tuple(compared.with_families(rows, family_rows)))
        return found

    @property
    def uneven(self) -> dict[Hashable, int]:
        """How many suites there are of each level and unit where models have not the same ones."""
        return SuiteResult.uneven(self._means())

    def uneven_notes(self) -> list[str]:
        """Return what to say of rows of several suites that are not the same for all models."""
        return SuiteResult.uneven_lines(self._means())

    def _means(self) -> "Iterator[tuple[Hashable, Hashable, frozenset[SuiteKey]]]":
        for row in self.rows:
            if row.level not in ("suite", "prediction"):
                yield (row.level, row.unit), row.who, row.suites

    @property
    def units(self) -> list[Unit]:
        """What rows are about, in the order of tables."""
        return sorted({row.unit for row in self.rows}, key=lambda unit: unit.order)

    @property
    def shown(self) -> list[Accuracy]:
        """The rows without those of families of one member."""
        return without_lone_families(self.rows)

    def frame(self) -> "pd.DataFrame":
        """Return one row each; what is not known is missing.

        `member` is missing for families, `family` for models of none.
        """
        return Column.frame(self.rows, COLUMNS)

    def tables(self) -> "list[Table]":
        """Return one table: a section a model; families of one member are left out.

        The rows are those of one level, at least one.
        """
        level = self.rows[0].level
        title = "Accuracy over all suites" if level == "model" else f"Accuracy by {level}"
        rows = self.shown[:_MOST_SHOWN]
        names = _name_columns(rows, level)
        numbers = _number_columns(rows, level, self.interval, self.sd)
        if uneven := self.uneven:
            numbers[0] = Column("suites", cell=lambda row: row.n_suites_cell(uneven))
        table = plain_table(
            title,
            names=("model", *(each.name for each in names)),
            numbers=[each.name for each in numbers],
            caption=self._caption(level),
        )
        columns = (*names, *numbers)
        sections = ((row.header, *(each.text(row) for each in columns)) for row in rows)
        add_sections(table, sections, has_lines=level != "model")
        return [table]

    def suite_notes(
        self, *, share: str = "Share of items on which a suite's predictions hold"
    ) -> list[str]:
        """Return what to say of rows of suites, or of predictions: what they are, which intervals.

        `share` says what the accuracy of a row is that is no mean over predictions. An interval is
        named if a row has it: families have none, and shares that were published without their
        items.
        """
        of_predictions, shares = _parted(self.rows)
        notes = [f"{share}{self._named(shares)}."]
        if of_predictions:
            notes.append(f"Of several predictions: their mean{self._named(of_predictions)}.")
        return notes

    def mean_notes(self, *, name: str = "") -> list[str]:
        """Return what to say of rows of circuits, and whatever else is a mean over suites.

        Of one suite a row is that suite's own. `name` is what the sentences call the means; without
        it they are about the whole table.
        """
        several = [row for row in self.rows if len(row.suites) > 1]
        of_predictions, shares = _parted(row for row in self.rows if len(row.suites) == 1)
        mean = f"{name}: mean over all suites" if name else "Mean over suites"
        items = f"{name}: all items" if name else "All items"
        of_one = f"{name} of one suite" if name else "Of one suite"
        notes = []
        if means := _known(row for row in several if row.average == "suites"):
            around = _SD_OVER_SUITES[self.sd] if self.sd else self._named(means)
            notes.append(f"{mean}{around}; every suite counts alike.")
        dependent, independent = _parted(row for row in several if row.average == "items")
        if pooled := [*dependent, *independent]:
            named = self._named(pooled)
            notes.append(f"{items} of several suites together{named}; every item counts alike.")
        if shares:
            notes.append(f"{of_one}: share of items{self._named(shares)}.")
        if of_predictions:
            named = self._named(of_predictions)
            notes.append(f"{of_one} with several predictions: their mean{named}.")
        return notes

    def _named(self, rows: Iterable[Accuracy]) -> str:
        """Return the name of the first interval in brackets, "" if no row has one."""
        for row in rows:
            if not math.isnan(row.interval(self.interval).low):
                return f" [{_OF_MEANS if row.is_mean else _SHARE_NAMES[self.interval]}]"
        return ""

    def _caption(self, level: Level) -> str:
        every = self.shown
        rows = every[:_MOST_SHOWN]
        shown = replace(self, rows=tuple(rows))
        if level in ("prediction", "suite"):
            lines = shown.suite_notes(share="Share of items that hold")
        else:
            lines = [*shown.mean_notes(), *self.uneven_notes()]
        lines.append(
            "p: exact one-sided binomial test of all items together; above, below: of chance, "
            "p < .05."
        )
        if any(_chance_cell(row) == "unknown" for row in rows):
            lines.append("Where chance is unknown there is no test; --chance X says it.")
        if any(row.margin_bits.n for row in rows):
            lines.append("Margin: mean [95% bootstrap interval, by item].")
        if any(row.is_family for row in rows):
            sd = "over suites, as of models" if self.sd else "of a sample (n - 1)"
            lines.append(f"sd: {sd}. Counts of a family are those of all members.")
        if len(every) > len(rows):
            lines.append(f"The first {len(rows):,} of {len(every):,} rows: --format csv has all.")
        return "\n".join(lines)


# How rows are computed: of one part a suite, or a prediction by itself.


@frozen(eq=False)
class _Tally:
    """What a suite, or a prediction, comes to: many models come to the same, which is one tally.

    `share` is NaN where there is none. `scores` are those of which items are known, and `chances`
    has one each. `counts` are those of `COUNTS`, over all scores, none where they are not known.
    `n_items` is the number of items that count, None where that is not known.
    """

    share: float
    scores: tuple[Score, ...]
    chances: tuple[float, ...]
    counts: tuple[int, ...]
    n_items: int | None

    @classmethod
    @lru_cache(maxsize=4096)
    def of(
        cls, scored: tuple[tuple[Score, tuple[int, ...]], ...], chances: tuple[float, ...]
    ) -> "_Tally":
        """Return the tally of scores, each with what is counted beside it."""
        scores = tuple(score for score, _ in scored)
        is_counted = all(each.is_counted for each in scores)
        return cls(
            share=mean_score(each.share for each in scores),
            scores=scores if is_counted else (),
            chances=chances,
            counts=_totals(counts for _, counts in scored),
            n_items=sum(each.n_items for each in scores) if is_counted else None,
        )


class _Part(NamedTuple):
    """One suite's share of a row, or one prediction's."""

    suite: SuiteKey
    unit: Unit
    tally: _Tally
    result: SuiteResult

    @property
    def columns(self) -> tuple[ItemScores, ...]:
        """The scores item by item."""
        return columns_of(self.result)


@frozen(eq=False)
class _Numbers:
    """What the tallies of a row come to together.

    `has_stratified` says that it is a mean over several scores; a share of items has its own
    intervals.
    """

    accuracy: float
    n_items: int | None
    n_holding: int | None
    chance: float
    counts: Mapping[str, int | None]
    has_stratified: bool
    wilson: Interval = NO_INTERVAL
    exact: Interval = NO_INTERVAL
    p_above: float = math.nan
    p_below: float = math.nan

    @classmethod
    @lru_cache(maxsize=4096)
    def of(cls, tallies: tuple[_Tally, ...], *, is_pooled: bool) -> "_Numbers":
        """Return the mean over tallies that have a share, or pooled the share of all items."""
        scored = [each for each in tallies if not math.isnan(each.share)]
        scores = [score for each in scored for score in each.scores]
        is_counted = all(each.n_items is not None for each in scored)
        n_items = sum(each.n_items for each in scores) if is_counted else None
        n_holding = sum(each.n_holding for each in scores) if is_counted else None
        chances = [math.fsum(each.chances) / len(each.chances) for each in scored]
        if is_pooled:
            accuracy = n_holding / n_items if n_items and n_holding is not None else math.nan
            every = [chance for each in scored for chance in each.chances]
            pairs = zip(scores, every, strict=True) if n_items else ()
            sums = math.fsum(score.n_items * chance for score, chance in pairs)
            chance = sums / n_items if n_items else math.nan
        else:
            accuracy = mean_score(each.share for each in scored)
            chance = math.fsum(chances) / len(chances) if chances else math.nan
        totals = _totals(each.counts for each in tallies)
        found = cls(
            accuracy=accuracy,
            n_items=n_items,
            n_holding=n_holding,
            chance=chance,
            counts={**dict.fromkeys(COUNTS), **dict(zip(COUNTS, totals, strict=False))},
            has_stratified=is_counted and len(scores) > (len(scored) if is_pooled else 1),
        )
        # Predictions of one item depend on each other: their count is no count of items.
        if not n_items or n_holding is None or len(scores) != len(scored):
            return found
        parts = [(each.scores[0].n_items, each.chances[0]) for each in scored]
        ps = binomial_sum_ps(n_holding, parts)
        wilson, exact = _share_intervals(n_holding, n_items)
        return replace(found, wilson=wilson, exact=exact, p_above=ps.above, p_below=ps.below)


@lru_cache(maxsize=4096)
def _share_intervals(n_holding: int, n_items: int) -> tuple[Interval, Interval]:
    """Return Wilson's interval and the exact one; models on the same suites have few counts."""
    wilson = Interval.of_share(n_holding, n_items)
    return wilson, Interval.of_share(n_holding, n_items, method="exact")


@frozen(eq=False)
class _Cell:
    """What a row is made of: the parts that have a share, and what all of them come to."""

    who: ComparedModel
    unit: Unit
    scored: Sequence[_Part]
    numbers: _Numbers
    is_pooled: bool

    @classmethod
    def of(
        cls, compared: ComparedModel, parts: Iterable[_Part], level: Level, average: Average
    ) -> "Iterator[_Cell]":
        """Yield those of a model that has these parts."""
        is_own = level in ("prediction", "suite")
        units = grouped(parts, lambda part: part.unit if is_own else _unit(part.unit, level))
        for unit in _ordered(tuple(units)):
            scored = [part for part in units[unit] if not math.isnan(part.tally.share)]
            is_pooled = average == "items" and len(scored) > 1
            tallies = tuple(part.tally for part in units[unit])
            numbers = _Numbers.of(tallies, is_pooled=is_pooled)
            yield cls(who=compared, unit=unit, scored=scored, numbers=numbers, is_pooled=is_pooled)

    @property
    def shares(self) -> tuple[list[Values], list[tuple[float, float]]]:
        """Groups of values whose mean the accuracy is, and between what they lie."""
        if all(len(part.tally.scores) == 1 for part in self.scored):
            counts = [part.tally.scores[0] for part in self.scored]
            holds = [_ones_and_zeros(each.n_holding, each.n_items) for each in counts]
            return holds, [(0.0, 1.0)] * len(holds)
        # Where predictions skip items, others count for more: the most that there can be.
        columns = [part.columns for part in self.scored]
        most = self._groups(columns, lambda each: np.ones(each.n_items))
        return self._groups(columns, lambda each: each.holds), [(0.0, each.max()) for each in most]

    @property
    def margins(self) -> tuple[list[Values], float]:
        """Groups of margins in bits, one an item, and the median of all.

        That is NaN of none, and between infinite ones of both signs.
        """
        columns = [part.columns for part in self.scored]
        arrays = [each.margins_bits for each in chain.from_iterable(columns)]
        margins = np.concatenate([np.empty(0), *arrays])
        known = margins[~np.isnan(margins)]
        with np.errstate(invalid="ignore"):
            median = float(np.median(known)) if known.size else math.nan
        return self._groups(columns, lambda each: each.margins_bits), median

    def _groups(
        self, columns: Sequence[Sequence[ItemScores]], values: Callable[[ItemScores], Values]
    ) -> list[Values]:
        return groups_by_item(
            [[(each.item_numbers, values(each)) for each in own] for own in columns],
            is_pooled=self.is_pooled,
        )

    def row(
        self,
        level: Level,
        average: Average,
        stratified: Interval,
        margin_bits: Estimate,
        median: float,
    ) -> Accuracy:
        """Return the row, with what is found for all rows together."""
        numbers = self.numbers
        return Accuracy(
            level=level,
            who=self.who,
            unit=self.unit,
            suites=_distinct(tuple(part.suite for part in self.scored)),
            average=average,
            accuracy=numbers.accuracy,
            n_items=numbers.n_items,
            n_holding=numbers.n_holding,
            chance=numbers.chance,
            margin_bits=margin_bits,
            median_margin_bits=median,
            counts=numbers.counts,
            stratified=stratified,
            wilson=numbers.wilson,
            exact=numbers.exact,
            p_above=numbers.p_above,
            p_below=numbers.p_below,
        )


_NO_MARGIN = Estimate(n=0, mean=math.nan, low=math.nan, high=math.nan)

# Models have run on the same suites, and those are of the same units.
_distinct = lru_cache(maxsize=4096)(frozenset[SuiteKey])


@lru_cache(maxsize=4096)
def _ordered(units: tuple[Unit, ...]) -> list[Unit]:
    return sorted(units, key=lambda unit: unit.order)


@lru_cache(maxsize=4096)
def _ones_and_zeros(n_ones: int, n: int) -> Values:
    return (np.arange(n) < n_ones).astype(np.float64)


@lru_cache(maxsize=4096)
def _unit(whole: Unit, level: Level) -> Unit:
    """Return what a row about several suites is about that has this one in it."""
    return Unit() if level == "model" else Unit(**{level: getattr(whole, level)})


def _rows(
    by_model: Sequence[Sequence[_Cell]], level: Level, settings: Settings, most: int | None
) -> list[list[Accuracy]]:
    """Return the rows of each model; intervals are found for the first `most` together."""
    cells = [*chain.from_iterable(by_model)]
    several = [each for each in cells[:most] if each.numbers.has_stratified]
    found = Interval.of_rows(each.shares for each in several)
    stratified = dict(zip(several, found, strict=True))
    margins, medians = [_NO_MARGIN] * len(cells), [math.nan] * len(cells)
    if settings.n_resamples:
        drawing = {"n_resamples": settings.n_resamples, "seed": settings.seed}
        drawn = [each.margins for each in cells[:most]]
        margins[:most] = Estimate.of_rows((groups for groups, _ in drawn), **drawing)
        medians[:most] = [median for _, median in drawn]
    rows = (
        cell.row(level, settings.average, stratified.get(cell, NO_INTERVAL), margin, median)
        for cell, margin, median in zip(cells, margins, medians, strict=True)
    )
    return [[next(rows) for _ in own] for own in by_model]


def _parts_of(compared: ComparedModel, chance: Chance, *, is_split: bool) -> list[_Part]:
    """Return what a model has run, suite by suite; `is_split` is into predictions.

    Items are drawn suite by suite: in another order of the runs, others would be drawn.
    """
    every = (_parts_of_run(each, chance, is_split=is_split) for each in compared.records)
    return sorted(chain.from_iterable(every), key=lambda part: part.suite)


def _parts_of_run(record: RunRecord, chance: Chance, *, is_split: bool) -> Iterator[_Part]:
    """Yield a run's suite, or each of its predictions, counted or not."""
    result, known = record.result, record.suite.chance
    if not is_split or result.reported:
        label = result.reported.label if result.reported and is_split else ""
        tally = _Tally.of(result.scored, chances_of(result, chance, known=known))
        yield _Part(record.suite_key, Unit.of(record, label), tally, result)
        return
    for each in result.predictions:
        alone = replace(result, predictions=(each,), score_rule="each")
        tally = _Tally.of(alone.scored, (prediction_chance(result, each, chance, known=known),))
        yield _Part(record.suite_key, Unit.of(record, str(each.prediction_id)), tally, alone)


def _totals(counts: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Return the sums of counts, of those that are known; none where none is."""
    return tuple(map(sum, zip(*filter(None, counts), strict=True)))


# What the members of a family reach together: means, and how much they differ.


def family_rows(family: ComparedFamily, rows: Sequence[Sequence[Accuracy]]) -> Iterator[Accuracy]:
    """Yield the rows of a family, whose members have these rows, one sequence a member."""
    units = grouped(chain.from_iterable(rows), lambda row: row.unit)
    for unit in sorted(units, key=lambda unit: unit.order):
        yield _family_row(family, units[unit])


def complete_members(members: Sequence[Accuracy]) -> list[Accuracy]:
    """Return the members with a score on every suite on which some member has one."""
    everything = frozenset(suite for row in members for suite in row.suites)
    return [row for row in members if everything and row.suites == everything]


def _family_row(family: ComparedFamily, members: Sequence[Accuracy]) -> Accuracy:
    first, complete = members[0], complete_members(members)
    scores = Spread.of(row.accuracy for row in complete)
    chances = {row.chance for row in complete}
    return Accuracy(
        level=first.level,
        who=family,
        unit=first.unit,
        suites=complete[0].suites if complete else frozenset(),
        average=first.average,
        accuracy=scores.mean,
        n_items=_sum_of_all([row.n_items for row in complete]),
        n_holding=_sum_of_all([row.n_holding for row in complete]),
        chance=chances.pop() if len(chances) == 1 else math.nan,
        # Without an interval: members have margins on the same items.
        margin_bits=Estimate(
            n=sum(row.margin_bits.n for row in complete),
            mean=mean_score(row.margin_bits.mean for row in complete),
            low=math.nan,
            high=math.nan,
        ),
        median_margin_bits=math.nan,
        counts={
            name: sum(known)
            if (known := [n for row in complete if (n := row.counts[name]) is not None])
            else None
            for name in COUNTS
        },
        n_members=scores.n,
        sd=scores.sd,
        sd_population=scores.sd_population,
    )


def _sum_of_all(counts: Sequence[int | None]) -> int | None:
    """Return the sum, None where one is not known."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


COLUMNS = (
    Column(
        "level",
        help=(
            "what the row is about. `variant` is filled where one model has runs that differ in "
            "policy, settings, score rule or weights, and says in what (`eos=never`): each has "
            "its own rows"
        ),
    ),
    Column("model_name", "who.name"),
    Column("variant", "who.variant"),
    Column("source", "who.source"),
    Column("score_rule", "who.score_rule"),
    Column(
        "family",
        "who.membership.family",
        help="the [family](results.md#families). The row of the family itself has no `member`",
    ),
    Column("axis", "who.membership.axis"),
    Column("member", "member.label"),
    Column("axis_value"),
    Column("n_members"),
    Column("language", "unit.language", help="which suites"),
    Column("circuit", "unit.circuit"),
    Column("group", "unit.group"),
    Column("suite", "unit.suite"),
    Column("prediction_id", "unit.prediction_id"),
    Column("n_suites"),
    Column(
        "average",
        "shown_average",
        help=('"suites" or "items": what counts alike where a row has several suites'),
    ),
    Column(
        "accuracy",
        help=(
            "share of items that hold; above suites, and for suites with `--score each`, the "
            "unweighted mean"
        ),
    ),
    Column(
        "stratified_low",
        "stratified.low",
        help=(
            "95% [stratified score interval](#means-margins-and-scores-of-several-suites) of such"
            " a mean"
        ),
    ),
    Column("stratified_high", "stratified.high"),
    Column("sd", help="of a family's members (n - 1, and n)"),
    Column("sd_population"),
    Column(
        "sd_suites",
        "over_suites.sd",
        help="of the suites whose unweighted mean the accuracy is (n - 1, and n)",
    ),
    Column("sd_suites_population", "over_suites.sd_population"),
    Column("n_items", help="all items together"),
    Column("n_holding"),
    Column("pooled_accuracy"),
    Column(
        "wilson_low",
        "wilson.low",
        help=(
            "95% intervals of the pooled share: Wilson (1927), Clopper and Pearson (1934). By "
            "suite and prediction these are those of `accuracy`"
        ),
    ),
    Column("wilson_high", "wilson.high"),
    Column("exact_low", "exact.low"),
    Column("exact_high", "exact.high"),
    Column(
        "chance",
        help=(
            "share of items that hold by chance: of one comparison half, of two independent ones "
            "a quarter. `--chance X` sets it. Imported results have no formulas: theirs is [what "
            'the import knows](reproducing.md#pommel-import-results), or "unknown" in the table '
            "and empty here, as where a formula compares surprisals with a number of bits. "
            "Without it there is no test"
        ),
    ),
    Column(
        "p_above",
        help=(
            'exact one-sided binomial tests of `n_holding`; `mark` is "above" or "below" where p '
            "< .05. Over suites whose chance differs it is a sum of binomials"
        ),
    ),
    Column("p_below"),
    Column("mark"),
    Column(
        "n_margins",
        "margin_bits.n",
        help=(
            "mean over suites of the mean margin with its bootstrap interval; the median of all "
            "items. With several predictions an item's margin is the least of them"
        ),
    ),
    Column("margin_bits", "margin_bits.mean"),
    Column("margin_low_bits", "margin_bits.low"),
    Column("margin_high_bits", "margin_bits.high"),
    Column("median_margin_bits"),
    *(
        Column(name, f"counts.{name}", "" if place else "as in the [results](results.md)")
        for place, name in enumerate(COUNTS)
    ),
)


# For people, who read no more rows than these.

_MOST_SHOWN = 1_000
_SHARE_NAMES = {"wilson": "95% Wilson interval", "exact": "95% interval of Clopper and Pearson"}
_OF_MEANS = "95% stratified score interval"


def _known(rows: Iterable[Accuracy]) -> list[Accuracy]:
    return [row for row in rows if not math.isnan(row.accuracy)]


def _parted(rows: Iterable[Accuracy]) -> tuple[list[Accuracy], list[Accuracy]]:
    """Return the means over predictions, and the shares of items, of those that are known."""
    known = _known(rows)
    return [row for row in known if row.is_mean], [row for row in known if not row.is_mean]


_NAMES: dict[Level, tuple[str, ...]] = {
    "prediction": ("language", "circuit", "suite", "prediction_id"),
    "suite": ("language", "circuit", "suite"),
    "circuit": ("circuit",),
    "language": ("language",),
    "group": ("group",),
    "model": (),
}

# Always shown; the other counts only where there is one.
_SHOWN_COUNTS = ("n_ties", "n_unscored")


def _name_columns(rows: Sequence[Accuracy], level: Level) -> list[Column]:
    """Return what names the rows; what is the same in all of them says nothing."""

    def column(name: str) -> Column:
        return Column(
            name.removesuffix("_id"), cell=lambda row: getattr(row.unit, name) or "(none)"
        )

    return [
        column(name)
        for name in _NAMES[level]
        if name in (level, "suite", "prediction_id")
        or len({getattr(row.unit, name) for row in rows}) > 1
    ]


def _number_columns(
    rows: Sequence[Accuracy], level: Level, interval: ShareInterval, sd: StandardDeviation | None
) -> list[Column]:
    columns = [
        Column("suites", "n_suites"),
        Column("items", "n_items"),
        Column("accuracy", cell=lambda row: row.cell(interval, sd)),
        Column("chance", cell=_chance_cell),
        Column("p", cell=_test_cell),
        Column("margin (bits)", cell=_margin_cell),
        Column("median", cell=lambda row: number_cell(row.median_margin_bits, sign="+")),
    ]
    if level in ("prediction", "suite"):
        del columns[0]
    if not any(row.margin_bits.n for row in rows):
        del columns[-2:]
    counts = [
        Column(name.removeprefix("n_"), f"counts.{name}")
        for name in COUNTS
        if name in _SHOWN_COUNTS or any(row.counts[name] for row in rows)
    ]
    return [*columns, *counts]


def _test_cell(row: Accuracy) -> str:
    return f"{row.mark} {p_cell(min(row.p_above, row.p_below))}".strip()


def _margin_cell(row: Accuracy) -> str:
    return interval_cell(row.margin_bits.mean, row.margin_bits, sign="+")


def _chance_cell(row: Accuracy) -> str:
    # Members of a family may have several, which is not the same as none.
    return number_cell(row.chance, missing="-" if row.is_family else "unknown")
