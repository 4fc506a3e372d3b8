"""Forward passes, spelled out; and that packed rows show every token its own sentence."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pommel.models.neural.memory import Budget
from pommel.models.neural.passes import (
    packed_pass,
    packed_rows,
    prefix_tree,
    row_width,
    sequence_pass,
)
from pommel.models.neural.plans import SequencePlan
from pommel.models.neural.questions import Ids


def array(*numbers: int) -> Ids:
    return np.array(numbers, dtype=np.int64)


def test_sequences_are_padded_on_the_right() -> None:
    found = sequence_pass(
        [array(5, 6, 7), array(8), array(9, 4)],
        rows=[array(0, 2), array(0), array(1)],
        places=[array(3, 4), array(0), array(2)],
    )
    assert found.ids.tolist() == [[5, 6, 7], [8, 0, 0], [9, 4, 0]]
    assert found.lengths.tolist() == [3, 1, 2]
    assert found.rows.tolist() == [0, 2, 3, 7]
    assert found.places.tolist() == [3, 4, 0, 2]
    assert found.tree is None


# Nodes: 0 is 5, 1 is 5 6, 2 is 5 6 7, 3 is 5 6 8, 4 is 5 9.
EXAMPLE = prefix_tree([array(5, 6, 7), array(5, 6, 8), array(5, 9)])


def test_a_packed_row_repeats_the_ancestors_of_its_first_node() -> None:
    found = packed_pass(EXAMPLE, array(2, 3, 4), [(0, 3), (3, 5)])
    assert found.tree is not None
    assert found.ids.tolist() == [[5, 6, 7, 0], [5, 6, 8, 9]]
    assert found.lengths.tolist() == [3, 4]
    assert found.tree.depths.tolist() == [[0, 1, 2, 0], [0, 1, 2, 1]]
    # 5 is seen by all, 5 6 not by 5 9, padding by itself.
    assert found.tree.ends.tolist() == [[3, 3, 3, 4], [4, 3, 3, 4]]
    # Of the second row, what it repeats is not projected again.
    assert found.rows.tolist() == [2, 6, 7]
    assert found.places.tolist() == [0, 1, 2]


def test_a_repeated_ancestor_belongs_to_the_row_that_has_it_as_its_own() -> None:
    found = packed_pass(EXAMPLE, array(0, 1, 3), [(0, 3), (3, 5)])
    assert found.rows.tolist() == [0, 1, 6]
    assert found.places.tolist() == [0, 1, 2]


@given(
    sequences=st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=6), min_size=1, max_size=8),
    row_length=st.integers(1, 20),
    data=st.data(),
)
def test_a_token_sees_its_own_sentence_and_nothing_else(
    sequences: list[list[int]], row_length: int, data: st.DataObject
) -> None:
    tree = prefix_tree([array(*each) for each in sequences])
    paths = [tree.ids[[*tree.ancestors(node).tolist(), node]].tolist() for node in range(len(tree))]
    needed = array(*sorted(data.draw(st.sets(st.integers(0, len(tree) - 1)))))
    rows = packed_rows(tree, row_length)
    found = packed_pass(tree, needed, rows)
    assert found.tree is not None
    assert found.lengths.tolist() == [row_width(tree, row) for row in rows]
    width = found.ids.shape[1]
    assert width == max(found.lengths)
    for index in range(len(rows)):
        for place in range(width):
            seen = [each for each in range(place + 1) if found.tree.ends[index, each] > place]
            assert found.tree.depths[index, seen].tolist() == list(range(len(seen)))
            inside = place < found.lengths[index]
            read = found.ids[index, seen].tolist()
            assert read in paths if inside else read == [0]
    # The rows that are needed, each once, are those of the nodes that are needed.
    assert sorted(found.places.tolist()) == list(range(len(needed)))
    for row, node in zip(found.rows.tolist(), needed[found.places].tolist(), strict=True):
        index, place = divmod(row, width)
        seen = [each for each in range(place + 1) if found.tree.ends[index, each] > place]
        assert found.ids[index, seen].tolist() == paths[node]


@pytest.mark.parametrize(
    ("lengths", "n_rows", "n_tokens", "most_rows", "equal_lengths", "expected"),
    [
        ([4, 4, 3, 2], [1, 1, 1, 1], 100, 100, False, 4),
        # Padding counts: three of four tokens are more than eleven.
        ([4, 4, 3, 2], [1, 1, 1, 1], 11, 100, False, 2),
        ([4, 4, 3, 2], [1, 1, 1, 1], 12, 100, False, 3),
        ([4, 4, 3, 2], [3, 2, 1, 1], 100, 5, False, 2),
        ([4, 4, 3, 2], [1, 1, 1, 1], 100, 100, True, 2),
        # One at least.
        ([4, 4], [1, 1], 3, 100, False, 1),
        ([4, 4], [3, 1], 100, 2, False, 1),
    ],
)
def test_as_many_sequences_as_fit(  # noqa: PLR0913, PLR0917
    lengths: list[int],
    n_rows: list[int],
    n_tokens: int,
    most_rows: int,
    equal_lengths: bool,  # noqa: FBT001
    expected: int,
) -> None:
    budget = Budget(n_tokens=n_tokens, n_rows=most_rows, row_length=128)
    plan = SequencePlan(
        sequences=[np.zeros(n, dtype=np.int64) for n in lengths],
        rows=[np.arange(n) for n in n_rows],
        places=[np.arange(n) for n in n_rows],
        equal_lengths=equal_lengths,
    )
    _, stop = plan.next_pass(0, budget)
    assert stop == expected
