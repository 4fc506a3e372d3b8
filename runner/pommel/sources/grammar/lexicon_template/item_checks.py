"""What can be wrong with the items of a template: none, rows that lack a form, none that differ."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pommel.errors import Fault, listed
from pommel.sources.grammar.lexicon_file import NOT_APPLICABLE, Row
from pommel.sources.grammar.lexicon_template.binding import chosen_columns
from pommel.sources.grammar.lexicon_template.domains import Domain
from pommel.sources.grammar.lexicon_template.relations import Bound, Feature, Relation
from pommel.sources.grammar.lexicon_template.space import Space
from pommel.sources.grammar.lexicon_template.tree import Reference, Template
from pommel.sources.grammar.source import GeneratedItem

_MOST_LISTED = 12
# Rows that a message names; of more it says that there are some.
_MOST_ROWS = 3
# As many items are looked at for two conditions that are always the same.
_N_COMPARED = 1000


def dead_end(
    template: Template, domains: Sequence[Domain], bound: Sequence[Bound]
) -> Iterator[Fault]:
    """Yield why there is no item though each slot by itself can be filled."""
    for k, variable in enumerate(template.variables):
        relations = [each for each, _ in bound if max(each.variables) <= k]
        if not Space([each.cells for each in domains[: k + 1]], relations).n:
            own = [each for each, _ in bound if max(each.variables) == k]
            between = [each.text for each in own if len(each.variables) > 1]
            before = listed([each.name for each in template.variables[:k]], most=_MOST_LISTED)
            what = f"nothing can be {variable.name} once {before} {'is' if k == 1 else 'are'} there"
            hint = f"no row of the lexicon fits: {listed(between, most=_MOST_LISTED)}"
            yield variable.place.fault(what, hint)
            return


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


def same_sentences(
    template: Template, n_items: int, item: Callable[[int], GeneratedItem]
) -> Iterator[Fault]:
    """Yield the conditions that do not differ, in any item or in many from all over.

    `item` returns the one with a number, from 0.
    """
    n_compared = min(n_items, _N_COMPARED)
    conditions = template.conditions
    same = set(itertools.combinations(range(len(conditions)), 2))
    for number in range(n_compared):
        if not same:
            return
        sentences = [each.sentence for each in item(number * n_items // n_compared)]
        same = {(one, two) for one, two in same if sentences[one] == sentences[two]}
    for one, two in sorted(same):
        where = "the only item" if n_items == 1 else f"each of {n_compared} items"
        what = f"condition {conditions[two].name} has the sentence of {conditions[one].name}"
        hint = "make them differ, or remove one"
        yield conditions[two].place.fault(f"{what} in {where}", hint)


def _may_lack(feature: Feature, domains: Sequence[Domain]) -> bool:
    """Say whether rows of the domains, whatever is beside them, can lack a feature."""
    if any(isinstance(each, Feature) and _may_lack(each, domains) for each in feature.indices):
        return True
    domain = domains[feature.variable]
    return any(domain.lacks(column) for _, column in chosen_columns(feature, domains))


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
