"""Context-free grammars from their files, in the notation of NLTK's `CFG.fromstring`.

What NLTK reads is read alike. Refused are what it drops without a word: a second `%start`, and a
backslash behind the last line. `%contrast`, which says what is contrasted, is ours.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pommel.errors import Fault, Place, listed, nearest
from pommel.sources.grammar.source import GrammarError, raise_any
from pommel.sources.grammar.text import (
    SHOWN,
    Block,
    NearestNames,
    Unparsed,
    Written,
    parsed,
    unequal_lists,
)
from pommel.values import frozen

if TYPE_CHECKING:
    from lark import Token

_PROBABILITY = re.compile(r"\[[\d.]+\]")
_NAME = "names are made of letters, digits and _ / ^ < > -, and terminals stand in straight quotes"
_RULE = "write NAME -> NAME 'terminal' | 'terminal'"
CONTRAST = "%contrast V_sg V_pl, or %contrast 'terminal' 'terminal'"
_DIRECTIVES = "there is %start and %contrast"


@frozen
class Symbol(Written):
    """A nonterminal (its name), or a terminal: words with one space between, maybe none.

    Where it stands makes no difference to what it is.
    """

    place: Place = field(compare=False)
    is_terminal: bool

    def __str__(self) -> str:
        if not self.is_terminal:
            return self.text
        return f'"{self.text}"' if "'" in self.text else f"'{self.text}'"


@frozen
class Alternative:
    """What a nonterminal may stand for: symbols in order, maybe none."""

    place: Place
    symbols: tuple[Symbol, ...]

    @property
    def text(self) -> str:
        """The text of an alternative that is lexical."""
        return " ".join(each.text for each in self.symbols if each.text)


@dataclass(slots=True, kw_only=True)
class ContextFreeGrammar:
    """The alternatives of every nonterminal, what is contrasted, and where sentences start.

    Rules are in the order of their first lines, the alternatives of one in the order of all. A
    contrast is a symbol, and the others that make the sentence ungrammatical in its place.
    """

    rules: dict[Symbol, list[Alternative]] = field(default_factory=dict)
    contrasts: list[tuple[Symbol, ...]] = field(default_factory=list)
    named_start: Symbol | None = None

    @property
    def start(self) -> Symbol:
        """The symbol that sentences come of: that of `%start`, or the first rule's."""
        return self.named_start or next(iter(self.rules))

    def replacements(self) -> dict[Symbol, tuple[Symbol, ...]]:
        """Return what is put in the place of each symbol that is contrasted."""
        found: dict[Symbol, tuple[Symbol, ...]] = {}
        for symbol, *others in self.contrasts:
            found[symbol] = (*found.get(symbol, ()), *others)
        return found

    def reached(self) -> tuple[Symbol, ...]:
        """Return the nonterminals that the start symbol leads to, and itself, from top to bottom.

        The rules of all of them have to be there.
        """
        found = [self.start]
        seen = {self.start}
        # It grows while it is read.
        for symbol in found:
            new = [each for each in dict.fromkeys(self.below(symbol)) if each not in seen]
            found += new
            seen.update(new)
        return tuple(found)

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
        way = dict.fromkeys({first} - gone)
        while way:
            symbol = next(
                (e for e in further[next(reversed(way))] if e in below and e not in gone), None
            )
            if symbol is None:
                gone.add(way.popitem()[0])
            elif symbol not in way:
                way[symbol] = None
            else:
                symbols = [*way]
                begin = symbols.index(symbol)
                yield tuple(symbols[begin:])
                gone.update(symbols[begin:])
                way = dict.fromkeys(symbols[:begin])


def settle(symbols: Iterable[Symbol], improve: Callable[[Symbol], bool]) -> None:
    """Go through symbols until none of them can be improved, from the last one to the first.

    What is at the bottom of a grammar stands last, and it is what the others wait for.
    """
    upwards = [*symbols][::-1]
    while sum(map(improve, upwards)):
        pass


