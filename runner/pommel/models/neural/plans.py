"""Which passes answer all questions, in which order, and the loop that makes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pommel.models.neural.gpt2 import NumpyGpt2
from pommel.models.neural.memory import Budget
from pommel.models.neural.network import Network, Reading
from pommel.models.neural.passes import (
    Pass,
    PrefixTree,
    packed_pass,
    packed_rows,
    row_width,
    sequence_pass,
)
from pommel.models.neural.questions import Answers, Ids, Questions

# The ways to feed a network, the fastest first.
Path = Literal["prefix tree", "padded batches", "batches of equal length", "one by one"]


class TreePlan:
    """The needed nodes of a prefix tree with their ancestors, packed; a step is a packed row."""

    def __init__(self, tree: PrefixTree, needed: Ids, *, row_length: int) -> None:
        """Take a tree and those of its nodes, ascending, that something is asked of."""
        self._tree = tree
        self._needed = needed
        packed = packed_rows(tree, row_length) if len(tree) else []
        # Each row as (start, stop) in `needed`: it begins with a needed node and ends with one. A
        # row that nobody needs is not fed: those that hang on it repeat it as their ancestors.
        owned = np.searchsorted(needed, np.array(packed, dtype=np.int64).reshape(-1, 2)).tolist()
        rows = [(start, stop) for start, stop in owned if start < stop]
        self._rows = sorted(rows, key=lambda row: -self._width(row))

    def __len__(self) -> int:
        return len(self._rows)

    def next_pass(self, start: int, budget: Budget) -> tuple[Pass, int]:
        """Return the pass of the rows from `start` on; a row that is too big becomes two."""
        while True:
            first, last = self._rows[start]
            fits = self._width((first, last)) <= budget.n_tokens and last - first <= budget.n_rows
            if fits or last - first == 1:
                break
            middle = (first + last) // 2
            self._rows[start : start + 1] = [(first, middle), (middle, last)]
        own = self._rows[start : start + max(1, budget.n_tokens // self._width(self._rows[start]))]
        # After a row that was cut in two come wider ones, and they make all as wide.
        widths = np.maximum.accumulate([self._width(row) for row in own])
        together = widths * np.arange(1, len(own) + 1) <= budget.n_tokens
        together &= np.cumsum([last - first for first, last in own]) <= budget.n_rows
        stop = start + _n_that_fit(together)
        nodes = [self._nodes(row) for row in self._rows[start:stop]]
        return packed_pass(self._tree, self._needed, nodes), stop

    def _nodes(self, row: tuple[int, int]) -> tuple[int, int]:
        """Return (first node, node after the last) of a row."""
        return int(self._needed[row[0]]), int(self._needed[row[1] - 1]) + 1

    def _width(self, row: tuple[int, int]) -> int:
        return row_width(self._tree, self._nodes(row))


@dataclass(slots=True, kw_only=True, eq=False)
class SequencePlan:
    """Sequences side by side, the longest first; a step is a sequence.

    `rows` are the positions needed in each one, `places` which of `Questions.rows` they are.
    """

    sequences: Sequence[Ids]
    rows: Sequence[Ids]
    places: Sequence[Ids]
    equal_lengths: bool
    _n_rows_cut: int = 0

    def __len__(self) -> int:
        return len(self.sequences)

    def next_pass(self, start: int, budget: Budget) -> tuple[Pass, int]:
        """Return the pass of the sequences from `start` on.

        One that needs more logits than there may be is fed several times, for some of them each.
        """
        if self._n_rows_cut != budget.n_rows:
            self._cut(start, budget.n_rows)
        # The first is the longest.
        most = max(1, budget.n_tokens // max(1, len(self.sequences[start])))
        ahead = slice(start, start + most)
        fits = np.cumsum([len(each) for each in self.rows[ahead]]) <= budget.n_rows
        if self.equal_lengths:
            lengths = np.array([len(each) for each in self.sequences[ahead]])
            fits &= lengths == lengths[0]
        own = slice(start, start + _n_that_fit(fits))
        return sequence_pass(self.sequences[own], self.rows[own], self.places[own]), own.stop

    def _cut(self, start: int, n_rows: int) -> None:
        """Have what is left, from `start` on, need so many logits at most, sequence by sequence."""
        cut = [
            (self.sequences[step], self.rows[step][own], self.places[step][own])
            for step in range(start, len(self.sequences))
            for first in range(0, max(1, len(self.rows[step])), n_rows)
            for own in [slice(first, first + n_rows)]
        ]
        sequences, rows, places = zip(*cut, strict=True)
        self.sequences = [*self.sequences[:start], *sequences]
        self.rows = [*self.rows[:start], *rows]
        self.places = [*self.places[:start], *places]
        self._n_rows_cut = n_rows


def _n_that_fit(fits: NDArray[np.bool_]) -> int:
    """Return how many go into one pass, up to the first that does not fit: one at least."""
    return len(fits) if fits.all() else max(1, int(fits.argmin()))


def sequence_plan(tree: PrefixTree, needed: Ids, *, equal_lengths: bool) -> SequencePlan:
    """Return the plan of a tree's longest sequences, each node needed in the first that has it."""
    leaves = tree.leaves
    # In depth-first order a node's first leaf is the next one.
    leaf_of = np.searchsorted(leaves, needed)
    starts = np.searchsorted(leaf_of, np.arange(len(leaves) + 1))
    order = np.argsort(-tree.depths[leaves], kind="stable").tolist()
    own = [np.arange(starts[leaf], starts[leaf + 1]) for leaf in order]
    paths = [
        np.concatenate([tree.ancestors(int(leaves[leaf])), leaves[leaf : leaf + 1]])
        for leaf in order
    ]
    return SequencePlan(
        sequences=[tree.ids[path] for path in paths],
        rows=[tree.depths[needed[places]] for places in own],
        places=own,
        equal_lengths=equal_lengths,
    )


# Work that can be cut into passes anywhere, so that a pass too big can be made smaller.
Plan = TreePlan | SequencePlan


def carry_out(
    plan: Plan,
    questions: Questions,
    network: Network | NumpyGpt2,
    budget: Budget,
    group: NDArray[np.bool_] | None = None,
) -> Answers:
    """Make a plan's passes, and yield (request, answer) as soon as a request is answered.

    Requests that ask nothing are answered first. The numbers of a pass are read when the next one
    has been asked for: a GPU need not wait for who takes them in.
    A pass that does not fit into memory halves the budget, for good. Raises `MemoryError` if even
    the smallest does not fit. `group` is as in `reading`.
    """
    waiting: list[tuple[Ids, Reading]] = []

    def answered() -> Answers:
        while waiting:
            places, bits = waiting.pop()
            questions.record(places, *bits())
            yield from questions.complete(places)

    yield from questions.nothing_asked()
    start = 0
    while start < len(plan):
        a_pass, stop = plan.next_pass(start, budget)
        row_of_target, targets = questions.targets_of(a_pass.places)
        try:
            bits = network.bits(a_pass, row_of_target, targets, group)
        except Exception as error:
            if isinstance(error, MemoryError) and budget.halve():
                continue
            yield from answered()
            raise
        yield from answered()
        waiting.append((a_pass.places, bits))
        start = stop
    yield from answered()
