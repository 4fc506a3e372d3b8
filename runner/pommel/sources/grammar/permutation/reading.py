"""Permutation designs from their files, and what can be wrong with them.

The nouns' forms are in a lexicon beside the design, with a column `word`, and one for each case.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

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
from pommel.sources.grammar.text import Meta, NearestNames, Written, add_meta, repeated

if TYPE_CHECKING:
    from lark import ParseTree

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

# The forms of nouns, in the order of the cases.
Nouns = Mapping[str, tuple[str, ...]]


def read_design(path: Path) -> tuple[Design, dict[str, DecodedText]]:
    """Read a design and its lexicon; return it, and what was read, by the names of the files.

    Raises `InputError` if the design cannot be read, and `GrammarError` with every statement that
    is wrong, or else with all that is wrong with the lexicon, with the cases and the words of it,
    with what is made of them, or with the sentences.
    """
    read = DecodedText.read_words(path)
    written = parse_design(read.text, file=str(path))
    named, cases = written.lexicon, written.case_names
    lexicon = read_lexicon_file(named.text, named.place, folder=path.parent, required=(WORD,))
    faults = [*_case_faults(written.cases, lexicon), *_word_faults(lexicon.rows, cases)]
    # Those of the design come first.
    raise_any(faults, str(path))
    nouns = {row.cells[WORD]: tuple(row.cells[case] for case in cases) for row in lexicon.rows}
    raise_any(_design_faults(written, nouns, lexicon.name))
    design = _resolved(written, nouns)
    raise_any(_sentence_faults(design))
    return design, {path.name: read, named.text: lexicon.read}


def parse_design(text: str, *, file: str) -> DesignFile:
    """Return what the text of a design says. Raises `GrammarError` with every wrong statement."""
    meta: Meta = {}
    found, faults = statements(text, file, USAGE, once=USAGE.keys() - {"meta", "template"})
    parsed: list[tuple[Statement, ParseTree]] = []
    for each in found:
        with collected(faults):
            if each.keyword in ("meta", LANGUAGE):
                key = replace(each.name, text=each.name.text or LANGUAGE)
                content = Written(place=each.content_place, text=each.text)
                faults += add_meta(meta, key, content, made=_MADE)
            else:
                parsed.append((each, each.tree()))
    raise_any(faults)
    once = {each.keyword: (each, tree) for each, tree in parsed}
    whole = Place(file=file)
    raise_any(
        whole.fault(f"there is no line {keyword}:", f"write {usage}")
        for keyword, usage in USAGE.items()
        if keyword not in ("meta", LANGUAGE, *once)
    )
    frame, regions = once["frame"]
    return DesignFile(
        meta=meta,
        lexicon=_words(*once["lexicon"])[0],
        cases=_words(*once["cases"]),
        frame=Frame(
            place=frame.at(0),
            regions=tuple(frame.written(each).text for each in regions.children),
            slots=tuple(map(frame.written, regions.find_data("place"))),
        ),
        violations=_words(*once["violations"]),
        templates=tuple(
            _template(each, tree) for each, tree in parsed if each.keyword == "template"
        ),
    )


def _words(statement: Statement, tree: "ParseTree") -> tuple[Written, ...]:
    return tuple(map(statement.written, tree.children))


def _template(statement: Statement, tree: "ParseTree") -> TemplateLine:
    entries = (each.children for each in tree.find_data("entry"))
    return TemplateLine(
        place=statement.at(0),
        entries=tuple(
            (statement.written(name), statement.written(content)) for name, content in entries
        ),
    )


def _case_faults(cases: Sequence[Written], lexicon: LexiconFile) -> Iterator[Fault]:
    if not FEWEST <= len(cases) <= MOST:
        place = cases[min(MOST, len(cases) - 1)].place
        there = "there is one case" if len(cases) == 1 else f"there are {len(cases)} cases"
        yield place.fault(there, f"a design has {FEWEST} to {MOST}")
    others = [each for each in lexicon.columns if each not in map(str, cases)]
    for case in cases:
        if not case.text.isalpha():
            hint = "write letters only: conditions are named after it"
            yield case.fault(f"{case.text!r} is no name of a case", hint)
        if case.text not in lexicon.columns:
            otherwise = f"it has {', '.join(lexicon.columns)}"
            hint = NearestNames().hint(case.text, others, otherwise)
            yield case.fault(f"{lexicon.name} has no column {case}", hint)
    yield from _repeated(cases)


def _word_faults(rows: Sequence[Row], cases: Sequence[str]) -> Iterator[Fault]:
    for row in rows:
        if WORD not in row.cells:
            yield row.fault(WORD, "this row has no word", "write one")
        for case in cases:
            if case in row.written.names and case not in row.cells:
                hint = "write its form, with its article"
                yield row.fault(case, f"{row.name} has no {case}", hint)
    named = (row for row in rows if WORD in row.cells)
    for row, before in repeated(named, lambda each: each.cells[WORD]):
        what = f"{row.name} stands here for the second time, after line {before.written.line}"
        yield row.fault(WORD, what, "give one of the two another name")


def _design_faults(design: DesignFile, nouns: Nouns, lexicon: str) -> Iterator[Fault]:
    """Yield what is wrong with violations, the frame and templates; `lexicon` is its name."""
    cases = design.case_names
    kind, *doubled = design.violations
    if kind.text != DOUBLE:
        hint = f"write violations: {DOUBLE}, or the cases that are: violations: {DOUBLE} nom"
        yield kind.fault(f"there are no violations {kind.text!r}", hint)
    for case in doubled:
        if case.text not in cases:
            yield case.fault(f"there is no case {case}", _choice(case, cases))
    yield from _repeated(doubled)
    yield from _frame_faults(design.frame, cases)
    meant = NearestNames()
    for template in design.templates:
        yield from _entry_faults(template, design.frame, cases)
        own = [noun for name, noun in template.entries if name.text in cases]
        yield from _repeated(own, "take another noun")
        for noun in own:
            if noun.text not in nouns:
                hint = meant.hint(noun.text, nouns, "add it")
                yield noun.fault(f"{lexicon} has no {noun}", hint)
        yield from _alike(own, cases, nouns)
    for template, before in repeated(design.templates, _said):
        what = f"this template says what that of line {before.place.line} does"
        yield template.place.fault(what, "remove one of the two")


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


def _alike(own: Sequence[Written], cases: Sequence[str], nouns: Nouns) -> Iterator[Fault]:
    """Yield a fault for each form that is spelt as one before it (syncretism)."""
    forms = [
        (noun, case, form)
        for noun in {each.text: each for each in own if each.text in nouns}.values()
        for case, form in zip(cases, nouns[noun.text], strict=True)
    ]
    for (noun, case, form), (other, its_case, _) in repeated(forms, itemgetter(2)):
        what = f"{other} in {its_case} and {noun} in {case} are both {form!r}"
        hint = "take another noun"
        if other == noun:
            what = f"{noun} is {form!r} both in {its_case} and in {case}"
            hint = "take a noun whose cases differ"
        yield noun.fault(f"{what}, {_ALIKE}", hint)


def _said(template: TemplateLine) -> frozenset[tuple[str, str]]:
    return frozenset((name.text, content.text) for name, content in template.entries)


def _repeated(every: Sequence[Written], hint: str = "remove one of the two") -> Iterator[Fault]:
    for each, _ in repeated(every, str):
        yield each.fault(f"{each} stands here for the second time", hint)


def _choice(written: Written, known: Sequence[str]) -> str:
    if len(known) == 1:
        return f"did you mean {known[0]}?"
    return NearestNames().hint(written.text, known, f"it is one of {', '.join(known)}")


def _resolved(design: DesignFile, nouns: Nouns) -> Design:
    """Return the design that a file without faults and its lexicon are."""
    cases = design.case_names
    templates = []
    for line in design.templates:
        said = {name.text: content.text for name, content in line.entries}
        own = tuple(said[case] for case in cases)
        templates.append(
            Template(
                place=line.place,
                nouns=own,
                forms=tuple(nouns[noun] for noun in own),
                regions=tuple(_filled(region, said) for region in design.frame.regions),
            )
        )
    names = (_SLOT.sub(r"\1", _ARGUMENT.sub(r"argument \1", each)) for each in design.frame.regions)
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


def _sentence_faults(design: Design) -> Iterator[Fault]:
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
