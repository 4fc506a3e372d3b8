"""What every generator offers: minimal sets or whole items, in one order, all of them or some."""

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Protocol, Self, TypeGuard

from pommel.errors import Fault, FaultyFileError, Place
from pommel.files import DecodedText
from pommel.sources.minimal_sets import MinimalSet
from pommel.values import positional


class GrammarError(FaultyFileError):
    """A grammar is invalid; `faults` holds every fault that was found, in file order."""

    @classmethod
    def at(cls, place: Place, message: str, hint: str) -> Self:
        """Return the error of one fault."""
        return cls([place.fault(message, hint)])


@contextmanager
def collected(faults: list[Fault]) -> Iterator[None]:
    """Go on behind this after a `GrammarError`, with its faults among others."""
    try:
        yield
    except GrammarError as error:
        faults += error.faults


def raise_any(faults: Iterable[Fault], *files: str) -> None:
    """Raise `GrammarError` if there are faults, each once, in the order of their places.

    Those of these files come first, others as they are.
    """
    unique = dict.fromkeys(faults)
    order = list(dict.fromkeys([*files, *(each.file for each in unique)]))
    if unique:
        raise GrammarError(
            sorted(unique, key=lambda each: (order.index(each.file), each.line, each.column))
        )


class Source(Protocol):
    """A grammar that has been read."""

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences, in the order of the grammar."""
        ...

    @property
    def recipe(self) -> Mapping[str, Any]:
        """What the sets are made from: the kind of grammar, and its files with their SHA-256."""
        ...


class SetSource(Source, Protocol):
    """A grammar of minimal sets."""

    @property
    def n_sets(self) -> int:
        """How many sets there are; some may have the same sentences."""
        ...

    @property
    def ungrammatical_counts(self) -> frozenset[int]:
        """How many ungrammatical sentences the sets have: one number, or several."""
        ...

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers (from 0), in this order; None for all of them.

        Memory does not grow with their number.
        """
        ...


@positional
class GeneratedCondition:
    """A condition of a generated item: what its regions 1, 2, ... contain, maybe nothing.

    `joiner` is what stands between regions, as the `meta` of the suite says it, and `joiners` what
    stands before each of them instead, None where nothing else does; () is None for all.
    """

    name: str
    contents: tuple[str, ...]
    gloss: str = ""
    joiner: str = " "
    joiners: tuple[str | None, ...] = ()

    @property
    def sentence(self) -> str:
        """The sentence; regions that are empty are left out."""
        return self.sentence_to(len(self.contents))

    def sentence_to(self, region: int) -> str:
        """Return the sentence as far as a region, from 1, and with it."""
        pieces: list[str] = []
        for content, own in itertools.zip_longest(self.contents[:region], self.joiners[:region]):
            if content:
                pieces += [self.joiner if own is None else own, content]
        # Before the first nothing stands.
        return "".join(pieces[1:])


@positional
class GeneratedItem:
    """A generated item: its conditions, and what fills it, by what the grammar calls that."""

    conditions: tuple[GeneratedCondition, ...]
    lexemes: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[GeneratedCondition]:
        """Yield the conditions."""
        return iter(self.conditions)


def drawn_numbers(n: int, seed: int | str) -> Iterator[int]:
    """Yield the whole numbers below `n`, which may be large, in random order, each once.

    What comes first does not depend on how many are taken.
    """
    drawn = random.Random(seed)  # noqa: S311 - choosing sentences, not secrets
    seen: set[int] = set()
    # Beyond half of them, most draws would hit one that was there before.
    while 2 * len(seen) < n:
        number = drawn.randrange(n)
        if number not in seen:
            seen.add(number)
            yield number
    rest = [number for number in range(n) if number not in seen]
    drawn.shuffle(rest)
    yield from rest


class ItemGroups(Protocol):
    """Groups of items of which any number is a balanced sample."""

    @property
    def size(self) -> int:
        """How many items a group has."""
        ...

    @property
    def n(self) -> int:
        """How many groups there can be in a sample."""
        ...

    @property
    def about(self) -> str:
        """What is balanced, in words."""
        ...

    def drawn(self, seed: int) -> Iterator[tuple[int, ...]]:
        """Yield the numbers of each group's items, in random order, each number once."""
        ...


class ItemSource(Source, Protocol):
    """A grammar of a whole suite: conditions cut into regions, and predictions over them."""

    @property
    def n_items(self) -> int:
        """How many items there are; some may have the same sentences."""
        ...

    @property
    def head(self) -> Mapping[str, Any]:
        """The suite's JSON without its items: `region_meta`, `predictions`, and its `meta`.

        `meta` needs neither a name nor a recipe: `Generation` adds them.
        """
        ...

    @property
    def groups(self) -> ItemGroups | None:
        """What samples are made of if they are to be balanced; None if any items will do."""
        ...

    @property
    def has_own_joiners(self) -> bool:
        """Whether something else than the suite's joiner stands before some region."""
        ...

    @property
    def once_to(self) -> int | None:
        """The region, from 1, up to which no two items of a sample are the same; None: any."""
        ...

    def items(self, indices: Sequence[int] | None = None) -> Iterator[GeneratedItem]:
        """Yield the items with these numbers (from 0), in this order; None for all of them.

        Memory does not grow with their number.
        """
        ...


def has_sets(source: Source) -> TypeGuard[SetSource]:
    """Say whether a source has minimal sets."""
    return hasattr(type(source), "sets")


def has_items(source: Source) -> TypeGuard[ItemSource]:
    """Say whether a source has whole items."""
    # To ask for an instance of a protocol would compute all its properties.
    return hasattr(type(source), "items")


def recipe(kind: str, files: Mapping[str, DecodedText]) -> Mapping[str, Any]:
    """Return the kind of a grammar and the SHA-256 of its files, as they were when they were read.

    `files` are by the names that they have in the recipe.
    """
    return {"kind": kind, "files": {name: each.sha256 for name, each in files.items()}}
