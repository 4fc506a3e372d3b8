"""Forward passes: which ids go through a network together, in what shape, for which rows.

Sequences of ids are one tree, in which what they share at their beginnings is there once; it is cut
into packed rows with few repeated ancestors and little padding.
"""

import heapq
import itertools
from collections.abc import Sequence

import numpy as np

from pommel.models.neural.questions import Ids, Questions, Request, joined
from pommel.values import frozen, positional


@frozen(eq=False)
class PrefixTree:
    """Every distinct non-empty prefix of some sequences is a node; nodes are in depth-first order.

    The arrays have the shape (n_nodes,): `ids` is the last token id of a node's prefix, `parents`
    the node of the prefix without it (-1 for none), `depths` the number of ids before it, `ends`
    where the node's descendants end: they are the nodes `n + 1` to `ends[n] - 1`.
    `paths[s][i]` is the node of the first i + 1 ids of sequence s.
    """

    ids: Ids
    parents: Ids
    depths: Ids
    ends: Ids
    paths: tuple[Ids, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def ancestors(self, node: int) -> Ids:
        """Return the nodes on the way to `node`, from the root on, without itself."""
        found = np.empty(self.depths[node], dtype=np.int64)
        for place in range(len(found) - 1, -1, -1):
            node = int(self.parents[node])
            found[place] = node
        return found

    @property
    def leaves(self) -> Ids:
        """The nodes without descendants, ascending."""
        return np.flatnonzero(self.ends == np.arange(len(self)) + 1)


def prefix_tree(sequences: Sequence[Ids]) -> PrefixTree:
    """Return the tree of `sequences`, arrays of ids that are not negative."""
    order = sorted(range(len(sequences)), key=lambda index: sort_key(sequences[index]))
    lengths = np.array([len(sequences[index]) for index in order], dtype=np.int64)
    # All sequences on end: the sequence that each place lies in, and how far in.
    ids, stops = joined([sequences[index] for index in order]), np.cumsum(lengths)
    places, owners = np.arange(len(ids)), np.repeat(np.arange(len(order)), lengths)
    depths = places - (stops - lengths)[owners]
    # A place is new from the first id on that the sequence before has not got there.
    n_before = lengths[owners - 1]
    differs = (owners == 0) | (depths >= n_before)
    differs |= ids != ids[places - np.where(differs, 0, n_before)]
    firsts = np.full(len(order), len(ids))
    np.minimum.at(firsts, owners[differs], places[differs])
    is_new = places >= firsts[owners]
    # A place that is not new has the node of the new one above it, at the same depth.
    by_depth = np.argsort(depths, kind="stable")
    above = by_depth[np.maximum.accumulate(np.where(is_new[by_depth], places, 0))]
    nodes = np.empty_like(places)
    nodes[by_depth] = (np.cumsum(is_new) - 1)[above]
    new = np.flatnonzero(is_new)
    ends = np.zeros_like(new)
    np.maximum.at(ends, nodes, np.cumsum(is_new)[stops[owners] - 1])
    paths = dict(zip(order, np.split(nodes, stops), strict=False))
    return PrefixTree(
        ids=ids[new],
        # Each new node hangs on the one before it in its sequence.
        parents=np.where(depths[new] > 0, nodes[new - 1], -1),
        depths=depths[new],
        ends=ends,
        paths=tuple(paths[index] for index in range(len(order))),
    )


def sort_key(sequence: Ids) -> bytes:
    """Return what puts sequences in the order of their ids, a prefix before what it begins."""
    # Big-endian bytes are in the order of the numbers.
    return sequence.astype(">u4").tobytes()


def work_of(requests: Sequence[Request], contexts: Sequence[Ids]) -> tuple[int, int]:
    """Return how many nodes a tree of contexts has, and how many of them something is asked of."""
    tree = prefix_tree(contexts)
    pairs = zip(requests, tree.paths, strict=True)
    return len(tree), len(Questions([each.asked_of(path) for each, path in pairs]).rows)


# What one more row is worth, in positions: rows that are hardly filled make padding.
_ROW_COST = 8


def packed_rows(tree: PrefixTree, row_length: int) -> list[tuple[int, int]]:
    """Return (first node, node after the last) of the packed rows, the widest first.

    A row holds consecutive nodes, after the ancestors of the first of them, which go through the
    network again; it is at most `row_length` wide, unless the path to one node is longer. Of all
    ways to cut the tree so, this one repeats the fewest ancestors (a shortest path over the places
    where rows may begin), where a row counts as some of them.
    """
    cuts = _cheapest_cuts(tree.depths, row_length)
    rows = [(int(start), int(stop)) for start, stop in itertools.pairwise(cuts)]
    return sorted(rows, key=lambda row: -row_width(tree, row))


def row_width(tree: PrefixTree, row: tuple[int, int]) -> int:
    """Return how many positions a row takes, with the ancestors that it repeats."""
    start, stop = row
    return int(tree.depths[start]) + stop - start


def _cheapest_cuts(depths: Ids, row_length: int) -> list[int]:
    n = len(depths)
    # What it costs to cut before each node, and where the row begins that ends there.
    costs, begins = [0] * (n + 1), [0] * (n + 1)
    # The last place where the row that begins with each node may stop.
    reach = (np.arange(n) + np.maximum(1, row_length - depths)).tolist()
    # Rows that may go on, by what all cost up to their end; of equals, the longest first.
    rows: list[tuple[int, int]] = []
    for start, row_cost in enumerate((depths + _ROW_COST).tolist()):
        heapq.heappush(rows, (costs[start] + row_cost, start))
        while reach[rows[0][1]] <= start:
            heapq.heappop(rows)
        costs[start + 1], begins[start + 1] = rows[0]
    cuts = [n]
    while cuts[-1] > 0:
        cuts.append(begins[cuts[-1]])
    return cuts[::-1]


@positional(eq=False)
class TreeShape:
    """Where the positions of a pass stand in a prefix tree; both arrays as its `ids`.

    `depths` are the positions in their sentences. A position is seen by those that follow it in
    its packed row, up to (and without) the index `ends` in the row.
    """

    depths: Ids
    ends: Ids


@frozen(eq=False)
class Pass:
    """One forward pass over `ids` (n_sequences x longest), padded on the right with 0.

    `lengths` (n_sequences,) are without padding. `rows` (n_rows,) are the positions, as indices
    into the flattened ids, whose logits are needed; `places` (n_rows,) says which of
    `Questions.rows` they are. With a `tree`, a sequence is a packed row: many sentences' tokens,
    each of which sees only those before it in its own sentence.
    """

    ids: Ids
    lengths: Ids
    rows: Ids
    places: Ids
    tree: TreeShape | None = None

    @classmethod
    def alone(cls, ids: Ids) -> "Pass":
        """Return the pass of one sequence, (n,), all of whose positions are needed."""
        rows = np.arange(len(ids))
        return cls(ids=ids[None], lengths=np.array([len(ids)]), rows=rows, places=rows)


def sequence_pass(sequences: Sequence[Ids], rows: Sequence[Ids], places: Sequence[Ids]) -> Pass:
    """Return the pass of some sequences, each with the positions needed in it, and their places."""
    lengths = np.array([len(each) for each in sequences], dtype=np.int64)
    ids = np.zeros((len(sequences), int(lengths.max())), dtype=np.int64)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
    flat = [index * ids.shape[1] + each for index, each in enumerate(rows)]
    return Pass(
        ids=ids, lengths=lengths, rows=np.concatenate(flat), places=np.concatenate(list(places))
    )


def packed_pass(tree: PrefixTree, needed: Ids, rows: Sequence[tuple[int, int]]) -> Pass:
    """Return the pass of some packed rows, (first node, node after the last) of `tree` each.

    A row holds its nodes after the ancestors of the first of them, which are fed again. `needed`
    are the nodes whose logits are needed, ascending: places are indices into it.
    """
    width = max(row_width(tree, row) for row in rows)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    depths = np.zeros_like(ids)
    # What nobody needs sees itself alone: a softmax over nothing is no number.
    ends = np.tile(np.arange(1, width + 1), (len(rows), 1))
    lengths = np.zeros(len(rows), dtype=np.int64)
    flat, places = [], []
    for index, (start, stop) in enumerate(rows):
        again = tree.ancestors(start)
        nodes = np.concatenate([again, np.arange(start, stop)])
        lengths[index] = n = len(nodes)
        ids[index, :n] = tree.ids[nodes]
        depths[index, :n] = tree.depths[nodes]
        ends[index, :n] = np.minimum(tree.ends[nodes], stop) - start + len(again)
        own = np.arange(*np.searchsorted(needed, (start, stop)))
        flat.append(index * width + len(again) + needed[own] - start)
        places.append(own)
    return Pass(
        ids=ids,
        lengths=lengths,
        rows=np.concatenate(flat),
        places=np.concatenate(places),
        tree=TreeShape(depths, ends),
    )
