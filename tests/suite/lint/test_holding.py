"""Predictions that can never hold, always hold, or contradict each other."""

import itertools
import random
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.builders import Sentences, make_suite, token

from pommel.scoring.predictions import evaluate_predictions
from pommel.scoring.regions import region_table
from pommel.suite.formula import Formula
from pommel.suite.formula.tree import (
    Absolute,
    Arithmetic,
    Comparison,
    Expression,
    Logical,
    Negation,
    Number,
    RegionValue,
    to_text,
)
from pommel.suite.lint import check_suite
from pommel.suite.suite import Sentence, Suite
from pommel.surprisal import ScoredSentence

HOLDING = ("never-holds", "always-holds", "contradiction")


def messages(suite: Suite, *rules: str) -> list[str]:
    return [f"{each.rule}: {each.message}" for each in check_suite(suite, rules or HOLDING)]


# All different from the first word on.
DIFFERENT: Sentences = {
    "a": ("Some dogs", "bark", "."),
    "b": ("Few cats", "bark", "."),
    "c": ("All", "", "."),
}


@pytest.mark.parametrize(
    "formula",
    [
        "(2;%a%) < (2;%b%)",
        "(2;%a%) = (2;%b%)",
        "(2;%a%) - (2;%b%) > 3",
        "(2;%a%) < (2;%b%) & (2;%b%) < (2;%a%) + 1",
        "(2;%a%) < (2;%b%) & (2;%a%) = (2;%b%)",  # by less than the tolerance
        "abs((2;%a%) - (2;%b%)) < 1",
        "((2;%a%) < (2;%b%)) + ((1;%a%) < (1;%b%)) = 1",
        "(*;%a%) > (1;%a%) + 5",
        "(2;%a%) > (2;%c%)",
        "!((2;%a%) < (2;%b%))",
        "(2;%a%) / (1 - 1) < (2;%b%)",  # nothing is said of a division by 0
    ],
)
def test_what_a_model_may_decide(formula: str) -> None:
    assert messages(make_suite([DIFFERENT], [formula])) == []


@pytest.mark.parametrize(
    "formula",
    [
        "(2;%a%) < (2;%a%)",
        "(2;%a%) != (2;%a%)",
        "(2;%a%) < (2;%b%) & (2;%b%) < (2;%a%)",
        "(2;%a%) < (2;%b%) & (2;%b%) <= (1;%a%) & (1;%a%) < (2;%a%)",
        "(2;%a%) < (2;%b%) & (2;%a%) - 0.5 > (2;%b%)",
        "(2;%a%) < -1",
        "abs((2;%a%) - (2;%b%)) < 0",
        "(2;%a%) + 2 < (2;%b%) & (2;%a%) = (2;%b%) & (2;%b%) < 10000",
        "(*;%a%) < (1;%a%)",
        "((2;%a%) < (2;%b%)) + ((2;%b%) < (2;%a%)) = 2",
        "!((2;%a%) + (2;%b%) >= (2;%b%))",
    ],
)
def test_never(formula: str) -> None:
    suite = make_suite([DIFFERENT, DIFFERENT], [formula])
    assert messages(suite) == ["never-holds: prediction 0 can never hold"]
    assert check_suite(suite, HOLDING)[0].path == ("predictions", 0, "formula")


@pytest.mark.parametrize(
    "formula",
    [
        "(2;%a%) < (2;%a%) + 1",
        "(2;%a%) = (2;%a%)",
        "(2;%a%) < (2;%b%) | (2;%b%) <= (2;%a%)",
        "abs((2;%a%) - (2;%b%)) <= (2;%a%) + (2;%b%)",
        "(*;%a%) >= (2;%a%)",
        "!((2;%a%) < (2;%b%) & (2;%b%) < (2;%a%))",
    ],
)
def test_always(formula: str) -> None:
    assert messages(make_suite([DIFFERENT], [formula])) == [
        "always-holds: prediction 0 always holds"
    ]


def test_for_want_of_content() -> None:
    empty = "a region that it names is empty, and its sum is 0"
    assert messages(make_suite([DIFFERENT], ["(2;%c%) > (2;%a%)"])) == [
        f"never-holds: prediction 0 can never hold: {empty}"
    ]
    assert messages(make_suite([DIFFERENT], ["(2;%a%) >= (2;%c%)"])) == [
        f"always-holds: prediction 0 always holds: {empty}"
    ]
    # That region 2 of c is empty is not why.
    both = "(2;%c%) < (2;%a%) & (1;%a%) < (1;%a%)"
    for metric in ("sum", "mean"):
        assert messages(make_suite([DIFFERENT], [both], metric=metric)) == [
            "never-holds: prediction 0 can never hold"
        ]


