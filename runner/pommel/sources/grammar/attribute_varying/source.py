"""An attribute-varying grammar as a source of minimal sets."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pommel.sources.grammar.attribute_varying.expansion import GrammarSets
from pommel.sources.grammar.attribute_varying.reading import read_grammar
from pommel.sources.grammar.recipe import recipe
from pommel.suite.minimal_sets import MinimalSet


class AttributeVaryingSource:
    """The sets of the grammar in a file, and in `common.avg` beside it."""

    def __init__(self, path: Path) -> None:
        """Read the grammar. Raises as `read_grammar` does."""
        grammar, files = read_grammar(path)
        self._sets = GrammarSets(grammar)
        self._recipe = recipe("attribute-varying grammar", files)

    @property
    def n_sets(self) -> int:
        """How many sets there are."""
        return self._sets.n_sets

    @property
    def ungrammatical_counts(self) -> frozenset[int]:
        """How many ungrammatical sentences the sets have."""
        forms = (pair for each in self._sets.templates for pair in each.forms)
        return frozenset(len(others) for _, others in forms)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences."""
        texts = (text for each in self._sets.templates for text in each.texts)
        return tuple(dict.fromkeys(word for text in texts for word in text.split()))

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The kind of grammar, and its files."""
        return self._recipe

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers, or all of them."""
        return iter(self._sets) if indices is None else (self._sets[each] for each in indices)
