"""Any table with a row an item."""

import math
from pathlib import Path

import numpy as np
import pytest
from tests.analysis.records import record as made
from tests.builders import suite_value
from tests.store.imports.files import faults, read

import pommel
from pommel.analysis.item_columns import chances_of
from pommel.analysis.items import ItemTable
from pommel.errors import UsageError
from pommel.models.family import Membership
from pommel.scoring.choices import ScoreRule
from pommel.scoring.run_record import RunRecord
from pommel.store.imports.results import ImportOptions, read_results
from pommel.suite.read import LoadedSuite

PLAIN = "model,suite,item,correct\na,s,1,True\na,s,2,False\nb,s,1,1\nb,s,2,0\n"


def only(records: tuple[RunRecord, ...]) -> RunRecord:
    (record,) = records
    return record


def test_rows_become_results_of_models_on_suites(tmp_path: Path) -> None:
    imported = read(tmp_path, PLAIN)
    assert imported.notes == ()
    first, second = (record.result for record in imported.records)
    assert (first.model_name, first.suite_name, first.score_rule) == ("a", "s", "all")
    assert first.item_numbers == (1, 2)
    assert first.predictions[0].results == (True, False)
    assert math.isnan(first.predictions[0].margin_bits[0])
    assert second.score == 0.5
    record = imported.records[0]
    assert (record.source, record.status) == ("x", "complete")
    assert record.result.provenance["format"] == "items"
    again = read(tmp_path, PLAIN)
    assert [each.run_id for each in again.records] == [each.run_id for each in imported.records]
    assert read(tmp_path, PLAIN, source="y").records[0].run_id != record.run_id
    assert read(tmp_path, PLAIN, score_rule="first").records[0].run_id != record.run_id


def test_what_else_is_known_is_kept(tmp_path: Path) -> None:
    header = (
        "model\tsuite\titem\tresult\tprediction_id\tmargin_bits\ttie\tcircuit\tlanguage\t"
        "modifier_of\tcomplexity\tn_parameters\tsize_family\tnoise\n"
    )
    rest = "agreement\teu\ts0\t2\t5.6e8\tBLOOM\tx\n"
    rows = f"m\ts\t2\t0\t0\t0\tTRUE\t{rest}m\ts\t1\t1\t0\t2.5\tFALSE\t{rest}"
    rows += f"m\ts\t1\t1\t1\t0.5\t\t{rest}m\ts\t2\tNA\t1\t1.5\t\t{rest}"
    record = only(read(tmp_path, header + rows, name="x.tsv").records)
    first, second = record.result.predictions
    assert record.result.item_numbers == (1, 2)
    np.testing.assert_array_equal(first.margin_bits, [2.5, 0.0])
    np.testing.assert_array_equal(first.tie, [False, True])
    np.testing.assert_array_equal(second.margin_bits, [0.5, math.nan])
    assert second.results == (True, None)
    # The second item is skipped for one prediction, and counts for neither.
    assert (record.result.scores[0].n_holding, record.result.scores[0].n_items) == (1, 1)
    assert record.result.circuit == "agreement"
    facts = record.suite
    assert (facts.language, facts.modifier_of, facts.complexity) == ("eu", "s0", 2.0)
    assert (record.model.n_parameters, record.model.size_family) == (560_000_000, "BLOOM")


def test_columns_under_other_names(tmp_path: Path) -> None:
    text = "lm,pair,acc\na,1,yes\na,2,no\n"
    columns = {"model": "lm", "item": "pair", "result": "acc"}
    record = only(read(tmp_path, text, form="items", columns=columns, suite="s").records)
    assert (record.result.model_name, record.result.suite_name) == ("a", "s")
    assert record.result.score == 0.5
    assert faults(tmp_path, text, form="items", columns={"model": "llm"}) == (
        "x.csv:1:1: there is no column 'llm'; rename 'lm', or say which one it is: --column "
        "model=lm\n"
        "x.csv:1:1: there is no column 'suite' or 'suite_name'; add it, or say which one it is: "
        "--column suite=NAME\n"
        "x.csv:1:1: there is no column 'item_number' or 'item'; add it, or say which one it is: "
        "--column item=NAME\n"
        "x.csv:1:1: there is no column 'result' or 'correct' or 'holds'; add it, or say which one "
        "it is: --column result=NAME"
    )
    with pytest.raises(UsageError, match="a column cannot be 'models'"):
        read(tmp_path, text, form="items", columns={"models": "lm"})


