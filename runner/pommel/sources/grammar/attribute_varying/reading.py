"""Attribute-varying grammars from their files.

Two ways of writing a rule are read, that of the published files (`V[3,s] aime | déteste`) and that
of the paper (`V[3,s] -> aime | déteste`). Lines that begin with `#` are comments.
`vary: V[1] ; V[s]` says what is varied. The rules of `common.avg`, in the same folder, come before
those of any other file there; a preterminal that has rules in both has the alternatives of both.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pommel.errors import Fault, GrammarError, Place
from pommel.files.text import DecodedText, lines, read_words
from pommel.sources.grammar.attribute_varying.checks import START, VARY, check
from pommel.sources.grammar.attribute_varying.tree import (
    Alternatives,
    AttributeGrammar,
    Preterminal,
    Symbol,
    Template,
    Vary,
)
from pommel.sources.grammar.lark_text import Unparsed, parsed

COMMON = "common.avg"

_VARY = re.compile(rf"{VARY}\s*(:|\s|$)")
_ENTRY = re.compile(r"\s*([^\s\[\];|]+)\s*(?:\[([^\[\]]*)\])?\s*")
_LEFT_NAME = re.compile(r"\s*([^\s|\[\]]*)")


def read_grammar(path: Path) -> tuple[AttributeGrammar, dict[str, DecodedText]]:
    """Read a grammar's file, and `common.avg` beside it if there is one.

    Return it, and what was read, by the names of the files. Raises `InputError` if one cannot be
    read, and `GrammarError` with every fault of both.
    """
    common = path.with_name(COMMON)
    paths = [common, path] if path.name != COMMON and common.is_file() else [path]
    read = [read_words(each) for each in paths]
    sources = [(text.text, str(each)) for text, each in zip(read, paths, strict=True)]
    files = {each.name: text for text, each in zip(read, paths, strict=True)}
    return parse_grammar(sources), files


def parse_grammar(sources: Sequence[tuple[str, str]]) -> AttributeGrammar:
    """Return the grammar that texts are together, (text, name of its file) each.

    Raises `GrammarError` with every fault. Nothing is said of what could only be wrong because a
    line is.
    """
    rules = _Rules()
    for text, file in sources:
        for number, line in enumerate(lines(text), start=1):
            rules.add(line, file=file, number=number)
    grammar = rules.grammar()
    order = [file for _, file in sources]
    faults = [*rules.faults, *check(grammar, file=order[-1], broken=rules.broken)]
    if faults:
        raise GrammarError(
            sorted(faults, key=lambda each: (order.index(each.file), each.line, each.column))
        )
    return grammar


@dataclass(slots=True)
class _Rules:
    """What has been read so far; `broken` are the names whose lines could not be read."""

    templates: list[Template] = field(default_factory=list)
    places: dict[Preterminal, Place] = field(default_factory=dict)
    texts: dict[Preterminal, list[str]] = field(default_factory=dict)
    vary: list[Vary] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)

    def add(self, line: str, *, file: str, number: int) -> None:
        """Take in one line."""
        begin = Place(file=file, line=number, column=1)
        if not line.strip() or line.startswith("#"):
            return
        found = _VARY.match(line)
        if found is None:
            self._add_rule(line, begin)
        elif found[1] == ":":
            self._add_vary(line, found.end(), begin)
        else:
            self._fault(begin, "vary has no colon", "write vary: NAME[attributes]")
            self.broken.add(VARY)

    def grammar(self) -> AttributeGrammar:
        """Return what has been read."""
        return AttributeGrammar(
            templates=tuple(self.templates),
            alternatives={
                each: Alternatives(place=self.places[each], texts=tuple(texts))
                for each, texts in self.texts.items()
            },
            vary=tuple(self.vary),
        )

    def _add_vary(self, line: str, start: int, begin: Place) -> None:
        for entry in line[start:].split(";"):
            place = begin.further(start + len(entry) - len(entry.lstrip()))
            found = _ENTRY.fullmatch(entry)
            if found:
                attributes = _attributes(found[2] or "")
                self.vary.append(Vary(place=place, name=found[1], attributes=attributes))
            else:
                what = f"{entry.strip()!r} names nothing that could be varied"
                self._fault(place, what, "write NAME[attributes], several with ; between")
                self.broken.add(VARY)
            start += len(entry) + 1

    def _add_rule(self, line: str, begin: Place) -> None:
        tree = parsed(line, "attribute_varying/rule.lark")
        if isinstance(tree, Unparsed):
            self.faults.append(_syntax_fault(tree, begin))
            left = _LEFT_NAME.match(line)
            self.broken |= {left[1]} if left else set()
            return
        name = _symbol(tree.children[0], begin)
        alternatives = [
            [_symbol(token, begin) for token in each.children]
            for each in tree.find_data("alternative")
        ]
        if name.text == START or (name.preterminal and name.preterminal.name == START):
            self.templates += [Template(symbols=tuple(each)) for each in alternatives]
        elif name.preterminal is None:
            what = f"{name.text!r} has no brackets"
            self._fault(name.place, what, f"write {name.text}[], or {name.text}[attributes]")
            self.broken.add(name.text)
        else:
            self._add_alternatives(name.preterminal, name.place, alternatives)

    def _add_alternatives(
        self, preterminal: Preterminal, place: Place, alternatives: Sequence[Sequence[Symbol]]
    ) -> None:
        for symbol in (symbol for each in alternatives for symbol in each if symbol.preterminal):
            what = f"{preterminal} is made of {symbol.preterminal}"
            hint = "only S[] may be made of preterminals; write out what it stands for"
            self._fault(symbol.place, what, hint)
        self.places.setdefault(preterminal, place)
        texts = self.texts.setdefault(preterminal, [])
        texts += (" ".join(symbol.text for symbol in each) for each in alternatives)

    def _fault(self, place: Place, message: str, hint: str) -> None:
        self.faults.append(place.fault(message, hint))


def _symbol(token: Any, begin: Place) -> Symbol:
    text = str(token)
    place = begin.further(int(token.start_pos))
    if token.type != "PRETERMINAL":
        return Symbol(place=place, text=text)
    name, _, attributes = text.removesuffix("]").partition("[")
    preterminal = Preterminal(name=name, attributes=_attributes(attributes))
    return Symbol(place=place, text=text, preterminal=preterminal)


def _attributes(text: str) -> frozenset[str]:
    return frozenset(filter(None, (each.strip() for each in text.split(","))))


def _syntax_fault(found: Unparsed, begin: Place) -> Fault:
    """Say what is wrong with a line that is no rule."""
    place = begin.further(found.offset)
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
