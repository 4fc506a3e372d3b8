"""Whether there are rules for every symbol that a grammar names, and terminals for contrasts."""

from collections.abc import Iterator, Sequence

from pommel.errors import Fault, counted, listed
from pommel.sources.grammar.context_free.tree import ContextFreeGrammar, Contrast
from pommel.sources.grammar.meant import Meant


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
    meant = Meant()
    for symbol in named:
        if not symbol.is_terminal and symbol.text not in known:
            probably = meant(symbol.text, known)
            hint = "write one, or quotes if it is a terminal"
            hint = f"did you mean {probably}?" if probably else hint
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
