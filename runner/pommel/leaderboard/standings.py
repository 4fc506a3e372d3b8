"""Who stands where on a board: what is shown, and kept so that showing it takes no time."""

import base64
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product, takewhile
from statistics import NormalDist
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from pommel.analysis import Comparison
from pommel.errors import printable
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import Entry, sealed, unsealed
from pommel.leaderboard.submission.own_paths import has_path
from pommel.statistics import ALPHA, Interval
from pommel.values import frozen

Values = NDArray[np.float64]


# Scores, their intervals and ranks, from numbers to numbers; pure. A score is a weighted mean over
# suites of means over items: linear in the items' values. So the signs that are drawn once serve
# all tests, and pairs are differences of two columns of one matrix.

N_SIGNS = 19_999

# Of so many items that differ, all ways to turn their signs are tried: as statistics do, but a
# board stays what it is where these change.
_N_TURNED = 12

# At most so many signs are drawn at once, which bounds the memory: 9 bytes each.
_N_DRAWN_AT_ONCE = 2**21
_ROUNDING = 1e-9
# What rounding may change in a sum, relative to the largest that there can be.
_RELATIVE_ROUNDING = 1e-12
_DECIMALS = 12
# So many standard deviations to either side have 95% of a normal distribution.
_SD_OF_95 = NormalDist().inv_cdf(0.975)


def weighted_mean(means: Sequence[float], shares: Sequence[float]) -> float:
    """Return the weighted mean; `shares` need not add up to 1. Equal scores come out equal."""
    # By the largest: shares may be so small that their products with means are 0.
    largest = max(shares)
    parts = [share / largest for share in shares]
    total = math.fsum(part * mean for part, mean in zip(parts, means, strict=True))
    return round(total / math.fsum(parts), _DECIMALS)


def n_signs_for(n_submissions: int) -> int:
    """Return how often signs are drawn, so that Holm's method can still find a difference."""
    n_signs = N_SIGNS
    # The least p that there is, times the number of comparisons of a submission.
    while 2 * (n_submissions - 1) > ALPHA * (n_signs + 1):
        n_signs = 2 * n_signs + 1
    return n_signs


def pair_p(parts: Values, known: Values, *, seed: int, n_signs: int) -> Values:
    """Return the two-sided p of each pair of submissions, NaN for a submission and itself.

    `parts` has what each item adds to a score, shape (submissions, items); the result has shape
    (submissions, submissions). `known` has the p of the first submissions among themselves, which
    are not computed again; of none it has shape (0, 0). If two submissions are as good, the sign of
    each item's difference might as well be the other one; p is the share of ways to turn the signs
    that put the two scores as far apart as they are (`statistics.sign_flip_p`): of all ways where
    at most 12 items differ, otherwise of `n_signs` that are drawn and the one found. The draws are
    the same for all pairs; the p of a pair does not depend on which others there are.
    """
    n_known, n_all = len(known), len(parts)
    p = np.full((n_all, n_all), math.nan)
    p[:n_known, :n_known] = known
    counts = _drawn_counts(parts, n_known, seed=seed, n_signs=n_signs)
    for row in range(n_known, n_all):
        own = (1 + counts[row, :row]) / (1 + n_signs)
        is_exact = np.count_nonzero(parts[:row] != parts[row], axis=1) <= _N_TURNED
        own[is_exact] = exact_p(parts[:row][is_exact] - parts[row])
        p[row, :row] = p[:row, row] = own
    return p


def exact_p(differences: Values) -> Values:
    """Return p by all ways to turn the signs of differences, of which at most 12 a pair are not 0.

    `differences` has shape (pairs, items), in parts of a score; the result (pairs,).
    """
    n_differing = np.count_nonzero(differences, axis=1)
    rows, columns = np.nonzero(differences)
    # The differences of a pair, and then as many 0 as it has fewer than another.
    places = np.arange(rows.size) - np.repeat(np.cumsum(n_differing) - n_differing, n_differing)
    sizes = np.zeros((len(differences), max(1, n_differing.max(initial=0))))
    sizes[rows, places] = np.abs(differences[rows, columns])
    least = np.abs(differences.sum(axis=1)) - _RELATIVE_ROUNDING * sizes.sum(axis=1)
    # Turning all of them leaves two scores as far apart: half of the ways will do.
    turns = product((-1.0, 1.0), repeat=sizes.shape[1] - 1)
    signs = np.array([(1.0, *each) for each in turns])
    is_far = np.abs(sizes @ signs.T) >= least[:, None]
    p: Values = np.count_nonzero(is_far, axis=1) / len(signs)
    return p


