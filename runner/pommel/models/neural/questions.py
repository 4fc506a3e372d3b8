"""What is asked of a network: every distinct question once, every request answered in full."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from pommel.values import frozen, positional

Ids = NDArray[np.int64]
Bits = NDArray[np.float64]


def _nothing() -> Ids:
    return np.empty(0, dtype=np.int64)


@positional(eq=False)
class Request:
    """Token ids, and what is asked about them.

    `ids` is the whole input with its marks, (n,). `positions` are those of the tokens that are to
    be scored, ascending; a network that reads from left to right can't score position 0.
    `boundaries` are lengths of context k, ascending, 1 <= k <= n: asked is how probable it is that
    something of the vocabulary's group follows `ids[:k]`.
    """

    ids: Ids
    positions: Ids
    boundaries: Ids = field(default_factory=_nothing)

    @property
    def n_context(self) -> int:
        """How many ids the longest context has that something is asked of."""
        return max(int(each[-1]) if len(each) else 0 for each in (self.positions, self.boundaries))

    def asked_of(self, path: Ids) -> "Asked":
        """Return its questions: node i of its path is what follows its first i + 1 ids."""
        return Asked(
            rows=path[self.positions - 1],
            targets=self.ids[self.positions],
            boundary_rows=path[self.boundaries - 1],
        )


@frozen(eq=False)
class Answer:
    """Surprisals in bits, one for each position and boundary of a request, in its order.

    NaN where the network gives no number, infinity for a probability of 0.
    """

    bits: Bits
    boundary_bits: Bits = field(default_factory=lambda: np.empty(0))


# Pairs of an index into some requests, each once and in any order, and the answer.
Answers = Iterator[tuple[int, Answer]]


@positional(eq=False)
class Asked:
    """The questions of one request.

    `rows` (n,) are the rows of the vocabulary projection in which its `targets` (n,) are looked
    up; `boundary_rows` (m,) those in which the group's share is.
    """

    rows: Ids
    targets: Ids
    boundary_rows: Ids = field(default_factory=_nothing)


class Questions:
    """Distinct (row, target) pairs over many requests, and the answers as they come in.

    A *row* is a distinct context, whose next token (or masked token) has one distribution over the
    vocabulary. Rows have any numbers from 0; only those that something is asked of are `rows`,
    ascending. Row `rows[i]` has the targets `targets[starts[i]:starts[i + 1]]`.
    """

    def __init__(self, asked: Sequence[Asked]) -> None:
        """Gather what is asked."""
        rows = joined([each.rows for each in asked])
        targets = joined([each.targets for each in asked])
        boundary_rows = joined([each.boundary_rows for each in asked])
        self.rows: Ids = np.unique(np.concatenate([rows, boundary_rows]))
        # One number for each pair, in the order of rows; targets are below 2^31.
        keys = (np.searchsorted(self.rows, rows) << 32) | targets
        distinct, self._question_of = np.unique(keys, return_inverse=True)
        self.targets: Ids = distinct & 0xFFFFFFFF
        self.starts: Ids = np.searchsorted(distinct >> 32, np.arange(len(self.rows) + 1))
        self._boundary_of = np.searchsorted(self.rows, boundary_rows)
        self._offsets = _offsets([len(each.rows) for each in asked])
        self._boundary_offsets = _offsets([len(each.boundary_rows) for each in asked])
        self._bits = np.full(len(distinct), np.nan)
        self._boundary_bits = np.full(len(self.rows), np.nan)
        self._set_up_waiting(np.searchsorted(self.rows, rows), len(asked))

    def _set_up_waiting(self, rows: Ids, n_requests: int) -> None:
        """Note which requests wait for which rows, and for how many."""
        owners = np.repeat(np.arange(n_requests), np.diff(self._offsets))
        boundary_owners = np.repeat(np.arange(n_requests), np.diff(self._boundary_offsets))
        all_rows = np.concatenate([rows, self._boundary_of])
        all_owners = np.concatenate([owners, boundary_owners])
        pairs = np.unique((all_rows << 32) | all_owners)
        self._waiting_owners = pairs & 0xFFFFFFFF
        self._waiting_starts = np.searchsorted(pairs >> 32, np.arange(len(self.rows) + 1))
        self._n_missing = np.bincount(self._waiting_owners, minlength=n_requests)

    def targets_of(self, places: Ids) -> tuple[Ids, Ids]:
        """Return (which of `places`, target) of everything asked of the rows at these places.

        A place is an index into `rows`.
        """
        own, counts = _ranges(self.starts, places)
        return np.repeat(np.arange(len(places)), counts), self.targets[own]

    def record(self, places: Ids, bits: Bits, boundary_bits: Bits | None) -> None:
        """Take in the answers of the rows at `places`: those of `targets_of`, in its order.

        `boundary_bits` has one number a row.
        """
        own, _ = _ranges(self.starts, places)
        self._bits[own] = bits
        if boundary_bits is not None:
            self._boundary_bits[places] = boundary_bits

    def complete(self, places: Ids) -> Answers:
        """Yield (request, answer) for the requests that only the rows at `places` were missing."""
        pieces, _ = _ranges(self._waiting_starts, places)
        owners, n_rows = np.unique(self._waiting_owners[pieces], return_counts=True)
        self._n_missing[owners] -= n_rows
        for index in owners[self._n_missing[owners] == 0].tolist():
            yield index, self._answer(index)

    def nothing_asked(self) -> Answers:
        """Yield (request, answer) for the requests that ask nothing."""
        for index in np.flatnonzero(self._n_missing == 0).tolist():
            yield index, self._answer(index)

    def _answer(self, index: int) -> Answer:
        own = slice(self._offsets[index], self._offsets[index + 1])
        boundary = slice(self._boundary_offsets[index], self._boundary_offsets[index + 1])
        return Answer(
            bits=self._bits[self._question_of[own]],
            boundary_bits=self._boundary_bits[self._boundary_of[boundary]],
        )


def joined(arrays: Sequence[Ids]) -> Ids:
    """Return arrays on end; nothing of none."""
    return np.concatenate([np.empty(0, dtype=np.int64), *arrays])


def _offsets(counts: Sequence[int]) -> Ids:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])


def _ranges(starts: Ids, places: Ids) -> tuple[Ids, Ids]:
    """Return the numbers from starts[p] up to starts[p + 1], for each place p; and how many."""
    counts = starts[places + 1] - starts[places]
    before = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) + np.repeat(starts[places] - before, counts), counts


def asked_for(
    starts: NDArray[np.integer], spans: Sequence[tuple[int, int]] | None
) -> NDArray[np.bool_]:
    """Return for each token whether one of `spans` holds its first character; None asks for all.

    *Shape:* `starts` (n_tokens,) are where the tokens begin in their sentence, in characters.
    """
    if spans is None:
        return np.ones(len(starts), dtype=np.bool_)
    each_asked = [(start <= starts) & (starts < end) for start, end in spans]
    return functools.reduce(np.logical_or, each_asked or [np.zeros(len(starts), dtype=np.bool_)])
