"""What stands in a report: the numbers of the tables, for results of every kind."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.analysis.records import record as score_record, seed
from tests.builders import make_suite
from tests.scoring.family_results import member, scored
from tests.word_model import WordModel

from pommel.errors import PommelError, UsageError
from pommel.report.page import write_report
from pommel.report.page.sections import json_for_script, packed
from pommel.report.plots.regions import named_runs, region_rows
from pommel.scoring import Choices
from pommel.scoring.results import Score, SuiteResult
from pommel.scoring.run import Run, run_suites
from pommel.scoring.run_record import RunRecord


def record(result: SuiteResult, run_id: str, **facts: Any) -> RunRecord:
    return RunRecord(run_id=run_id, result=result, **facts)


def report(path: Path, *records: RunRecord, runs: tuple[Run, ...] = ()) -> str:
    write_report(records, runs, path / "report.html", title="Results")
    return (path / "report.html").read_text("utf-8")


def rows_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    """Make rows of columns, as `report.js` does."""
    columns = {
        name: [column["texts"][place] for place in column["at"]]
        if "texts" in column
        else column["values"]
        for name, column in table["columns"].items()
    }
    return [{name: values[i] for name, values in columns.items()} for i in range(table["n"])]


def visible(page: str) -> str:
    """Return a page's text without scripts and tags, blanks put together."""
    text = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def test_the_rows_behind_the_curves_are_those_of_the_plot(demo: Path, demo_runs: list[Run]) -> None:
    page = demo.read_text("utf-8")
    found = re.search(r'<script type="application/json" id="curves-0">(.*?)</script>', page)
    assert found
    (table,) = json.loads(found[1])["tables"]
    runs = [run for run in demo_runs if run.result.suite_name == "number_prep"]
    rows = region_rows(named_runs(runs), "sum")
    rounded = [
        {key: round(value, 6) if isinstance(value, float) else value for key, value in row.items()}
        for row in rows
    ]
    assert rows_of(table) == rounded


def test_results_of_others_show_what_they_have(tmp_path: Path) -> None:
    page = report(tmp_path, record(scored("s", "theirs", "10"), "a", source="hu2020"))
    text = visible(page)
    assert "hu2020 (imported)" in text
    assert "No chart: no tokens are known of these runs, and so no surprisals of regions." in text
    assert "item 2 prediction 0 ✗ +1.00" in text
    assert "prediction 0 ✗" in text


def test_scores_over_different_suites_say_over_how_many(tmp_path: Path) -> None:
    runs = [scored("s", "a", "10"), scored("t", "a", "11"), scored("s", "b", "11")]
    text = visible(report(tmp_path, *(record(each, str(n)) for n, each in enumerate(runs))))
    assert "] (2 of 2)" in text
    assert "] (1 of 2)" in text
    assert "Models do not have the same ones, and such numbers cannot be compared." in text
    even = visible(report(tmp_path, *(record(each, str(n)) for n, each in enumerate(runs[:2]))))
    assert "k of n" not in even
    assert " of 2)" not in even


def test_swallowed_regions_are_told_below_the_scores(tmp_path: Path) -> None:
    result = scored("s", "m", "10")
    swallowed = np.array([False, True])
    own = tuple(replace(each, swallowed=swallowed) for each in result.predictions)
    text = visible(report(tmp_path, record(replace(result, predictions=own), "a")))
    assert "m on s: 1 of 2 items with a region in which no token begins" in text
    assert "no token begins <" not in visible(report(tmp_path, record(result, "a")))


def test_a_share_that_was_published_by_itself_has_no_items(tmp_path: Path) -> None:
    share = Score(label="", n_holding=0, n_items=0, reported_share=0.625)
    result = replace(scored("s", "theirs"), predictions=(), item_numbers=(), reported=share)
    text = visible(report(tmp_path, record(result, "a", source="hu2020")))
    assert "Only scores were published: no predictions, and no items." in text
    assert "0.62" in text
    assert "Failures" not in text


def test_members_of_a_family_are_folded_into_its_mean(tmp_path: Path) -> None:
    page = report(
        tmp_path,
        record(scored("s", member("seed-1"), "1100"), "a"),
        record(scored("s", member("seed-2"), "1111"), "b"),
    )
    assert "lstm mean ± sd, n = 2" in visible(page)
    assert "0.75 ± 0.35" in visible(page)
    assert page.count('<tr class="member">') == 2


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    text = visible(
        report(
            tmp_path,
            record(scored("s", "m", "10"), "a", status="interrupted"),
            record(scored("s", "m", "10"), "b", created="2026-01-01"),
            record(scored("s", "m", "11"), "c", created="2026-01-02"),
        )
    )
    assert "left out: 1 interrupted run" in text
    assert "left out for newer ones: 1 run on another version of a suite (m on s)" in text


def test_without_a_complete_run_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^there is no complete run to report on$"):
        report(tmp_path, record(scored("s", "m", "1"), "a", status="interrupted"))
    assert list(tmp_path.iterdir()) == []


def test_without_the_extra_it_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(PommelError) as caught:
        report(tmp_path, record(scored("s", "m", "1"), "a"))
    assert str(caught.value) == (
        f"pages need the plots extra: {PommelError.install('plots')}; "
        "`pommel report --table md` needs none"
    )