def test_seeds_are_members_of_a_family(tmp_path: Path) -> None:
    text = "model,seed,suite,item,result\nm,1,s,1,1\nm,2,s,1,0\n"
    results = [record.result for record in read(tmp_path, text).records]
    assert [result.model_name for result in results] == ["m/seed-1", "m/seed-2"]
    assert results[1].membership == Membership(family="m", axis="seed", label="2", value=2.0)


def test_files_together(tmp_path: Path) -> None:
    second = "model,suite,item,correct\na,s,1,True\na,t,1,False\n"
    imported = read(tmp_path, PLAIN, second, source="theirs")
    suites = [(record.result.model_name, record.result.suite_name) for record in imported.records]
    assert suites == [("a", "s"), ("b", "s"), ("a", "t")]
    assert imported.notes == ("1 row repeated, counted once",)
    files = imported.records[0].result.provenance["files"]
    assert [each["name"] for each in files] == ["x.csv", "1-x.csv"]
    with pytest.raises(UsageError, match="say with --name what these results are called"):
        read(tmp_path, PLAIN, second)


def test_models_that_lack_items_are_named(tmp_path: Path) -> None:
    imported = read(tmp_path, PLAIN + "a,s,3,True\n")
    assert imported.notes == (
        "b lacks item 3 of s, which others have: its score is the share of the items that it has",
    )


def test_all_faults_at_once(tmp_path: Path) -> None:
    text = (
        "model,suite,item,result,prediction_id,n_parameters,circuit\n"
        "a,s,one,True,0,7,c\n"
        "a,s,2,maybe,0,7,c\n"
        ",s,3,True,0,7,c\n"
        "a,s,4,True,0,many,c\n"
        "a,s,5,True,0,7,c\n"
        "a,s,5,False,0,7,c\n"
        "a,s,6,True,1,7,d\n"
        "a,s,7\n"
    )
    second = "model,suite,item,result\na,s,5,False\n"
    assert faults(tmp_path, text, second).splitlines() == [
        "x.csv:2:5: 'one' is no number of an item; number the items of a suite from 1",
        (
            "x.csv:3:7: 'maybe' is neither true nor false; write one of the two, and nothing where "
            "it is not known"
        ),
        "x.csv:4:1: this row names no model; write its name",
        (
            "x.csv:5:14: 'many' is no number of parameters; write it in full, such as 560000000, "
            "and nothing where it is not known"
        ),
        (
            "x.csv:7:1: item 5 of s has another result for a here than in x.csv, line 6; keep one "
            "of the two"
        ),
        (
            "x.csv:8:16: the circuit of s is 'd' here, and 'c' in x.csv, line 6; write the same in "
            "all of its rows"
        ),
        "x.csv:9:5: this row has 3 fields, and the header has 7; an empty field has its comma, too",
        (
            "1-x.csv:2:1: item 5 of s has another result for a here than in x.csv, line 6; keep "
            "one of the two"
        ),
    ]


