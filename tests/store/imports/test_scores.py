"""Tables of sentences' scores: what follows from two of them, in published shapes and any other."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.store.imports.files import faults, read

from pommel.scoring.run_record import RunRecord

# As `best_model.tab` and `all_models.tab` have it, with sentences of our own.
HEAD = (
    "pattern\tconstr_id\tsent_id\tcorrect_number\tform\tclass\ttype\tprefix\tn_attr\tpunct\tfreq\t"
)
HEAD += "len_context\tlen_prefix\tsent\thidden2_lr1.0\tsrnn_hidden2_lr5.0\n"
ROW = "L__N\t1\t{}\tsing\t{}\t{}\t{}\tthe wren\t0\tFalse\t9\t2\t2\t"
ROW += '"the ""wren"" hops <eos>"\t{}\t{}\n'
TAB = HEAD + "".join(
    ROW.format(*each)
    for each in [
        (0, "hops", "correct", "original", -1.5, -4),
        (0, "hop", "wrong", "original", -2.5, -3),
        (1, "sings", "correct", "generated", -9, -9.0),
        (1, "sings", "wrong", "generated", -9, -9.0),
        (2, "sits", "correct", "generated", -8, -7),
        (2, "sit", "wrong", "generated", -9, ""),
    ]
)


def loss(good: float, bad: float, case: str = "Simpl_sg", n_bad: int = 5) -> str:
    """Return a line as gevalm's program prints it."""
    row = {
        "text": "die Amsel singt .",
        "text_masked": "die Amsel [MASK] .",
        "candidates": ["singt", "singen"],
        "indexMASK": -2,
        "case": case,
        "probs": {"singt": good, "singen": bad},
        "tokenized": [[["[CLS]", "die", "Amsel", "singt", "."]], [["x"] * n_bad]],
    }
    return json.dumps(row) + "\n"


def results(records: tuple[RunRecord, ...]) -> dict[tuple[str, str], tuple[bool | None, ...]]:
    """Return what became of the items of each model and suite."""
    return {
        (each.result.model_name, each.result.suite_name): each.result.predictions[0].results
        for each in records
    }


def test_two_rows_an_item_and_a_column_a_model(tmp_path: Path) -> None:
    imported = read(tmp_path, TAB, language="en", name="best_model.tab")
    assert results(imported.records) == {
        ("hidden2_lr1.0", "original"): (True,),
        ("hidden2_lr1.0", "generated"): (False, True),
        ("srnn_hidden2_lr5.0", "original"): (False,),
        ("srnn_hidden2_lr5.0", "generated"): (False, None),
    }
    first, second = imported.records[:2]
    np.testing.assert_allclose(first.result.predictions[0].margin_bits, [1 / math.log(2)])
    # Two equal forms are a tie, which is wrong, as in the published accuracies.
    assert list(second.result.predictions[0].tie) == [True, False]
    assert (first.source, first.suite.language, first.suite.chance) == ("gulordava", "en", 0.5)
    assert first.result.provenance["format"] == "gulordava"
    assert len(first.result.provenance["files"]) == 1
    (note,) = imported.notes
    assert note.startswith("left out the columns pattern, constr_id, sent_id")
    assert "class" not in note
    assert "hidden" not in note


def test_losses_in_folders_of_models_and_constructions(tmp_path: Path) -> None:
    folder = tmp_path / "bert-de" / "Simpl"
    folder.mkdir(parents=True)
    text = loss(1.5, 2.5) + loss(3.0, 2.0, n_bad=6) + loss(2.5, 1.5)
    imported = read(folder, text, loss(1.0, 1.25, "Simpl_pl"), name="out.jsonl")
    assert results(imported.records) == {
        ("bert-de", "Simpl_sg"): (True, None, False),
        ("bert-de", "Simpl_pl"): (True,),
    }
    record = imported.records[0]
    np.testing.assert_allclose(
        record.result.predictions[0].margin_bits, [1 / math.log(2), np.nan, -1 / math.log(2)]
    )
    assert (record.source, record.suite.group, record.suite.language) == ("gevalm", "Simpl", "de")
    assert imported.notes[-1] == (
        "bert-de: 1 of 4 items skipped, whose sentences have different numbers of tokens"
    )
    named = read(folder, text, name="out.jsonl", model="mine", suite="all")
    assert [*results(named.records)] == [("mine", "all")]


