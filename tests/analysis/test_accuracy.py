"""Accuracies by level, against hand-computed values, scipy and statsmodels."""

import io
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from pandas.testing import assert_frame_equal
from rich.console import Console
from rich.table import Table
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint
from tests.analysis.records import record, seed, seeds

from pommel.analysis import accuracy
from pommel.analysis.accuracy import (
    COLUMNS,
    Accuracies,
    Accuracy,
    AccuracyAsked,
    Level,
    ShareInterval,
)
from pommel.analysis.asking import Settings
from pommel.analysis.models_compared import Average, ModelsCompared
from pommel.scoring.choices import ScoreRule
from pommel.scoring.results import SuiteResult
from pommel.scoring.run_record import RunRecord
from pommel.statistics import OneSidedPs, binomial_sum_ps

FEW = Settings(n_resamples=199)

# Of two circuits with 2 and 1 suites: 3/4, 1/2, 1/4.
SUITES = [
    record("m", "s1", "1101", circuit="c", language="en", group="g"),
    record("m", "s2", "10", circuit="c", language="de"),
    record("m", "s3", "1000", circuit="d", language="en", group="g"),
]


def only(
    records: Sequence[RunRecord], level: Level = "suite", settings: Settings = FEW
) -> Accuracy:
    (row,) = Accuracies.of(records, level, settings).rows
    return row


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("suite", {"s1": (0.75, 3, 4), "s2": (0.5, 1, 2), "s3": (0.25, 1, 4)}),
        ("circuit", {"c": (0.625, 4, 6), "d": (0.25, 1, 4)}),
        ("language", {"de": (0.5, 1, 2), "en": (0.5, 4, 8)}),
        ("group", {"g": (0.5, 4, 8), "": (0.5, 1, 2)}),
        ("model", {"": (0.5, 5, 10)}),
    ],
)
def test_a_level_is_the_unweighted_mean_over_its_suites(
    level: Level, expected: dict[str, tuple[float, int, int]]
) -> None:
    rows = Accuracies.of(SUITES, level, FEW).rows
    found = {
        "" if level == "model" else getattr(row.unit, level): (
            row.accuracy,
            row.n_holding,
            row.n_items,
        )
        for row in rows
    }
    assert found == expected
    # What has no group comes last.
    assert set(found) == set(expected)
    assert [*found] == [*sorted(found, key=lambda name: (not name, name))] or level == "suite"


@pytest.mark.parametrize(("n_holding", "n_items"), [(0, 12), (12, 12), (9, 12), (527, 1000)])
def test_a_share_has_both_intervals_and_both_tests(n_holding: int, n_items: int) -> None:
    row = only([record(holds="1" * n_holding + "0" * (n_items - n_holding))])
    for found, method in ((row.wilson, "wilson"), (row.exact, "beta")):
        theirs = proportion_confint(n_holding, n_items, method=method)
        assert (found.low, found.high) == pytest.approx(theirs, abs=1e-9)
    assert row.p_above == pytest.approx(binomtest(n_holding, n_items, alternative="greater").pvalue)
    assert row.p_below == pytest.approx(binomtest(n_holding, n_items, alternative="less").pvalue)
    assert math.isnan(row.stratified.low)
    assert row.pooled_accuracy == row.accuracy == n_holding / n_items


@pytest.mark.parametrize(
    ("n_holding", "mark"), [(473, "below"), (474, ""), (526, ""), (527, "above")]
)
def test_marks_of_a_thousand_items(n_holding: int, mark: str) -> None:
    assert only([record(share=n_holding / 1000, n_items=1000, chance=0.5)]).mark == mark


def test_chance_is_what_the_formulas_say_or_what_is_given() -> None:
    both = record(holds=["11111", "11111"], formulas=["(1;%a%) < (1;%b%)", "(2;%a%) < (2;%b%)"])
    assert only([both]).chance == 0.25
    assert only([both]).p_above == pytest.approx(0.25**5)
    given = only([both], settings=Settings(chance=0.9, n_resamples=199))
    assert (given.chance, given.p_above) == pytest.approx((0.9, 0.9**5))
    assert given.mark == ""


