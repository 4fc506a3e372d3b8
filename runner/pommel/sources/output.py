"""What is written, and in which forms: minimal sets, generated items and suites.

Each can be written as a suite, as items (long CSV, sentences), and, where it makes sense, in any
format of minimal sets.
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pommel.errors import InputError, UsageError, counted, listed, quoted
from pommel.files import TableReading, json_chunks, replacing
from pommel.sources.formats.blimp import BLIMP
from pommel.sources.formats.clams import CLAMS
from pommel.sources.formats.context_pairs import CONTEXT_PAIRS
from pommel.sources.formats.gevalm import GEVALM
from pommel.sources.formats.gulordava import GULORDAVA
from pommel.sources.formats.linzen import LINZEN
from pommel.sources.formats.lm_syneval import LM_SYNEVAL
from pommel.sources.formats.long_csv import (
    long_csv_pieces,
    sentence_lines,
    suite_sheets,
)
from pommel.sources.formats.pair_readings import PAIRS
from pommel.sources.formats.pair_rows import PAIR_TABLE
from pommel.sources.formats.pair_tables import MULTIBLIMP, PairColumns
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.grammar.source import GeneratedItem
from pommel.sources.minimal_sets import (
    CRITICAL_NAMES,
    GRAMMATICAL,
    REGION_NAMES,
    SOURCE,
    UNGRAMMATICAL,
    Compared,
    MinimalSet,
    condition_value,
    suite_head,
    suite_items,
)
from pommel.suite import Item, Suite
from pommel.values import frozen

# Forms of whole items; the others are formats of minimal sets.
_SUITE, _CSV, _XLSX, _SENTENCES = "suite", "csv", "xlsx", "sentences"

# Of formats that share an ending the first that recognises a file has it; the first of all is what
# a file of that ending is written in.
FORMATS: tuple[SetFormat, ...] = (
    CLAMS,
    PAIR_TABLE,
    BLIMP,
    GEVALM,
    MULTIBLIMP,
    CONTEXT_PAIRS,
    LM_SYNEVAL,
    LINZEN,
    GULORDAVA,
    PAIRS,
)

# More ties than these are not named.
_MOST_TIED = 20


@dataclass(slots=True, kw_only=True)
class Tally:
    """How many items or sets have been written, how many sets were left out, and which are ties.

    Those left out had no ungrammatical sentence, or, if they were generated, only such as are spelt
    like the grammatical one. `tied` are the numbers, from 1 among those written, of sets that have
    such a sentence all the same.
    """

    n_written: int = 0
    n_left_out: int = 0
    tied: list[int] = field(default_factory=list)

    def tie_note(self) -> str:
        """Return in a line which sets are ties, "" if none is."""
        if not self.tied:
            return ""
        sets = counted(len(self.tied), "minimal set")
        which = listed([str(number) for number in self.tied], most=_MOST_TIED)
        return (
            f"{sets} of {self.n_written:,} with an ungrammatical sentence that is spelt like the "
            f"grammatical one: {which} (kept as ties, which count as wrong)"
        )


@frozen
class WrittenForm:
    """A form in which suites, items or minimal sets are written, as `--format` names it.

    Its files end in `ending`. `sets` is the format of minimal sets that it is; None for the forms
    of whole items, which are "suite", "csv", "xlsx" and "sentences".
    """

    name: str
    ending: str
    sets: SetFormat | None = None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the forms that are written; what has `sets` may be only read."""
        return tuple(name for name, form in _FORMS.items() if not form.sets or form.sets.pieces)

    @classmethod
    def input_names(cls) -> tuple[str, ...]:
        """Return the names of the forms that are read."""
        return tuple(name for name in _FORMS if name != _SENTENCES)

    @classmethod
    def named(cls, name: str = _SUITE) -> "WrittenForm":
        """Return the form of that name, read or written; a suite's JSON without one."""
        return _FORMS[name]

    @classmethod
    def of_file(cls, path: Path) -> "WrittenForm":
        """Return the form that a file's ending means; raises `UsageError` if it means none."""
        found = {form.ending: form for form in map(cls.named, (_SUITE, _CSV, _XLSX))}
        for form in map(cls.named, cls.names()):
            for ending in form.sets.endings if form.sets else ():
                found.setdefault(ending, form)
        ending = path.suffix.lower()
        if ending not in found:
            endings = ", ".join(found)
            raise UsageError(f"{path}: say --format, or let the file end in one of {endings}")
        return found[ending]

    @property
    def is_of_suites(self) -> bool:
        """Whether it is for suites, in which the end of a sentence is the model's own mark."""
        return self.name in (_SUITE, _CSV, _XLSX)

    @property
    def is_table(self) -> bool:
        """Whether it is a suite as a table, of a file's lines or of a workbook."""
        return self.name in (_CSV, _XLSX)