def test_scores_of_any_other_table(tmp_path: Path) -> None:
    table = "model,suite,pair,loss_good,loss_bad\nm,s,7,1,2\nm,s,9,2,1\nm,s,11,,1\n"
    (record,) = read(tmp_path, table, columns={"item": "pair"}).records
    assert record.result.item_numbers == (7, 9, 11)
    assert record.result.predictions[0].results == (True, False, None)
    rows = "id,class,lp\n1,good,-1\n1,bad,-inf\n2,good,-inf\n2,bad,-inf\n"
    said = {"logprob": "lp"}
    (record,) = read(tmp_path, rows, columns=said, suite="s").records
    assert (record.result.model_name, record.result.predictions[0].results) == ("lp", (True, False))
    objects = '{"suite": "s", "scores": {"a": 1.5, "b": [2.5, true]}, "m": null}\n'
    said = {"loss_good": "scores.a", "loss_bad": "scores.b.0"}
    (record,) = read(tmp_path, objects, columns=said, model="m").records
    assert record.result.predictions[0].results == (True,)
    # Where results are said, they count.
    plain = "model,suite,item,correct,loss_good,loss_bad\nm,s,1,0,1,2\n"
    assert read(tmp_path, plain).records[0].result.predictions[0].results == (False,)
    plain = '{"model": "m", "suite": "s", "item": 1, "result": true}\n'
    assert read(tmp_path, plain, name="x.jsonl").records[0].result.score == 1


LONE = "this row has no"
LEAVE_OUT = "leave out --model: they are called like their columns"
SAY = "say with --column which ones they are: logprob=NAME and class=NAME, or loss_good=NAME and "
SAY += "loss_bad=NAME"


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        (
            HEAD
            + ROW.format(0, "a", "wrong", "original", 1, 1)
            + ROW.format(0, "a", "correct", "original", 1, 1)
            + ROW.format(0, "b", "right", "original", 1, 1)
            + ROW.format(0, "c", "correct", "original", 1, 1)
            + ROW.format(0, "d", "correct", "original", "x", 1)
            + ROW.format(0, "d", "wrong", "original", 1, "y"),
            {"logprob": "hidden2_lr1.0"},
            [
                f"2:17: {LONE} correct one before it; write the row of the correct form there",
                "4:17: the class 'right' is none; write correct or wrong",
                f"5:17: {LONE} wrong one after it; write the row of the wrong form after it",
                "6:83: 'x' is no number; write one like -2.5, and nothing where there is none",
            ],
        ),
        (
            TAB,
            {"logprob": "lstm*"},
            [f"1:1: there is no column 'lstm*'; there are {', '.join(HEAD.split())}; {SAY}"],
        ),
        (
            TAB,
            {},
            [f"1:1: 2 columns have scores: hidden2_lr1.0, srnn_hidden2_lr5.0; {LEAVE_OUT}"],
        ),
    ],
)
def test_scores_that_are_wrong(
    text: str, columns: dict[str, str], expected: list[str], tmp_path: Path
) -> None:
    model = "" if columns else "m"
    found = faults(tmp_path, text, form="gulordava", columns=columns, model=model)
    assert found.splitlines() == [f"x.csv:{each}" for each in expected]


def test_losses_that_are_wrong(tmp_path: Path) -> None:
    text = loss(1, 2) + "[]\n" + loss(1, 2).replace('"singen": 2', '"singen": "b"')
    example = '{"model": "...", "suite": "...", "item": 1, "result": true}'
    assert faults(tmp_path, text, form="gevalm").splitlines() == [
        f"x.csv:2:1: this is no JSON object; write {example}",
        "x.csv:3:172: 'b' is no number; write one like -2.5, and nothing where there is none",
    ]
    assert "there is no column 'probs.1'" in faults(
        tmp_path, loss(1, 2).replace(', "singen": 2', ""), form="gevalm"
    )
