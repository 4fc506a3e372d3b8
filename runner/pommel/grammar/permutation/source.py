"""A permutation design as a source of items and of minimal sets."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pommel.grammar.permutation.expansion import (
    Arrangement,
    arrangements,
    contents,
    neighbours,
    sentence,
)
from pommel.grammar.permutation.predictions import design_head
from pommel.grammar.permutation.reading import read_design
from pommel.grammar.permutation.tree import Template
from pommel.grammar.source import GeneratedCondition, GeneratedItem
from pommel.minimal_sets import MinimalSet


class PermutationSource:
    """The design in a file, with the lexicon beside it.

    An item is a template, with a condition for each sentence. A minimal set is a grammatical
    sentence and the violations in which one of its nouns has another case.
    """

    def __init__(self, path: Path) -> None:
        """Read the design. Raises as `read_design` does."""
        self._design, self._paths = read_design(path)
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
    def n_others(self) -> frozenset[int]:
        """How many violations a set has: k - 1 for each case that is doubled."""
        return frozenset(len(others) for _, others in self._sets)

    @property
    def head(self) -> Mapping[str, Any]:
        """The suite's JSON without its items."""
        return design_head(self._design, self._conditions)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences."""
        texts = (
            text
            for template in self._design.templates
            for text in _all_texts(template, len(self._design.cases))
        )
        return tuple(dict.fromkeys(word for text in texts for word in text.split()))

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The kind of grammar, and its files."""
        sha256 = {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in self._paths}
        return {"kind": "permutation design", "files": sha256}

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        """Yield the items with these numbers, or all of them."""
        for index in range(self.n_items) if indices is None else indices:
            template = self._design.templates[index]
            yield tuple(
                GeneratedCondition(each.name, contents(template, each), self._gloss(template, each))
                for each in self._conditions
            )

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers, or all of them."""
        for index in range(self.n_sets) if indices is None else indices:
            template_index, number = divmod(index, len(self._sets))
            template = self._design.templates[template_index]
            grammatical, others = self._sets[number]
            violations = (sentence(template, each) for each in others)
            yield MinimalSet.of(sentence(template, grammatical), *violations)

    def _gloss(self, template: Template, arrangement: Arrangement) -> str:
        """Return the arguments as nouns with their cases: `Lehrer-nom Baum-acc Kind-dat`."""
        places = zip(arrangement.nouns, arrangement.cases, strict=True)
        return " ".join(
            f"{template.nouns[noun]}-{self._design.cases[case]}" for noun, case in places
        )


def _all_texts(template: Template, n_cases: int) -> Iterator[str]:
    """Yield regions with each form of each noun in each place."""
    forms = [form for of_noun in template.forms for form in of_noun]
    for region in template.regions:
        yield from (region.format(*[form] * n_cases) for form in forms)
