"""Questions: examples, and that each request is answered once with its own numbers."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pommel.models.neural.questions import Answer, Asked, Questions


def asked(pairs: Sequence[tuple[int, int]], boundary_rows: Sequence[int] = ()) -> Asked:
    return Asked(
        rows=np.array([row for row, _ in pairs], dtype=np.int64),
        targets=np.array([target for _, target in pairs], dtype=np.int64),
        boundary_rows=np.array(boundary_rows, dtype=np.int64),
    )


def places(*given: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array(given, dtype=np.int64)


def bits_of(row: int, target: int) -> float:
    """Return a number that tells which question it answers."""
    return row + target / 1e3


def boundary_bits_of(row: int) -> float:
    return -1.0 - row


def answered(questions: Questions, some: Sequence[int]) -> list[tuple[int, Answer]]:
    """Answer all questions about the rows at some places."""
    own = places(*some)
    row_of_target, targets = questions.targets_of(own)
    rows = questions.rows[own]
    pairs = zip(rows[row_of_target].tolist(), targets.tolist(), strict=True)
    bits = np.array([bits_of(row, target) for row, target in pairs])
    questions.record(own, bits, np.array([boundary_bits_of(row) for row in rows.tolist()]))
    return list(questions.complete(own))


def test_rows_that_nothing_is_asked_of_are_not_there() -> None:
    questions = Questions([asked([(7, 1), (2, 5)], [9]), asked([(2, 4)])])
    assert questions.rows.tolist() == [2, 7, 9]
    assert questions.targets.tolist() == [4, 5, 1]
    assert questions.starts.tolist() == [0, 2, 3, 3]


def test_an_equal_question_of_two_requests_is_one() -> None:
    questions = Questions([asked([(3, 1)], [3]), asked([(3, 1), (3, 1)], [3])])
    assert (questions.rows.tolist(), questions.targets.tolist()) == ([3], [1])


def test_targets_come_in_the_order_of_the_places_they_are_asked_for() -> None:
    questions = Questions([asked([(0, 8), (0, 3), (1, 9), (2, 4)])])
    row_of_target, targets = questions.targets_of(places(2, 0))
    assert row_of_target.tolist() == [0, 1, 1]
    assert targets.tolist() == [4, 3, 8]


def test_a_request_is_complete_with_its_last_row() -> None:
    questions = Questions([asked([(0, 1), (1, 1)]), asked([(1, 2)], [2])])
    assert answered(questions, [1]) == []
    [(index, answer)] = answered(questions, [0])
    assert (index, answer.bits.tolist()) == (0, [0.001, 1.001])
    [(index, answer)] = answered(questions, [2])
    assert (index, answer.bits.tolist(), answer.boundary_bits.tolist()) == (1, [1.002], [-3.0])


def test_boundaries_without_a_group_have_no_number() -> None:
    questions = Questions([asked([(0, 1)], [0])])
    questions.record(places(0), np.array([2.5]), None)
    [(_, answer)] = questions.complete(places(0))
    assert answer.bits.tolist() == [2.5]
    np.testing.assert_array_equal(answer.boundary_bits, [np.nan])


def test_requests_that_ask_nothing_are_answered_at_once() -> None:
    questions = Questions([asked([]), asked([(0, 1)]), asked([])])
    found = list(questions.nothing_asked())
    assert [index for index, _ in found] == [0, 2]
    assert [(len(each.bits), len(each.boundary_bits)) for _, each in found] == [(0, 0), (0, 0)]


@pytest.mark.parametrize("requests", [[], [asked([])]])
def test_no_question_makes_no_row(requests: list[Asked]) -> None:
    questions = Questions(requests)
    assert questions.rows.tolist() == []
    assert questions.starts.tolist() == [0]


def test_large_ids_and_rows_are_kept_apart() -> None:
    largest = 2**31 - 1
    questions = Questions([asked([(largest, largest), (0, largest), (largest, 0)])])
    assert questions.rows.tolist() == [0, largest]
    assert questions.targets.tolist() == [largest, 0, largest]


@given(
    requests=st.lists(
        st.tuples(
            st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=6),
            st.lists(st.integers(0, 6), max_size=3),
        ),
        max_size=8,
    ),
    data=st.data(),
)
def test_each_request_is_answered_once_with_its_own_numbers_in_whatever_order(
    requests: list[tuple[list[tuple[int, int]], list[int]]], data: st.DataObject
) -> None:
    questions = Questions([asked(*each) for each in requests])
    order = data.draw(st.permutations(range(len(questions.rows))))
    found = list(questions.nothing_asked())
    while order:
        n = data.draw(st.integers(1, len(order)))
        done, order = order[:n], order[n:]
        found += answered(questions, done)
        unknown = set(questions.rows[order].tolist())
        # Nobody waits for longer than for the last of their rows.
        assert sorted(index for index, _ in found) == [
            index
            for index, (pairs, boundaries) in enumerate(requests)
            if not unknown & {*boundaries, *(row for row, _ in pairs)}
        ]
    assert sorted(index for index, _ in found) == list(range(len(requests)))
    for index, answer in found:
        pairs, boundaries = requests[index]
        assert answer.bits.tolist() == [bits_of(*pair) for pair in pairs]
        assert answer.boundary_bits.tolist() == [boundary_bits_of(row) for row in boundaries]
