"""Two models on the items that both have: McNemar's test, and intervals of their differences."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from pommel.analysis.accuracy import Unit
from pommel.analysis.cells import (
    Answer,
    Column,
    add_sections,
    circuit_cell,
    grouped,
    interval_cell,
    p_cell,
    plain_table,
)
from pommel.analysis.inference import SignFlip, holm, mcnemar
from pommel.analysis.item_columns import (
    ItemScores,
    Values,
    groups_by_item,
    mean_of_columns,
    mean_of_means,
)
from pommel.analysis.models_compared import (
    Average,
    ComparedModel,
    ModelsCompared,
    families_of,
    labelled,
)
from pommel.errors import UsageError, counted, listed
from pommel.scoring import RunRecord, SuiteKey
from pommel.statistics import ALPHA, Estimate
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd
    from rich.table import Table


# The two sides: one model each, or a family of seeds, whose mean is compared item by item.

# A name, and the runs that it has chosen.
NamedRecords = tuple[str, Sequence[RunRecord]]


@frozen
class Side:
    """One model, or the members of a family of seeds."""

    label: str
    members: tuple[ComparedModel, ...]

    @property
    def suites(self) -> dict[SuiteKey, None]:
        """The suites that every member has been run on, in the order of the first member."""
        first, *others = (each.by_suite for each in self.members)
        return {key: None for key in first if all(key in other for other in others)}

    @property
    def n_members(self) -> int:
        """How many models it is."""
        return len(self.members)

    @property
    def score_rule(self) -> str:
        """The score rule, which all members share."""
        return self.members[0].score_rule

    @property
    def incomplete_suites(self) -> dict[SuiteKey, None]:
        """The suites that some members have been run on, and others not."""
        known = dict.fromkeys(key for each in self.members for key in each.by_suite)
        return {key: None for key in known if key not in self.suites}

    def columns(self, suite: SuiteKey) -> dict[str, tuple[ItemScores, int]]:
        """Return a suite's columns by their label, and how many items not all members have.

        Of a family, columns are means over its members, item by item. None where the results were
        published without their items.
        """
        found = [
            {each.label: each for each in member.columns(suite) if each.is_listed}
            for member in self.members
        ]
        columns = {}
        for label in found[0]:
            if all(label in own for own in found):
                members = [own[label] for own in found]
                mean = mean_of_columns(members)
                every = {number for own in members for number in own.item_numbers.tolist()}
                columns[label] = (mean, len(every) - mean.n_items)
        return columns

    def labels(self, suite: SuiteKey) -> dict[str, None]:
        """Return the labels of all columns that some member has, with items or without."""
        found = [each.columns(suite) for each in self.members]
        return dict.fromkeys(each.label for own in found for each in own)

    def hashes(self, suite: SuiteKey) -> set[str]:
        """Return the SHA-256 of a suite, of every version that members have been run on."""
        found = {each.by_suite[suite].suite.sha256 for each in self.members}
        return found - {""}


def side(found: Sequence[ComparedModel], name: str) -> Side:
    """Return the model or family that a name or glob means, among the models as they were run.

    Tried are, one after another, whole names, globs, and the beginnings of run ids. A glob that
    matches all members of one family, or only models of one, means their mean. Raises `UsageError`
    where nothing or several models match.
    """
    whole = [each for each in families_of(found) if each.label == name]
    if len(whole) == 1:
        return Side(label=name, members=whole[0].members)
    tests: tuple[Callable[[ComparedModel], bool], ...] = (
        lambda each: name == each.label,
        lambda each: (
            RunRecord.fits(name, [each.label]) or any(run.is_called(name) for run in each.records)
        ),
        lambda each: _has_run(each, name),
    )
    for test in tests:
        if matching := [each for each in found if test(each)]:
            return _only_side(matching, found, name)
    known = listed(sorted({each.label for each in found}), most=8)
    raise UsageError(f"no model {name!r} among the chosen runs; there are {known}")


def _only_side(
    matching: Sequence[ComparedModel], found: Sequence[ComparedModel], name: str
) -> Side:
    if len(matching) == 1:
        return Side(label=matching[0].label, members=tuple(matching))
    of_them = families_of(matching)
    if len(of_them) == 1 and len(of_them[0].members) == len(matching):
        # A name that means some seeds of a family is the name of what is compared.
        is_whole = any(of_them[0].members == each.members for each in families_of(found))
        label = of_them[0].label if is_whole else name
        return Side(label=label, members=of_them[0].members)
    labels = listed([each.label for each in matching], most=8)
    raise UsageError(
        f"{name!r} means {counted(len(matching), 'model')}: {labels}; name one, or the seeds of "
        "one family (--score and --source choose among runs of one model)"
    )


def _has_run(compared: ComparedModel, digits: str) -> bool:
    is_id = len(digits) >= Comparison.LEAST_DIGITS
    return is_id and any(record.run_id.startswith(digits.lower()) for record in compared.records)


# Items of a suite that two models both have, put side by side.


@frozen(eq=False)
class Half:
    """What one side has of a score on the items that both have; arrays have the shape (n_items,).

    Margins are NaN where one of the two sides has none. `n_unmatched` counts the items that the
    other side lacks or skips, `n_incomplete` those that not all members of a family have.
    """

    scores: ItemScores
    n_unmatched: int
    n_incomplete: int


@frozen(eq=False)
class Pair:
    """One score of a suite on the items that both sides have."""

    unit: Unit
    a: Half
    b: Half

    @property
    def item_numbers(self) -> NDArray[np.int64]:
        """The numbers of the items."""
        return self.a.scores.item_numbers


# The scores of one suite, at least one.
PairedSuite = tuple[Pair, ...]


def paired_suite(a: Side, b: Side, key: SuiteKey) -> PairedSuite:
    """Return a suite's scores for two models; none where they have no item in common."""
    record = a.members[0].by_suite[key]
    of_b = b.columns(key)
    found = []
    for label, own in a.columns(key).items():
        if label not in of_b:
            continue
        both = (own, of_b[label])
        shared = np.intersect1d(own[0].item_numbers, of_b[label][0].item_numbers)
        matched = [scores.among(shared) for scores, _ in both]
        is_missing = np.isnan([each.margins_bits for each in matched]).any(axis=0)
        halves = [
            Half(
                scores=replace(each, margins_bits=np.where(is_missing, np.nan, each.margins_bits)),
                n_unmatched=scores.n_items - shared.size,
                n_incomplete=n_incomplete,
            )
            for each, (scores, n_incomplete) in zip(matched, both, strict=True)
        ]
        if shared.size:
            found.append(Pair(unit=Unit.of(record, label), a=halves[0], b=halves[1]))
    return tuple(found)


