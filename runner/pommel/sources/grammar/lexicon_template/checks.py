"""What can be wrong with a template though each of its lines is right."""

from collections.abc import Iterator

from pommel.errors import Fault, counted, listed
from pommel.sources.grammar.lexicon_template.binding import uses
from pommel.sources.grammar.lexicon_template.statements import USAGE
from pommel.sources.grammar.lexicon_template.tree import Line, Reference, Slot, Template
from pommel.sources.grammar.meant import Meant
from pommel.suite.formula import check_references, parse

_MOST_LISTED = 12


def structure_faults(template: Template) -> Iterator[Fault]:
    """Yield what is wrong with a template whatever its lexicons have."""
    slots = [each for each in template.variables if isinstance(each, Slot)]
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
    meant = Meant()
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
        for remark in check_references(parse(prediction.places.text), regions):
            yield prediction.places.at(remark.span[0]).fault(remark.message, remark.hint)


def _unused(template: Template) -> Iterator[Fault]:
    used = {
        _name(reference)
        for number, reference in uses(template)
        if number is None or template.variables[number].name != _name(reference)
    }
    for each in template.variables:
        if each.name not in used:
            what = "slot" if isinstance(each, Slot) else "choice"
            hint = "put it into a condition, or remove it; items would only be repeated"
            yield each.place.fault(f"{what} {each.name} is never used", hint)


def _name(reference: Reference) -> str:
    return reference.name if reference.owner is None else reference.owner
