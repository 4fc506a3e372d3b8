"""Per-item results of Hu et al. (2020), and what their code drops and combines."""

from pathlib import Path

from tests.store.imports.files import faults, read

from pommel.models.family import Membership
from pommel.store.imports import Imported

HEADER = "model,suite,item,correct\n"


def rows(model: str, results: str, suite: str = "number_prep") -> str:
    """Rows of one model on one suite; `results` has T or F for each item."""
    return "".join(f"{model},{suite},{item},{each == 'T'}\n" for item, each in enumerate(results))


def scores(imported: Imported) -> dict[tuple[str, str], float]:
    """Return scores by model and suite."""
    return {
        (record.result.model_name, record.result.suite_name): record.result.score
        for record in imported.records
    }


def test_a_model_in_corpora_and_seeds(tmp_path: Path) -> None:
    text = HEADER + rows("rnng_bllip-lg_0111", "TF") + rows("rnng_bllip-xs_7", "TT")
    text += rows("grnn__0", "FT", suite="mvrr_mod")
    imported = read(tmp_path, text)
    first, second, third = imported.records
    assert first.result.item_numbers == (1, 2)
    assert first.result.predictions[0].results == (True, False)
    assert (first.source, first.result.score_rule) == ("hu2020", "first")
    assert (first.result.circuit, first.suite.language) == ("agreement", "en")
    assert (third.suite.modifier_of, third.result.circuit) == ("mvrr", "garden-path-effects")
    assert [each.result.membership for each in (first, second, third)] == [
        Membership(family="rnng", axis="member", label="bllip-lg_0111"),
        Membership(family="rnng", axis="member", label="bllip-xs_7"),
        Membership(family="grnn", axis="member", label="0"),
    ]


def test_runs_that_differ_in_nothing_but_the_seed_are_seeds(tmp_path: Path) -> None:
    imported = read(tmp_path, HEADER + rows("rnng_x_0111", "T") + rows("rnng_x_7", "T"))
    assert [each.result.membership for each in imported.records] == [
        Membership(family="rnng", axis="seed", label="0111", value=111.0),
        Membership(family="rnng", axis="seed", label="7", value=7.0),
    ]


def test_what_is_dropped_is_said(tmp_path: Path) -> None:
    text = (
        HEADER
        + rows("gpt-2_bllip-md-gptbpe_1582126320", "TT")
        + rows("gpt-2_bllip-md-gptbpe_1611262494", "TF")
        + rows("gpt-2_bllip-xs-gptbpe_1581807512", "FF")
        + rows("1gram_bllip-lg_0", "T")
        + rows("grnn__0", "T", suite="nn-nv-rpl")
        + rows("grnn__0", "T", suite="gardenpath")
    )
    imported = read(tmp_path, text)
    assert scores(imported) == {
        ("gpt-2_bllip-md-gptbpe_1611262494", "number_prep"): 0.5,
        ("gpt-2_bllip-xs-gptbpe_1581807512", "number_prep"): 0.0,
    }
    assert imported.notes == (
        "dropped 2 rows of 1 seed of gpt-2 on bllip-md-gptbpe: they are below 1,600,000,000",
        "dropped 2 rows of the suites that do not count: gardenpath, nn-nv-rpl",
        "dropped 1 row of the models that do not count: 1gram",
    )
    assert imported.records[0].result.provenance["steps"] == [*imported.notes]
    everything = read(tmp_path, text, keep_all=True)
    assert len(everything.records) == 6
    assert everything.notes == (
        (
            "1gram_bllip-lg_0 lacks item 2 of number_prep, which others have: its score is the "
            "share of the items that it has"
        ),
    )


def test_seeds_of_ngram_vote(tmp_path: Path) -> None:
    first = HEADER + rows("ngram_lg_1", "TTF") + rows("ngram_lg_2", "TFF")
    single = HEADER + rows("ngram_lg_0", "FTT")
    imported = read(tmp_path, first, single)
    (record,) = imported.records
    assert record.result.model_name == "ngram_lg"
    assert record.result.predictions[0].results == (True, True, False)
    assert record.result.membership == Membership(family="ngram", axis="member", label="lg")
    assert imported.notes == ("ngram_lg: what more than half of 3 seeds say of an item",)
    # One of two is not more than half.
    (record,) = read(tmp_path, first).records
    assert record.result.predictions[0].results == (True, False, False)
    assert len(read(tmp_path, first, single, keep_all=True).records) == 3


def test_faults(tmp_path: Path) -> None:
    text = HEADER + "grnn,number_prep,0,True\ngrnn__0,number_prep,-1,True\n"
    text += "grnn__0,number_prep,1,\ngrnn__0,number_prep,2,True\ngrnn__0,number_prep,2,False\n"
    text += rows("ngram_lg_1", "TT") + rows("ngram_lg_2", "T")
    assert faults(tmp_path, text, form="hu2020").splitlines() == [
        (
            "x.csv:2:1: 'grnn' names no model and seed; write NAME_CORPUS_SEED, such as "
            "rnng_bllip-lg_0111 or grnn__0"
        ),
        "x.csv:3:21: '-1' is no number of an item; items are counted from 0",
        "x.csv:4:23: '' is neither True nor False; write one of the two",
        (
            "x.csv:6:1: item 3 of number_prep has another result for grnn__0 here than in x.csv, "
            "line 5; keep one of the two"
        ),
        (
            "x.csv:9:1: ngram_lg_2 has other items of number_prep than ngram_lg_1; seeds that vote "
            "have the same items; add the missing rows"
        ),
    ]
