"""What every generator offers: its minimal sets, in one order, all of them or some."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from pommel.minimal_sets import MinimalSet


class SetSource(Protocol):
    """A grammar that has been read, and the sets that it stands for."""

    @property
    def n_sets(self) -> int:
        """How many sets there are."""
        ...

    @property
    def n_others(self) -> frozenset[int]:
        """How many ungrammatical sentences the sets have: one number, or several."""
        ...

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words of all sentences, in the order of the grammar."""
        ...

    @property
    def recipe(self) -> Mapping[str, Any]:
        """What the sets are made from: the kind of grammar, and its files with their SHA-256."""
        ...

    def sets(self, indices: Sequence[int] | None = None) -> Iterator[MinimalSet]:
        """Yield the sets with these numbers (from 0), in this order; None for all of them.

        Memory does not grow with their number.
        """
        ...