def _drawn_counts(parts: Values, n_known: int, *, seed: int, n_signs: int) -> NDArray[np.int64]:
    """Return how many draws of signs put two scores as far apart as they are.

    `parts` has shape (submissions, items), the result (submissions, submissions): 0 but for a
    submission that is not known and one before it.
    """
    scores = parts.sum(axis=1)
    generator = np.random.default_rng(seed)
    n_all, n_items = parts.shape
    counts = np.zeros((n_all, n_all), dtype=np.int64)
    n_rows = max(1, _N_DRAWN_AT_ONCE // max(1, n_items))
    for start in range(0, n_signs if n_known < n_all else 0, n_rows):
        shape = (min(n_rows, n_signs - start), n_items)
        signs = 2.0 * generator.integers(0, 2, size=shape, dtype=np.uint8) - 1.0
        sums = parts @ signs.T
        for row in range(n_known, n_all):
            least = np.abs(scores[:row] - scores[row]) - _ROUNDING
            is_far = np.abs(sums[:row] - sums[row]) >= least[:, None]
            counts[row, :row] += np.count_nonzero(is_far, axis=1)
    return counts


def ranks(scores: Sequence[float], adjusted: Values) -> list[tuple[int, int, int]]:
    """Return the rank of each score, and from which to which the data leave it possible.

    1 is for the highest; equal scores share one (1, 2, 2, 4). A submission's range leaves out the
    ranks of those that are better or worse than it by its own comparisons, `adjusted`
    (`Pairs.adjusted`) below 5%. Then the range has the rank of the true score with 95% confidence
    (Mogstad et al. 2024, confidence sets for the rank of one).
    """
    values = np.array(scores, dtype=np.float64)
    found = []
    for score, differs in zip(scores, adjusted < ALPHA, strict=True):
        is_better, is_worse = values > score, values < score
        low = 1 + int((differs & is_better).sum())
        high = len(scores) - int((differs & is_worse).sum())
        found.append((1 + int(is_better.sum()), low, high))
    return found


# 1 and 2 had intervals of the bootstrap; 3 no numbers of swallowed regions, no check sum, and the
# pairs in a file of their own.
VERSION = 4


@frozen
class Scored:
    """A score with its 95% interval; `n_swallowed` as in `Entry`, of all suites together."""

    score: float
    low: float
    high: float
    n_swallowed: int

    @property
    def words(self) -> str:
        """The score with its interval, for people."""
        return f"{self.score:.3f} [{self.low:.3f}, {self.high:.3f}]"


@frozen
class Standing:
    """A submission's place: its rank, the ranks that it may truly have, and its scores.

    `circuits` are by name, `suites` (without intervals) and `n_swallowed` by SHA-256.
    `is_available` says whether anybody can have the model's weights (`Entry.is_available`). The
    ranks are 0 of what is listed apart.
    """

    id: str
    name: str
    by: str
    is_available: bool
    rank: int = 0
    rank_low: int = 0
    rank_high: int = 0
    total: Scored
    circuits: Mapping[str, Scored]
    suites: Mapping[str, float]
    n_swallowed: Mapping[str, int]

    @property
    def rank_range(self) -> str:
        """The ranks that the submission may truly have."""
        if self.rank_low == self.rank_high:
            return str(self.rank_low)
        return f"{self.rank_low}-{self.rank_high}"


class Pairs(NamedTuple):
    """The p of all pairs (`pair_p`), and of which submissions and how many draws it is."""

    p: Values
    ids: tuple[str, ...] = ()
    n_signs: int = 0

    def of(self, ids: Sequence[str]) -> "Pairs":
        """Return the pairs of these submissions, in this order."""
        places = {name: index for index, name in enumerate(self.ids)}
        own = [places[name] for name in ids]
        return Pairs(self.p[np.ix_(own, own)], tuple(ids), self.n_signs)

    def adjusted(self) -> Values:
        """Return p adjusted by Holm's method (1979), each row by itself, shape (n, n).

        A row has the comparisons of one submission with all others; its NaN stays.
        """
        return np.array([Comparison.holm(row) for row in self.p.tolist()]).reshape(self.p.shape)

    def updated(self, board: Board, entries: Sequence[Entry]) -> "Pairs":
        """Return the pairs of these entries; those that are here are not computed again."""
        ids = tuple(each.id for each in entries)
        n_signs = n_signs_for(len(ids))
        kept = [*takewhile(set(self.ids).__contains__, ids)] if self.n_signs == n_signs else []
        known = self.of(kept).p
        if not entries:
            return Pairs(known, n_signs=n_signs)
        parts = np.stack([np.concatenate(each.values(board)) for each in entries])
        p = pair_p(parts * board.item_shares, known, seed=board.seed, n_signs=n_signs)
        return Pairs(ids=ids, p=p, n_signs=n_signs)


@frozen(eq=False)
class Comparisons:
    """How far apart submissions are, two by two: a row's minus a column's, shape (n, n).

    `low` and `high` are where the difference lies by the test that ranks: 1.96 times the standard
    deviation that it has where the signs of items' differences are turned. `p` is adjusted for all
    comparisons of a row (`Pairs.adjusted`), NaN for a submission and itself.
    """

    difference: Values
    low: Values
    high: Values
    p: Values

    @classmethod
    def of(cls, board: Board, entries: Sequence[Entry], pairs: Pairs) -> "Comparisons":
        """Compare entries, of which `pairs` has the p, in their order."""
        if not entries:
            return cls(difference=pairs.p, low=pairs.p, high=pairs.p, p=pairs.p)
        values = np.stack([np.concatenate(each.values(board)) for each in entries])
        parts = values * board.item_shares
        scores = parts.sum(axis=1)
        products = parts @ parts.T
        squares = np.diagonal(products)
        variances = squares[:, np.newaxis] + squares - 2 * products
        half = _SD_OF_95 * np.sqrt(np.maximum(variances, 0))
        difference = scores[:, np.newaxis] - scores
        return cls(
            difference=difference,
            low=np.maximum(difference - half, -1),
            high=np.minimum(difference + half, 1),
            p=pairs.adjusted(),
        )

    def verdict(self, row: int, column: int) -> str:
        """Say whether a submission is "better" or "worse" than another, "" if that is not told."""
        if not self.p[row, column] < ALPHA:
            return ""
        return "better" if self.difference[row, column] > 0 else "worse"


NO_PAIRS = Pairs(p=np.zeros((0, 0)))


@frozen
class Standings:
    """All places of a board, the best first; `head` is the ledger's `ranking_head` by then.

    `apart` are those that are not ranked with the others (`setting_apart`).
    """

    head: str
    rows: tuple[Standing, ...]
    pairs: Pairs
    apart: tuple[Standing, ...] = ()

    @classmethod
    def of(
        cls, board: Board, entries: Sequence[Entry], head: str, before: "Standings | None" = None
    ) -> "Standings":
        """Rank entries; scores and pairs that were kept `before` are taken as they are."""
        pairs = (before.pairs if before else NO_PAIRS).updated(board, entries)
        known = {row.id: row for row in before.rows} if before else {}
        scored = [known.get(each.id) or _scored(board, each) for each in entries]
        rows = _ranked(scored, pairs)
        rows.sort(key=lambda row: (row.rank, row.name.casefold(), row.id))
        return cls(head=head, rows=tuple(rows), pairs=pairs)

    @classmethod
    def parse(cls, text: str, board: Board) -> "Standings | None":
        """Return the standings of `to_text`, None if they cannot be some of this board.

        What is wrong with them does not matter: they are made again.
        """
        try:
            value = unsealed(text)
            rows = msgspec.convert(value["rows"], tuple[Standing, ...])
            is_all = [*msgspec.to_builtins(rows)] == value["rows"]
            if (
                value["version"] != VERSION
                or not is_all
                or not all(_fits(row, board) for row in rows)
            ):
                return None
            return cls(head=value["head"], rows=rows, pairs=_pairs(value["pairs"], rows))
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    def to_text(self) -> str:
        """Return the content of the file that keeps them."""
        packed = base64.b64encode(self.pairs.p.astype("<f8").tobytes()).decode("ascii")
        pairs = {"ids": self.pairs.ids, "p": packed, "n_signs": self.pairs.n_signs}
        rows = [asdict(each) for each in self.rows]
        return sealed({"version": VERSION, "head": self.head, "rows": rows, "pairs": pairs})

    def setting_apart(self, ids: Collection[str]) -> "Standings":
        """Return the standings in which these are listed apart, and the others ranked anew."""
        rows = [row for row in self.rows if row.id not in ids]
        apart = [row for row in self.rows if row.id in ids]
        return replace(
            self,
            rows=tuple(_ranked(rows, self.pairs.of([row.id for row in rows]))),
            apart=tuple(replace(row, rank=0, rank_low=0, rank_high=0) for row in apart),
        )


def _ranked(rows: Sequence[Standing], pairs: Pairs) -> list[Standing]:
    """Return the rows with their ranks among one another; `pairs` are theirs, in their order."""
    found = ranks([row.total.score for row in rows], pairs.adjusted())
    return [
        replace(row, rank=rank, rank_low=low, rank_high=high)
        for row, (rank, low, high) in zip(rows, found, strict=True)
    ]


def _scored(board: Board, entry: Entry) -> Standing:
    values = entry.values(board)
    means = [math.fsum(each.tolist()) / each.size for each in values]

    def scored(own: Sequence[int], weights: Sequence[float]) -> Scored:
        # By the largest: the smallest floats have no digits left to be divided.
        part = np.array(weights) / max(weights)
        interval = Interval.of_means([values[i] for i in own], weights=part / part.sum())
        return Scored(
            score=weighted_mean([means[i] for i in own], part.tolist()),
            low=round(interval.low, _DECIMALS),
            high=round(interval.high, _DECIMALS),
            n_swallowed=sum(entry.n_swallowed[board.suites[i].sha256] for i in own),
        )

    of_circuit = {
        name: [i for i, suite in enumerate(board.suites) if suite.circuit == name]
        for name in board.circuits
    }
    return Standing(
        id=entry.id,
        name=entry.name,
        by=entry.by,
        is_available=entry.is_available,
        total=scored(range(len(board.suites)), board.shares),
        # Not by their shares of the whole: those of a circuit of little weight may all be 0.
        circuits={
            name: scored(own, [board.suites[i].weight for i in own])
            for name, own in of_circuit.items()
        },
        suites={suite.sha256: mean for suite, mean in zip(board.suites, means, strict=True)},
        n_swallowed=entry.n_swallowed,
    )


def _fits(row: Standing, board: Board) -> bool:
    """Return whether a row that was read is of the board's circuits and suites."""
    hashes = {each.sha256 for each in board.suites}
    # Of a stranger's folder, a text may steer a terminal; names were paths once.
    return (
        row.circuits.keys() == board.circuits.keys()
        and row.suites.keys() == row.n_swallowed.keys() == hashes
        and all(text == printable(text) for text in (row.id, row.name, row.by))
        and not has_path(row.name)
    )


def _pairs(value: Mapping[str, Any], rows: Sequence[Standing]) -> Pairs:
    """Return the pairs that were read; raises `ValueError` for what are not those of the rows."""
    ids, n_signs = tuple(value["ids"]), value["n_signs"]
    packed = base64.b64decode(value["p"], validate=True)
    p = np.frombuffer(packed, dtype="<f8").reshape(len(ids), len(ids))
    between = p[~np.eye(len(ids), dtype=bool)]
    if not ((between > 0) & (between <= 1)).all() or not np.isnan(np.diagonal(p)).all():
        raise ValueError("these are no p of pairs")
    if sorted(ids) != sorted(row.id for row in rows) or type(n_signs) is not int:
        raise ValueError("these are other pairs")
    return Pairs(ids=ids, p=p, n_signs=n_signs)