def test_a_mean_is_tested_by_the_count_of_all_items_with_each_suites_chance() -> None:
    """All of 2 items with chance 1/2 and 1 with chance 1/4: 1/16."""
    row = only(
        [
            record("m", "s", "11"),
            record("m", "t", ["1", "1"], formulas=["(1;%a%) < (1;%b%)", "(2;%a%) < (2;%b%)"]),
        ],
        "model",
    )
    assert (row.chance, row.p_above, row.p_below) == pytest.approx((0.375, 1 / 16, 1.0))


def test_a_mean_over_suites_that_are_right_throughout_has_an_interval_with_a_width() -> None:
    row = only([record("m", each, "1" * 24) for each in "stuv"], "model", FEW)
    # Of 96 items that hold nobody knows more than of those of one suite.
    assert (row.stratified.low, row.stratified.high) == pytest.approx(
        (96 / (96 + 1.96**2), 1.0), abs=1e-4
    )
    assert row.cell() == "1.00 [0.96, 1.00]"


RULES: dict[ScoreRule, list[str]] = {"all": ["1110"], "each": ["1110", "1-00"]}


@pytest.mark.parametrize(("rule", "share"), [("all", 5 / 6), ("each", 6 / 9)])
def test_items_may_be_pooled(rule: ScoreRule, share: float) -> None:
    """A suite of few items counts as much as one of many, or each item as much as each."""
    small, large = record("m", "s", ["11"], rule=rule), record("m", "t", RULES[rule], rule=rule)
    pooled = only([small, large], "model", replace(FEW, average="items"))
    assert pooled.accuracy == pooled.pooled_accuracy == pytest.approx(share)
    assert pooled.interval().low < share < pooled.interval().high
    # A share of items has the intervals of one; predictions of one item depend on each other.
    assert (pooled.interval() == pooled.wilson) == (rule == "all")
    assert pooled.chance == pytest.approx(0.5)
    apart = only([small, large], "model", FEW)
    assert apart.accuracy == pytest.approx((1 + large.result.score) / 2)
    own = Accuracies.of([small, large], "suite", replace(FEW, average="items")).rows
    assert [row.accuracy for row in own] == [1.0, large.result.score]


@pytest.mark.parametrize(("average", "shown"), [("suites", ".412"), ("items", ".488")])
def test_reflexives_of_gevalm_by_group_and_pooled_as_their_table_has_them(
    average: Average, shown: str
) -> None:
    """Counts of the published losses of DistilBERT on the three parts of RA (commit d1ee876)."""
    records = [
        record("distilbert", suite, share=n_holding / n_items, n_items=n_items, group="RA_acc")
        for suite, n_holding, n_items in (
            ("ReflVerbs_simple", 26, 72),
            ("ReflVerbs_longer", 110, 315),
            ("ReflVerbs_SentCompl", 711, 1350),
        )
    ]
    (row,) = Accuracies.of(records, "group", replace(FEW, average=average)).rows
    assert f"{row.accuracy:.3f}".removeprefix("0") == shown
    assert (row.n_holding, row.n_items) == (847, 1737)


@pytest.mark.parametrize(
    ("average", "said"),
    [
        ("suites", "Mean over suites [95% stratified score interval]; every suite counts alike."),
        (
            "items",
            "All items of several suites together [95% Wilson interval]; every item counts alike.",
        ),
    ],
)
def test_a_table_says_whether_suites_or_items_count_alike(average: Average, said: str) -> None:
    records = [record("m", "s", "11", group="g"), record("m", "t", "1110", group="g")]
    found = Accuracies.of(records, "group", replace(FEW, average=average))
    assert said in rendered(found.tables()[0])
    assert found.frame()["average"].tolist() == [average]


def test_each_prediction_has_its_row_whatever_the_rule() -> None:
    rows = Accuracies.of([record(holds=["110", "1-0"], rule="first")], "prediction", FEW).rows
    assert [
        (row.unit.prediction_id, row.n_holding, row.n_items, row.counts["n_skipped"])
        for row in rows
    ] == [("0", 2, 3, 0), ("1", 1, 2, 1)]


