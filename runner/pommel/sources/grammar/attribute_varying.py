"""Attribute-varying grammars: minimal sets from templates (Mueller et al. 2020, section 4.2).

Two ways of writing a rule are read, that of the published files (`V[3,s] aime | déteste`) and that
of the paper (`V[3,s] -> aime | déteste`). Lines that begin with `#` are comments.
`vary: V[1] ; V[s]` says what is varied. The rules of `common.avg`, in the same folder, come before
those of any other file there; a preterminal that has rules in both has the alternatives of both.

What can be wrong though each line is right: the published program loses text without a word in
most of these cases. Sets come in its order: of the symbols that are not varied the last changes
slowest, and the varied one's alternatives change fastest.
"""

import itertools
import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.errors import Fault, Place
from pommel.files import DecodedText
from pommel.sources.grammar.source import raise_any, recipe
from pommel.sources.grammar.text import (
    Block,
    NearestNames,
    Unparsed,
    Written,
    distinct_words,
    parsed,
    shown,
    unequal_lists,
)
from pommel.sources.minimal_sets import MinimalSet
from pommel.values import frozen

if TYPE_CHECKING:
    from lark import Token

# What a template is of, and what the line begins with that says which symbol is varied.
START = "S"
VARY = "vary"
COMMON = "common.avg"
_VARY = re.compile(rf"{VARY}\s*(:|\s|$)")
_ENTRY = re.compile(r"\s*([^\s\[\];|]+)\s*(?:\[([^\[\]]*)\])?\s*")


@frozen
class Preterminal:
    """A name with attributes, `V[3,s]`. Attributes are a set: `V[s,3]` is the same."""

    name: str
    attributes: frozenset[str]

    def __str__(self) -> str:
        return f"{self.name}[{','.join(sorted(self.attributes))}]"

    def concerns(self, other: "Preterminal") -> bool:
        """Say whether another one has its name and all its attributes, as an entry of `vary:`."""
        return other.name == self.name and self.attributes <= other.attributes


@frozen
class Symbol(Written):
    """A part of a template: a preterminal, or a terminal (`text`)."""

    preterminal: Preterminal | None = None


# One alternative of `S[]`: what a sentence is made of, in order.
Template = tuple[Symbol, ...]


@frozen
class Alternatives:
    """What a preterminal may be, one space between words, and where its first rule stands."""

    place: Place
    texts: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class AttributeGrammar:
    """Templates, what their preterminals may be, in the order of the files, and what is varied.

    Whatever a template names is among `alternatives`; each template varies exactly one symbol.
    `vary` has the place of each entry: it replaces what it concerns by others that it concerns.
    """

    templates: list[Template] = field(default_factory=list)
    alternatives: dict[Preterminal, Alternatives] = field(default_factory=dict)
    vary: dict[Preterminal, Place] = field(default_factory=dict)

    def is_varied(self, symbol: Symbol) -> bool:
        """Say whether a symbol of a template is one that is varied."""
        found = symbol.preterminal
        return found is not None and any(each.concerns(found) for each in self.vary)

    def counterparts(self, preterminal: Preterminal) -> tuple[Preterminal, ...]:
        """Return what is put in a varied preterminal's place, in the order of the files.

        All entries of `vary` that concern it count, each with those of its name that have the
        entry's attributes; the preterminal itself is not among them (Mueller et al. 2020, where
        the published program repeats it).
        """
        entries = [each for each in self.vary if each.concerns(preterminal)]
        return tuple(
            other
            for other in self.alternatives
            if other != preterminal and any(each.concerns(other) for each in entries)
        )


def check(grammar: AttributeGrammar, *, file: str) -> list[Fault]:
    """Return every fault of a grammar whose names are right, or else those of its names.

    `file` is the grammar's own file, for what concerns all of it.
    """
    whole = Place(file=file)
    if not grammar.templates:
        hint = "write one: S[] NAME[attributes] NAME[attributes]"
        return [whole.fault("there is no template", hint)]
    if not grammar.vary:
        return [whole.fault("nothing is varied", "write which symbol is: vary: NAME[]")]
    return [*_unknown(grammar), *_varies_nothing(grammar)] or [
        fault for each in grammar.templates for fault in _template_faults(grammar, each)
    ]


def _unknown(grammar: AttributeGrammar) -> Iterator[Fault]:
    known = list(map(str, grammar.alternatives))
    otherwise = f"there is {shown(known) or 'none'}"
    meant = NearestNames()
    for symbol in (each for template in grammar.templates for each in template):
        found = symbol.preterminal
        if found is None or found in grammar.alternatives:
            continue
        alike = [str(each) for each in grammar.alternatives if each.name == found.name]
        hint = meant.hint(str(found), alike or known, otherwise)
        yield symbol.fault(f"there is no rule for {found}", hint)


