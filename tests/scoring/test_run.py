"""A model on suites: what is scored, how often, and what a reader is told."""

import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from tests.builders import Sentences, by_word, make_suite, suite_value, token
from tests.word_model import WordModel

from pommel.errors import UsageError, package_version
from pommel.files.json import to_json
from pommel.models import recorded
from pommel.models.model import LoadOptions, Policy
from pommel.scoring import Choices, Run
from pommel.scoring.choices import Oov, Regions, ScoreRule
from pommel.scoring.evaluated_suite import evaluated_suite_to_dict, table_from_suite
from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.results import SuiteResult
from pommel.scoring.run import SuiteSurprisals, run_suites
from pommel.scoring.run_record import RunRecord
from pommel.sources.formats.long_csv import long_csv_pieces
from pommel.suite.read import LoadedSuite
from pommel.suite.suite import Suite
from pommel.surprisal import ScoredSentence

ITEMS: list[Sentences] = [
    {"a": ("The dog", "barks"), "b": ("The dog", "bark")},
    {"a": ("The dog", "barks"), "b": ("The dog", "ran")},
    {"b": ("A cat", "purrs"), "a": ("A cat", "purr")},
]
FORMULA = "(2;%a%) < (2;%b%)"


def notes_of(
    model: WordModel, items: Sequence[Sentences] = ITEMS, *, oov: Oov = "keep", **meta: Any
) -> list[str]:
    (run,) = run_suites(model, [make_suite(items, [FORMULA], **meta)], Choices(oov=oov))
    return list(run.notes())


# --- which sentences are scored


def test_a_sentence_is_scored_once_in_a_suite_and_once_in_a_run() -> None:
    model = WordModel()
    suites = [
        make_suite(ITEMS, [FORMULA]),
        make_suite([{"a": ("A", "cat purr"), "b": ("A", "mouse")}], [FORMULA]),
        make_suite(ITEMS[:1], [FORMULA]),
    ]
    runs = list(run_suites(model, suites))
    assert model.asked == [
        ["The dog barks", "The dog bark", "The dog ran", "A cat purr", "A cat purrs"],
        ["A mouse"],
    ]
    assert [run.result.n_items for run in runs] == [3, 1, 1]
    assert [each.text for row in runs[0].surprisals.sentences for each in row] == [
        "The dog barks",
        "The dog bark",
        "The dog barks",
        "The dog ran",
        "A cat purr",
        "A cat purrs",
    ]


def test_what_is_known_is_not_scored_and_what_is_scored_becomes_known() -> None:
    model = WordModel()
    known = {"A cat purr": by_word("A cat purr", {"purr": 40.0})}
    surprisals = SuiteSurprisals.of(model, make_suite(ITEMS, [FORMULA]), known=known)
    assert "A cat purr" not in model.asked[0]
    assert len(known) == 5
    assert surprisals.evaluate().predictions[0].margin_bits.tolist() == [-1, -2, 5 - 40]


def test_progress_adds_up_to_all_sentences_of_the_suite() -> None:
    steps: list[int] = []
    known = {"A cat purr": by_word("A cat purr")}
    suite = make_suite(ITEMS, [FORMULA])
    SuiteSurprisals.of(WordModel(), suite, known=known, progress=steps.append)
    assert steps == [1, 1, 1, 1, 2]


def test_the_policy_reaches_the_model() -> None:
    model = WordModel()
    suite = make_suite(ITEMS, [FORMULA])
    SuiteSurprisals.of(model, suite)
    assert SuiteSurprisals.of(model, suite, Choices(policy=Policy(bos="never"))).policy == Policy(
        bos="never"
    )
    assert model.policies == [Policy(), Policy(bos="never")]


def test_the_order_of_items_and_conditions_changes_nothing() -> None:
    shuffled: list[Sentences] = [dict(reversed([*item.items()])) for item in reversed(ITEMS)]
    (one,) = run_suites(WordModel(), [make_suite(ITEMS, [FORMULA])])
    (other,) = run_suites(WordModel(), [make_suite(shuffled, [FORMULA])])
    margins = one.result.predictions[0].margin_bits
    assert margins.tolist() == [-1, -2, 1]
    np.testing.assert_array_equal(other.result.predictions[0].margin_bits, margins[::-1])


