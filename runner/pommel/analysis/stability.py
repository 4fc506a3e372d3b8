"""Stability: suites with and without intervening material (Hu et al. 2020, "stability")."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from pommel.analysis.asking import Question
from pommel.analysis.cells import (
    Answer,
    Column,
    add_sections,
    grouped,
    interval_cell,
    mean_sd_cell,
    number_cell,
    plain_table,
)
from pommel.analysis.item_columns import NO_INTERVAL, columns_of, interval_of_suites
from pommel.analysis.models_compared import (
    ComparedFamily,
    ComparedModel,
    ModelRow,
    ModelsCompared,
    labelled,
    without_lone_families,
)
from pommel.scoring import RunRecord, SuiteResult
from pommel.statistics import Interval, Spread, mean_score
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


@frozen
class Pairing:
    """A suite and one that is this suite with intervening material; both "" for a mean."""

    language: str = ""
    base: str = ""
    modified: str = ""

    def named(self, *, with_language: bool) -> str:
        """Return the suite with material, with its language if that is to be named."""
        return labelled(self.modified, self.language if with_language else "")


@frozen
class StabilityRow(ModelRow):
    """What a model reaches without and with intervening material, on a pair or over all pairs.

    The mean over `n_bases` suites without material has each of these once, and the suites with
    material that belong to it by their mean. `interval` is that of the difference, with - without
    (`Interval.of_means`): items of the two do not belong together by number.

    The row of a family (`is_family`) is the mean over its `n_members` members, `sd` and
    `sd_population` are those of their differences; it has no interval.
    """

    pairing: Pairing
    n_bases: int
    n_modified: int
    accuracy_base: float
    accuracy_modified: float
    interval: Interval = NO_INTERVAL

    @property
    def difference(self) -> float:
        """The accuracy with intervening material less that without.

        Means of means are rounded twice: equal ones may differ in the 16th digit, and do not here.
        """
        return round(self.accuracy_modified - self.accuracy_base, 12)

    @property
    def level(self) -> str:
        """What the row is about."""
        return "pair" if self.pairing.base else "mean"


COLUMNS = (
    Column("model_name", "who.name", help="what the row is about, as for [accuracies](#accuracy)"),
    Column("variant", "who.variant"),
    Column("source", "who.source"),
    Column("score_rule", "who.score_rule"),
    Column("member", "member.label", help="of its family; missing for a family itself"),
    Column("is_family", help="whether it is the mean over the `n_members` members of a family"),
    Column("n_members"),
    Column("level", help=('"pair", or "mean" over all pairs')),
    Column(
        "language",
        "pairing.language",
        help="the two suites, without and with intervening material",
    ),
    Column("suite", "pairing.base"),
    Column("modified_suite", "pairing.modified"),
    Column("n_suites", "n_bases", help="how many there are in a mean"),
    Column("n_modified_suites", "n_modified"),
    Column("accuracy", "accuracy_base", help="without and with intervening material"),
    Column("modified_accuracy", "accuracy_modified"),
    Column("difference", help="with - without, and its 95% stratified score interval"),
    Column("difference_low", "interval.low"),
    Column("difference_high", "interval.high"),
    Column("sd", help="of a family's members (n - 1, and n)"),
    Column("sd_population"),
)

# Why there is no row.
_NO_PAIRS = (
    "no model has run a suite both with and without intervening material; the suite that has it "
    "names the other one in meta.modifier_of"
)


@frozen
class Stability(Answer):
    """A row for each pair of suites and one for their mean, model by model.

    A pair is a suite that names another in `SuiteFacts.modifier_of`, and this one in the same
    language; models that have run no pair have no rows. A family's rows stand behind its last
    member's; families whose members are steps of a training have none.
    """

    plot: ClassVar[str] = "stability"

    rows: tuple[StabilityRow, ...]

    @classmethod
    def of(cls, records: Iterable[RunRecord]) -> "Stability":
        """Compare the suites of each model."""
        found = ModelsCompared.of(records)
        rows = [list(_rows(each)) for each in found.models]
        return cls(rows=tuple(found.with_families(rows, _family_rows)))

    @property
    def why_empty(self) -> str:
        """Why there is no row; "" where there is one."""
        return "" if self.rows else _NO_PAIRS

    @property
    def shown(self) -> list[StabilityRow]:
        """The rows without those of families of one member."""
        return without_lone_families(self.rows)

    @property
    def has_languages(self) -> bool:
        """Whether suites are in several languages, so that each has to be named."""
        return len({row.pairing.language for row in self.shown if row.pairing.base}) > 1

    def frame(self) -> "pd.DataFrame":
        """Return one row each: `level` is "pair", or "mean" over the suites without material."""
        return Column.frame(self.rows, COLUMNS)

    def tables(self) -> "list[Table]":
        """Return one table: a section a model; families of one member are left out."""
        table = plain_table(
            "Suites without and with intervening material",
            names=("model", "without", "with"),
            numbers=("accuracy without", "with", "difference"),
            caption=self._caption(),
        )
        is_named = self.has_languages
        add_sections(table, ([*_cells(row, is_named=is_named)] for row in self.shown))
        for line, row in zip(table.rows, self.shown, strict=True):
            line.style = None if row.pairing.base else "bold"
        return [table]

    def _caption(self) -> str:
        rows = self.shown
        caption = "Difference: with - without [95% stratified score interval]. Means: over suites."
        if any(row.is_family for row in rows):
            caption += "\nsd: of a sample (n - 1), over members."
        if any(row.n_modified > row.n_bases for row in rows):
            caption += (
                "\nMeans count a suite once, those with material that belong to it by their mean."
            )
        return caption


@frozen(slots=False)
class StabilityAsked(Question):
    """How much intervening material costs: suites that come with and without it.

    A suite with intervening material names the one without it in `meta.modifier_of`.

    \b
      pommel stats stability --source hu2020
      pommel stats stability --model gpt2 --format csv
    """

    def answer(self, records: Sequence[RunRecord]) -> Stability:
        """Compare the suites of each model."""
        return Stability.of(records)


def _rows(compared: ComparedModel) -> Iterator[StabilityRow]:
    pairs = _pairs(compared)
    for pairing, (base, modified) in pairs.items():
        yield _row(compared, pairing, [(base, [modified])])
    bases = grouped(pairs, lambda pairing: (pairing.language, pairing.base))
    if bases:
        every = [
            (pairs[own[0]][0], [pairs[pairing][1] for pairing in own]) for own in bases.values()
        ]
        yield _row(compared, Pairing(), every)


def _pairs(compared: ComparedModel) -> dict[Pairing, tuple[SuiteResult, SuiteResult]]:
    """Return the pairs of which both suites have a score, in order."""
    found = {}
    for key in compared.scores:
        record = compared.by_suite[key]
        base = (key[0], record.suite.modifier_of)
        if base in compared.scores:
            pairing = Pairing(language=key[0], base=base[1], modified=key[1])
            found[pairing] = (compared.by_suite[base].result, record.result)
    return dict(sorted(found.items(), key=lambda each: astuple(each[0])))


def _row(
    compared: ComparedModel,
    pairing: Pairing,
    bases: Sequence[tuple[SuiteResult, Sequence[SuiteResult]]],
) -> StabilityRow:
    return StabilityRow(
        who=compared,
        pairing=pairing,
        n_bases=len(bases),
        n_modified=sum(len(modified) for _, modified in bases),
        accuracy_base=mean_score(base.score for base, _ in bases),
        accuracy_modified=mean_score(
            mean_score(each.score for each in modified) for _, modified in bases
        ),
        interval=_interval(bases),
    )


def _interval(bases: Sequence[tuple[SuiteResult, Sequence[SuiteResult]]]) -> Interval:
    """Return the interval of the difference; none where the items of a suite are not known."""
    base_share = 1 / len(bases)
    suites = []
    for base, modified in bases:
        suites.append((columns_of(base), -base_share))
        suites += [(columns_of(each), base_share / len(modified)) for each in modified]
    return interval_of_suites(suites)


def _family_rows(
    family: ComparedFamily, rows: Sequence[Sequence[StabilityRow]]
) -> Iterator[StabilityRow]:
    by_pairing = grouped(chain.from_iterable(rows), lambda row: row.pairing)
    means = by_pairing.pop(Pairing(), [])
    for pairing in sorted(by_pairing, key=astuple):
        yield _family_row(family, by_pairing[pairing])
    # A member that lacks a pair would make a mean over other suites.
    complete = [row for row in means if row.n_modified == len(by_pairing)]
    if complete:
        yield _family_row(family, complete)


def _family_row(family: ComparedFamily, members: Sequence[StabilityRow]) -> StabilityRow:
    first, differences = members[0], Spread.of(row.difference for row in members)
    return StabilityRow(
        who=family,
        pairing=first.pairing,
        n_bases=first.n_bases,
        n_modified=first.n_modified,
        accuracy_base=mean_score(row.accuracy_base for row in members),
        accuracy_modified=mean_score(row.accuracy_modified for row in members),
        n_members=differences.n,
        sd=differences.sd,
        sd_population=differences.sd_population,
    )


# For people.


def _cells(row: StabilityRow, *, is_named: bool) -> Iterator[str]:
    yield row.header
    yield from _pair(row, is_named=is_named)
    yield number_cell(row.accuracy_base)
    yield number_cell(row.accuracy_modified)
    if row.is_family:
        yield mean_sd_cell(row.difference, row.sd, sign="+")
    else:
        yield interval_cell(row.difference, row.interval, sign="+")


def _pair(row: StabilityRow, *, is_named: bool) -> tuple[str, str]:
    """Return the two suites, with their language if that is to be named."""
    pairing = row.pairing
    if not pairing.base:
        return f"mean of {row.n_bases}", f"of {row.n_modified}"
    return labelled(pairing.base, pairing.language if is_named else ""), pairing.modified