# The comparison.

ComparedLevel = Literal["prediction", "suite", "circuit", "all"]


@frozen
class ComparedSide:
    """What one side reaches in a row, on the items that both have.

    `n_unmatched` counts the items that the other side lacks or skips (under the score rule "each",
    items of each prediction), `n_incomplete` those that not all members of a family have, and
    `n_swallowed` those with a swallowed region, of a family in all members. Accuracy and margin are
    means as in `ComparedRow`.
    """

    side: Side
    n_unmatched: int
    n_incomplete: int
    n_swallowed: int
    accuracy: float
    margin_bits: float


@frozen
class ComparedRow:
    """Two models on a prediction, on a suite, or on the suites of a circuit, or on all.

    `n_resamples` is that of the draws.
    `n_items` are the items that both have. Accuracies, margins and differences (a - b) are
    unweighted means over `n_suites` suites of means over items, or means over all items
    (`average`). `counts` say on how many items both hold, only one, or neither, as `_COUNTS` names
    them. They are missing where a side is a family, whose items have a share of members; so is
    `p_mcnemar`, and it is where the predictions of one item are counted together, which depend on
    each other. `difference_signs` and `margin_signs` are the tests by turned signs; each p has one
    adjusted by Holm's method over the rows of its level (`..._holm`).
    """

    a: ComparedSide
    b: ComparedSide
    average: Average
    n_resamples: int
    level: ComparedLevel
    unit: Unit
    n_suites: int
    n_items: int
    difference: Estimate
    difference_signs: SignFlip
    counts: Mapping[str, int] | None
    p_mcnemar: float
    margin_difference_bits: Estimate
    margin_signs: SignFlip
    p_mcnemar_holm: float = math.nan
    p_difference_holm: float = math.nan
    p_margin_holm: float = math.nan


