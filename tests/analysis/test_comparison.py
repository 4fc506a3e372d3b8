"""Two models on the items that both have, against statsmodels and by hand."""

import io
import math
from collections.abc import Sequence

import numpy as np
import pytest
from pandas.testing import assert_frame_equal
from rich.console import Console
from scipy.stats import ttest_rel
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from tests.analysis.records import record, seed, seeds

from pommel.analysis.accuracy import Accuracies
from pommel.analysis.asking import Settings
from pommel.analysis.comparison import (
    COLUMNS,
    ComparedRow,
    Comparison,
    side,
)
from pommel.analysis.models_compared import Average, ModelsCompared
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
    assert row.counts == {"n_both": 8, "n_only_a": 12, "n_only_b": 3, "n_neither": 7}
    assert row.p_mcnemar == pytest.approx(mcnemar([[8, 12], [3, 7]], exact=True).pvalue)
    assert (row.a.accuracy, row.b.accuracy) == pytest.approx((20 / 30, 11 / 30))
    assert row.difference.mean == pytest.approx(9 / 30)


def test_items_are_matched_by_number() -> None:
    a = record("a", "s", "1100", [1.0, 2.0, -3.0, -4.0], items=[1, 2, 3, 9])
    b = record("b", "s", "0011-", [-5.0, -6.0, 7.0, 8.0, 0.0], items=[4, 3, 2, 1, 9])
    row = suite_row(compared([a, b]))
    assert (row.n_items, row.a.n_unmatched, row.b.n_unmatched) == (3, 1, 1)
    assert row.counts == {"n_both": 2, "n_only_a": 0, "n_only_b": 0, "n_neither": 1}
    assert (row.a.margin_bits, row.b.margin_bits) == (0.0, 3.0)
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
        ([row.difference_signs.p for row in rows], [row.p_difference_holm for row in rows]),
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
    row = suite_row(compared(rows, n_resamples=9999))
    found = row.margin_difference_bits
    theirs = ttest_rel(first, second)
    interval = theirs.confidence_interval()
    assert found.mean == pytest.approx((first - second).mean())
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=0.05)
    assert row.margin_signs.p == pytest.approx(theirs.pvalue, abs=0.02)


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
    assert (circuits["c"].a.accuracy, circuits["c"].b.accuracy) == (0.75, 0.25)
    assert (circuits["c"].n_suites, circuits["c"].n_items) == (2, 6)
    assert circuits["d"].difference.mean == -1.0
    (whole,) = comparison.level("all")
    assert whole.a.accuracy - whole.b.accuracy == pytest.approx(whole.difference.mean)
    assert whole.difference.mean == pytest.approx((0.5 + 0.5 - 1) / 3)
    assert whole.counts == {"n_both": 2, "n_only_a": 3, "n_only_b": 1, "n_neither": 1}


def test_under_each_predictions_have_rows_and_suites_no_count_of_items() -> None:
    records = [
        record("a", "s", ["110", "10-"], rule="each"),
        record("b", "s", ["100", "111"], rule="each"),
    ]
    comparison = compared(records)
    first, second = comparison.level("prediction")
    assert (first.unit.prediction_id, first.n_items, first.b.n_unmatched) == ("0", 3, 0)
    assert (second.unit.prediction_id, second.n_items, second.b.n_unmatched) == ("1", 2, 1)
    assert second.p_mcnemar == 1.0
    row = suite_row(comparison)
    assert (row.a.accuracy, row.b.accuracy) == pytest.approx(((2 / 3 + 1 / 2) / 2, (1 / 3 + 1) / 2))
    assert row.difference.mean == pytest.approx(row.a.accuracy - row.b.accuracy)
    assert row.unit.prediction_id == ""
    assert math.isnan(row.p_mcnemar)


def test_a_family_is_compared_by_its_mean_item_by_item() -> None:
    records = [*seeds("lstm", "s", "1110", "1000"), record("b", "s", "0000")]
    row = suite_row(compared(records, "lstm"))
    assert (row.a.accuracy, row.difference.mean) == (0.5, 0.5)
    assert row.counts is None
    assert math.isnan(row.p_mcnemar)
    assert math.isnan(row.p_mcnemar_holm)
    assert 0 < row.difference_signs.p < 1


