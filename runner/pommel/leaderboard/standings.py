"""Who stands where on a board: what is shown, and kept so that showing it takes no time."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np

from pommel.errors import printable
from pommel.leaderboard.board import Board
from pommel.leaderboard.entry import Entry
from pommel.leaderboard.ranking import (
    Values,
    Weighing,
    drawn_means,
    holm_by_row,
    interval_of,
    n_signs_for,
    pair_p,
    ranks,
    suite_means,
    weighted_mean,
)

VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A score with its 95% interval."""

    score: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A submission's place: its rank, the ranks that it may truly have, and its scores.

    `circuits` are by name, `suites` (without intervals) by SHA-256.
    """

    id: str
    name: str
    by: str
    rank: int
    rank_low: int
    rank_high: int
    total: Scored
    circuits: Mapping[str, Scored]
    suites: Mapping[str, float]


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

    def adjusted(self) -> Values:
        """Return each submission's p against each other, adjusted by Holm's method."""
        return holm_by_row(self.p)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """All places of a board, the best first; `head` is the ledger's `ranking_head` by then."""

    head: str
    rows: tuple[Standing, ...]

    def to_text(self) -> str:
        """Return the content of the file that keeps them."""
        rows = [asdict(each) for each in self.rows]
        value = {"version": VERSION, "head": self.head, "rows": rows}
        return f"{json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n"


def standings_from(text: str, board: Board) -> Standings | None:
    """Return the standings of `Standings.to_text`, None if they cannot be some of this board.

    What is wrong with them does not matter: they are made again.
    """
    try:
        value = json.loads(text)
        if value["version"] != VERSION:
            return None
        found = Standings(head=value["head"], rows=tuple(map(_standing, value["rows"])))
        return found if all(_fits(row, board) for row in found.rows) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
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
    draws = drawn_means(values, weighing.n_items, seed=board.seed)

    def scored(own: Sequence[int], weights: Sequence[float]) -> Scored:
        # By the largest: the smallest floats have no digits left to be divided.
        part = np.array(weights) / max(weights)
        interval = interval_of(draws[:, own] @ part / part.sum())
        score = weighted_mean([means[i] for i in own], part.tolist())
        return Scored(score=score, low=interval.low, high=interval.high)

    of_circuit = {
        name: [i for i, suite in enumerate(board.suites) if suite.circuit == name]
        for name in board.circuits
    }
    return Standing(
        id=entry.id,
        name=entry.name,
        by=entry.by,
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
    )


def _standing(value: Mapping[str, Any]) -> Standing:
    circuits = {name: Scored(**each) for name, each in value["circuits"].items()}
    return Standing(**{**value, "total": Scored(**value["total"]), "circuits": circuits})


def _fits(row: Standing, board: Board) -> bool:
    """Return whether a row that was read has the types of one, and the board's suites."""
    scores = [row.total, *row.circuits.values()]
    numbers = [number for each in scores for number in (each.score, each.low, each.high)]
    # Of a stranger's folder, a text may steer a terminal, or be none that can be written.
    texts: tuple[object, ...] = (row.id, row.name, row.by)
    return (
        all(isinstance(each, str) and each == printable(each) for each in texts)
        and all(type(each) is int for each in (row.rank, row.rank_low, row.rank_high))
        and all(_is_finite(each) for each in (*numbers, *row.suites.values()))
        and set(row.circuits) == set(board.circuits)
        and set(row.suites) == {each.sha256 for each in board.suites}
    )


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)
