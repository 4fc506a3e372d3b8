"""Minimal sets from a grammar to a file: which of them, how they are written, and their recipe."""

import itertools
import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pommel.errors import UsageError
from pommel.formats.clams import clams_lines
from pommel.formats.pair_table import pair_lines
from pommel.grammar.source import SetSource
from pommel.json_document import json_chunks
from pommel.minimal_sets import MinimalSet, suite_head, suite_items
from pommel.version import pommel_version
from pommel.wording import counted, with_first_letter

Format = Literal["suite", "clams", "tsv"]

# What the published program writes behind every sentence, and what a model of its kind was
# trained on.
_END = ". <eos>"


@dataclass(slots=True, kw_only=True)
class Tally:
    """What has been written so far; `n_bare` sets had no ungrammatical sentence to compare with."""

    n_sets: int = 0
    n_bare: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """All sets of a source, or `n_sampled` of them, drawn without replacement with `seed`.

    A sample stands in the order of the source. `eos` writes a full stop and `<eos>` behind every
    sentence, `capitalize` its first letter as a capital one (Mueller et al. 2020). Raises
    `UsageError` for a sample of more sets than there are.
    """

    source: SetSource
    name: str
    n_sampled: int | None = None
    seed: int = 1
    eos: bool = False
    capitalize: bool = False

    def __post_init__(self) -> None:
        there = self.source.n_sets
        if self.n_sampled is not None and not 0 < self.n_sampled <= there:
            all_there_is = f"{self.name} has {counted(there, 'minimal set')}"
            raise UsageError(f"a sample of {self.n_sampled} cannot be drawn: {all_there_is}")

    def chunks(self, form: Format, tally: Tally | None = None) -> Iterator[str]:
        """Return the text of a file in that format, piece by piece; `tally` is kept meanwhile.

        A set of more than one ungrammatical sentence is one item of a suite if all have as many,
        and otherwise an item for each. Sets without any are no items. Raises `UsageError` for a
        suite that would have no items, or marks of its own for the ends of sentences.
        """
        if form == "suite" and self.eos:
            hint = "write sentences (clams, tsv), or leave the mark out"
            raise UsageError(f"in a suite, the end of a sentence is the model's own mark; {hint}")
        sets = self._sets(tally or Tally())
        meta = {"name": self.name, "generator": self._recipe()}
        return set_chunks(form, sets, n_others=self.source.n_others, meta=meta)

    def unknown_words(self, vocabulary: Collection[str]) -> list[str]:
        """Return the words of the grammar that a vocabulary does not have, in the grammar's order.

        They are looked up as the grammar has them, without capital letters that are put on.
        """
        known = frozenset(vocabulary)
        return [word for word in self.source.words if word not in known]

    def _sets(self, tally: Tally) -> Iterator[MinimalSet]:
        for each in self.source.sets(self._indices()):
            tally.n_sets += 1
            tally.n_bare += not each.others
            yield self._finished(each)

    def _recipe(self) -> dict[str, Any]:
        """Return all that is needed to generate the same again."""
        sample = {"n_sets": self.n_sampled, "seed": self.seed} if self.n_sampled else None
        return {
            **self.source.recipe,
            "sample": sample,
            "eos": self.eos,
            "capitalize": self.capitalize,
            "pommel": pommel_version(),
        }

    def _indices(self) -> list[int] | None:
        if self.n_sampled is None:
            return None
        drawn = random.Random(self.seed)  # noqa: S311 - choosing sentences, not secrets
        return sorted(drawn.sample(range(self.source.n_sets), self.n_sampled))

    def _finished(self, found: MinimalSet) -> MinimalSet:
        if self.eos:
            found = replace(found, after=f"{found.after} {_END}".lstrip())
        if not self.capitalize:
            return found
        if found.before:
            return replace(found, before=with_first_letter(found.before, str.title))
        form, *others = (with_first_letter(each, str.title) for each in (found.form, *found.others))
        return replace(found, form=form, others=tuple(others))


def set_chunks(
    form: Format, sets: Iterable[MinimalSet], *, n_others: Collection[int], meta: Mapping[str, Any]
) -> Iterator[str]:
    """Return the text of a file of minimal sets in some format, piece by piece.

    `n_others` are the numbers of ungrammatical sentences that sets have, `meta` what a suite says
    of itself. Raises `UsageError` for a suite that would have no items.
    """
    match form:
        case "clams":
            return clams_lines(sets)
        case "tsv":
            return pair_lines(sets)
        case "suite":
            return _suite_chunks(sets, n_others, meta)


def _suite_chunks(
    sets: Iterable[MinimalSet], n_others: Collection[int], meta: Mapping[str, Any]
) -> Iterator[str]:
    compared = (each for each in sets if each.others)
    first = next(compared, None)
    if first is None:
        name = meta["name"]
        raise UsageError(f"{name}: no sentence has an ungrammatical one to compare with")
    own = itertools.chain([first], compared)
    n_own, *more = sorted({*n_others} - {0})
    if more:
        n_own, own = 1, itertools.chain.from_iterable(each.pairs() for each in own)
    return json_chunks(suite_head(meta, n_own), "items", suite_items(own))