def test_margins_that_one_lacks_are_in_neither_mean() -> None:
    records = [
        record("a", "s", "111", [1.0, math.nan, 3.0]),
        record("b", "s", "111", [4.0, 50.0, math.nan]),
    ]
    row = suite_row(compared(records))
    assert (row.a.margin_bits, row.b.margin_bits) == (1.0, 4.0)
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
    assert [*comparison.notes] == [
        "1 suite of a left out, which b has no run on: t",
        "1 suite of b left out, which a has no run on: u (de)",
        "1 suite left out: no item of v is known of both",
    ]
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
        assert ours.difference_signs.p == pytest.approx(theirs.difference_signs.p, abs=0.02)
        assert ours.a.accuracy == theirs.b.accuracy


def test_the_frame() -> None:
    frame = compared(on_suites(s=("110", "100"), t=("11", "00"))).frame()
    assert [*frame.columns] == [each.name for each in COLUMNS]
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
    assert [*found.notes] == [
        (
            "2 predictions of a left out, which b has no items of: prediction 1 of s, prediction 2 "
            "of s"
        ),
        "1 prediction of b left out, which a has no items of: prediction 1 of s",
    ]
    assert not compared(records[2:]).notes


def test_items_that_not_all_members_of_a_family_have_are_counted() -> None:
    records = [
        *seeds("l", "s", "111-0", "1111"),
        *seeds("l", "t", "11"),
        record("b", "s", "111111"),
        record("b", "t", "11"),
    ]
    found = compared(records, "l")
    (row,) = found.level("suite")
    assert (row.n_items, row.a.n_incomplete, row.b.n_incomplete) == (3, 2, 0)
    assert (row.a.n_unmatched, row.b.n_unmatched) == (0, 3)
    assert [*found.notes][1:3] == [
        "1 suite of l left out, which not all of its 2 models have a run on: t",
        "1 suite of b left out, which l has no run on: t",
    ]


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


def lines_of(comparison: Comparison) -> list[str]:
    stream = io.StringIO()
    Console(file=stream, width=300, highlight=False).print(comparison.tables()[0])
    return [" ".join(line.split()) for line in stream.getvalue().splitlines()]


def both(suite: str, a: str, b: str, circuit: str = "") -> list[RunRecord]:
    nothing = [float("nan")] * len(a)
    return [
        record(model, suite, holds, nothing, circuit=circuit)
        for model, holds in (("a", a), ("b", b))
    ]


def test_suites_circuits_and_the_whole() -> None:
    lines = lines_of(
        compared(
            [*both("s", "11", "00", "c"), *both("t", "1", "1", "c"), *both("u", "0", "1", "d")]
        )
    )
    assert lines[0] == "A = a, B = b"
    assert "│ c │ s │ 2 │ 0 │ 2 │ 0 │ 0 │ 1.00 │ 0.00 │ +1.00 [-0.32, +1.00] │ 1.000 │" in lines
    assert "│ │ t │ 1 │ 1 │ 0 │ 0 │ 0 │ 1.00 │ 1.00 │ +0.00 [-0.79, +0.79] │ 1.000 │" in lines
    assert "│ c │ mean │ 3 │ 1 │ 2 │ 0 │ 0 │ 1.00 │ 0.50 │ +0.50 [-0.34, +0.90] │ 1.000 │" in lines
    whole = "│ all suites │ SG score │ 4 │ 1 │ 2 │ 1 │ 0 │ 0.67 │ 0.67 │ +0.00"
    assert any(line.startswith(whole) for line in lines)


def test_the_whole_is_bold() -> None:
    (table,) = compared([*both("s", "11", "00", "c"), *both("u", "0", "1", "d")]).tables()
    assert [each.style for each in table.rows][-1] == "bold"
    assert {each.style for each in table.rows[:-1]} == {None}


def test_margins_have_columns_where_there_are_some() -> None:
    records = [record("a", "s", "11", [3.0, 3.0]), record("b", "s", "11", [1.0, 1.0])]
    (row,) = (line for line in lines_of(compared(records)) if " s " in line)
    assert row.endswith("│ 1.000 │ +2.00 [+2.00, +2.00] │ .500 exact │")


def test_swallowed_regions_are_counted_where_scores_are_compared() -> None:
    records = [
        record("a", "s", "110-", marks={"swallowed": [0, 1, 1, 1]}),
        record("b", "s", "1111", marks={"swallowed": [0, 0, 1, 0]}),
    ]
    comparison = compared(records)
    row = suite_row(comparison)
    assert (row.n_items, row.a.n_swallowed, row.b.n_swallowed) == (3, 2, 1)
    frame = comparison.frame()
    assert frame[["n_swallowed_a", "n_swallowed_b"]].to_numpy().tolist() == [[2, 1]] * 2
    assert [line.split(" │ ")[2:5] for line in lines_of(comparison) if " s " in line] == [
        ["3", "2", "1"]
    ]
    assert any("┃ items ┃ swallowed A ┃ B ┃ both ┃" in line for line in lines_of(comparison))


