"""Tokens to regions, the metrics, crossings and unknown words; which regions have to be scored."""

import itertools
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.builders import Sentences, by_word, make_suite, token

from pommel.errors import SurprisalError
from pommel.models.model import Spans
from pommel.scoring.regions import (
    Assigner,
    CrossingToken,
    RegionTable,
    all_needed,
    all_spans,
    needed_spans,
    region_table,
)
from pommel.suite.metrics import METRICS
from pommel.suite.suite import Condition, Region, Sentence, Suite
from pommel.surprisal import ScoredSentence, Token


def condition(*contents: str) -> Condition:
    regions = (Region(number=n, content=content) for n, content in enumerate(contents, 1))
    return Condition(name="a", regions=tuple(regions))


def spans(*pairs: tuple[int, int]) -> list[Token]:
    return [
        Token(text="t", start=start, end=end, surprisal_bits=1.0, role="special")
        for start, end in pairs
    ]


@pytest.mark.parametrize(
    ("contents", "tokens", "expected"),
    [
        # "The dog barks ."; regions [0, 7), [7, 13), [13, 15)
        (("The dog", "barks", "."), [(0, 3), (4, 7), (8, 13), (14, 15)], [0, 0, 1, 2]),
        # the space in front belongs to the token, as in GPT-2
        (("The dog", "barks", "."), [(0, 3), (3, 7), (7, 13), (13, 15)], [0, 0, 1, 2]),
        # the space is a token of its own, or has nothing to itself
        (("The dog", "barks", "."), [(7, 8), (7, 7), (6, 7), (13, 14)], [1, 1, 0, 2]),
        # marks at both ends
        (("The dog", "barks", "."), [(0, 0), (15, 15)], [0, 2]),
        # across a border: where the first visible character is
        (("The dog", "barks", "."), [(4, 13), (7, 15), (6, 9)], [0, 1, 0]),
        # empty regions first, in the middle, last: they hold nothing
        (("", "ab", "c"), [(0, 0), (0, 2), (2, 4), (4, 4)], [1, 1, 2, 2]),
        (("ab", "", "c"), [(0, 2), (2, 2), (2, 4)], [0, 2, 2]),
        (("ab", "c", ""), [(0, 2), (2, 4), (4, 4)], [0, 1, 1]),
        (("ab", "", "", "c", "", ""), [(2, 4), (4, 4)], [3, 3]),
        # subwords
        (("dogs", "ran"), [(0, 3), (3, 4), (5, 6), (6, 8)], [0, 0, 1, 1]),
    ],
)
def test_where_a_token_belongs(
    contents: Sequence[str], tokens: list[tuple[int, int]], expected: list[int]
) -> None:
    assert condition(*contents).sentence().regions_of(spans(*tokens)) == expected


def test_the_ideographic_space_is_a_space_too() -> None:
    sentence = condition("犬が", "吠える").sentence(joiner="\u3000")
    assert sentence.regions_of(spans((0, 2), (2, 6))) == [0, 1]


# --- tables


def suite_of(*contents: str, name: str = "a") -> Suite:
    return make_suite([{name: contents}], formulas=[])


def table_of(
    suite: Suite, tokens: Sequence[Token], assigner: Assigner = Sentence.regions_of
) -> RegionTable:
    (sentence,) = suite.sentences()[0]
    scored = ScoredSentence(text=sentence.text, tokens=tuple(tokens))
    return region_table(suite, [[scored]], assigner=assigner)


def test_metrics_of_regions_and_of_the_whole_sentence() -> None:
    suite = suite_of("a b c", "", "d e")
    table = table_of(
        suite, by_word("a b c d e", dict(zip("abcde", [1, 4, 2.5, 3, 8], strict=True))).tokens
    )
    values = {metric: table.values[metric][0, 0].tolist() for metric in tuple(METRICS)}
    nan = pytest.approx(math.nan, nan_ok=True)
    assert values == {
        "sum": [7.5, 0, 11],
        "mean": [2.5, nan, 5.5],
        "median": [2.5, nan, 5.5],
        "min": [1, nan, 3],
        "max": [4, nan, 8],
        "range": [3, nan, 5],
    }
    whole = {metric: table.whole[metric][0, 0] for metric in tuple(METRICS)}
    assert whole == {"sum": 18.5, "mean": 3.7, "median": 3, "min": 1, "max": 8, "range": 7}
    assert table.n_tokens.tolist() == [[[3, 0, 2]]]
    assert table.n_unscored.tolist() == [[[0, 0, 0]]]
    assert (table.oovs, table.crossings) == ({}, ())