def test_a_language_without_spaces_reaches_the_model_without_spaces() -> None:
    model = WordModel()
    suite = make_suite([{"a": ("犬が", "吠える"), "b": ("犬が", "")}], [FORMULA], joiner="")
    SuiteSurprisals.of(model, suite)
    assert model.asked == [["犬が吠える", "犬が"]]


def test_marks_are_written_as_the_run_was_asked_for() -> None:
    items: list[Sentences] = [{"a": ("The dog", "barks", "."), "b": ("The dog", "bark", ".")}]
    text = "The dog barks."
    tokens = (token("The", 0, 3), token("dog", 4, 3), token("barks", 8, 7), token(".", 13, 2))
    model = WordModel(sentences={text: ScoredSentence(text=text, tokens=tokens)})
    suite, choices = make_suite(items, [FORMULA]), Choices(punctuation="natural")
    (run,) = run_suites(model, [suite], choices)
    assert model.asked == [[text, "The dog bark."]]
    assert run.surprisals.table.values["sum"][0, 0].tolist() == [6, 7, 2]
    assert run.surprisals.suite == suite.with_punctuation("natural")
    assert RunRecord.of(run).settings["punctuation"] == "natural"
    assert RunRecord.of(run).choices.punctuation == "natural"
    # A suite that has no marks has the same sentences, under the same choice.
    (other,) = run_suites(model, [make_suite(ITEMS, [FORMULA])], choices)
    assert RunRecord.of(other).settings["punctuation"] == "natural"
    assert model.asked[1] == [
        *("The dog barks", "The dog bark", "The dog ran", "A cat purr", "A cat purrs")
    ]
    with pytest.raises(
        UsageError, match="punctuation cannot be 'off'; it is one of apart, natural"
    ):
        Choices(punctuation="off")  # type: ignore[arg-type]


def test_what_is_recorded_of_a_run_does_not_speak_of_marks_that_stand_as_they_do() -> None:
    (run,) = run_suites(WordModel(), [make_suite(ITEMS, [FORMULA])])
    record = RunRecord.of(run)
    assert {*record.settings, *run.result.provenance}.isdisjoint({"punctuation"})
    assert record.choice("punctuation") == "apart"


# --- what a reader is told


def test_nothing_to_say() -> None:
    assert notes_of(WordModel()) == []


def test_ties() -> None:
    assert notes_of(WordModel(bits={"barks": 4.0, "ran": 4.0, "purrs": 4.0})) == [
        "words on small: prediction 0 compares equal values in 3 items, where '<' and '>' fail"
    ]


def test_tokens_without_a_surprisal_where_a_prediction_needs_them() -> None:
    assert notes_of(WordModel(bits={"The": None, "A": None})) == []
    model = WordModel(bits={"barks": None})
    assert notes_of(model) == [
        (
            "words on small: prediction 0 needs a token without a surprisal in 2 items; "
            "it is left out of its region"
        ),
        "words on small: prediction 0 has no value in 2 items, and counts as failed",
    ]
    surprisals = SuiteSurprisals.of(model, make_suite(ITEMS, [FORMULA]))
    assert surprisals.n_unscored == 2


def test_values_that_are_missing() -> None:
    items: list[Sentences] = [*ITEMS, {"a": ("x", ""), "b": ("x", "y")}]
    assert notes_of(WordModel(), items, metric="mean") == [
        "words on small: prediction 0 has no value in 1 item, and counts as failed"
    ]


def test_unknown_words() -> None:
    words = ["ran", "to", "the", "old", "red", "barn"]
    text = "x " + " ".join(words)
    starts = [text.index(f" {word}") + 1 for word in words]
    tokens = [token("x", 0, 1.0)] + [
        token("<unk>", start, 1.0, end=start + len(word), oov=True)
        for start, word in zip(starts, words, strict=True)
    ]
    model = WordModel(sentences={text: ScoredSentence(text=text, tokens=tuple(tokens))})
    items: list[Sentences] = [{"a": ("x", " ".join(words)), "b": ("x", "y" * 30)}]
    where = "words on small: prediction 0"
    assert notes_of(model, items) == [
        "words on small: 6 unknown words (barn, old, ran, red, the, ...)",
        f"{where} rests on an unknown word in 1 item; --oov skip leaves them out",
    ]
    assert notes_of(model, items, oov="skip") == [
        "words on small: 6 unknown words (barn, old, ran, red, the, ...)",
        f"{where} skips 1 item that rests on an unknown word",
    ]
    surprisals = SuiteSurprisals.of(model, make_suite(items, [FORMULA]))
    assert surprisals.n_oovs == 6
    assert surprisals.table.oovs == {(0, 0, 1): tuple(words)}


