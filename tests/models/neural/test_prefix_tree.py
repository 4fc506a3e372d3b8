"""Prefix trees: an example, and laws on random sequences that share beginnings."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, strategies as st

from pommel.models.neural.passes import PrefixTree, prefix_tree
from pommel.models.neural.questions import Ids

# Few ids, so that much is shared; large ones, so that bytes are not taken for numbers.
ids = st.sampled_from([0, 1, 256, 65_536, 2**31 - 1])
sequence_sets = st.lists(st.lists(ids, max_size=6), max_size=10)


def tree_of(sequences: Sequence[Sequence[int]]) -> PrefixTree:
    return prefix_tree([np.array(each, dtype=np.int64) for each in sequences])


def prefix_of(tree: PrefixTree, node: int) -> tuple[int, ...]:
    return tuple(tree.ids[[*tree.ancestors(node).tolist(), node]].tolist())


def test_an_example() -> None:
    tree = tree_of([[5, 7, 9], [5, 6], [5, 7], [4], [5, 7, 8]])
    assert len(tree) == 6
    assert tree.ids.tolist() == [4, 5, 6, 7, 8, 9]
    assert tree.parents.tolist() == [-1, -1, 1, 1, 3, 3]
    assert tree.depths.tolist() == [0, 0, 1, 1, 2, 2]
    assert tree.ends.tolist() == [1, 6, 3, 6, 5, 6]
    assert [path.tolist() for path in tree.paths] == [[1, 3, 5], [1, 2], [1, 3], [0], [1, 3, 4]]
    assert tree.leaves.tolist() == [0, 2, 4, 5]
    assert tree.ancestors(5).tolist() == [1, 3]
    assert tree.ancestors(0).tolist() == []


def test_nothing_makes_no_node() -> None:
    assert len(tree_of([])) == 0
    tree = tree_of([[], []])
    assert len(tree) == 0
    assert [path.tolist() for path in tree.paths] == [[], []]
    assert tree.leaves.tolist() == []


def test_an_empty_sequence_disturbs_no_other() -> None:
    tree = tree_of([[3], [], [3, 4]])
    assert [path.tolist() for path in tree.paths] == [[0], [], [0, 1]]
    assert tree.ends.tolist() == [2, 2]


@given(sequences=sequence_sets)
def test_every_distinct_prefix_is_one_node(sequences: list[list[int]]) -> None:
    tree = tree_of(sequences)
    prefixes = {tuple(each[:n]) for each in sequences for n in range(1, len(each) + 1)}
    # Depth-first order is the order of the prefixes.
    assert [prefix_of(tree, node) for node in range(len(tree))] == sorted(prefixes)


@given(sequences=sequence_sets)
def test_a_path_leads_through_all_prefixes_of_its_sequence(sequences: list[list[int]]) -> None:
    tree = tree_of(sequences)
    for sequence, path in zip(sequences, tree.paths, strict=True):
        assert tree.ids[path].tolist() == sequence
        assert tree.depths[path].tolist() == list(range(len(sequence)))
        assert tree.parents[path].tolist() == [-1, *path.tolist()][: len(path)]
        if len(path):
            assert tree.ancestors(int(path[-1])).tolist() == path[:-1].tolist()


@given(sequences=sequence_sets)
def test_descendants_are_what_follows_up_to_the_end(sequences: list[list[int]]) -> None:
    tree = tree_of(sequences)
    prefixes = [prefix_of(tree, node) for node in range(len(tree))]
    for node, prefix in enumerate(prefixes):
        longer = [
            other
            for other, each in enumerate(prefixes)
            if len(each) > len(prefix) and each[: len(prefix)] == prefix
        ]
        assert list(range(node + 1, int(tree.ends[node]))) == longer
    assert tree.leaves.tolist() == [
        node for node in range(len(tree)) if not any(tree.parents == node)
    ]


@given(sequences=sequence_sets, data=st.data())
def test_the_order_of_sequences_changes_their_paths_order_and_nothing_else(
    sequences: list[list[int]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(sequences))))
    tree, other = tree_of(sequences), tree_of([sequences[index] for index in order])

    def arrays(each: PrefixTree) -> list[Ids]:
        return [each.ids, each.parents, each.depths, each.ends]

    for one, two in zip(arrays(tree), arrays(other), strict=True):
        assert one.tolist() == two.tolist()
    for place, index in enumerate(order):
        assert other.paths[place].tolist() == tree.paths[index].tolist()
