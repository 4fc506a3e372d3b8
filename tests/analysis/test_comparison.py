"""Two models on the items that both have, against statsmodels and by hand."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from pandas.testing import assert_frame_equal
from scipy.stats import ttest_rel
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from tests.analysis.records import record, seeds

from pommel.analysis.accuracy import Accuracies, Settings
from pommel.analysis.comparison import (
    COMPARISON_COLUMNS,
    ComparedRow,
    Comparison,
    Discordance,
    side,
)
from pommel.analysis.models_compared import ModelsCompared
from pommel.errors import UsageError
from pommel.scoring.run_record import RunRecord

FEW = Settings(n_resamples=199)


def compared(
    records: Sequence[RunRecord], a: str = "a", b: str = "b", n_resamples: int = 199
) -> Comparison:
    found = ModelsCompared.of(records).models
    return Comparison.of_sides(side(found, a), side(found, b), n_resamples=n_resamples)


def on_suites(**holds: tuple[str, str]) -> list[RunRecord]:
    return [
        record(model, suite, own)
        for suite, both in holds.items()
        for model, own in zip("ab", both, strict=True)
    ]


def suite_row(comparison: Comparison) -> ComparedRow:
    (row,) = comparison.level("suite")
    return row


def test_counts_and_mcnemar_against_statsmodels() -> None:
    row = suite_row(compared(on_suites(s=("1" * 20 + "0" * 10, "1" * 8 + "0" * 19 + "1" * 3))))
    assert row.counts == Discordance(n_both=8, n_only_a=12, n_only_b=3, n_neither=7)
    assert row.p_mcnemar == pytest.approx(mcnemar([[8, 12], [3, 7]], exact=True).pvalue)
    assert (row.accuracy_a, row.accuracy_b) == pytest.approx((20 / 30, 11 / 30))
    assert row.difference.mean == pytest.approx(9 / 30)


def test_items_are_matched_by_number() -> None:
    a = record("a", "s", "1100", [1.0, 2.0, -3.0, -4.0], items=[1, 2, 3, 9])
    b = record("b", "s", "0011-", [-5.0, -6.0, 7.0, 8.0, 0.0], items=[4, 3, 2, 1, 9])
    row = suite_row(compared([a, b]))
    assert (row.n_items, row.n_unmatched_a, row.n_unmatched_b) == (3, 1, 1)
    assert row.counts == Discordance(n_both=2, n_only_a=0, n_only_b=0, n_neither=1)
    assert (row.margin_a_bits, row.margin_b_bits) == (0.0, 3.0)
    assert row.margin_difference_bits.mean == -3.0


def test_holms_adjustment_is_over_suites() -> None:
    comparison = compared(
        on_suites(
            s=("1" * 12, "0" * 12), t=("1" * 9 + "000", "0" * 12), u=("1" * 7 + "0" * 5, "0" * 12)
        )
    )
    rows = comparison.level("suite")
    for raw, adjusted in (
        ([row.p_mcnemar for row in rows], [row.p_mcnemar_holm for row in rows]),
        ([row.difference.p for row in rows], [row.p_difference_holm for row in rows]),
    ):
        assert adjusted == pytest.approx(multipletests(raw, method="holm")[1].tolist())
    (whole,) = comparison.level("all")
    assert whole.p_mcnemar == whole.p_mcnemar_holm == pytest.approx(2 * 0.5**28)


def test_the_bootstrap_of_margins_is_near_the_paired_t_test() -> None:
    generator = np.random.default_rng(5)
    first = generator.normal(0.5, 2, 60)
    second = first - generator.normal(0.4, 1.5, 60)
    rows = [
        record(name, "s", (margins > 0).tolist(), margins.tolist())
        for name, margins in (("a", first), ("b", second))
    ]
    found = suite_row(compared(rows, n_resamples=9999)).margin_difference_bits
    theirs = ttest_rel(first, second)
    interval = theirs.confidence_interval()
    assert found.mean == pytest.approx((first - second).mean())
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=0.05)
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)


def test_circuits_and_all_suites_are_means_over_suites() -> None:
    records = [
        record(model, suite, holds, circuit=circuit)
        for suite, circuit, both in (
            ("s", "c", ("1111", "1100")),
            ("t", "c", ("10", "00")),
            ("u", "d", ("0", "1")),
        )
        for model, holds in zip("ab", both, strict=True)
    ]
    comparison = compared(records)
    circuits = {row.unit.circuit: row for row in comparison.level("circuit")}
    assert (circuits["c"].accuracy_a, circuits["c"].accuracy_b) == (0.75, 0.25)
    assert (circuits["c"].n_suites, circuits["c"].n_items) == (2, 6)
    assert circuits["d"].difference.mean == -1.0
    (whole,) = comparison.level("all")
    assert whole.accuracy_a - whole.accuracy_b == pytest.approx(whole.difference.mean)
    assert whole.difference.mean == pytest.approx((0.5 + 0.5 - 1) / 3)
    assert whole.counts == Discordance(n_both=2, n_only_a=3, n_only_b=1, n_neither=1)


def test_under_each_predictions_have_rows_and_suites_no_count_of_items() -> None:
    records = [
        record("a", "s", ["110", "10-"], rule="each"),
        record("b", "s", ["100", "111"], rule="each"),
    ]
    comparison = compared(records)
    first, second = comparison.level("prediction")
    assert (first.unit.prediction_id, first.n_items, first.n_unmatched_b) == ("0", 3, 0)
    assert (second.unit.prediction_id, second.n_items, second.n_unmatched_b) == ("1", 2, 1)
    assert second.p_mcnemar == 1.0
    row = suite_row(comparison)
    assert (row.accuracy_a, row.accuracy_b) == pytest.approx(((2 / 3 + 1 / 2) / 2, (1 / 3 + 1) / 2))
    assert row.difference.mean == pytest.approx(row.accuracy_a - row.accuracy_b)
    assert row.unit.prediction_id == ""
    assert math.isnan(row.p_mcnemar)


def test_a_family_is_compared_by_its_mean_item_by_item() -> None:
    records = [*seeds("lstm", "s", "1110", "1000"), record("b", "s", "0000")]
    row = suite_row(compared(records, "lstm"))
    assert (row.accuracy_a, row.difference.mean) == (0.5, 0.5)
    assert row.counts is None
    assert math.isnan(row.p_mcnemar)
    assert math.isnan(row.p_mcnemar_holm)
    assert 0 < row.difference.p < 1


def test_margins_that_one_lacks_are_in_neither_mean() -> None:
    records = [
        record("a", "s", "111", [1.0, math.nan, 3.0]),
        record("b", "s", "111", [4.0, 50.0, math.nan]),
    ]
    row = suite_row(compared(records))
    assert (row.margin_a_bits, row.margin_b_bits) == (1.0, 4.0)
    assert (row.margin_difference_bits.n, row.margin_difference_bits.mean) == (1, -3.0)


def test_without_margins_there_is_no_difference_of_them() -> None:
    records = [record(model, "s", "10", [math.nan] * 2) for model in "ab"]
    found = suite_row(compared(records)).margin_difference_bits
    assert found.n == 0
    assert math.isnan(found.mean)


def test_what_cannot_be_compared_is_said() -> None:
    records = [
        *on_suites(s=("10", "11")),
        record("a", "t", "1"),
        record("b", "u", "1", language="de"),
        record("a", "v", "1"),
        record("b", "v", share=0.5, n_items=1),
        record("a", "w", "1", sha256="1"),
        record("b", "w", "1", sha256="2"),
    ]
    comparison = compared(records)
    assert comparison.only_a == ("t",)
    assert comparison.only_b == ("u (de)",)
    assert comparison.without_items == ("v",)
    assert comparison.changed == ("w",)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (
            [record("a", "s", "1"), record("b", "t", "1")],
            "a and b have no items in common; nothing to compare",
        ),
        (
            [record("a", "s", "1", items=[1]), record("b", "s", "1", items=[2])],
            "a and b have no items in common; nothing to compare",
        ),
        (
            [record("a", "s", ["1", "1"]), record("b", "s", ["1", "1"], rule="first")],
            "a is scored by the rule 'all', b by 'first'; choose one with --score",
        ),
    ],
)
def test_what_is_no_comparison(records: list[RunRecord], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        compared(records)
    assert str(caught.value) == message


def test_a_model_is_not_compared_with_itself() -> None:
    with pytest.raises(UsageError, match=r"^a and a are the same; name two models$"):
        compared(on_suites(s=("1", "1")), "a", "a")


def test_the_other_way_round_only_signs_change() -> None:
    records = on_suites(s=("110100", "010001"), t=("10", "01"))
    for ours, theirs in zip(compared(records).rows, compared(records, "b", "a").rows, strict=True):
        assert ours.difference.mean == -theirs.difference.mean
        assert ours.p_mcnemar == theirs.p_mcnemar
        assert ours.difference.p == pytest.approx(theirs.difference.p, abs=0.02)
        assert ours.accuracy_a == theirs.accuracy_b


def test_the_frame() -> None:
    frame = compared(on_suites(s=("110", "100"), t=("11", "00"))).frame()
    assert tuple(frame.columns) == COMPARISON_COLUMNS
    assert frame["level"].tolist() == ["suite", "suite", "all"]
    assert frame["n_only_a"].tolist() == [1, 2, 3]
    assert frame["difference"].tolist() == pytest.approx([1 / 3, 1.0, 2 / 3])
    families = [*seeds("lstm", "s", "11", "10"), record("b", "s", "10")]
    frame = compared(families, "lstm").frame()
    assert frame["n_only_a"].dtype == "Int64"
    assert frame["n_only_a"].isna().all()
    assert frame["n_members_a"].tolist() == [2, 2]


def test_predictions_that_one_alone_has_are_named() -> None:
    records = [
        record("a", "s", ["11", "10", "10"], rule="each"),
        record("b", "s", ["11", "--"], rule="each"),
        record("b", "t", ["11"], rule="each", language="de"),
        record("a", "t", ["11"], rule="each", language="de"),
    ]
    found = compared(records)
    assert found.predictions_only_a == ("prediction 1 of s", "prediction 2 of s")
    assert found.predictions_only_b == ("prediction 1 of s",)
    assert compared(records[2:]).predictions_only_a == ()


def test_items_that_not_all_members_of_a_family_have_are_counted() -> None:
    records = [
        *seeds("l", "s", "111-0", "1111"),
        *seeds("l", "t", "11"),
        record("b", "s", "111111"),
        record("b", "t", "11"),
    ]
    found = compared(records, "l")
    (row,) = found.level("suite")
    assert (row.n_items, row.n_incomplete_a, row.n_incomplete_b) == (3, 2, 0)
    assert (row.n_unmatched_a, row.n_unmatched_b) == (0, 3)
    assert (found.incomplete_a, found.incomplete_b, found.only_b) == (("t",), (), ("t",))


def test_the_order_of_runs_and_items_changes_nothing() -> None:
    def runs(generator: np.random.Generator) -> list[RunRecord]:
        margins = np.random.default_rng(1).normal(1, 3, (2, 3, 15))
        records = []
        for suite in generator.permutation(3).tolist():
            for model in generator.permutation(2).tolist():
                order = generator.permutation(15)
                own = margins[model, suite][order]
                records.append(
                    record(
                        "ab"[model],
                        f"s{suite}",
                        (own > 0).tolist(),
                        own.tolist(),
                        items=(order + 1).tolist(),
                        circuit="c",
                    )
                )
        return records

    first, *others = (compared(runs(np.random.default_rng(seed))).frame() for seed in range(4))
    for other in others:
        assert_frame_equal(first, other, rtol=1e-12)
    rows = [
        Accuracies.of(runs(np.random.default_rng(seed)), level, FEW).frame()
        for level in ("circuit", "suite")
        for seed in range(3)
    ]
    for each in (rows[:3], rows[3:]):
        expected, *shuffled = (own.sort_values(["model_name", "suite"]) for own in each)
        for other in shuffled:
            assert_frame_equal(
                expected.reset_index(drop=True), other.reset_index(drop=True), rtol=1e-12
            )
