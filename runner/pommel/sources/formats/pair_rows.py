"""Pairs of sentences: what rows of files say more of them, which is kept and written back.

The plainest such file has two columns of TSV: the grammatical sentence, the ungrammatical one.
"""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pommel.errors import Fault, Place, nearest
from pommel.files import JsonPath
from pommel.sources.formats.json_lines import JsonLine
from pommel.sources.formats.set_format import SetFormat, checked_sets, placed_lines
from pommel.sources.minimal_sets import GRAMMATICAL, UNGRAMMATICAL, MinimalSet, words_in
from pommel.suite import Region
from pommel.values import positional

_HEADER = [GRAMMATICAL, UNGRAMMATICAL]
# What the names of the two columns of a pair have, and nothing else that differs.
_OPPOSITES = (
    ("good", "bad"),
    ("grammatical", "ungrammatical"),
    ("acceptable", "unacceptable"),
    ("plausible", "implausible"),
    ("correct", "incorrect"),
    ("correct", "wrong"),
    ("right", "wrong"),
)


def pairs_of(sets: Iterable[MinimalSet]) -> Iterator[MinimalSet]:
    """Yield a pair for each ungrammatical sentence; a set without any is none."""
    return itertools.chain.from_iterable(each.pairs() for each in sets)


def mended_set(found: MinimalSet) -> MinimalSet:
    """Return what comes of a set in a suite: its regions lose stray spaces of any kind."""
    texts = (found.before, *found.forms, found.after)
    before, form, *others, after = map(Region.text_of, texts)
    contexts = tuple(map(Region.text_of, found.contexts))
    forms = tuple(others)
    return replace(found, before=before, form=form, others=forms, after=after, contexts=contexts)


# Where a value stands, what is wrong with it, and what to do.
Problem = tuple[JsonPath, str, str]


