"""A context-free grammar as a source of minimal sets."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pommel.errors import Fault, GrammarError, UsageError
from pommel.files.text import read_words
from pommel.sources.grammar.context_free.checks import check
from pommel.sources.grammar.context_free.derivations import (
    MOST_NODES,
    MOST_SETS,
    Derivations,
    least_depth,
)
from pommel.sources.grammar.context_free.enumeration import Enumeration, minimal_set
from pommel.sources.grammar.context_free.reading import parse_grammar
from pommel.sources.grammar.context_free.tree import ContextFreeGrammar
from pommel.sources.grammar.recipe import recipe
from pommel.suite.minimal_sets import MinimalSet

_DEEPEST = 1000


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
        read = read_words(path)
        grammar = parse_grammar(read.text, file=str(path))
        faults = check(grammar, depth=depth, file=str(path))
        if faults:
            raise GrammarError(faults)
        self._derivations = Derivations(grammar, depth)
        extent = _extent(grammar, self._derivations, depth)
        if extent:
            raise GrammarError([extent])
        limit = {} if depth is None else {"depth": depth}
        self._recipe = {**recipe("context-free grammar", {path.name: read}), **limit}

    @property
    def n_sets(self) -> int:
        """How many sets there are: derivations, of which some may have the same sentences."""
        return self._derivations.n_sets

    @property
    def ungrammatical_counts(self) -> frozenset[int]:
        """How many ungrammatical sentences the sets have."""
        forms = (leaf.string[1] for leaf in self._derivations.leaves())
        return frozenset(len(each[1]) for each in forms if each)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences, in the order of the grammar."""
        found: dict[str, None] = {}
        for leaf in self._derivations.leaves():
            text, forms, _ = leaf.string
            form, others = forms or ("", ())
            found.update(dict.fromkeys(" ".join([text, form, *others]).split()))
        return tuple(found)

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The kind of grammar, its file, and the depth if there is one."""
        return self._recipe

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers, or all of them. Raises `IndexError` for a wrong one.

        All of them come in the order of NLTK's `generate`.
        """
        return iter(Enumeration(self._derivations)) if indices is None else map(self._set, indices)

    def _set(self, index: int) -> MinimalSet:
        if not 0 <= index < self.n_sets:
            raise IndexError(index)
        return minimal_set(self._derivations.string(self._derivations.start, index))


def _extent(
    grammar: ContextFreeGrammar, derivations: Derivations, depth: int | None
) -> Fault | None:
    """Return what is wrong with how many sentences there are, or how large they are."""
    place = grammar.rules[grammar.start][0].place
    less = "leave alternatives out" if depth is None else "give a lower depth"
    if not derivations.n_sets:
        what = f"there is no sentence within a depth of {depth}"
        return place.fault(what, f"the least that has one is {least_depth(grammar)}")
    if derivations.n_sets > MOST_SETS:
        return place.fault("there are more than 10^100 sentences", less)
    if derivations.n_nodes > MOST_NODES:
        what = f"a sentence has a derivation of more than {MOST_NODES} symbols"
        return place.fault(what, less)
    return None
