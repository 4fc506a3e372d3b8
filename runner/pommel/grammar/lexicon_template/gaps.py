"""Rows without a feature that a placeholder asks for, where some item would need it."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pommel.errors import Fault
from pommel.grammar.lexicon_template.domains import Domain
from pommel.grammar.lexicon_template.lexicon import Lexicon, Row
from pommel.grammar.lexicon_template.relations import Feature, Relation
from pommel.grammar.lexicon_template.space import Space
from pommel.grammar.lexicon_template.tree import NOT_APPLICABLE, Reference, Template
from pommel.wording import listed

# Rows that a message names; of more it says that there are some.
_MOST_ROWS = 3


def column_faults(
    lexicon: Lexicon, domains: Sequence[Domain], bound: Mapping[Feature, Reference]
) -> Iterator[Fault]:
    """Yield the columns that an index can choose, and no lexicon has."""
    for feature, reference in bound.items():
        indices = [
            [each] if isinstance(each, str) else _values(each, domains) for each in feature.indices
        ]
        for values in itertools.product(*indices) if indices else ():
            column = "_".join([feature.column, *filter(None, values)])
            if column not in lexicon.columns:
                what = f"{lexicon.names} has no column {column!r}"
                chosen = ", ".join(
                    f"{each} = {value}"
                    for each, value in zip(reference.indices, values, strict=True)
                    if str(each) != value
                )
                why = f", which {reference} is where {chosen}" if chosen else ""
                columns = [each for each in lexicon.columns if each.startswith(feature.column)]
                hint = f"its columns are {listed(columns, most=12)}"
                yield reference.place.fault(f"{what}{why}", hint)


def gap_faults(
    template: Template,
    domains: Sequence[Domain],
    relations: Sequence[Relation],
    bound: Mapping[Feature, Reference],
) -> Iterator[Fault]:
    """Yield the rows that have no text for a placeholder in some item.

    `bound` are the placeholders; rows that the constraints keep from such items are no fault.
    """
    for feature, reference in bound.items():
        if not _may_lack(feature, domains):
            continue
        lacking = Relation(left=feature, operator="=", right=(NOT_APPLICABLE,), text="")
        found = list(
            itertools.islice(_rows(feature, domains, [*relations, lacking]), _MOST_ROWS + 2)
        )
        if found:
            row, column = found[0]
            others = [f"{Path(each.file).name}:{each.written.line}" for each, _ in found[1:]]
            what = f"{row.name!r} has no {column}, which {{{reference}}} asks for"
            if others:
                verb = "has" if len(others) == 1 else "have"
                what += f", nor {verb} {listed(others, most=_MOST_ROWS)}"
            last = template.variables[max(feature.variables)].name
            hint = f"write it, or leave such rows out: {reference} != _ in the line of {last}"
            yield row.place(column).fault(what, hint)


def _values(feature: Feature, domains: Sequence[Domain]) -> list[str]:
    """Return the values of an index, without what does not apply."""
    cells = domains[feature.variable].cells
    return list(dict.fromkeys(each[feature.column] for each in cells if feature.column in each))


def _may_lack(feature: Feature, domains: Sequence[Domain]) -> bool:
    """Say whether rows of the domains, whatever is beside them, can lack a feature."""
    for each in feature.indices:
        if isinstance(each, Feature) and _may_lack(each, domains):
            return True
    indices = [[e] if isinstance(e, str) else _values(e, domains) for e in feature.indices]
    columns = [
        "_".join([feature.column, *filter(None, each)]) for each in itertools.product(*indices)
    ]
    cells = domains[feature.variable].cells
    return any(column not in each for each in cells for column in columns)


def _rows(
    feature: Feature, domains: Sequence[Domain], relations: Sequence[Relation]
) -> Iterator[tuple[Row, str]]:
    """Yield the rows of which an item under these relations is made, and the column they lack."""
    cells = [each.cells for each in domains]
    if not Space(cells, relations).n:
        return
    # What lacks is the index of a column, or the column itself.
    for each in (*(e for e in feature.indices if isinstance(e, Feature)), feature):
        domain = domains[each.variable]
        for row in domain.rows:
            only = [*cells]
            only[each.variable] = (row.cells,)
            space = Space(only, relations)
            if space.n:
                column = each.column_in(space[0])
                if column is not None and column not in row.cells:
                    yield row, column