@positional
class PairRows:
    """How the rows of a format say a pair, under the names of columns or keys.

    Every row has `columns`: the two sentences, unless a format says otherwise what it has
    (`problems`, `pair_of`, `spelt`). Any row has columns more, which are kept (see `kept_fields`
    for `own`), and is written again as it was, as long as its pair has not been changed. `example`
    is a row of JSON.
    """

    columns: tuple[str, ...]
    own: Collection[str] = ()
    example: str = ""

    def problems(self, row: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield what is wrong with the values of a row."""
        for key in self.columns:
            if key in row and not is_sentence(row[key]):
                yield (key,), "this is no sentence", "write its words as a text"

    def pair_of(self, row: Mapping[str, Any]) -> MinimalSet:
        """Return the pair of a row that is sound."""
        return MinimalSet.of(*(row[key] for key in self.columns))

    def spelt(self, pair: MinimalSet) -> dict[str, object]:
        """Return what a row says of a pair."""
        return dict(zip(self.columns, pair.sentences, strict=True))

    def read(self, row: Mapping[str, Any]) -> MinimalSet:
        """Return the pair of a row that is sound; what a suite would mend in it is kept, too."""
        pair = self.pair_of(row)
        return replace(pair, fields=kept_fields(row, self.spelt(mended_set(pair)), self.own))

    def parse_json(self, text: str, file: str) -> list[MinimalSet]:
        """Return the pairs of JSON Lines.

        Raises `SuiteError` with every fault of a line, and for a text without one.
        """
        lines, faults = JsonLine.parse(text, file=file, example=self.example)
        return checked_sets(lines, self._line_faults, lambda line: self.read(line.value), faults)

    def row(self, pair: MinimalSet, fields: Mapping[str, Any]) -> dict[str, object]:
        """Return the row that `fields` were kept of, with the texts of the pair as it is now."""
        spelt = self.spelt(pair)
        row = {key: value for key, value in spelt.items() if key not in fields} | dict(fields)
        if not any(self.problems(row)):
            # What is written keeps its spaces while its words are the same.
            written = self.pair_of(row).sentences
            if all(map(has_words, written, pair.sentences)):
                return row
        return row | spelt

    def _line_faults(self, line: JsonLine) -> Iterator[Fault]:
        for key in self.columns:
            if key not in line.value:
                meant = nearest(key, (each for each in line.value if each not in self.own))
                hint = f"rename {meant!r}" if meant else f"write {self.example}"
                yield line.fault((), f"there is no {key!r}", hint)
        for problem in self.problems(line.value):
            yield line.fault(*problem)


def kept_fields(
    row: Mapping[str, Any], spelt: Mapping[str, Any], own: Collection[str] = ()
) -> dict[str, object] | None:
    """Return what a row says besides what `spelt` makes of its pair, in its order.

    A row that does not begin with that (its sentences stand elsewhere, or have doubled spaces) is
    kept whole. So is one in which none of the columns `own` would be left: by these it is told,
    when it is to be written, that it has been read from this format.
    """
    rest = {key: value for key, value in row.items() if key not in spelt}
    is_start = [*row.items()][: len(spelt)] == [*spelt.items()]
    if not is_start or (own and rest.keys().isdisjoint(own)):
        return dict(row)
    return rest or None


def is_sentence(value: object) -> bool:
    """Say whether a value is a text that is not empty."""
    return isinstance(value, str) and bool(value.strip())


def has_words(value: object, text: str) -> bool:
    """Say whether a value is a text with these words; what a suite would mend is no difference."""
    return isinstance(value, str) and mended_text(value) == mended_text(text)


def mended_text(text: str) -> str:
    """Return a sentence as a suite has it: its words, without stray spaces of any kind."""
    return Region.text_of(" ".join(words_in(text)))


def as_kept(texts: Sequence[str], fields: Mapping[str, Any] | None, name: str) -> tuple[str, ...]:
    """Return texts as they are spelt under a name, if those there have the same words."""
    # Somebody may have written anything there.
    kept = (fields or {}).get(name)
    if isinstance(kept, list | tuple) and len(kept) == len(texts):
        return tuple(kept if all(map(has_words, kept, texts)) else texts)
    return tuple(texts)


def pair_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield a line with the columns' names, then a line for each pair."""
    yield "\t".join(_HEADER) + "\n"
    for pair in pairs_of(sets):
        yield "\t".join(pair.sentences) + "\n"


def parse_pairs(text: str, file: str) -> list[MinimalSet]:
    """Return the pairs of a file's text; a first line with the columns' names is none.

    Sentences keep their words and lose doubled spaces. Raises `SuiteError` with every line that
    does not have two sentences, and a text without a pair.
    """
    rows = [(place, line.split("\t")) for place, line in placed_lines(text, file)]
    if rows and [*map(str.strip, rows[0][1])] == _HEADER:
        del rows[0]
    hint = "write a pair a line, with a tab between"
    nothing = [] if rows else [Place(file=file).fault("there is no pair of sentences", hint)]
    return checked_sets(rows, _pair_faults, lambda row: MinimalSet.of(*row[1]), nothing)


def _pair_faults(row: tuple[Place, list[str]]) -> Iterator[Fault]:
    place, cells = row
    if len(cells) != len(_HEADER) or not all(map(str.strip, cells)):
        hint = "write the grammatical sentence, a tab, the ungrammatical one"
        yield place.fault("this is no pair of sentences", hint)


def are_opposite(first: str, second: str) -> bool:
    """Say whether the names of two columns say that the first has the good sentences."""
    return any(
        re.sub(rf"(?<![a-z]){good}(?![a-z])", bad, first.lower()) == second.lower() != first.lower()
        for good, bad in _OPPOSITES
    )


def _is_pair_table(text: str) -> bool:
    names = [*map(str.strip, text.partition("\n")[0].split("\t"))]
    # A table whose columns are called something else has a header that is no pair.
    return len(names) == len(_HEADER) and (names == _HEADER or not are_opposite(*names))


PAIR_TABLE = SetFormat(
    name="tsv",
    endings=(".tsv",),
    parse=parse_pairs,
    pieces=pair_lines,
    is_like=_is_pair_table,
)
