"""Which characters of a sentence its predictions need."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import Sentences, make_suite, token

from pommel.models.model import Spans
from pommel.scoring.regions import all_needed, every_span, needed_spans
from pommel.suite.suite import Suite


def needed(suite: Suite) -> dict[str, Spans | None]:
    return needed_spans(suite, suite.sentences())


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
    whole = every_span(make_suite(ITEMS, []).sentences())
    assert whole == {"The dog barks .": None, "The dog bark .": None}


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
        assert is_asked == (region + 1 in named)
