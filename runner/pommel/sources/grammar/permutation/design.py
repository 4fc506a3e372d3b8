"""A permutation design: as its file has it, as it is expanded, and all its sentences.

These are any case assignment, in any order of the arguments.
"""

import itertools
from collections.abc import Collection, Mapping, Sequence

from pommel.errors import Place
from pommel.sources.grammar.text import Meta, Written
from pommel.sources.minimal_sets import GRAMMATICAL
from pommel.values import frozen

PLAUSIBLE = "plausible"


@frozen
class Frame:
    """What all sentences are made of, region by region: words, and slots in braces.

    `slots` are those of all regions, with their braces.
    """

    place: Place
    regions: tuple[str, ...]
    slots: tuple[Written, ...]


@frozen
class TemplateLine:
    """A template as it is written: what stands in each slot, and which noun in each case."""

    place: Place
    entries: tuple[tuple[Written, Written], ...]


@frozen
class DesignFile:
    """What a file says."""

    meta: Meta
    lexicon: Written
    cases: tuple[Written, ...]
    frame: Frame
    violations: tuple[Written, ...]
    templates: tuple[TemplateLine, ...]

    @property
    def case_names(self) -> tuple[str, ...]:
        """The cases, in their order."""
        return tuple(each.text for each in self.cases)


@frozen
class Template:
    """One item: a frame whose named slots are filled, and its nouns.

    `nouns` stand in the order of the cases that they have in the plausible sentences, and
    `forms[i][j]` is noun i in case j. `regions` are format strings (`str.format`), in which
    `{p}` is the argument in place p, from 1.
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
    """Which nouns stand in which cases, both counted from 0; a pair each, as in the sentence.

    `kind` is `plausible` or `grammatical`, or the violation: `double-nom`. The name spells it out,
    nouns counted from 1: `double-nom_nom1-acc3-nom2`.
    """

    kind: str
    name: str
    places: tuple[tuple[int, int], ...]

    @property
    def nouns(self) -> tuple[int, ...]:
        """The nouns, in the order of the sentence."""
        return tuple(noun for noun, _ in self.places)

    @property
    def cases(self) -> tuple[int, ...]:
        """The cases, in the order of the sentence."""
        return tuple(case for _, case in self.places)

    @property
    def is_grammatical(self) -> bool:
        """Whether each case is there once."""
        return len(set(self.cases)) == len(self.cases)

    @property
    def assignment(self) -> tuple[int, ...]:
        """The case of each noun, in the order of the nouns."""
        return tuple(case for _, case in sorted(self.places))


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
            places = tuple((noun, assignment[noun]) for noun in nouns)
            name = f"{kind}_{'-'.join(f'{cases[case]}{noun + 1}' for noun, case in places)}"
            found.append(Arrangement(kind=kind, name=name, places=places))
    return tuple(found)


def neighbours(every: Sequence[Arrangement]) -> list[tuple[Arrangement, tuple[Arrangement, ...]]]:
    """Return each grammatical arrangement with the violations in which one noun has another case.

    They are in the order of the sentence, and of the cases.
    """
    found = {each.places: each for each in every}
    sets = []
    for each in every:
        if each.is_grammatical:
            others = (
                (*each.places[:number], (noun, other), *each.places[number + 1 :])
                for number, (noun, own) in enumerate(each.places)
                for other in range(len(each.places))
                if other != own
            )
            sets.append((each, tuple(found[other] for other in others if other in found)))
    return sets


def contents(template: Template, arrangement: Arrangement) -> tuple[str, ...]:
    """Return what the regions of a sentence contain."""
    arguments = [template.forms[noun][case] for noun, case in arrangement.places]
    # Places count from 1.
    return tuple([region.format("", *arguments) for region in template.regions])


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
