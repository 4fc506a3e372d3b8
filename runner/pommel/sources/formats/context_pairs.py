"""Targets after their context: minimal pairs as Kryvosheieva and Levy publish them, and tables.

Their suites are a JSON list of items `[[context, context], [good target, bad target]]`: the context
stands there twice so that both targets are scored in one call. A table has a column for each.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Self

from pommel.errors import Fault, InputError, SuiteError, quoted
from pommel.files import CsvTable, DecodedText, JsonDocument
from pommel.sources.formats.json_lines import json_text
from pommel.sources.formats.pair_rows import as_kept, has_words, mended_set, pairs_of
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import MinimalSet, words_in
from pommel.values import frozen

# (context of the good target, of the bad one), (good target, bad target).
ContextPair = tuple[tuple[str, str], tuple[str, str]]

_EMPTY, _EMPTY_HINT = "the target is empty", "write the words to score"
_ITEM = "[[context, context], [good target, bad target]]"
# The columns of a table of targets.
CONTEXT, TARGET = "context", "target"
# Keys under which a set keeps its item where its words do not say how it was written.
_CONTEXTS, _TARGETS = "contexts", "targets"


def context_pairs(text: str, file: str) -> list[ContextPair]:
    """Return the items of a file's text; the contexts of an item may differ.

    Raises `SuiteError` for what is no JSON, and with every item that is no such pair, or whose
    target is empty.
    """
    document = JsonDocument.parse(text, file=file, expected=f"write [{_ITEM}, ...]")
    faults = [*document.surrogate_faults(), *islice(_item_faults(document), CsvTable.MOST_FAULTS)]
    if faults:
        raise SuiteError(faults)
    return [(tuple(contexts), tuple(targets)) for contexts, targets in document.value]


def _item_faults(document: JsonDocument) -> Iterator[Fault]:
    if not isinstance(document.value, list) or not document.value:
        message = "this is no list of minimal pairs"
        yield document.fault((), message, hint=f"write [{_ITEM}, ...]")
        return
    for index, item in enumerate(document.value):
        if not _is_two(item, list) or not all(_is_two(each, str) for each in item):
            yield document.fault((index,), "this item is no minimal pair", hint=f"write {_ITEM}")
            continue
        if (n := max(len(text) for each in item for text in each)) > DecodedText.MOST_OF_LINE:
            yield document.fault((index,), f"a text of {n:,} characters", hint="write a sentence")
        for place, target in enumerate(item[1]):
            if not target.strip():
                yield document.fault((index, 1, place), _EMPTY, hint=_EMPTY_HINT)


def _is_two(value: object, kind: type) -> bool:
    return isinstance(value, list) and [*map(type, value)] == [kind, kind]


def parse_context_pairs(text: str, file: str) -> list[MinimalSet]:
    """Return the pairs of a file's text: a target is the whole contrast.

    What both have for a context is before the contrast. Where there are two, each is the context of
    its target. Raises `SuiteError` as `context_pairs` does.
    """
    return [_set_of(*pair) for pair in context_pairs(text, file)]


def _set_of(contexts: tuple[str, str], targets: tuple[str, str]) -> MinimalSet:
    before, other, good, bad = (" ".join(words_in(text)) for text in (*contexts, *targets))
    if has_words(before, other):
        found = MinimalSet(before, good, (bad,), "")
    else:
        found = MinimalSet("", good, (bad,), "", contexts=(before, other))
    if _item(mended_set(found)) == [[*contexts], [*targets]]:
        return found
    return replace(found, fields={_CONTEXTS: [*contexts], _TARGETS: [*targets]})


def context_pair_pieces(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield, piece by piece, the JSON of an item for each pair, all in one line without its end.

    What follows a contrast belongs to the target. What else is known of a pair has no place here.
    Raises `InputError` for a pair with an empty target.
    """
    separator = "["
    for pair in pairs_of(sets):
        yield f"{separator}{json_text(_item(pair))}"
        separator = ", "
    yield "]" if separator != "[" else "[]"


def _item(pair: MinimalSet) -> list[list[str]]:
    contexts = pair.contexts or (pair.before,) * 2
    targets = replace(pair, before=pair.before if pair.contexts else "").sentences
    if not all(targets):
        message = " and ".join(map(quoted, pair.sentences))
        hint = "one goes on where the other ends, and a target would be empty"
        raise InputError(f"{message} cannot be written as targets after a context: {hint}")
    spelt = ((contexts, _CONTEXTS), (targets, _TARGETS))
    return [[*as_kept(texts, pair.fields, name)] for texts, name in spelt]


CONTEXT_PAIRS = SetFormat(
    name="context-pairs",
    endings=(".json",),
    parse=parse_context_pairs,
    pieces=context_pair_pieces,
    compared="contrast",
    # As the authors' code has it: the mean over the target's tokens.
    metric="mean",
    has_contexts=True,
    is_like=lambda text: re.match(r"\s*\[(?!\s*\{)", text) is not None,
)


@frozen
class TargetTable:
    """The rows of a file, one a (context, target).

    `columns` names the fields, of which two are "context" and "target". `has_labels` says that rows
    come in twos: an item's good target, then its bad one.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    has_labels: bool = False

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """(context, target) of each row."""
        context, target = self.columns.index(CONTEXT), self.columns.index(TARGET)
        return [(row[context], row[target]) for row in self.rows]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file; raises `InputError` if it cannot be read, and as `parse` does."""
        return cls.parse(DecodedText.read(path).text, file=str(path))

    @classmethod
    def parse(cls, text: str, *, file: str) -> Self:
        """Read targets from a file's text; `file` is its name in messages.

        What begins with a bracket is JSON: a list of items
        `[[context, context], [good target, bad target]]`, as Kryvosheieva and Levy publish their
        suites; its columns are "item" (from 1), "label" ("good" or "bad"), "context", "target".
        Anything else is a table with a header, separated by tabs if there is one in the header and
        by commas otherwise. Its fields are the text that stands there (`NA`, `007`), with double
        quotes around what holds a separator, a quote or a line break; it keeps all its columns.

        Raises `SuiteError` with all faults.
        """
        if text.lstrip()[:1] in ("[", "{"):
            return cls._from_pairs(context_pairs(text, file))
        return cls._from_table(text, file)

    @classmethod
    def _from_pairs(cls, pairs: Sequence[ContextPair]) -> Self:
        rows = tuple(
            (str(number), label, context, target)
            for number, pair in enumerate(pairs, start=1)
            for label, context, target in zip(("good", "bad"), *pair, strict=True)
        )
        return cls(columns=("item", "label", CONTEXT, TARGET), rows=rows, has_labels=True)

    @classmethod
    def _from_table(cls, text: str, file: str) -> Self:
        table = CsvTable.parse(text, file=file, separator=CsvTable.separator_in(text))
        faults: list[Fault] = []
        records = table.records((CONTEXT, TARGET), faults, others_allowed=True)
        empty = (record for record in records if not record[TARGET].strip())
        faults += (record.fault(TARGET, _EMPTY, _EMPTY_HINT) for record in empty)
        if faults:
            raise SuiteError(Fault.in_order(faults))
        columns, *rows = (row.fields for row in table.rows)
        return cls(columns=columns, rows=tuple(rows))
