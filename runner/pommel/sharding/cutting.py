"""How work is cut into shards: models whole where that can be, all shards about as long.

A model's suites stand in one order, and a part of a model is some that follow each other in it.
"""

import heapq
import math

import numpy as np
from numpy.typing import NDArray

from pommel.values import frozen, positional

Seconds = NDArray[np.float64]

# Models stay whole where that makes the longest shard hardly longer.
_WORTH_A_LOADING = 1.05
# How near the shortest longest shard is sought.
_NEAR = 1.002


@positional
class Part:
    """Suites `start` up to `stop` of a model, by their places in its order."""

    model: int
    start: int
    stop: int


@frozen(eq=False)
class Work:
    """What there is to do: `loading` (models,) and `scoring` (models x suites), in seconds."""

    loading: Seconds
    scoring: Seconds

    def seconds(self, part: Part) -> float:
        """Return how long a part takes, with the loading of its model."""
        scored = self.scoring[part.model, part.start : part.stop].sum()
        return float(self.loading[part.model] + scored)

    def makespan(self, shards: list[list[Part]]) -> float:
        """Return how long the longest shard takes."""
        return max(sum(map(self.seconds, parts)) for parts in shards)

    def cut(self, n_shards: int) -> list[list[Part]]:
        """Return the parts of each shard, by model; fewer shards where there is too little.

        A model is in several shards only if it is longer than a shard ought to be, or if the
        longest shard became more than 5% longer otherwise. The same work is cut the same way.
        """
        whole, divided = (self._shortest(n_shards, divides=each) for each in (False, True))
        few_loads = self.makespan(whole) <= _WORTH_A_LOADING * self.makespan(divided)
        shards = whole if few_loads else divided
        ordered = [sorted(parts, key=lambda part: part.model) for parts in shards if parts]
        return sorted(ordered, key=lambda parts: (parts[0].model, parts[0].start))

    def cut_to(self, seconds: float) -> list[list[Part]]:
        """Return shards that take so long at most, each, where no single suite takes longer."""
        n_pairs = self.scoring.size
        n_shards = max(1, math.ceil((self.loading.sum() + self.scoring.sum()) / seconds))
        while True:
            shards = self.cut(min(n_shards, n_pairs))
            if n_shards >= n_pairs or (longest := self.makespan(shards)) <= seconds:
                return shards
            n_shards = max(n_shards + 1, int(n_shards * longest / seconds))

    def _shortest(self, n_shards: int, *, divides: bool) -> list[list[Part]]:
        """Return shards whose longest is about as short as can be."""
        largest = float((self.loading + self.scoring.max(axis=1)).max())
        total = float(self.loading.sum() + self.scoring.sum())
        low = limit = max(total / n_shards, largest)
        while (found := self._within(limit, n_shards, divides=divides)) is None:
            low, limit = limit, 1.2 * limit
        while limit > _NEAR * low:
            middle = (low + limit) / 2
            if shards := self._within(middle, n_shards, divides=divides):
                found, limit = shards, middle
            else:
                low = middle
        return found

    def _within(self, limit: float, n_shards: int, *, divides: bool) -> list[list[Part]] | None:
        """Return shards of a length, None where this does not come out.

        The longest model goes first, each to the shortest shard. One that is too long for all
        fills that shard; the rest of it goes to the next.
        """
        # Sums of floats in another order differ in their last bits.
        limit *= 1 + 1e-9
        n_models, n_suites = self.scoring.shape
        ends = np.concatenate([np.zeros((n_models, 1)), self.scoring.cumsum(axis=1)], axis=1)
        lengths = self.loading + ends[:, -1]
        shards: list[list[Part]] = [[] for _ in range(n_shards)]
        filled = [(0.0, number) for number in range(n_shards)]
        for model in np.argsort(-lengths, kind="stable").tolist():
            start, own = 0, []
            while start < n_suites:
                if not filled:
                    return None
                length, number = heapq.heappop(filled)
                reached = ends[model, start] + limit - length - self.loading[model]
                stop = int(np.searchsorted(ends[model], reached, side="right")) - 1
                may_divide = divides or lengths[model] > limit
                if stop <= start or (stop < n_suites and not may_divide):
                    return None
                part = Part(model, start, stop)
                shards[number].append(part)
                # In one shard, a model is loaded once.
                own.append((length + self.seconds(part), number))
                start = stop
            for each in own:
                heapq.heappush(filled, each)
        return shards
