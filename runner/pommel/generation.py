"""Minimal sets and items from a grammar: which of them, how they look, and their recipe."""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pommel.contents import Content, ItemContent, SetContent
from pommel.errors import UsageError
from pommel.grammar.source import GeneratedItem, ItemSource, SetSource, has_items, has_sets
from pommel.minimal_sets import MinimalSet
from pommel.version import pommel_version
from pommel.wording import counted, with_first_letter

_T = TypeVar("_T")

# What the published program writes behind every sentence, and what a model of its kind was
# trained on.
_END = ". <eos>"


@dataclass(slots=True, kw_only=True)
class Tally:
    """What has been written so far; `n_bare` sets had no ungrammatical sentence to compare with."""

    n_written: int = 0
    n_bare: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """All sets or items of a source, or `n_sampled` distinct ones, drawn at random with `seed`.

    A sample is drawn without replacement, and stands in the order of the source. `eos` writes a
    full stop and `<eos>` behind every sentence, `capitalize` its first letter as a capital one
    (Mueller et al. 2020).
    """

    source: SetSource | ItemSource
    name: str
    n_sampled: int | None = None
    seed: int = 1
    eos: bool = False
    capitalize: bool = False

    def content(self, *, as_sets: bool, tally: Tally | None = None) -> Content:
        """Return what there is to write; `tally` is kept while it is written.

        A source of both sets and items gives sets where they are asked for (`as_sets`), and items
        otherwise. Raises `UsageError` for a sample of more than there are.
        """
        tally = tally or Tally()
        meta = {"name": self.name, "generator": self._recipe()}
        if has_items(self.source) and not (as_sets and has_sets(self.source)):
            items = _chosen(self, self.source.items, self.source.n_items, _sentences, "item")
            head = {**self.source.head, "meta": {**self.source.head["meta"], **meta}}
            head["meta"].setdefault("metric", "sum")
            return ItemContent(all_items=self._finished_items(items, tally), head=head)
        assert has_sets(self.source)  # noqa: S101 - there is no third kind
        sets = _chosen(self, self.source.sets, self.source.n_sets, _set_sentences, "minimal set")
        return SetContent(
            all_sets=self._finished_sets(sets, tally), n_others=self.source.n_others, meta=meta
        )

    def unknown_words(self, vocabulary: Collection[str]) -> list[str]:
        """Return the words of the grammar that a vocabulary does not have, in the grammar's order.

        They are looked up as the grammar has them, without capital letters that are put on.
        """
        known = frozenset(vocabulary)
        return [word for word in self.source.words if word not in known]

    def _recipe(self) -> dict[str, Any]:
        """Return all that is needed to generate the same again."""
        sample = {"n": self.n_sampled, "seed": self.seed} if self.n_sampled else None
        return {
            **self.source.recipe,
            "sample": sample,
            "eos": self.eos,
            "capitalize": self.capitalize,
            "pommel": pommel_version(),
        }

    def _finished_sets(self, sets: Iterable[MinimalSet], tally: Tally) -> Iterator[MinimalSet]:
        for each in sets:
            tally.n_written += 1
            tally.n_bare += not each.others
            yield self._finished(each)

    def _finished(self, found: MinimalSet) -> MinimalSet:
        if self.eos:
            found = replace(found, after=f"{found.after} {_END}".lstrip())
        if not self.capitalize:
            return found
        if found.before:
            return replace(found, before=with_first_letter(found.before, str.title))
        form, *others = (with_first_letter(each, str.title) for each in (found.form, *found.others))
        return replace(found, form=form, others=tuple(others))

    def _finished_items(
        self, items: Iterable[GeneratedItem], tally: Tally
    ) -> Iterator[GeneratedItem]:
        for item in items:
            tally.n_written += 1
            yield tuple(
                replace(each, contents=self._finished_contents(each.contents)) for each in item
            )

    def _finished_contents(self, contents: Sequence[str]) -> tuple[str, ...]:
        found = list(contents)
        if self.eos:
            found[-1] = f"{found[-1]} {_END}".lstrip()
        first = next((n for n, content in enumerate(found) if content), None)
        if self.capitalize and first is not None:
            found[first] = with_first_letter(found[first], str.title)
        return tuple(found)


def _chosen(
    generation: Generation,
    take: Callable[[Sequence[int] | None], Iterator[_T]],
    n_there: int,
    sentences: Callable[[_T], object],
    noun: str,
) -> Iterator[_T]:
    """Return what is asked for, in the order of the source."""
    n_sampled = generation.n_sampled
    if n_sampled is None:
        return take(None)
    numbers = drawn_numbers(n_there, generation.seed)
    seen: set[object] = set()
    kept: list[int] = []
    for number in numbers if 0 < n_sampled <= n_there else ():
        (found,) = take([number])
        key = sentences(found)
        if key not in seen:
            seen.add(key)
            kept.append(number)
        if len(kept) == n_sampled:
            return take(sorted(kept))
    there = counted(n_there, noun)
    if kept and len(kept) < n_there:
        there += f", of which {len(kept)} are distinct"
    what = f"a sample of {n_sampled} cannot be drawn"
    raise UsageError(f"{what}: {generation.name} has {there}; ask for no more, or add words")


def drawn_numbers(n: int, seed: int) -> Iterator[int]:
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


def _set_sentences(found: MinimalSet) -> object:
    return found.grammatical, found.ungrammatical


def _sentences(item: GeneratedItem) -> object:
    return tuple(each.sentence for each in item)
