"""Published results that are no table of columns become tables that come in."""

import math
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from benchmarks.published import bert_syntax, blimp, clams, hu2020

from pommel.models.family import Membership
from pommel.scoring.run_record import RunRecord
from pommel.store.imports.results import ImportOptions, read_results

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


@pytest.fixture
def imported(tmp_path: Path) -> Callable[[pd.DataFrame], Records]:
    """What comes in of a table."""

    def read(table: pd.DataFrame) -> Records:
        path = tmp_path / "table.csv"
        table.to_csv(path, index=False)
        records = read_results([path], ImportOptions()).records
        return {(each.result.model_name, each.result.suite_name): each for each in records}

    return read


def of_hu(folder: Path, text: str) -> pd.DataFrame:
    """Return what is made of rows."""
    path = folder / "hu.csv"
    path.write_text("model,suite,item,correct\n" + text)
    return hu2020([path])


def test_a_model_in_corpora_and_seeds(
    tmp_path: Path, imported: Callable[[pd.DataFrame], Records]
) -> None:
    text = rows("rnng_bllip-lg_0111", "TF") + rows("rnng_bllip-xs_7", "TT")
    text += rows("grnn__0", "FT", suite="mvrr_mod")
    records = imported(of_hu(tmp_path, text))
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


def test_runs_that_differ_in_nothing_but_the_seed_are_seeds(
    tmp_path: Path, imported: Callable[[pd.DataFrame], Records]
) -> None:
    records = imported(of_hu(tmp_path, rows("rnng_x_0111", "T") + rows("rnng_x_7", "T")))
    assert [each.result.membership for each in records.values()] == [
        Membership(family="rnng", axis="seed", label="0111", value=111.0),
        Membership(family="rnng", axis="seed", label="7", value=7.0),
    ]


def test_what_is_dropped_is_said(
    tmp_path: Path,
    imported: Callable[[pd.DataFrame], Records],
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (
        rows("gpt-2_bllip-md-gptbpe_1582126320", "TT")
        + rows("gpt-2_bllip-md-gptbpe_1611262494", "TF")
        + rows("gpt-2_bllip-xs-gptbpe_1581807512", "FF")
        + rows("1gram_bllip-lg_0", "T")
        + rows("grnn__0", "T", suite="nn-nv-rpl")
        + rows("grnn__0", "T", suite="gardenpath")
    )
    records = imported(of_hu(tmp_path, text))
    assert {key: each.result.score for key, each in records.items()} == {
        ("gpt-2_bllip-md-gptbpe_1611262494", "number_prep"): 0.5,
        ("gpt-2_bllip-xs-gptbpe_1581807512", "number_prep"): 0.0,
    }
    assert capsys.readouterr().err == (
        "note: dropped 2 rows of 1 seed of gpt-2 below 1,600,000,000\n"
        "note: dropped 2 rows of what does not count: gardenpath, nn-nv-rpl\n"
        "note: dropped 1 row of what does not count: 1gram\n"
    )


def test_seeds_of_ngram_vote(tmp_path: Path, imported: Callable[[pd.DataFrame], Records]) -> None:
    two = rows("ngram_lg_1", "TTF") + rows("ngram_lg_2", "TFF")
    (record,) = imported(of_hu(tmp_path, two + rows("ngram_lg_0", "FTT"))).values()
    assert record.result.model_name == "ngram_lg"
    assert record.result.predictions[0].results == (True, True, False)
    assert record.result.membership == Membership(family="ngram", axis="member", label="lg")
    # One of two is not more than half.
    (record,) = imported(of_hu(tmp_path, two)).values()
    assert record.result.predictions[0].results == (True, False, False)


def test_accuracies_by_language(
    tmp_path: Path, imported: Callable[[pd.DataFrame], Records]
) -> None:
    path = tmp_path / "clams.csv"
    path.write_text(
        "table,lang,model,simple,prep,published_average\n1,en,mono,1.00,.63,.82\n2,en,mBERT,.9,,\n"
    )
    records = imported(clams([path]))
    assert [*records] == [
        ("LSTM mono", "en-simple"),
        ("LSTM mono", "en-prep"),
        ("mBERT", "en-simple"),
    ]
    record = records["LSTM mono", "en-prep"]
    assert (record.suite.language, record.suite.group, record.result.score) == ("en", "prep", 0.63)
    assert record.suite.chance == 0.5


def test_paradigms_of_models_and_people(
    tmp_path: Path,
    imported: Callable[[pd.DataFrame], Records],
    capsys: pytest.CaptureFixture[str],
) -> None:
    models, people = tmp_path / "models.jsonl", tmp_path / "people.csv"
    models.write_text(BLIMP)
    people.write_text(PEOPLE)
    records = imported(blimp([people, models]))
    found = {model: each for (model, _), each in records.items()}
    assert sorted(found) == ["gpt2", "human", "lstm"]
    reported = found["gpt2"].result.reported
    assert reported
    assert (reported.n_holding, reported.n_items) == (912, 1000)
    assert found["human"].result.n_items == 0
    for record in found.values():
        assert record.result.circuit == record.suite.group == "island_effects"
    assert capsys.readouterr().err == (
        "note: left out 1 row of means, which follow from the others\n"
        "note: left out x: most people agree with the labels of fewer than 4 pairs of five, and "
        "BLiMP is without them\n"
    )


def test_results_with_logits(tmp_path: Path, imported: Callable[[pd.DataFrame], Records]) -> None:
    path = tmp_path / "bert.txt"
    path.write_text(RESULTS)
    (record,) = imported(bert_syntax([path], suite="gulordava")).values()
    (prediction,) = record.result.predictions
    assert (record.result.model_name, record.result.suite_name) == ("bert", "gulordava")
    assert record.result.item_numbers == (1, 2, 3, 4, 5)
    assert prediction.results == (None, True, None, False, None)
    assert prediction.margin_bits[1] == pytest.approx(3 / math.log(2))
    assert prediction.tie.tolist() == [False, False, False, True, False]
    assert record.suite.chance == 0.5
    found = imported(bert_syntax([path], suite="g", by_attractors=True))
    assert [
        (suite, each.suite.complexity, each.suite.group, each.result.item_numbers)
        for (_, suite), each in found.items()
    ] == [("g-1", 1.0, "g", (2,)), ("g-0", 0.0, "g", (4,))]


def test_results_of_marvin_and_linzen_by_case(
    tmp_path: Path, imported: Callable[[pd.DataFrame], Records]
) -> None:
    path = tmp_path / "base.txt"
    path.write_text(MARVIN)
    records = imported(bert_syntax([path]))
    simple = records["base", "simple_agrmt"].result
    assert simple.item_numbers == (1, 2)
    assert simple.predictions[0].results == (True, None)
    assert records["base", "prep_anim"].result.predictions[0].results == (False,)