def test_under_each_a_suite_is_a_mean_over_predictions_and_no_share_of_items() -> None:
    row = only([record(holds=["1100", "1000"], rule="each")])
    assert (row.accuracy, row.n_holding, row.n_items) == (0.375, 3, 8)
    assert math.isnan(row.wilson.low)
    assert math.isnan(row.p_above)
    assert row.mark == ""
    assert row.stratified.low <= 0.375 <= row.stratified.high


def test_predictions_of_an_item_are_drawn_together() -> None:
    """Two predictions that always agree say no more than one of them."""
    one = only([record(holds=["110010", "110010"], rule="each")], settings=Settings())
    alone = only([record("m", "s", "110010"), record("m", "t", "110010")], "model", Settings())
    assert one.accuracy == alone.accuracy == 0.5
    assert one.stratified.high - one.stratified.low > 1.2 * (
        alone.stratified.high - alone.stratified.low
    )


def test_margins_have_mean_interval_and_median() -> None:
    margins = np.random.default_rng(3).normal(1, 2, 40)
    row = only(
        [record(holds=(margins > 0).tolist(), margins=margins.tolist())], settings=Settings()
    )
    half = 1.96 * margins.std() / math.sqrt(40)
    assert row.margin_bits.n == 40
    assert row.margin_bits.mean == pytest.approx(margins.mean())
    assert row.margin_bits.low == pytest.approx(margins.mean() - half, abs=0.1)
    assert row.margin_bits.high == pytest.approx(margins.mean() + half, abs=0.1)
    assert row.median_margin_bits == pytest.approx(np.median(margins))


def test_margins_of_several_suites_are_averaged_by_suite() -> None:
    row = only([record("m", "s", "11", [1.0, 3.0]), record("m", "t", "1111", [6.0] * 4)], "model")
    assert (row.margin_bits.mean, row.margin_bits.n, row.median_margin_bits) == (4.0, 6, 6.0)


@pytest.mark.parametrize(
    ("margins", "mean", "median"),
    [([math.inf, 1.0, 2.0], math.inf, 2.0), ([math.inf, -math.inf], math.nan, math.nan)],
)
def test_infinite_margins(margins: list[float], mean: float, median: float) -> None:
    row = only([record(holds=[each > 0 for each in margins], margins=margins)])
    assert row.margin_bits.mean == pytest.approx(mean, nan_ok=True)
    assert row.median_margin_bits == pytest.approx(median, nan_ok=True)


def test_ties_and_the_like_are_counted() -> None:
    marks = {"tie": [0, 1, 1], "defined": [1, 1, 0], "unscored": [1, 0, 0], "oov": [1, 1, 1]}
    marks["swallowed"] = [1, 0, 1]
    suites = [
        record("m", "s", "100", marks=marks),
        record("m", "t", "1-0", marks=marks),
        record("m", "u", share=0.5),
    ]
    expected = {
        "n_ties": 3,
        "n_undefined": 2,
        "n_swallowed": 4,
        "n_unscored": 2,
        "n_oov": 5,
        "n_skipped": 1,
    }
    assert only(suites, "model").counts == expected
    reported = only([suites[2]])
    assert reported.counts == dict.fromkeys(expected)


def test_models_that_come_to_the_same_are_tested_once(monkeypatch: pytest.MonkeyPatch) -> None:
    n_tested = 0

    def counted(n_holding: int, parts: Sequence[tuple[int, float]]) -> OneSidedPs:
        nonlocal n_tested
        n_tested += 1
        return binomial_sum_ps(n_holding, parts)

    monkeypatch.setattr(accuracy, "binomial_sum_ps", counted)
    # No other test has a suite of 37 items.
    records = [record(f"m{n}", "s", "1" * (20 + n % 3) + "0" * (17 - n % 3)) for n in range(30)]
    rows = Accuracies.of(records, "suite", FEW).rows
    assert [row.n_holding for row in rows] == [20, 21, 22] * 10
    assert n_tested == 3


def test_what_was_published_without_items_is_not_pooled() -> None:
    records = [record("m", "s", "10"), record("m", "t", share=0.5)]
    row = only(records, "model", replace(FEW, average="items"))
    assert (row.n_suites, row.n_items, row.n_holding) == (2, None, None)
    assert math.isnan(row.accuracy)
    assert math.isnan(row.chance)


