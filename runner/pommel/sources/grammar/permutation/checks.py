"""What can be wrong with a permutation design though each of its lines is right."""

import itertools
from collections.abc import Iterator, Sequence

from pommel.errors import Fault, nearest
from pommel.sources.grammar.meant import Meant
from pommel.sources.grammar.permutation.expansion import Arrangement, arrangements, sentence
from pommel.sources.grammar.permutation.lexicon import Lexicon
from pommel.sources.grammar.permutation.tree import Design, DesignFile, Frame, TemplateLine, Written

DOUBLE = "double"
FEWEST, MOST = 2, 4

_ALIKE = "so that sentences of this template would be spelt alike"


def check(design: DesignFile, lexicon: Lexicon | None) -> list[Fault]:
    """Return every fault of a design and of the forms in its lexicon.

    Nothing is said of what could only be wrong because a line or the lexicon is.
    """
    faults = [*_case_faults(design.cases), *_missing_columns(design, lexicon)]
    if lexicon:
        faults += _missing_forms(design, lexicon)
    if not design.cases or any(_case_faults(design.cases)):
        return faults
    faults += _violation_faults(design)
    if design.frame:
        faults += _frame_faults(design.frame, design.case_names)
    # A case that the lexicon does not know is likely to be misspelt, not every template.
    if design.frame and not any(_missing_columns(design, lexicon)):
        for template in design.templates:
            faults += _entry_faults(template, design.frame, design.case_names)
    meant = Meant()
    for template in design.templates:
        faults += _noun_faults(template, design.case_names, lexicon, meant)
    return [*faults, *_repeated_templates(design.templates)]


def check_sentences(design: Design) -> Iterator[Fault]:
    """Yield a fault for each template two of whose sentences are spelt alike.

    All forms of a template's nouns must differ. Sentences then do, unless one form begins with
    another one.
    """
    every = arrangements(design.cases, design.doubled)
    for template in design.templates:
        forms = sorted(itertools.chain.from_iterable(template.forms))
        # In this order a form stands right before one that begins with it.
        if not any(other.startswith(form) for form, other in itertools.pairwise(forms)):
            continue
        seen: dict[str, Arrangement] = {}
        for each in every:
            text = sentence(template, each, design.joiner)
            before = seen.setdefault(text, each)
            if before is not each:
                what = f"{before.name} and {each.name} are both {text!r}"
                hint = "take nouns none of whose forms begins with another one"
                yield template.place.fault(what, hint)
                break


def _case_faults(cases: Sequence[Written]) -> Iterator[Fault]:
    if cases and not FEWEST <= len(cases) <= MOST:
        place = cases[min(MOST, len(cases) - 1)].place
        there = "there is one case" if len(cases) == 1 else f"there are {len(cases)} cases"
        yield place.fault(there, f"a design has {FEWEST} to {MOST}")
    for index, case in enumerate(cases):
        if not case.text.isalpha():
            hint = "write letters only: conditions are named after it"
            yield case.place.fault(f"{case.text!r} is no name of a case", hint)
        elif case.text in [each.text for each in cases[:index]]:
            yield _second_time(case)


def _missing_columns(design: DesignFile, lexicon: Lexicon | None) -> Iterator[Fault]:
    if lexicon is None or not lexicon.has_header:
        return
    others = [each for each in lexicon.columns if each not in design.case_names]
    for case in design.cases:
        if case.text not in lexicon.columns:
            meant = nearest(case.text, others)
            hint = f"did you mean {meant}?" if meant else f"it has {', '.join(lexicon.columns)}"
            yield case.place.fault(f"{lexicon.name} has no column {case.text}", hint)


def _missing_forms(design: DesignFile, lexicon: Lexicon) -> Iterator[Fault]:
    for word, noun in lexicon.nouns.items():
        for column in dict.fromkeys(design.case_names):
            if column in noun.columns and column not in noun.cells:
                hint = "write its form, with its article"
                yield noun.place(column).fault(f"{word} has no {column}", hint)


def _violation_faults(design: DesignFile) -> Iterator[Fault]:
    if not design.violations:
        return
    kind, *doubled = design.violations
    if kind.text != DOUBLE:
        hint = f"write violations: {DOUBLE}, or the cases that are: violations: {DOUBLE} nom"
        yield kind.place.fault(f"there are no violations {kind.text!r}", hint)
        return
    for index, case in enumerate(doubled):
        if case.text not in design.case_names:
            yield case.place.fault(
                f"there is no case {case.text}", _choice(case, design.case_names)
            )
        elif case.text in [each.text for each in doubled[:index]]:
            yield _second_time(case)


