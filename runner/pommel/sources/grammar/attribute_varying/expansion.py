"""All minimal sets of an attribute-varying grammar: one after another, or any one by its number.

They come in the order of the program that Mueller et al. (2020) published: of the symbols that
are not varied the last changes slowest, and the varied one's alternatives change fastest.
"""

import itertools
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from pommel.sources.grammar.attribute_varying.tree import AttributeGrammar, Preterminal, Template
from pommel.suite.minimal_sets import MinimalSet

# An alternative of the varied symbol, and what is put in its place.
Forms = tuple[str, tuple[str, ...]]


class TemplateSets:
    """The sets of one template, of which only its parts are kept."""

    def __init__(self, grammar: AttributeGrammar, template: Template) -> None:
        """Take a template that varies one symbol, as those of a grammar do."""
        symbols = template.symbols
        (self._place,) = (n for n, each in enumerate(symbols) if grammar.is_varied(each))
        others = (*symbols[: self._place], *symbols[self._place + 1 :])
        self._choices: list[Sequence[str]] = [
            grammar.alternatives[each.preterminal].texts if each.preterminal else (each.text,)
            for each in others
        ]
        varied = symbols[self._place].preterminal
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


class GrammarSets:
    """The sets of all templates, in their order."""

    def __init__(self, grammar: AttributeGrammar) -> None:
        """Take a grammar as `read_grammar` returns it."""
        self.templates = [TemplateSets(grammar, each) for each in grammar.templates]
        self._ends = list(itertools.accumulate(each.n_sets for each in self.templates))

    @property
    def n_sets(self) -> int:
        """How many sets there are; none is made to count them."""
        return self._ends[-1]

    def __iter__(self) -> Iterator[MinimalSet]:
        return itertools.chain.from_iterable(self.templates)

    def __getitem__(self, index: int) -> MinimalSet:
        """Return the set with that number, from 0. Raises `IndexError` if there are fewer."""
        if not 0 <= index < self.n_sets:
            raise IndexError(index)
        template = bisect_right(self._ends, index)
        first = self._ends[template - 1] if template else 0
        return self.templates[template][index - first]


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
