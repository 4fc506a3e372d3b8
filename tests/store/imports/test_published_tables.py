"""Tables of CLAMS and BLiMP, and what bert-syntax prints."""

import math
from pathlib import Path

import pytest
from tests.store.imports.files import faults, read

from pommel.errors import SuiteError, UsageError

BLIMP = (
    '{"UID":"adjunct_island","linguistics_term":"island_effects","lstm":0.75,"gpt2":0.912}\n'
    '{"UID":"overall","linguistics_term":"island_effects","lstm":0.75,"gpt2":0.912}\n'
)
PEOPLE = '"Condition","accepted","total_mean","count"\n"adjunct_island",5,0.94,100\n"x",3,0.5,99\n'
RESULTS = (
    "skipping is/are\n"
    "True\t1\tis\t2.5\tare\t-0.5\tb'the lid of the jars ***mask*** tight .'\n"
    "skipping sip sips bad wins\n"
    "False\t0\tsit\t1.0\tsits\t1.0\tb'they ***mask*** .'\n"
    "skipping hums hum bad wins\n"
)
MARVIN = (
    "True simple_agrmt sing_MS_MV laughs laugh the cook ***mask*** .\n"
    "skipping hums hum bad wins\n"
    "False simple_agrmt sing_MS_MV hums hum the cook ***mask*** .\n"
    "False prep_anim plur_MS_MV hum hums the cooks ***mask*** .\n"
)


def test_accuracies_by_language(tmp_path: Path) -> None:
    text = (
        "table,lang,model,simple,prep,published_average\n1,en,mono,1.00,.63,.82\n2,en,mBERT,.9,,\n"
    )
    imported = read(tmp_path, text)
    found = [(each.result.model_name, each.result.suite_name) for each in imported.records]
    assert found == [("LSTM mono", "en-simple"), ("LSTM mono", "en-prep"), ("mBERT", "en-simple")]
    record = imported.records[1]
    assert (record.suite.language, record.suite.group, record.result.score) == ("en", "prep", 0.63)
    assert imported.notes == (
        "left out the column published_average, which follows from the others",
    )
    assert faults(tmp_path, "lang,model,a\nen,,2\nen,m,.5\nen,m,.5\n") == (
        "x.csv:2:4: this row has no model; write one\n"
        "x.csv:2:5: '2' is no share; write 87% as 0.87\n"
        "x.csv:4:6: m has a share on en-a in x.csv, line 3 already; keep one of the two"
    )


def test_paradigms_of_models_and_people(tmp_path: Path) -> None:
    imported = read(tmp_path, PEOPLE, BLIMP)
    found = {each.result.model_name: each for each in imported.records}
    assert sorted(found) == ["gpt2", "human", "lstm"]
    reported = found["gpt2"].result.reported
    assert reported
    assert (reported.n_holding, reported.n_items) == (912, 1000)
    assert found["human"].result.n_items == 0
    for record in found.values():
        assert record.result.circuit == record.suite.group == "island_effects"
    assert imported.notes == (
        "left out 1 row of means, which follow from the others",
        (
            "left out x: most people agree with the labels of fewer than 4 pairs of five, and "
            "BLiMP is without them"
        ),
    )


def test_shares_of_paradigms_are_of_models_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--items lstn: there is no such model; did you mean ls"):
        read(tmp_path, BLIMP, n_items_of={"lstn": 500})
    with pytest.raises(UsageError, match="--items human: there is no such model"):
        read(tmp_path, PEOPLE, BLIMP, n_items_of={"human": 100})


