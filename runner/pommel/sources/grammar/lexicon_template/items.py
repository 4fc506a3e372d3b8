"""Sentences and glosses of filled templates, and the words that they can have."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pommel.sources.grammar.lexicon_file import Cells
from pommel.sources.grammar.lexicon_template.relations import Feature, Filled
from pommel.sources.grammar.lexicon_template.states import atoms
from pommel.sources.grammar.lexicon_template.tree import ZERO_FORM, Line, Parts, Reference, Template
from pommel.sources.grammar.source import GeneratedCondition, GeneratedItem

_BRACES = str.maketrans({"{": "{{", "}": "}}"})


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A text with numbered fields; `is_uneven` if one of them may be empty."""

    text: str
    is_uneven: bool

    def filled(self, values: Sequence[str]) -> str:
        """Put the values in."""
        found = self.text.format(*values)
        return " ".join(found.split()) if self.is_uneven else found


class Rendering:
    """The conditions of a template, for any filling of its slots."""

    def __init__(
        self,
        template: Template,
        features: Mapping[Reference, Feature],
        domains: Sequence[Sequence[Cells]],
    ) -> None:
        """Take what each placeholder stands for, and what each slot can be."""
        self._features = features
        self._domains = domains
        self._template = template
        self._joiner = str(template.meta.get("joiner", " "))
        self._distinct = list(dict.fromkeys(features.values()))
        self._number = {feature: number for number, feature in enumerate(self._distinct)}
        self._uneven = {each for each in self._distinct if self._may_be_empty(each)}
        glosses = {each.name: self._gloss(each) for each in template.glosses}
        self._conditions = [
            (line.name, tuple(map(self._pattern, line.regions)), glosses.get(line.name))
            for line in template.conditions
        ]

    def item(self, filled: Filled) -> GeneratedItem:
        """Return the item of a filling."""
        values = [_text(each.value(filled)) for each in self._distinct]
        return tuple(
            GeneratedCondition(
                name,
                tuple([each.filled(values) for each in patterns]),
                gloss.filled(values) if gloss else "",
                self._joiner,
            )
            for name, patterns, gloss in self._conditions
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

    def _gloss(self, line: Line) -> _Pattern:
        patterns = [self._pattern(parts) for parts in line.regions]
        text = " ".join(each.text for each in patterns if each.text)
        return _Pattern(text, any(each.is_uneven for each in patterns))

    def _pattern(self, parts: Parts) -> _Pattern:
        fields = [
            part.translate(_BRACES)
            if isinstance(part, str)
            else f"{{{self._number[self._features[part]]}}}"
            for part in parts
        ]
        references = (each for each in parts if isinstance(each, Reference))
        is_uneven = any(self._features[each] in self._uneven for each in references)
        return _Pattern("".join(fields), is_uneven)

    def _may_be_empty(self, feature: Feature) -> bool:
        return any(
            not _text(row.get(column, ZERO_FORM if column == "" else "x"))
            for variable, column in atoms(feature, self._domains)
            for row in self._domains[variable]
        )


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