def test_the_page_names_no_place_that_it_would_load_from(demo: Path) -> None:
    page = demo.read_text("utf-8")
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r'(?:src|srcset|action|data)="[^"]*"', markup) == []
    assert all(href.startswith("#") for href in re.findall(r'href="([^"]*)"', markup))
    assert "default-src &#39;none&#39;; script-src &#39;sha256-" in markup


@given(
    st.lists(
        st.fixed_dictionaries(
            {"text": st.text(), "number": st.none() | st.integers() | st.just(0.5)}
        )
    )
)
def test_packed_rows_come_out_of_a_script_as_they_were(rows: list[dict[str, Any]]) -> None:
    text = json_for_script(packed(rows))
    assert "<" not in text
    assert rows_of(json.loads(text)) == rows


def test_captions_name_the_intervals_that_are_there(tmp_path: Path) -> None:
    one = scored("s", "m", "1100")
    text = visible(report(tmp_path, record(one, "a")))
    of_items = "Share of items on which a suite&#39;s predictions hold"
    assert "by circuit. Of one suite: share of items [95% Wilson interval]. model" in text
    assert f"{of_items} [95% Wilson interval]. Chance: the share that holds by chance." in text
    two = scored("t", "m", "1100", "1110", rule="each")
    text = visible(report(tmp_path, record(two, "a")))
    by_item = "several predictions: their mean [95% stratified score interval]."
    assert f"by circuit. Of one suite with {by_item} model" in text
    assert f"{of_items}. Of {by_item} Chance: the share that holds by chance." in text


def test_names_of_conditions_keep_their_direction_to_themselves(tmp_path: Path) -> None:
    item = {"صح": ("القط", "ينام"), "خطأ": ("القط", "تنام")}
    suite = make_suite([item], ["(2;%صح%) < (2;%خطأ%)"], language="ar")
    (run,) = run_suites(WordModel(), [suite])
    page = report(tmp_path, RunRecord.of(run), runs=(run,))
    assert '<code dir="ltr">(2;%<bdi>صح</bdi>%) &lt; (2;%<bdi>خطأ</bdi>%)</code>' in page
    assert "must be less surprising in <bdi>صح</bdi> than in <bdi>خطأ</bdi></p>" in page


def test_a_formula_of_another_kind_is_shown_as_it_is(tmp_path: Path) -> None:
    result = scored("s", "m", "10")
    formula = "50% of a % b <= c"
    other = replace(result, predictions=(replace(result.predictions[0], formula=formula),))
    shown = re.findall(r"<code dir=.*?</code>", report(tmp_path, record(other, "a")))
    assert [re.sub("<.*?>", "", each) for each in shown] == ["50% of a % b &lt;= c"]


def test_a_chart_names_the_models_of_which_only_needed_regions_were_scored(tmp_path: Path) -> None:
    item = {"a": ("The dog", "barks", "."), "b": ("The dog", "bark", ".")}
    suite = make_suite([item], ["(2;%a%) < (2;%b%)"])
    runs = []
    for name, regions in (("all", "all"), ("part", "needed")):
        (run,) = run_suites(WordModel(), [suite], Choices(regions=regions))  # type: ignore[arg-type]
        model = replace(run.surprisals.model, name=name, reference=name)
        surprisals = replace(run.surprisals, model=model)
        runs.append(Run(surprisals=surprisals, result=replace(run.result, model_name=name)))
    page = report(tmp_path, *map(RunRecord.of, runs), runs=tuple(runs))
    found = re.search(r'<script type="application/json" id="curves-0">(.*?)</script>', page)
    assert found
    caption = (
        " part: only the regions that predictions need; `pommel run part small.json --regions all` "
        "scores the others."
    )
    assert json.loads(found[1])["spec"]["description"].endswith(caption)


def test_steps_of_a_training_are_rows(tmp_path: Path) -> None:
    steps = [
        score_record(
            f"m/step{step}", suite, "1" * n + "0" * (4 - n), member=seed(step, "m", "step")
        )
        for step, n in ((1000, 3), (0, 1), (64, 2))
        for suite in ("s", "t")
    ]
    page = report(tmp_path, *steps, score_record("plain", "s", "1111"))
    table = re.findall(r'<table class="sortable" id="scores">.*?</table>', page, flags=re.DOTALL)[0]
    head, *rows = (
        [
            re.sub("<.*?>", "", cell).strip()
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
    )
    assert head == ["suite", "step", "circuit", "items", "chance", "m", "plain"]
    assert [(row[0], row[1], row[5][:4], row[6][:4]) for row in rows] == [
        ("s", "", "", "1.00"),
        ("s", "step-0", "0.25", ""),
        ("s", "step-64", "0.50", ""),
        ("s", "step-1000", "0.75", ""),
        ("t", "step-0", "0.25", ""),
        ("t", "step-64", "0.50", ""),
        ("t", "step-1000", "0.75", ""),
    ]
    assert "<dd>2</dd>" in page


def test_a_region_that_counts_is_marked_even_if_it_is_empty(tmp_path: Path) -> None:

    item = {"a": ("The dog", "", "barks"), "b": ("The dog", "now", "barks")}
    suite = make_suite([item], ["(2;%a%) < (2;%b%)"])
    (run,) = run_suites(WordModel(), [suite])
    page = report(tmp_path, RunRecord.of(run), runs=(run,))
    assert ">The dog<mark>∅<sub>2</sub></mark> barks" in page
    assert ">The dog <mark>now<sub>2</sub></mark> barks" in page
