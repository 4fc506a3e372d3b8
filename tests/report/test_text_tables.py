"""Tables for papers: what stands in them equals the tidy frames."""

import csv
import io
import re
from typing import Any, get_args

import pandas as pd
import pytest
from tests.analysis.records import record, seeds
from tests.report.latex_reader import LatexTable, read_table
from tests.report.test_markdown import read

from pommel.analysis.accuracy import Accuracies, Level
from pommel.analysis.asking import Settings
from pommel.analysis.models_compared import Average
from pommel.errors import UsageError
from pommel.report.text_tables import TABLES, Form
from pommel.scoring.run_record import RunRecord

POOLED = Settings(average="items")


def latex(records: list[RunRecord], name: str = "scores") -> LatexTable:
    return read_table(TABLES[name].text(records, "latex"))


def frame(records: list[RunRecord], name: str) -> pd.DataFrame:
    text = TABLES[name].text(records, "csv")
    return pd.read_csv(io.StringIO(text), dtype={"prediction_id": str}, keep_default_na=True)


def accuracy_rows(records: list[RunRecord], level: Level) -> list[dict[Any, Any]]:
    return Accuracies.of(records, level).frame().to_dict("records")


def shown(row: dict[Any, Any], interval: str) -> str:
    """Return an accuracy with its interval."""
    low, high = row[f"{interval}_low"], row[f"{interval}_high"]
    return f"{row['accuracy']:.2f} [{low:.2f}, {high:.2f}]"


def two_models(a: str = "a_1", b: str = "b%2") -> list[RunRecord]:
    """Return two models, of which the first is better on one circuit, the second on the other."""
    return [
        record(a, "number", "1100", circuit="agreement"),
        record(a, "number_mod", "1000", circuit="agreement", modifier_of="number"),
        record(a, "npi", "1110", circuit="licensing"),
        record(b, "number", "1111", circuit="agreement"),
        record(b, "number_mod", "1110", circuit="agreement", modifier_of="number"),
        record(b, "npi", "1100", circuit="licensing"),
    ]


def bold_of(text: str) -> list[str]:
    """Return the cells in bold of a table in Markdown."""
    cells = [cell.strip() for line in text.splitlines()[2:] for cell in line.split("|")]
    return [cell.strip("*") for cell in cells if cell.startswith("**")]


# --- scores


def test_scores_are_those_of_the_frames() -> None:
    records = two_models()
    rows = latex(records).rows
    suites = accuracy_rows(records, "suite")
    wanted = {(row["model_name"], row["suite"]): shown(row, "wilson") for row in suites}
    assert rows[0] == ["circuit", "suite", "items", "a_1", "b%2"]
    assert rows[1:4] == [
        [circuit, suite, "4", wanted["a_1", suite], wanted["b%2", suite]]
        for circuit, suite in (("agreement", "number"), ("", "number_mod"), ("licensing", "npi"))
    ]
    agreement = [row for row in accuracy_rows(records, "circuit") if row["circuit"] == "agreement"]
    assert rows[4] == ["agreement", "mean", "", *(shown(row, "stratified") for row in agreement)]
    overall = accuracy_rows(records, "model")
    assert rows[6] == ["all suites", "SG score", "", *(shown(row, "stratified") for row in overall)]
    assert len(rows) == 7


def test_what_a_table_of_scores_says_of_itself() -> None:
    paragraphs, rows = read(TABLES["scores"].text(two_models(), "md"))
    assert paragraphs == [
        "SG scores (all predictions of a suite hold)",
        (
            "Share of items on which a suite's predictions hold [95% Wilson interval].\n"
            "Mean over suites [95% stratified score interval]; every suite counts alike.\n"
            "Of one suite: its own score and interval.\n"
            "Bold: the best."
        ),
    ]
    assert rows == latex(two_models()).rows
    assert latex(two_models()).caption == f"{paragraphs[0]}. {paragraphs[1]}".replace("\n", " ")


def test_the_best_of_each_row_is_bold_and_of_equals_all() -> None:
    text = TABLES["scores"].text(two_models(), "md")
    assert [cell.split(" ")[0] for cell in bold_of(text)] == [
        *("1.00", "0.75", "0.75"),  # the three suites
        *("0.88", "0.75", "0.75"),  # two circuits and the SG score
    ]
    equal = [record(model, "s", "1100") for model in ("a", "b")]
    assert bold_of(TABLES["scores"].text(equal, "md")) == []
    assert (
        bold_of(TABLES["scores"].text([*equal, record("c", "s", "0000")], "md"))
        == ["0.50 [0.15, 0.85]"] * 2
    )


def test_of_one_suite_there_are_no_means() -> None:
    table = latex([record("m", "s", "1100", circuit="c")])
    assert table.rows[1:] == [["c", "s", "4", "0.50 [0.15, 0.85]"]]
    assert "Mean" not in table.caption
    assert "Bold" not in table.caption