def test_a_token_without_a_surprisal_is_left_out_and_counted() -> None:
    suite = suite_of("a b", "c", "d")
    bits = {"a": None, "b": 2.0, "c": None, "d": 5.0}
    nan = pytest.approx(math.nan, nan_ok=True)
    table = table_of(suite, by_word("a b c d", bits).tokens)
    # A region of nothing but such tokens has no value: 0 bits would be those of a certain word.
    for metric in ("sum", "min"):
        assert table.values[metric][0, 0].tolist() == [2, nan, 5]
    assert table.whole["mean"].tolist() == [[3.5]]
    assert table.n_tokens.tolist() == [[[2, 1, 1]]]
    assert table.n_unscored.tolist() == [[[1, 1, 0]]]
    assert table.any_in(table.n_unscored, 1, "a").tolist() == [True]
    assert table.any_in(table.n_unscored, 3, "a").tolist() == [False]
    assert table.any_in(table.n_unscored, None, "a").tolist() == [True]


def test_a_region_with_a_token_that_was_not_asked_for_has_no_value() -> None:
    suite = suite_of("a b", "c", "d")
    tokens = [
        token("a", 0, 2.0),
        token("b", 2, None, why="not asked for"),
        token("c", 4, 3.0),
        token("d", 6, None),
    ]
    table = table_of(suite, tokens)
    nan = pytest.approx(math.nan, nan_ok=True)
    for metric in tuple(METRICS):
        value = 0 if metric == "range" else 3
        assert table.values[metric][0, 0].tolist() == [nan, value, nan]
        assert table.whole[metric].tolist() == [[nan]]
    assert table.n_tokens.tolist() == [[[2, 1, 1]]]
    assert table.n_unscored.tolist() == [[[0, 0, 1]]]


def test_a_token_that_is_not_comparable_is_left_out_and_counted_twice() -> None:
    suite = suite_of("a b", "c", "d")
    tokens = [
        token("a", 0, 2.0),
        token("b", 2, None, why="not comparable"),
        token("c", 4, None),
        token("d", 6, 1.0),
    ]
    table = table_of(suite, tokens)
    assert table.values["sum"][0, 0].tolist() == [2, pytest.approx(math.nan, nan_ok=True), 1]
    assert table.n_unscored.tolist() == [[[1, 1, 0]]]
    assert table.n_not_comparable.tolist() == [[[1, 0, 0]]]
    assert [
        table.any_in(table.n_not_comparable, region, "a").tolist() for region in (1, 2, None)
    ] == [
        [True],
        [False],
        [True],
    ]
    assert table.sentence_n_tokens("a").tolist() == [4]


def test_a_word_that_cannot_be_is_infinitely_surprising() -> None:
    suite = suite_of("a b", "c")
    table = table_of(suite, by_word("a b c", {"a": math.inf, "b": 1.0, "c": math.inf}).tokens)
    assert {metric: table.values[metric][0, 0, 0] for metric in tuple(METRICS)} == {
        "sum": math.inf,
        "mean": math.inf,
        "median": math.inf,
        "min": 1,
        "max": math.inf,
        "range": math.inf,
    }
    assert math.isnan(table.values["range"][0, 0, 1])
    assert table.values["median"][0, 0, 1] == math.inf


def test_unknown_words_and_crossing_tokens_are_told() -> None:
    suite = suite_of("The dog", "barks", ".")
    tokens = [
        token("The", 0, 1.0),
        token("<unk>", 3, 2.0, end=7, oov=True),
        token("barks.", 7, 3.0, end=15),
    ]
    table = table_of(suite, tokens)
    assert table.oovs == {(0, 0, 0): ("dog",)}
    assert table.crossings == (CrossingToken(cell=(0, 0, 1), token="barks."),)
    assert table.values["sum"][0, 0].tolist() == [3, 3, 0]


