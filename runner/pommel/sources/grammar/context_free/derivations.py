"""The derivations of a context-free grammar: how many there are, and any one by its number.

A derivation of a nonterminal within a depth is one of its alternatives, with each symbol of it
derived within the depth less one; a terminal needs a depth of 1, an empty alternative none. The
derivations of an alternative are the product of its symbols', of which the last changes fastest.
That is how NLTK's `generate` does it. One sentence may have several derivations.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pommel.sources.grammar.context_free.grammar import ContextFreeGrammar, Symbol, heights

# Numbers grow no further: a recursive grammar may have exponentially many digits of them.
MOST_SETS = 10**100
MOST_NODES = 10_000

# A form, and what is put in its place.
Forms = tuple[str, tuple[str, ...]]
# Text before a contrast, the contrast, text after it; with None, text without a contrast. Before
# each word of the texts there is a blank.
String = tuple[str, Forms | None, str]
# A nonterminal's number, and the depth within which it is derived.
State = tuple[int, int]

EMPTY: String = ("", None, "")


@dataclass(frozen=True, slots=True)
class Leaf:
    """Terminals that are one string in every derivation, and the depth that they need."""

    string: String
    depth: int


Part = Leaf | State


@dataclass(frozen=True, slots=True)
class _Counted:
    """How many derivations a nonterminal's first 1, 2, ... alternatives have, all together.

    `n_nodes` is how many symbols the largest derivation consists of, this one included.
    """

    ends: list[int]
    n_nodes: int


class Derivations:
    """The derivations of a grammar's start symbol within a depth.

    Both are numbers that may be too large (`MOST_SETS`, `MOST_NODES`); they are exact if not.
    """

    def __init__(self, grammar: ContextFreeGrammar, depth: int | None) -> None:
        """Take a grammar that has passed its checks; without a depth it is not recursive."""
        reached = {*grammar.reached()}
        symbols = [each for each in grammar.rules if each in reached]
        numbers = {symbol: number for number, symbol in enumerate(symbols)}
        compiled = _Compiler(grammar, numbers)
        self._alternatives = [compiled.alternatives(symbol) for symbol in symbols]
        of_symbols = heights({each: grammar.below(each) for each in symbols})
        # Terminals stand below the last nonterminal.
        self._heights = [of_symbols[each] + 1 if each in of_symbols else None for each in symbols]
        start = numbers[grammar.start]
        top = self._heights[start] if depth is None else depth
        assert top is not None, "a recursive grammar has a depth"  # noqa: S101 - the checks have seen to it
        self.start = self._state(start, max(top, 0))
        self._counted: dict[State, _Counted] = {}
        self._count()

    @property
    def n_sets(self) -> int:
        """How many derivations there are."""
        return self.n(self.start)

    @property
    def n_nodes(self) -> int:
        """How many symbols the largest derivation consists of."""
        return self._counted[self.start].n_nodes

    def n(self, part: Part) -> int:
        """Return how many derivations a part of an alternative has."""
        return 1 if isinstance(part, Leaf) else self._counted[part].ends[-1]

    def alternatives(self, state: State) -> Iterator[list[Part]]:
        """Yield the alternatives that a nonterminal has derivations of, in their order."""
        for number in self._derived(state):
            yield self._parts(state, number)

    def string(self, part: Part, index: int) -> String:
        """Return the string of the derivation with that number, from 0."""
        before: list[str] = []
        forms: Forms | None = None
        after: list[str] = []
        stack = [(part, index)]
        while stack:
            part, index = stack.pop()
            if isinstance(part, Leaf):
                text, its_forms, _ = part.string
                (after if forms else before).append(text)
                forms = forms or its_forms
                continue
            ends = self._counted[part].ends
            number = bisect_right(ends, index)
            index -= ends[number - 1] if number else 0
            for each in reversed(self._parts(part, number)):
                index, digit = divmod(index, self.n(each))
                stack.append((each, digit))
        return "".join(before), forms, "".join(after)

    def leaves(self) -> Iterator[Leaf]:
        """Yield the leaves that derivations have, in the order of the grammar."""
        seen = {self.start}
        queue = [self.start]
        used: set[tuple[int, int]] = set()
        # It grows while it is read.
        for state in queue:
            for number in self._derived(state):
                used.add((state[0], number))
                parts = self._parts(state, number)
                new = {each for each in parts if not isinstance(each, Leaf)} - seen
                seen |= new
                queue += new
        for symbol, number in sorted(used):
            parts_of = self._alternatives[symbol][number]
            yield from (each for each in parts_of if isinstance(each, Leaf))

    def _derived(self, state: State) -> Iterator[int]:
        """Yield the numbers of the alternatives that have derivations."""
        before = 0
        for number, end in enumerate(self._counted[state].ends):
            if end > before:
                yield number
            before = end

    def _state(self, number: int, depth: int) -> State:
        height = self._heights[number]
        return number, depth if height is None else min(depth, height)

    def _parts(self, state: State, number: int) -> list[Part]:
        symbol, depth = state
        return [
            each if isinstance(each, Leaf) else self._state(each, depth - 1)
            for each in self._alternatives[symbol][number]
        ]

    def _count(self) -> None:
        """Count the derivations of all that the start symbol leads to, from the bottom up."""
        stack = [self.start]
        while stack:
            state = stack[-1]
            all_parts = [
                self._parts(state, number) if state[1] else []
                for number in range(len(self._alternatives[state[0]]))
            ]
            below = {each for parts in all_parts for each in parts if not isinstance(each, Leaf)}
            missing = [each for each in below if each not in self._counted]
            if missing:
                stack += missing
                continue
            stack.pop()
            self._counted[state] = self._of_alternatives(state[1], all_parts)

    def _of_alternatives(self, depth: int, all_parts: Sequence[Sequence[Part]]) -> _Counted:
        counts = [self._n_of(depth, parts) for parts in all_parts]
        sizes = [
            sum(1 if isinstance(each, Leaf) else self._counted[each].n_nodes for each in parts)
            for parts, count in zip(all_parts, counts, strict=True)
            if count
        ]
        ends = [min(each, MOST_SETS + 1) for each in accumulate(counts)]
        return _Counted(ends, min(1 + max(sizes, default=0), MOST_NODES + 1))

    def _n_of(self, depth: int, parts: Sequence[Part]) -> int:
        leaves = (each for each in parts if isinstance(each, Leaf))
        if not depth or any(each.depth >= depth for each in leaves):
            return 0
        return math.prod(map(self.n, parts))


class _Compiler:
    """Makes leaves of terminals, and of all that is contrasted."""

    def __init__(self, grammar: ContextFreeGrammar, numbers: Mapping[Symbol, int]) -> None:
        self._grammar = grammar
        self._numbers = numbers
        self._replacements = grammar.replacements()

    def alternatives(self, symbol: Symbol) -> list[list[Leaf | int]]:
        """Return a nonterminal's alternatives: leaves, and numbers of nonterminals."""
        own = self._grammar.rules[symbol]
        if symbol not in self._replacements:
            return [[self._compiled(each) for each in one.symbols] for one in own]
        others = [self._grammar.rules[each] for each in self._replacements[symbol]]
        return [
            [_contrast(form.text, [each.text for each in forms], depth=int(bool(form.symbols)))]
            for form, *forms in zip(own, *others, strict=True)
        ]

    def _compiled(self, symbol: Symbol) -> Leaf | int:
        if not symbol.is_terminal:
            return self._numbers[symbol]
        if symbol in self._replacements:
            others = [each.text for each in self._replacements[symbol]]
            return _contrast(symbol.text, others, depth=1)
        return Leaf((f" {symbol.text}" if symbol.text else "", None, ""), 1)


def _contrast(form: str, others: Sequence[str], depth: int) -> Leaf:
    """Return a leaf that is a contrast.

    A replacement that is spelt as the form, or as another one, is left out.
    """
    unlike = tuple(each for each in dict.fromkeys(others) if each != form)
    return Leaf(("", (form, unlike), ""), depth)


def least_depth(grammar: ContextFreeGrammar) -> int:
    """Return the depth of the grammar's shallowest derivation."""
    # What is at the bottom comes first: it is what the others wait for.
    reached = grammar.reached()[::-1]
    found: dict[Symbol, float] = dict.fromkeys(reached, math.inf)
    news = True
    while news:
        news = False
        for symbol in reached:
            for one in grammar.rules[symbol]:
                below = (1 if each.is_terminal else found[each] for each in one.symbols)
                depth = 1 + max(below, default=0)
                if depth < found[symbol]:
                    found[symbol] = depth
                    news = True
    return int(found[grammar.start])