def test_a_share_that_was_published_alone_has_no_interval() -> None:
    row = only([record(share=0.7)])
    assert (row.accuracy, row.n_items, row.n_holding, row.mark) == (0.7, None, None, "")
    for value in (row.wilson.low, row.exact.low, row.p_above, row.stratified.low):
        assert math.isnan(value)
    mean = only([record("m", "s", share=0.7), record("m", "t", "10")], "model")
    assert mean.accuracy == pytest.approx(0.6)
    assert mean.n_items is None
    assert math.isnan(mean.stratified.low)


def test_a_suite_without_a_score_counts_in_no_mean() -> None:
    skipped, empty = record("m", "t", "--"), record("m", "u")
    row = only([record("m", "s", "1000"), skipped, empty], "model")
    assert (row.accuracy, len(row.suites), row.counts["n_skipped"]) == (0.25, 1, 2)
    assert [each.accuracy for each in Accuracies.of([skipped, empty], "suite", FEW).rows] == [
        pytest.approx(math.nan, nan_ok=True)
    ] * 2


def test_runs_under_two_rules_are_told_apart() -> None:
    rows = Accuracies.of(
        [record(holds=["11", "10"]), record(holds=["11", "10"], rule="first")], "suite", FEW
    ).rows
    assert [(row.who.variant, row.accuracy) for row in rows] == [
        ("score=all", 0.5),
        ("score=first", 1.0),
    ]


def test_a_family_has_mean_and_standard_deviations_behind_its_members() -> None:
    rows = Accuracies.of(seeds("lstm", "s", "1100", "1110", "1111"), "suite", FEW).rows
    assert [row.label for row in rows] == [f"lstm/seed-{n}" for n in (1, 2, 3)] + ["lstm"]
    family = rows[-1]
    assert (family.is_family, family.n_members, family.accuracy) == (True, 3, 0.75)
    assert (family.sd, family.sd_population) == pytest.approx((0.25, math.sqrt(1 / 24)))
    assert (family.n_holding, family.n_items) == (9, 12)
    assert (family.chance, family.mark) == (0.5, "")
    assert math.isnan(family.wilson.low)


def test_means_have_their_standard_deviation_over_suites() -> None:
    circuit = Accuracies.of(SUITES, "circuit", FEW)
    spread = [(row.over_suites.sd, row.over_suites.sd_population) for row in circuit.rows]
    assert spread[0] == pytest.approx((math.sqrt(1 / 32), 0.125))
    # Of one suite, of suites by themselves and of pooled items there is none.
    pooled = Accuracies.of(SUITES, "model", replace(FEW, average="items"))
    for row in (circuit.rows[1], *Accuracies.of(SUITES, "suite", FEW).rows, *pooled.rows):
        assert math.isnan(row.over_suites.sd_population)
    # Of a family it is that of its means: 3/4 and 1/4, whatever its members differ in.
    records = [*seeds("lstm", "s", "10", "11"), *seeds("lstm", "t", "10", "00")]
    family = Accuracies.of(records, "model", FEW).rows[-1]
    assert (family.over_suites.sd_population, family.sd) == (0.25, 0.0)


def test_a_member_without_one_of_the_suites_is_not_in_the_mean() -> None:
    records = [*seeds("lstm", "s", "10", "11"), *seeds("lstm", "t", "00")]
    assert [(row.accuracy, row.n_members) for row in Accuracies.of(records, "model", FEW).rows] == [
        (0.25, 1),
        (1.0, 1),
        (0.25, 1),
    ]
    by_suite = [row for row in Accuracies.of(records, "suite", FEW).rows if row.is_family]
    assert [(row.unit.suite, row.accuracy, row.n_members) for row in by_suite] == [
        ("s", 0.75, 2),
        ("t", 0.0, 1),
    ]


def test_rows_without_draws_have_the_same_accuracies_and_no_margins() -> None:
    rows, bare = (
        Accuracies.of(SUITES, "circuit", replace(FEW, n_resamples=n)).rows for n in (99, 0)
    )
    assert [row.margin_bits.n for row in bare] == [0] * len(bare)
    assert [(row.accuracy, row.interval()) for row in rows] == [
        (row.accuracy, row.interval()) for row in bare
    ]


