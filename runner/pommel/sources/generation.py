"""Minimal sets and items from a grammar: which of them, how they look, and their recipe."""

import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

from pommel.errors import UsageError, counted, listed, package_version
from pommel.sources.grammar.attribute_varying import AttributeVaryingSource
from pommel.sources.grammar.context_free.source import ContextFreeSource
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.permutation.source import PermutationSource
from pommel.sources.grammar.source import (
    GeneratedItem,
    ItemGroups,
    ItemSource,
    SetSource,
    drawn_numbers,
    has_items,
    has_sets,
)
from pommel.sources.minimal_sets import GRAMMATICAL, MinimalSet
from pommel.sources.output import ItemContent, SetContent
from pommel.sources.text_grammar import TextGrammar
from pommel.suite import Formula, PublishedSuite, Region
from pommel.values import frozen

_T = TypeVar("_T", MinimalSet, GeneratedItem)

# What the published program writes behind every sentence, and what a model of its kind was
# trained on.
_STOP, _EOS = ".", "<eos>"
# What ends a sentence already, in any of the scripts that suites are written in.
_STOPS = (".", "!", "?", "…", "।", "。", "؟")
# So many draws one after another that bring nothing new end the search for distinct sentences.
_MOST_REPEATED = 20_000


# Grammars of every kind, by how their files end.
_OPENERS: Mapping[str, Callable[[Path], SetSource | ItemSource]] = {
    ".avg": AttributeVaryingSource,
    ".cfg": ContextFreeSource,
    ".template": LexiconTemplateSource,
    ".design": PermutationSource,
}


