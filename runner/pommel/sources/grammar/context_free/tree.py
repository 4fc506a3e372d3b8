"""A context-free grammar, and what is contrasted in its sentences, as frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pommel.errors import Place


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFreeGrammar:
    """A start symbol, the alternatives of every nonterminal, and what is contrasted.

    Rules are in the order of their first lines, the alternatives of one in the order of all.
    """

    start: Symbol
    rules: Mapping[Symbol, tuple[Alternative, ...]]
    contrasts: tuple[Contrast, ...]

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

    def below(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """Return the nonterminals in a nonterminal's alternatives, in their order."""
        alternatives = self.rules[symbol]
        return tuple(each for one in alternatives for each in one.symbols if not each.is_terminal)
