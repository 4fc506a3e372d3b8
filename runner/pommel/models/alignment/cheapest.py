"""The cheapest way to spell a sentence with a model's tokens: one dynamic programme.

`ready[i][k]` is the least cost of having spelled the first k units of the sentence with the first
i tokens. A token goes on from there to where its spelling ends, an unknown token to anywhere
behind, a special token stays; between tokens, words that the model leaves out are passed over.
Costs are whole numbers, so that ties are ties: the longest spelling wins, the earlier end of the
sentence, and of several unknown tokens in a row the last one takes the words that are too many.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pommel.models.alignment.costs import (
    NEVER,
    BoundaryCosts,
    Costs,
    boundary_costs,
    dropped,
    misfit,
)
from pommel.models.alignment.reading import Reading
from pommel.models.alignment.token_forms import spellings
from pommel.models.spec import TokenizerSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """Which units each token spells: `spans[i]` for token i, empty for a token that spells none.

    `spans` is shorter than the tokens where those after an end-of-sentence mark are left out.
    """

    reading: Reading
    spans: tuple[tuple[int, int], ...]
    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """Where no alignment goes on: before token `token` (their number: behind them), at `unit`."""

    reading: Reading
    token: int
    unit: int


def align(tokens: Sequence[str], reading: Reading, spec: TokenizerSpec) -> Aligned | Broken:
    """Return the cheapest alignment, or where the one that got furthest breaks off.

    Raises `InputError` for a `drop_token_pattern` that is no regular expression.
    """
    lattice = _Lattice(tokens, reading, spec)
    ends: list[tuple[int, int]] = []
    for index, token in enumerate(tokens):
        if index and token in spec.suffix_types and lattice.ready[index][-1] < NEVER:
            ends.append((int(lattice.ready[index][-1]), index))
        if not lattice.advance(index):
            break
    else:
        if lattice.ready[-1][-1] < NEVER:
            ends.append((int(lattice.ready[-1][-1]), len(tokens)))
    if not ends:
        return lattice.broken()
    cost, end = min(ends)
    spans = lattice.spans(end)
    if end < len(tokens):
        spans = (*spans, (len(reading.units), len(reading.units)))  # the end-of-sentence mark
    return Aligned(reading=reading, spans=spans, cost=cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moves:
    """From each of `starts` to what stands in the same place of `ends`, at its cost in `costs`."""

    starts: npt.NDArray[np.intp]
    ends: npt.NDArray[np.intp]
    costs: Costs

    def reach(self, before: Costs, after: Costs) -> None:
        """Lower `after` to what these moves cost from `before` on."""
        np.minimum.at(after, self.ends, before[self.starts] + self.costs)


def _moves_to(ways: Iterable[tuple[int, int, int]]) -> _Moves | None:
    """Return moves from (start, end, cost); None if there are none."""
    table = np.array(list(ways), dtype=np.int64).reshape(-1, 3)
    if not len(table):
        return None
    starts, ends, costs = table.T
    return _Moves(starts=starts, ends=ends, costs=costs)


class _Lattice:
    """The costs of all ways to begin, token by token, and the way back through them.

    `arrived[i]` are the costs right after token i - 1, `ready[i]` those after words that the
    model leaves out were passed over too.
    """

    def __init__(self, tokens: Sequence[str], reading: Reading, spec: TokenizerSpec) -> None:
        self._tokens = tokens
        self._reading = reading
        self._spec = spec
        self._special = spec.marks
        self._moves_of: dict[str, tuple[_Moves, ...]] = {}
        self._drops = _moves_to(dropped(reading, spec))
        origin = self._nowhere()
        origin[0] = 0
        self.arrived = [origin]
        self.ready = [self._passed_over(origin)]

    def advance(self, index: int) -> bool:
        """Spell token `index`; False, and nothing changed, if no way goes on."""
        token, ready = self._tokens[index], self.ready[index]
        if token in self._spec.unk_types:
            arrived = self._unknown(ready)
        else:
            arrived = self._staying(token, ready)
            for moves in self._moves(token):
                moves.reach(ready, arrived)
        if arrived.min() >= NEVER:
            return False
        self.arrived.append(arrived)
        self.ready.append(self._passed_over(arrived))
        return True

    def broken(self) -> Broken:
        """Return where the way that got furthest, or the cheapest of them, breaks off."""
        last = self.ready[-1]
        # Text left over is told from its first word on, a token at its likeliest place.
        all_used = len(self.ready) > len(self._tokens)
        unit = np.flatnonzero(last < NEVER)[-1] if all_used else last.argmin()
        return Broken(reading=self._reading, token=len(self.ready) - 1, unit=int(unit))

    def spans(self, end: int) -> tuple[tuple[int, int], ...]:
        """Return the units of the first `end` tokens on the cheapest way to the sentence's end."""
        found: list[tuple[int, int]] = []
        unit = len(self._reading.units)
        for index in reversed(range(end)):
            unit = self._before_drops(index + 1, unit)
            start = self._start(index, unit)
            found.append((start, unit))
            unit = start
        return tuple(reversed(found))

    def _before_drops(self, layer: int, unit: int) -> int:
        arrived, ready, drops = self.arrived[layer], self.ready[layer], self._drops
        while drops and arrived[unit] > ready[unit]:
            here = (drops.ends == unit) & (ready[drops.starts] + drops.costs == ready[unit])
            unit = int(drops.starts[here.argmax()])
        return unit

    def _start(self, index: int, end: int) -> int:
        token, ready, cost = self._tokens[index], self.ready[index], self.arrived[index + 1][end]
        if token in self._spec.unk_types:
            begun = ready[:end] + self._at.unknown_start[:end] - self._at.words[:end]
            return int(begun.argmin())
        for moves in self._moves(token):
            here = (moves.ends == end) & (ready[moves.starts] + moves.costs == cost)
            if here.any():
                return int(moves.starts[here.argmax()])
        return end

    def _staying(self, token: str, ready: Costs) -> Costs:
        """Return the costs after a token that spells nothing here."""
        if token in self._special:
            return ready.copy()
        if any(not spelling.text for spelling in spellings(token, self._spec)):
            beside: Costs = np.minimum(ready + self._at.space, NEVER)
            return beside
        return self._nowhere()

    def _unknown(self, ready: Costs) -> Costs:
        arrived = self._nowhere()
        if len(ready) > 1:
            at = self._at
            begun = np.minimum.accumulate((ready + at.unknown_start - at.words)[:-1])
            arrived[1:] = np.minimum(begun + at.words[:-1] + at.unknown_end[1:], NEVER)
        return arrived

    def _passed_over(self, arrived: Costs) -> Costs:
        if not self._drops:
            return arrived
        ready = arrived.copy()
        while True:  # left-out words may follow one another
            before = ready.copy()
            self._drops.reach(before, ready)
            if (ready == before).all():
                return ready

    def _moves(self, token: str) -> tuple[_Moves, ...]:
        if token not in self._moves_of:
            self._moves_of[token] = tuple(self._all_moves(token))
        return self._moves_of[token]

    def _all_moves(self, token: str) -> Iterator[_Moves]:
        reading, cased = self._reading, self._spec.cased
        for spelling in spellings(token, self._spec):
            for units in filter(None, reading.read(spelling.text)):
                places = [(at, at + len(units)) for at in _occurrences(units, reading.units)]
                costs = [misfit(spelling, reading, *place, cased=cased) for place in places]
                ways = zip(places, costs, strict=True)
                if moves := _moves_to((start, end, cost) for (start, end), cost in ways):
                    yield moves

    def _nowhere(self) -> Costs:
        return np.full(len(self._reading.units) + 1, NEVER)

    @cached_property
    def _at(self) -> BoundaryCosts:
        return boundary_costs(self._reading)


def _occurrences(part: str, whole: str) -> Iterator[int]:
    """Yield where `part` begins in `whole`, overlapping ones too."""
    at = whole.find(part)
    while at >= 0:
        yield at
        at = whole.find(part, at + 1)