def _varies_nothing(grammar: AttributeGrammar) -> Iterator[Fault]:
    symbols = dict.fromkeys(itertools.chain.from_iterable(grammar.templates))
    there = [each.preterminal for each in symbols if each.preterminal]
    names = shown(dict.fromkeys(each.name for each in there))
    for entry, place in grammar.vary.items():
        if not any(entry.concerns(each) for each in there):
            alike = shown(dict.fromkeys(each for each in there if each.name == entry.name))
            what = f"no template has a symbol that vary: {entry} concerns"
            yield place.fault(what, f"templates have {alike or names or 'no preterminals'}")


def _template_faults(grammar: AttributeGrammar, template: Template) -> Iterator[Fault]:
    varied = [symbol for symbol in template if grammar.is_varied(symbol)]
    if not varied:
        what = "nothing of this template is varied, so that no sentence would come of it"
        yield template[0].fault(what, "name one of its symbols in vary:")
    for symbol in varied[1:]:
        what = f"this template varies {varied[0].text} and {symbol.text}: an ambiguous contrast"
        hint = "sets differ in one symbol; name the other one differently, or vary it elsewhere"
        yield symbol.fault(what, hint)
    preterminal = varied[0].preterminal if len(varied) == 1 else None
    if preterminal:
        n = len(grammar.alternatives[preterminal].texts)
        for other in grammar.counterparts(preterminal):
            found = grammar.alternatives[other]
            if len(found.texts) != n:
                yield unequal_lists(found.place, other, len(found.texts), preterminal, n)


def read_grammar(path: Path) -> tuple[AttributeGrammar, dict[str, DecodedText]]:
    """Read a grammar's file, and `common.avg` beside it if there is one.

    Return it, and what was read, by the names of the files. Raises `InputError` if one cannot be
    read, and `GrammarError` with every fault of both.
    """
    common = path.with_name(COMMON)
    paths = [common, path] if path.name != COMMON and common.is_file() else [path]
    read = [DecodedText.read_words(each) for each in paths]
    sources = [(text.text, str(each)) for text, each in zip(read, paths, strict=True)]
    files = {each.name: text for text, each in zip(read, paths, strict=True)}
    return parse_grammar(sources), files


def parse_grammar(sources: Sequence[tuple[str, str]]) -> AttributeGrammar:
    """Return the grammar that texts are together, (text, name of its file) each.

    Raises `GrammarError` with every line that is wrong, or else as `check` says.
    """
    grammar = AttributeGrammar()
    order = [file for _, file in sources]
    raise_any(
        (
            fault
            for text, file in sources
            for number, line in enumerate(DecodedText.of(text).lines, start=1)
            for fault in _add(grammar, Block(file=file, line=number, text=line))
        ),
        *order,
    )
    raise_any(check(grammar, file=order[-1]), *order)
    return grammar


def _add(grammar: AttributeGrammar, line: Block) -> Iterator[Fault]:
    """Take in a line; yield what is wrong with it."""
    found = _VARY.match(line.text)
    if not line.text.strip() or line.text.startswith("#"):
        return
    if found is None:
        yield from _add_rule(grammar, line)
    elif found[1] == ":":
        yield from _add_vary(grammar, line, found.end())
    else:
        yield line.at(0).fault("vary has no colon", "write vary: NAME[attributes]")


def _add_vary(grammar: AttributeGrammar, line: Block, start: int) -> Iterator[Fault]:
    for entry in line.text[start:].split(";"):
        place = line.at(start + len(entry) - len(entry.lstrip()))
        found = _ENTRY.fullmatch(entry)
        if found:
            grammar.vary.setdefault(_preterminal(found[1], found[2] or ""), place)
        else:
            what = f"{entry.strip()!r} names nothing that could be varied"
            yield place.fault(what, "write NAME[attributes], several with ; between")
        start += len(entry) + 1


def _add_rule(grammar: AttributeGrammar, line: Block) -> Iterator[Fault]:
    tree = parsed(line.text, "attribute_varying.lark")
    if isinstance(tree, Unparsed):
        yield _syntax_fault(tree, line.at(tree.offset))
        return
    name = _symbol(tree.children[0], line)
    alternatives = [
        tuple(_symbol(token, line) for token in each.children)
        for each in tree.find_data("alternative")
    ]
    own = name.preterminal
    if START in (name.text, own and own.name):
        grammar.templates += alternatives
    elif own is None:
        hint = f"write {name.text}[], or {name.text}[attributes]"
        yield name.fault(f"{name.text!r} has no brackets", hint)
    else:
        for symbol in (each for one in alternatives for each in one if each.preterminal):
            what = f"{own} is made of {symbol.preterminal}"
            hint = "only S[] may be made of preterminals; write out what it stands for"
            yield symbol.fault(what, hint)
        found = grammar.alternatives.setdefault(own, Alternatives(place=name.place))
        found.texts.extend(" ".join(symbol.text for symbol in each) for each in alternatives)