@frozen(slots=False)
class Generation:
    """All sets or items of a source, or `n_sampled` distinct ones, drawn at random with `seed`.

    A sample is drawn without replacement, balanced if the source says how, and stands in the order
    of the source. Items are distinct if no prediction asks the same of a left-to-right model in two
    of them: of the sentences that it compares, one differs before or in what it looks at. `eos`
    writes a full stop, where there is none, and `<eos>` behind every sentence, `capitalize` its
    first letter as a capital one (Mueller et al. 2020). `about` goes into the suite's `meta`.
    """

    source: SetSource | ItemSource
    name: str
    n_sampled: int | None = None
    seed: int = 1
    eos: bool = False
    capitalize: bool = False
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_file(cls, path: Path, *, depth: int | None = None) -> Self:
        """Return all that the grammar in a file makes, called as it says, or like its file.

        Raises as `open_grammar` does.
        """
        source = open_grammar(path, depth=depth)
        head = source.head if has_items(source) else {}
        return cls(source=source, name=str(head.get("meta", {}).get("name") or path.stem))

    @staticmethod
    def endings() -> tuple[str, ...]:
        """Return how the files of grammars end."""
        return tuple(_OPENERS)

    @staticmethod
    def text_of(name: str) -> TextGrammar:
        """Return the grammar of a text to train on: a template, a folder of them, or "texts:de".

        Raises as `TextGrammar.named` does.
        """
        return TextGrammar.named(name)

    @staticmethod
    def shipped_texts() -> tuple[str, ...]:
        """Return the names of such grammars that ship with pommel."""
        return TextGrammar.shipped_names()

    @property
    def counts(self) -> list[str]:
        """How many items and minimal sets there are, in words, of what there is."""
        items = [counted(self.source.n_items, "item")] if has_items(self.source) else []
        sets = [counted(self.source.n_sets, "minimal set")] if has_sets(self.source) else []
        return [*items, *sets]

    def content(
        self, *, as_sets: bool, grammatical: str = "", ungrammatical: tuple[str, ...] = ()
    ) -> SetContent | ItemContent:
        """Return what there is to write.

        A source of both sets and items gives sets where they are asked for (`as_sets`), and items
        otherwise, or where conditions are named that are to be `grammatical` and `ungrammatical`
        as minimal sets. Raises `UsageError` for a sample of more than there are, or one that cannot
        be balanced, and for conditions of a source that has none.
        """
        is_named = bool(grammatical or ungrammatical)
        meta = {"name": self.name, **self._about, "generator": self._recipe()}
        if has_items(self.source) and not (as_sets and not is_named and has_sets(self.source)):
            found = self._items_of(self.source, meta)
            grammatical = grammatical or GRAMMATICAL
            return replace(found, grammatical=grammatical, ungrammatical=ungrammatical)
        assert has_sets(self.source)  # noqa: S101 - there is no third kind
        sets = self._chosen(
            self.source.sets, lambda each: [each.sentences], self.source.n_sets, "minimal set"
        )
        if meta.get("joiner") == "" and not as_sets:
            sets = map(MinimalSet.without_spaces, sets)
        if is_named:
            what = "--grammatical and --ungrammatical name conditions"
            raise UsageError(f"{what}; this grammar says itself which sentences are which")
        return SetContent(
            all_sets=map(self._finished, sets),
            ungrammatical_counts=self.source.ungrammatical_counts,
            meta=meta,
        )

    def _items_of(self, source: ItemSource, meta: Mapping[str, Any]) -> ItemContent:
        """Return all items, or a sample; `meta` is said besides what the grammar says."""
        groups = source.groups if self.n_sampled is not None else None
        head = source.head
        asked = _Asked.by(
            head["predictions"], once_to=source.once_to, is_balanced=groups is not None
        )
        items = self._chosen(source.items, asked.of_item, source.n_items, "item", groups)
        return ItemContent(
            all_items=map(self._finished_item, items),
            head={**head, "meta": {**head["meta"], **meta}},
            has_own_joiners=source.has_own_joiners,
        )

    def unknown_words(self, vocabulary: Collection[str]) -> list[str]:
        """Return the words of the grammar that a vocabulary does not have, in the grammar's order.

        They are looked up as the grammar has them, without capital letters that are put on.
        """
        known = frozenset(vocabulary)
        return [word for word in self.source.words if word not in known]

    @cached_property
    def _said(self) -> Mapping[str, Any]:
        """What the grammar says of its suite, and what is said besides."""
        own = self.source.head["meta"] if has_items(self.source) else {}
        return {**own, **self.about}

    @property
    def _about(self) -> Mapping[str, str]:
        """What goes into `meta`; for a language without spaces that nothing joins regions.

        Unless a joiner is said here, or by the grammar.
        """
        language = self.about.get("language", "")
        if "joiner" in self._said or PublishedSuite.usual_joiner(language):
            return self.about
        return {**self.about, "joiner": ""}

    def _recipe(self) -> Mapping[str, Any]:
        """Return all that is needed to generate the same again."""
        sample = {"n": self.n_sampled, "seed": self.seed} if self.n_sampled else None
        return {
            **self.source.recipe,
            "sample": sample,
            "eos": self.eos,
            "capitalize": self.capitalize,
            "pommel": package_version("pommel"),
        }

    def _finished(self, found: MinimalSet) -> MinimalSet:
        if not self.eos and not self.capitalize:
            return found
        end = _end(found.grammatical)
        texts = [(found.before, form, found.after) for form in found.forms]
        # Some sentences may begin behind the contrast: then that is where they differ, too.
        finished = [self._finished_contents(each, end) for each in texts]
        return MinimalSet.of_regions(finished, joiner=found.joiner)

    def _finished_item(self, item: GeneratedItem) -> GeneratedItem:
        if not self.eos and not self.capitalize:
            return item
        ends = (_end(" ".join(each.contents).rstrip()) for each in item)
        conditions = [
            replace(each, contents=self._finished_contents(each.contents, end))
            for each, end in zip(item, ends, strict=True)
        ]
        return replace(item, conditions=tuple(conditions))

    def _finished_contents(self, contents: Sequence[str], end: str) -> tuple[str, ...]:
        found = list(contents)
        if self.eos:
            found[-1] = f"{found[-1]} {end}".lstrip()
        first = next((n for n, content in enumerate(found) if content), None)
        if self.capitalize and first is not None:
            language = str(self._said.get("language", ""))
            found[first] = Region.with_first_letter(found[first], "capital", language)
        return tuple(found)

    def _chosen(
        self,
        take: Callable[[Sequence[int] | None], Iterator[_T]],
        once: Callable[[_T], Iterable[Hashable]],
        n_there: int,
        noun: str,
        groups: ItemGroups | None = None,
    ) -> Iterator[_T]:
        """Return what is asked for, in the order of the source.

        No two have the same of what is to be there `once`.
        """
        n = self.n_sampled
        if n is None:
            return take(None)
        drawn: Iterable[Sequence[int]] = ([each] for each in drawn_numbers(n_there, self.seed))
        there, size = counted(n_there, noun), 1
        if groups:
            drawn, size, n_there = groups.drawn(self.seed), groups.size, groups.n * groups.size
            there = f"{counted(n_there, noun)} for balanced samples ({groups.about})"
            if n % size:
                below = n - n % size
                hint = f"ask for {below} or {below + size}" if below else f"ask for {size}"
                raise UsageError(f"a sample of {n} cannot be balanced: {groups.about}; {hint}")
        kept: list[int] = []
        seen: set[Hashable] = set()
        n_drawn = last_new = 0
        for n_drawn, numbers in enumerate(drawn if 0 < n <= n_there else (), start=1):
            new = [key for each in take(numbers) for key in once(each)]
            # What is drawn together is kept together, or not at all.
            if len(set(new)) == len(new) and seen.isdisjoint(new):
                seen.update(new)
                kept += numbers
                last_new = n_drawn
            if len(kept) == n:
                return take(sorted(kept))
            if n_drawn - last_new == _MOST_REPEATED:
                break
        if kept and len(kept) < n_there:
            there += f", of which {len(kept)} are distinct"
            # So many more would take for ever to go through.
            there += f" as far as {n_drawn} draws tell" if n_drawn * size < n_there else ""
        what = f"a sample of {n} cannot be drawn"
        raise UsageError(f"{what}: {self.name} has {there}; ask for no more, or add words")


