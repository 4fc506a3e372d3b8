"""The derivations of a context-free grammar: how many there are, and any one by its number.

A derivation of a nonterminal within a depth is one of its alternatives, with each symbol of it
derived within the depth less one; a terminal needs a depth of 1, an empty alternative none. The
derivations of an alternative are the product of its symbols', of which the last changes fastest.
That is how NLTK's `generate` does it. One sentence may have several derivations.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from pommel.sources.grammar.context_free.grammar import ContextFreeGrammar, Symbol, heights, settle
from pommel.values import positional

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


@positional
class Leaf:
    """Terminals that are one string in every derivation, and the depth that they need."""

    string: String
    depth: int

    @property
    def texts(self) -> tuple[str, ...]:
        """What it may be spelt like, and what stands in its place."""
        text, forms, _ = self.string
        form, others = forms or ("", ())
        return text, form, *others


Part = Leaf | State


@positional
class _Counted:
    """The alternatives of a nonterminal that have derivations, within its depth.

    `ends` are how many its first 0, 1, ... alternatives have together, `n_nodes` how many symbols
    the largest derivation consists of, this one included.
    """

    alternatives: list[list[Part]]
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
        self._alternatives = _compiled(grammar, numbers)
        of_symbols = heights({each: grammar.below(each) for each in symbols})
        # Terminals stand below the last nonterminal.
        self._heights = [of_symbols[each] + 1 if each in of_symbols else None for each in symbols]
        start = numbers[grammar.start]
        top = self._heights[start] if depth is None else depth
        assert top is not None, "a recursive grammar has a depth"  # noqa: S101 - the checks have seen to it
        self.start = self._state(start, max(top, 0))
        self._counted: dict[State, _Counted] = {}
        self._count()
        self.n_sets = self.n(self.start)
        self.n_nodes = self._n_nodes(self.start)

    def n(self, part: Part) -> int:
        """Return how many derivations a part of an alternative has."""
        return 1 if isinstance(part, Leaf) else self._counted[part].ends[-1]

    def alternatives(self, state: State) -> list[list[Part]]:
        """Return the alternatives that a nonterminal has derivations of, in their order."""
        return self._counted[state].alternatives

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
            counted = self._counted[part]
            number = bisect_right(counted.ends, index) - 1
            index -= counted.ends[number]
            for each in reversed(counted.alternatives[number]):
                index, digit = divmod(index, self.n(each))
                stack.append((each, digit))
        return "".join(before), forms, "".join(after)

    def leaves(self) -> Iterator[Leaf]:
        """Yield the leaves that derivations have, in the order of the grammar."""
        states = [self.start]
        seen = {self.start}
        # It grows while it is read.
        for state in states:
            new = _states(self.alternatives(state)) - seen
            seen |= new
            states += new
        # Within the greatest depth a symbol has the alternatives of all lower ones.
        for state in dict(sorted(states)).items():
            for parts in self.alternatives(state):
                yield from (each for each in parts if isinstance(each, Leaf))

    def _n_nodes(self, part: Part) -> int:
        return 1 if isinstance(part, Leaf) else self._counted[part].n_nodes

    def _state(self, number: int, depth: int) -> State:
        height = self._heights[number]
        return number, depth if height is None else min(depth, height)

    def _count(self) -> None:
        """Count the derivations of all that the start symbol leads to, from the bottom up."""
        stack = [self.start]
        while stack:
            state = number, depth = stack[-1]
            possible = [
                [each if isinstance(each, Leaf) else self._state(each, depth - 1) for each in parts]
                for parts in self._alternatives[number]
                if depth and all(e.depth < depth for e in parts if isinstance(e, Leaf))
            ]
            missing = _states(possible) - self._counted.keys()
            if missing:
                stack += missing
                continue
            stack.pop()
            counts = [math.prod(map(self.n, parts)) for parts in possible]
            derived = [parts for parts, n in zip(possible, counts, strict=True) if n]
            ends = accumulate(filter(None, counts), initial=0)
            largest = max((sum(map(self._n_nodes, parts)) for parts in derived), default=0)
            self._counted[state] = _Counted(
                derived,
                [min(each, MOST_SETS + 1) for each in ends],
                min(1 + largest, MOST_NODES + 1),
            )


def _states(alternatives: Sequence[Sequence[Part]]) -> set[State]:
    return {each for parts in alternatives for each in parts if not isinstance(each, Leaf)}


def _compiled(
    grammar: ContextFreeGrammar, numbers: Mapping[Symbol, int]
) -> list[list[list[Leaf | int]]]:
    """Return the alternatives of each nonterminal: leaves, and numbers of nonterminals."""
    replacements = grammar.replacements()

    def part(symbol: Symbol) -> Leaf | int:
        if not symbol.is_terminal:
            return numbers[symbol]
        if symbol in replacements:
            return _contrast(1, symbol.text, *(each.text for each in replacements[symbol]))
        return Leaf((f" {symbol.text}" if symbol.text else "", None, ""), 1)

    found: list[list[list[Leaf | int]]] = []
    for symbol in numbers:
        lists = [grammar.rules[each] for each in (symbol, *replacements.get(symbol, ()))]
        if symbol in replacements:
            found.append(
                [
                    [_contrast(int(bool(forms[0].symbols)), *(each.text for each in forms))]
                    for forms in zip(*lists, strict=True)
                ]
            )
        else:
            found.append([[part(each) for each in one.symbols] for one in lists[0]])
    return found


def _contrast(depth: int, form: str, *others: str) -> Leaf:
    """Return a leaf that is a contrast.

    A replacement that is spelt as the form, or as another one, is left out.
    """
    unlike = tuple(each for each in dict.fromkeys(others) if each != form)
    return Leaf(("", (form, unlike), ""), depth)


def least_depth(grammar: ContextFreeGrammar) -> int:
    """Return the depth of the grammar's shallowest derivation."""
    found: dict[Symbol, float] = dict.fromkeys(grammar.reached(), math.inf)

    def improve(symbol: Symbol) -> bool:
        depths = [
            1 + max((1 if each.is_terminal else found[each] for each in one.symbols), default=0)
            for one in grammar.rules[symbol]
        ]
        before, found[symbol] = found[symbol], min(depths)
        return found[symbol] < before

    settle(found, improve)
    return int(found[grammar.start])
