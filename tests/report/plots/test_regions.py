"""Surprisal by region as a plot."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.builders import AGREEMENT, make_suite
from tests.report.plots.drawn import Drawn, draw
from tests.word_model import WordModel

from pommel.errors import UsageError
from pommel.models import Named, Policy
from pommel.models.family import Membership
from pommel.report.plots.regions import named_runs, region_chart, region_labels, region_rows
from pommel.scoring import Choices
from pommel.scoring.run import Run, run_suites
from pommel.sources import load_suites
from pommel.statistics import Spread
from pommel.suite.suite import Suite

BITS = {"dog": 1.5, "cats": 4.25, "barks": 2.0, "bark": 6.5, "sleep": 3.0, "sleeps": 8.0, ".": 0.5}

SUITE = make_suite(
    [
        AGREEMENT,
        {"match": ("Cats", "sleep", "."), "mismatch": ("Cats", "sleeps", ".")},
        {"match": ("The cats", "sleep", ""), "mismatch": ("The cats", "sleeps", "")},
    ]
)


WORDS = (*BITS, "The", "Cats")


def run_of(suite: Suite = SUITE, name: str = "words", **bits: float | None) -> Run:
    (run,) = run_suites(WordModel(bits={**BITS, **bits}), [suite])
    surprisals = replace(
        run.surprisals, model=replace(run.surprisals.model, name=name, fingerprint=name)
    )
    return Run(surprisals=surprisals, result=surprisals.evaluate())


def means(run: Run) -> pd.DataFrame:
    """Return mean and error within items by condition and region, from the table of regions.

    There are two conditions: an error is that of the paired difference, divided by sqrt(2).
    """
    frame = run.to_frame("regions")
    # A region without a token has the sum 0, and no point.
    frame = frame[frame["n_tokens"] > 0]
    by_region = frame.groupby(["condition_name", "region_number"])["sum_bits"]
    found = by_region.agg(["mean", "count"])
    wide = frame.pivot_table(
        index=["region_number", "item_number"], columns="condition_name", values="sum_bits"
    )
    difference = (wide["match"] - wide["mismatch"]).groupby("region_number").sem() / 2**0.5
    found["error"] = difference.reindex(found.index.get_level_values("region_number")).to_numpy()
    return found


def test_every_point_is_the_tables_mean(capfd: pytest.CaptureFixture[str]) -> None:
    runs = [run_of(name="a"), run_of(name="b", barks=9.75, bark=1.0)]
    drawn = draw(region_chart(runs), capfd)
    for run in runs:
        known = means(run)
        own = [row for row in drawn.rows if row["model"] == run.result.model_name]
        assert {(row["condition"], row["region_number"]) for row in own} == set(known.index)
        for row in own:
            mean, count, error = known.loc[(row["condition"], row["region_number"])]
            assert row["mean_bits"] == pytest.approx(mean)
            assert row["low_bits"] == pytest.approx(mean - error)
            assert row["high_bits"] == pytest.approx(mean + error)
            assert row["n_items"] == count
    points = drawn.marks("symbol")
    assert len(points) == len(drawn.rows) == 12
    drawn_bits = {
        (each["model"], each["condition"], each["region number"]): float(each["surprisal (bits)"])
        for each in points
    }
    for row in drawn.rows:
        place = (row["model"], row["condition"], str(row["region_number"]))
        assert drawn_bits[place] == pytest.approx(row["mean_bits"])
    assert len(drawn.marks("rule")) == 12
    assert len(drawn.marks("line")) == 4


def test_regions_that_predictions_name_are_filled(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(region_chart([run_of()]), capfd)
    assert {
        (row["condition"], row["region_number"]) for row in drawn.rows if row["is_compared"]
    } == {("match", 2), ("mismatch", 2)}
    layers = drawn.spec["spec"]["layer"]
    marks = {layer["transform"][-1]["filter"]: layer["mark"] for layer in layers[4:6]}
    assert marks["!datum.is_compared"] == {
        "type": "point",
        "filled": False,
        "fill": "white",
        "opacity": 1,
        "size": 45,
        "strokeWidth": 1.5,
    }
    assert marks["datum.is_compared"]["filled"] is True
    # The column behind them.
    assert len(drawn.marks("rect")) == 1


def test_what_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(region_chart([run_of()]), capfd)
    labels = {"1 r1", '"The dog"', "2 r2", '"barks"', '"bark"', "3 r3", "match", "words"}
    assert labels | {"region", "surprisal (bits)"} <= {*drawn.texts}
    assert drawn.texts[-1] == "small"
    assert drawn.caption == (
        "small. Mean surprisal by region and condition over 2 to 3 items. Model: words. Whiskers: "
        "± 1 standard error within items (Cousineau 2005; Morey 2008), of the conditions that a "
        "prediction compares there, elsewhere of all. Contents: first item. Filled points and grey "
        "columns: what predictions compare."
    )


def test_the_first_metric_is_drawn(capfd: pytest.CaptureFixture[str]) -> None:
    run = run_of(make_suite([AGREEMENT, *SUITE_ITEMS], metric=["mean", "sum"]))
    drawn = draw(region_chart([run]), capfd)
    rows = {(row["condition"], row["region_number"]): row for row in drawn.rows}
    frame = run.to_frame("regions")
    own = frame[(frame["condition_name"] == "match") & (frame["region_number"] == 1)]["mean_bits"]
    row, mean = rows["match", 1], float(own.mean())
    # It has the same words in both conditions.
    assert (row["mean_bits"], row["low_bits"], row["high_bits"]) == pytest.approx(
        (mean, mean, mean)
    )
    assert "mean surprisal of the tokens (bits)" in drawn.texts


SUITE_ITEMS: list[dict[str, Any]] = [
    {"match": ("Cats", "sleep", "."), "mismatch": ("Cats", "sleeps", ".")},
    {"match": ("The cats", "sleep", "."), "mismatch": ("The cats", "sleeps", ".")},
]


def test_one_item_has_no_whiskers(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(region_chart([run_of(make_suite())]), capfd)
    assert [row["low_bits"] for row in drawn.rows] == [None] * 6
    assert len(drawn.marks("symbol")) == 6
    # And nothing is said of any.
    assert "over 1 item. Model: words. Contents: first item. " in drawn.caption


def test_a_region_without_a_surprisal_has_no_point(capfd: pytest.CaptureFixture[str]) -> None:
    """Its sum would be 0."""
    drawn = draw(region_chart([run_of(barks=None, bark=None)]), capfd)
    rows = {(row["condition"], row["region_number"]): row for row in drawn.rows}
    # Of three items, one has no surprisal there.
    assert rows["match", 2]["n_items"] == 2
    alone = draw(region_chart([run_of(make_suite(), barks=None)]), capfd)
    row = next(
        row for row in alone.rows if (row["condition"], row["region_number"]) == ("match", 2)
    )
    assert (row["n_items"], row["mean_bits"]) == (0, None)
    assert len(alone.marks("symbol")) == 5


def test_words_of_probability_zero(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(region_chart([run_of(bark=math.inf)]), capfd)
    row = next(row for row in drawn.rows if row["is_infinite"])
    assert (row["condition"], row["region_number"], row["mean_bits"]) == ("mismatch", 2, None)
    # It is a point at the top, with a mark over it; and no line leads past it.
    infinite = [each for each in drawn.marks("symbol") if "surprisal (bits)" not in each]
    assert [(each["condition"], each["region number"]) for each in infinite] == [("mismatch", "2")]
    assert drawn.texts.count("∞") == 1
    assert drawn.caption.endswith(" ∞: 1 mean is infinite, since a word has probability 0.")
    assert drawn.pieces("condition") == {"match": 1, "mismatch": 2}


def test_a_model_to_which_all_is_impossible_is_still_marked(
    capfd: pytest.CaptureFixture[str],
) -> None:
    impossible = run_of(SUITE, "impossible", **dict.fromkeys(WORDS, math.inf))
    drawn = draw(region_chart([run_of(), impossible]), capfd)
    infinite = [row for row in drawn.rows if row["is_infinite"]]
    assert {row["model"] for row in infinite} == {"impossible"}
    assert len(drawn.marks("symbol")) == len(drawn.rows) == 12
    # One mark a region.
    assert drawn.texts.count("∞") == 3
    with pytest.raises(UsageError) as caught:
        region_chart([impossible])
    assert str(caught.value) == (
        "small: there is no finite surprisal to be shown: every region has a word of probability 0"
    )


def test_a_model_without_surprisals_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    nothing = run_of(SUITE, "nothing", **dict.fromkeys(WORDS, None))
    drawn = draw(region_chart([run_of(), nothing]), capfd)
    assert {row["missing"] for row in drawn.rows if row["model"] == "nothing"} == {"unscored"}
    assert drawn.caption.endswith(" nothing: no surprisal is known.")


def needed_only(name: str, suite: Suite = SUITE) -> Run:
    """Return a run in which only what predictions need has been scored."""
    (run,) = run_suites(WordModel(bits=BITS), [suite], Choices(regions="needed"))
    surprisals = replace(
        run.surprisals, model=replace(run.surprisals.model, name=name, fingerprint=name)
    )
    return Run(surprisals=surprisals, result=surprisals.evaluate())


def test_regions_that_were_not_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    drawn = draw(region_chart([run_of(), needed_only("partial"), needed_only("other")]), capfd)
    own = [row for row in drawn.rows if row["model"] == "partial"]
    assert {(row["region_number"], row["missing"], row["n_items"]) for row in own} == {
        (1, "not asked for", 0),
        (2, "", 3),
        (3, "not asked for", 0),
    }
    # In the other model's run a region is empty in one item, which is nothing to speak of.
    assert {row["missing"] for row in drawn.rows if row["model"] == "words"} == {""}
    assert drawn.caption.endswith(
        " partial, other: only the regions that predictions need; `pommel run toy://words "
        "small.json --regions all` scores the others."
    )
    without_predictions = needed_only("partial", make_suite(formulas=[]))
    with pytest.raises(UsageError) as caught:
        region_chart([without_predictions])
    assert str(caught.value) == (
        "small: the surprisal of no region is known; `pommel run toy://words "
        "small.json --regions all` scores them"
    )


def test_a_line_does_not_lead_past_regions_that_were_not_asked_for(
    capfd: pytest.CaptureFixture[str],
) -> None:
    formulas = ["(1;%match%) < (1;%mismatch%)", "(3;%match%) < (3;%mismatch%)"]
    suite = make_suite(formulas=formulas)
    whole = draw(region_chart([run_of(suite)]), capfd)
    assert whole.pieces("condition") == {"match": 1, "mismatch": 1}
    drawn = draw(region_chart([run_of(suite), needed_only("partial", suite)]), capfd)
    assert {row["missing"] for row in drawn.rows if row["region_number"] == 2} == {
        "",
        "not asked for",
    }
    assert drawn.pieces("condition") == {"match": 2, "mismatch": 2}


def test_a_line_leads_past_empty_regions(capfd: pytest.CaptureFixture[str]) -> None:
    suite = make_suite([{"match": ("The dog", "", "."), "mismatch": ("The dog", "bark", ".")}])
    drawn = draw(region_chart([run_of(suite)]), capfd)
    assert [row["missing"] for row in drawn.rows] == [""] * 6
    assert len(drawn.marks("symbol")) == 5
    assert drawn.pieces("condition") == {"match": 1, "mismatch": 1}


def test_runs_of_one_name_are_told_apart(capfd: pytest.CaptureFixture[str]) -> None:
    one = run_of()
    choices = Choices(policy=Policy(eos="never"))
    other = Run(surprisals=replace(one.surprisals, choices=choices), result=one.result)
    models = {row["model"] for row in draw(region_chart([one, other]), capfd).rows}
    assert models == {"words (eos=auto)", "words (eos=never)"}


def written(drawn: Drawn) -> set[str]:
    return {text.strip(MARK) for text in drawn.texts}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("הכלבים", "רצים"), '"הכלבים"'),
        (("собаки", "лают"), '"собаки"'),
        (("कुत्ते", "दौड़ते"), '"कुत्ते"'),
        (("</script>", "<b>&amp;"), '"</script>"'),
    ],
)
def test_scripts_and_marks_up(
    words: tuple[str, str], shown: str, capfd: pytest.CaptureFixture[str]
) -> None:
    suite = make_suite([{"match": words, "mismatch": words[::-1]}], name="<i>s</i>")
    drawn = draw(region_chart([run_of(suite)]), capfd)
    assert {shown, "<i>s</i>"} <= written(drawn)


MARK = "\u200e"


def test_lines_from_right_to_left_stay_in_their_places(capfd: pytest.CaptureFixture[str]) -> None:
    """Without marks, PNG and PDF have them over one another; other lines need none."""
    words = ("القط", "ينام")
    suite = make_suite([{"match": words, "mismatch": words}])
    suite = replace(suite, region_names={1: "الفاعل", 2: "الفعل الطويل جدا جدا جدا"})
    texts = draw(region_chart([run_of(suite, name="نموذج")]), capfd).texts
    labels = ["2 الفعل الطويل", "جدا جدا جدا", '"ينام"']
    assert [text for text in texts if text.startswith(MARK)][-3:] == [
        f"{MARK}{label}{MARK}" for label in labels
    ]
    # A text of one line is one without.
    assert {"نموذج", "small", "match"} <= {*texts}
    assert not any(MARK in text for text in draw(region_chart([run_of()]), capfd).texts)
    # In data there are none.
    assert MARK not in json.dumps(region_chart([run_of(suite)]).to_dict()["datasets"])


def test_titles_of_several_lines_from_right_to_left(capfd: pytest.CaptureFixture[str]) -> None:
    name = "جملة " * 20
    texts = draw(region_chart([run_of(make_suite(name=name.strip()))]), capfd).texts
    title = [text for text in texts if "جملة" in text]
    assert len(title) == 2
    assert all(text[0] == text[-1] == MARK for text in title)


def test_labels_are_broken_and_cut() -> None:
    suite = make_suite(
        [{"match": ("a b", "x " * 40), "mismatch": ("c", "y"), "third": ("d", "z")}],
        formulas=["(1;%match%) < (1;%mismatch%)"],
    )
    suite = replace(suite, region_names={1: "the_long_name_of_a_region", 2: ""})
    assert region_labels(suite) == {
        1: '1 the long name\nof a region\n"a b"\n"c"\n…',
        2: '2\n"x x x x x x x x\nx x x x x x x …\n"y"\n…',
    }


def test_sizes_of_many_models(capfd: pytest.CaptureFixture[str]) -> None:
    runs = [run_of(name=f"m{number}") for number in range(20)]
    drawn = draw(region_chart(runs), capfd)
    assert len(drawn.marks("symbol")) == 20 * 6
    assert drawn.spec["columns"] == 5
    assert [each.result.model_name for each in named_runs(runs)] == [
        f"m{number}" for number in range(20)
    ]


def test_whiskers_are_those_of_what_a_prediction_compares() -> None:
    """As in the docstring of `_errors`, computed by hand from the surprisals of three items."""
    items = [
        {"a": ("x", "p1", "."), "b": ("x", "q1", "."), "c": ("x", "r1", "z")},
        {"a": ("x", "p2", "."), "b": ("x", "q2", "."), "c": ("x", "r2", "z")},
        {"a": ("x", "p3", "."), "b": ("x", "q3", "."), "c": ("x", "r3", "z")},
    ]
    bits = {"p1": 1.0, "p2": 5.0, "p3": 9.0, "q1": 2.0, "q2": 8.0, "q3": 11.0}
    bits |= {"r1": 7.0, "r2": 1.0, "r3": 4.0}
    formulas = ["(2;%a%) < (2;%b%)", "(1;%c%) < (2;%c%)"]
    suite = make_suite(items, formulas)
    (run,) = run_suites(WordModel(bits={**bits, "x": 3.0, ".": 1.0, "z": 2.0}), [suite])
    rows = {
        (row["condition"], row["region_number"]): row["high_bits"] - row["mean_bits"]
        for row in region_rows([run], "sum")
    }
    # The differences b - a are 1, 3, 2, with a variance of 1; each bar has half of it.
    assert rows["a", 2] == rows["b", 2] == pytest.approx((1 / 2 / 3) ** 0.5)
    # r - x is 4, -2, 1: a variance of 9.
    assert rows["c", 1] == rows["c", 2] == pytest.approx((9 / 2 / 3) ** 0.5)
    # No prediction names region 3, in which nothing differs within items.
    assert rows["a", 3] == rows["c", 3] == pytest.approx(0)


def test_a_family_is_one_facet_with_its_mean_and_a_band(
    capfd: pytest.CaptureFixture[str],
) -> None:
    members = [
        run_of(name=f"seed-{seed}", barks=bits).renamed(
            Named(
                name=f"lstm/seed-{seed}",
                membership=Membership(family="lstm", axis="seed", label=f"seed-{seed}", value=seed),
            )
        )
        for seed, bits in ((1, 2.0), (2, 6.5))
    ]
    drawn = draw(region_chart([run_of(), *members]), capfd)
    assert drawn.spec["facet"]["sort"] == ["words", "lstm (mean of 2)"]
    (row,) = (
        row
        for row in drawn.rows
        if (row["model"], row["condition"], row["region_number"])
        == ("lstm (mean of 2)", "match", 2)
    )
    own = [float(means(each)["mean"]["match", 2]) for each in members]
    spread = Spread.of(own)
    assert (row["mean_bits"], row["low_bits"], row["high_bits"]) == pytest.approx(
        (spread.mean, spread.mean - spread.sd, spread.mean + spread.sd)
    )
    assert row["n_members"] == 2
    # A band a condition, and whiskers of the model alone.
    assert (len(drawn.marks("area")), len(drawn.marks("rule"))) == (2, 6)
    assert "Bands: ± 1 standard deviation (n - 1) of the means of a family's" in drawn.caption


def test_the_command_is_the_one_that_scores_as_before() -> None:
    (suite,) = load_suites(["npz_ambig"]).suites
    choices = Choices(policy=Policy(eos="never"), regions="needed")
    (run,) = run_suites(WordModel(), [suite], choices)
    assert (
        region_chart([run])
        .to_dict()["description"]
        .endswith(
            "words: only the regions that predictions need; `pommel run toy://words npz_ambig "
            "--regions all --eos never` scores the others."
        )
    )


def test_rows_are_those_of_the_chart(capfd: pytest.CaptureFixture[str]) -> None:
    rows = region_rows(named_runs([run_of()]), "sum")
    assert draw(region_chart([run_of()]), capfd).rows == rows
    assert np.isfinite([row["mean_bits"] for row in rows]).all()


def test_what_cannot_be_shown() -> None:
    with pytest.raises(UsageError) as caught:
        region_chart([])
    assert str(caught.value) == "there is no run with tokens; results of others have none"
    with pytest.raises(UsageError) as caught:
        region_chart([run_of(), run_of(make_suite(name="other"))])
    assert str(caught.value) == (
        "a plot of regions is of one suite, and these runs are of 2: small, other; "
        "`--suite NAME` chooses one"
    )
    with pytest.raises(UsageError) as caught:
        region_chart([run_of(), run_of(make_suite())])
    assert str(caught.value) == "these runs are of 2 versions of small; choose those of one"
    with pytest.raises(UsageError) as caught:
        region_chart(
            [run_of(make_suite([{"match": ("a",), "mismatch": ("b",)}], []), a=None, b=None)]
        )
    assert str(caught.value) == "small: the surprisal of no region is known"