def test_a_space_behind_a_token_crosses_nothing() -> None:
    table = table_of(suite_of("a", "b"), [token("a_", 0, 1.0, end=2), token("b", 2, 1.0)])
    assert table.crossings == ()


def test_the_mark_at_the_end_is_counted_in_the_last_region_with_content() -> None:
    suite = suite_of("a", "b", "")
    tokens = [token("a", 0, 1.0), token("b", 2, 2.0), token("</s>", 3, 4.0, end=3, role="eos")]
    assert table_of(suite, tokens).values["sum"][0, 0].tolist() == [1, 6, 0]
    assert table_of(suite_of("", "a", "b"), tokens).values["sum"][0, 0].tolist() == [0, 1, 6]


def test_another_assigner_may_leave_tokens_out_and_go_backwards() -> None:
    suite = suite_of("a", "b", "c")
    table = table_of(
        suite, by_word("a b c", {"a": 1.0, "b": 2.0, "c": 4.0}).tokens, lambda _, __: [2, None, 0]
    )
    assert table.values["sum"][0, 0].tolist() == [4, 0, 1]
    assert table.values["max"][0, 0].tolist() == [4, pytest.approx(math.nan, nan_ok=True), 1]
    assert table.whole["sum"].tolist() == [[5]]
    assert table.n_tokens.tolist() == [[[1, 0, 1]]]


def test_columns_by_condition_and_region() -> None:
    suite = make_suite([{"a": ("x", "yy"), "b": ("x",)}, {"b": ("xxx",), "a": ("x", "y")}], [])
    scored = [[by_word(each.text) for each in row] for row in suite.sentences()]
    table = region_table(suite, scored, ["sum", "max"])
    assert (table.condition_names, table.region_numbers) == (("a", "b"), (1, 2))
    assert table.column("sum", 2, "a").tolist() == [2, 1]
    assert table.column("sum", 1, "b").tolist() == [1, 3]
    assert table.column("max", None, "a").tolist() == [2, 1]
    # A region that a condition lacks is like an empty one.
    assert table.column("sum", 2, "b").tolist() == [0, 0]
    assert np.isnan(table.column("max", 2, "b")).all()
    for region, span in ((1, "the regions"), (None, "all tokens of a condition")):
        with pytest.raises(SurprisalError) as caught:
            table.column("mean", region, "a")
        assert str(caught.value) == (
            f"the mean over {span} is not known: compute the surprisals again with a model"
        )


# --- laws


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A condition's contents and a model's way of cutting its sentence."""

    contents: tuple[str, ...]
    scored: ScoredSentence


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw regions, some of them empty, and tokens of every kind: with the space in front, with
    the space to itself or without it, across borders, and without any character.
    """
    contents = tuple(
        draw(
            st.lists(
                st.sampled_from(["", "", "a", "the dog", ", he", "naïve 犬"]),
                min_size=1,
                max_size=5,
            )
        )
    )
    contents = contents if any(contents) else ("a", *contents)
    text = condition(*contents).sentence().text
    cuts = sorted(draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=8)))
    tokens = []
    for start, end in itertools.pairwise([0, *cuts, len(text)]):
        if draw(st.booleans()):
            tokens.append(Token(text="", start=start, end=start, surprisal_bits=draw(BITS)))
        piece = text[start:end]
        kept = draw(st.booleans()) if piece.strip() else True
        first = start if kept else start + len(piece) - len(piece.lstrip())
        tokens.append(Token(text=piece, start=first, end=end, surprisal_bits=draw(BITS)))
    if draw(st.booleans()):
        last = len(text)
        tokens.append(
            Token(text="</s>", start=last, end=last, surprisal_bits=draw(BITS), role="eos")
        )
    scored = ScoredSentence(text=text, tokens=tuple(tokens))
    scored.check()
    return Case(contents=contents, scored=scored)


BITS = st.one_of(st.none(), st.floats(0, 50), st.just(math.inf))

