"""Pairs of sentences: what rows of files say more of them, which is kept and written back.

The plainest such file has two columns of TSV: the grammatical sentence, the ungrammatical one.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from pommel.errors import Fault, Place, SuiteError
from pommel.files import DecodedText, JsonPath
from pommel.sources.formats.json_lines import JsonLine
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import GRAMMATICAL, UNGRAMMATICAL, MinimalSet, words_in
from pommel.suite import Region

_Row = TypeVar("_Row")

_N_COLUMNS = 2


def pairs_of(sets: Iterable[MinimalSet]) -> Iterator[MinimalSet]:
    """Yield a pair for each ungrammatical sentence; a set without any is none."""
    return itertools.chain.from_iterable(each.pairs() for each in sets)


def checked_sets(
    rows: Iterable[_Row],
    check: Callable[[_Row], Iterable[Fault]],
    set_of: Callable[[_Row], MinimalSet],
    faults: Iterable[Fault] = (),
) -> list[MinimalSet]:
    """Return the set of each row; `check` yields what is wrong with one.

    Raises `SuiteError` with all of that and with `faults`, those of the file, in file order.
    """
    found = list(faults)
    sets: list[MinimalSet] = []
    for row in rows:
        wrong = list(check(row))
        found += wrong
        if not wrong:
            sets.append(set_of(row))
    if found:
        raise SuiteError(sorted(found, key=lambda fault: (fault.line, fault.column)))
    return sets


def mended_set(found: MinimalSet) -> MinimalSet:
    """Return what comes of a set in a suite: its regions lose stray spaces of any kind."""
    texts = (found.before, found.form, *found.others, found.after)
    before, form, *others, after = map(Region.text_of, texts)
    contexts = tuple(map(Region.text_of, found.contexts))
    return MinimalSet(before, form, tuple(others), after, found.fields, contexts)


# Where a value stands, what is wrong with it, and what to do.
Problem = tuple[JsonPath, str, str]


@dataclass(frozen=True, slots=True)
class PairRows:
    """How the rows of a format say a pair, under the names of columns or keys.

    `problems` yields what is wrong with a row; `pair_of` makes a pair of one that is sound, and
    `spelt` what a row says of a pair. Any row has columns more, which are kept (see `kept_fields`
    for `own`), and is written again as it was, as long as its pair has not been changed.
    """

    problems: Callable[[Mapping[str, Any]], Iterator[Problem]]
    pair_of: Callable[[Mapping[str, Any]], MinimalSet]
    spelt: Callable[[MinimalSet], dict[str, object]]
    own: Collection[str] = ()

    @classmethod
    def of_sentences(cls, good: str, bad: str, own: Collection[str] = ()) -> Self:
        """Return those of which two columns are the sentences of the pair."""

        def problems(row: Mapping[str, Any]) -> Iterator[Problem]:
            for key in (good, bad):
                if key in row and not (isinstance(row[key], str) and row[key].strip()):
                    yield (key,), "this is no sentence", "write its words as a text"

        return cls(
            problems,
            lambda row: MinimalSet.of(row[good], row[bad]),
            lambda pair: {good: pair.grammatical, bad: pair.ungrammatical[0]},
            own,
        )

    def read(self, row: Mapping[str, Any]) -> MinimalSet:
        """Return the pair of a row that is sound; what a suite would mend in it is kept, too."""
        pair = self.pair_of(row)
        return replace(pair, fields=kept_fields(row, self.spelt(mended_set(pair)), self.own))

    def parse_json(self, text: str, file: str, example: str) -> list[MinimalSet]:
        """Return the pairs of JSON Lines, of which `example` is one.

        Raises `SuiteError` with every fault of a line, and for a text without one.
        """
        lines, faults = JsonLine.parse(text, file=file, example=example)
        return checked_sets(
            lines,
            lambda line: [line.fault(*each) for each in self.problems(line.value)],
            lambda line: self.read(line.value),
            faults,
        )

    def row(self, pair: MinimalSet, fields: Mapping[str, Any]) -> dict[str, object]:
        """Return the row that `fields` were kept of, with the texts of the pair as it is now."""
        spelt = self.spelt(pair)
        row = {key: value for key, value in spelt.items() if key not in fields} | dict(fields)
        return row if self._says(row, pair) else row | spelt

    def _says(self, row: Mapping[str, Any], pair: MinimalSet) -> bool:
        """Say whether a row has the words of a pair."""
        if any(self.problems(row)):
            return False
        written = self.pair_of(row)
        return has_words(written.grammatical, pair.grammatical) and has_words(
            written.ungrammatical[0], pair.ungrammatical[0]
        )


def kept_fields(
    row: Mapping[str, Any], spelt: Mapping[str, Any], own: Collection[str] = ()
) -> dict[str, object] | None:
    """Return what a row says besides what `spelt` makes of its pair, in its order.

    A row that does not begin with that (its sentences stand elsewhere, or have doubled spaces) is
    kept whole. So is one in which none of the columns `own` would be left: by these it is told,
    when it is to be written, that it has been read from this format.
    """
    start = dict(itertools.islice(row.items(), len(spelt)))
    rest = dict(itertools.islice(row.items(), len(spelt), None))
    if list(start.items()) != list(spelt.items()) or (own and rest.keys().isdisjoint(own)):
        return dict(row)
    return rest or None


def has_words(value: object, text: str) -> bool:
    """Say whether a value is a text with these words; what a suite would mend is no difference."""
    return isinstance(value, str) and mended_text(value) == mended_text(text)


def mended_text(text: str) -> str:
    """Return a sentence as a suite has it: its words, without stray spaces of any kind."""
    return Region.text_of(" ".join(words_in(text)))


# --- fields: whatever somebody has written into a suite


def kept_text(fields: Mapping[str, Any] | None, name: str) -> str | None:
    """Return the text of one line that stands under a name, None if there is no such thing."""
    value = (fields or {}).get(name)
    is_line = isinstance(value, str) and not ("\n" in value or "\r" in value)
    return value if is_line else None


def as_kept(texts: Sequence[str], fields: Mapping[str, Any] | None, name: str) -> tuple[str, ...]:
    """Return texts as they are spelt under a name, if those there have the same words."""
    kept = (fields or {}).get(name)
    if isinstance(kept, list | tuple) and len(kept) == len(texts):
        return tuple(kept if all(map(has_words, kept, texts)) else texts)
    return tuple(texts)


def pair_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield a line with the columns' names, then the text of each set: a line a pair."""
    yield f"{GRAMMATICAL}\t{UNGRAMMATICAL}\n"
    for each in sets:
        good = each.grammatical
        yield "".join(f"{good}\t{bad}\n" for bad in each.ungrammatical)


