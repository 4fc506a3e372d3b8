"""Permutation designs from their files, and what can be wrong with them.

The nouns' forms are in a lexicon beside the design, with a column `word`, and one for each case.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from pommel.errors import Fault, Place
from pommel.files import DecodedText
from pommel.sources.grammar.lexicon_file import LexiconFile, Row, read_lexicon_file
from pommel.sources.grammar.permutation.design import (
    Design,
    DesignFile,
    Frame,
    Template,
    TemplateLine,
    arrangements,
    sentence,
)
from pommel.sources.grammar.source import collected, raise_any
from pommel.sources.grammar.statements import Statement, statements
from pommel.sources.grammar.text import NearestNames, Written, add_meta, repeated
from pommel.values import frozen

WORD = "word"

DOUBLE = "double"
FEWEST, MOST = 2, 4
_ALIKE = "so that sentences of this template would be spelt alike"
LANGUAGE = "language"
USAGE = {
    "meta": "meta license: CC-BY-4.0",
    LANGUAGE: "language: de",
    "lexicon": "lexicon: nouns.csv",
    "cases": "cases: nom acc dat",
    "frame": "frame: we know that | {1} | {2} | {3} | {verb} | .",
    "violations": "violations: double",
    "template": "template: nom NOUN | acc NOUN | dat NOUN | verb gives",
}
# What a design's suite says in its `meta` by itself.
_MADE = ("generator", "design")
_SLOT = re.compile(r"\{([^{}]*)\}")
_ARGUMENT = re.compile(r"\{(\d+)\}")


@frozen
class Lexicon:
    """Nouns by their word. Where it is not `is_whole`, rows were wrong and are not among them."""

    source: LexiconFile
    nouns: Mapping[str, Row]
    is_whole: bool


def read_lexicon(name: str, place: Place, *, folder: Path) -> tuple[Lexicon | None, list[Fault]]:
    """Return the lexicon that a design in a folder names at a place, and what is wrong with it.

    None if there is no such file, or none that can be read; other columns may be in it, too.
    """
    source, faults = read_lexicon_file(name, place, folder=folder, required=(WORD,))
    if source is None:
        return None, faults
    for row in source.rows:
        if WORD not in row.cells:
            faults.append(row.fault(WORD, "this row has no word", "write one"))
    named = [row for row in source.rows if WORD in row.cells]
    for row, before in repeated(named, lambda each: each.cells[WORD]):
        what = f"{row.cells[WORD]} stands here for the second time, after line "
        hint = "give one of the two another name"
        faults.append(row.fault(WORD, f"{what}{before.written.line}", hint))
    # The first of several counts.
    nouns = {row.cells[WORD]: row for row in named[::-1]}
    return Lexicon(source=source, nouns=nouns, is_whole=not faults), faults


def resolved(design: DesignFile, frame: Frame, lexicon: Lexicon) -> Design:
    """Return the design that a file without faults and its lexicon are."""
    cases = design.case_names
    templates = []
    for line in design.templates:
        said = {name.text: content.text for name, content in line.entries}
        nouns = tuple(said[case] for case in cases)
        forms = tuple(tuple(lexicon.nouns[noun].cells[case] for case in cases) for noun in nouns)
        regions = tuple(_filled(region, said) for region in frame.regions)
        templates.append(Template(place=line.place, nouns=nouns, forms=forms, regions=regions))
    names = (_SLOT.sub(r"\1", _ARGUMENT.sub(r"argument \1", each)) for each in frame.regions)
    return Design(
        meta=design.meta,
        cases=cases,
        doubled=tuple(each.text for each in design.violations[1:]) or cases,
        region_names={str(number): name for number, name in enumerate(names, start=1)},
        templates=tuple(templates),
    )


def _filled(region: str, texts: Mapping[str, str]) -> str:
    """Return a region with texts in place of its named slots; words have no braces."""
    return _SLOT.sub(lambda slot: texts.get(slot[1], slot[0]), region)


def check(design: DesignFile, lexicon: Lexicon | None) -> list[Fault]:
    """Return every fault of a design and of the forms in its lexicon.

    Nothing is said of what could only be wrong because a line or the lexicon is.
    """
    case_faults = [*_case_faults(design.cases)]
    missing_columns = [*_missing_columns(design, lexicon)]
    faults = [*case_faults, *missing_columns]
    if lexicon:
        faults += _missing_forms(design, lexicon)
    if not design.cases or case_faults:
        return faults
    faults += _violation_faults(design)
    if design.frame:
        faults += _frame_faults(design.frame, design.case_names)
    meant = NearestNames()
    for template in design.templates:
        # A case that the lexicon does not know is likely to be misspelt, not every template.
        if design.frame and not missing_columns:
            faults += _entry_faults(template, design.frame, design.case_names)
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
        sentences = ((each.name, sentence(template, each, design.joiner)) for each in every)
        for (name, text), (before, _) in itertools.islice(repeated(sentences, itemgetter(1)), 1):
            what = f"{before} and {name} are both {text!r}"
            hint = "take nouns none of whose forms begins with another one"
            yield template.place.fault(what, hint)


def _case_faults(cases: Sequence[Written]) -> Iterator[Fault]:
    if cases and not FEWEST <= len(cases) <= MOST:
        place = cases[min(MOST, len(cases) - 1)].place
        there = "there is one case" if len(cases) == 1 else f"there are {len(cases)} cases"
        yield place.fault(there, f"a design has {FEWEST} to {MOST}")
    for case in cases:
        if not case.text.isalpha():
            hint = "write letters only: conditions are named after it"
            yield case.fault(f"{case.text!r} is no name of a case", hint)
    yield from _repeated(cases)


def _missing_columns(design: DesignFile, lexicon: Lexicon | None) -> Iterator[Fault]:
    columns = lexicon.source.columns if lexicon else ()
    if lexicon is None or WORD not in columns:
        return
    others = [each for each in columns if each not in design.case_names]
    for case in design.cases:
        if case.text not in columns:
            hint = NearestNames().hint(case.text, others, f"it has {', '.join(columns)}")
            yield case.fault(f"{lexicon.source.name} has no column {case.text}", hint)


def _missing_forms(design: DesignFile, lexicon: Lexicon) -> Iterator[Fault]:
    for word, noun in lexicon.nouns.items():
        for column in dict.fromkeys(design.case_names):
            if column in noun.written.names and column not in noun.cells:
                hint = "write its form, with its article"
                yield noun.fault(column, f"{word} has no {column}", hint)


def _violation_faults(design: DesignFile) -> Iterator[Fault]:
    if not design.violations:
        return
    kind, *doubled = design.violations
    if kind.text != DOUBLE:
        hint = f"write violations: {DOUBLE}, or the cases that are: violations: {DOUBLE} nom"
        yield kind.fault(f"there are no violations {kind.text!r}", hint)
        return
    for case in doubled:
        if case.text not in design.case_names:
            hint = _choice(case, design.case_names)
            yield case.fault(f"there is no case {case.text}", hint)
    yield from _repeated([case for case in doubled if case.text in design.case_names])


def _frame_faults(frame: Frame, cases: Sequence[str]) -> Iterator[Fault]:
    arguments = [f"{{{number}}}" for number in range(1, len(cases) + 1)]
    written = ", ".join(arguments)
    missing = [each for each in arguments if each not in map(str, frame.slots)]
    if missing:
        hint = f"it needs {written}: as many as there are cases"
        yield frame.place.fault(f"the frame has no {', '.join(missing)}", hint)
    yield from _repeated(frame.slots)
    for slot in frame.slots:
        name = slot.text[1:-1]
        if name in cases:
            what = f"{name} is a case, and each argument has each case"
            yield slot.fault(what, f"write {written}")
        elif name.isdecimal() and slot.text not in arguments:
            hint = f"there are {written}: as many as there are cases"
            yield slot.fault(f"there is no argument {slot}", hint)


def _entry_faults(template: TemplateLine, frame: Frame, cases: Sequence[str]) -> Iterator[Fault]:
    """Yield what a template says too much or too little."""
    slots = (slot.text[1:-1] for slot in frame.slots)
    expected = [*dict.fromkeys([*cases, *(each for each in slots if not each.isdecimal())])]
    names = [name for name, _ in template.entries]
    yield from _repeated(names)
    missing = [each for each in expected if each not in map(str, names)]
    for name in names:
        if name.text not in expected:
            what = f"there is no case and no slot {name.text!r}"
            yield name.fault(what, _choice(name, missing or expected))
    for each in missing:
        hint = f"write | {each} {'NOUN' if each in cases else 'TEXT'}"
        yield template.place.fault(f"this template has no {each}", hint)


def _noun_faults(
    template: TemplateLine, cases: Sequence[str], lexicon: Lexicon | None, meant: NearestNames
) -> Iterator[Fault]:
    nouns: dict[str, Written] = {}
    for name, noun in template.entries:
        if name.text not in cases:
            continue
        if noun.text in nouns:
            what = f"the noun {noun.text} stands here for the second time"
            yield noun.fault(what, "take another one")
        elif lexicon and lexicon.is_whole and noun.text not in lexicon.nouns:
            hint = meant.hint(noun.text, lexicon.nouns, "add it")
            yield noun.fault(f"{lexicon.source.name} has no {noun.text}", hint)
        nouns.setdefault(noun.text, noun)
    if lexicon:
        yield from _alike(nouns, cases, lexicon)


def _alike(nouns: dict[str, Written], cases: Sequence[str], lexicon: Lexicon) -> Iterator[Fault]:
    """Yield a fault for each form that is spelt as one before it (syncretism)."""
    forms = [
        (word, case, lexicon.nouns[word].cells[case])
        for word, case in itertools.product(nouns, cases)
        if word in lexicon.nouns and case in lexicon.nouns[word].cells
    ]
    for (word, case, form), (other, its_case, _) in repeated(forms, itemgetter(2)):
        what = f"{other} in {its_case} and {word} in {case} are both {form!r}"
        hint = "take another noun"
        if other == word:
            what = f"{word} is {form!r} both in {its_case} and in {case}"
            hint = "take a noun whose cases differ"
        yield nouns[word].fault(f"{what}, {_ALIKE}", hint)


def _repeated_templates(templates: Sequence[TemplateLine]) -> Iterator[Fault]:
    for template, before in repeated(templates, _said):
        what = f"this template says what that of line {before.place.line} does"
        yield template.place.fault(what, "remove one of the two")


def _said(template: TemplateLine) -> frozenset[tuple[str, str]]:
    return frozenset((name.text, content.text) for name, content in template.entries)


def _repeated(every: Sequence[Written]) -> Iterator[Fault]:
    for each, _ in repeated(every, str):
        yield each.fault(f"{each} stands here for the second time", "remove one of the two")


def _choice(written: Written, known: Sequence[str]) -> str:
    if len(known) == 1:
        return f"did you mean {known[0]}?"
    return NearestNames().hint(written.text, known, f"it is one of {', '.join(known)}")


def read_design(path: Path) -> tuple[Design, dict[str, DecodedText]]:
    """Read a design and its lexicon; return it, and what was read, by the names of the files.

    Raises `InputError` if the design cannot be read, and `GrammarError` with every fault of both.
    """
    read = DecodedText.read_words(path)
    design_file, faults = parse_design(read.text, file=str(path))
    lexicon = None
    if named := design_file.lexicon:
        lexicon, lexicon_faults = read_lexicon(named.text, named.place, folder=path.parent)
        faults += lexicon_faults
    faults += check(design_file, lexicon)
    # Those of the design come first.
    raise_any(faults, str(path))
    assert named and lexicon and design_file.frame  # noqa: PT018, S101 - or faults
    design = resolved(design_file, design_file.frame, lexicon)
    raise_any(check_sentences(design))
    return design, {path.name: read, named.text: lexicon.source.read}


def parse_design(text: str, *, file: str) -> tuple[DesignFile, list[Fault]]:
    """Return what the text of a design says, and what is wrong with its statements."""
    design = DesignFile(file=file)
    found, faults = statements(text, file, USAGE, once=USAGE.keys() - {"meta", "template"})
    for each in found:
        with collected(faults):
            faults += _read(each, design)
    # A statement that is not there may be one that could not be read.
    there = {"meta", LANGUAGE, *(each.keyword for each in found)} if not faults else {*USAGE}
    whole = Place(file=file)
    for keyword, usage in USAGE.items():
        if keyword not in there:
            faults.append(whole.fault(f"there is no line {keyword}:", f"write {usage}"))
    return design, faults


def _read(statement: Statement, design: DesignFile) -> list[Fault]:
    """Take a statement into a design; return what is wrong with what it says of the suite.

    Raises `GrammarError` for a content that cannot be read.
    """
    match statement.keyword:
        case "meta" | "language":
            key = replace(statement.name, text=statement.name.text or LANGUAGE)
            content = Written(place=statement.content_place, text=statement.text)
            return add_meta(design.meta, key, content, made=_MADE)
        case "lexicon":
            place = statement.content_place
            design.lexicon = Written(place=place, text=statement.content)
        case "template":
            entries = tuple(
                (statement.written(name), statement.written(content))
                for name, content in (each.children for each in statement.tree().find_data("entry"))
            )
            design.templates.append(TemplateLine(place=statement.at(0), entries=entries))
        case "frame":
            tree = statement.tree()
            design.frame = Frame(
                place=statement.at(0),
                regions=tuple(statement.written(each).text for each in tree.children),
                slots=tuple(map(statement.written, tree.find_data("place"))),
            )
        case "cases":
            design.cases = tuple(map(statement.written, statement.tree().children))
        case _:
            design.violations = tuple(map(statement.written, statement.tree().children))
    return []
