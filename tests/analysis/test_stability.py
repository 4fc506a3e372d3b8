"""Suites with and without intervening material."""

import io
import math
from collections.abc import Sequence

import pytest
from rich.console import Console
from scipy.stats import norm
from tests.analysis.records import record, seed, seeds

from pommel.analysis.stability import COLUMNS, Pairing, Stability, StabilityRow
from pommel.scoring.run_record import RunRecord


def pair(model: str, base: str, holds: str, modified: str, holds_modified: str) -> list[RunRecord]:
    return [record(model, base, holds), record(model, modified, holds_modified, modifier_of=base)]


def mean_of(rows: Sequence[StabilityRow]) -> StabilityRow:
    (row,) = (each for each in rows if not each.pairing.base and not each.is_family)
    return row


def test_pairs_and_their_mean() -> None:
    rows = Stability.of(
        [*pair("m", "s", "1111", "s_mod", "1100"), *pair("m", "t", "10", "t_mod", "11")]
    ).rows
    assert [(row.pairing.base, row.pairing.modified, row.difference) for row in rows] == [
        ("s", "s_mod", -0.5),
        ("t", "t_mod", 0.5),
        ("", "", 0.0),
    ]
    mean = rows[-1]
    assert (mean.accuracy_base, mean.accuracy_modified) == (0.75, 0.75)
    assert (mean.n_bases, mean.n_modified) == (2, 2)


def test_a_base_with_several_modified_suites_counts_once() -> None:
    records = [
        *pair("m", "s", "1111", "s_mod", "1100"),
        record("m", "s_long", "0000", modifier_of="s"),
        *pair("m", "t", "1000", "t_mod", "1111"),
    ]
    mean = mean_of(Stability.of(records).rows)
    assert (mean.n_bases, mean.n_modified) == (2, 3)
    assert mean.accuracy_base == 0.625
    assert mean.accuracy_modified == (0.25 + 1.0) / 2
    assert mean.interval.low <= mean.difference == 0.0 <= mean.interval.high


def test_equal_means_do_not_differ_in_their_last_digits() -> None:
    modified = [("s_a", "100"), ("s_b", "110"), ("s_c", "110")]
    records = [
        record("m", "s", "111110000"),
        *(record("m", name, holds, modifier_of="s") for name, holds in modified),
    ]
    mean = mean_of(Stability.of(records).rows)
    assert mean.accuracy_modified != mean.accuracy_base == 5 / 9
    assert mean.difference == 0.0


def test_the_interval_is_that_of_two_independent_shares() -> None:
    base, modified = "1" * 320 + "0" * 80, "1" * 200 + "0" * 200
    row = mean_of(Stability.of(pair("m", "s", base, "s_mod", modified)).rows)
    error = math.sqrt(0.8 * 0.2 / 400 + 0.5 * 0.5 / 400)
    half = norm.ppf(0.975) * error
    assert row.interval.low == pytest.approx(-0.3 - half, abs=0.006)
    assert row.interval.high == pytest.approx(-0.3 + half, abs=0.006)


def test_the_interval_of_a_mean_over_pairs() -> None:
    base, modified = "1" * 320 + "0" * 80, "1" * 200 + "0" * 200
    records = [*pair("m", "s", base, "s_mod", modified), *pair("m", "t", base, "t_mod", base)]
    row = mean_of(Stability.of(records).rows)
    half = norm.ppf(0.975) * math.sqrt(3 * 0.16 / 400 + 0.25 / 400) / 2
    assert row.difference == pytest.approx(-0.15)
    assert row.interval.low == pytest.approx(-0.15 - half, abs=0.005)
    assert row.interval.high == pytest.approx(-0.15 + half, abs=0.005)


def test_pairs_are_of_one_language_and_one_model() -> None:
    records = [
        record("m", "s", "11", language="de"),
        record("m", "s_mod", "10", language="fr", modifier_of="s"),
        record("n", "s", "11", language="fr"),
    ]
    assert Stability.of(records).rows == ()
    (row, _) = Stability.of([*records, record("m", "s", "10", language="fr")]).rows
    assert row.pairing == Pairing(language="fr", base="s", modified="s_mod")


def test_a_suite_without_a_score_makes_no_pair() -> None:
    assert Stability.of(pair("m", "s", "--", "s_mod", "10")).rows == ()