_FORMS = {
    form.name: form
    for form in (
        WrittenForm(name=_SUITE, ending=".json"),
        WrittenForm(name=_CSV, ending=".csv"),
        WrittenForm(name=_XLSX, ending=".xlsx"),
        WrittenForm(name=_SENTENCES, ending=".txt"),
        *(WrittenForm(name=each.name, ending=each.endings[0], sets=each) for each in FORMATS),
    )
}


@frozen
class Content(ABC):
    """Something to be written; where it streams, it can be taken once. Its `tally` is kept.

    `grammatical` and `ungrammatical` are the conditions that are taken as minimal sets, where there
    are conditions; without names for the ungrammatical ones those are that are called so.
    `keeps_ties` says that sentences which are spelt like the grammatical one stay in sets, as in
    files that somebody has published; what is generated is without them. `columns` are those of the
    table of pairs that it was, or is written as; `told` is what told them.
    """

    grammatical: str = GRAMMATICAL
    ungrammatical: tuple[str, ...] = ()
    keeps_ties: bool = False
    columns: PairColumns | None = None
    told: str = ""
    tally: Tally = field(default_factory=Tally)

    @property
    @abstractmethod
    def head(self) -> Mapping[str, Any]:
        """The JSON of its suite; the items may be missing."""

    @abstractmethod
    def item_values(self) -> Iterator[Mapping[str, Any]]:
        """Return the JSON of the suite's items. Raises `InputError` for none."""

    @staticmethod
    def of_suite(
        suite: Suite, *, grammatical: str = GRAMMATICAL, ungrammatical: tuple[str, ...] = ()
    ) -> "Content":
        """Return what is written of a suite."""
        return SuiteContent(
            suite=suite, grammatical=grammatical, ungrammatical=ungrammatical, keeps_ties=True
        )

    @property
    def name(self) -> str:
        """What the suite is called."""
        return str(self.head["meta"]["name"])

    @property
    def region_names(self) -> Mapping[int, str]:
        """Region numbers and their names."""
        return {int(number): name for number, name in self.head["region_meta"].items()}

    @property
    def joiner(self) -> str:
        """What stands between two regions."""
        return str(self.head["meta"].get("joiner", " "))

    @property
    def has_own_joiners(self) -> bool:
        """Whether regions may have other joiners than the suite."""
        return False

    def lost_in(self, form: WrittenForm) -> list[str]:
        """Return what of the suite is not in a form of suites: long CSV has its sentences alone."""
        if form.name != _CSV:
            return []
        # A suite that is read again is called like its file, and its metric is the sum.
        usual = {"name": self.name, "metric": "sum"}.items()
        lost = [
            f"meta.{key}" for key, value in self.head["meta"].items() if (key, value) not in usual
        ]
        return ["predictions", *lost] if self.head.get("predictions") else lost

    def suite_pieces(self) -> Iterator[str]:
        """Return the text of the suite's JSON, piece by piece. Raises `InputError` for no items."""
        return json_chunks(self.head, "items", self.item_values())

    def items(self) -> Iterator[Item]:
        """Return the suite's items. Raises `InputError` for none."""
        return map(Item.from_dict, self.item_values())

    def sets(self, *, with_lone: bool = False) -> Iterator[MinimalSet]:
        """Return the minimal sets, `with_lone` also those without an ungrammatical sentence.

        Raises `UsageError` if these are no minimal sets, and `InputError` if there is none.
        """
        written = self._written_sets(with_lone=with_lone)
        first = next(written, None)
        if first is None:
            what = "no sentence has an ungrammatical one to compare with"
            raise InputError(f"{self.name}: {what}; what is contrasted has one spelling everywhere")
        return itertools.chain([first], written)

    def noun(self, form: WrittenForm) -> str:
        """Return what is counted where it is written in a form: sets, or items."""
        return "minimal set" if form.sets or isinstance(self, SetContent) else "item"

    def pieces(self, form: WrittenForm, ending: str = "") -> Iterator[str]:
        """Return its text in some form, piece by piece; a table's may follow from a file's ending.

        Raises `UsageError` for what it cannot be written as.
        """
        if form.sets is PAIRS:
            columns = (self.columns or PairColumns(("good", "bad"))).written_to(ending)
            return columns.lines(self._sets_in(PAIRS))
        if form.sets and form.sets.pieces:
            return form.sets.pieces(self._sets_in(form.sets))
        if form.name == _CSV:
            has_joiners = self.has_own_joiners
            return long_csv_pieces(self.items(), self.region_names, has_joiners=has_joiners)
        if form.name == _XLSX:
            raise UsageError("a workbook is not shown as text; name a file for it with -o")
        if form.name == _SENTENCES:
            return sentence_lines(self.items(), self.joiner)
        return self.suite_pieces()

    def write(self, form: WrittenForm, path: Path) -> None:
        """Write it to a file, never all of a text in memory; the file is there when it is whole.

        Raises `UsageError` for what it cannot be written as, and `PommelError` for what the file
        system refuses.
        """
        if form.name == _XLSX:
            TableReading.write_workbook(path, suite_sheets(self.head, self.item_values()))
            return
        pieces = self.pieces(form, path.suffix.lower())
        with replacing(path) as aside, aside.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(pieces)

    def _sets_in(self, form: SetFormat) -> Iterator[MinimalSet]:
        for number, each in enumerate(self.sets(with_lone=form.has_lone), start=1):
            if each.contexts and not form.has_contexts:
                what = f"minimal set {number} has contexts, which are no part of its sentences"
                hint = f"{form.name} has no place for them, and context-pairs has"
                raise UsageError(f"{self.name}: {what}; {hint}")
            yield each

    def _all_sets(self) -> Iterator[MinimalSet]:
        """Return a set an item, if that is what its conditions are."""
        items = self.items()
        first = next(items)
        names = self._set_names([each.name for each in first.conditions])
        joiner = self.joiner
        for item in itertools.chain([first], items):
            yield MinimalSet.of_item(item, names[0], names[1:], joiner=joiner)

    def _set_names(self, conditions: Sequence[str]) -> list[str]:
        """Return which conditions make minimal sets, the grammatical one first."""
        grammatical = self.grammatical
        others = list(self.ungrammatical) or [
            each
            for each in conditions
            if each != grammatical and f"{each}_".startswith(f"{UNGRAMMATICAL}_")
        ]
        if grammatical in others:
            both = "cannot be grammatical and ungrammatical"
            raise UsageError(f"{self.name}: {grammatical!r} {both}")
        unknown = [each for each in (grammatical, *others) if each not in conditions]
        if unknown or not others:
            lacks = listed([repr(each) for each in unknown or [UNGRAMMATICAL]])
            there = listed(list(conditions), most=8)
            hint = f"it has {there}; name two with --grammatical and --ungrammatical"
            raise UsageError(f"{self.name} has no condition {lacks}: {hint}")
        return [grammatical, *others]

    def _written_sets(self, *, with_lone: bool) -> Iterator[MinimalSet]:
        """Yield the sets that are written, and count all."""
        n_written = 0
        for found in self._all_sets():
            each = found
            if found.is_tied and not self.keeps_ties:
                others = tuple(form for form in found.others if form != found.form)
                each = replace(found, others=others)
            is_left_out = not (each.others or with_lone)
            self.tally.n_left_out += is_left_out
            n_written += not is_left_out
            # Items count themselves, too.
            self.tally.n_written = n_written
            if each.is_tied:
                self.tally.tied.append(n_written)
            if not is_left_out:
                yield each