@frozen
class _Asked:
    """What each prediction asks of a left-to-right model: of each condition that it compares, the
    last region that it looks at.

    Up to the region `once_to` all conditions together are there once, if the source says so.
    """

    last_regions: Sequence[Mapping[str, int]]
    once_to: int | None
    is_balanced: bool

    @classmethod
    def by(
        cls,
        predictions: Iterable[Mapping[str, str]],
        *,
        once_to: int | None,
        is_balanced: bool,
    ) -> Self:
        """Take the predictions of a suite, as JSON has them."""
        last_regions = []
        for each in predictions:
            last: dict[str, int] = {}
            for named in Formula.parse(each["formula"]).references:
                # A whole sentence goes on behind all regions.
                region = named.region or sys.maxsize
                last[named.condition] = max(region, last.get(named.condition, 0))
            last_regions.append(last)
        last_regions = [each for each in last_regions if each]
        return cls(last_regions=last_regions, once_to=once_to, is_balanced=is_balanced)

    def of_item(self, item: GeneratedItem) -> Iterator[Hashable]:
        """Yield what no other item of a sample may have: the same would count twice."""
        conditions = {each.name: each for each in item}
        for number, last in enumerate(self.last_regions):
            yield number, *(conditions[name].sentence_to(end) for name, end in last.items())
        if self.once_to is not None:
            yield "to", *(each.sentence_to(self.once_to) for each in item)
        sentences = tuple(each.sentence for each in item)
        if self.is_balanced:
            yield from dict.fromkeys(sentences)
        elif not self.last_regions:
            yield sentences


def _end(sentence: str) -> str:
    return _EOS if sentence.endswith(_STOPS) else f"{_STOP} {_EOS}"


def open_grammar(path: Path, *, depth: int | None = None) -> SetSource | ItemSource:
    """Read the grammar in a file; `depth` is how deep the trees of a context-free one may be.

    Raises `UsageError` for an ending that is none of a grammar's, for a depth where there is none
    and for a grammar of text alone, and `GrammarError` with every fault of the grammar.
    """
    opener = _OPENERS.get(path.suffix)
    if opener is None and (str(path).startswith(TextGrammar.SHIPPED) or path.is_dir()):
        # What is no such grammar is told first.
        TextGrammar.named(str(path))
        what = "sentences to train on are drawn of it, and no suite is made"
        raise UsageError(f"{path}: {what}; say how many, as --text 4000")
    if opener is None:
        endings = listed(list(_OPENERS), most=len(_OPENERS))
        raise UsageError(f"{path}: a grammar's file ends in one of {endings}")
    if depth is None:
        return opener(path)
    if opener is not ContextFreeSource:
        raise UsageError("--depth is for context-free grammars (.cfg)")
    return ContextFreeSource(path, depth=depth)
