"""A permutation design as a source of items and of minimal sets."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pommel.sources.grammar.permutation.expansion import (
    Arrangement,
    arrangements,
    contents,
    neighbours,
    sentence,
)
from pommel.sources.grammar.permutation.predictions import design_head
from pommel.sources.grammar.permutation.reading import read_design
from pommel.sources.grammar.permutation.tree import Template
from pommel.sources.grammar.recipe import recipe
from pommel.sources.grammar.source import GeneratedCondition, GeneratedItem
from pommel.suite.minimal_sets import MinimalSet

_PLACE = re.compile(r"\{(\d+)\}")


class PermutationSource:
    """The design in a file, with the lexicon beside it.

    An item is a template, with a condition for each sentence. A minimal set is a grammatical
    sentence and the violations in which one of its nouns has another case.
    """

    def __init__(self, path: Path) -> None:
        """Read the design. Raises as `read_design` does."""
        self._design, files = read_design(path)
        self._recipe = recipe("permutation design", files)
        self._conditions = arrangements(self._design.cases, self._design.doubled)
        self._sets = neighbours(self._conditions)

    @property
    def n_items(self) -> int:
        """How many templates there are."""
        return len(self._design.templates)

    @property
    def n_sets(self) -> int:
        """How many grammatical sentences there are: (k!)^2 a template, with k cases."""
        return self.n_items * len(self._sets)

    @property
    def ungrammatical_counts(self) -> frozenset[int]:
        """How many violations a set has: k - 1 for each case that is doubled."""
        return frozenset(len(others) for _, others in self._sets)

    @property
    def head(self) -> Mapping[str, Any]:
        """The suite's JSON without its items."""
        return design_head(self._design, self._conditions)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all regions."""
        found: dict[str, None] = {}
        for template in self._design.templates:
            for region in template.regions:
                for arguments in self._arguments(region):
                    forms = [template.forms[n][case] if own else "" for own, n, case in arguments]
                    found.update(dict.fromkeys(region.format(*forms).split()))
        return tuple(found)

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The kind of grammar, and its files."""
        return self._recipe

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        """Yield the items with these numbers, or all of them."""
        for index in range(self.n_items) if indices is None else indices:
            template = self._design.templates[index]
            yield tuple(
                GeneratedCondition(
                    each.name,
                    contents(template, each),
                    self._gloss(template, each),
                    self._design.joiner,
                )
                for each in self._conditions
            )

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers, or all of them."""
        for index in range(self.n_sets) if indices is None else indices:
            template_index, number = divmod(index, len(self._sets))
            template = self._design.templates[template_index]
            grammatical, others = self._sets[number]
            every = (grammatical, *others)
            yield MinimalSet.of(*(sentence(template, each, self._design.joiner) for each in every))

    def _arguments(self, region: str) -> list[tuple[tuple[bool, int, int], ...]]:
        """Return what may stand in the places of a region.

        Of each place: whether the region has it, and if so, a noun and its case.
        """
        there = {int(each) for each in _PLACE.findall(region)}
        return sorted(
            {
                tuple(
                    (True, noun, case) if place in there else (False, 0, 0)
                    for place, (noun, case) in enumerate(zip(each.nouns, each.cases, strict=True))
                )
                for each in self._conditions
            }
        )

    def _gloss(self, template: Template, arrangement: Arrangement) -> str:
        """Return the arguments as nouns with their cases: `Lehrer-nom Baum-acc Kind-dat`."""
        places = zip(arrangement.nouns, arrangement.cases, strict=True)
        return " ".join(
            f"{template.nouns[noun]}-{self._design.cases[case]}" for noun, case in places
        )
