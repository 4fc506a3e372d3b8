"""Attribute-varying grammars from their files.

Two ways of writing a rule are read, that of the published files (`V[3,s] aime | déteste`) and that
of the paper (`V[3,s] -> aime | déteste`). Lines that begin with `#` are comments.
`vary: V[1] ; V[s]` says what is varied. The rules of `common.avg`, in the same folder, come before
those of any other file there; a preterminal that has rules in both has the alternatives of both.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pommel.errors import Fault, GrammarError
from pommel.grammar.attribute_varying.checks import check
from pommel.grammar.attribute_varying.tree import (
    Alternatives,
    AttributeGrammar,
    Preterminal,
    Symbol,
    Template,
    Vary,
)
from pommel.grammar.place import Place
from pommel.text_file import read_text

if TYPE_CHECKING:
    from lark import Lark

COMMON = "common.avg"
START = "S"

_VARY = re.compile(r"vary\s*(:|\s|$)")
_ENTRY = re.compile(r"\s*([^\s\[\];|]+)\s*(?:\[([^\[\]]*)\])?\s*")
_SHOWN = 40


def read_grammar(path: Path) -> AttributeGrammar:
    """Read a grammar's file, and `common.avg` beside it if there is one.

    Raises `InputError` if a file cannot be read, and `GrammarError` with every fault of both.
    """
    return parse_grammar([(read_text(each).text, str(each)) for each in grammar_files(path)])


def grammar_files(path: Path) -> list[Path]:
    """Return the files that make up a grammar: the one in `path`, after what it shares."""
    common = path.with_name(COMMON)
    return [common, path] if path.name != COMMON and common.is_file() else [path]


def parse_grammar(sources: Sequence[tuple[str, str]]) -> AttributeGrammar:
    """Return the grammar that texts are together, (text, name of its file) each.

    Raises `GrammarError` with every fault.
    """
    rules = _Rules()
    for text, file in sources:
        for number, line in enumerate(text.splitlines(), start=1):
            rules.add(line, file=file, number=number)
    grammar = rules.grammar()
    faults = rules.faults or check(grammar, file=sources[-1][1])
    if faults:
        raise GrammarError(faults)
    return grammar


@dataclass(slots=True)
class _Rules:
    """What has been read so far."""

    templates: list[Template] = field(default_factory=list)
    alternatives: dict[Preterminal, Alternatives] = field(default_factory=dict)
    vary: list[Vary] = field(default_factory=list)
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

    def grammar(self) -> AttributeGrammar:
        """Return what has been read."""
        return AttributeGrammar(
            templates=tuple(self.templates),
            alternatives=self.alternatives,
            vary=tuple(self.vary),
        )

    def _add_vary(self, line: str, start: int, begin: Place) -> None:
        for entry in line[start:].split(";"):
            place = _at(begin, start + len(entry) - len(entry.lstrip()))
            found = _ENTRY.fullmatch(entry)
            if found:
                attributes = _attributes(found[2] or "")
                self.vary.append(Vary(place=place, name=found[1], attributes=attributes))
            else:
                what = f"{entry.strip()!r} names nothing that could be varied"
                self._fault(place, what, "write NAME[attributes], several with ; between")
            start += len(entry) + 1

    def _add_rule(self, line: str, begin: Place) -> None:
        from lark.exceptions import UnexpectedInput  # noqa: PLC0415 - keeps `import pommel` fast

        try:
            tree: Any = _parser().parse(line)
        except UnexpectedInput as error:
            self._fault(*_syntax_fault(line, begin, error))
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
        else:
            self._add_alternatives(name.preterminal, name.place, alternatives)

    def _add_alternatives(
        self, preterminal: Preterminal, place: Place, alternatives: Sequence[Sequence[Symbol]]
    ) -> None:
        for symbol in (symbol for each in alternatives for symbol in each if symbol.preterminal):
            what = f"{preterminal} is made of {symbol.preterminal}"
            hint = "only S[] may be made of preterminals; write out what it stands for"
            self._fault(symbol.place, what, hint)
        texts = tuple(" ".join(symbol.text for symbol in each) for each in alternatives)
        before = self.alternatives.get(preterminal)
        if before:
            place, texts = before.place, (*before.texts, *texts)
        self.alternatives[preterminal] = Alternatives(place=place, texts=texts)

    def _fault(self, place: Place, message: str, hint: str) -> None:
        self.faults.append(place.fault(message, hint))


@functools.cache
def _parser() -> "Lark":
    from lark import Lark  # noqa: PLC0415 - keeps `import pommel` fast

    grammar = (files("pommel.grammar.attribute_varying") / "rule.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True)


def _symbol(token: Any, begin: Place) -> Symbol:
    text = str(token)
    place = _at(begin, int(token.start_pos))
    if token.type != "PRETERMINAL":
        return Symbol(place=place, text=text)
    name, _, attributes = text.removesuffix("]").partition("[")
    preterminal = Preterminal(name=name, attributes=_attributes(attributes))
    return Symbol(place=place, text=text, preterminal=preterminal)


def _attributes(text: str) -> frozenset[str]:
    return frozenset(filter(None, (each.strip() for each in text.split(","))))


def _at(begin: Place, offset: int) -> Place:
    return Place(file=begin.file, line=begin.line, column=offset + 1)


def _syntax_fault(line: str, begin: Place, error: Any) -> tuple[Place, str, str]:
    """Say what is wrong with a line that is no rule."""
    token = getattr(error, "token", None)
    at_end = error.pos_in_stream is None or getattr(token, "type", "") == "$END"
    position = len(line) if at_end else int(error.pos_in_stream)
    place = _at(begin, position)
    rest = line[position:].split(maxsplit=1)
    if line[position : position + 1] in ("[", "]"):
        hint = "write NAME[attribute,attribute], with nothing between name and bracket"
        return place, "this bracket has no partner", hint
    if at_end and not line.rstrip().endswith("|"):
        return place, "nothing follows the name", "write what it may be: NAME[attributes] a | b"
    if at_end or rest[:1] == ["|"] or line[position : position + 1] == "|":
        return place, "there is nothing between two |", "take one of them away, or write a word"
    shown = rest[0][:_SHOWN] if rest else ""
    return place, f"{shown!r} has no place here", "write NAME[attributes] a | b"
