"""A template and its lexicons as a source of whole items: their sentences, glosses and words."""

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from pommel.errors import Fault
from pommel.sources.grammar.lexicon_template.balance import Groups
from pommel.sources.grammar.lexicon_template.checks import (
    column_faults,
    dead_end,
    domains_of,
    gap_faults,
    same_sentences,
    structure_faults,
)
from pommel.sources.grammar.lexicon_template.features import Domains, Filled
from pommel.sources.grammar.lexicon_template.reading import Line, Template, read_template
from pommel.sources.grammar.lexicon_template.space import EntangledError, Space
from pommel.sources.grammar.source import (
    GeneratedCondition,
    GeneratedItem,
    GrammarError,
    raise_any,
    recipe,
)
from pommel.sources.grammar.text import distinct_words

# A cell that is a form without any sound, such as the Russian copula in the present tense.
ZERO_FORM = "∅"


class Rendering:
    """The conditions of a template, for any filling of its slots."""

    def __init__(self, template: Template) -> None:
        """Take a template whose names are right."""
        self._joiner = str(template.meta.get("joiner", " "))
        self._placeholders = template.placeholders
        self._lexemes = {str(each.reference): each for each in template.lexemes}
        glosses = {each.name.text: self._patterns(each) for each in template.glosses}
        self._conditions = [
            (each.name.text, self._patterns(each), each.joiners, glosses.get(each.name.text, []))
            for each in template.conditions
        ]

    def item(self, filled: Filled) -> GeneratedItem:
        """Return the item of a filling."""
        values = [_text(each.value(filled)) for each in self._placeholders]
        conditions = tuple(
            GeneratedCondition(
                name,
                # What is empty leaves no blank behind.
                tuple([" ".join(each.format(*values).split()) for each in regions]),
                " ".join(" ".join(gloss).format(*values).split()),
                self._joiner,
                tuple([each.before(filled) if each else None for each in joiners]),
            )
            for name, regions, joiners, gloss in self._conditions
        )
        lexemes = {name: each.value(filled) or "" for name, each in self._lexemes.items()}
        return GeneratedItem(conditions, lexemes)

    def words(self, rows: Domains) -> tuple[str, ...]:
        """Return the words of all regions, in the order of the template and of its lexicons.

        `rows` are those of each slot that count, in any combination.
        """
        regions = (region for _, regions, *_ in self._conditions for region in regions)
        # What stands between blanks is made of text and of placeholders that are written together.
        chunks = dict.fromkeys(chunk for region in regions for chunk in region.split(" "))
        return distinct_words(text for chunk in chunks for text in self._texts(chunk, rows))

    def _texts(self, chunk: str, rows: Domains) -> Iterator[str]:
        """Yield what can stand in place of a chunk, with any row for each slot in it."""
        fields = [int(field) for _, field, *_ in Formatter().parse(chunk) if field]
        columns: defaultdict[int, list[str]] = defaultdict(list)
        for variable, column in (a for n in fields for a in self._placeholders[n].atoms(rows)):
            columns[variable].append(column)
        # Of rows that are the same in these columns one is enough.
        options = [
            {tuple(map(row.get, own)): row for row in rows[variable]}.values()
            for variable, own in columns.items()
        ]
        for cells in itertools.product(*options):
            filled = dict(zip(columns, cells, strict=True))
            values = {n: _text(self._placeholders[n].value(filled)) for n in fields}
            if None not in values.values():
                yield chunk.format(*map(values.get, range(len(self._placeholders))))

    def _patterns(self, line: Line) -> list[str]:
        """Return regions as format strings, with numbers of placeholders."""
        braces = str.maketrans({"{": "{{", "}": "}}"})
        return [
            "".join(
                each.translate(braces)
                if isinstance(each, str)
                else f"{{{self._placeholders.index(each)}}}"
                for each in parts
            )
            for parts in line.regions
        ]


def _text(value: str | None) -> str | None:
    return "" if value == ZERO_FORM else value


class LexiconTemplateSource:
    """The items of the template in a file."""

    def __init__(self, path: Path) -> None:
        """Read the template and its lexicons, which are found from its folder.

        Raises `InputError` if the template cannot be read, and `GrammarError` with every fault of
        all files.
        """
        self._template, faults = read_template(path)
        faults += structure_faults(self._template)
        domains, domain_faults = domains_of(self._template)
        raise_any([*faults, *domain_faults, *column_faults(self._template, domains)])
        self._domains = domains
        self._space = Space(domains, self._template.relations)
        self._rendering = Rendering(self._template)
        self.recipe: Mapping[str, Any] = recipe(
            "lexicon and template", {path.name: self._template.text, **self._template.lexicons}
        )
        try:
            self.n_items = self._space.n
            raise_any(self._item_faults(domains))
        except EntangledError:
            raise self._entangled() from None

    @property
    def head(self) -> Mapping[str, Any]:
        """The suite's JSON without its items; its metric is the sum unless it says another one."""
        n_regions = len(self._template.conditions[0].regions)
        numbers = [str(number) for number in range(1, n_regions + 1)]
        names = [each.text for each in self._template.regions] or numbers
        return {
            "meta": {"metric": "sum", **self._template.meta},
            "region_meta": dict(zip(numbers, names, strict=True)),
            "predictions": self._template.predictions,
        }

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all regions, and maybe some that no item has.

        Rows that are in no item do not count, but for what `Space.rows` says. Where placeholders
        touch, any row of one slot is taken beside any of the other.
        """
        return self._rendering.words(self._space.rows())

    @property
    def has_own_joiners(self) -> bool:
        """Whether something else than the suite's joiner stands before some region."""
        return bool(self._template.joiners)

    @property
    def once_to(self) -> int | None:
        """The region, from 1, up to which no two items of a sample are the same; None: any."""
        once, names = self._template.once, [each.text for each in self._template.regions]
        return names.index(once.text) + 1 if once else None

    @functools.cached_property
    def groups(self) -> Groups | None:
        """The groups that a balanced sample is made of; None if the template balances nothing.

        Raises `GrammarError` if there are none.
        """
        template = self._template
        if template.balance is None:
            return None
        try:
            return Groups(self._domains, template.relations, template.balance, self._space)
        except EntangledError:
            raise self._entangled() from None

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        """Yield the items with these numbers, or all of them: the last slot changes fastest."""
        fillings = iter(self._space) if indices is None else (self._space[each] for each in indices)
        return map(self._rendering.item, fillings)

    def _entangled(self) -> GrammarError:
        what = "the constraints tie so many values together that items cannot be counted"
        hint = "compare features that have fewer values: classes, not words"
        return GrammarError.at(self._template.whole, what, hint)

    def _item_faults(self, domains: Domains) -> list[Fault]:
        if not self.n_items:
            return list(dead_end(self._template, domains))
        return list(gap_faults(self._template, domains)) or list(
            same_sentences(self._template, self.n_items, lambda each: next(self.items([each])))
        )
