"""What can be wrong with a template though each of its lines is right, and with its items."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pommel.errors import Fault, counted, listed
from pommel.sources.grammar.lexicon_file import NOT_APPLICABLE, Row
from pommel.sources.grammar.lexicon_template.binding import (
    Bound,
    Domain,
    Feature,
    Relation,
    chosen_columns,
    uses,
)
from pommel.sources.grammar.lexicon_template.space import Space
from pommel.sources.grammar.lexicon_template.template import USAGE, Line, Reference, Template
from pommel.sources.grammar.source import GeneratedItem
from pommel.sources.grammar.text import NearestNames
from pommel.suite import Formula

_MOST_LISTED = 12

# Rows that a message names; of more it says that there are some.
_MOST_ROWS = 3
# As many items are looked at for two conditions that are always the same.
_N_COMPARED = 1000


def structure_faults(template: Template) -> Iterator[Fault]:
    """Yield what is wrong with a template whatever its lexicons have."""
    slots = [each for each in template.variables if each.is_slot]
    if slots and not template.lexicons:
        what = "there is no lexicon to fill slots from"
        yield template.whole.fault(what, f"write {USAGE['lexicon']}")
    if not template.conditions:
        hint = f"write {USAGE['condition']}"
        yield template.whole.fault("there is no condition", hint)
        return
    yield from _region_faults(template)
    yield from _gloss_faults(template)
    yield from _formula_faults(template)
    yield from _unused(template)


def _region_faults(template: Template) -> Iterator[Fault]:
    first = template.conditions[0]
    n, where = len(first.regions), f"condition {first.name}"
    names = [each.text for each in template.regions]
    if names:
        n, where = len(names), "regions"
    seen: set[str] = set()
    for each in template.regions:
        if not each.text:
            yield each.place.fault("this region has no name", f"write {USAGE['regions']}")
        elif each.text in seen:
            what = f"the region {each.text} is there already"
            yield each.place.fault(what, "give each a name of its own")
        seen.add(each.text)
    for line in template.conditions:
        if not any(line.regions):
            what = f"all regions of condition {line.name} are empty"
            yield line.place.fault(what, f"write {USAGE['condition']}")
        elif len(line.regions) != n:
            yield _unequal(line, "condition", n, where)


def _gloss_faults(template: Template) -> Iterator[Fault]:
    conditions = {each.name: each for each in template.conditions}
    there = listed(list(conditions), most=_MOST_LISTED)
    meant = NearestNames()
    for line in template.glosses:
        glossed = conditions.get(line.name)
        if glossed is None:
            probably = meant(line.name, conditions)
            hint = f"did you mean {probably}?" if probably else f"there is {there}"
            yield line.place.fault(f"there is no condition {line.name!r}", hint)
        elif len(line.regions) not in (1, len(glossed.regions)):
            yield _unequal(line, "gloss", len(glossed.regions), f"condition {line.name}")


def _unequal(line: Line, keyword: str, n: int, where: str) -> Fault:
    what = f"{keyword} {line.name} has {counted(len(line.regions), 'region')}, {where} has {n}"
    hint = "put | between regions; one that is empty is written | |"
    return line.place.fault(what.replace("regions has", "the line regions has"), hint)


def _formula_faults(template: Template) -> Iterator[Fault]:
    regions = {each.name: range(1, len(each.regions) + 1) for each in template.conditions}
    for prediction in template.predictions:
        for remark in Formula.parse(prediction.places.text).reference_errors(regions):
            yield prediction.places.at(remark.span[0]).fault(remark.message, remark.hint)


def _unused(template: Template) -> Iterator[Fault]:
    used = {
        _name(reference)
        for number, reference in uses(template)
        if number is None or template.variables[number].name != _name(reference)
    }
    for each in template.variables:
        if each.name not in used:
            what = "slot" if each.is_slot else "choice"
            hint = "put it into a condition, or remove it; items would only be repeated"
            yield each.place.fault(f"{what} {each.name} is never used", hint)


def _name(reference: Reference) -> str:
    return reference.name if reference.owner is None else reference.owner


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
