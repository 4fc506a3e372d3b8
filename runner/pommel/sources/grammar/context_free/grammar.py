"""Context-free grammars from their files, in the notation of NLTK's `CFG.fromstring`.

What NLTK reads is read alike. Refused are what it drops without a word: a second `%start`, and a
backslash behind the last line. `%contrast`, which says what is contrasted, is ours.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

from pommel.errors import Fault, Place, counted, listed, nearest
from pommel.sources.grammar.source import GrammarError
from pommel.sources.grammar.text import NearestNames, Unparsed, parsed

if TYPE_CHECKING:
    from lark import Token

_PROBABILITY = re.compile(r"\[[\d.]+\]")
_NAME = "names are made of letters, digits and _ / ^ < > -, and terminals stand in quotes"
_RULE = "write NAME -> NAME 'terminal' | 'terminal'"
# So much of a terminal that has no end is shown.
_SHOWN = 40
_LEFT_SIDE = re.compile(r"[\"']?([\w/][\w/^<>-]*)")
_CONTRAST = "write %contrast V_sg V_pl, or %contrast 'terminal' 'terminal'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A nonterminal (its name), or a terminal: words with one space between, maybe none.

    Where it stands makes no difference to what it is.
    """

    place: Place = field(compare=False)
    text: str
    is_terminal: bool

    def __str__(self) -> str:
        if not self.is_terminal:
            return self.text
        return f'"{self.text}"' if "'" in self.text else f"'{self.text}'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """What a nonterminal may stand for: symbols in order, maybe none."""

    place: Place
    symbols: tuple[Symbol, ...]

    @property
    def text(self) -> str:
        """The text of an alternative that is lexical."""
        return " ".join(each.text for each in self.symbols if each.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A symbol, and the others that make the sentence ungrammatical in its place."""

    symbol: Symbol
    replacements: tuple[Symbol, ...]