@pytest.mark.parametrize("name", ["scores", "circuits", "comparison"])
def test_items_of_several_suites_may_be_pooled(name: str) -> None:
    records = [
        record(model, suite, holds, circuit=circuit)
        for model in "ab"
        for suite, circuit, holds in (("s", "c", "1110"), ("t", "c", "01"), ("u", "d", "1"))
    ]
    shown = {
        average: TABLES[name].text(records, "md", Settings(average=average))
        for average in get_args(Average)
    }
    assert "SG score" in shown["suites"]
    assert "all items" in shown["items"]
    assert "SG score" not in shown["items"]
    assert not re.search(r"every suite counts|\| +mean|[Mm]eans? over suites", shown["items"])
    rows = csv.DictReader(io.StringIO(TABLES["circuits"].text(records, "csv", POOLED)))
    assert {row["circuit"]: row["accuracy"] for row in rows} == {
        "c": str(4 / 6),
        "d": "1.0",
        "": str(5 / 7),
    }


@pytest.mark.parametrize(("name", "form"), [("predictions", "md"), ("scores", "csv")])
def test_without_an_accuracy_of_several_suites_there_is_nothing_to_pool(
    name: str, form: Form
) -> None:
    message = f"the table {name} has no accuracy of several suites as {form}; leave out --average "
    with pytest.raises(UsageError, match=re.escape(message)):
        TABLES[name].text(two_models(), form, POOLED)


def test_what_is_not_there_is_not_shown() -> None:
    records = [
        record("a", "s", "1100"),
        record("b", "t", "11--"),
        record("c", "t", "----"),
        record("a", "u", share=0.75),
        record("a", "v"),
    ]
    rows = {row[1]: row for row in latex(records).rows}
    assert rows["s"] == ["(none)", "s", "4", "0.50 [0.15, 0.85]", "", ""]
    assert rows["t"] == ["", "t", "4", "", "1.00 [0.34, 1.00] of 2", "-"]
    assert rows["u"] == ["", "u", "-", "0.75", "", ""]
    assert rows["v"] == ["", "v", "-", "-", "", ""]


def test_seeds_have_a_mean_behind_them_which_is_not_bold() -> None:
    records = [*seeds("lstm", "s", "1111", "1100"), record("m", "s", "1110")]
    text = TABLES["scores"].text(records, "md")
    assert latex(records).rows == [
        ["circuit", "suite", "items", "lstm/seed-1", "lstm/seed-2", "lstm (mean ± sd, n = 2)", "m"],
        [
            *("(none)", "s", "4"),
            *("1.00 [0.51, 1.00]", "0.50 [0.15, 0.85]", "0.75 ± 0.35", "0.75 [0.30, 0.95]"),
        ],
    ]
    assert bold_of(text) == ["1.00 [0.51, 1.00]"]
    assert "Of a family: mean ± sd of a sample (n - 1) over members." in text


def test_many_seeds_are_shown_by_their_mean_alone_which_may_be_the_best() -> None:
    records = [
        *seeds("lstm", "s", *["1111"] * 7),
        *seeds("lstm", "t", *["1111"] * 6, "----"),
        record("m", "s", "1110"),
    ]
    table = TABLES["scores"].text(records, "md")
    _, rows = read(table)
    assert rows[0][3:] == ["lstm (mean ± sd, n = 7)", "m"]
    assert rows[1][3] == "1.00 ± 0.00"
    assert rows[2][3] == "1.00 ± 0.00 (n = 6)"
    # The other one has no score on both together.
    assert rows[3][3] == "1.00 ± 0.00 (n = 6) (2 of 2)"
    assert bold_of(table) == ["1.00 ± 0.00"]


def test_several_predictions_of_a_suite_are_averaged_under_each() -> None:
    records = [record("m", "s", ["1111", "1100"], rule="each", formulas=["a", "b"])]
    (row,) = latex(records).rows[1:]
    (mean,) = Accuracies.of(records).rows
    assert row[2:] == ["4", f"0.75 [{mean.stratified.low:.2f}, {mean.stratified.high:.2f}]"]
    assert latex(records).caption.startswith("Scores (each prediction on its own). ")
    assert latex(records).caption.endswith(
        "Share of items on which a suite's predictions hold. Of several predictions: their mean "
        "[95% stratified score interval]."
    )


def test_score_rules_that_differ_are_named() -> None:
    records = [record("a", "s", "11"), record("b", "s", "11", rule="first")]
    caption = latex(records).caption
    assert caption.startswith("Scores. ")
    assert caption.endswith(" Score rules differ (all: a; first: b).")


def test_suites_of_several_languages_are_told_apart() -> None:
    records = [record("m", "s", "1100", language=language) for language in ("de", "fr")]
    assert [row[1] for row in latex(records).rows[1:]] == ["s (de)", "s (fr)", "SG score"]


def test_a_model_in_two_ways_has_two_columns() -> None:
    ways = [record("m", "s", "1100"), record("m", "s", "1111", source="paper")]
    names = ["m (source=pommel)", "m (source=paper)"]
    assert latex(ways).rows[0][3:] == names
    assert frame(ways, "scores")["model_name"].tolist() == names


