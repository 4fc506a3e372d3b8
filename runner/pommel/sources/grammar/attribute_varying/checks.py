"""What can be wrong with an attribute-varying grammar though each of its lines is right.

The published program (Mueller et al. 2020) loses text without a word in most of these cases.
"""

from collections.abc import Collection, Iterator

from pommel.errors import Fault, Place, counted, listed
from pommel.sources.grammar.attribute_varying.tree import (
    AttributeGrammar,
    Preterminal,
    Template,
)
from pommel.sources.grammar.meant import Meant

# What a template is of, and what the line begins with that says which symbol is varied.
START = "S"
VARY = "vary"

_MOST_LISTED = 12


def check(grammar: AttributeGrammar, *, file: str, broken: Collection[str] = ()) -> list[Fault]:
    """Return every fault of a grammar.

    `file` is the grammar's own file, for what concerns all of it; `broken` are the names whose
    lines, or some of them, could not be read, `START` and `VARY` among them.
    """
    whole = Place(file=file, line=0, column=0)
    if not grammar.templates and not broken:
        hint = "write one: S[] NAME[attributes] NAME[attributes]"
        return [whole.fault("there is no template", hint)]
    if not grammar.vary and not broken:
        return [whole.fault("nothing is varied", "write which symbol is: vary: NAME[]")]
    faults = [*_unknown(grammar, broken)]
    if START not in broken:
        faults += _varies_nothing(grammar)
    if faults or broken:
        return faults
    compared: set[Preterminal] = set()
    for each in grammar.templates:
        faults += _template_faults(grammar, each, compared)
    return faults


def _unknown(grammar: AttributeGrammar, broken: Collection[str]) -> Iterator[Fault]:
    known = [str(each) for each in grammar.alternatives]
    named: dict[str, list[str]] = {}
    for each in grammar.alternatives:
        named.setdefault(each.name, []).append(str(each))
    meant = Meant()
    for symbol in (each for template in grammar.templates for each in template.symbols):
        found = symbol.preterminal
        if found is None or found in grammar.alternatives or found.name in broken:
            continue
        probably = meant(str(found), named.get(found.name, known))
        hint = f"there is {listed(known, most=_MOST_LISTED) or 'none'}"
        hint = f"did you mean {probably}?" if probably else hint
        yield symbol.place.fault(f"there is no rule for {found}", hint)


def _varies_nothing(grammar: AttributeGrammar) -> Iterator[Fault]:
    symbols = dict.fromkeys(
        symbol.preterminal
        for template in grammar.templates
        for symbol in template.symbols
        if symbol.preterminal
    )
    named: dict[str, list[Preterminal]] = {}
    for each in symbols:
        named.setdefault(each.name, []).append(each)
    names = listed(list(named), most=_MOST_LISTED) or "no preterminals"
    for entry in grammar.vary:
        of_its_name = named.get(entry.name, [])
        if not any(entry.concerns(each) for each in of_its_name):
            own = Preterminal(name=entry.name, attributes=entry.attributes)
            there = listed(list(map(str, of_its_name)), most=_MOST_LISTED) or names
            what = f"no template has a symbol that vary: {own} concerns"
            yield entry.place.fault(what, f"templates have {there}")


def _template_faults(
    grammar: AttributeGrammar, template: Template, compared: set[Preterminal]
) -> Iterator[Fault]:
    """Yield what is wrong with a template; `compared` are those whose lists were."""
    varied = [symbol for symbol in template.symbols if grammar.is_varied(symbol)]
    if not varied:
        place = template.symbols[0].place
        what = "nothing of this template is varied, so that no sentence would come of it"
        yield place.fault(what, "name one of its symbols in vary:")
    for symbol in varied[1:]:
        what = f"this template varies {varied[0].text} and {symbol.text}: an ambiguous contrast"
        hint = "sets differ in one symbol; name the other one differently, or vary it elsewhere"
        yield symbol.place.fault(what, hint)
    preterminal = varied[0].preterminal if len(varied) == 1 else None
    if preterminal and preterminal not in compared:
        compared.add(preterminal)
        yield from _unequal(grammar, preterminal)


def _unequal(grammar: AttributeGrammar, preterminal: Preterminal) -> Iterator[Fault]:
    own = grammar.alternatives[preterminal]
    for other in grammar.counterparts(preterminal):
        found = grammar.alternatives[other]
        if len(found.texts) != len(own.texts):
            what = f"{other} has {counted(len(found.texts), 'alternative')}, {preterminal} has "
            hint = "the lists must run parallel: the nth of each are forms of one word"
            yield found.place.fault(f"{what}{len(own.texts)}", hint)