@frozen
class SetContent(Content):
    """Minimal sets; `ungrammatical_counts` says how many ungrammatical sentences they have.

    A set of more than one ungrammatical sentence is one item if all have as many, and otherwise an
    item for each. Sets without any are no items. `compared` is what the prediction compares,
    `metric` by what of its tokens; `has_critical` says that critical words are a region.

    A joiner of nothing in `meta` is that of a script without spaces: contrasts are in characters.
    """

    all_sets: Iterable[MinimalSet]
    ungrammatical_counts: Collection[int]
    meta: Mapping[str, Any]
    compared: Compared = "sentence"
    metric: str = "sum"
    has_critical: bool = False

    @property
    def head(self) -> Mapping[str, Any]:
        """The suite's JSON without its items."""
        counts = self._counts
        n_ungrammatical = counts.pop() if len(counts) == 1 else 1
        names = CRITICAL_NAMES if self.has_critical else REGION_NAMES
        return suite_head(self.meta, n_ungrammatical, self.compared, self.metric, names)

    def item_values(self) -> Iterator[Mapping[str, Any]]:
        """Return an item a set, or a pair."""
        sets = self.sets()
        if len(self._counts) > 1:
            sets = itertools.chain.from_iterable(each.pairs() for each in sets)
        if self.compared == "critical":
            sets = map(self._checked, sets)
        return suite_items(sets, has_critical=self.has_critical)

    def _checked(self, found: MinimalSet) -> MinimalSet:
        """Return a set; raises `InputError` if it has no critical words to be compared."""
        _, critical, _ = found.parts_after
        if not critical:
            what = f"{quoted(found.critical)} does not stand behind what differs"
            hint = "leave out --compare critical, and its sentences are compared"
            raise InputError(f"{self.name}: {what} in {quoted(found.grammatical)}; {hint}")
        return found

    @property
    def _counts(self) -> set[int]:
        return {*self.ungrammatical_counts} - {0}

    def _all_sets(self) -> Iterator[MinimalSet]:
        return iter(self.all_sets) if self.joiner else map(MinimalSet.by_character, self.all_sets)


