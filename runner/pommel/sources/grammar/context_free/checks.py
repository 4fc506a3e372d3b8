"""What can be wrong with a context-free grammar though each of its lines is right.

How many contrasts a symbol's strings may have is found without making them. Counts are 0, 1 and 2,
which is two or more. For each there is a smallest derivation, as an example.
"""

import itertools
from collections.abc import Iterable, Iterator

from pommel.errors import Fault, Place
from pommel.sources.grammar.context_free.grammar import (
    CONTRAST,
    Alternative,
    ContextFreeGrammar,
    Symbol,
    cycles,
    settle,
)
from pommel.sources.grammar.text import NearestNames

MANY = 2
_SHOWN = 24

# Words of a string; a contrast in brackets is one.
Words = tuple[str, ...]
# The counts of contrasts that strings may have, each with the size of the smallest derivation that
# has it and the words that come of that, one more than are shown at most.
Counts = dict[int, tuple[int, Words]]


class SiteCounts:
    """The possible counts of all symbols that a grammar's start symbol leads to.

    The least fixpoint: a nonterminal has the counts of its alternatives, an alternative the sums
    of its symbols' counts. A symbol that no string comes of has none.
    """

    def __init__(self, grammar: ContextFreeGrammar) -> None:
        """Take a grammar in which every symbol has rules."""
        self._contrasted = {contrast[0] for contrast in grammar.contrasts}
        self._rules = grammar.rules
        self._found: dict[Symbol, Counts] = {each: {} for each in grammar.reached()}
        settle(self._found, self._improve)

    def of(self, symbol: Symbol) -> Counts:
        """Return the counts that a symbol's strings may have."""
        if not symbol.is_terminal:
            return self._found[symbol]
        is_contrast = symbol in self._contrasted
        words = bracketed([symbol.text]) if is_contrast else (symbol.text,)
        return {int(is_contrast): (1, words if symbol.text else ())}

    def of_alternative(self, left: Symbol, alternative: Alternative) -> Counts:
        """Return the counts that the strings of one of a nonterminal's alternatives may have."""
        if left in self._contrasted:
            # A contrasted nonterminal is a contrast itself, and made of terminals alone.
            texts = [each.text for each in alternative.symbols if each.text]
            return {1: (1 + len(alternative.symbols), bracketed(texts))}
        sums: Counts = {0: (1, ())}
        for symbol in alternative.symbols:
            longer: Counts = {}
            for (before, (size, words)), (own, (its_size, more)) in itertools.product(
                sums.items(), self.of(symbol).items()
            ):
                count, both = min(before + own, MANY), size + its_size
                if count not in longer or both < longer[count][0]:
                    longer[count] = (both, (*words, *more)[: _SHOWN + 1])
            sums = longer
        return sums

    def _improve(self, symbol: Symbol) -> bool:
        found = self._found[symbol]
        news = False
        for alternative in self._rules[symbol]:
            for count, smallest in self.of_alternative(symbol, alternative).items():
                # Only what is smaller counts, so that no derivation leads back to itself.
                if count not in found or smallest[0] < found[count][0]:
                    found[count] = smallest
                    news = True
        return news


def bracketed(texts: Iterable[str]) -> Words:
    """Return the words of a contrast."""
    return (f"[{' '.join(texts)}]",)


def example(words: Words) -> str:
    """Return words as text, its beginning if they are many."""
    return " ".join([*words[:_SHOWN], "..."] if len(words) > _SHOWN else words)


def check(grammar: ContextFreeGrammar, *, depth: int | None, file: str) -> list[Fault]:
    """Return every fault of a grammar.

    Every sentence has to have one contrast, however deep it is; sentences have to come to an end,
    by themselves if `depth` is None. `file` is for what concerns all of it.
    """
    counts = SiteCounts(grammar)
    reached = grammar.reached()
    unproductive = [each for each in reached if not counts.of(each)]
    faults = [*_endless(grammar, unproductive)]
    if depth is None:
        faults += _recursive(grammar, [each for each in reached if counts.of(each)])
    if not grammar.contrasts:
        faults.append(Place(file=file).fault("nothing is contrasted", f"write {CONTRAST}"))
    not_reached = [*_not_reached(grammar)]
    faults += not_reached
    # Of a symbol that no string comes of nothing is known, and without contrasts all is clear.
    if not unproductive and len(not_reached) < len(grammar.contrasts):
        faults += _miscounted(grammar, counts)
    return faults