def heights(below: Mapping[Symbol, Sequence[Symbol]]) -> dict[Symbol, int]:
    """Return how many nonterminals stand above one another at most, from a symbol down.

    Symbols that lead to a cycle have no such number, and are left out.
    """
    found: dict[Symbol, int] = {}

    def improve(symbol: Symbol) -> bool:
        inside = [each for each in below[symbol] if each in below]
        if symbol in found or not found.keys() >= {*inside}:
            return False
        found[symbol] = 1 + max((found[each] for each in inside), default=0)
        return True

    settle(below, improve)
    return found


def check_names(grammar: ContextFreeGrammar) -> Iterator[Fault]:
    """Yield a fault for each symbol without rules, and for each contrast of unlike symbols."""
    known = [each.text for each in grammar.rules]
    named = [
        grammar.start,
        *(each for rule in grammar.rules.values() for one in rule for each in one.symbols),
        *(each for contrast in grammar.contrasts for each in contrast),
    ]
    meant = NearestNames()
    for symbol in named:
        if not symbol.is_terminal and symbol.text not in known:
            hint = meant.hint(symbol.text, known, "write one, or quotes if it is a terminal")
            yield symbol.fault(f"there is no rule for {symbol}", hint)
    for contrast in grammar.contrasts:
        yield from _unlike(grammar, contrast)
    yield from _contrasted_twice(grammar)


def _unlike(grammar: ContextFreeGrammar, contrast: tuple[Symbol, ...]) -> Iterator[Fault]:
    """Yield what keeps the alternatives of two nonterminals from being forms of one word."""
    if any(each not in grammar.rules for each in contrast):
        return
    complex_ones = [each for each in contrast if grammar.below(each)]
    for each in complex_ones:
        what = f"{each} is contrasted, but made of {listed(list(map(str, grammar.below(each))))}"
        yield each.fault(what, "only symbols that are made of terminals alone can be")
    n = len(grammar.rules[contrast[0]])
    for other in () if complex_ones else contrast[1:]:
        found = grammar.rules[other]
        if len(found) != n:
            yield unequal_lists(found[0].place, other, len(found), contrast[0], n)


def _contrasted_twice(grammar: ContextFreeGrammar) -> Iterator[Fault]:
    contrasted = grammar.replacements()
    for symbol in contrasted:
        for alternative in grammar.rules.get(symbol, ()):
            for each in alternative.symbols:
                if each in contrasted and each.is_terminal:
                    what = f"{symbol} is contrasted, and so is {each}, which it is made of"
                    yield each.fault(what, "leave one of the contrasts out")


def logical_lines(text: str, file: str) -> Iterator[Block]:
    """Yield the lines of a grammar's text that are neither empty nor comments.

    Those that backslashes join are one, with blanks in place of these. Behind the last line there
    is nothing to be joined to: there the backslash stays.
    """
    lines = [each.rstrip() for each in text.split("\n")]
    joined: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not joined and (not line or line.lstrip().startswith("#")):
            continue
        goes_on = line.endswith("\\") and number < len(lines)
        joined.append(line.removesuffix("\\") if goes_on else line)
        if not goes_on:
            yield Block(file=file, line=number - len(joined) + 1, text="\n".join(joined))
            joined = []


def _syntax_fault(found: Unparsed) -> tuple[str, str]:
    """Say what is wrong with a line that could not be parsed, and what to do."""
    rest = found.rest
    quote = found.character if found.character in ("'", '"') else ""
    if quote and rest.count(quote) == 1:
        shown = " ".join(rest.split())[:SHOWN]
        return f"this quote is not closed: {shown}", f"write {quote} behind the terminal"
    if rest == "\\":
        return "a backslash continues the line, but none follows", "take it away"
    if "DIRECTIVE" in found.expected:
        return _left_side(found)
    if found.expected == {"ARROW"}:
        name = found.text[: found.offset].split(maxsplit=1)[0]
        if "->" in name:
            return f"{name!r} is one name, in which -> may stand", "put a space in front of ->"
        return f"there is no arrow behind {name!r}", _RULE
    if _PROBABILITY.match(rest):
        return f"{found.word} is a probability: all sentences are generated", "take it away"
    if found.character == "#":
        return "a comment stands behind a rule", "write it on a line of its own"
    if rest.startswith("->"):
        return "there is a second arrow", "write each rule on a line of its own"
    return f"{found.word!r} has no place here", _NAME


