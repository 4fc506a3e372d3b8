"""A permutation design: as its file has it, as it is expanded, and all its sentences.

These are any case assignment, in any order of the arguments.
"""

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pommel.errors import Place
from pommel.sources.grammar.text import Meta, Written
from pommel.sources.minimal_sets import GRAMMATICAL
from pommel.values import frozen

PLAUSIBLE = "plausible"


@frozen
class Part(Written):
    """A word of a line, or a slot in the frame (`text` is its name without braces).

    `is_apart` says whether there is a space before it.
    """

    is_slot: bool
    is_apart: bool

    @property
    def is_argument(self) -> bool:
        """Whether it is a slot for an argument, which has a number."""
        return self.is_slot and self.text.isdecimal()


@frozen
class Frame:
    """What all sentences are made of, region by region."""

    place: Place
    regions: tuple[tuple[Part, ...], ...]

    @property
    def slots(self) -> list[Part]:
        """The slots of all regions."""
        return [part for region in self.regions for part in region if part.is_slot]


@frozen
class TemplateLine:
    """A template as it is written: what stands in each slot, and which noun in each case."""

    place: Place
    entries: tuple[tuple[Written, Written], ...]


@dataclass(slots=True, kw_only=True)
class DesignFile:
    """What a file says; what is None or empty was not in it, or was wrong."""

    file: str
    meta: Meta = field(default_factory=dict)
    lexicon: Written | None = None
    cases: tuple[Written, ...] = ()
    frame: Frame | None = None
    violations: tuple[Written, ...] = ()
    templates: list[TemplateLine] = field(default_factory=list)

    @property
    def case_names(self) -> tuple[str, ...]:
        """The cases, in their order."""
        return tuple(each.text for each in self.cases)


@frozen
class Template:
    """One item: a frame whose named slots are filled, and its nouns.

    `nouns` stand in the order of the cases that they have in the plausible sentences, and
    `forms[i][j]` is noun i in case j. `regions` are format strings (`str.format`), in which
    `{p}` is the argument in place p, from 0.
    """

    place: Place
    nouns: tuple[str, ...]
    forms: tuple[tuple[str, ...], ...]
    regions: tuple[str, ...]


@frozen
class Design:
    """A design without faults: k cases, k nouns and k arguments.

    `doubled` are the cases that violations double; region names count from 1.
    """

    meta: Meta
    cases: tuple[str, ...]
    doubled: tuple[str, ...]
    region_names: Mapping[str, str]
    templates: tuple[Template, ...]

    @property
    def joiner(self) -> str:
        """What stands between two regions of a sentence."""
        return str(self.meta.get("joiner", " "))


@frozen
class Arrangement:
    """Which nouns (from 0) stand in which cases (from 0), both in the order of the sentence.

    `kind` is `plausible` or `grammatical`, or the violation: `double-nom`. The name spells it out,
    nouns counted from 1: `double-nom_nom1-acc3-nom2`.
    """

    kind: str
    name: str
    nouns: tuple[int, ...]
    cases: tuple[int, ...]

    @property
    def is_grammatical(self) -> bool:
        """Whether each case is there once."""
        return len(set(self.cases)) == len(self.cases)

    @property
    def assignment(self) -> tuple[int, ...]:
        """The case of each noun, in the order of the nouns."""
        return tuple(case for _, case in sorted(zip(self.nouns, self.cases, strict=True)))


def arrangements(cases: Sequence[str], doubled: Collection[str]) -> tuple[Arrangement, ...]:
    """Return the arrangements of as many nouns as there are cases, kind by kind.

    With k cases there are k! plausible ones, k! (k! - 1) others that are grammatical, and
    (k - 1) / 2 * (k!)^2 for each case that is doubled. Those of one assignment follow one another.
    """
    assignments: dict[str, list[tuple[int, ...]]] = {PLAUSIBLE: [], GRAMMATICAL: []}
    assignments.update((f"double-{case}", []) for case in cases if case in doubled)
    for assignment in itertools.product(range(len(cases)), repeat=len(cases)):
        kind = _kind(assignment, cases)
        if kind in assignments:
            assignments[kind].append(assignment)
    found = []
    for kind, of_its_kind in assignments.items():
        orders = itertools.permutations(range(len(cases)))
        for assignment, nouns in itertools.product(of_its_kind, orders):
            own = tuple(assignment[noun] for noun in nouns)
            steps = (f"{cases[case]}{noun + 1}" for noun, case in zip(nouns, own, strict=True))
            name = f"{kind}_{'-'.join(steps)}"
            found.append(Arrangement(kind=kind, name=name, nouns=nouns, cases=own))
    return tuple(found)


def neighbours(every: Sequence[Arrangement]) -> list[tuple[Arrangement, tuple[Arrangement, ...]]]:
    """Return each grammatical arrangement with the violations in which one noun has another case.

    They are in the order of the sentence, and of the cases.
    """
    found = {(each.nouns, each.cases): each for each in every}
    sets = []
    for each in every:
        if each.is_grammatical:
            others = (
                (*each.cases[:place], other, *each.cases[place + 1 :])
                for place, own in enumerate(each.cases)
                for other in range(len(each.cases))
                if other != own
            )
            keys = ((each.nouns, cases) for cases in others)
            sets.append((each, tuple(found[key] for key in keys if key in found)))
    return sets


def contents(template: Template, arrangement: Arrangement) -> tuple[str, ...]:
    """Return what the regions of a sentence contain."""
    places = zip(arrangement.nouns, arrangement.cases, strict=True)
    arguments = [template.forms[noun][case] for noun, case in places]
    return tuple([region.format(*arguments) for region in template.regions])


def sentence(template: Template, arrangement: Arrangement, joiner: str) -> str:
    """Return a sentence; `joiner` stands between regions."""
    return joiner.join(contents(template, arrangement))


def _kind(assignment: tuple[int, ...], cases: Sequence[str]) -> str | None:
    """Return the kind of an assignment; None if more than one case is missing."""
    n_cases = len(set(assignment))
    if n_cases == len(cases):
        return PLAUSIBLE if list(assignment) == sorted(assignment) else GRAMMATICAL
    if n_cases < len(cases) - 1:
        return None
    (doubled,) = (case for case in set(assignment) if assignment.count(case) > 1)
    return f"double-{cases[doubled]}"
