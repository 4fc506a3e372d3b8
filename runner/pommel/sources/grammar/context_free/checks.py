"""What can be wrong with a context-free grammar though each of its lines is right."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pommel.errors import Fault, Place
from pommel.sources.grammar.context_free.cycles import cycles
from pommel.sources.grammar.context_free.site_counts import SiteCounts, Wanted
from pommel.sources.grammar.context_free.tree import Alternative, ContextFreeGrammar, Symbol
from pommel.sources.grammar.meant import Meant


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands before and after a symbol in an alternative, and around the alternative."""

    before: tuple[Wanted, ...]
    after: tuple[Wanted, ...]
    outer: "_Around | None"

    def sentence(self, inside: Iterable[Wanted]) -> list[Wanted]:
        """Return all that a sentence is made of that has something in this place."""
        outwards = [self]
        while outwards[-1].outer:
            outwards.append(outwards[-1].outer)
        before = (each for one in reversed(outwards) for each in one.before)
        after = (each for one in outwards for each in one.after)
        return [*before, *inside, *after]


def check(grammar: ContextFreeGrammar, *, depth: int | None, file: str) -> list[Fault]:
    """Return every fault of a grammar, in the order of its lines.

    Every sentence has to have one contrast, however deep it is; sentences have to come to an end,
    by themselves if `depth` is None. `file` is for what concerns all of it.
    """
    counts = SiteCounts(grammar)
    unproductive = [each for each in grammar.reached() if not counts.of(each)]
    faults = [*_endless(grammar, unproductive)]
    if depth is None:
        productive = [each for each in grammar.reached() if counts.of(each)]
        faults += _recursive(grammar, productive)
    if not grammar.contrasts:
        whole = Place(file=file, line=0, column=0)
        hint = "write %contrast V_sg V_pl, or %contrast 'terminal' 'terminal'"
        faults.append(whole.fault("nothing is contrasted", hint))
    not_reached = [*_not_reached(grammar)]
    faults += not_reached
    # Of a symbol that no string comes of nothing is known, and without contrasts all is clear.
    if not unproductive and len(not_reached) < len(grammar.contrasts):
        faults += _Miscounted(grammar, counts).faults()
    return sorted(faults, key=lambda fault: (fault.line, fault.column))


def _endless(grammar: ContextFreeGrammar, symbols: Iterable[Symbol]) -> Iterator[Fault]:
    for cycle in cycles({each: grammar.below(each) for each in symbols}):
        place = grammar.rules[cycle[0]][0].place
        what = f"no string comes of {cycle[0]}: each alternative leads back to it, {_shown(cycle)}"
        yield place.fault(what, "write an alternative that comes to an end")


def _recursive(grammar: ContextFreeGrammar, symbols: Iterable[Symbol]) -> Iterator[Fault]:
    for cycle in cycles({each: grammar.below(each) for each in symbols}):
        back = next(each for each in _named(grammar, cycle[-1]) if each == cycle[0])
        what = f"sentences have no end: {_shown(cycle)}"
        yield back.place.fault(what, "give a depth (--depth N), or take the recursion out")


def _named(grammar: ContextFreeGrammar, symbol: Symbol) -> Iterator[Symbol]:
    return (each for one in grammar.rules[symbol] for each in one.symbols)


def _shown(cycle: tuple[Symbol, ...]) -> str:
    return " -> ".join(map(str, (*cycle, cycle[0])))


def _not_reached(grammar: ContextFreeGrammar) -> Iterator[Fault]:
    reached = grammar.reached()
    there = {grammar.start, *(each for one in reached for each in _named(grammar, one))}
    terminals = {each.text: each for each in sorted(there, key=str) if each.is_terminal}
    nonterminals = {each.text: each for each in sorted(reached, key=str)}
    meant = Meant()
    for contrast in grammar.contrasts:
        symbol = contrast.symbol
        if symbol not in there:
            of_its_kind = terminals if symbol.is_terminal else nonterminals
            probably = meant(symbol.text, of_its_kind)
            hint = (
                f"did you mean {of_its_kind[probably]}?" if probably else "leave its contrast out"
            )
            yield symbol.place.fault(f"no sentence of {grammar.start} has {symbol}", hint)


class _Miscounted:
    """Looks for the alternatives that give a sentence no contrast, or several."""

    def __init__(self, grammar: ContextFreeGrammar, counts: SiteCounts) -> None:
        self._grammar = grammar
        self._counts = counts

    def faults(self) -> Iterator[Fault]:
        """Yield the faults, from the start symbol down.

        An alternative that is wrong because of one of its symbols, whose alternatives have
        different counts, is right itself: what that symbol has to have is looked for in it.
        """
        queue: list[tuple[Symbol, int, _Around]] = [(self._grammar.start, 1, _Around((), (), None))]
        seen = {self._grammar.start: {1}}
        # It grows while it is read.
        for symbol, wanted, around in queue:
            for alternative in self._grammar.rules[symbol]:
                if self._counts.of_alternative(symbol, alternative) == {wanted}:
                    continue
                blamed = self._blamed(alternative, wanted)
                if blamed is None:
                    yield from self._said(symbol, alternative, wanted, around)
                    continue
                number, count = blamed
                below = alternative.symbols[number]
                if count not in seen.setdefault(below, set()):
                    seen[below].add(count)
                    queue.append((below, count, self._around(alternative, number, around)))

    def _blamed(self, alternative: Alternative, wanted: int) -> tuple[int, int] | None:
        """Return the number of the only symbol that varies, and the count that it has to have.

        None if several vary, or none, or none of its counts would do.
        """
        of_each = [self._counts.of(each) for each in alternative.symbols]
        varying = [number for number, counts in enumerate(of_each) if len(counts) > 1]
        if len(varying) != 1:
            return None
        others = sum(min(counts) for counts in of_each if len(counts) == 1)
        count = wanted - others
        return (varying[0], count) if count in of_each[varying[0]] else None

    def _around(self, alternative: Alternative, number: int, around: _Around) -> _Around:
        each = tuple((symbol, min(self._counts.of(symbol))) for symbol in alternative.symbols)
        return _Around(each[:number], each[number + 1 :], around)

    def _said(
        self, left: Symbol, alternative: Alternative, wanted: int, around: _Around
    ) -> Iterator[Fault]:
        counts = self._counts.of_alternative(left, alternative)
        too_few = [count for count in counts if count < wanted]
        too_many = sorted(count for count in counts if count > wanted)
        for count in (*too_few, *too_many[:1]):
            inside = self._counts.parts(left, alternative, count)
            example = self._counts.example(around.sentence(inside))
            what = f"a sentence with this alternative has no contrast: {example!r}"
            hint = "name one of its symbols in %contrast"
            if count > wanted:
                what = f"a sentence with this alternative has more than one contrast: {example!r}"
                hint = "sets differ in one place; give what is not to change a symbol of its own"
            yield alternative.place.fault(what, hint)