@dataclass(slots=True, kw_only=True)
class ContextFreeGrammar:
    """The alternatives of every nonterminal, what is contrasted, and where sentences start.

    Rules are in the order of their first lines, the alternatives of one in the order of all.
    """

    rules: dict[Symbol, list[Alternative]] = field(default_factory=dict)
    contrasts: list[Contrast] = field(default_factory=list)
    named_start: Symbol | None = None

    @property
    def start(self) -> Symbol:
        """The symbol that sentences come of: that of `%start`, or the first rule's."""
        return self.named_start or next(iter(self.rules))

    def replacements(self) -> dict[Symbol, tuple[Symbol, ...]]:
        """Return what is put in the place of each symbol that is contrasted."""
        found: dict[Symbol, tuple[Symbol, ...]] = {}
        for each in self.contrasts:
            found[each.symbol] = (*found.get(each.symbol, ()), *each.replacements)
        return found

    def reached(self) -> tuple[Symbol, ...]:
        """Return the nonterminals that the start symbol leads to, and itself, from top to bottom.

        The rules of all of them have to be there.
        """
        found = dict.fromkeys([self.start])
        queue = [self.start]
        # It grows while it is read.
        for symbol in queue:
            new = [each for each in self.below(symbol) if each not in found]
            found.update(dict.fromkeys(new))
            queue += dict.fromkeys(new)
        return tuple(found)

    def above(self) -> dict[Symbol, list[Symbol]]:
        """Return those in whose alternatives each of the nonterminals stands that are reached."""
        reached = self.reached()
        found: dict[Symbol, list[Symbol]] = {each: [] for each in reached}
        for symbol in reached:
            for each in dict.fromkeys(self.below(symbol)):
                found[each].append(symbol)
        return found

    def below(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """Return the nonterminals in a nonterminal's alternatives, in their order."""
        alternatives = self.rules[symbol]
        return tuple(each for one in alternatives for each in one.symbols if not each.is_terminal)


def cycles(below: Mapping[Symbol, Sequence[Symbol]]) -> Iterator[tuple[Symbol, ...]]:
    """Yield cycles without a common symbol, so that none is left without these symbols.

    `below` are the symbols that each leads to, those that it does not have count for nothing.
    A cycle begins with the symbol that comes first on the way from the first one of `below`.
    """
    # Symbols that are on a cycle already, or lead to nothing else.
    gone: set[Symbol] = set()
    further = {symbol: iter(others) for symbol, others in below.items()}
    for first in below:
        way = [] if first in gone else [first]
        places = dict.fromkeys(way, 0)
        while way:
            symbol = next((e for e in further[way[-1]] if e in below and e not in gone), None)
            if symbol is None:
                gone.add(way[-1])
                del places[way.pop()]
            elif symbol not in places:
                places[symbol] = len(way)
                way.append(symbol)
            else:
                cycle = tuple(way[places[symbol] :])
                yield cycle
                gone.update(cycle)
                way = way[: places[symbol]]
                for each in cycle:
                    del places[each]


def heights(below: Mapping[Symbol, Sequence[Symbol]]) -> dict[Symbol, int]:
    """Return how many nonterminals stand above one another at most, from a symbol down.

    Symbols that lead to a cycle have no such number, and are left out.
    """
    found: dict[Symbol, int] = {}
    inside = {
        symbol: [each for each in others if each in below] for symbol, others in below.items()
    }
    sorter = TopologicalSorter(inside)
    # Those that lead to no cycle come all the same.
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        for symbol in ready:
            found[symbol] = 1 + max((found[each] for each in inside[symbol]), default=0)
        sorter.done(*ready)
    return found


def check_names(grammar: ContextFreeGrammar, *, also_known: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each symbol without rules, and for each contrast of unlike symbols.

    `also_known` are names whose rules could not be read.
    """
    known = dict.fromkeys([*(each.text for each in grammar.rules), *also_known])
    named = [
        grammar.start,
        *(each for rule in grammar.rules.values() for one in rule for each in one.symbols),
        *(each for one in grammar.contrasts for each in (one.symbol, *one.replacements)),
    ]
    meant = NearestNames()
    for symbol in named:
        if not symbol.is_terminal and symbol.text not in known:
            hint = meant.hint(symbol.text, known, "write one, or quotes if it is a terminal")
            yield symbol.place.fault(f"there is no rule for {symbol}", hint)
    # A rule that could not be read may be what is missing.
    if not also_known:
        for contrast in grammar.contrasts:
            yield from _unlike(grammar, contrast)
        yield from _contrasted_twice(grammar)


def _unlike(grammar: ContextFreeGrammar, contrast: Contrast) -> Iterator[Fault]:
    """Yield what keeps the alternatives of two nonterminals from being forms of one word."""
    symbols = [contrast.symbol, *contrast.replacements]
    if any(each not in grammar.rules for each in symbols):
        return
    lexical = True
    for each in symbols:
        below = grammar.below(each)
        if below:
            lexical = False
            what = f"{each} is contrasted, but made of {listed(list(map(str, below)))}"
            hint = "only symbols that are made of terminals alone can be"
            yield each.place.fault(what, hint)
    own = grammar.rules[contrast.symbol]
    for other in contrast.replacements if lexical else ():
        found = grammar.rules[other]
        if len(found) != len(own):
            what = f"{other} has {counted(len(found), 'alternative')}, {contrast.symbol} has "
            hint = "the lists must run parallel: the nth of each are forms of one word"
            yield found[0].place.fault(f"{what}{len(own)}", hint)


def _contrasted_twice(grammar: ContextFreeGrammar) -> Iterator[Fault]:
    contrasted = grammar.replacements()
    for symbol in contrasted:
        for alternative in grammar.rules.get(symbol, ()):
            for each in alternative.symbols:
                if each in contrasted and each.is_terminal:
                    what = f"{symbol} is contrasted, and so is {each}, which it is made of"
                    yield each.place.fault(what, "leave one of the contrasts out")


# A piece of a line: where it begins in the line's text, and its line and column in the file.
_Piece = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogicalLine:
    """A line, or several that backslashes make one; white space around each is taken away.

    `is_open` says that it ends in a backslash, and the file with it.
    """

    text: str
    file: str
    pieces: tuple[_Piece, ...]
    is_open: bool = False

    def place(self, offset: int) -> Place:
        """Return where a character of the text stands in the file."""
        begin, line, column = next(each for each in reversed(self.pieces) if each[0] <= offset)
        return Place(file=self.file, line=line, column=column + offset - begin)


def logical_lines(text: str, file: str) -> Iterator[LogicalLine]:
    """Yield the lines of a grammar's text that are neither empty nor comments."""
    pending, pieces = "", list[_Piece]()
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not pieces and (not line or line.startswith("#")):
            continue
        pieces.append((len(pending), number, raw.index(line) + 1))
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1].rstrip() + " "
            continue
        yield LogicalLine(text=pending, file=file, pieces=tuple(pieces))
        pending, pieces = "", []
    if pieces:
        yield LogicalLine(text=pending, file=file, pieces=tuple(pieces), is_open=True)


def syntax_fault(line: LogicalLine, found: Unparsed) -> Fault:
    """Return the fault of a line that could not be parsed."""
    return line.place(found.offset).fault(*_said(found, found.rest, found.expected))


def _said(found: Unparsed, rest: str, expected: Collection[str]) -> tuple[str, str]:
    if rest[:1] in ("'", '"') and rest.count(rest[0]) == 1:
        return f"this quote is not closed: {rest[:_SHOWN]}", f"write {rest[0]} behind the terminal"
    if "DIRECTIVE" in expected:
        return _left_side(rest, found.word)
    if expected == {"ARROW"}:
        name = found.text[: found.offset].split(maxsplit=1)[0]
        if "->" in name:
            return f"{name!r} is one name, in which -> may stand", "put a space in front of ->"
        return f"there is no arrow behind {name!r}", _RULE
    if _PROBABILITY.match(rest):
        return f"{found.word} is a probability: all sentences are generated", "take it away"
    if rest.startswith("#"):
        return "a comment stands behind a rule", "write it on a line of its own"
    if rest.startswith("->"):
        return "there is a second arrow", "write each rule on a line of its own"
    return f"{found.word!r} has no place here", _NAME


def _left_side(rest: str, shown: str) -> tuple[str, str]:
    if rest.startswith(("'", '"')):
        return "the left side of a rule is a nonterminal, not a terminal", _RULE
    if rest.startswith("->"):
        return "there is nothing in front of the arrow", _RULE
    if rest.startswith("%"):
        return "% is no directive by itself", "there is %start and %contrast"
    return f"{shown!r} is no nonterminal", _NAME


def parse_grammar(text: str, *, file: str) -> ContextFreeGrammar:
    """Return the grammar that a text is; each symbol in it has rules.

    Raises `GrammarError` with every line that is wrong and every symbol without rules.
    """
    grammar = ContextFreeGrammar()
    faults: list[Fault] = []
    # The left sides of rules that could not be read.
    broken: list[str] = []
    for line in logical_lines(text, file):
        if line.is_open:
            last = line.place(line.pieces[-1][0])
            what = "a backslash continues the line, but none follows"
            faults.append(last.fault(what, "take it away"))
        tree = parsed(line.text, "context_free/notation.lark")
        if isinstance(tree, Unparsed):
            faults.append(syntax_fault(line, tree))
            left = _LEFT_SIDE.match(line.text)
            broken += [left[1]] if left else []
            continue
        (tree,) = tree.children
        if tree.data == "rule":
            _add_rule(grammar, line, *tree.children)
        else:
            name, *symbols = tree.children
            own = [_symbol(line, each) for each in symbols]
            faults += _add_directive(grammar, line.place(name.start_pos), name[1:].strip(), own)
    if grammar.rules:
        faults += check_names(grammar, also_known=broken)
    elif not faults:
        whole = Place(file=file, line=0, column=0)
        faults = [whole.fault("there is no rule", "write one: S -> NP VP")]
    if faults:
        raise GrammarError(sorted(faults, key=lambda fault: (fault.line, fault.column)))
    return grammar


def _add_rule(grammar: ContextFreeGrammar, line: LogicalLine, left: "Token", *rest: Any) -> None:
    alternatives = grammar.rules.setdefault(_symbol(line, left), [])
    # Each alternative stands behind an arrow or a bar, which is where it is if it is empty.
    for mark, tree in zip(rest[::2], rest[1::2], strict=True):
        symbols = tuple(_symbol(line, each) for each in tree.children)
        place = symbols[0].place if symbols else line.place(mark.start_pos)
        alternatives.append(Alternative(place=place, symbols=symbols))


def _add_directive(
    grammar: ContextFreeGrammar, place: Place, name: str, symbols: list[Symbol]
) -> list[Fault]:
    """Take in what stands behind a %; return what is wrong with it."""
    if name == "start":
        if [each.is_terminal for each in symbols] != [False]:
            what = "%start names no symbol, or not only one nonterminal"
            return [place.fault(what, "write %start and one nonterminal")]
        if grammar.named_start:
            what = f"%start is given twice: {grammar.named_start} and {symbols[0]}"
            return [place.fault(what, "leave one of them out")]
        grammar.named_start = symbols[0]
        return []
    if name != "contrast":
        meant = nearest(name, ["start", "contrast"])
        there = f"did you mean %{meant}?" if meant else "there is %start and %contrast"
        return [place.fault(f"there is no directive %{name}", there)]
    if len(symbols) <= 1:
        return [place.fault("%contrast lacks what a symbol is contrasted with", _CONTRAST)]
    first, *others = symbols
    grammar.contrasts.append(Contrast(symbol=first, replacements=tuple(others)))
    hint = "name the one that is ungrammatical in its place"
    return [
        each.place.fault(f"{first} is contrasted with itself", hint)
        if each == first
        else each.place.fault(
            f"{first} is contrasted with {each}: a terminal and a nonterminal", _CONTRAST
        )
        for each in others
        if each == first or each.is_terminal != first.is_terminal
    ]


def _symbol(line: LogicalLine, token: "Token") -> Symbol:
    is_terminal = token.type == "TERMINAL"
    text = " ".join(token[1:-1].split()) if is_terminal else str(token)
    return Symbol(place=line.place(token.start_pos or 0), text=text, is_terminal=is_terminal)