def test_our_own_tables_come_back(tmp_path: Path) -> None:
    suite = LoadedSuite.from_dict(suite_value()).suite
    (run,) = pommel.run("dummy://", [suite]).runs
    path = tmp_path / "predictions.csv"
    run.result.to_frame("predictions").to_csv(path, index=False)
    record = only(read_results([path], ImportOptions()).records)
    assert record.result.item_numbers == run.result.item_numbers
    tidy = tmp_path / "items.csv"
    ItemTable.of([RunRecord.of(run)]).rows.to_csv(tidy, index=False)
    for own in (record, only(read_results([tidy], ImportOptions()).records)):
        assert own.result.score == run.result.score
        for ours, theirs in zip(run.result.predictions, own.result.predictions, strict=True):
            assert ours.results == theirs.results
            np.testing.assert_array_equal(ours.margin_bits, theirs.margin_bits)
            np.testing.assert_array_equal(ours.tie, theirs.tie)
            np.testing.assert_array_equal(ours.defined, theirs.defined)
    (chance,) = chances_of(run.result)
    assert own.suite.chance == chance
    # predictions.csv has neither formulas nor chance.
    assert record.suite.chance is None


def test_items_that_one_prediction_skips_come_back(tmp_path: Path) -> None:
    own = made("m", "s", ["1-0", "110"])
    table = tmp_path / "items.csv"
    ItemTable.of([own]).rows.to_csv(table, index=False)
    imported = read_results([table], ImportOptions())
    found = only(imported.records).result
    assert [each.results for each in found.predictions] == [
        (True, None, False),
        (True, True, False),
    ]
    assert found.score == own.result.score
    assert imported.notes == (
        (
            "prediction 0 of s has no result of m on item 2, which other predictions have: taken "
            "for skipped"
        ),
    )


CHANCES = "model,suite,item,result,prediction_id,chance,suite_chance\n"


@pytest.mark.parametrize(
    ("rows", "rule", "chance"),
    [
        ("m,s,1,1,0,.25,\n", "all", 0.25),
        ("m,s,1,1,0,,.25\n", "all", 0.25),
        ("m,s,1,1,0,,\n", "all", None),
        ("m,s,1,1,0,.5,.125\nm,s,1,1,1,.25,.125\n", "all", 0.125),
        ("m,s,1,1,0,.5,\nm,s,1,1,1,.5,\n", "all", None),
        ("m,s,1,1,0,.5,.125\nm,s,1,1,1,.25,.125\n", "first", 0.5),
        ("m,s,1,1,0,.5,\nm,s,1,1,1,.5,\n", "each", 0.5),
        ("m,s,1,1,0,.5,\nm,s,1,1,1,.25,\n", "each", None),
    ],
)
def test_chance_of_what_counts(
    tmp_path: Path, rows: str, rule: ScoreRule, chance: float | None
) -> None:
    record = only(read(tmp_path, CHANCES + rows, score_rule=rule).records)
    assert record.suite.chance == chance
    given = only(read(tmp_path, CHANCES + rows, score_rule=rule, chance=0.0).records)
    assert given.suite.chance == 0.0


def test_chance_is_a_share_and_the_same_in_all_rows(tmp_path: Path) -> None:
    rows = "m,s,1,1,0,25,\nm,s,2,1,0,.5,\nm,s,3,1,0,.25,\nn,s,3,1,0,.25,often\n"
    assert faults(tmp_path, CHANCES + rows).splitlines() == [
        (
            "x.csv:2:11: '25' is no share of items that hold by chance; write one from 0 to 1, and "
            "nothing where nobody knows"
        ),
        (
            "x.csv:4:11: the chance of prediction 0 of s (of m) is '.25' here, and '.5' in x.csv, "
            "line 3; write the same in all of its rows"
        ),
        (
            "x.csv:5:15: 'often' is no share of items that hold by chance; write one from 0 to 1, "
            "and nothing where nobody knows"
        ),
    ]


def test_of_many_runs_that_skip_items_some_are_named(tmp_path: Path) -> None:
    rows = "".join(f"m{n},s,1,1,0,,\nm{n},s,2,1,0,,\nm{n},s,1,1,1,,\n" for n in range(13))
    notes = read(tmp_path, CHANCES + rows).notes
    assert len(notes) == 11
    assert notes[9:] == (
        (
            "prediction 1 of s has no result of m9 on item 2, which other predictions have: taken "
            "for skipped"
        ),
        "3 more like these",
    )
