"""A template and its lexicons as a source of whole items."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pommel.errors import Fault, GrammarError
from pommel.files import sha256_of
from pommel.grammar.lexicon_template.binding import Binding
from pommel.grammar.lexicon_template.checks import structure_faults
from pommel.grammar.lexicon_template.domains import (
    Bound,
    Domain,
    dead_end,
    domains_of,
)
from pommel.grammar.lexicon_template.gaps import column_faults, gap_faults
from pommel.grammar.lexicon_template.items import Rendering
from pommel.grammar.lexicon_template.lexicon import Lexicon, read_lexicons
from pommel.grammar.lexicon_template.reading import parse_template
from pommel.grammar.lexicon_template.relations import Feature
from pommel.grammar.lexicon_template.space import EntangledError, Space
from pommel.grammar.lexicon_template.tree import Reference, Template
from pommel.grammar.source import GeneratedItem
from pommel.text_file import read_text

# As many items are looked at for two conditions that are always the same.
_N_COMPARED = 1000


class LexiconTemplateSource:
    """The items of the template in a file."""

    def __init__(self, path: Path) -> None:
        """Read the template and its lexicons, which are found from its folder.

        Raises `InputError` if the template cannot be read, and `GrammarError` with every fault of
        all files.
        """
        self._template = template = parse_template(read_text(path).text, file=str(path))
        self._paths = [path, *(path.parent / each.text for each in template.lexicons)]
        lexicon, faults = read_lexicons(template.lexicons, path.parent)
        _raise(faults)
        bound, features, domains = _bound(template, lexicon)
        self._space = Space([each.cells for each in domains], [each for each, _ in bound])
        self._rendering = Rendering(template, features, [each.cells for each in domains])
        try:
            _raise(self._item_faults(domains, bound, features))
        except EntangledError:
            what = "the constraints tie so many values together that items cannot be counted"
            hint = "compare features that have fewer values: classes, not words"
            raise GrammarError([template.whole.fault(what, hint)]) from None

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return self._space.n

    @property
    def head(self) -> Mapping[str, Any]:
        """The suite's JSON without its items; its metric is the sum unless it says another one."""
        n_regions = len(self._template.conditions[0].regions)
        names = [each.text for each in self._template.regions]
        numbers = [str(number) for number in range(1, n_regions + 1)]
        return {
            "meta": {"metric": "sum", **self._template.meta},
            "region_meta": dict(zip(numbers, names or numbers, strict=True)),
            "predictions": [
                {"type": "formula", "formula": each.formula}
                | ({"description": each.description} if each.description else {})
                for each in self._template.predictions
            ],
        }

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences, and maybe some that no item has.

        Every row that a slot can have by itself counts, whatever is in the other slots.
        """
        return self._rendering.words()

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The kind of grammar, and its files as the template names them."""
        names = [self._paths[0].name, *(each.text for each in self._template.lexicons)]
        hashes = map(sha256_of, self._paths)
        return {"kind": "lexicon and template", "files": dict(zip(names, hashes, strict=True))}

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        """Yield the items with these numbers, or all of them: the last slot changes fastest."""
        fillings = iter(self._space) if indices is None else (self._space[each] for each in indices)
        return map(self._rendering.item, fillings)

    def _item_faults(
        self,
        domains: Sequence[Domain],
        bound: Sequence[Bound],
        features: Mapping[Reference, Feature],
    ) -> list[Fault]:
        if not self._space.n:
            return list(dead_end(self._template, domains, bound))
        relations = [each for each, _ in bound]
        first = _first_references(features)
        faults = list(gap_faults(self._template, domains, relations, first))
        return faults or list(self._same_sentences())

    def _same_sentences(self) -> Iterator[Fault]:
        """Yield the conditions that do not differ, in any item or in many from all over."""
        n = self._space.n
        n_compared = min(n, _N_COMPARED)
        conditions = self._template.conditions
        same = set(itertools.combinations(range(len(conditions)), 2))
        for number in range(n_compared):
            if not same:
                return
            (item,) = self.items([number * n // n_compared])
            sentences = [each.sentence for each in item]
            same = {(one, two) for one, two in same if sentences[one] == sentences[two]}
        for one, two in sorted(same):
            where = "the only item" if n == 1 else f"each of {n_compared} items"
            what = f"condition {conditions[two].name} has the sentence of {conditions[one].name}"
            hint = "make them differ, or remove one"
            yield conditions[two].place.fault(f"{what} in {where}", hint)


def _bound(
    template: Template, lexicon: Lexicon
) -> tuple[list[Bound], dict[Reference, Feature], list[Domain]]:
    """Return what constraints and placeholders mean, and what each slot can be."""
    faults = list(structure_faults(template))
    binding = Binding(template, lexicon, faults)
    bound = binding.relations()
    features: dict[Reference, Feature] = {}
    for line in (*template.conditions, *template.glosses):
        for reference in line.references:
            found = binding.placeholder(reference)
            if found is not None:
                features[reference] = found
    domains, more = domains_of(template, lexicon, bound)
    faults += more
    asked = _first_references(features)
    for relation, constraint in bound:
        written = (constraint.left, *constraint.right)
        for term, operand in zip((relation.left, *relation.right), written, strict=True):
            if isinstance(term, Feature) and isinstance(operand, Reference):
                asked.setdefault(term, operand)
    faults += column_faults(lexicon, domains, asked)
    _raise(faults)
    return bound, features, domains


def _first_references(features: Mapping[Reference, Feature]) -> dict[Feature, Reference]:
    first: dict[Feature, Reference] = {}
    for reference, feature in features.items():
        first.setdefault(feature, reference)
    return first


def _raise(faults: Sequence[Fault]) -> None:
    if faults:
        unique = dict.fromkeys(faults)
        order = {file: number for number, file in enumerate(dict.fromkeys(f.file for f in unique))}
        raise GrammarError(sorted(unique, key=lambda f: (order[f.file], f.line, f.column)))