def test_steps_of_a_training_have_no_mean() -> None:
    steps = [record(f"m@{n}", "s", "10", member=seed(n, "m", "step")) for n in (1, 2)]
    assert not any(row.is_family for row in Accuracies.of(steps, "suite", FEW).rows)


def test_the_frame_has_a_row_each_and_nothing_where_nothing_is_known() -> None:
    records = [*seeds("lstm", "s", "10", "11"), record("theirs", "s", share=0.7)]
    frame = Accuracies.of(records, "suite", FEW).frame()
    assert [*frame.columns] == [each.name for each in COLUMNS]
    assert frame["model_name"].tolist() == ["lstm/seed-1", "lstm/seed-2", "lstm", "theirs"]
    assert frame["n_items"].dtype == frame["n_holding"].dtype == frame["n_ties"].dtype == "Int64"
    assert frame["n_items"].isna().tolist() == [False, False, False, True]
    assert frame["member"].isna().tolist() == [False, False, True, True]
    assert frame["axis_value"].tolist()[:2] == [1.0, 2.0]
    assert frame["accuracy"].tolist() == [0.5, 1.0, 0.75, 0.7]
    assert frame["sd"].isna().tolist() == [True, True, False, True]


def test_a_family_whose_margins_are_infinite_in_both_directions_has_no_mean_margin() -> None:
    records = [
        record(f"l/{n}", "s", "10", [margin, 1.0], member=seed(n, "l"))
        for n, margin in ((1, math.inf), (2, -math.inf))
    ]
    (family,) = (row for row in Accuracies.of(records, "suite", FEW).rows if row.is_family)
    assert math.isnan(family.margin_bits.mean)
    assert family.accuracy == 0.5


NO_MARGINS = [float("nan")] * 4


def rendered(table: Table) -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=400, highlight=False).print(table)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def rows_of(
    records: Sequence[RunRecord], level: Level = "suite", interval: ShareInterval = "wilson"
) -> list[list[str]]:
    """Return the header and the cells of every row."""
    lines = rendered(Accuracies.of(records, level, FEW, interval=interval).tables()[0])
    return [
        [cell.strip() for cell in line.strip("│┃").replace("┃", "│").split("│")]
        for line in lines
        if line.startswith(("│", "┃"))
    ]


def test_a_suite_has_its_share_chance_test_and_counts() -> None:
    header, row = rows_of([record("m", "s", "1" * 12, [2.0] * 12, marks={"tie": [1] + [0] * 11})])
    shown = dict(zip(header, row, strict=True))
    assert shown == {
        "model": "m",
        "suite": "s",
        "items": "12",
        "accuracy": "1.00 [0.76, 1.00]",
        "chance": "0.50",
        "p": "above < .001",
        "margin (bits)": "+2.00 [+2.00, +2.00]",
        "median": "+2.00",
        "ties": "1",
        "unscored": "0",
    }


def test_the_exact_interval_can_be_shown() -> None:
    _, row = rows_of([record("m", "s", "1" * 12)], interval="exact")
    assert row[3] == "1.00 [0.74, 1.00]"


def test_counts_that_are_not_always_there_have_a_column_where_one_is() -> None:
    header, *_ = rows_of([record("m", "s", "1-0", marks={"oov": [1, 1, 0]})])
    assert header[-4:] == ["ties", "unscored", "oov", "skipped"]


def test_without_margins_there_is_no_column_of_them() -> None:
    header, *_ = rows_of([record("m", "s", "1100", NO_MARGINS)])
    assert "margin (bits)" not in header


def test_languages_and_circuits_are_named_where_they_differ() -> None:
    records = [
        record("m", "s", "10", language="de", circuit="c"),
        record("m", "s", "11", language="fr", circuit="c"),
    ]
    header, *rows = rows_of(records)
    assert header[:3] == ["model", "language", "suite"]
    assert [row[:3] for row in rows] == [["m", "de", "s"], ["", "fr", "s"]]


