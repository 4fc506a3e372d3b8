"""Context-free grammars from their files, in the notation of NLTK's `CFG.fromstring`.

What NLTK reads is read alike. Refused are what it drops without a word: a second `%start`, and a
backslash behind the last line. `%contrast` is ours.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from pommel.errors import Fault, GrammarError, Place, nearest
from pommel.sources.grammar.context_free.lines import LogicalLine, logical_lines
from pommel.sources.grammar.context_free.names import check_names
from pommel.sources.grammar.context_free.syntax_faults import syntax_fault
from pommel.sources.grammar.context_free.tree import (
    Alternative,
    ContextFreeGrammar,
    Contrast,
    Symbol,
)
from pommel.sources.grammar.lark_text import Unparsed, parsed

_LEFT_SIDE = re.compile(r"[\"']?([\w/][\w/^<>-]*)")
_START = "write %start and one nonterminal"
_CONTRAST = "write %contrast V_sg V_pl, or %contrast 'terminal' 'terminal'"


def parse_grammar(text: str, *, file: str) -> ContextFreeGrammar:
    """Return the grammar that a text is; each symbol in it has rules.

    Raises `GrammarError` with every line that is wrong and every symbol without rules.
    """
    lines = _Lines()
    for line in logical_lines(text, file):
        lines.add(line)
    faults = lines.faults
    if lines.rules and lines.start:
        grammar = ContextFreeGrammar(
            start=lines.start,
            rules={symbol: tuple(found) for symbol, found in lines.rules.items()},
            contrasts=tuple(lines.contrasts),
        )
        faults = [*faults, *check_names(grammar, also_known=lines.broken)]
        if not faults:
            return grammar
    if not faults:
        whole = Place(file=file, line=0, column=0)
        faults = [whole.fault("there is no rule", "write one: S -> NP VP")]
    raise GrammarError(sorted(faults, key=lambda fault: (fault.line, fault.column)))


@dataclass(slots=True)
class _Lines:
    """What has been read so far; `broken` are the left sides of rules that could not be read."""

    rules: dict[Symbol, list[Alternative]] = field(default_factory=dict)
    contrasts: list[Contrast] = field(default_factory=list)
    first: Symbol | None = None
    named_start: Symbol | None = None
    broken: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def start(self) -> Symbol | None:
        """The symbol that sentences come of: that of `%start`, or the first rule's."""
        return self.named_start or self.first

    def add(self, line: LogicalLine) -> None:
        """Take in one line."""
        if line.is_open:
            last = line.place(line.pieces[-1][0])
            self._fault(last, "a backslash continues the line, but none follows", "take it away")
        tree = parsed(line.text, "context_free/notation.lark")
        if isinstance(tree, Unparsed):
            self.faults.append(syntax_fault(line, tree))
            left = _LEFT_SIDE.match(line.text)
            self.broken += [left[1]] if left else []
            return
        (tree,) = tree.children
        if tree.data == "rule":
            self._add_rule(line, *tree.children)
        else:
            name, *symbols = tree.children
            self._add_directive(line, name, [_symbol(line, each) for each in symbols])

    def _add_rule(self, line: LogicalLine, left: Any, *rest: Any) -> None:
        symbol = _symbol(line, left)
        self.first = self.first or symbol
        alternatives = self.rules.setdefault(symbol, [])
        # Each alternative stands behind an arrow or a bar, which is where it is if it is empty.
        for mark, tree in zip(rest[::2], rest[1::2], strict=True):
            symbols = tuple(_symbol(line, each) for each in tree.children)
            place = symbols[0].place if symbols else line.place(mark.start_pos)
            alternatives.append(Alternative(place=place, symbols=symbols))

    def _add_directive(self, line: LogicalLine, token: Any, symbols: list[Symbol]) -> None:
        place = line.place(token.start_pos)
        match str(token)[1:].strip():
            case "start":
                self._add_start(place, symbols)
            case "contrast":
                self._add_contrast(place, symbols)
            case name:
                meant = nearest(name, ["start", "contrast"])
                there = f"did you mean %{meant}?" if meant else "there is %start and %contrast"
                self._fault(place, f"there is no directive %{name}", there)

    def _add_start(self, place: Place, symbols: list[Symbol]) -> None:
        if [each.is_terminal for each in symbols] != [False]:
            self._fault(place, "%start names no symbol, or not only one nonterminal", _START)
        elif self.named_start:
            what = f"%start is given twice: {self.named_start} and {symbols[0]}"
            self._fault(place, what, "leave one of them out")
        else:
            self.named_start = symbols[0]

    def _add_contrast(self, place: Place, symbols: list[Symbol]) -> None:
        if len(symbols) < 2:  # noqa: PLR2004 - a symbol and what replaces it
            self._fault(place, "%contrast lacks what a symbol is contrasted with", _CONTRAST)
            return
        first, *others = symbols
        for each in others:
            if each.is_terminal != first.is_terminal:
                what = f"{first} is contrasted with {each}: a terminal and a nonterminal"
                self._fault(each.place, what, _CONTRAST)
            elif each == first:
                what = f"{first} is contrasted with itself"
                self._fault(each.place, what, "name the one that is ungrammatical in its place")
        self.contrasts.append(Contrast(symbol=first, replacements=tuple(others)))

    def _fault(self, place: Place, message: str, hint: str) -> None:
        self.faults.append(place.fault(message, hint))


def _symbol(line: LogicalLine, token: Any) -> Symbol:
    is_terminal = token.type == "TERMINAL"
    text = " ".join(token[1:-1].split()) if is_terminal else str(token)
    return Symbol(place=line.place(token.start_pos), text=text, is_terminal=is_terminal)