# --- circuits


def test_circuits_are_columns_and_the_score_has_an_interval() -> None:
    records = two_models()
    table = latex(records, "circuits")
    overall = [shown(row, "stratified") for row in accuracy_rows(records, "model")]
    assert table.rows == [
        ["model", "agreement", "licensing", "SG score"],
        ["a_1", "0.38", "0.75", overall[0]],
        ["b%2", "0.88", "0.50", overall[1]],
    ]
    best = bold_of(TABLES["circuits"].text(records, "md"))
    assert [cell.split(" ")[0] for cell in best] == ["0.75", "0.88", "0.75"]


def test_the_frame_of_circuits_has_them_and_all_suites() -> None:
    records = two_models()
    wanted = Accuracies(
        rows=(*Accuracies.of(records, "circuit").rows, *Accuracies.of(records, "model").rows)
    ).frame()
    found = frame(records, "circuits")
    assert found["level"].tolist() == ["circuit"] * 4 + ["model"] * 2
    assert found["accuracy"].tolist() == wanted["accuracy"].tolist()


# --- predictions


def test_predictions_have_their_words_and_a_section_a_suite() -> None:
    records = [
        record("a", "s", ["1100", "1111"], formulas=["(1;%x%) < (1;%y%)", "(2;%x%) < (2;%y%)"]),
        record("a", "t", "1111"),
        record("b", "s", ["1000", "----"]),
    ]
    table = latex(records, "predictions")
    assert table.columns == "lprr"
    assert table.rows == [
        ["suite", "prediction", "a", "b"],
        ["s", "0: (1;%a%) < (1;%b%)", "0.50 [0.15, 0.85]", "0.25 [0.05, 0.70]"],
        ["", "1: (1;%a%) < (1;%b%)", "1.00 [0.51, 1.00]", "-"],
        ["t", "0: (1;%a%) < (1;%b%)", "1.00 [0.51, 1.00]", ""],
    ]
    assert table.n_rules == 2
    found = frame(records, "predictions")
    assert found["prediction_id"].tolist() == ["0", "1", "0", "0", "1"]


# --- accuracy, comparison, stability


def test_a_comparison_is_of_two_models_and_says_what_it_leaves_out() -> None:
    records = [*two_models(), record("a_1", "extra", "1111")]
    table = latex(records, "comparison")
    assert table.caption.startswith("A = a_1, B = b%2. Share of the items that both have")
    assert table.caption.endswith(" 1 suite of a_1 left out, which b%2 has no run on: extra.")
    assert [row[:3] for row in table.rows[1:]] == [
        ["agreement", "number", "4"],
        ["", "number_mod", "4"],
        ["licensing", "npi", "4"],
        ["agreement", "mean", "8"],
        ["licensing", "mean", "4"],
        ["all suites", "SG score", "12"],
    ]
    overall = frame(records, "comparison").to_dict("records")[-1]
    interval = f"[{overall['difference_low']:+.2f}, {overall['difference_high']:+.2f}]"
    assert table.rows[-1][9] == f"{overall['difference']:+.2f} {interval}"


def test_the_sides_of_a_comparison_may_be_a_family_or_its_two_members() -> None:
    family = seeds("lstm", "s", "1111", "1100")
    sides = frame([*family, record("m", "s", "1110")], "comparison")
    assert (sides["model_a"][0], sides["model_b"][0]) == ("lstm", "m")
    members = frame(family, "comparison")
    assert (members["model_a"][0], members["model_b"][0]) == ("lstm/seed-1", "lstm/seed-2")


@pytest.mark.parametrize(("models", "said"), [("a", "1 model (a)"), ("abc", "3 models (a, b, c)")])
def test_a_comparison_of_one_or_three_is_none(models: str, said: str) -> None:
    records = [record(model, "s", "1100") for model in models]
    with pytest.raises(UsageError) as caught:
        TABLES["comparison"].text(records, "md")
    assert str(caught.value) == (
        f"a comparison is of two models, and these runs are of {said}; choose two with --model"
    )


# --- all


@pytest.mark.parametrize("name", TABLES)
def test_forms_say_the_same_and_names_are_text(name: str) -> None:
    hostile = ("a_|*1\\", "<b>&%{2}$")
    records = two_models(*hostile)
    _, rows = read(TABLES[name].text(records, "md"))
    assert rows == latex(records, name).rows
    # Those of a comparison are in its title.
    assert name == "comparison" or set(hostile) <= {cell for row in rows for cell in row}
    csv_rows = list(csv.reader(io.StringIO(TABLES[name].text(records, "csv"))))
    assert set(hostile) <= {cell for row in csv_rows for cell in row}


def test_a_form_that_is_none() -> None:
    records = [record("m", "s", "11")]
    with pytest.raises(UsageError, match=f"'tex'; it is one of {', '.join(get_args(Form))}$"):
        TABLES["scores"].text(records, "tex")  # type: ignore[arg-type]
