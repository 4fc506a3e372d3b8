"""Who stands where on a board: what is shown, and kept so that showing it takes no time."""

import io
import math
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product, takewhile
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from pommel.analysis import N_TURNED
from pommel.errors import printable
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import Entry, sealed, unsealed
from pommel.statistics import ALPHA, Interval

Values = NDArray[np.float64]
Counts = NDArray[np.int64]


# Scores, their intervals and ranks, from numbers to numbers; pure. A score is a weighted mean over
# suites of means over items: linear in the items' values. So the signs that are drawn once serve
# all tests, and pairs are differences of two columns of one matrix.

N_SIGNS = 19_999

# At most so many signs are drawn at once, which bounds the memory: 9 bytes each.
_N_DRAWN_AT_ONCE = 2**21
_ROUNDING = 1e-9
# What rounding may change in a sum, relative to the largest that there can be.
_RELATIVE_ROUNDING = 1e-12
_DECIMALS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """How items come to a score: each suite's number of items, and its part of the score.

    `shares` add up to 1.
    """

    n_items: tuple[int, ...]
    shares: tuple[float, ...]

    @property
    def item_shares(self) -> Values:
        """What part of a score each item is, shape (items of all suites,)."""
        each = [share / n for share, n in zip(self.shares, self.n_items, strict=True)]
        return np.repeat(np.array(each), self.n_items)


def suite_means(values: Values, n_items: Sequence[int]) -> list[float]:
    """Return the mean over each suite's items; `values` has shape (items of all suites,)."""
    ends = np.cumsum(n_items)
    parts = np.split(values, ends[:-1])
    return [math.fsum(part.tolist()) / part.size for part in parts]


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


def pair_p(values: Values, weighing: Weighing, known: Values, *, seed: int, n_signs: int) -> Values:
    """Return the two-sided p of each pair of submissions, NaN for a submission and itself.

    `values` has shape (submissions, items), the result (submissions, submissions). `known` has the
    p of the first submissions among themselves, which are not computed again; of none it has shape
    (0, 0). If two submissions are as good, the sign of each item's difference might as well be the
    other one; p is the share of ways to turn the signs that put the two scores as far apart as they
    are (`statistics.sign_flip_p`): of all ways where at most 12 items differ, otherwise of
    `n_signs` that are drawn and the one found. The draws are the same for all pairs; the p of a
    pair does not depend on which others there are.
    """
    parts = values * weighing.item_shares
    n_known, n_all = len(known), len(values)
    p = np.full((n_all, n_all), math.nan)
    p[:n_known, :n_known] = known
    counts = _drawn_counts(parts, n_known, seed=seed, n_signs=n_signs)
    for row in range(n_known, n_all):
        own = (1 + counts[row, :row]) / (1 + n_signs)
        is_exact = np.count_nonzero(parts[:row] != parts[row], axis=1) <= N_TURNED
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


def _drawn_counts(parts: Values, n_known: int, *, seed: int, n_signs: int) -> Counts:
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


def holm_by_row(p: Values) -> Values:
    """Return p adjusted by Holm's method (1979), each row by itself, shape (n, n).

    A row has the comparisons of one submission with all others; its NaN stays.
    """
    n = len(p)
    if n == 0:
        return p
    order = np.argsort(p, axis=1)  # NaN comes last
    factors = np.maximum(1, np.arange(n - 1, -1, -1))
    ordered = np.take_along_axis(p, order, axis=1) * factors
    rising = np.minimum(1.0, np.maximum.accumulate(ordered, axis=1))
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, rising, axis=1)
    return adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """A rank and its range: `low` to `high` are those that the data leave possible."""

    rank: int
    low: int
    high: int


def ranks(scores: Sequence[float], adjusted: Values) -> list[Rank]:
    """Return the rank of each score: 1 for the highest; equal scores share one (1, 2, 2, 4).

    A submission's range leaves out the ranks of those that are better or worse than it by its own
    comparisons, `adjusted` (`holm_by_row`) below 5%. Then the range has the rank of the true score
    with 95% confidence (Mogstad et al. 2024, confidence sets for the rank of one).
    """
    values = np.array(scores, dtype=np.float64)
    found = []
    for index, score in enumerate(scores):
        differs = adjusted[index] < ALPHA
        n_better = int((differs & (values > score)).sum())
        n_worse = int((differs & (values < score)).sum())
        rank = 1 + int((values > score).sum())
        found.append(Rank(rank=rank, low=1 + n_better, high=len(scores) - n_worse))
    return found