def test_a_family_has_the_swallowed_regions_of_all_members() -> None:
    members = [
        record(f"lstm/{n}", "s", "10", member=seed(n), marks={"swallowed": [1, n == 2]})
        for n in (1, 2)
    ]
    row = suite_row(compared([*members, record("b", "s", "11")], "lstm"))
    assert (row.a.n_swallowed, row.b.n_swallowed) == (3, 0)


def test_a_p_of_turned_signs_says_whether_they_are_drawn() -> None:
    many = np.random.default_rng(0).normal(1, 1, 20)
    records = [
        *seeds("lstm", "s", "11111", "00110"),
        record("b", "s", "00000"),
        *seeds("lstm", "t", "1" * 20),
        record("b", "t", "0" * 20, many.tolist()),
    ]
    comparison = compared([each for each in records if each.suite_key[1] == "s"], "lstm")
    assert comparison.frame()["p_difference_method"].tolist() == ["exact", "exact"]
    assert not any("; drawn: of" in line for line in lines_of(comparison))
    comparison = compared([each for each in records if each.suite_key[1] == "t"], "lstm/seed-1")
    frame = comparison.frame()
    assert frame["p_margin_method"].tolist() == ["drawn", "drawn"]
    assert frame["n_draws"].tolist() == [199, 199]
    lines = lines_of(comparison)
    assert any(line.endswith(" drawn │") for line in lines)
    assert lines[-1] == "exact: of all ways to turn the signs; drawn: of 199."


def test_of_pooled_items_no_row_is_called_a_mean() -> None:
    records = [record(model, suite, "10") for model in "ab" for suite in "st"]
    found = ModelsCompared.of(records).models
    pooled = Comparison.of_sides(side(found, "a"), side(found, "b"), average="items")
    assert any("│ all suites │ all items │" in line for line in lines_of(pooled))
    assert any("│ all suites │ SG score │" in line for line in lines_of(compared(records)))


def test_of_each_predictions_have_their_rows() -> None:
    records = [record(model, "s", ["11", "10"], rule="each") for model in "ab"]
    lines = lines_of(compared(records))
    assert any(line.startswith("│ (none) │ s, prediction 0 │ 2 │") for line in lines)
    assert any(line.startswith("│ (none) │ s │ 4 │") for line in lines)


def test_notes_say_what_is_left_out() -> None:
    comparison = compared(
        [
            record("a", "s", "110"),
            record("b", "s", "11"),
            record("a", "t", "1"),
            record("a", "u", "1"),
            record("b", "u", share=0.5),
        ]
    )
    assert [*comparison.notes] == [
        "1 suite of a left out, which b has no run on: t",
        "1 suite left out: no item of u is known of both",
        "s: 1 item of a left out, which b lacks or skips",
    ]
    assert [*comparison.warnings] == []


def test_a_family_has_a_note_and_the_p_of_the_mean_difference() -> None:
    comparison = compared([*seeds("lstm", "s", "11", "11"), record("b", "s", "00")], "lstm")
    (note,) = comparison.notes
    assert note == (
        "lstm is the mean over 2 models, item by item; McNemar's test needs one model on each "
        "side, so p is that of the mean difference"
    )
    lines = lines_of(comparison)
    assert (
        "┃ circuit ┃ suite ┃ items ┃ A ┃ B ┃ A - B ┃ p ┃ margin A - B (bits) ┃ p (margins) ┃"
        in lines
    )
    assert any(
        line.startswith("│ (none) │ s │ 2 │ 1.00 │ 0.00 │ +1.00 [-0.32, +1.00] │ .500 exact │")
        for line in lines
    )


def test_versions_that_differ_are_a_warning() -> None:
    records = [record(model, "s", "10", sha256=model) for model in "ab"]
    (warning,) = compared(records).warnings
    assert warning == (
        "s: a and b have run different versions of this suite; items of one number may not be the "
        "same"
    )


def test_what_is_left_out_is_told() -> None:
    records = [
        *seeds("lstm", "s", "11-", "111"),
        *seeds("lstm", "t", "11"),
        record("b", "s", "1111"),
    ]
    assert [*compared(records, "lstm").notes][1:] == [
        "1 suite of lstm left out, which not all of its 2 models have a run on: t",
        "s: 1 item of lstm left out, which not all of its 2 models have",
        "s: 2 items of b left out, which lstm lacks or skips",
    ]