def test_a_mean_has_the_stratified_interval_and_one_suite_its_own() -> None:
    records = [
        record("m", "s", "1111", circuit="c"),
        record("m", "t", "1111", circuit="c"),
        record("m", "u", "1111"),
    ]
    _, *rows = rows_of(records, "circuit")
    assert [row[1:5] for row in rows] == [
        ["c", "2", "8", "1.00 [0.68, 1.00]"],
        ["(none)", "1", "4", "1.00 [0.51, 1.00]"],
    ]
    lines = rendered(Accuracies.of(records, "circuit", FEW).tables()[0])
    assert lines[0] == "Accuracy by circuit"
    assert "Of one suite: share of items [95% Wilson interval]." in lines


def test_models_that_have_not_the_same_suites_say_on_how_many_they_are() -> None:
    records = [
        *(record("m", suite, "1111", circuit="c") for suite in ("s", "t", "u")),
        record("n", "s", "1100", circuit="c"),
    ]
    _, *rows = rows_of(records, "model")
    assert [row[:2] for row in rows] == [["m", "3 of 3"], ["n", "1 of 3"]]
    lines = rendered(Accuracies.of(records, "circuit", FEW).tables()[0])
    assert "All have s: --suite s." in lines
    even = rendered(Accuracies.of(records[:3], "model", FEW).tables()[0])
    assert not any("k of n" in line for line in even)