@frozen
class ItemContent(Content):
    """Generated items, with the JSON of their suite without its items.

    `has_own_joiners` says that regions may have other joiners than the suite.
    """

    all_items: Iterable[GeneratedItem]
    head: Mapping[str, Any]
    has_own_joiners: bool = False

    def item_values(self) -> Iterator[Mapping[str, Any]]:
        """Yield the JSON of the items."""
        for number, item in enumerate(self.all_items, start=1):
            self.tally.n_written += 1
            conditions = [
                condition_value(each.name, each.contents, joiners=each.joiners, gloss=each.gloss)
                for each in item
            ]
            source = {SOURCE: item.lexemes} if item.lexemes else {}
            yield {"item_number": number, **source, "conditions": conditions}


@frozen
class SuiteContent(Content):
    """A suite."""

    suite: Suite

    @property
    def has_own_joiners(self) -> bool:
        """Whether some region has another joiner than the suite."""
        return self.suite.has_own_joiners

    @property
    def head(self) -> Mapping[str, Any]:
        """Its JSON without its items."""
        value = replace(self.suite, items=self.suite.items[:1]).to_dict()
        return {key: each for key, each in value.items() if key != "items"}

    def item_values(self) -> Iterator[Mapping[str, Any]]:
        """Return the JSON of the items."""
        return (item.to_dict() for item in self.items())

    def suite_pieces(self) -> Iterator[str]:
        """Yield the suite's JSON, with all that was in it."""
        self.tally.n_written = len(self.suite.items)
        yield self.suite.to_text()

    def items(self) -> Iterator[Item]:
        """Return the items."""
        self.tally.n_written = len(self.suite.items)
        return iter(self.suite.items)
