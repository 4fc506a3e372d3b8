"""Which regions have one value, and what is known of them."""

import pytest
from tests.builders import Sentences, make_suite

from pommel.suite.formula.tree import RegionValue
from pommel.suite.lint.proofs import Form, Sharing, Values, item_values
from pommel.suite.lint.subject import Subject

ITEM: Sentences = {
    "a": ("The dog", "barks", "."),
    "b": ("The dog", "barks", "now."),
    "c": ("The dog", "barks", "."),
    "d": ("A cat", "", "."),
}
FORMULAS = [f"({region};%{name}%) > 0" for region in "12*" for name in "abcd"]


def values(sharing: Sharing, metric: str = "sum", joiner: str = " ") -> Values:
    suite = make_suite([ITEM], FORMULAS, metric=metric, joiner=joiner)
    return item_values(Subject(suite=suite), 0, sharing)


def form(found: Values, name: str, region: int | None) -> Form | None:
    return found.forms[RegionValue(region=region, condition=name)]


@pytest.mark.parametrize(
    ("sharing", "joiner", "with_b", "with_c"),
    [
        ("none", " ", False, False),
        ("sentence", " ", False, True),
        ("left to right", " ", True, True),
        ("left to right", "", False, True),
    ],
)
def test_what_is_one_value(sharing: Sharing, joiner: str, *, with_b: bool, with_c: bool) -> None:
    found = values(sharing, joiner=joiner)
    assert (form(found, "a", 2) == form(found, "b", 2)) is with_b
    assert (form(found, "a", 2) == form(found, "c", 2)) is with_c
    assert form(found, "a", None) != form(found, "b", None)
    assert (form(found, "a", None) == form(found, "c", None)) is with_c


def test_what_is_empty() -> None:
    assert form(values("none"), "d", 2) == Form()
    assert form(values("none", "mean"), "d", 2) is None
    suite = make_suite([ITEM], FORMULAS)
    reference = RegionValue(region=2, condition="d")
    filled = item_values(Subject(suite=suite), 0, "none", filled=[reference])
    (own,) = filled.forms[reference].factors  # type: ignore[union-attr]
    assert own in form(filled, "d", None).factors  # type: ignore[union-attr]


def test_a_sentence_is_more_than_its_regions() -> None:
    whole = form(values("none"), "a", None)
    assert whole is not None
    assert len(whole.factors) == 3
    assert values("none").facts == values("none", "mean").facts == {}
    for metric in ("min", "max", "range"):
        facts = values("none", metric).facts
        assert {(pair[0].condition, pair[1].region) for pair in facts} == {
            *((name, region) for name in "abc" for region in (1, 2)),
            ("d", 1),
        }


def test_what_is_known_of_some() -> None:
    one = RegionValue(region=1, condition="a")
    whole = RegionValue(region=None, condition="a")
    found = values("none", "max")
    assert list(found.among([one]).forms) == [one]
    assert found.among([one]).facts == {}
    assert list(found.among([one, whole]).facts) == [(whole, one)]