SIMPLE: dict[str, Callable[[list[float]], float]] = {
    "sum": sum,
    "mean": lambda bits: sum(bits) / len(bits),
    "median": statistics.median,
    "min": min,
    "max": max,
    "range": lambda bits: max(bits) - min(bits),
}


def slow_region(contents: Sequence[str], start: int, end: int, text: str) -> int:
    """Say where a token belongs, character by character."""
    owners: list[int] = []
    for index, content in enumerate(contents):
        owners += [index] * (len(content) + bool(owners)) if content else []
    visible = [place for place in range(start, end) if not text[place].isspace()]
    return owners[min([*visible, start][0], len(owners) - 1)]


@settings(max_examples=200)
@given(st.lists(cases(), min_size=1, max_size=4))
def test_regions_add_up_to_the_sentence_and_metrics_are_the_simple_ones(drawn: list[Case]) -> None:
    longest = max(len(case.contents) for case in drawn)
    items = [{"a": (*case.contents, *[""] * (longest - len(case.contents)))} for case in drawn]
    suite = make_suite(items, [])
    table = region_table(suite, [[case.scored] for case in drawn])
    for i, case in enumerate(drawn):
        text = case.scored.text
        groups: list[list[float]] = [[] for _ in range(longest)]
        for each in case.scored.tokens:
            region = slow_region(case.contents, each.start, each.end, text)
            if each.surprisal_bits is not None:
                groups[region].append(each.surprisal_bits)
        everything = list(itertools.chain(*groups))
        assert np.nansum(table.values["sum"][i, 0]) == pytest.approx(sum(everything))
        assert table.n_tokens[i, 0].sum() == len(case.scored.tokens)
        assert (table.n_tokens - table.n_unscored)[i, 0].tolist() == [len(each) for each in groups]
        for metric, simple in SIMPLE.items():
            n_tokens = table.n_tokens[i, 0]
            for found, bits, n in (
                *zip(table.values[metric][i, 0], groups, n_tokens, strict=True),
                (table.whole[metric][i, 0], everything, n_tokens.sum()),
            ):
                empty = 0.0 if metric == "sum" and n == 0 else math.nan
                expected = simple(bits) if bits else empty
                assert found == pytest.approx(expected, nan_ok=True)


@settings(max_examples=100)
@given(st.data())
def test_the_order_of_items_conditions_and_regions_does_not_matter(data: st.DataObject) -> None:
    words = st.sampled_from(["", "a", "bb", "ccc dd"])
    sentence = st.tuples(words, words, words).filter(any)
    item = st.fixed_dictionaries({"x": sentence, "y": sentence, "z": sentence})
    items = data.draw(st.lists(item, min_size=1, max_size=4))
    order = data.draw(st.permutations(range(len(items))))
    shuffled = [
        {name: items[index][name] for name in data.draw(st.permutations("xyz"))} for index in order
    ]
    table, other = _table_by_word(items), _table_by_word(shuffled)
    for metric, (region, name) in itertools.product(
        tuple(METRICS), itertools.product((1, 2, 3, None), "xyz")
    ):
        expected = table.column(metric, region, name)[list(order)]
        np.testing.assert_array_equal(other.column(metric, region, name), expected)


def _table_by_word(items: Sequence[Sentences]) -> RegionTable:
    suite = make_suite(items, [])
    return region_table(suite, [[by_word(each.text) for each in row] for row in suite.sentences()])


def test_regions_whose_numbers_do_not_ascend() -> None:
    regions = (Region(number=3, content="a"), Region(number=1, content="bb cc"))
    base = suite_of("a", "b", "c")
    changed = Suite(
        name="s",
        metrics=("sum",),
        region_names={},
        predictions=(),
        items=(type(base.items[0])(number=1, conditions=(Condition(name="a", regions=regions),)),),
    )
    table = region_table(changed, [[by_word("a bb cc")]])
    assert table.region_numbers == (1, 3)
    assert {metric: table.values[metric][0, 0].tolist() for metric in ("sum", "median")} == {
        "sum": [4, 1],
        "median": [2, 1],
    }


def needed(suite: Suite) -> dict[str, Spans | None]:
    return needed_spans(suite)


