"""A permutation design as a source of items and of minimal sets.

It predicts that grammatical sentences are less surprising on average.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from pommel.errors import counted
from pommel.sources.grammar.permutation.design import (
    PLAUSIBLE,
    Arrangement,
    Design,
    Template,
    arrangements,
    contents,
    neighbours,
    sentence,
)
from pommel.sources.grammar.permutation.reading import read_design
from pommel.sources.grammar.source import (
    GeneratedCondition,
    GeneratedItem,
    ItemGroups,
    recipe,
)
from pommel.sources.grammar.text import distinct_words
from pommel.sources.minimal_sets import MinimalSet


def design_head(design: Design, every: Sequence[Arrangement]) -> Mapping[str, Any]:
    """Return the JSON of a design's suite without its items.

    `meta.design` says of each condition what it is: its kind, the case order and the noun order
    of the sentence, and the assignment, the case of each noun in the order of the nouns.
    `meta.unacceptable` names the violations.
    """
    violations = " ".join(each.name for each in every if not each.is_grammatical)
    cases = design.cases
    conditions = {
        each.name: {
            "kind": each.kind,
            "grammatical": each.is_grammatical,
            "case_order": [cases[case] for case in each.cases],
            "noun_order": [noun + 1 for noun in each.nouns],
            "assignment": [cases[case] for case in each.assignment],
        }
        for each in every
    }
    return {
        "meta": {
            "metric": "sum",
            "unacceptable": violations,
            **design.meta,
            "design": {"cases": list(cases), "conditions": conditions},
        },
        "region_meta": design.region_names,
        "predictions": [
            {"type": "formula", "formula": formula, "description": description}
            for formula, description in _predictions(design, every)
        ],
    }


def _predictions(design: Design, every: Sequence[Arrangement]) -> Iterator[tuple[str, str]]:
    """Yield formulas with their descriptions: a violation each, all of them, plausible only."""
    size = math.factorial(len(design.cases))
    grammatical = [each for each in every if each.is_grammatical]
    plausible = [each for each in grammatical if each.kind == PLAUSIBLE]
    violations = [each for each in every if not each.is_grammatical]
    compared = [
        (
            grammatical,
            [each for each in violations if each.kind == f"double-{case}"],
            f"the {{}} in which two nouns have the case {case}",
        )
        for case in design.doubled
    ]
    every_violation = "all {} violations of case"
    if len(design.doubled) > 1:
        compared.append((grammatical, violations, every_violation))
    compared.append((plausible, violations, every_violation))
    for better, worse, what in compared:
        name = "plausible sentence" if better is plausible else "grammatical sentence"
        description = (
            f"The {counted(len(better), name)} are less surprising, on average, than "
            f"{what.format(len(worse))}."
        )
        yield f"{_mean(better, size)} < {_mean(worse, size)}", description


def _mean(conditions: Sequence[Arrangement], size: int) -> str:
    """Return the mean surprisal of conditions' sentences.

    Brackets keep a sum of thousands from nesting thousands deep; the innermost hold the `size`
    orders of one assignment.
    """
    terms = [f"(*;%{each.name}%)" for each in conditions]
    while len(terms) > size:
        chunks = (terms[start : start + size] for start in range(0, len(terms), size))
        terms = [f"({' + '.join(chunk)})" for chunk in chunks]
    return f"({' + '.join(terms)}) / {len(conditions)}"


class PermutationSource:
    """The design in a file, with the lexicon beside it.

    An item is a template, with a condition for each sentence. A minimal set is a grammatical
    sentence and the violations in which one of its nouns has another case.
    """

    def __init__(self, path: Path) -> None:
        """Read the design. Raises as `read_design` does."""
        self._design, files = read_design(path)
        self.recipe = recipe("permutation design", files)
        self._conditions = arrangements(self._design.cases, self._design.doubled)
        self._sets = neighbours(self._conditions)
        self.n_items = len(self._design.templates)
        # With k cases there are (k!)^2 grammatical sentences a template; each has k - 1 violations
        # for each case that is doubled.
        self.n_sets = self.n_items * len(self._sets)
        self.ungrammatical_counts = frozenset(len(others) for _, others in self._sets)

    # All of a design's items are there.
    groups: ItemGroups | None = None
    once_to: int | None = None
    has_own_joiners = False

    @property
    def head(self) -> Mapping[str, Any]:
        """The suite's JSON without its items."""
        return design_head(self._design, self._conditions)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences, region by region."""
        every = sorted(self._conditions, key=attrgetter("places"))
        return distinct_words(
            text
            for template in self._design.templates
            for region in zip(*(contents(template, each) for each in every), strict=True)
            for text in region
        )

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        """Yield the items with these numbers, or all of them."""
        for index in range(self.n_items) if indices is None else indices:
            template = self._design.templates[index]
            yield GeneratedItem(
                tuple(
                    GeneratedCondition(
                        each.name,
                        contents(template, each),
                        self._gloss(template, each),
                        self._design.joiner,
                    )
                    for each in self._conditions
                )
            )

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers, or all of them."""
        for index in range(self.n_sets) if indices is None else indices:
            template_index, number = divmod(index, len(self._sets))
            template = self._design.templates[template_index]
            grammatical, others = self._sets[number]
            every = (grammatical, *others)
            yield MinimalSet.of(*(sentence(template, each, self._design.joiner) for each in every))

    def _gloss(self, template: Template, arrangement: Arrangement) -> str:
        """Return the arguments as nouns with their cases: `Lehrer-nom Baum-acc Kind-dat`."""
        return " ".join(
            f"{template.nouns[noun]}-{self._design.cases[case]}"
            for noun, case in arrangement.places
        )
