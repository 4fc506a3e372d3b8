"""Counting, numbering and streaming of fillings, against all combinations filtered."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st

from pommel.errors import Place
from pommel.sources.grammar.lexicon_file import Cells
from pommel.sources.grammar.lexicon_template import space as counting
from pommel.sources.grammar.lexicon_template.features import Feature, Operator, Relation
from pommel.sources.grammar.lexicon_template.space import EntangledError, Space
from pommel.sources.grammar.text import Written

COLUMNS = ("w", "c", "s", "f_a", "f_b")
VALUES = {
    "w": ("1", "2", "3", "4", None),
    "c": ("a", "b", None),
    "s": ("a", "b", "a b", None),
    "f_a": ("1", "2", "a", None),
    "f_b": ("1", "3", "b", None),
}
OPERATORS: tuple[Operator, ...] = ("=", "!=", "in", "not in", "has", "lacks", "shares")


def brute_force(
    domains: Sequence[Sequence[Cells]], relations: Sequence[Relation]
) -> list[tuple[Cells, ...]]:
    return [
        filled
        for filled in itertools.product(*domains)
        if all(each.holds(filled) for each in relations)
    ]


def differ(one: int, two: int, column: str = "w", other: str = "w") -> Relation:
    return Relation(Feature(one, column), "!=", (Feature(two, other),))


def literal(text: str) -> Written:
    return Written(place=Place(file="", line=0, column=0), text=text)


@st.composite
def rows(draw: st.DrawFn) -> list[Cells]:
    found = draw(
        st.lists(st.tuples(*[st.sampled_from(VALUES[each]) for each in COLUMNS]), max_size=6)
    )
    return [{c: v for c, v in zip(COLUMNS, row, strict=True) if v is not None} for row in found]


@st.composite
def features(draw: st.DrawFn, n: int) -> Feature:
    variable = draw(st.integers(0, n - 1))
    if draw(st.integers(0, 5)):
        return Feature(variable, draw(st.sampled_from(COLUMNS)))
    index: Feature | str = draw(st.sampled_from(["a", "b"]))
    if draw(st.booleans()):
        index = Feature(draw(st.integers(0, n - 1)), "c")
    return Feature(variable, "f", (index,))


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[list[Cells]], list[Relation]]:
    n = draw(st.integers(1, 4))
    domains = [draw(rows()) for _ in range(n)]
    relations = []
    for _ in range(draw(st.integers(0, 3))):
        terms = st.one_of(features(n), st.sampled_from(["a", "b", "1", "_"]).map(literal))
        operator = draw(st.sampled_from(OPERATORS))
        right = draw(st.lists(terms, min_size=1, max_size=1 if "=" in operator else 2))
        left = draw(features(n))
        relations.append(Relation(left, operator, tuple(right)))
    for one, two in itertools.combinations(range(n), 2):
        if draw(st.booleans()):
            pairs = [("w", "w"), ("w", "w"), ("w", "w"), ("s", "s"), ("w", "f_a")]
            relations.append(differ(one, two, *draw(st.sampled_from(pairs))))
    return domains, relations


@settings(max_examples=300)
@given(problems())
def test_all_combinations_filtered(problem: tuple[list[list[Cells]], list[Relation]]) -> None:
    domains, relations = problem
    space = Space(domains, relations)
    expected = brute_force(domains, relations)
    assert space.n == len(expected)
    assert list(space) == expected
    assert [space[index] for index in range(space.n)] == expected
    assert [space.index(each) for each in expected] == list(range(space.n))
    used = [
        [row for row in domain if any(each[k] is row for each in expected)]
        for k, domain in enumerate(domains)
    ]
    found = space.rows()
    if any(each.is_difference for each in relations):
        assert all(row in rows for own, rows in zip(used, found, strict=True) for row in own)
    else:
        assert found == used
    with pytest.raises(IndexError):
        space[len(expected)]


@settings(max_examples=50)
@given(st.lists(st.lists(st.integers(0, 4), max_size=5), min_size=5, max_size=5))
def test_words_that_are_all_distinct(words: list[list[int]]) -> None:
    domains = [[{"w": str(word)} for word in each] for each in words]
    relations = [differ(one, two) for one, two in itertools.combinations(range(5), 2)]
    expected = brute_force(domains, relations)
    assert list(Space(domains, relations)) == expected
    assert Space(domains, relations).n == len(expected)


def test_what_a_column_is_chosen_by_may_come_later() -> None:
    domains: list[list[Cells]] = [[{"f_a": "x", "f_b": "y"}, {"f_a": "y"}], [{"": "a"}, {"": "b"}]]
    relation = Relation(Feature(0, "f", (Feature(1, ""),)), "=", (literal("y"),))
    space = Space(domains, [relation])
    assert list(space) == [(domains[0][0], {"": "b"}), (domains[0][1], {"": "a"})]


def test_numbers_are_exact_without_a_word_being_tried() -> None:
    nouns: list[Cells] = [{"w": f"n{number}", "c": str(number % 3)} for number in range(300)]
    six = [nouns] * 6
    pairs = list(itertools.combinations(range(6), 2))
    space = Space(six, [differ(*pair) for pair in pairs])
    assert space.n == 300 * 299 * 298 * 297 * 296 * 295
    last = space[space.n - 1]
    assert [each["w"] for each in last] == ["n299", "n298", "n297", "n296", "n295", "n294"]
    # Classes of neighbours differ, too: 2 of 3 times.
    relations = [differ(*pair) for pair in pairs] + [differ(0, 1, "c", "c")]
    assert Space(six, relations).n == 300 * 200 * 298 * 297 * 296 * 295


def test_every_number_has_its_own_filling() -> None:
    domains: list[list[Cells]] = [
        [{"w": f"n{n}", "c": str(n % 4)} for n in range(40)],
        [{"w": f"n{n}", "c": str(n % 3)} for n in range(20, 60)],
        [{"w": f"n{n}"} for n in range(0, 60, 2)],
    ]
    relations = [differ(0, 1), differ(1, 2), differ(0, 2), differ(0, 1, "c", "c")]
    space = Space(domains, relations)
    expected = brute_force(domains, relations)
    assert space.n == len(expected) > 10_000
    drawn = range(0, space.n, 97)
    assert [space[index] for index in drawn] == [expected[index] for index in drawn]
    assert [space.index(expected[index]) for index in drawn] == list(drawn)


def test_no_slots() -> None:
    assert (Space([], []).n, list(Space([], [])), Space([], [])[0]) == (1, [()], ())


def test_values_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    domain: list[Cells] = [{"w": str(n), "v": str(-n)} for n in range(30)]
    relations = [differ(0, 2), differ(0, 2, "v", "v")]
    monkeypatch.setattr(counting, "MOST_STATES", 20)
    with pytest.raises(EntangledError):
        _ = Space([domain] * 3, relations).n
