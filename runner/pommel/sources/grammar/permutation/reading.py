"""Permutation designs from their files, and what can be wrong with them.

A line is a statement, `cases: nom acc dat`; one that begins with `#`, and the rest of one behind a
`#` between spaces, is a comment. The nouns' forms are in a lexicon beside the design, with a column
`word`, and one for each case.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from pommel.errors import Fault, Place, nearest
from pommel.files import DecodedText
from pommel.sources.grammar.lexicon_file import LexiconFile, Row, read_lexicon_file
from pommel.sources.grammar.permutation.design import (
    Design,
    DesignFile,
    Frame,
    Part,
    Template,
    TemplateLine,
    arrangements,
    sentence,
)
from pommel.sources.grammar.source import GrammarError, collected, raise_any
from pommel.sources.grammar.text import SHOWN, NearestNames, Written, add_meta, repeated
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
_META = re.compile(r"\s*(?:meta\s+([^\s:]+)|(language))\s*:")
_COMMENT = re.compile(r"(?:^|\s)#(?=\s|$).*")
_TOKEN = re.compile(r"\{[^\s|{}]*\}|[^\s|{}]+|[|{}]")
# How many words stand at least behind a keyword, or between two |.
_FEWEST_WORDS = {"lexicon": 1, "cases": 1, "frame": 1, "violations": 1, "template": 2}


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
    rows = source.rows if len(set(source.columns)) == len(source.columns) else ()
    for row in rows if WORD in source.columns else ():
        if WORD not in row.cells:
            faults.append(row.place(WORD).fault("this row has no word", "write one"))
    named = [row for row in rows if WORD in row.cells]
    for row, before in repeated(named, lambda each: each.cells[WORD]):
        what = f"{row.cells[WORD]} stands here for the second time, after line "
        hint = "give one of the two another name"
        faults.append(row.place(WORD).fault(f"{what}{before.written.line}", hint))
    # The first of several counts.
    nouns = {row.cells[WORD]: row for row in named[::-1]}
    return Lexicon(source=source, nouns=nouns, is_whole=not faults), faults


def resolved(design: DesignFile, frame: Frame, lexicon: Lexicon) -> Design:
    """Return the design that a file without faults and its lexicon are."""
    cases = design.case_names
    numbers = [str(number) for number in range(1, len(cases) + 1)]
    templates = []
    for line in design.templates:
        said = {name.text: content.text for name, content in line.entries}
        nouns = tuple(said[case] for case in cases)
        # The lexer lets no braces into words, so that all those in a format string are ours.
        said |= {number: f"{{{place}}}" for place, number in enumerate(numbers)}
        forms = tuple(tuple(lexicon.nouns[noun].cells[case] for case in cases) for noun in nouns)
        regions = tuple(_spelt(region, said) for region in frame.regions)
        templates.append(Template(place=line.place, nouns=nouns, forms=forms, regions=regions))
    arguments = {number: f"argument {number}" for number in numbers}
    return Design(
        meta=design.meta,
        cases=cases,
        doubled=tuple(each.text for each in design.violations[1:]) or cases,
        region_names={
            str(number): _spelt(region, arguments)
            for number, region in enumerate(frame.regions, start=1)
        },
        templates=tuple(templates),
    )


def _spelt(region: Sequence[Part], texts: Mapping[str, str]) -> str:
    """Return a region with texts in place of the slots that have these names."""
    return "".join(
        " " * each.is_apart + (texts.get(each.text, each.text) if each.is_slot else each.text)
        for each in region
    )


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
            if column in noun.columns and column not in noun.cells:
                hint = "write its form, with its article"
                yield noun.place(column).fault(f"{word} has no {column}", hint)


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
    numbers = [str(number) for number in range(1, len(cases) + 1)]
    written = ", ".join(f"{{{number}}}" for number in numbers)
    names = [slot.text for slot in frame.slots]
    has_arguments = any(slot.is_argument for slot in frame.slots)
    if not has_arguments:
        what = "the frame has no slot for an argument"
        yield frame.place.fault(what, f"write {written} where the arguments stand")
    for number in numbers if has_arguments else ():
        if number not in names:
            hint = f"it needs {written}: as many as there are cases"
            yield frame.place.fault(f"the frame has no {{{number}}}", hint)
    for index, slot in enumerate(frame.slots):
        if slot.text in names[:index]:
            what = f"{{{slot.text}}} stands here for the second time"
            yield slot.fault(what, "remove one of the two")
        elif not slot.text:
            yield slot.fault("this slot has no name", f"write {written}, or {{verb}}")
        elif slot.text in cases:
            what = f"{slot.text} is a case, and each argument has each case"
            yield slot.fault(what, f"write {written}")
        elif slot.is_argument and slot.text not in numbers:
            hint = f"there are {written}: as many as there are cases"
            yield slot.fault(f"there is no argument {{{slot.text}}}", hint)


def _entry_faults(template: TemplateLine, frame: Frame, cases: Sequence[str]) -> Iterator[Fault]:
    """Yield what a template says too much or too little."""
    named = dict.fromkeys(slot.text for slot in frame.slots if not slot.is_argument)
    expected = [*cases, *(name for name in named if name and name not in cases)]
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
    """Return what the text of a design says, and what is wrong with its lines."""
    design = DesignFile(file=file)
    faults: list[Fault] = []
    first: dict[tuple[bool, str], int] = {}
    # Keywords whose lines need not be there, or are there, maybe wrong.
    known: set[str | None] = {"meta", LANGUAGE}
    for number, written in enumerate(DecodedText.of(text).lines, start=1):
        line = "" if written.lstrip().startswith("#") else _COMMENT.sub("", written).rstrip()
        if not line:
            continue
        begin = Place(file=file, line=number, column=1)
        meta = _META.match(line)
        keyword = line.partition(":")[0].strip()
        known |= {keyword, _meant(line)}
        name = meta[1] or LANGUAGE if meta else keyword
        before = first.setdefault((bool(meta), name), number)
        with collected(faults):
            if before != number and (meta or (keyword in USAGE and keyword != "template")):
                what = f"{name} stands here for the second time, after line {before}"
                place = begin.further(line.index(name))
                raise GrammarError.at(place, what, "remove one of the two")
            if meta:
                faults += _read_meta(meta, begin, design)
            else:
                _read(keyword, line, begin, design)
    whole = Place(file=file, line=0, column=0)
    for keyword, usage in USAGE.items():
        if keyword not in known:
            faults.append(whole.fault(f"there is no line {keyword}:", f"write {usage}"))
    return design, faults


def _read_meta(found: "re.Match[str]", begin: Place, design: DesignFile) -> list[Fault]:
    line = found.string
    content = line[found.end() :].lstrip()
    place = begin.further(len(line) - len(content))
    if not content:
        usage = USAGE["meta" if found[1] else LANGUAGE]
        what = f"nothing follows {found[0].split()[-1]!r}"
        raise GrammarError.at(place, what, f"write {usage}")
    key = Written(place=begin.further(found.start(found.lastindex or 0)), text=found[1] or LANGUAGE)
    return add_meta(design.meta, key, Written(place=place, text=content), made=_MADE)


def _read(keyword: str, line: str, begin: Place, design: DesignFile) -> None:
    """Take a line into a design. Raises `GrammarError`."""
    if ":" not in line or keyword not in _FEWEST_WORDS:
        place = begin.further(len(line) - len(line.lstrip()))
        meant = _meant(line)
        keywords = (f"{each} KEY:" if each == "meta" else f"{each}:" for each in USAGE)
        hint = f"write {USAGE[meant]}" if meant else f"lines begin with {', '.join(keywords)}"
        raise GrammarError.at(place, "this line is no statement", hint)
    parts = _parts(keyword, line, begin)
    place = begin.further(line.index(keyword))
    match keyword:
        case "lexicon":
            # A file's name may have more than one space.
            name = line.partition(":")[2].strip()
            design.lexicon = Written(place=parts[0][0].place, text=name)
        case "frame":
            design.frame = Frame(place=place, regions=tuple(map(tuple, parts)))
        case "template":
            entries = tuple(
                (name, Written(place=words[0].place, text=" ".join(map(str, words))))
                for name, *words in parts
            )
            design.templates.append(TemplateLine(place=place, entries=entries))
        case "cases":
            design.cases = tuple(parts[0])
        case _:
            design.violations = tuple(parts[0])


def _parts(keyword: str, line: str, begin: Place) -> list[list[Part]]:
    """Return the words behind a keyword, in a frame and a template those between each two |.

    Raises `GrammarError` for one that has no place there.
    """
    parts: list[list[Part]] = [[]]
    usage = f"write {USAGE[keyword]}"
    last = line.partition(":")[0].split()[-1] + ":"
    for found in [*_TOKEN.finditer(line, line.index(":") + 1), None]:
        text, start = (found[0], found.start()) if found else ("", len(line))
        place = begin.further(start)
        if not text or (text == "|" and keyword in ("frame", "template")):
            if len(parts[-1]) < _FEWEST_WORDS[keyword]:
                raise GrammarError.at(place, f"nothing follows {last!r}", usage)
            parts.append([])
        elif text in {"{", "}"} and keyword == "frame":
            raise GrammarError.at(place, "this brace has no partner", usage)
        elif text in {"}", "|"} or (text[0] == "{" and keyword != "frame"):
            word = line[start:].split(maxsplit=1)[0]
            raise GrammarError.at(place, f"{word[:SHOWN]!r} has no place here", usage)
        else:
            is_apart = bool(parts[-1]) and line[start - 1].isspace()
            part = Part(
                place=place, text=text.strip("{}"), is_slot=text[0] == "{", is_apart=is_apart
            )
            parts[-1].append(part)
        last = text
    return parts[:-1]


def _meant(line: str) -> str | None:
    """Return the keyword that a line begins with, or was probably meant to."""
    words = line.replace(":", " ").split()
    if not words or words[0] in USAGE:
        return words[0] if words else None
    return nearest(words[0], USAGE)