def _endless(grammar: ContextFreeGrammar, symbols: Iterable[Symbol]) -> Iterator[Fault]:
    for cycle in cycles({each: grammar.below(each) for each in symbols}):
        place = grammar.rules[cycle[0]][0].place
        what = f"no string comes of {cycle[0]}: each alternative leads back to it, {_shown(cycle)}"
        yield place.fault(what, "write an alternative that comes to an end")


def _recursive(grammar: ContextFreeGrammar, symbols: Iterable[Symbol]) -> Iterator[Fault]:
    for cycle in cycles({each: grammar.below(each) for each in symbols}):
        back = next(each for each in grammar.below(cycle[-1]) if each == cycle[0])
        what = f"sentences have no end: {_shown(cycle)}"
        yield back.place.fault(what, "give a depth (--depth N), or take the recursion out")


def _shown(cycle: tuple[Symbol, ...]) -> str:
    return " -> ".join(map(str, (*cycle, cycle[0])))


def _not_reached(grammar: ContextFreeGrammar) -> Iterator[Fault]:
    reached = grammar.reached()
    rules = (one.symbols for each in reached for one in grammar.rules[each])
    there = {*reached, *itertools.chain.from_iterable(rules)}
    meant = NearestNames()
    for symbol, *_ in grammar.contrasts:
        if symbol not in there:
            alike = sorted((e for e in there if e.is_terminal == symbol.is_terminal), key=str)
            of_its_kind = {each.text: each for each in alike}
            probably = meant(symbol.text, of_its_kind)
            hint = "leave its contrast out"
            if probably:
                hint = f"did you mean {of_its_kind[probably]}?"
            yield symbol.fault(f"no sentence of {grammar.start} has {symbol}", hint)


# What stands before and after a symbol in a sentence.
_Around = tuple[Words, Words]


def _miscounted(grammar: ContextFreeGrammar, counts: SiteCounts) -> Iterator[Fault]:
    """Yield the alternatives that give a sentence no contrast, or several, from the start down.

    An alternative that is wrong because of one of its symbols, whose alternatives have different
    counts, is right itself: what that symbol has to have is looked for in it.
    """
    queue: list[tuple[Symbol, int, _Around]] = [(grammar.start, 1, ((), ()))]
    seen = {grammar.start: {1}}
    # It grows while it is read.
    for symbol, wanted, (before, after) in queue:
        for alternative in grammar.rules[symbol]:
            found = counts.of_alternative(symbol, alternative)
            blamed = None if [*found] == [wanted] else _blamed(counts, alternative, wanted)
            if blamed:
                number, count = blamed
                below = alternative.symbols[number]
                if count not in seen.setdefault(below, set()):
                    seen[below].add(count)
                    fewest = [
                        counts.of(each)[min(counts.of(each))][1] for each in alternative.symbols
                    ]
                    first, last = sum(fewest[:number], before), sum(fewest[number + 1 :], ())
                    queue.append((below, count, (first, last + after)))
                continue
            too_few = [count for count in found if count < wanted]
            too_many = sorted(count for count in found if count > wanted)
            for count in (*too_few, *too_many[:1]):
                text = example((*before, *found[count][1], *after))
                what, hint = "no", "name one of its symbols in %contrast"
                if count > wanted:
                    what = "more than one"
                    hint = (
                        "sets differ in one place; give what is not to change a symbol of its own"
                    )
                message = f"a sentence with this alternative has {what} contrast: {text!r}"
                yield alternative.place.fault(message, hint)


def _blamed(counts: SiteCounts, alternative: Alternative, wanted: int) -> tuple[int, int] | None:
    """Return the number of the only symbol that varies, and the count that it has to have.

    None if several vary, or none, or none of its counts would do.
    """
    of_each = [counts.of(each) for each in alternative.symbols]
    varying = [number for number, own in enumerate(of_each) if len(own) > 1]
    if len(varying) != 1:
        return None
    count = wanted - sum(min(own) for own in of_each if len(own) == 1)
    return (varying[0], count) if count in of_each[varying[0]] else None