def test_people_are_shown_the_first_rows_and_items_of_others_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The items of the last model of three are not read, which is an error where they are asked."""
    monkeypatch.setattr(accuracy, "_MOST_SHOWN", 2)
    *known, last = (record(model, "s", "1101", circuit="c") for model in "abc")
    facts = [(each.prediction_id, each.formula, "") for each in last.result.predictions]
    unread = SuiteResult.kept_predictions(facts, last.result.scored, "all")
    records = [*known, replace(last, result=replace(last.result, predictions=unread))]
    found = AccuracyAsked(level="circuit", n_resamples=199).answer(records)
    (table,) = found.tables()
    first = AccuracyAsked(level="circuit", n_resamples=199).answer(known)
    assert rendered(table)[:-1] == rendered(first.tables()[0])
    assert str(table.caption).endswith("The first 2 of 3 rows: --format csv has all.")
    with pytest.raises(LookupError, match="the items of these predictions are not read"):
        found.frame()


def test_a_family_is_a_mean_with_its_spread_and_one_member_is_no_family() -> None:
    records = [*seeds("lstm", "s", "1100", "1111"), *seeds("gru", "s", "1100")]
    _, *rows = rows_of(records)
    assert [(row[0], row[3], row[5]) for row in rows] == [
        ("lstm/seed-1", "0.50 [0.15, 0.85]", ".688"),
        ("lstm/seed-2", "1.00 [0.51, 1.00]", ".062"),
        ("lstm (mean ± sd, n = 2)", "0.75 ± 0.35", ""),
        ("gru/seed-1", "0.50 [0.15, 0.85]", ".688"),
    ]


def test_means_may_be_shown_with_their_spread_over_suites() -> None:
    table = replace(Accuracies.of(SUITES, "circuit", FEW), sd="population").tables()[0]
    shown = "\n".join(rendered(table))
    assert " 0.62 ± 0.12 " in shown
    assert " 0.25 [0.05, 0.70] " in shown
    caption = str(table.caption).splitlines()
    assert caption[0] == (
        "Mean over suites ± standard deviation over them (n); every suite counts alike."
    )


def test_without_a_known_chance_there_is_no_test() -> None:
    unknown, known = (record("m", "s", share=0.7, n_items=100, chance=each) for each in (None, 0.5))
    table = Accuracies.of([unknown]).tables()[0]
    assert "Where chance is unknown there is no test; --chance X says it." in str(table.caption)
    assert [rows_of([each])[1][4:6] for each in (unknown, known)] == [
        ["unknown", ""],
        ["0.50", "above < .001"],
    ]
    assert "unknown" not in str(Accuracies.of([known]).tables()[0].caption)


OF_ITEMS = "Share of items on which a suite's predictions hold [95% Wilson interval]."
OF_PREDICTIONS = "Of several predictions: their mean [95% stratified score interval]."
OF_SUITES = "Mean over suites [95% stratified score interval]; every suite counts alike."
OF_ONE = "Of one suite: share of items [95% Wilson interval]."
OF_ONE_BY_PREDICTION = (
    "Of one suite with several predictions: their mean [95% stratified score interval]."
)


def of(level: Level, *records: RunRecord) -> Accuracies:
    return Accuracies.of(records, level, Settings(n_resamples=199))


def two_predictions(suite: str) -> RunRecord:
    return record("m", suite, ["1111", "1100"], rule="each", circuit="c")


def one_prediction(suite: str) -> RunRecord:
    return record("m", suite, "1100", rule="each", circuit="c")


def test_suites_of_one_prediction_have_wilsons_interval_and_others_the_stratified_one() -> None:
    one, two = one_prediction("s"), two_predictions("t")
    assert of("suite", one).suite_notes() == [OF_ITEMS]
    assert of("suite", one, two).suite_notes() == [OF_ITEMS, OF_PREDICTIONS]
    without_wilson = OF_ITEMS.replace(" [95% Wilson interval]", "")
    assert of("suite", two).suite_notes() == [without_wilson, OF_PREDICTIONS]


def test_a_mean_over_one_suite_has_that_suites_interval() -> None:
    one, two = one_prediction("s"), two_predictions("t")
    for level in ("circuit", "model"):
        assert of(level, one).mean_notes() == [OF_ONE]
        assert of(level, two).mean_notes() == [OF_ONE_BY_PREDICTION]
        assert of(level, one, two).mean_notes() == [OF_SUITES]
    every = [of("model", *own) for own in ((one, two), (one,), (two,))]
    assert Accuracies(rows=tuple([row for each in every for row in each.rows])).mean_notes() == [
        OF_SUITES,
        OF_ONE,
        OF_ONE_BY_PREDICTION,
    ]


def test_the_exact_interval_has_its_own_name() -> None:
    found = of("suite", one_prediction("s"))
    exact = "[95% interval of Clopper and Pearson]"
    assert replace(found, interval="exact").suite_notes(share="Share") == [f"Share {exact}."]
    assert replace(found, interval="exact").mean_notes() == [
        f"Of one suite: share of items {exact}."
    ]


def test_the_means_may_have_a_name() -> None:
    found = of("model", record("a", "s", "10"), record("a", "t", "11"), record("b", "s", "10"))
    assert found.mean_notes(name="SG score") == [
        "SG score: mean over all suites [95% stratified score interval]; every suite counts alike.",
        "SG score of one suite: share of items [95% Wilson interval].",
    ]


def test_what_has_no_interval_has_no_name_of_one() -> None:
    published = [record("m", suite, share=0.7) for suite in ("s", "t")]
    assert of("suite", *published).suite_notes() == [
        "Share of items on which a suite's predictions hold."
    ]
    assert of("model", *published).mean_notes() == ["Mean over suites; every suite counts alike."]
    family = [row for row in of("suite", *seeds("lstm", "s", "10", "11")).rows if row.is_family]
    assert Accuracies(rows=tuple(family)).suite_notes() == [
        "Share of items on which a suite's predictions hold."
    ]


@pytest.mark.parametrize("level", ["circuit", "model"])
def test_nothing_is_said_of_what_has_no_score(level: Level) -> None:
    (row,) = of(level, record("m", "s", "--")).rows
    assert math.isnan(row.accuracy)
    assert Accuracies(rows=(row,)).mean_notes() == []


def test_several_levels_at_once_have_the_rows_of_each() -> None:
    records = [
        record(f"m-{n}", suite, "1" * n + "0110", circuit=circuit, language=language)
        for n in range(3)
        for suite, circuit, language in (("t", "c", "en"), ("s", "c", ""), ("s", "d", "de"))
    ]
    levels = get_args(Level)
    together = Accuracies.by_level(ModelsCompared.of(records), levels)
    assert list(together) == list(levels)
    for level in levels:
        assert_frame_equal(together[level].frame(), Accuracies.of(records, level).frame())
