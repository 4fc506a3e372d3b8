"""Suites: from JSON and back, sentences and edges, what they lack."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from pommel.compat.syntaxgym import (
    Region,
    Suite,
    evaluate,
    get_sentences,
    load_suite,
)
from pommel.errors import InputError, SuiteError
from pommel.suite.metrics import METRICS

SuiteDict = Callable[..., dict[str, Any]]


def test_sentence_cases(suite_dict: SuiteDict, shared_data: Path) -> None:
    text = (shared_data / "conformance" / "sentence_cases.json").read_text("utf-8")
    cases = json.loads(text)["cases"]
    assert len(cases) == 13
    for case in cases:
        suite = Suite.from_dict(suite_dict({"a": case["regions"]}))
        assert get_sentences(suite) == [case["sentence"]]
        (edges,) = suite.iter_region_edges()
        # Behind an empty first region, and there alone, it counted a space that is not there.
        leading = next(n for n, content in enumerate(case["regions"]) if content.strip())
        fault = [1 if leading and n > leading else 0 for n in range(len(edges))]
        if case["regions"][0].isspace():
            fault = [0] * len(edges)
        assert edges == [
            old - wrong for old, wrong in zip(case["region_edges"], fault, strict=True)
        ], case


def test_a_region_has_its_own_joiner_before_it(suite_dict: SuiteDict) -> None:
    value = suite_dict({"a": ["l'", "arbre", "tombe"]})
    value["items"][0]["conditions"][0]["regions"][1]["joiner"] = ""
    suite = Suite.from_dict(value)
    assert get_sentences(suite) == ["l'arbre tombe"]
    assert [*suite.iter_region_edges()] == [[0, 2, 7]]


def test_published_suites_load(shared_data: Path) -> None:
    n_sentences = 0
    for path in sorted((shared_data / "hu2020" / "suites").glob("*.json")):
        written = json.loads(path.read_text("utf-8"))
        suite = load_suite(path)
        assert json.loads(json.dumps(suite.as_dict())) == written
        assert Suite.from_dict(suite.as_dict()) == suite
        n_sentences += len(get_sentences(suite))
    assert n_sentences == 3_304


def test_parts_of_a_suite(suite_dict: SuiteDict) -> None:
    written = suite_dict({"a": ["x", "y"], "b": ["x", ""]}, ["(1;%a%) < (1;%b%)"])
    suite = Suite.from_dict(written)
    assert suite.condition_names == ["a", "b"]
    assert suite.region_names == ["r1", "r2"]
    assert suite.items is written["items"]
    assert suite.meta is written["meta"]
    assert [each.idx for each in suite.predictions] == [0]
    assert suite == Suite(["a", "b"], ["r1", "r2"], suite.items, suite.predictions, suite.meta)
    assert suite != Suite(["a", "b"], ["r1", "r3"], suite.items, suite.predictions, suite.meta)
    assert suite != "t"


def test_regions_keep_their_numbers(suite_dict: SuiteDict) -> None:
    written = suite_dict({"a": ["x"]})
    written["region_meta"] = {"5": "B", "0": "A"}
    suite = Suite.from_dict(written)
    assert suite.region_names == ["A", "B"]
    # The old package wrote them back as 1 and 2.
    assert suite.as_dict()["region_meta"] == {0: "A", 5: "B"}


@pytest.mark.parametrize("metric", ["all", ["sum", "mean"]])
def test_several_metrics_and_predictions(suite_dict: SuiteDict, metric: Any) -> None:
    suite = Suite.from_dict(suite_dict({"a": ["x"]}, ["(1;%a%) > 0"], metric=metric))
    assert suite.predictions[0].metric == "sum"


def test_what_a_suite_lacks(suite_dict: SuiteDict) -> None:
    written = suite_dict({"a": ["x"]}, ["(1;%a%) > 0"])
    for key in list(written):
        partial = {name: value for name, value in written.items() if name != key}
        with pytest.raises(KeyError, match=f"^the suite has no '{key}'$"):
            Suite.from_dict(partial)
    with pytest.raises(InputError, match=r"^the suite has no items$"):
        Suite.from_dict({**written, "items": []})
    with pytest.raises(KeyError, match=r"^the suite's meta has no 'metric'$"):
        Suite.from_dict({**written, "meta": {"name": "t"}})
    with pytest.raises(ValueError, match=r"^Unknown metrics: \['mode'\]$"):
        Suite.from_dict({**written, "meta": {"name": "t", "metric": "mode"}})


def test_sources_of_a_suite(suite_dict: SuiteDict, tmp_path: Path) -> None:
    written = suite_dict({"a": ["x"]})
    path = tmp_path / "t.json"
    path.write_text(json.dumps(written), encoding="utf-8")
    suite = Suite.from_dict(written)
    with path.open(encoding="utf-8") as stream:
        assert load_suite(stream) == suite
    assert load_suite(path) == load_suite(str(path)) == load_suite(written) == suite
    assert load_suite(suite) is suite
    with pytest.raises(SuiteError, match="<suite>:1:2: this is not JSON"):
        load_suite(io.StringIO("{"))


@pytest.mark.parametrize("content", ["test ", " test", " ", "a  b", "a\n"])
def test_region_with_stray_spaces(content: str) -> None:
    with pytest.raises(ValueError, match=r"^Region content has .* This is not allowed"):
        Region(1, content)


def test_region() -> None:
    region = Region(region_number=1, content="a b", metric_value={"sum": 1.0}, oovs=["b"])
    assert repr(region) == (
        "Region(region_number=1, content='a b', metric_value={'sum': 1.0}, oovs=['b'])"
    )
    assert Region().content == ""


_names = st.text("ab_-1", min_size=1, max_size=4)
_words = st.text(st.characters(codec="utf-8"), max_size=6)


@st.composite
def _suite_dicts(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(_names, min_size=1, max_size=3, unique=True))
    numbers = draw(st.lists(st.integers(0, 50), min_size=1, max_size=3, unique=True))
    bits = st.one_of(st.none(), st.floats(0, 100))
    return {
        "meta": {"name": draw(_words), "metric": draw(st.sampled_from([*METRICS, "all"]))},
        "region_meta": {str(number): draw(_words) for number in numbers},
        "predictions": [
            {"type": "formula", "formula": f"({number};%{names[0]}%) < (*;%{names[-1]}%)"}
            for number in draw(st.lists(st.sampled_from(numbers), max_size=2))
        ],
        "items": [
            {
                "item_number": item_number,
                "conditions": [
                    {
                        "condition_name": name,
                        "regions": [
                            {
                                "region_number": number,
                                "content": draw(_words),
                                "metric_value": {metric: draw(bits) for metric in tuple(METRICS)},
                                "oovs": [],
                            }
                            for number in numbers
                        ],
                    }
                    for name in draw(st.permutations(names))
                ],
            }
            for item_number in draw(st.lists(st.integers(0, 9), min_size=1, max_size=2))
        ],
    }


@settings(deadline=None)  # the first example builds the formula parser
@given(_suite_dicts())
def test_as_dict_and_from_dict_are_inverse(written: dict[str, Any]) -> None:
    suite = Suite.from_dict(written)
    again = suite.as_dict()
    assert json.loads(json.dumps(again)) == written
    assert Suite.from_dict(again) == suite
    assert Suite.from_dict(again).as_dict() == again


@settings(deadline=None)  # likewise
@given(_suite_dicts())
def test_edges_lie_in_the_sentence(written: dict[str, Any]) -> None:
    suite = Suite.from_dict(written)
    for sentence, edges in zip(suite.iter_sentences(), suite.iter_region_edges(), strict=True):
        assert edges == sorted(edges)
        assert edges[0] == 0
        assert edges[-1] <= len(sentence)


@settings(deadline=None)  # the first example imports pandas
@given(_suite_dicts())
def test_evaluated_suites_always_give_a_table(written: dict[str, Any]) -> None:
    frame = evaluate(written)
    n_items = len({item["item_number"] for item in written["items"]})
    assert len(frame) == len(written["predictions"]) * n_items