def test_each_prediction_has_its_own_reason() -> None:
    item: Sentences = {"a": ("x", "", "."), "b": ("x", "y", ".")}
    suite = make_suite([item], ["(2;%a%) < (2;%b%)", "(1;%a%) < (1;%b%)"], metric="mean")
    left_to_right = (
        ", for every left-to-right model: what it compares is the same, with all that stands "
        "before it"
    )
    empty = "a region that it names is empty, and has no mean"
    assert messages(suite) == [
        f"never-holds: prediction 0 can never hold: {empty}",
        f"never-holds: prediction 1 can never hold{left_to_right}",
    ]
    either = "((2;%a%) < (2;%b%)) | ((1;%a%) < (1;%b%))"
    assert messages(make_suite([item], [either], metric="mean")) == [
        f"never-holds: prediction 0 can never hold{left_to_right}; and {empty}",
    ]
    assert messages(make_suite([item], [either.replace("(1;%b%))", "(1;%b%) + 1)")])) == [
        f"always-holds: prediction 0 always holds{left_to_right}",
    ]


@pytest.mark.parametrize(
    ("metric", "formula", "expected"),
    [
        ("sum", "(*;%a%) < (2;%a%)", "never-holds"),
        ("sum", "(*;%a%) >= (2;%a%)", "always-holds"),
        ("min", "(*;%a%) >= (2;%a%)", None),
        ("max", "(*;%a%) >= (2;%b%)", None),
        ("max", "(*;%a%) > (2;%a%)", None),
        ("max", "(*;%a%) < (2;%a%)", None),
        ("mean", "(*;%a%) >= (2;%a%)", None),
    ],
)
def test_a_sentence_and_its_regions(metric: str, formula: str, expected: str | None) -> None:
    said = check_suite(make_suite([DIFFERENT], [formula], metric=metric), HOLDING)
    assert [each.rule for each in said] == ([expected] if expected else [])


@pytest.mark.parametrize("metric", ["sum", "mean", "median", "min", "max", "range"])
def test_a_region_may_be_all_of_a_sentence(metric: str) -> None:
    suite = make_suite(
        [{"a": ("", "Dogs bark"), "b": ("x", "y")}], ["(*;%a%) < (2;%a%)"], metric=metric
    )
    assert messages(suite) == ["never-holds: prediction 0 can never hold"]


def test_the_tolerance_of_equality_grows_with_what_is_compared() -> None:
    apart = "(2;%a%) + 2 < (2;%b%) & (2;%a%) = (2;%b%)"
    assert messages(make_suite([DIFFERENT], [apart])) == []
    assert messages(make_suite([DIFFERENT], [f"{apart} & (2;%b%) < 199000"])) != []
    assert messages(make_suite([DIFFERENT], [f"{apart} & (2;%b%) < 201000"])) == []


def test_only_the_first_metric_has_a_sum() -> None:
    by_mean = make_suite([DIFFERENT], ["(*;%a%) >= (2;%a%)"], metric="mean")
    assert messages(by_mean) == []
    empty = make_suite([DIFFERENT], ["(2;%c%) < (2;%a%)"], metric="mean")
    assert messages(empty) == [
        "never-holds: prediction 0 can never hold: a region that it names is empty, and has no mean"
    ]
    either = make_suite([DIFFERENT], ["(2;%c%) < (2;%a%) | (2;%a%) < (2;%b%)"], metric="mean")
    assert messages(either) == []


SAME: Sentences = {"a": ("The dog", "barks", "."), "b": ("The dog", "barks", ".")}
SAME_SO_FAR: Sentences = {"a": ("The dog", "barks", "."), "b": ("The dog", "barks", "now .")}
OTHER: Sentences = {"a": ("The dog", "barks", "."), "b": ("The dog", "bark", ".")}


def test_the_same_sentence() -> None:
    suite = make_suite([OTHER, SAME, OTHER], ["(3;%a%) < (3;%b%)"])
    (remark,) = check_suite(suite, ["never-holds"])
    assert remark.message == (
        "prediction 0 can never hold in item 2: conditions that it compares have the same sentence"
    )
    assert remark.path == ("items", 1)
    assert remark.item_numbers == (2,)