def _frame_faults(frame: Frame, cases: Sequence[str]) -> Iterator[Fault]:
    numbers = [str(number) for number in range(1, len(cases) + 1)]
    written = ", ".join(f"{{{number}}}" for number in numbers)
    arguments = [slot.text for slot in frame.slots if slot.is_argument]
    if not arguments:
        what = "the frame has no slot for an argument"
        yield frame.place.fault(what, f"write {written} where the arguments stand")
    for number in numbers if arguments else ():
        if number not in arguments:
            hint = f"it needs {written}: as many as there are cases"
            yield frame.place.fault(f"the frame has no {{{number}}}", hint)
    names = [slot.text for slot in frame.slots]
    for index, slot in enumerate(frame.slots):
        if slot.text in names[:index]:
            what = f"{{{slot.text}}} stands here for the second time"
            yield slot.place.fault(what, "remove one of the two")
        elif not slot.text:
            yield slot.place.fault("this slot has no name", f"write {written}, or {{verb}}")
        elif slot.text in cases:
            what = f"{slot.text} is a case, and each argument has each case"
            yield slot.place.fault(what, f"write {written}")
        elif slot.is_argument and slot.text not in numbers:
            hint = f"there are {written}: as many as there are cases"
            yield slot.place.fault(f"there is no argument {{{slot.text}}}", hint)


def _entry_faults(template: TemplateLine, frame: Frame, cases: Sequence[str]) -> Iterator[Fault]:
    """Yield what a template says too much or too little."""
    named = dict.fromkeys(slot.text for slot in frame.slots if not slot.is_argument)
    expected = [*cases, *(name for name in named if name and name not in cases)]
    names = [entry.name.text for entry in template.entries]
    for index, entry in enumerate(template.entries):
        if entry.name.text in names[:index]:
            yield _second_time(entry.name)
        elif entry.name.text not in expected:
            what = f"there is no case and no slot {entry.name.text!r}"
            missing = [name for name in expected if name not in names]
            yield entry.name.place.fault(what, _choice(entry.name, missing or expected))
    for name in expected:
        if name not in names:
            what = "NOUN" if name in cases else "TEXT"
            yield template.place.fault(f"this template has no {name}", f"write | {name} {what}")


def _noun_faults(
    template: TemplateLine, cases: Sequence[str], lexicon: Lexicon | None, meant: Meant
) -> Iterator[Fault]:
    nouns: dict[str, Written] = {}
    for entry in template.entries:
        if entry.name.text not in cases:
            continue
        noun = entry.content
        if noun.text in nouns:
            what = f"the noun {noun.text} stands here for the second time"
            yield noun.place.fault(what, "take another one")
        elif lexicon and lexicon.is_whole and noun.text not in lexicon.nouns:
            probably = meant(noun.text, lexicon.nouns)
            hint = f"did you mean {probably}?" if probably else "add it"
            yield noun.place.fault(f"{lexicon.name} has no {noun.text}", hint)
        nouns.setdefault(noun.text, noun)
    if lexicon:
        yield from _alike(nouns, cases, lexicon)


def _alike(nouns: dict[str, Written], cases: Sequence[str], lexicon: Lexicon) -> Iterator[Fault]:
    """Yield a fault for each form that is spelt as one before it (syncretism)."""
    seen: dict[str, tuple[str, str]] = {}
    for word, case in itertools.product(nouns, cases):
        form = lexicon.nouns[word].cells.get(case) if word in lexicon.nouns else None
        if not form:
            continue
        other, its_case = seen.setdefault(form, (word, case))
        if (other, its_case) == (word, case):
            continue
        what = f"{other} in {its_case} and {word} in {case} are both {form!r}"
        hint = "take another noun"
        if other == word:
            what = f"{word} is {form!r} both in {its_case} and in {case}"
            hint = "take a noun whose cases differ"
        yield nouns[word].place.fault(f"{what}, {_ALIKE}", hint)


def _repeated_templates(templates: Sequence[TemplateLine]) -> Iterator[Fault]:
    seen: dict[frozenset[tuple[str, str]], TemplateLine] = {}
    for template in templates:
        key = frozenset((entry.name.text, entry.content.text) for entry in template.entries)
        before = seen.setdefault(key, template)
        if before is not template:
            what = f"this template says what that of line {before.place.line} does"
            yield template.place.fault(what, "remove one of the two")


def _second_time(written: Written) -> Fault:
    what = f"{written.text} stands here for the second time"
    return written.place.fault(what, "remove one of the two")


def _choice(written: Written, known: Sequence[str]) -> str:
    meant = known[0] if len(known) == 1 else nearest(written.text, known)
    return f"did you mean {meant}?" if meant else f"it is one of {', '.join(known)}"
