"""Published results that are no table of columns come in as a table that is made of them."""

import math
from pathlib import Path

import pytest

from pommel.errors import FaultyFileError, UsageError
from pommel.models.family import Membership
from pommel.scoring.run_record import RunRecord
from pommel.store.imports.results import ImportOptions, read_results, recognised

# What the files have, by a model and a suite.
Records = dict[tuple[str, str], RunRecord]

BLIMP = (
    '{"UID":"adjunct_island","linguistics_term":"island_effects","lstm":0.75,"gpt2":0.912}\n'
    '{"UID":"overall","linguistics_term":"island_effects","lstm":0.75,"gpt2":0.912}\n'
)
PEOPLE = '"Condition","accepted","total_mean","count"\n"adjunct_island",5,0.94,100\n"x",3,0.5,99\n'
RESULTS = (
    "Better speed can be achieved.\n"
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


def rows(model: str, results: str, suite: str = "number_prep") -> str:
    """Rows of one model on one suite; `results` has T or F for each item."""
    return "".join(f"{model},{suite},{item},{each == 'T'}\n" for item, each in enumerate(results))


def imported(form: str, *paths: Path, suite: str = "") -> Records:
    """Return what comes in of files."""
    records = read_results(paths, ImportOptions(suite=suite), form=form).records
    return {(each.result.model_name, each.result.suite_name): each for each in records}


def of_hu(folder: Path, text: str) -> Path:
    """Return a file of rows."""
    path = folder / "hu.csv"
    path.write_text("model,suite,item,correct\n" + text)
    return path


def test_a_model_in_corpora_and_seeds(tmp_path: Path) -> None:
    text = rows("rnng_bllip-lg_0111", "TF") + rows("rnng_bllip-xs_7", "TT")
    text += rows("grnn__0", "FT", suite="mvrr_mod")
    records = imported("hu2020", of_hu(tmp_path, text))
    first, second, third = records.values()
    assert first.result.item_numbers == (1, 2)
    assert first.result.predictions[0].results == (True, False)
    assert (first.result.circuit, first.suite.language) == ("agreement", "en")
    assert (third.suite.modifier_of, third.result.circuit) == ("mvrr", "garden-path-effects")
    assert [each.result.membership for each in (first, second, third)] == [
        Membership(family="rnng", axis="member", label="bllip-lg_0111"),
        Membership(family="rnng", axis="member", label="bllip-xs_7"),
        Membership(family="grnn", axis="member", label="0"),
    ]


def test_runs_that_differ_in_nothing_but_the_seed_are_seeds(tmp_path: Path) -> None:
    records = imported("hu2020", of_hu(tmp_path, rows("rnng_x_0111", "T") + rows("rnng_x_7", "T")))
    assert [each.result.membership for each in records.values()] == [
        Membership(family="rnng", axis="seed", label="0111", value=111.0),
        Membership(family="rnng", axis="seed", label="7", value=7.0),
    ]


def test_what_is_dropped_is_said(tmp_path: Path) -> None:
    text = (
        rows("gpt-2_bllip-md-gptbpe_1582126320", "TT")
        + rows("gpt-2_bllip-md-gptbpe_1611262494", "TF")
        + rows("gpt-2_bllip-xs-gptbpe_1581807512", "FF")
        + rows("1gram_bllip-lg_0", "T")
        + rows("grnn__0", "T", suite="nn-nv-rpl")
        + rows("grnn__0", "T", suite="gardenpath")
    )
    path = of_hu(tmp_path, text)
    records = imported("hu2020", path)
    assert {key: each.result.score for key, each in records.items()} == {
        ("gpt-2_bllip-md-gptbpe_1611262494", "number_prep"): 0.5,
        ("gpt-2_bllip-xs-gptbpe_1581807512", "number_prep"): 0.0,
    }
    notes = (
        "dropped 2 rows of 1 seed of gpt-2 below 1,600,000,000",
        "dropped 2 rows of what does not count: gardenpath, nn-nv-rpl",
        "dropped 1 row of what does not count: 1gram",
    )
    found = read_results([path], form="hu2020")
    assert found.notes == notes
    assert found.records[0].result.provenance["steps"] == list(notes)


def test_seeds_of_ngram_vote(tmp_path: Path) -> None:
    two = rows("ngram_lg_1", "TTF") + rows("ngram_lg_2", "TFF")
    (record,) = imported("hu2020", of_hu(tmp_path, two + rows("ngram_lg_0", "FTT"))).values()
    assert record.result.model_name == "ngram_lg"
    assert record.result.predictions[0].results == (True, True, False)
    assert record.result.membership == Membership(family="ngram", axis="member", label="lg")
    # One of two is not more than half.
    (record,) = imported("hu2020", of_hu(tmp_path, two)).values()
    assert record.result.predictions[0].results == (True, False, False)


def test_accuracies_by_language(tmp_path: Path) -> None:
    path = tmp_path / "clams.csv"
    path.write_text(
        "table,lang,model,simple,prep,published_average\n1,en,mono,1.00,.63,.82\n2,en,mBERT,.9,,\n"
    )
    records = imported("clams", path)
    assert [*records] == [
        ("LSTM mono", "en-simple"),
        ("LSTM mono", "en-prep"),
        ("mBERT", "en-simple"),
    ]
    record = records["LSTM mono", "en-prep"]
    assert (record.suite.language, record.suite.group, record.result.score) == ("en", "prep", 0.63)
    assert record.suite.chance == 0.5


def test_paradigms_of_models_and_people(tmp_path: Path) -> None:
    models, people = tmp_path / "models.jsonl", tmp_path / "people.csv"
    models.write_text(BLIMP)
    people.write_text(PEOPLE)
    records = imported("blimp", people, models)
    found = {model: each for (model, _), each in records.items()}
    assert sorted(found) == ["gpt2", "human", "lstm"]
    reported = found["gpt2"].result.reported
    assert reported
    assert (reported.n_holding, reported.n_items) == (912, 1000)
    assert found["human"].result.n_items == 0
    for record in found.values():
        assert record.result.circuit == record.suite.group == "island_effects"
    assert read_results([people, models], form="blimp").notes[:2] == (
        "left out 1 row of means, which follow from the others",
        (
            "left out x: most people agree with the labels of fewer than 4 pairs of five, and "
            "BLiMP is without them"
        ),
    )


def test_results_with_logits(tmp_path: Path) -> None:
    path = tmp_path / "bert.txt"
    path.write_text(RESULTS)
    (record,) = imported("bert-syntax", path, suite="gulordava").values()
    (prediction,) = record.result.predictions
    assert (record.result.model_name, record.result.suite_name) == ("bert", "gulordava")
    assert record.result.item_numbers == (1, 2, 3, 4, 5)
    assert prediction.results == (None, True, None, False, None)
    assert prediction.margin_bits[1] == pytest.approx(3 / math.log(2))
    assert prediction.tie.tolist() == [False, False, False, True, False]
    assert record.suite.chance == 0.5
    found = imported("bert-syntax-attractors", path, suite="g")
    assert [
        (suite, each.suite.complexity, each.suite.group, each.result.item_numbers)
        for (_, suite), each in found.items()
    ] == [("g-1", 1.0, "g", (2,)), ("g-0", 0.0, "g", (4,))]


def test_results_of_marvin_and_linzen_by_case(tmp_path: Path) -> None:
    path = tmp_path / "base.txt"
    path.write_text(MARVIN)
    records = imported("bert-syntax", path)
    simple = records["base", "simple_agrmt"].result
    assert simple.item_numbers == (1, 2)
    assert simple.predictions[0].results == (True, None)
    assert records["base", "prep_anim"].result.predictions[0].results == (False,)


def test_a_run_is_called_after_its_format_and_scored_by_its_rule(tmp_path: Path) -> None:
    files = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for number, path in enumerate(files):
        path.write_text(f"model,suite,item,correct\nrnng_x_{number},mvrr,0,True\n")
    for record in read_results(files, form="hu2020").records:
        assert (record.source, record.result.score_rule) == ("hu2020", "first")
        names = [each["name"] for each in record.result.provenance["files"]]
        assert names == ["1.csv", "2.csv"]
    with pytest.raises(UsageError, match="hu2020 has no --score all: its results are by the rule"):
        read_results(files, ImportOptions(score_rule="all"), form="hu2020")
    with pytest.raises(UsageError, match="hu2020 has no --model: its files name the models"):
        read_results(files, ImportOptions(model="x"), form="hu2020")


def test_the_table_of_clams_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "table1_table2.csv"
    path.write_text("table,lang,model,simple,published_average\n1,en,mono,1.00,1.00\n")
    assert recognised([path]).name == "clams"


@pytest.mark.parametrize(
    ("form", "text", "faults"),
    [
        ("hu2020", "model,suite,item\na_b_1,c,1\n", [(1, "there is no column 'correct'")]),
        (
            "hu2020",
            "model,suite,item,correct\na,c,1,True\na_b_1,c,1,True\na_b_1,c,2,no idea\n",
            [
                (2, "the model is none of NAME_CORPUS_SEED"),
                (4, "there is no item with a result of True or False"),
            ],
        ),
        ("clams", "lang,model,simple\nen,mono,.5\nen,multi,5\n", [(3, "'5' is no share")]),
        (
            "blimp",
            "Condition,total_mean,accepted\nx,0.5,many\n",
            [(2, "accepted is no number of pairs")],
        ),
        ("bert-syntax", "noise\nTrue\t1\tis\n", [(2, "'True\\t1\\tis' has no two logits")]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, form: str, text: str, faults: list[tuple[int, str]]
) -> None:
    path = tmp_path / "other.csv"
    path.write_text(text)
    with pytest.raises(FaultyFileError) as caught:
        read_results([path], form=form)
    assert [(fault.line, fault.message) for fault in caught.value.faults] == faults