def test_the_same_so_far_is_the_same_for_a_left_to_right_model() -> None:
    suite = make_suite([SAME_SO_FAR] * 2, ["(2;%a%) < (2;%b%)"])
    (message,) = messages(suite)
    assert message == (
        "never-holds: prediction 0 can never hold, for every left-to-right model: what it compares "
        "is the same, with all that stands before it"
    )
    # The last region has the mark at the end with it, and "." is not that of "now .".
    assert messages(make_suite([SAME_SO_FAR], ["(3;%a%) < (3;%b%)"])) == []
    # Without spaces a token may reach into the next region.
    assert messages(make_suite([SAME_SO_FAR], ["(2;%a%) < (2;%b%)"], joiner="")) == []


def test_the_sentence_may_end_in_one_of_them() -> None:
    ends: Sentences = {"a": ("The dog", "barks", ""), "b": ("The dog", "barks", ".")}
    assert messages(make_suite([ends], ["(2;%a%) < (2;%b%)"])) == []


def test_predictions_together() -> None:
    one, other = "(2;%a%) < (2;%b%)", "(2;%b%) < (2;%a%)"
    assert messages(make_suite([DIFFERENT], [one, other])) == [
        "contradiction: the predictions can never hold together"
    ]
    # What never or always holds is said once.
    assert messages(make_suite([DIFFERENT], [one, "(2;%a%) < (2;%a%)"])) == [
        "never-holds: prediction 1 can never hold"
    ]


@pytest.mark.full
def test_of_what_has_too_many_cases_nothing_is_said() -> None:
    either = " & ".join("abs((2;%a%) - (2;%b%)) != abs((1;%a%) - (1;%b%))" for _ in range(9))
    assert messages(make_suite([DIFFERENT], [f"{either} & (2;%a%) < (2;%b%)"])) == []


# --- laws: no model contradicts what was said, and what no values contradict is said

NAMES = st.sampled_from(["a", "b", "c"])
NUMBERS = st.sampled_from([0.0, 0.25, 1.0, 2.0, -1.0])


@st.composite
def truths(draw: st.DrawFn, depth: int = 2) -> Expression:
    kind = draw(st.sampled_from(["comparison", "logical", "negation"][: 3 if depth else 1]))
    match kind:
        case "comparison":
            operator: Literal["<", ">", "=", "<=", ">=", "!="] = draw(
                st.sampled_from(["<", ">", "=", "<=", ">=", "!="])
            )
            return Comparison(operator=operator, left=draw(sums()), right=draw(sums()))
        case "logical":
            joint: Literal["&", "|"] = draw(st.sampled_from(["&", "|"]))
            left, right = draw(truths(depth - 1)), draw(truths(depth - 1))
            return Logical(operator=joint, left=left, right=right)
        case _:
            return Negation(operand=draw(truths(depth - 1)))


@st.composite
def sums(draw: st.DrawFn, depth: int = 2) -> Expression:
    kinds = ["region", "number", "sum", "abs", "truth"]
    match draw(st.sampled_from(kinds if depth else kinds[:2])):
        case "region":
            region = draw(st.sampled_from([None, 1, 2, 3]))
            return RegionValue(region=region, condition=draw(NAMES))
        case "number":
            return Number(value=draw(NUMBERS))
        case "sum":
            sign: Literal["+", "-"] = draw(st.sampled_from(["+", "-"]))
            left, right = draw(sums(depth - 1)), draw(sums(depth - 1))
            return Arithmetic(operator=sign, left=left, right=right)
        case "abs":
            return Absolute(operand=draw(sums(depth - 1)))
        case _:
            return draw(truths(0))


# Few words, so that conditions often begin alike, and one often ends where another goes on.
CONTENTS = st.tuples(st.just("x"), st.sampled_from(["", "x", "x y"]), st.sampled_from(["", "z"]))

REGION_PAIRS = st.builds(
    lambda operator, region, names: Comparison(
        operator=operator,
        left=RegionValue(region=region, condition=names[0]),
        right=RegionValue(region=region, condition=names[1]),
    ),
    st.sampled_from(["<", "<=", "!=", "="]),
    st.sampled_from([None, 1, 2, 3]),
    st.tuples(NAMES, NAMES),
)


JOINED_PAIRS = st.builds(
    lambda operator, left, right: Logical(operator=operator, left=left, right=right),
    st.sampled_from(["&", "|"]),
    REGION_PAIRS,
    REGION_PAIRS,
)