# 1 and 2 had intervals of the bootstrap, 3 no numbers of swallowed regions and no check sum.
VERSION = 4


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A submission's place: its rank, the ranks that it may truly have, and its scores.

    `circuits` are by name, `suites` (without intervals) and `n_swallowed` by SHA-256.
    `is_available` says whether
    anybody can have the model's weights (`Entry.is_available`). The ranks are 0 of what is listed
    apart.
    """

    id: str
    name: str
    by: str
    is_available: bool
    rank: int
    rank_low: int
    rank_high: int
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """The p of all pairs (`ranking.pair_p`), and of which submissions and how many draws it is."""

    ids: tuple[str, ...]
    p: Values
    n_signs: int

    @classmethod
    def none(cls) -> "Pairs":
        """Return the pairs of no submissions."""
        return cls(ids=(), p=np.zeros((0, 0)), n_signs=0)

    def of(self, ids: Sequence[str]) -> "Pairs":
        """Return the pairs of these submissions, in this order."""
        places = {name: index for index, name in enumerate(self.ids)}
        own = [places[name] for name in ids]
        return replace(self, ids=tuple(ids), p=self.p[np.ix_(own, own)])

    def adjusted(self) -> Values:
        """Return each submission's p against each other, adjusted by Holm's method."""
        return holm_by_row(self.p)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """All places of a board, the best first; `head` is the ledger's `ranking_head` by then.

    `apart` are those that are not ranked with the others (`setting_apart`).
    """

    head: str
    rows: tuple[Standing, ...]
    apart: tuple[Standing, ...] = ()

    def setting_apart(self, ids: Collection[str], pairs: Pairs) -> "Standings":
        """Return the standings in which these are listed apart, and the others ranked anew."""
        rows = [row for row in self.rows if row.id not in ids]
        adjusted = pairs.of([row.id for row in rows]).adjusted()
        found = ranks([row.total.score for row in rows], adjusted)
        return replace(
            self,
            rows=tuple(
                replace(row, rank=each.rank, rank_low=each.low, rank_high=each.high)
                for row, each in zip(rows, found, strict=True)
            ),
            apart=tuple(
                replace(row, rank=0, rank_low=0, rank_high=0) for row in self.rows if row.id in ids
            ),
        )

    def to_text(self) -> str:
        """Return the content of the file that keeps them."""
        rows = [asdict(each) for each in self.rows]
        return sealed({"version": VERSION, "head": self.head, "rows": rows})


def standings_from(text: str, board: Board) -> Standings | None:
    """Return the standings of `Standings.to_text`, None if they cannot be some of this board.

    What is wrong with them does not matter: they are made again.
    """
    try:
        value = unsealed(text)
        if value["version"] != VERSION:
            return None
        found = Standings(head=value["head"], rows=tuple(map(_standing, value["rows"])))
        return found if all(_fits(row, board) for row in found.rows) else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def updated_pairs(board: Board, entries: Sequence[Entry], known: Pairs) -> Pairs:
    """Return the pairs of these entries; those that are known are not computed again."""
    ids = tuple(each.id for each in entries)
    n_signs = n_signs_for(len(ids))
    places = {name: index for index, name in enumerate(known.ids)}
    kept: list[int] = []
    if known.n_signs == n_signs:
        kept = [places[name] for name in takewhile(places.__contains__, ids)]
    p = known.p[np.ix_(kept, kept)]
    if entries:
        values = np.stack([each.values(board) for each in entries])
        p = pair_p(values, weighing_of(board), p, seed=board.seed, n_signs=n_signs)
    return Pairs(ids=ids, p=p, n_signs=n_signs)


def standings_of(
    board: Board, entries: Sequence[Entry], pairs: Pairs, known: Mapping[str, Standing], head: str
) -> Standings:
    """Return who stands where. The scores of `known` are taken as they are, ranks made anew."""
    scored = [known.get(each.id) or _scored(board, each) for each in entries]
    places = ranks([each.total.score for each in scored], pairs.adjusted())
    rows = [
        replace(each, rank=place.rank, rank_low=place.low, rank_high=place.high)
        for each, place in zip(scored, places, strict=True)
    ]
    return Standings(
        head=head, rows=tuple(sorted(rows, key=lambda row: (row.rank, row.name.casefold(), row.id)))
    )


def weighing_of(board: Board) -> Weighing:
    """Return how the items of a board come to a score."""
    return Weighing(n_items=tuple(each.n_items for each in board.suites), shares=board.shares)


def _scored(board: Board, entry: Entry) -> Standing:
    values, weighing = entry.values(board), weighing_of(board)
    means = suite_means(values, weighing.n_items)
    items = np.split(values, np.cumsum(weighing.n_items)[:-1])

    def scored(own: Sequence[int], weights: Sequence[float]) -> Scored:
        # By the largest: the smallest floats have no digits left to be divided.
        part = np.array(weights) / max(weights)
        interval = Interval.of_means([items[i] for i in own], weights=part / part.sum())
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
        rank=0,
        rank_low=0,
        rank_high=0,
        total=scored(range(len(board.suites)), weighing.shares),
        # Not by their shares of the whole: those of a circuit of little weight may all be 0.
        circuits={
            name: scored(own, [board.suites[i].weight for i in own])
            for name, own in of_circuit.items()
        },
        suites={suite.sha256: mean for suite, mean in zip(board.suites, means, strict=True)},
        n_swallowed=entry.n_swallowed,
    )


def _standing(value: Mapping[str, Any]) -> Standing:
    circuits = {name: Scored(**each) for name, each in value["circuits"].items()}
    return Standing(**{**value, "total": Scored(**value["total"]), "circuits": circuits})


def _fits(row: Standing, board: Board) -> bool:
    """Return whether a row that was read has the types of one, and the board's suites."""
    scores = [row.total, *row.circuits.values()]
    numbers = [number for each in scores for number in (each.score, each.low, each.high)]
    swallowed = [each.n_swallowed for each in scores]
    # Of a stranger's folder, a text may steer a terminal, or be none that can be written.
    texts: tuple[object, ...] = (row.id, row.name, row.by)
    is_available: object = row.is_available
    return (
        all(isinstance(each, str) and each == printable(each) for each in texts)
        and isinstance(is_available, bool)
        and all(type(each) is int for each in (row.rank, row.rank_low, row.rank_high))
        and all(type(each) is int for each in (*swallowed, *row.n_swallowed.values()))
        and all(_is_finite(each) for each in (*numbers, *row.suites.values()))
        and set(row.circuits) == set(board.circuits)
        and set(row.suites) == set(row.n_swallowed) == {each.sha256 for each in board.suites}
    )


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


