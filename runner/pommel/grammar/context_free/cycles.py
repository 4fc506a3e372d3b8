"""Symbols that lead back to themselves."""

from collections.abc import Iterator, Mapping, Sequence

from pommel.grammar.context_free.tree import Symbol


def cycles(below: Mapping[Symbol, Sequence[Symbol]]) -> Iterator[tuple[Symbol, ...]]:
    """Yield cycles without a common symbol, so that none is left without these symbols.

    `below` are the symbols that each leads to, those that it does not have count for nothing.
    A cycle begins with the symbol that comes first on the way from the first one of `below`.
    """
    left = dict(below)
    while left := _on_or_above_cycles(left):
        # Whatever is left has something below it that is left, too.
        way: dict[Symbol, None] = {}
        symbol = next(iter(left))
        while symbol not in way:
            way[symbol] = None
            symbol = next(each for each in left[symbol] if each in left)
        symbols = [*way]
        cycle = symbols[symbols.index(symbol) :]
        yield tuple(cycle)
        for each in cycle:
            del left[each]


def heights(below: Mapping[Symbol, Sequence[Symbol]]) -> dict[Symbol, int]:
    """Return how many nonterminals stand above one another at most, from a symbol down.

    Symbols that lead to a cycle have no such number, and are left out.
    """
    found: dict[Symbol, int] = {}
    above: dict[Symbol, list[Symbol]] = {}
    missing = {symbol: len({*others}) for symbol, others in below.items()}
    for symbol, others in below.items():
        for each in dict.fromkeys(others):
            above.setdefault(each, []).append(symbol)
    ready = [symbol for symbol, number in missing.items() if not number]
    # It grows while it is read.
    for symbol in ready:
        found[symbol] = 1 + max((found[each] for each in below[symbol]), default=0)
        for each in above.get(symbol, ()):
            missing[each] -= 1
            if not missing[each]:
                ready.append(each)
    return found


def _on_or_above_cycles(left: dict[Symbol, Sequence[Symbol]]) -> dict[Symbol, Sequence[Symbol]]:
    inside = {symbol: [each for each in left[symbol] if each in left] for symbol in left}
    flat = heights(inside)
    return {symbol: inside[symbol] for symbol in left if symbol not in flat}
