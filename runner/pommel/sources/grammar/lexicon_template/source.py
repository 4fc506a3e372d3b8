"""A template and its lexicons as a source of whole items: their sentences, glosses and words."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pommel.errors import Fault
from pommel.files import DecodedText
from pommel.sources.grammar.lexicon_file import Cells
from pommel.sources.grammar.lexicon_template.binding import (
    Binding,
    Bound,
    Domain,
    Feature,
    Filled,
    Lexicon,
    column_faults,
    domains_of,
    read_lexicons,
)
from pommel.sources.grammar.lexicon_template.checks import (
    dead_end,
    gap_faults,
    same_sentences,
    structure_faults,
)
from pommel.sources.grammar.lexicon_template.space import MOST_STATES, EntangledError, Space, atoms
from pommel.sources.grammar.lexicon_template.template import (
    ZERO_FORM,
    Line,
    Parts,
    Reference,
    Template,
    parse_template,
)
from pommel.sources.grammar.source import GeneratedCondition, GeneratedItem, GrammarError, recipe

# What a region is made of: text, the number of a feature, or several of these.
_Region = str | int | list[str | int]


class Rendering:
    """The conditions of a template, for any filling of its slots."""

    def __init__(self, template: Template, features: Mapping[Reference, Feature]) -> None:
        """Take what each placeholder stands for."""
        self._features = features
        self._template = template
        self._joiner = str(template.meta.get("joiner", " "))
        self._distinct = list(dict.fromkeys(features.values()))
        glosses = {each.name: self._numbered(each) for each in template.glosses}
        self._conditions = [
            (line.name, self._numbered(line), glosses.get(line.name, []))
            for line in template.conditions
        ]

    def item(self, filled: Filled) -> GeneratedItem:
        """Return the item of a filling."""
        values = [_text(each.value(filled)) for each in self._distinct]
        return tuple(
            GeneratedCondition(
                name,
                tuple([_filled(parts, values) for parts in regions]),
                " ".join(filter(None, [_filled(parts, values) for parts in gloss]))
                if gloss
                else "",
                self._joiner,
            )
            for name, regions, gloss in self._conditions
        )

    def words(self, rows: Sequence[Sequence[Cells]]) -> tuple[str, ...]:
        """Return the words of all regions, in the order of the template and of its lexicons.

        `rows` are those of each slot that count, in any combination.
        """
        chunks = (
            chunk
            for line in self._template.conditions
            for parts in line.regions
            for chunk in _chunks(parts)
        )
        found: dict[str, None] = {}
        for chunk in dict.fromkeys(chunks):
            for text in _texts(chunk, self._features, rows):
                found.update(dict.fromkeys(text.split()))
        return tuple(found)

    def _numbered(self, line: Line) -> list[_Region]:
        """Return what regions are made of, with numbers of features for placeholders."""
        number = {feature: number for number, feature in enumerate(self._distinct)}
        found: list[_Region] = []
        for parts in line.regions:
            own = [p if isinstance(p, str) else number[self._features[p]] for p in parts]
            found.append(own[0] if len(own) == 1 else own)
        return found


def _filled(region: _Region, values: Sequence[str]) -> str:
    if isinstance(region, str):
        return region
    if isinstance(region, int):
        return values[region]
    text = "".join([each if isinstance(each, str) else values[each] for each in region])
    # What is empty leaves no blank behind.
    return " ".join(text.split())


def _texts(
    chunk: Parts, features: Mapping[Reference, Feature], rows: Sequence[Sequence[Cells]]
) -> Iterator[str]:
    """Yield what can stand in place of a chunk, with any row for each slot in it."""
    own = [features[each] for each in chunk if isinstance(each, Reference)]
    asked = dict.fromkeys(atom for each in own for atom in atoms(each, rows))
    variables = list(dict.fromkeys(variable for variable, _ in asked))
    options = [
        _projected(rows[variable], [column for var, column in asked if var == variable])
        for variable in variables
    ]
    for cells in itertools.product(*options):
        filled = dict(zip(variables, cells, strict=True))
        values = [each.value(filled) for each in own]
        if None not in values:
            texts = iter(map(_text, values))
            yield "".join(each if isinstance(each, str) else next(texts) for each in chunk)


def _projected(rows: Sequence[Cells], columns: Sequence[str]) -> list[Cells]:
    """Return the different rows, of some columns."""
    found: dict[tuple[tuple[str, str], ...], None] = {}
    for row in rows:
        found[tuple((each, row[each]) for each in columns if each in row)] = None
    return [dict(each) for each in found]


def _text(value: str | None) -> str:
    return "" if value is None or value == ZERO_FORM else value


def _chunks(parts: Parts) -> Iterator[Parts]:
    """Yield the parts between blanks: text and placeholders that are written together."""
    chunk: list[str | Reference] = []
    for part in parts:
        if isinstance(part, Reference):
            chunk.append(part)
            continue
        first, *others = part.split(" ")
        chunk.append(first)
        for each in others:
            yield tuple(chunk)
            chunk = [each]
    yield tuple(chunk)


class LexiconTemplateSource:
    """The items of the template in a file."""

    def __init__(self, path: Path, *, most_states: int = MOST_STATES) -> None:
        """Read the template and its lexicons, which are found from its folder.

        `most_states` is for `Space`. Raises `InputError` if the template cannot be read, and
        `GrammarError` with every fault of all files.
        """
        read = DecodedText.read_words(path)
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
        self._rendering = Rendering(template, features)
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
    return {feature: reference for reference, feature in [*features.items()][::-1]}


def _raise(faults: Sequence[Fault]) -> None:
    if faults:
        unique = dict.fromkeys(faults)
        order = {file: number for number, file in enumerate(dict.fromkeys(f.file for f in unique))}
        raise GrammarError(sorted(unique, key=lambda f: (order[f.file], f.line, f.column)))