def test_shares_that_were_published_alone_have_no_interval() -> None:
    rows = Stability.of(
        [record("m", "s", share=0.9), record("m", "s_mod", share=0.6, modifier_of="s")]
    ).rows
    assert rows[-1].difference == pytest.approx(-0.3)
    assert math.isnan(rows[-1].interval.low)


def test_a_family_is_the_mean_over_members_that_have_all_pairs() -> None:
    records = [
        *seeds("lstm", "s", "11", "10", "00"),
        *seeds("lstm", "s_mod", "10", "10", modifier_of="s"),
    ]
    stability = Stability.of(records)
    frame = stability.frame()
    assert frame["member"].isna().tolist() == frame["is_family"].tolist()
    assert frame["member"].iloc[0] == "seed-1"
    rows = [row for row in stability.rows if row.is_family]
    assert [
        (row.label, row.n_members, row.accuracy_base, row.accuracy_modified) for row in rows
    ] == [("lstm", 2, 0.75, 0.5)] * 2
    found = rows[-1].difference, rows[-1].sd, rows[-1].sd_population
    assert found == pytest.approx((-0.25, math.sqrt(0.125), 0.25))


def test_a_family_of_which_no_member_has_all_pairs_has_no_mean_over_them() -> None:
    records = [
        record(f"lstm/seed-{n}", suite, "10", member=seed(n), modifier_of=base)
        for n, own in ((1, "s"), (2, "t"))
        for suite, base in ((own, ""), (f"{own}_mod", own))
    ]
    rows = [row for row in Stability.of(records).rows if row.is_family]
    assert [(row.pairing.base, row.n_members) for row in rows] == [("s", 1), ("t", 1)]


def test_steps_of_a_training_have_no_mean() -> None:
    records = [
        record(f"m@{n}", suite, "10", member=seed(n, "m", "step"), modifier_of=base)
        for n in (1, 2)
        for suite, base in (("s", ""), ("s_mod", "s"))
    ]
    assert not any(row.is_family for row in Stability.of(records).rows)


def test_the_frame() -> None:
    frame = Stability.of(pair("m", "s", "11", "s_mod", "10")).frame()
    assert [*frame.columns] == [each.name for each in COLUMNS]
    assert frame["level"].tolist() == ["pair", "mean"]
    assert frame["suite"].tolist() == ["s", ""]
    assert frame["difference"].tolist() == [-0.5, -0.5]
    assert frame["sd"].isna().all()


def lines_of(records: list[RunRecord]) -> list[str]:
    stream = io.StringIO()
    table = Stability.of(records).tables()[0]
    Console(file=stream, width=300, highlight=False).print(table)
    return [" ".join(line.split()) for line in stream.getvalue().splitlines()]


def test_the_mean_is_bold() -> None:
    records = [record("m", "s", "11"), record("m", "s_mod", "10", modifier_of="s")]
    (table,) = Stability.of(records).tables()
    assert [each.style for each in table.rows] == [None, "bold"]


def test_pairs_and_means() -> None:
    lines = lines_of(
        [
            record("m", "s", "11"),
            record("m", "s_mod", "11", modifier_of="s"),
            record("m", "s_long", "00", modifier_of="s"),
        ]
    )
    assert "│ m │ s │ s_long │ 1.00 │ 0.00 │ -1.00 [-1.00, -0.02] │" in lines
    assert "│ │ s │ s_mod │ 1.00 │ 1.00 │ +0.00 [-0.66, +0.66] │" in lines
    assert "│ │ mean of 1 │ of 2 │ 1.00 │ 0.50 │ -0.50 [-0.83, +0.23] │" in lines
    assert lines[-1] == (
        "Means count a suite once, those with material that belong to it by their mean."
    )


def test_families_have_means_and_languages_a_name_where_there_are_several() -> None:
    records = [
        run
        for language in ("de", "fr")
        for run in (
            *seeds("lstm", "s", "11", "11", language=language),
            *seeds("lstm", "s_mod", "11", "10", language=language, modifier_of="s"),
        )
    ]
    lines = lines_of(records)
    assert ("│ lstm (mean ± sd, n = 2) │ s (de) │ s_mod │ 1.00 │ 0.75 │ -0.25 ± 0.35 │") in lines
    assert "sd: of a sample (n - 1), over members." in lines