def parse_pairs(text: str, file: str) -> list[MinimalSet]:
    """Return the pairs of a file's text; a first line with the columns' names is none.

    Sentences keep their words and lose doubled spaces. Raises `SuiteError` with every line that
    does not have two sentences, and a text without a pair.
    """
    rows = [
        (
            Place(file=file, line=number, column=1),
            [" ".join(words_in(cell)) for cell in line.split("\t")],
        )
        for number, line in enumerate(DecodedText.of(text).lines, start=1)
    ]
    if rows and rows[0][1] == [GRAMMATICAL, UNGRAMMATICAL]:
        del rows[0]
    hint = "write a pair a line, with a tab between"
    nothing = Place(file=file, line=0, column=0).fault("there is no pair of sentences", hint)
    return checked_sets(
        rows, _pair_faults, lambda row: MinimalSet.of(*row[1]), () if rows else (nothing,)
    )


def _pair_faults(row: tuple[Place, list[str]]) -> Iterator[Fault]:
    place, cells = row
    if len(cells) != _N_COLUMNS or not all(map(str.strip, cells)):
        hint = "write the grammatical sentence, a tab, the ungrammatical one"
        yield place.fault("this is no pair of sentences", hint)


def _is_like(text: str) -> bool:
    return text.partition("\n")[0].count("\t") == _N_COLUMNS - 1


PAIR_TABLE = SetFormat(
    name="tsv",
    title="two columns",
    endings=(".tsv",),
    parse=parse_pairs,
    pieces=pair_lines,
    is_like=_is_like,
)
