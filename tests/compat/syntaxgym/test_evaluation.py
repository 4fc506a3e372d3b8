"""The two functions that old scripts call, and what they print."""

import csv
import json
import math
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pommel.compat.syntaxgym import (
    MissingValueError,
    Suite,
    aggregate_surprisals,
    compute_surprisals,
    evaluate,
    load_suite,
    results_to_tsv,
)
from pommel.errors import ModelError, SuiteError
from pommel.models.model import RECOVERED, ModelInfo, Policy, Spans
from pommel.surprisal import ScoredSentence, Token

SuiteDict = Callable[..., dict[str, Any]]


class WordModel:
    """One token a word, of as many bits as it has letters; then an end-of-sentence mark of 10."""

    def __init__(self, kind: str = "huggingface") -> None:
        details = {"offsets": RECOVERED} if kind == "recorded" else {}
        self.info = ModelInfo(
            reference="w://", name="words", kind=kind, fingerprint="0", details=details
        )
        self.policies: list[Policy] = []

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,  # noqa: ARG002 - the contract has it
    ) -> Iterator[tuple[int, ScoredSentence]]:
        self.policies.append(policy)
        for index, sentence in enumerate(sentences):
            tokens = []
            end = 0
            for word in sentence.split(" "):
                start = sentence.index(word, end)
                end = start + len(word)
                bits = float(len(word)) if start else 0.0
                oov = word.isupper()
                tokens.append(Token(text=word, start=start, end=end, surprisal_bits=bits, oov=oov))
            tokens.append(Token(text="</s>", start=end, end=end, surprisal_bits=10, role="eos"))
            scored = ScoredSentence(text=sentence, tokens=tuple(tokens))
            scored.check()
            yield index, scored


def _sums(suite: Suite) -> list[float]:
    return suite.as_dataframe()["metric_value"].tolist()


def test_compute_surprisals(suite_dict: SuiteDict) -> None:
    written = suite_dict({"a": ["The", "RARE thing", ""], "b": ["It", "is", ""]})
    before = deepcopy(written)
    model = WordModel()
    suite = compute_surprisals(model, written)
    assert written == before
    assert model.policies == [Policy.SYNTAXGYM]
    # A model with offsets: the mark counts in the last region that has content.
    assert _sums(suite) == [0.0, 19.0, 0.0, 0.0, 12.0, 0.0]
    assert suite.as_dataframe()["oovs"].tolist() == ["", "RARE", "", "", "", ""]
    assert suite.meta["model"] == "words"
    assert suite.as_dataframe().index.names == ["item_number", "condition_name", "region_number"]


def test_compute_surprisals_of_an_lm_zoo_model(suite_dict: SuiteDict) -> None:
    written = suite_dict({"a": ["The", "RARE ONE", ""]})
    suite = compute_surprisals(WordModel("recorded"), written)
    # One that it aligned itself: in an empty last region, if that is reached.
    assert _sums(suite) == [0.0, 17.0, 0.0]
    written = suite_dict({"a": ["The", "thing", ""]})
    assert _sums(compute_surprisals(WordModel("recorded"), written)) == [0.0, 5.0, 10.0]


def test_compute_surprisals_with_conditions_in_another_order(suite_dict: SuiteDict) -> None:
    written = suite_dict({"a": ["The", "aa"], "b": ["The", "bbbb"]})
    second = deepcopy(written["items"][0])
    second["item_number"] = 2
    second["conditions"].reverse()
    written["items"].append(second)
    frame = compute_surprisals(WordModel(), written).as_dataframe()
    assert frame.loc[(2, "b", 2), "metric_value"] == 14.0
    assert frame["metric_value"].tolist() == [0.0, 12.0, 0.0, 14.0, 0.0, 14.0, 0.0, 12.0]


class ModelOfThree(WordModel):
    """Fails at sentences of more than three words."""

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        if faults := {each: f"{each!r} is too long" for each in sentences if each.count(" ") > 2}:
            raise ModelError.of_sentences(faults)
        return super().score(sentences, policy, spans)


def test_compute_surprisals_has_no_bits_for_a_sentence_at_which_the_model_fails(
    suite_dict: SuiteDict,
) -> None:
    written = suite_dict({"a": ["The", "thing"], "b": ["The", "thing is here"]})
    with pytest.raises(ModelError, match=r"^'The thing is here' is too long$"):
        compute_surprisals(ModelOfThree(), written)