def _symbol(token: "Token", line: Block) -> Symbol:
    text = str(token)
    place = line.place(token)
    if token.type != "PRETERMINAL":
        return Symbol(place=place, text=text)
    name, _, attributes = text.removesuffix("]").partition("[")
    return Symbol(place=place, text=text, preterminal=_preterminal(name, attributes))


def _preterminal(name: str, attributes: str) -> Preterminal:
    own = frozenset(filter(None, (each.strip() for each in attributes.split(","))))
    return Preterminal(name=name, attributes=own)


def _syntax_fault(found: Unparsed, place: Place) -> Fault:
    """Say what is wrong with a line that is no rule."""
    if found.character in ("[", "]"):
        hint = "write NAME[attribute,attribute], with nothing between name and bracket"
        return place.fault("this bracket has no partner", hint)
    if found.is_at_end and not found.text.rstrip().endswith("|"):
        hint = "write what it may be: NAME[attributes] a | b"
        return place.fault("nothing follows the name", hint)
    if found.is_at_end or found.word == "|" or found.character == "|":
        hint = "take one of them away, or write a word"
        return place.fault("there is nothing between two |", hint)
    return place.fault(f"{found.word!r} has no place here", "write NAME[attributes] a | b")


# An alternative of the varied symbol, and what is put in its place.
Forms = tuple[str, tuple[str, ...]]


class TemplateSets:
    """The sets of one template, of which only its parts are kept."""

    def __init__(self, grammar: AttributeGrammar, template: Template) -> None:
        """Take a template that varies one symbol, as those of a grammar do."""
        (self._place,) = (n for n, each in enumerate(template) if grammar.is_varied(each))
        others = [*template]
        varied = others.pop(self._place).preterminal
        self._choices: list[Sequence[str]] = [
            grammar.alternatives[each.preterminal].texts if each.preterminal else (each.text,)
            for each in others
        ]
        self.forms: tuple[Forms, ...] = _forms(grammar, varied) if varied else ()
        self.n_sets = len(self.forms) * math.prod(map(len, self._choices))

    def __iter__(self) -> Iterator[MinimalSet]:
        # The first factor of a product changes slowest.
        for chosen in itertools.product(*reversed(self._choices)):
            before, after = self._around(chosen[::-1])
            for form, others in self.forms:
                yield MinimalSet(before, form, others, after)

    def __getitem__(self, index: int) -> MinimalSet:
        """Return the set with that number, from 0."""
        index, fastest = divmod(index, len(self.forms))
        chosen = []
        for choices in self._choices:
            index, digit = divmod(index, len(choices))
            chosen.append(choices[digit])
        before, after = self._around(chosen)
        return MinimalSet(before, *self.forms[fastest], after)

    @property
    def texts(self) -> Iterator[str]:
        """All that its sentences are made of."""
        yield from itertools.chain.from_iterable(self._choices)
        for form, others in self.forms:
            yield from (form, *others)

    def _around(self, chosen: Sequence[str]) -> tuple[str, str]:
        return " ".join(chosen[: self._place]), " ".join(chosen[self._place :])


def _forms(grammar: AttributeGrammar, varied: Preterminal) -> tuple[Forms, ...]:
    """Return each alternative of a symbol with its counterparts'.

    One that is spelt as the grammatical form, or as another one, is left out.
    """
    own = grammar.alternatives[varied].texts
    lists = [grammar.alternatives[each].texts for each in grammar.counterparts(varied)]
    return tuple(
        (form, tuple(each for each in dict.fromkeys(others) if each != form))
        for form, *others in zip(own, *lists, strict=True)
    )


class GrammarSets:
    """The sets of all templates, in their order."""

    def __init__(self, grammar: AttributeGrammar) -> None:
        """Take a grammar as `read_grammar` returns it."""
        self._templates = [TemplateSets(grammar, each) for each in grammar.templates]
        self._ends = list(itertools.accumulate(each.n_sets for each in self._templates))
        self.n_sets = self._ends[-1]

    @property
    def ungrammatical_counts(self) -> frozenset[int]:
        """How many ungrammatical sentences the sets have."""
        return frozenset(len(others) for each in self._templates for _, others in each.forms)

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences."""
        return distinct_words(text for each in self._templates for text in each.texts)

    def sets(self, indices: Iterable[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers (from 0), or all of them."""
        if indices is None:
            yield from itertools.chain.from_iterable(self._templates)
            return
        for index in indices:
            template = bisect_right(self._ends, index)
            first = self._ends[template - 1] if template else 0
            yield self._templates[template][index - first]


class AttributeVaryingSource(GrammarSets):
    """The sets of the grammar in a file, and in `common.avg` beside it."""

    def __init__(self, path: Path) -> None:
        """Read the grammar. Raises as `read_grammar` does."""
        grammar, files = read_grammar(path)
        super().__init__(grammar)
        self.recipe = recipe("attribute-varying grammar", files)