def test_faults_of_paradigms(tmp_path: Path) -> None:
    lines = (
        '{"UID":"a","linguistics_term":"t","m":1.5}\n'
        '{"UID":"a","linguistics_term":"t","m":"x"}\n'
        '{"UID":"b","m":0.5}\n'
    )
    people = "Condition,accepted,total_mean\nc,five,0.5\nd,5,90\n"
    assert faults(tmp_path, lines, people, form="blimp-summary").splitlines() == [
        "x.csv:1:39: the share of m is no share; write 87% as 0.87 (at m)",
        "x.csv:2:8: 'a' stands in line 1 already; remove one of the two (at UID)",
        (
            "x.csv:2:39: the share of m is no number; write a share such as 0.87, and nothing "
            "where there is none (at m)"
        ),
        (
            'x.csv:3:1: there is no linguistics_term; write {"UID": "...", "linguistics_term": '
            '"...", "gpt2": 0.87}'
        ),
        "1-x.csv:2:3: 'five' is no number of pairs; write one from 0 to 5",
        "1-x.csv:3:5: '90' is no share; write 87% as 0.87",
    ]


def test_results_with_logits(tmp_path: Path) -> None:
    imported = read(tmp_path, RESULTS, model="bert", suite="gulordava")
    (record,) = imported.records
    (prediction,) = record.result.predictions
    assert record.result.item_numbers == (1, 2, 3, 4, 5)
    assert prediction.results == (None, True, None, False, None)
    assert prediction.margin_bits[1] == pytest.approx(3 / math.log(2))
    assert prediction.tie.tolist() == [False, False, False, True, False]
    assert imported.notes == ("bert: 5 items, 3 of them skipped",)


def test_a_suite_for_each_number_of_attractors(tmp_path: Path) -> None:
    imported = read(tmp_path, RESULTS, model="bert", suite="g", by_attractors=True)
    found = [
        (each.result.suite_name, each.suite.complexity, each.suite.group, each.result.item_numbers)
        for each in imported.records
    ]
    assert found == [("g-0", 0.0, "g", (4,)), ("g-1", 1.0, "g", (2,))]
    left_out = "of what was skipped nobody says how many nouns intervene; it is left out"
    assert imported.notes[-1] == left_out
    assert imported.records[0].result.provenance["steps"] == [left_out]
    without = "\n".join(line for line in RESULTS.splitlines() if not line.startswith("skipping"))
    imported = read(tmp_path, without, model="bert", by_attractors=True)
    assert imported.notes == ("bert: 2 items, 0 of them skipped",)


def test_results_of_marvin_and_linzen_by_case(tmp_path: Path) -> None:
    imported = read(tmp_path, MARVIN, name="base.txt")
    results = {each.result.suite_name: each.result for each in imported.records}
    assert results["simple_agrmt"].model_name == "base"
    assert results["simple_agrmt"].item_numbers == (1, 2)
    assert results["simple_agrmt"].predictions[0].results == (True, None)
    assert results["prep_anim"].predictions[0].results == (False,)


def test_faults_of_result_lines(tmp_path: Path) -> None:
    with pytest.raises(SuiteError) as caught:
        read(tmp_path, RESULTS.replace("2.5", "high"), RESULTS.replace("True\t1", "True\tone"))
    assert [(fault.line, fault.message) for fault in caught.value.faults] == [
        (2, "'high' is no logit"),
        (2, "'one' is no number of attractors"),
    ]
    with pytest.raises(UsageError, match="--model names the model of one file"):
        read(tmp_path, RESULTS, RESULTS, model="bert")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("lang,model,simple\nen,mono,.9\n", "clams"),
        ("model,s\nm,.9\n", "accuracies"),
        (BLIMP, "blimp-summary"),
        (RESULTS, "bert-syntax"),
    ],
)
def test_of_minimal_pairs_half_are_right_by_chance(tmp_path: Path, text: str, form: str) -> None:
    imported = read(tmp_path, text, form=form)
    assert {each.suite.chance for each in imported.records} == {0.5}


def test_shares_may_be_of_something_else(tmp_path: Path) -> None:
    (record,) = read(tmp_path, "model,s\nm,.9\n", chance=0.25).records
    assert record.suite.chance == 0.25
    with pytest.raises(UsageError, match=r"^clams has no --chance: it is known$"):
        read(tmp_path, "lang,model,simple\nen,mono,.9\n", chance=0.0)