# 11,000 submissions.
MOST_PAIRS_BYTES = 2**30

# What numpy and zipfile raise for a file that is no archive of arrays, or a damaged one.
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    ArithmeticError,
    AttributeError,
    RuntimeError,
    MemoryError,
    BadZipFile,
    zlib.error,
)


def pairs_bytes(pairs: Pairs) -> bytes:
    """Return the content of the file."""
    packed = io.BytesIO()
    np.savez(packed, ids=np.array(pairs.ids, dtype="U"), p=pairs.p, n_signs=pairs.n_signs)
    return packed.getvalue()


def pairs_from(raw: bytes) -> Pairs:
    """Return the pairs of a file, none if that cannot be read; what is wrong does not matter."""
    try:
        if not _is_stored(raw):
            return Pairs.none()
        with np.load(io.BytesIO(raw), allow_pickle=False) as kept:
            ids, p, n_signs = tuple(map(str, kept["ids"])), kept["p"], kept["n_signs"]
    except _UNREADABLE:
        return Pairs.none()
    if p.shape != (len(ids), len(ids)) or p.dtype != np.float64:
        return Pairs.none()
    if n_signs.shape != () or n_signs.dtype.kind != "i":
        return Pairs.none()
    between = p[~np.eye(len(ids), dtype=bool)]
    if not ((between > 0) & (between <= 1)).all() or not np.isnan(np.diagonal(p)).all():
        return Pairs.none()
    return Pairs(ids=ids, p=p, n_signs=int(n_signs))


def _is_stored(raw: bytes) -> bool:
    """Return whether the arrays are not compressed: unpacked, a few bytes might fill the memory."""
    with ZipFile(io.BytesIO(raw)) as archive:
        members = archive.infolist()
    return all(
        each.compress_type == ZIP_STORED and each.file_size == each.compress_size
        for each in members
    )