ITEMS: list[Sentences] = [{"a": ("The dog", "barks", "."), "b": ("The dog", "bark", ".")}]


@pytest.mark.parametrize(
    ("formulas", "a", "b"),
    [
        (["(2;%a%) < (2;%b%)"], ((7, 13),), ((7, 12),)),
        # A condition that no prediction names needs nothing.
        (["(1;%a%) > 3"], ((0, 7),), ()),
        (["1 < 2"], (), ()),
        ([], (), ()),
        # What follows the last character is the last region's.
        (["(3;%a%) < 1"], ((13, 16),), ()),
        # All predictions count; regions that touch are one range.
        (["(2;%a%) < 1", "(3;%a%) < (1;%b%)"], ((7, 16),), ((0, 7),)),
        (["(1;%a%) < (3;%a%)"], ((0, 7), (13, 16)), ()),
        (["(*;%a%) < (2;%b%)"], None, ((7, 12),)),
        (["(2;%a%) < 1 & (*;%a%) < 2"], None, ()),
    ],
)
def test_the_regions_that_predictions_name(
    formulas: list[str], a: Spans | None, b: Spans | None
) -> None:
    assert needed(make_suite(ITEMS, formulas)) == {"The dog barks .": a, "The dog bark .": b}


@pytest.mark.parametrize(
    ("contents", "numbers", "spans"),
    [
        # "x yy": regions [0, 1), [1, 4) and what follows
        (("x", "yy", ""), [3], ()),
        (("x", "yy", ""), [2], ((1, 5),)),
        (("", "x", "yy"), [1], ()),
        (("", "x", "yy"), [1, 2], ((0, 1),)),
        (("x", "", "yy"), [2], ()),
        (("x", "", "yy"), [2, 3], ((1, 5),)),
    ],
)
def test_empty_regions(contents: tuple[str, ...], numbers: list[int], spans: Spans) -> None:
    formulas = [f"({number};%a%) > 0" for number in numbers]
    (found,) = needed(make_suite([{"a": contents}], formulas)).values()
    assert found == spans


def test_a_sentence_of_several_conditions_needs_what_each_of_them_needs() -> None:
    items: list[Sentences] = [{"a": ("The dog", "barks"), "b": ("The", "dog barks")}]
    assert needed(make_suite(items, ["(2;%a%) < 1", "(1;%b%) < 1"])) == {
        "The dog barks": ((0, 3), (7, 14))
    }
    assert needed(make_suite(items, ["(2;%a%) < 1", "(*;%b%) < 1"])) == {"The dog barks": None}


def test_several_suites_need_what_each_of_them_needs() -> None:
    one = needed(make_suite(ITEMS, ["(1;%a%) < 1"]))
    other = needed(make_suite(ITEMS, ["(2;%a%) < (*;%b%)"]))
    assert all_needed([one, other]) == {"The dog barks .": ((0, 13),), "The dog bark .": None}
    assert all_needed([other, one]) == all_needed([one, other])
    suite = make_suite(ITEMS, [])
    assert all_spans(suite) == {"The dog barks .": None, "The dog bark .": None}


# --- laws


@settings(max_examples=300)
@given(
    contents=st.lists(
        st.sampled_from(["", "", "a", "the dog", "犬"]), min_size=1, max_size=5
    ).filter(any),
    joiner=st.sampled_from([" ", ""]),
    data=st.data(),
)
def test_a_token_is_asked_for_if_and_only_if_a_named_region_gets_it(
    contents: list[str], joiner: str, data: st.DataObject
) -> None:
    named = data.draw(st.sets(st.integers(1, len(contents))))
    formulas = [f"({number};%a%) > 0" for number in sorted(named)]
    suite = make_suite([{"a": contents}], formulas, joiner=joiner)
    (((sentence,),), (spans,)) = suite.sentences(), needed(suite).values()
    assert spans is not None
    for start in range(len(sentence.text) + 1):
        (region,) = sentence.regions_of([token("t", start, 1.0, end=start)])
        is_asked = any(first <= start < end for first, end in spans)
        assert region is not None  # it is None in a context only
        assert is_asked == (region + 1 in named)
