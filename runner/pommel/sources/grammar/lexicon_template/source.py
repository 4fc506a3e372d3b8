"""A template and its lexicons as a source of whole items."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pommel.errors import Fault, GrammarError
from pommel.files.text import read_words
from pommel.sources.grammar.lexicon_template.binding import Binding, column_faults
from pommel.sources.grammar.lexicon_template.checks import structure_faults
from pommel.sources.grammar.lexicon_template.domains import Domain, domains_of
from pommel.sources.grammar.lexicon_template.item_checks import dead_end, gap_faults, same_sentences
from pommel.sources.grammar.lexicon_template.items import Rendering
from pommel.sources.grammar.lexicon_template.lexicon import Lexicon, read_lexicons
from pommel.sources.grammar.lexicon_template.reading import parse_template
from pommel.sources.grammar.lexicon_template.relations import Bound, Feature
from pommel.sources.grammar.lexicon_template.space import MOST_STATES, EntangledError, Space
from pommel.sources.grammar.lexicon_template.tree import Reference, Template
from pommel.sources.grammar.recipe import recipe
from pommel.sources.grammar.source import GeneratedItem


class LexiconTemplateSource:
    """The items of the template in a file."""

    def __init__(self, path: Path, *, most_states: int = MOST_STATES) -> None:
        """Read the template and its lexicons, which are found from its folder.

        `most_states` is for `Space`. Raises `InputError` if the template cannot be read, and
        `GrammarError` with every fault of all files.
        """
        read = read_words(path)
        self._template = template = parse_template(read.text, file=str(path))
        lexicon, faults = read_lexicons(template.lexicons, path.parent)
        _raise(faults)
        self._recipe = recipe("lexicon and template", {path.name: read, **lexicon.files})
        bound, features, domains = _bound(template, lexicon)
        self._space = Space(
            [each.cells for each in domains],
            [each for each, _ in bound],
            most_states=most_states,
        )
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
        """The distinct words of all regions, and maybe some that no item has.

        Rows that are in no item do not count, but for what `Space.rows` says. Where placeholders
        touch, any row of one slot is taken beside any of the other.
        """
        return self._rendering.words(self._space.rows())

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The kind of grammar, and its files as the template names them."""
        return self._recipe

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
        return faults or list(
            same_sentences(self._template, self._space.n, lambda each: next(self.items([each])))
        )


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