def test_compute_surprisals_of_all_metrics(suite_dict: SuiteDict) -> None:
    written = suite_dict({"a": ["The", "", "a bcd"]}, metric="all")
    suite = compute_surprisals(WordModel(), written)
    empty, last = (suite.items[0]["conditions"][0]["regions"][k]["metric_value"] for k in (1, 2))
    assert last == {"sum": 14.0, "mean": 14 / 3, "median": 3, "min": 1, "max": 10, "range": 9}
    assert empty.pop("sum") == 0
    assert all(math.isnan(bits) for bits in empty.values())
    assert suite.as_dataframe("range")["metric_value"].tolist()[2] == 9.0


def test_compute_surprisals_checks_the_suite_before_the_model_runs(suite_dict: SuiteDict) -> None:
    model = WordModel()
    written = suite_dict({"a": ["x"]}, ["(1;%b%) > 0", "(2;%a%) > 0"])
    with pytest.raises(SuiteError) as caught:
        compute_surprisals(model, written)
    assert len(caught.value.faults) == 2
    assert model.policies == []


def test_compute_surprisals_by_reference(suite_dict: SuiteDict) -> None:
    suite = compute_surprisals("dummy://uniform?bits=2", suite_dict({"a": ["x y", "z"]}))
    assert _sums(suite)[1] == 2.0
    assert suite.meta["model"] == "uniform-2"


def test_published_suite_in_both_shapes(shared_data: Path) -> None:
    path = shared_data / "hu2020" / "suites" / "npz_obj.json"  # with stray spaces
    suite = compute_surprisals("dummy://", path)
    frame = evaluate(suite)
    assert len(frame) == 24
    assert set(frame["result"]) <= {True, False}


@pytest.fixture
def evaluated(suite_dict: SuiteDict) -> dict[str, Any]:
    written = suite_dict({"a": ["x"], "b": ["x"]}, ["(1;%a%) < (1;%b%)", "(1;%a%)"])
    for condition, bits in zip(written["items"][0]["conditions"], (1.5, 2.0), strict=True):
        condition["regions"][0].update(metric_value={"sum": bits}, oovs=[])
    second = deepcopy(written["items"][0])
    second["item_number"] = 5
    written["items"].append(second)
    return written


def test_evaluate(evaluated: dict[str, Any]) -> None:
    frame = evaluate(evaluated)
    assert frame.index.names == ["suite", "prediction_id", "item_number"]
    assert frame.columns.tolist() == ["result"]
    assert frame.index.tolist() == [("t", 0, 1), ("t", 1, 1), ("t", 0, 5), ("t", 1, 5)]
    assert frame["result"].tolist() == [True, 1.5, True, 1.5]


def test_evaluate_without_a_data_frame(evaluated: dict[str, Any]) -> None:
    suite, results = evaluate(evaluated, return_df=False)
    first, second = suite.predictions
    assert results == {1: {first: True, second: 1.5}, 5: {first: True, second: 1.5}}


def test_results_as_tsv(evaluated: dict[str, Any]) -> None:
    assert results_to_tsv(evaluate(evaluated)) == (
        "suite\tprediction_id\titem_number\tresult\n"
        "t\t0\t1\tTrue\n"
        "t\t1\t1\t1.5\n"
        "t\t0\t5\tTrue\n"
        "t\t1\t5\t1.5\n"
    )


def test_evaluate_without_surprisals(suite_dict: SuiteDict) -> None:
    with pytest.raises(MissingValueError, match="item 1, condition 'a': region 1 has no"):
        evaluate(suite_dict({"a": ["x"]}, ["(1;%a%) > 0"]))
    with pytest.raises(MissingValueError, match="item 1, condition 'a': region 1 has no"):
        Suite.from_dict(suite_dict({"a": ["x"]})).as_dataframe()


def test_evaluate_without_predictions(suite_dict: SuiteDict) -> None:
    frame = evaluate(suite_dict({"a": ["x"]}))
    assert frame.empty
    assert results_to_tsv(frame) == "suite\tprediction_id\titem_number\tresult\n"


def test_published_example(shared_data: Path) -> None:
    folder = shared_data / "sg_eval"
    spec = json.loads((folder / "spec.template.json").read_text("utf-8"))
    surprisals = pd.read_csv(
        folder / "surprisals_fgd_hierarchy.txt",
        sep=r"\s+",
        keep_default_na=False,
        quoting=csv.QUOTE_NONE,
    )
    tokens = surprisals.groupby("sentence_id")["token"].agg(list).tolist()
    suite = aggregate_surprisals(
        spec, surprisals, tokens, load_suite(folder / "fgd_hierarchy.json")
    )
    frame = evaluate(suite)
    holding = frame.groupby("prediction_id")["result"].sum()
    # What that repository printed: 0.7083 for the first, which alone it counts.
    assert holding.tolist() == [17, 0]
    assert frame.xs(0, level="prediction_id")["result"].mean() == pytest.approx(17 / 24)