@frozen
class Comparison(Answer):
    """Two models compared on the suites of `paired`, and what could not be compared.

    `average` says what counts alike in circuits and over all suites, `n_resamples` how often
    margins, and signs where not all ways to turn them are tried, are drawn.
    """

    holm = staticmethod(holm)

    a: Side
    b: Side
    rows: tuple[ComparedRow, ...]
    paired: Mapping[SuiteKey, PairedSuite]
    average: Average = "suites"
    n_resamples: int = Estimate.N_RESAMPLES

    # A run's id may be given by its beginning.
    LEAST_DIGITS: ClassVar[int] = 4

    @classmethod
    def of(
        cls,
        a: NamedRecords,
        b: NamedRecords,
        *,
        average: Average = "suites",
        n_resamples: int = Estimate.N_RESAMPLES,
        seed: int = 0,
    ) -> "Comparison":
        """Compare what two names mean, each among the models whose runs it has chosen.

        A name is that of a model or a family, a glob, or the beginning of a run's id (see `side`).
        Raises `UsageError` as `side` and `of_sides` do.
        """
        both = {record.run_id: record for _, chosen in (a, b) for record in chosen}
        found = ModelsCompared.of(both.values()).models
        sides = []
        for name, chosen in (a, b):
            ids = {record.run_id for record in chosen}
            own = [each for each in found if any(run.run_id in ids for run in each.records)]
            sides.append(side(own, name))
        return cls.of_sides(*sides, average=average, n_resamples=n_resamples, seed=seed)

    @classmethod
    def of_two(cls, records: Iterable[RunRecord], *, average: Average = "suites") -> "Comparison":
        """Compare the two models (families) that records are of, or the two members of a family.

        Raises `UsageError` where they are of more or fewer, and as `of_sides` does.
        """
        found = ModelsCompared.of(records)
        sides = [Side(label=each.label, members=each.members) for each in found.families]
        in_families = {member for each in sides for member in each.members}
        alone = [Side(label=each.label, members=(each,)) for each in found.models]
        sides += [each for each in alone if each.members[0] not in in_families]
        if len(sides) == 1:
            # The members of one family can be compared with each other.
            sides = alone
        if len(sides) != 2:  # noqa: PLR2004 - it takes two
            labels = listed([each.label for each in sides], most=8)
            raise UsageError(
                "a comparison is of two models, and these runs are of "
                f"{counted(len(sides), 'model')} ({labels}); choose two with --model"
            )
        return cls.of_sides(*sides, average=average)

    @classmethod
    def of_sides(
        cls,
        a: Side,
        b: Side,
        *,
        average: Average = "suites",
        n_resamples: int = Estimate.N_RESAMPLES,
        seed: int = 0,
    ) -> "Comparison":
        """Compare two models, suite by suite, by circuit, and on all suites that both have.

        Items are matched by their numbers. Raises `UsageError` where the two are scored by
        different rules, where they are the same, and where they have no item in common.
        """
        _check(a, b)
        # Items are drawn suite by suite: in another order of the runs, others would be drawn.
        shared = sorted(key for key in a.suites if key in b.suites)
        suites = {key: paired_suite(a, b, key) for key in shared}
        paired = {key: pairs for key, pairs in suites.items() if pairs}
        if not paired:
            raise UsageError(f"{a.label} and {b.label} have no items in common; nothing to compare")
        maker = _Rows(a=a, b=b, average=average, n_resamples=n_resamples, seed=seed)
        rows: list[ComparedRow] = []
        for level, units in _levels(list(paired.values())):
            ordered = sorted(units, key=lambda unit: unit.order)
            rows.extend(_adjusted([maker.row(level, unit, units[unit]) for unit in ordered]))
        return cls(
            a=a, b=b, rows=tuple(rows), paired=paired, average=average, n_resamples=n_resamples
        )

    @staticmethod
    def kept_side(kept: Sequence[RunRecord], name: str) -> Side:
        """Return what a name means among kept runs, to compare new ones with, maybe of the same.

        Raises `UsageError` where it means several models.
        """
        found = side(ModelsCompared.of(kept).models, name)
        members = tuple(replace(each, variant="kept") for each in found.members)
        return Side(label=labelled(found.label, "kept"), members=members)

    @classmethod
    def with_kept(cls, new: Sequence[RunRecord], kept: Side) -> "Comparison":
        """Compare a model's new runs with kept ones; raises `UsageError` as `of` does."""
        return cls.of_sides(side(ModelsCompared.of(new).models, new[0].result.model_name), kept)

    def shortfall(self, margin: float) -> tuple[bool, str]:
        """Say whether A is below B by more than `margin`, and what was found, in words.

        What counts is the mean over all suites. The items' differences are moved by the margin, and
        their signs turned. As many ways to turn them are as far from 0 on the other side, so that
        the one-sided p is half the two-sided one; A is below where it is under 5%. Without the same
        items there is no test, and A counts as below.
        """
        (row,) = self.level("all")
        n_others = row.a.n_unmatched + row.b.n_unmatched
        n_lacking = len({*self.a.suites} ^ {*self.paired})
        if n_others or n_lacking:
            lacking = counted(n_lacking, "suite") if n_lacking else counted(n_others, "item")
            return True, f"{lacking} of only one of the two: they need the same items"
        groups = _groups(
            [*self.paired.values()],
            lambda pair: pair.a.scores.holds - pair.b.scores.holds + margin,
            self.average,
        )
        test, found = SignFlip.of(groups, n_resamples=self.n_resamples), row.difference
        is_lower = found.mean < -margin
        p = test.p / 2 if is_lower else 1 - test.p / 2
        of_more = f" of more than {margin:g} below" if margin else ""
        said = (
            f"{row.a.accuracy:.3f} against {row.b.accuracy:.3f}, {_difference_cell(found)} on the "
            f"same {counted(row.n_items, 'item')}; one-sided p{of_more} {p_cell(p, test.method)}"
        )
        return is_lower and p < ALPHA, said

    def level(self, level: ComparedLevel) -> tuple[ComparedRow, ...]:
        """Return the rows of a level."""
        return tuple(row for row in self.rows if row.level == level)

    @property
    def changed(self) -> tuple[str, ...]:
        """The suites of which the two were run on different files."""
        hashes = {key: self.a.hashes(key) | self.b.hashes(key) for key in self.paired}
        return _suite_names(key for key in self.paired if len(hashes[key]) > 1)

    @property
    def warnings(self) -> list[str]:
        """What puts a comparison in doubt."""
        return [
            f"{name}: {self.a.label} and {self.b.label} have run different versions of this suite; "
            "items of one number may not be the same"
            for name in self.changed
        ]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of a comparison should know, in plain words."""
        return list(self._notes())

    def frame(self) -> "pd.DataFrame":
        """Return one row a suite (and prediction, under "each"), circuit, and one for all."""
        frame = Column.frame(self.rows, COLUMNS)
        return frame.astype(dict.fromkeys(_COUNTS, "Int64"))

    def tables(self) -> "list[Table]":
        """Return one table: a row a suite (a prediction under "each"), circuits, all suites."""
        has_counts = any(row.counts for row in self.rows)
        has_margins = any(row.margin_difference_bits.n for row in self.rows)
        has_swallowed = any(row.a.n_swallowed or row.b.n_swallowed for row in self.rows)
        hidden = {"p_difference_holm"} if has_counts else {*_COUNTS, "p_mcnemar_holm"}
        hidden |= set() if has_margins else {"margin_difference_bits", "p_margin_holm"}
        hidden |= set() if has_swallowed else {"n_swallowed_a", "n_swallowed_b"}
        columns = [each for each in COLUMNS if each.title and each.name not in hidden]
        table = plain_table(
            f"A = {self.a.label}, B = {self.b.label}",
            names=("circuit", "suite"),
            numbers=[each.title for each in columns],
            caption=self._caption(has_counts=has_counts, has_margins=has_margins),
        )
        languages = {row.unit.language for row in self.level("suite")}
        for level, rows in grouped(self._shown(), lambda row: row.level).items():
            table.add_section()
            lines = (
                (
                    *_names(row, is_named=len(languages) > 1),
                    *(each.text(row) for each in columns),
                )
                for row in rows
            )
            add_sections(table, lines, has_lines=False)
            table.rows[-1].style = "bold" if level == "all" else None
        return [table]

    def _caption(self, *, has_counts: bool, has_margins: bool) -> str:
        test = "McNemar's exact test, two-sided" if has_counts else f"{SIGNS}, two-sided"
        means = "mean over suites" if self.average == "suites" else "all their items together"
        drawn = ""
        # Where there are counts, those of differences are not shown: McNemar's are exact.
        shown = [row.margin_signs for row in self.rows]
        shown += [] if has_counts else [row.difference_signs for row in self.rows]
        if any(signs.method == "drawn" for signs in shown):
            drawn = f"\nexact: of all ways to turn the signs; drawn: of {self.n_resamples:,}."
        return (
            "Share of the items that both have on which predictions hold; circuits and all suites: "
            f"{means}.\nA - B [95% score interval of paired shares]"
            + (
                "; of margins [95% bootstrap interval, items drawn within suites]."
                if has_margins
                else "."
            )
            + f"\np: {test}; adjusted by Holm's method over the rows of a section."
            + (f"\nThat of margins: {SIGNS}." if has_counts and has_margins else "")
            + drawn
        )

    def _shown(self) -> Iterator[ComparedRow]:
        """Yield the rows of the table: of predictions where there are such, else of suites."""
        n_suites = len(self.level("suite"))
        yield from self.level("prediction")
        yield from self.level("suite")
        circuits = self.level("circuit")
        if len(circuits) > 1:
            yield from circuits
        if n_suites > 1:
            yield from self.level("all")

    def _notes(self) -> Iterator[str]:
        both = ((self.a, self.b), (self.b, self.a))
        for own, _ in both:
            if own.n_members > 1:
                yield (
                    f"{own.label} is the mean over {own.n_members} models, item by item; "
                    "McNemar's test needs one model on each side, so p is that of the mean "
                    "difference"
                )
        for own, _ in both:
            names = _suite_names(own.incomplete_suites)
            yield from _left_out(own, "suite", names, _not_all(own, "a run on"))
        for own, other in both:
            names = _suite_names(key for key in own.suites if key not in other.suites)
            yield from _left_out(own, "suite", names, f"{other.label} has no run on")
        shared = sorted(key for key in self.a.suites if key in self.b.suites)
        if names := _suite_names(key for key in shared if key not in self.paired):
            yield (
                f"{counted(len(names), 'suite')} left out: no item of {listed(names)} is known of "
                "both"
            )
        for own, other in both:
            names = self._unpaired(own)
            yield from _left_out(own, "prediction", names, f"{other.label} has no items of")
        for row in self.level("suite"):
            for n, own, why in (
                (row.a.n_incomplete, self.a, _not_all(self.a)),
                (row.b.n_incomplete, self.b, _not_all(self.b)),
                (row.a.n_unmatched, self.a, f"{self.b.label} lacks or skips"),
                (row.b.n_unmatched, self.b, f"{self.a.label} lacks or skips"),
            ):
                if n:
                    yield (
                        f"{row.unit.suite}: {counted(n, 'item')} of {own.label} left out, which "
                        f"{why}"
                    )

    def _unpaired(self, side: Side) -> tuple[str, ...]:
        """Return the predictions of a side that have no counterpart in a suite that is compared."""
        return tuple(
            f"prediction {label} of {name}"
            for key, pairs in self.paired.items()
            for name in _suite_names([key])
            for label in side.labels(key)
            if label not in {pair.a.scores.label for pair in pairs}
        )


def _check(a: Side, b: Side) -> None:
    if {each.label for each in a.members} & {each.label for each in b.members}:
        raise UsageError(f"{a.label} and {b.label} are the same; name two models")
    if a.score_rule != b.score_rule:
        raise UsageError(
            f"{a.label} is scored by the rule {a.score_rule!r}, {b.label} by {b.score_rule!r}; "
            "choose one with --score"
        )


def _levels(
    suites: Sequence[PairedSuite],
) -> Iterator[tuple[ComparedLevel, dict[Unit, list[PairedSuite]]]]:
    """Yield the levels that say something of their own, each with its rows' suites."""
    if any(len(own) > 1 for own in suites):
        yield "prediction", {pair.unit: [(pair,)] for own in suites for pair in own}
    yield "suite", {own[0].unit._replace(prediction_id=""): [own] for own in suites}
    of_circuits = [own for own in suites if own[0].unit.circuit]
    if of_circuits:
        yield "circuit", grouped(of_circuits, lambda own: Unit(circuit=own[0].unit.circuit))
    yield "all", {Unit(): list(suites)}


