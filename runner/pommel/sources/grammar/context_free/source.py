"""A context-free grammar as a source of minimal sets: one after another, at constant memory.

A sentence is made from left to right. What may still follow is a chain of parts; as soon as there
are few ways to go on, all of them are written out, and serve every beginning that leads there. So
most sentences cost one concatenation. Nothing here recurses: derivations may be deep.
"""

import functools
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

from pommel.errors import Fault, UsageError
from pommel.files import DecodedText
from pommel.sources.grammar.context_free.checks import check
from pommel.sources.grammar.context_free.derivations import (
    EMPTY,
    MOST_NODES,
    MOST_SETS,
    Derivations,
    Part,
    String,
    least_depth,
)
from pommel.sources.grammar.context_free.grammar import ContextFreeGrammar, parse_grammar
from pommel.sources.grammar.source import raise_any, recipe
from pommel.sources.grammar.text import distinct_words
from pommel.sources.minimal_sets import MinimalSet

# How many strings are written out at once, and of how many nonterminals they are kept.
_MOST_STRINGS = 2048
_MOST_KEPT = 64

_DEEPEST = 1000


# What a sentence may go on with: parts of alternatives, up to its end.
Chain = tuple[Part, ...]


class Enumeration:
    """Every derivation in its order; each iteration begins anew."""

    def __init__(self, derivations: Derivations, *, most_strings: int = _MOST_STRINGS) -> None:
        """Take derivations of which each has one contrast.

        `most_strings` is how many are written out at once: a matter of memory and speed.
        """
        self._derivations = derivations
        self._most_strings = most_strings
        self._strings = functools.lru_cache(maxsize=_MOST_KEPT)(self._written_out)

    def __iter__(self) -> Iterator[MinimalSet]:
        # The beginnings of sentences, each with what may follow it; the last ones go on.
        stack: list[Iterator[tuple[String, Chain]]] = [iter([(EMPTY, (self._derivations.start,))])]
        while stack:
            for before, chain in stack[-1]:
                if self._n(chain) <= self._most_strings:
                    yield from _sets(before, self._strings(chain))
                else:
                    stack.append(self._continued(before, chain))
                    break
            else:
                stack.pop()

    def _n(self, chain: Chain) -> int:
        return math.prod(map(self._derivations.n, chain))

    def _continued(self, before: String, chain: Chain) -> Iterator[tuple[String, Chain]]:
        """Yield the beginnings that are longer by the first part of a chain, or by a piece."""
        first, *rest = chain
        if isinstance(first, tuple) and self._derivations.n(first) > self._most_strings:
            for parts in self._derivations.alternatives(first):
                yield before, (*parts, *rest)
        else:
            for string in self._strings((first,)):
                yield _joined(before, string), tuple(rest)

    def _written_out(self, chain: Chain) -> list[String]:
        """Return all strings that a chain stands for."""
        strings = [EMPTY]
        for part in reversed(chain):
            firsts = [self._derivations.string(part, n) for n in range(self._derivations.n(part))]
            strings = [_joined(first, string) for first in firsts for string in strings]
        return strings


def minimal_set(string: String) -> MinimalSet:
    """Return the set that a whole sentence with its contrast is."""
    before, forms, after = string
    assert forms is not None, "a sentence has a contrast"  # noqa: S101 - the checks have seen to it
    return MinimalSet(before[1:], *forms, after[1:])


def _joined(first: String, second: String) -> String:
    before, forms, after = first
    if forms is None:
        return before + second[0], second[1], second[2]
    return before, forms, after + second[0]


def _sets(first: String, rests: list[String]) -> Iterator[MinimalSet]:
    """Yield the sentences that begin alike."""
    before, forms, after = first
    if forms is None:
        yield from (minimal_set(_joined(first, each)) for each in rests)
        return
    # What `_joined` does, without asking each time.
    before = before[1:]
    for more, _, _ in rests:
        yield MinimalSet(before, *forms, (after + more)[1:])


class ContextFreeSource:
    """The sets of the grammar in a file, those of derivations within `depth` if it is given."""

    def __init__(self, path: Path, *, depth: int | None = None) -> None:
        """Read the grammar.

        `depth` is that of NLTK's `generate`: how many symbols may stand above one another, the
        terminal included. Raises `UsageError` for a depth beyond 1000, `InputError` if the file
        cannot be read, and `GrammarError` with every fault of the grammar.
        """
        if depth is not None and depth > _DEEPEST:
            raise UsageError(f"a depth of {depth} is too much; {_DEEPEST} is the most")
        read = DecodedText.read_words(path)
        grammar = parse_grammar(read.text, file=str(path))
        raise_any(check(grammar, depth=depth, file=str(path)))
        self._derivations = Derivations(grammar, depth)
        raise_any(_extent(grammar, self._derivations, depth))
        # Derivations, of which some may have the same sentences.
        self.n_sets = self._derivations.n_sets
        limit = {} if depth is None else {"depth": depth}
        self.recipe = {**recipe("context-free grammar", {path.name: read}), **limit}

    @property
    def ungrammatical_counts(self) -> frozenset[int]:
        """How many ungrammatical sentences the sets have."""
        forms = (leaf.string[1] for leaf in self._derivations.leaves())
        return frozenset(len(each[1]) for each in forms if each)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences, in the order of the grammar."""
        return distinct_words(text for each in self._derivations.leaves() for text in each.texts)

    def sets(self, indices: Iterable[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers, or all of them. Raises `IndexError` for a wrong one.

        All of them come in the order of NLTK's `generate`.
        """
        if indices is None:
            yield from Enumeration(self._derivations)
            return
        for index in indices:
            if not 0 <= index < self.n_sets:
                raise IndexError(index)
            yield minimal_set(self._derivations.string(self._derivations.start, index))


def _extent(
    grammar: ContextFreeGrammar, derivations: Derivations, depth: int | None
) -> Iterator[Fault]:
    """Yield what is wrong with how many sentences there are, or how large they are."""
    place = grammar.rules[grammar.start][0].place
    less = "leave alternatives out" if depth is None else "give a lower depth"
    if not derivations.n_sets:
        what = f"there is no sentence within a depth of {depth}"
        yield place.fault(what, f"the least that has one is {least_depth(grammar)}")
    elif derivations.n_sets > MOST_SETS:
        yield place.fault("there are more than 10^100 sentences", less)
    elif derivations.n_nodes > MOST_NODES:
        what = f"a sentence has a derivation of more than {MOST_NODES} symbols"
        yield place.fault(what, less)
