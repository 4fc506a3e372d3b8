"""How many contrasts a symbol's strings may have, found without making them.

Counts are 0, 1 and 2, which is two or more. For each there is a smallest derivation, as an example.
"""

import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pommel.sources.grammar.context_free.tree import Alternative, ContextFreeGrammar, Symbol

MANY = 2
_SHOWN = 24

# A symbol of which a string with so many contrasts is wanted.
Wanted = tuple[Symbol, int]


@dataclass(frozen=True, slots=True)
class _Smallest:
    """The smallest derivation that has some count of contrasts: its size, and how it goes on."""

    size: int
    parts: tuple[Wanted, ...]


class SiteCounts:
    """The possible counts of all symbols that a grammar's start symbol leads to.

    The least fixpoint: a nonterminal has the counts of its alternatives, an alternative the sums
    of its symbols' counts. A symbol that no string comes of has none.
    """

    def __init__(self, grammar: ContextFreeGrammar) -> None:
        """Take a grammar in which every symbol has rules."""
        self._grammar = grammar
        self._contrasted = {each.symbol for each in grammar.contrasts}
        self._found: dict[Symbol, dict[int, _Smallest]] = {}
        reached = grammar.reached()
        above: dict[Symbol, dict[Symbol, None]] = {each: {} for each in reached}
        for symbol in reached:
            for each in grammar.below(symbol):
                above[each][symbol] = None
        # What is at the bottom comes first: it is what the others wait for.
        queue = deque(reversed(reached))
        queued = set(queue)
        while queue:
            symbol = queue.popleft()
            queued.remove(symbol)
            if self._improve(symbol):
                new = [each for each in above[symbol] if each not in queued]
                queue += new
                queued.update(new)

    def of(self, symbol: Symbol) -> frozenset[int]:
        """Return the counts that a symbol's strings may have."""
        return frozenset(self._of(symbol))

    def of_alternative(self, left: Symbol, alternative: Alternative) -> frozenset[int]:
        """Return the counts that the strings of one of a nonterminal's alternatives may have."""
        return frozenset(self._sums(left, alternative))

    def parts(self, left: Symbol, alternative: Alternative, count: int) -> tuple[Wanted, ...]:
        """Return what each symbol of an alternative is to have, so that all have that count."""
        return self._sums(left, alternative)[count].parts

    def example(self, parts: Iterable[Wanted]) -> str:
        """Return a string of symbols in a row, contrasts in brackets; its beginning if it is long.

        Each symbol has to have the count that is wanted of it.
        """
        words = list(itertools.islice(self._words(parts), _SHOWN + 1))
        return " ".join([*words[:_SHOWN], "..."] if len(words) > _SHOWN else words)

    def _words(self, parts: Iterable[Wanted]) -> Iterator[str]:
        stack = [*parts][::-1]
        while stack:
            symbol, count = stack.pop()
            if symbol.is_terminal and symbol.text:
                yield f"[{symbol.text}]" if symbol in self._contrasted else symbol.text
            elif not symbol.is_terminal:
                parts = self._found[symbol][count].parts
                if symbol in self._contrasted:
                    yield f"[{' '.join(each.text for each, _ in parts if each.text)}]"
                else:
                    stack += parts[::-1]

    def _of(self, symbol: Symbol) -> dict[int, _Smallest]:
        if symbol.is_terminal:
            return {int(symbol in self._contrasted): _Smallest(1, ())}
        return self._found.get(symbol, {})

    def _sums(self, left: Symbol, alternative: Alternative) -> dict[int, _Smallest]:
        # A contrasted nonterminal is a contrast itself.
        sums = {int(left in self._contrasted): _Smallest(1, ())}
        for symbol in alternative.symbols:
            longer: dict[int, _Smallest] = {}
            for (before, smallest), (own, other) in itertools.product(
                sums.items(), self._of(symbol).items()
            ):
                size, count = smallest.size + other.size, min(before + own, MANY)
                if count not in longer or size < longer[count].size:
                    longer[count] = _Smallest(size, (*smallest.parts, (symbol, own)))
            sums = longer
        return sums

    def _improve(self, symbol: Symbol) -> bool:
        """Take in what a nonterminal's alternatives have by now; say whether there is news."""
        found = self._found.setdefault(symbol, {})
        news = False
        for alternative in self._grammar.rules[symbol]:
            for count, smallest in self._sums(symbol, alternative).items():
                # Only what is smaller counts, so that no derivation leads back to itself.
                if count not in found or smallest.size < found[count].size:
                    found[count] = smallest
                    news = True
        return news