def _adjusted(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Return the rows of a level with their p adjusted for their number."""
    adjusted = zip(
        holm(row.p_mcnemar for row in rows),
        holm(row.difference_signs.p for row in rows),
        holm(row.margin_signs.p for row in rows),
        strict=True,
    )
    return [
        replace(row, p_mcnemar_holm=one, p_difference_holm=two, p_margin_holm=three)
        for row, (one, two, three) in zip(rows, adjusted, strict=True)
    ]


@frozen
class _Rows:
    """Makes the rows of two sides."""

    a: Side
    b: Side
    average: Average
    n_resamples: int
    seed: int

    def row(self, level: ComparedLevel, unit: Unit, suites: Sequence[PairedSuite]) -> ComparedRow:
        pairs = [pair for own in suites for pair in own]
        # Items of a family hold to a share.
        is_counted = self.a.n_members == self.b.n_members == 1
        counts = _discordance(pairs) if is_counted else None
        # Predictions of one item depend on each other: their count is no count of items.
        tested = counts if len(pairs) == len(suites) else None
        holds = _groups(
            suites, lambda pair: pair.a.scores.holds - pair.b.scores.holds, self.average
        )
        most = _groups(suites, lambda pair: np.ones(len(pair.item_numbers)), self.average)
        margins = _groups(suites, _margin_differences, self.average)
        drawing: dict[str, int] = {"n_resamples": self.n_resamples, "seed": self.seed}
        return ComparedRow(
            a=self._side(self.a, suites, lambda pair: pair.a),
            b=self._side(self.b, suites, lambda pair: pair.b),
            average=self.average,
            n_resamples=self.n_resamples,
            level=level,
            unit=unit,
            n_suites=len(suites),
            n_items=sum(len(pair.item_numbers) for pair in pairs),
            # Where predictions skip items, others count for more: the most that there can be.
            difference=Estimate.of_shares(
                holds, bounds=[(-each.max(), each.max()) for each in most]
            ),
            difference_signs=SignFlip.of(holds, **drawing),
            counts=counts,
            p_mcnemar=mcnemar(tested["n_only_a"], tested["n_only_b"]) if tested else math.nan,
            margin_difference_bits=Estimate.of_groups(margins, **drawing),
            margin_signs=SignFlip.of(margins, **drawing),
        )

    def _side(
        self, side: Side, suites: Sequence[PairedSuite], half: Callable[[Pair], Half]
    ) -> ComparedSide:
        halves = [half(pair) for own in suites for pair in own]
        holds = _groups(suites, lambda pair: half(pair).scores.holds, self.average)
        margins = _groups(suites, lambda pair: half(pair).scores.margins_bits, self.average)
        return ComparedSide(
            side=side,
            n_unmatched=sum(each.n_unmatched for each in halves),
            n_incomplete=sum(each.n_incomplete for each in halves),
            n_swallowed=sum(int(each.scores.swallowed.sum()) for each in halves),
            accuracy=mean_of_means(holds),
            margin_bits=mean_of_means(margins),
        )


def _groups(
    suites: Sequence[PairedSuite], values: Callable[[Pair], Values], average: Average
) -> list[Values]:
    return groups_by_item(
        [[(pair.item_numbers, values(pair)) for pair in own] for own in suites],
        is_pooled=average == "items" and len(suites) > 1,
    )


def _margin_differences(pair: Pair) -> Values:
    # Two margins that are infinite have no difference.
    with np.errstate(invalid="ignore"):
        return pair.a.scores.margins_bits - pair.b.scores.margins_bits


def _discordance(pairs: Sequence[Pair]) -> dict[str, int]:
    """Return on how many items both hold, only one, or neither."""
    a = np.concatenate([pair.a.scores.holds for pair in pairs]) > 0
    b = np.concatenate([pair.b.scores.holds for pair in pairs]) > 0
    which = (a & b, a & ~b, ~a & b, ~a & ~b)
    return {name: int(each.sum()) for name, each in zip(_COUNTS, which, strict=True)}


def _suite_names(keys: Iterable[SuiteKey]) -> tuple[str, ...]:
    return tuple(labelled(name, language) for language, name in keys)


def _difference_cell(difference: Estimate) -> str:
    return interval_cell(difference.mean, difference, sign="+")


_COUNTS = {"n_both": "both", "n_only_a": "only A", "n_only_b": "only B", "n_neither": "neither"}

_OF_COUNTS = "on how many of them the prediction holds for whom"

COLUMNS = (
    Column(
        "level",
        help=('"prediction" (with `--score each`), "suite", "circuit", or "all": the SG score'),
    ),
    Column("model_a", "a.side.label", help="who; above 1, a family"),
    Column("model_b", "b.side.label"),
    Column("n_members_a", "a.side.n_members"),
    Column("n_members_b", "b.side.n_members"),
    Column("score_rule", "a.side.score_rule"),
    Column(
        "average",
        help=(
            '"suites" or "items": whether circuits and all suites are means over suites, or over '
            "all items (`--average items`)"
        ),
    ),
    *(
        Column(name, f"unit.{name}", "" if place else "which suites")
        for place, name in enumerate(Unit._fields)
    ),
    Column("n_suites", help="over how many suites"),
    Column(
        "n_items",
        title="items",
        help=(
            "items that both have; items that the other lacks or skips (with `--score each`, "
            "items of each prediction)"
        ),
    ),
    Column("n_unmatched_a", "a.n_unmatched"),
    Column("n_unmatched_b", "b.n_unmatched"),
    Column(
        "n_incomplete_a",
        "a.n_incomplete",
        help="items that some members of a family have, and others lack or skip",
    ),
    Column("n_incomplete_b", "b.n_incomplete"),
    Column(
        "n_swallowed_a",
        "a.n_swallowed",
        title="swallowed A",
        help=(
            "on how many of the items that both have a prediction of A (B) names a [swallowed "
            "region](results.md); of a family in all members. The table has them where there are "
            "any"
        ),
    ),
    Column("n_swallowed_b", "b.n_swallowed", title="B"),
    *(
        Column(name, f"counts.{name}", _OF_COUNTS if name == "n_both" else "", title)
        for name, title in _COUNTS.items()
    ),
    Column(
        "accuracy_a",
        "a.accuracy",
        title="A",
        help="on the items that both have; circuits and all suites are means as `average` says",
    ),
    Column("accuracy_b", "b.accuracy", title="B"),
    Column(
        "difference",
        "difference.mean",
        title="A - B",
        cell=lambda row: _difference_cell(row.difference),
        help="A - B",
    ),
    Column(
        "difference_low",
        "difference.low",
        help="95% score interval: Tango's on one suite, its stratified form for means",
    ),
    Column("difference_high", "difference.high"),
    Column(
        "p_difference",
        "difference_signs.p",
        help=(
            "two-sided, by [turning the signs](#two-models-on-the-same-items) of the items' "
            'differences; "exact" if all ways to turn them are tried, "drawn" if `n_draws` of '
            "them are"
        ),
    ),
    Column("p_difference_method", "difference_signs.method"),
    Column(
        "p_difference_holm",
        title="p",
        cell=lambda row: p_cell(row.p_difference_holm, row.difference_signs.method),
        help="adjusted by Holm's method (1979) over the rows of its level",
    ),
    Column("p_mcnemar", help="McNemar's exact test (1947) on `n_only_a` and `n_only_b`, two-sided"),
    Column(
        "p_mcnemar_holm",
        title="p (McNemar)",
        cell=lambda row: p_cell(row.p_mcnemar_holm),
        help="adjusted by Holm's method (1979) over the rows of its level",
    ),
    Column(
        "n_margins",
        "margin_difference_bits.n",
        help="the same of margins in bits, where both have them",
    ),
    Column("margin_a_bits", "a.margin_bits"),
    Column("margin_b_bits", "b.margin_bits"),
    Column(
        "margin_difference_bits",
        "margin_difference_bits.mean",
        title="margin A - B (bits)",
        cell=lambda row: _difference_cell(row.margin_difference_bits),
    ),
    Column("margin_difference_low_bits", "margin_difference_bits.low"),
    Column("margin_difference_high_bits", "margin_difference_bits.high"),
    Column("p_margin", "margin_signs.p"),
    Column("p_margin_method", "margin_signs.method"),
    Column(
        "p_margin_holm",
        title="p (margins)",
        cell=lambda row: p_cell(row.p_margin_holm, row.margin_signs.method),
        help="adjusted by Holm's method (1979) over the rows of its level",
    ),
    Column(
        "n_draws",
        "n_resamples",
        help="how many ways to turn the signs are drawn, where not all are tried",
    ),
)

# What the p of a mean difference is of; see `SignFlip`.
SIGNS = "the differences of items with their signs turned at random"


def _left_out(side: Side, what: str, names: Sequence[str], why: str) -> Iterator[str]:
    if names:
        yield (
            f"{counted(len(names), what)} of {side.label} left out, which {why}: {listed(names)}"
        )


def _not_all(side: Side, what: str = "") -> str:
    return f"not all of its {len(side.members)} models have {what}".rstrip()


def _names(row: ComparedRow, *, is_named: bool) -> tuple[str, str]:
    """Return circuit and suite, the latter with its language if that is to be named."""
    unit, is_mean = row.unit, row.average == "suites"
    match row.level:
        case "all":
            return "all suites", "SG score" if is_mean else "all items"
        case "circuit":
            return unit.circuit, "mean" if is_mean else "all items"
        case _:
            suite = unit.named(with_language=is_named)
            number = f", prediction {unit.prediction_id}" if unit.prediction_id else ""
            return circuit_cell(unit.circuit), f"{suite}{number}"
