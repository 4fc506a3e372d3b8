"""What can be wrong with a template though each of its lines is right, and with its items."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

from pommel.errors import Fault, counted, listed
from pommel.sources.grammar.lexicon_file import NOT_APPLICABLE, Cells, Row
from pommel.sources.grammar.lexicon_template.features import OWN_VALUE, Domains, Feature, Relation
from pommel.sources.grammar.lexicon_template.reading import USAGE, Line, Template
from pommel.sources.grammar.lexicon_template.space import Space
from pommel.sources.grammar.source import GeneratedItem
from pommel.sources.grammar.text import NearestNames, Written, repeated, shown

# Rows that a message names; of more it says that there are some.
_MOST_ROWS = 3
# As many items are looked at for two conditions that are always the same.
_N_COMPARED = 1000


def structure_faults(template: Template) -> Iterator[Fault]:
    """Yield what is wrong with a template whatever its lexicons have."""
    if not template.lexicons and any(each.is_slot for each in template.variables):
        what = "there is no lexicon to fill slots from"
        yield template.whole.fault(what, f"write {USAGE['lexicon']}")
    if not template.conditions:
        yield template.whole.fault("there is no condition", f"write {USAGE['condition']}")
        return
    yield from _region_faults(template)
    yield from _gloss_faults(template)
    regions = {each.name.text: range(1, len(each.regions) + 1) for each in template.conditions}
    for formula, statement in template.formulas:
        for remark in formula.reference_errors(regions):
            yield statement.at(remark.span[0]).fault(remark.message, remark.hint)
    for variable in template.variables:
        if variable.name.text not in template.used:
            what = f"{'slot' if variable.is_slot else 'choice'} {variable.name} is never used"
            hint = "put it into a condition, or remove it; items would only be repeated"
            yield variable.name.fault(what, hint)


def _region_faults(template: Template) -> Iterator[Fault]:
    first = template.conditions[0]
    n, where = len(first.regions), f"condition {first.name}"
    if template.regions:
        n, where = len(template.regions), "the line regions"
    for each, _ in repeated(template.regions, str):
        yield each.fault(f"the region {each} is there already", "give each a name of its own")
    names = [each.text for each in template.regions]
    if template.once and template.once.text not in names:
        hint = f"there is {shown(names)}" if names else f"name them: {USAGE['regions']}"
        yield template.once.fault(f"there is no region {template.once.text!r}", hint)
    for line in template.conditions:
        if not any(line.regions):
            what = f"all regions of condition {line.name} are empty"
            yield line.name.fault(what, f"write {USAGE['condition']}")
        elif len(line.regions) != n:
            yield _unequal(line, "condition", n, where)


def _gloss_faults(template: Template) -> Iterator[Fault]:
    conditions = {each.name.text: each for each in template.conditions}
    meant = NearestNames()
    for line in template.glosses:
        glossed = conditions.get(line.name.text)
        if glossed is None:
            hint = meant.hint(line.name.text, conditions, f"there is {shown(conditions)}")
            yield line.name.fault(f"there is no condition {line.name.text!r}", hint)
        elif len(line.regions) not in (1, len(glossed.regions)):
            yield _unequal(line, "gloss", len(glossed.regions), f"condition {line.name}")


def _unequal(line: Line, keyword: str, n: int, where: str) -> Fault:
    what = f"{keyword} {line.name} has {counted(len(line.regions), 'region')}, {where} has {n}"
    return line.name.fault(what, "put | between regions; one that is empty is written | |")


def domains_of(template: Template) -> tuple[list[list[Cells]], list[Fault]]:
    """Return what each slot and choice can be by itself, and the faults of those that can't be
    anything, or of values that no row has.
    """
    domains, faults = [], []
    meant = NearestNames()
    for number, variable in enumerate(template.variables):
        kept = [row.cells for row in template.rows]
        noun = "row"
        if not variable.is_slot:
            kept = [{OWN_VALUE: each.text} for each in variable.values]
            noun = "value"
        unknown = [
            fault
            for each in template.relations
            if each.left.variable == number
            for fault in _unknown(each, template, meant)
        ]
        own = [each for each in template.relations if each.variables == {number}]
        # How many rows each constraint has left, up to the one that leaves none.
        left = []
        for each in own if kept else ():
            kept = [cells for cells in kept if each.holds({number: cells})]
            left.append(f"{each.text}: {counted(len(kept), noun)}")
            if not kept:
                what = f"no {noun} can be {variable.name} ({', '.join(left)})"
                hint = f"change {each.text}"
                if unknown:
                    first = unknown.pop(0)
                    hint = f"{first.message}; {first.hint}"
                faults.append(variable.name.fault(what, hint))
                break
        domains.append(kept)
        faults += unknown
    return domains, faults


def _unknown(relation: Relation, template: Template, meant: NearestNames) -> Iterator[Fault]:
    """Yield the values that a constraint compares with a feature which never has them."""
    column = relation.left.column
    if relation.left.indices:
        return
    variable = template.variables[relation.left.variable]
    known = [row.cells[column] for row in template.rows if column in row.cells]
    what = f"no row has {{}} as its {column}"
    if not variable.is_slot:
        known = [each.text for each in variable.values]
        what = f"{variable.name} is never {{}}"
    elif relation.operator in ("has", "lacks", "shares"):
        known = [word for cell in known for word in cell.split()]
    there = dict.fromkeys(known)
    otherwise = f"there is {shown(there)}"
    for term in relation.right:
        # What is written there, or the values of a choice that is named there.
        named = () if isinstance(term, Written) else template.variables[term.variable].values
        for value in (term,) if isinstance(term, Written) else named:
            if value.text != NOT_APPLICABLE and value.text not in there:
                hint = meant.hint(value.text, there, otherwise)
                yield value.fault(what.format(repr(value.text)), hint)


def column_faults(template: Template, domains: Domains) -> Iterator[Fault]:
    """Yield the columns that an index can choose, and no lexicon has."""
    compared = [each for relation in template.relations for each in relation.features]
    compared += [each.condition for each in template.joiners if each.condition]
    there = template.columns
    for feature in dict.fromkeys([*template.needed, *compared]):
        reference = feature.reference
        for values, column in feature.columns(domains) if feature.indices else ():
            if column not in there:
                what = f"{template.lexicon_names} has no column {column!r}"
                chosen = [
                    f"{each} = {value}"
                    for each, value in zip(reference.indices, values, strict=True)
                    if str(each) != value
                ]
                if chosen:
                    what += f", which {reference} is where {', '.join(chosen)}"
                columns = [each for each in there if each.startswith(feature.column)]
                hint = f"its columns are {shown(columns)}"
                yield reference.place.fault(what, hint)


def dead_end(template: Template, domains: Domains) -> Iterator[Fault]:
    """Yield why there is no item though each slot by itself can be filled."""
    for k, variable in enumerate(template.variables):
        relations = [each for each in template.relations if max(each.variables) <= k]
        if not Space(domains[: k + 1], relations).n:
            between = [e.text for e in relations if max(e.variables) == k and len(e.variables) > 1]
            before = shown(each.name for each in template.variables[:k])
            what = f"nothing can be {variable.name} once {before} {'is' if k == 1 else 'are'} there"
            hint = f"no row of the lexicon fits: {shown(between)}"
            yield variable.name.fault(what, hint)
            return


def gap_faults(template: Template, domains: Domains) -> Iterator[Fault]:
    """Yield the rows that have no text for a placeholder in some item, or nothing to balance.

    Rows that the constraints keep from such items are no fault.
    """
    for feature in template.needed:
        found = list(itertools.islice(_lacking(feature, template, domains), _MOST_ROWS + 2))
        if found:
            row, column = found[0]
            reference = feature.reference
            others = [
                f"{Path(each.written.file).name}:{each.written.line}" for each, _ in found[1:]
            ]
            what = f"{row.name!r} has no {column}, which {{{reference}}} asks for"
            if others:
                verb = "has" if len(others) == 1 else "have"
                what += f", nor {verb} {listed(others, most=_MOST_ROWS)}"
            last = template.variables[max(feature.variables)].name
            hint = f"write it, or leave such rows out: {reference} != _ in the line of {last}"
            yield row.fault(column, what, hint)


def _lacking(feature: Feature, template: Template, domains: Domains) -> Iterator[tuple[Row, str]]:
    """Yield the rows of items in which a feature does not apply, and the column that they lack."""
    atoms = feature.atoms(domains)
    if all(column in row for slot, column in atoms for row in domains[slot]):
        return
    nothing = Written(place=feature.reference.place, text=NOT_APPLICABLE)
    relations = [*template.relations, Relation(feature, "=", (nothing,))]
    if not Space(domains, relations).n:
        return
    # What lacks is the index of a column, or the column itself.
    for each in (*feature.choosing, feature):
        for row in template.rows:
            only = [*domains]
            only[each.variable] = [cells for cells in domains[each.variable] if cells is row.cells]
            space = Space(only, relations)
            if space.n:
                column = each.column_in(space[0])
                if column is not None and column not in row.cells:
                    yield row, column


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
        yield conditions[two].name.fault(f"{what} in {where}", hint)
