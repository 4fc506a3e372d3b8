"""Symbols that lead back to themselves."""

from collections.abc import Iterator, Mapping, Sequence

from pommel.sources.grammar.context_free.tree import Symbol


def cycles(below: Mapping[Symbol, Sequence[Symbol]]) -> Iterator[tuple[Symbol, ...]]:
    """Yield cycles without a common symbol, so that none is left without these symbols.

    `below` are the symbols that each leads to, those that it does not have count for nothing.
    A cycle begins with the symbol that comes first on the way from the first one of `below`.
    """
    left = _Left(below)
    for first in below:
        way: list[Symbol] = []
        places: dict[Symbol, int] = {}
        symbol = first
        while first not in left.gone:
            if symbol not in places:
                places[symbol] = len(way)
                way.append(symbol)
                symbol = left.first_below(symbol)
                continue
            cycle = way[places[symbol] :]
            yield tuple(cycle)
            left.remove(cycle)
            # What is gone is the end of the way; up to there it would be the same again.
            while way and way[-1] in left.gone:
                del places[way.pop()]
            symbol = left.first_below(way[-1]) if way else first


def heights(below: Mapping[Symbol, Sequence[Symbol]]) -> dict[Symbol, int]:
    """Return how many nonterminals stand above one another at most, from a symbol down.

    Symbols that lead to a cycle have no such number, and are left out.
    """
    found: dict[Symbol, int] = {}
    above = _above(below)
    missing = {symbol: len({*others}) for symbol, others in below.items()}
    ready = [symbol for symbol, number in missing.items() if not number]
    # It grows while it is read.
    for symbol in ready:
        found[symbol] = 1 + max((found[each] for each in below[symbol]), default=0)
        for each in above.get(symbol, ()):
            missing[each] -= 1
            if not missing[each]:
                ready.append(each)
    return found


class _Left:
    """The symbols that are on cycles, or lead to one; what has been removed is `gone`.

    All of it takes time in proportion to what is written in the grammar.
    """

    def __init__(self, below: Mapping[Symbol, Sequence[Symbol]]) -> None:
        self._below = {
            symbol: [each for each in dict.fromkeys(others) if each in below]
            for symbol, others in below.items()
        }
        self._above = _above(self._below)
        self._n_below = {symbol: len(others) for symbol, others in self._below.items()}
        self._n_passed = dict.fromkeys(below, 0)
        self.gone: set[Symbol] = set()
        self.remove([symbol for symbol, n in self._n_below.items() if not n])

    def remove(self, symbols: Sequence[Symbol]) -> None:
        """Take symbols away, and all those that then lead nowhere."""
        queue = [*symbols]
        self.gone.update(queue)
        # It grows while it is read.
        for symbol in queue:
            for each in self._above.get(symbol, ()):
                self._n_below[each] -= 1
                if not self._n_below[each] and each not in self.gone:
                    self.gone.add(each)
                    queue.append(each)

    def first_below(self, symbol: Symbol) -> Symbol:
        """Return the first symbol that one which is left leads to."""
        below = self._below[symbol]
        while below[self._n_passed[symbol]] in self.gone:
            self._n_passed[symbol] += 1
        return below[self._n_passed[symbol]]


def _above(below: Mapping[Symbol, Sequence[Symbol]]) -> dict[Symbol, list[Symbol]]:
    """Return the symbols that lead to each one."""
    found: dict[Symbol, list[Symbol]] = {}
    for symbol, others in below.items():
        for each in dict.fromkeys(others):
            found.setdefault(each, []).append(symbol)
    return found