def _left_side(found: Unparsed) -> tuple[str, str]:
    if found.character in ("'", '"'):
        return "the left side of a rule is a nonterminal, not a terminal", _RULE
    if found.rest.startswith("->"):
        return "there is nothing in front of the arrow", _RULE
    if found.character == "%":
        return "% is no directive by itself", _DIRECTIVES
    return f"{found.word!r} is no nonterminal", _NAME


def parse_grammar(text: str, *, file: str) -> ContextFreeGrammar:
    """Return the grammar that a text is; each symbol in it has rules.

    Raises `GrammarError` with every line that is wrong, or else with every wrong symbol.
    """
    grammar = ContextFreeGrammar()
    faults: list[Fault] = []
    for line in logical_lines(text, file):
        tree = parsed(line.text, "context_free/notation.lark")
        if isinstance(tree, Unparsed):
            faults.append(line.at(tree.offset).fault(*_syntax_fault(tree)))
            continue
        (tree,) = tree.children
        if tree.data == "rule":
            _add_rule(grammar, line, *tree.children)
        else:
            name, *symbols = tree.children
            own = [_symbol(line, each) for each in symbols]
            faults += _add_directive(grammar, line.place(name), name[1:].strip(), own)
    raise_any(faults)
    if not grammar.rules:
        raise GrammarError.at(Place(file=file), "there is no rule", "write one: S -> NP VP")
    raise_any(check_names(grammar))
    return grammar


def _add_rule(grammar: ContextFreeGrammar, line: Block, left: "Token", *rest: Any) -> None:
    alternatives = grammar.rules.setdefault(_symbol(line, left), [])
    # Each alternative stands behind an arrow or a bar, which is where it is if it is empty.
    for mark, tree in zip(rest[::2], rest[1::2], strict=True):
        symbols = tuple(_symbol(line, each) for each in tree.children)
        place = symbols[0].place if symbols else line.place(mark)
        alternatives.append(Alternative(place=place, symbols=symbols))


def _add_directive(
    grammar: ContextFreeGrammar, place: Place, name: str, symbols: list[Symbol]
) -> Iterator[Fault]:
    """Take in what stands behind a %; yield what is wrong with it."""
    if name == "start":
        if [each.is_terminal for each in symbols] != [False]:
            what = "%start names no symbol, or not only one nonterminal"
            yield place.fault(what, "write %start and one nonterminal")
        elif grammar.named_start:
            what = f"%start is given twice: {grammar.named_start} and {symbols[0]}"
            yield place.fault(what, "leave one of them out")
        else:
            grammar.named_start = symbols[0]
    elif name != "contrast":
        meant = nearest(name, ["start", "contrast"])
        hint = f"did you mean %{meant}?" if meant else _DIRECTIVES
        yield place.fault(f"there is no directive %{name}", hint)
    elif len(symbols) <= 1:
        what = "%contrast lacks what a symbol is contrasted with"
        yield place.fault(what, f"write {CONTRAST}")
    else:
        grammar.contrasts.append(tuple(symbols))
        first, *others = symbols
        for each in others:
            if each == first:
                hint = "name the one that is ungrammatical in its place"
                yield each.fault(f"{first} is contrasted with itself", hint)
            elif each.is_terminal != first.is_terminal:
                what = f"{first} is contrasted with {each}: a terminal and a nonterminal"
                yield each.fault(what, f"write {CONTRAST}")


def _symbol(line: Block, token: "Token") -> Symbol:
    is_terminal = token.type == "TERMINAL"
    text = " ".join(token[1:-1].split()) if is_terminal else str(token)
    return Symbol(place=line.place(token), text=text, is_terminal=is_terminal)