def test_tokens_that_cross_a_border() -> None:
    text = "A cat purr"
    tokens = (token("A", 0, 1.0), token("cat purr", 2, 3.0))
    model = WordModel(sentences={text: ScoredSentence(text=text, tokens=tokens)})
    assert notes_of(model) == [
        (
            "words on small: 1 token across a region's border, each counted where it begins "
            "(e.g. 'cat purr' in item 3, condition 'a')"
        ),
        (
            "words on small: prediction 0 needs a region in which no token begins in 1 item, and "
            "counts as failed there; --swallowed skip leaves them out"
        ),
    ]


# --- results


_PLATFORM = """
import platform
from pommel.scoring import Run

said = Run.environment()["platform"]
assert "processor" not in vars(platform.uname())
platform._platform_cache.clear()
assert platform.platform() == said
"""


def test_the_platform_is_that_of_python_and_nothing_is_left_of_the_question() -> None:
    subprocess.run([sys.executable, "-c", _PLATFORM], check=True)


def test_provenance_names_packages_that_a_store_has_spared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("torch", "transformers", "tokenizers"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert Run.environment()["packages"] == {"numpy": package_version("numpy")}
    model = WordModel(details={"tokenizers": "0.1", "scoring": "by hand"})
    surprisals = SuiteSurprisals.of(model, make_suite(ITEMS, [FORMULA]))
    packages = {name: package_version(name) for name in ("numpy", "tokenizers")}
    assert surprisals.provenance["packages"] == packages


def test_provenance_says_where_the_numbers_come_from() -> None:
    suite = make_suite(ITEMS, [FORMULA], version="1.0.0")
    (run,) = run_suites(
        WordModel(),
        [suite],
        Choices(policy=Policy(eos="never"), score_rule="first"),
    )
    provenance = run.result.provenance
    assert provenance["suite"] == {
        "name": "small",
        "version": "1.0.0",
        "sha256": suite.sha256,
        "n_items": 3,
    }
    assert provenance["model"]["reference"] == "toy://words"
    assert provenance["policy"]["eos"] == "never"
    assert (provenance["score_rule"], provenance["compat"]) == ("first", None)
    assert {"pommel", "packages", "python", "platform", "date"} <= provenance.keys()


@pytest.mark.parametrize("regions", ["all", "needed"])
def test_provenance_says_which_regions_had_to_be_scored(regions: Regions) -> None:
    suite = make_suite(ITEMS, [FORMULA])
    (run,) = run_suites(WordModel(), [suite], Choices(regions=regions))
    assert run.result.provenance["regions"] == regions
    assert SuiteSurprisals.of(WordModel(), suite).provenance["regions"] == "all"


@pytest.mark.parametrize("metric", ["sum", "all"])
def test_an_evaluated_suite_gives_the_same_results_without_the_model(metric: str) -> None:
    formulas = [FORMULA, "(*;%a%) - (1;%b%) > 3"]
    suite = make_suite(ITEMS, formulas, metric=metric)
    surprisals = SuiteSurprisals.of(WordModel({"barks": math.pi, "dog": 0.1}), suite)
    value = evaluated_suite_to_dict(suite, surprisals.table, model_name="words")
    again = LoadedSuite.parse(to_json(value), evaluated=True).suite
    expected, found = surprisals.evaluate(), evaluate_predictions(again, table_from_suite(again))
    for one, other in zip(expected.predictions, found.predictions, strict=True):
        np.testing.assert_array_equal(one.holds, other.holds)
        np.testing.assert_array_equal(one.margin_bits, other.margin_bits)
    assert expected.score == found.score


@pytest.mark.parametrize(("rule", "scores"), [("first", [17]), ("all", [0]), ("each", [17, 0])])
def test_sg_evals_published_result_from_its_recorded_surprisals(
    shared_data: Path, rule: ScoreRule, scores: list[int]
) -> None:
    folder = shared_data / "sg_eval"
    suite = LoadedSuite.read(folder / "fgd_hierarchy.json").suite
    path = folder / "surprisals_fgd_hierarchy.txt"
    model = recorded.open_model(f"recorded://{path}", LoadOptions())
    (run,) = run_suites(model, [suite], Choices(score_rule=rule))
    assert [each.n_holding for each in run.result.scores] == scores
    assert run.result.n_items == 24


# --- contexts, and predictions with a metric of their own


def in_context(context: str, **own: str) -> Suite:
    """Return a suite whose items have a context; `own` are those of single conditions."""
    value = suite_value([{"a": ("The dog", "barks"), "b": ("The dog", "bark")}], [FORMULA])
    (item,) = value["items"]
    item["context"] = context
    for condition in item["conditions"]:
        if condition["condition_name"] in own:
            condition["context"] = own[condition["condition_name"]]
    return LoadedSuite.from_dict(value).suite


@pytest.mark.parametrize("regions", ["all", "needed"])
def test_a_context_is_read_and_not_scored(regions: Regions) -> None:
    suite = in_context("It is late .", b="So what ?")
    model = WordModel()
    (run,) = run_suites(model, [suite], Choices(regions=regions))
    one, other = run.surprisals.sentences[0]
    assert (one.text, other.text) == ("It is late . The dog barks", "So what ? The dog bark")
    in_context_too = [token.why_unscored for token in one.tokens[:4]]
    assert in_context_too == ["not asked for"] * 4
    # What is in no region counts nowhere, and the others count as they do without it.
    (plain,) = run_suites(WordModel(), [in_context("")], Choices(regions=regions))
    table, wanted = run.surprisals.table, plain.surprisals.table
    assert table.n_tokens.tolist() == wanted.n_tokens.tolist()
    assert_array_equal(table.values["sum"], wanted.values["sum"])
    assert_array_equal(table.whole["sum"], wanted.whole["sum"])
    frame = run.to_frame("tokens")
    assert frame["region_number"].isna().tolist()[:5] == [True] * 4 + [False]


def test_a_suite_with_contexts_is_written_as_it_was_read() -> None:
    suite = in_context("It is late .", b="So what ?")
    assert Suite.from_dict(suite.to_dict()) == suite
    (item,) = suite.to_dict()["items"]
    assert item["context"] == "It is late ."
    assert [each.get("context") for each in item["conditions"]] == [None, "So what ?"]
    with pytest.raises(UsageError, match=r"has contexts, for which long CSV has no column"):
        list(long_csv_pieces(suite.items, suite.region_names))
    with pytest.raises(UsageError, match=r"has contexts, which syntaxgym did not know"):
        list(run_suites(WordModel(), [suite], Choices(compat="syntaxgym")))


def test_a_token_that_begins_in_the_context_swallows_the_first_region() -> None:
    suite = in_context("So")
    text = "So The dog barks"
    tokens = (token("So The dog", 0, 5.0), token("barks", 11, 1.0))
    model = WordModel(sentences={text: ScoredSentence(text=text, tokens=tokens)})
    (run,) = run_suites(model, [suite])
    assert run.surprisals.table.swallowed.tolist() == [[[True, False], [False, False]]]


def test_predictions_compare_the_metric_that_they_name() -> None:
    value = suite_value([{"a": ("The dog", "a bb"), "b": ("The dog", "bb")}], [FORMULA] * 2)
    value["predictions"][1]["metric"] = "mean"
    suite = LoadedSuite.from_dict(value).suite
    (run,) = run_suites(WordModel(), [suite])
    # The sum of two words is more than the other word, their mean is less.
    assert [each.margin_bits.tolist() for each in run.result.predictions] == [[-1.0], [0.5]]
    assert Suite.from_dict(suite.to_dict()) == suite
    evaluated = LoadedSuite.parse(
        to_json(run.surprisals.to_evaluated_suite()), evaluated=True
    ).suite
    again = SuiteResult.of_evaluated(evaluated, Choices())
    assert [each.margin_bits.tolist() for each in again.predictions] == [[-1.0], [0.5]]
    assert "mean_bits" in run.to_frame("regions")
