"""Equal sentences as one."""

from pommel.models.model import DistinctSentence


def test_texts_are_sorted_and_know_where_they_were() -> None:
    assert DistinctSentence.all_of(["b", "a c", "b", "a"]) == [
        DistinctSentence(text="a", indices=(3,), spans=None),
        DistinctSentence(text="a c", indices=(1,), spans=None),
        DistinctSentence(text="b", indices=(0, 2), spans=None),
    ]
    assert DistinctSentence.all_of([]) == []


def test_spans_are_those_that_any_of_them_asks_for() -> None:
    found = DistinctSentence.all_of(
        ["x", "y", "x", "y"], [[(0, 1)], [(0, 1)], [(2, 3), (4, 5)], None]
    )
    assert [each.spans for each in found] == [((0, 1), (2, 3), (4, 5)), None]
    assert [each.spans for each in DistinctSentence.all_of(["x"], [[]])] == [()]
