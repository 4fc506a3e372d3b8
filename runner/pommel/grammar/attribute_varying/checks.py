"""What can be wrong with an attribute-varying grammar though each of its lines is right.

The published program (Mueller et al. 2020) loses text without a word in most of these cases.
"""

from collections.abc import Iterator

from pommel.errors import Fault
from pommel.grammar.attribute_varying.tree import (
    AttributeGrammar,
    Preterminal,
    Template,
    Vary,
)
from pommel.grammar.place import Place
from pommel.wording import counted, nearest


def check(grammar: AttributeGrammar, *, file: str) -> list[Fault]:
    """Return every fault of a grammar, in the order of its files and lines.

    `file` is the grammar's own file, for what concerns all of it.
    """
    whole = Place(file=file, line=0, column=0)
    if not grammar.templates:
        hint = "write one: S[] NAME[attributes] NAME[attributes]"
        return [whole.fault("there is no template", hint)]
    if not grammar.vary:
        return [whole.fault("nothing is varied", "write which symbol is: vary: NAME[]")]
    faults = [fault for each in grammar.templates for fault in _unknown(grammar, each)]
    faults += [fault for entry in grammar.vary for fault in _varies_nothing(grammar, entry)]
    faults = faults or [
        fault for each in grammar.templates for fault in _template_faults(grammar, each)
    ]
    return sorted(faults, key=lambda fault: (fault.file, fault.line, fault.column))


def _unknown(grammar: AttributeGrammar, template: Template) -> Iterator[Fault]:
    for symbol in template.symbols:
        found = symbol.preterminal
        if found is not None and found not in grammar.alternatives:
            known = [str(each) for each in grammar.alternatives]
            of_its_name = [str(each) for each in grammar.alternatives if each.name == found.name]
            meant = nearest(str(found), of_its_name or known)
            there = f"did you mean {meant}?" if meant else f"there is {', '.join(known) or 'none'}"
            yield symbol.place.fault(f"there is no rule for {found}", there)


def _varies_nothing(grammar: AttributeGrammar, entry: Vary) -> Iterator[Fault]:
    symbols = [
        symbol.preterminal
        for template in grammar.templates
        for symbol in template.symbols
        if symbol.preterminal
    ]
    if not any(entry.concerns(each) for each in symbols):
        named = Preterminal(name=entry.name, attributes=entry.attributes)
        names = list(dict.fromkeys(each.name for each in symbols))
        hint = f"templates have {', '.join(names) or 'no preterminals'}"
        of_its_name = [str(each) for each in dict.fromkeys(symbols) if each.name == entry.name]
        if of_its_name:
            hint = f"templates have {', '.join(of_its_name)}"
        yield entry.place.fault(f"no template has a symbol that vary: {named} concerns", hint)


def _template_faults(grammar: AttributeGrammar, template: Template) -> Iterator[Fault]:
    varied = [symbol for symbol in template.symbols if grammar.is_varied(symbol)]
    if not varied:
        place = template.symbols[0].place
        what = "nothing of this template is varied, so that no sentence would come of it"
        yield place.fault(what, "name one of its symbols in vary:")
    for symbol in varied[1:]:
        what = f"this template varies {varied[0].text} and {symbol.text}: an ambiguous contrast"
        hint = "sets differ in one symbol; name the other one differently, or vary it elsewhere"
        yield symbol.place.fault(what, hint)
    if len(varied) == 1 and varied[0].preterminal:
        yield from _unequal(grammar, varied[0].preterminal)


def _unequal(grammar: AttributeGrammar, preterminal: Preterminal) -> Iterator[Fault]:
    own = grammar.alternatives[preterminal]
    for other in grammar.counterparts(preterminal):
        found = grammar.alternatives[other]
        if len(found.texts) != len(own.texts):
            what = f"{other} has {counted(len(found.texts), 'alternative')}, {preterminal} has "
            hint = "the lists must run parallel: the nth of each are forms of one word"
            yield found.place.fault(f"{what}{len(own.texts)}", hint)