class WordModel:
    """A word's bits follow from what stands before it, or, unless left to right, from it all."""

    def __init__(self, seed: int, *, left_to_right: bool) -> None:
        self._seed = seed
        self._left_to_right = left_to_right

    def score(self, sentence: Sentence) -> ScoredSentence:
        text, tokens, end = sentence.text, [], 0
        for word in text.split():
            start = text.index(word, end)
            end = start + len(word)
            seen = text[:end] if self._left_to_right else f"{text}|{end}"
            tokens.append(token(word, start, self._bits(seen)))
        tokens.append(token("</s>", len(text), self._bits(f"{text}</s>"), end=len(text)))
        return ScoredSentence(text=text, tokens=tuple(tokens))

    def _bits(self, seen: str) -> float:
        # Few different values, so that ties come up; quarters, so that sums are exact.
        return random.Random(f"{self._seed} {seen}").choice([0.0, 0.25, 1.0, 1.5, 7.0])  # noqa: S311


EMPTY_REGIONS = st.fixed_dictionaries(
    {
        "a": st.tuples(st.just("x"), st.just(""), st.just(".")),
        "b": st.tuples(st.just("x"), st.sampled_from(["", "y"]), st.sampled_from(["", ".", "z"])),
        "c": CONTENTS,
    }
)


@given(
    st.fixed_dictionaries({"a": CONTENTS, "b": CONTENTS, "c": CONTENTS}),
    st.lists(REGION_PAIRS | JOINED_PAIRS | truths(), min_size=1, max_size=2),
    st.sampled_from(["sum", "mean", "median", "min", "max", "range"]),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_no_model_contradicts_what_is_said(
    item: Sentences,
    trees: list[Expression],
    metric: str,
    seed: int,
    left_to_right: bool,  # noqa: FBT001 - Hypothesis gives arguments by position
) -> None:
    check_what_is_said(item, trees, metric, seed, left_to_right=left_to_right)


@given(
    EMPTY_REGIONS,
    st.lists(REGION_PAIRS | JOINED_PAIRS, min_size=1, max_size=3),
    st.sampled_from(["mean", "median", "min", "max", "range"]),
    st.integers(0, 2**32),
)
def test_no_model_contradicts_what_is_said_of_empty_regions(
    item: Sentences, trees: list[Expression], metric: str, seed: int
) -> None:
    check_what_is_said(item, trees, metric, seed, left_to_right=False)


def check_what_is_said(
    item: Sentences, trees: list[Expression], metric: str, seed: int, *, left_to_right: bool
) -> None:
    suite = make_suite([item], map(to_text, trees), metric=metric)
    said = check_suite(suite, ["never-holds", "always-holds"])
    for number in range(8):
        model = WordModel(seed + number, left_to_right=left_to_right)
        rows = [
            [
                model.score(suite.items[0].condition(name).sentence())
                for name in suite.condition_names
            ]
        ]
        table = region_table(suite, rows, suite.metrics)
        predictions = evaluate_predictions(suite, table).predictions
        for remark in said:
            if left_to_right or "left-to-right" not in remark.message:
                (index,) = remark.predictions
                holds = predictions[index].holds[0]
                assert holds == (remark.rule == "always-holds"), remark.message


COMPARED = st.tuples(
    st.sampled_from("xyz"),
    st.sampled_from([0, 1]),
    st.sampled_from(["<", ">", "<=", ">="]),
    st.sampled_from("xyz"),
    st.sampled_from([0, 1]),
)


@given(st.lists(COMPARED, min_size=1, max_size=4), st.lists(st.sampled_from("&|"), min_size=3))
def test_what_holds_for_no_values_is_said(
    compared: list[tuple[str, int, str, str, int]], joints: list[str]
) -> None:
    # Differences of three values with whole bounds: if they can hold, then for some quarters.
    text = ""
    for (left, c, operator, right, d), joint in zip(compared, ["", *joints], strict=False):
        new = f"(1;%{left}%) + {c} {operator} (1;%{right}%) + {d}"
        text = f"({text}) {joint} ({new})" if text else new
    grid = np.array(list(itertools.product(np.arange(0, 4.5, 0.25), repeat=3)))
    columns = {name: grid[:, index] for index, name in enumerate("xyz")}
    holds = Formula.parse(text).judge(lambda _region, name: columns[name], len(grid)).holds
    suite = make_suite([{"x": ("x .",), "y": ("y .",), "z": ("z .",)}], [text])
    said = [each.rule for each in check_suite(suite, ["never-holds", "always-holds"])]
    assert said == ["never-holds"] * (not holds.any()) + ["always-holds"] * bool(holds.all())