FOUND = ModelsCompared.of(
    [
        record("gpt2", "s", "10", reference="huggingface://gpt2"),
        record("gpt2-xl", "s", "11", size_family="GPT-2"),
        *seeds("lstm", "s", "10", "11", "00"),
        *(record(f"p@{n}", "s", "10", member=seed(n, "p", "step")) for n in (1, 2)),
    ]
).models


@pytest.mark.parametrize(
    ("name", "label", "members"),
    [
        ("gpt2", "gpt2", ["gpt2"]),
        ("huggingface://gpt2", "gpt2", ["gpt2"]),
        ("GPT-2", "gpt2-xl", ["gpt2-xl"]),
        ("*-xl", "gpt2-xl", ["gpt2-xl"]),
        ("lstm", "lstm", ["lstm/seed-1", "lstm/seed-2", "lstm/seed-3"]),
        ("lstm/*", "lstm", ["lstm/seed-1", "lstm/seed-2", "lstm/seed-3"]),
        ("lstm/seed-[12]", "lstm/seed-[12]", ["lstm/seed-1", "lstm/seed-2"]),
        ("lstm/seed-2", "lstm/seed-2", ["lstm/seed-2"]),
        ("p@1", "p@1", ["p@1"]),
        (FOUND[0].records[0].run_id[:6], "gpt2", ["gpt2"]),
    ],
)
def test_a_name_means_a_model_or_the_seeds_of_one(
    name: str, label: str, members: list[str]
) -> None:
    found = side(FOUND, name)
    assert (found.label, [each.name for each in found.members]) == (label, members)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "gpt2*",
            (
                "'gpt2*' means 2 models: gpt2, gpt2-xl; name one, or the seeds of one family "
                "(--score and --source choose among runs of one model)"
            ),
        ),
        (
            "p",
            (
                "'p' means 2 models: p@1, p@2; name one, or the seeds of one family "
                "(--score and --source choose among runs of one model)"
            ),
        ),
        (
            "bert",
            (
                "no model 'bert' among the chosen runs; there are gpt2, gpt2-xl, lstm/seed-1, "
                "lstm/seed-2, lstm/seed-3, p@1, p@2"
            ),
        ),
    ],
)
def test_a_name_that_means_nothing_or_several_models(name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        side(FOUND, name)
    assert str(caught.value) == message


def test_a_model_under_two_rules_is_named_with_the_rule() -> None:
    two = ModelsCompared.of(
        [record(holds=["1", "1"]), record(holds=["1", "0"], rule="first")]
    ).models
    assert side(two, "m (score=first)").score_rule == "first"
    with pytest.raises(
        UsageError, match=r"'m' means 2 models: m \(score=all\), m \(score=first\);"
    ):
        side(two, "m")


def test_a_family_is_its_mean_on_the_suites_and_items_that_all_members_have() -> None:
    records = [*seeds("lstm", "s", "110", "100"), *seeds("lstm", "t", "1")]
    shorter = record("lstm/seed-3", "s", "11", member=seed(3), items=[3, 1])
    found = side(ModelsCompared.of([*records, shorter]).models, "lstm")
    assert list(found.suites) == [("", "s")]
    ((column, _),) = found.columns(("", "s")).values()
    assert column.item_numbers.tolist() == [1, 3]
    assert column.holds.tolist() == pytest.approx([1.0, 1 / 3])


def test_versions_of_a_suite_are_told_by_their_hashes() -> None:
    one = record("lstm/seed-1", "s", "10", member=seed(1), sha256="a")
    other = record("lstm/seed-2", "s", "10", member=seed(2))
    found = side(ModelsCompared.of([one, other]).models, "lstm")
    assert found.hashes(("", "s")) == {"a"}


@pytest.mark.parametrize(("average", "difference"), [("suites", 0.25), ("items", 0.4)])
def test_suites_or_all_items_count_alike(average: Average, difference: float) -> None:
    records = on_suites(s=("11111111", "11110000"), t=("11", "11"))
    found = ModelsCompared.of(records).models
    comparison = Comparison.of_sides(side(found, "a"), side(found, "b"), average=average)
    (row,) = comparison.level("all")
    assert row.difference.mean == pytest.approx(difference)
    assert row.a.accuracy - row.b.accuracy == pytest.approx(difference)
    assert row.difference.low < difference < row.difference.high
    means = {"suites": "mean over suites", "items": "all their items together"}[average]
    assert any(line.endswith(f"circuits and all suites: {means}.") for line in lines_of(comparison))
    assert set(comparison.frame()["average"]) == {average}
