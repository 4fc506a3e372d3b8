"""Packed rows: examples, laws, and that no way to cut a small tree is cheaper."""

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import given, strategies as st

from pommel.models.neural.passes import PrefixTree, packed_rows, prefix_tree, row_width

sequence_sets = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=7), min_size=1)


def tree_of(sequences: Sequence[Sequence[int]]) -> PrefixTree:
    return prefix_tree([np.array(each, dtype=np.int64) for each in sequences])


# 0: 5, 1: 5 6, 2: 5 6 7, 3: 5 6 8, 4: 5 9
EXAMPLE = tree_of([[5, 6, 7], [5, 6, 8], [5, 9]])


def test_a_tree_that_fits_is_one_row() -> None:
    assert packed_rows(EXAMPLE, 5) == [(0, 5)]
    assert row_width(EXAMPLE, (0, 5)) == 5


def test_rows_are_cut_where_few_ancestors_are_repeated() -> None:
    # Before the last node, which repeats one, and not before 5 6 8, which would repeat two.
    assert packed_rows(EXAMPLE, 4) == [(0, 4), (4, 5)]
    assert row_width(EXAMPLE, (4, 5)) == 2


def test_a_path_longer_than_a_row_makes_a_row_of_its_own_wider() -> None:
    assert packed_rows(EXAMPLE, 1) == [(2, 3), (3, 4), (1, 2), (4, 5), (0, 1)]
    assert row_width(EXAMPLE, (2, 3)) == 3


@given(sequences=sequence_sets, row_length=st.integers(1, 30))
def test_every_node_is_in_one_row_and_rows_are_no_longer_than_they_may(
    sequences: list[list[int]], row_length: int
) -> None:
    tree = tree_of(sequences)
    rows = packed_rows(tree, row_length)
    nodes = sorted(node for start, stop in rows for node in range(start, stop))
    assert nodes == list(range(len(tree)))
    widths = [row_width(tree, row) for row in rows]
    assert widths == sorted(widths, reverse=True)
    for (start, stop), width in zip(rows, widths, strict=True):
        assert width <= row_length or stop - start == 1


@given(
    sequences=st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=4), min_size=1, max_size=3),
    row_length=st.integers(1, 9),
)
def test_no_other_way_to_cut_is_cheaper(sequences: list[list[int]], row_length: int) -> None:
    tree = tree_of(sequences)

    def cost(rows: Sequence[tuple[int, int]]) -> int:
        # The ancestors that are repeated, and something for each row.
        return sum(int(tree.depths[start]) + 8 for start, _ in rows)

    def may_be(row: tuple[int, int]) -> bool:
        return row_width(tree, row) <= row_length or row[1] - row[0] == 1

    every_way = (
        list(itertools.pairwise([0, *cuts, len(tree)]))
        for n_cuts in range(len(tree))
        for cuts in itertools.combinations(range(1, len(tree)), n_cuts)
    )
    least = min(cost(rows) for rows in every_way if all(map(may_be, rows)))
    assert cost(packed_rows(tree, row_length)) == least
