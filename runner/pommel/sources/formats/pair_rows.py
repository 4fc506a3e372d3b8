"""Pairs of sentences: what rows of files say more of them, which is kept and written back.

The plainest such file has two columns of TSV: the grammatical sentence, the ungrammatical one.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pommel.errors import Fault, Place, SuiteError
from pommel.files import DecodedText
from pommel.sources.formats.set_format import SetFormat
from pommel.sources.minimal_sets import GRAMMATICAL, UNGRAMMATICAL, MinimalSet, words_in
from pommel.suite import Region

_Row = TypeVar("_Row")

# What a row's columns are under which its pair stands.
Spelling = Callable[[MinimalSet], Mapping[str, Any]]

_N_COLUMNS = 2


def pairs_of(sets: Iterable[MinimalSet]) -> Iterator[MinimalSet]:
    """Yield a pair for each ungrammatical sentence; a set without any is none."""
    return itertools.chain.from_iterable(each.pairs() for each in sets)


def checked_pairs(
    rows: Iterable[_Row],
    check: Callable[[_Row], Iterable[Fault]],
    pair_of: Callable[[_Row], MinimalSet],
    faults: Iterable[Fault] = (),
) -> list[MinimalSet]:
    """Return the pair of each row; `check` yields what is wrong with one.

    Raises `SuiteError` with all of that and with `faults`, those of the file, in file order.
    """
    found = list(faults)
    pairs: list[MinimalSet] = []
    for row in rows:
        wrong = list(check(row))
        found += wrong
        if not wrong:
            pairs.append(pair_of(row))
    if found:
        raise SuiteError(sorted(found, key=lambda fault: (fault.line, fault.column)))
    return pairs


def mended_set(found: MinimalSet) -> MinimalSet:
    """Return what comes of a set in a suite: its regions lose stray spaces of any kind."""
    texts = (found.before, found.form, *found.others, found.after)
    before, form, *others, after = map(Region.text_of, texts)
    contexts = tuple(map(Region.text_of, found.contexts))
    return MinimalSet(before, form, tuple(others), after, found.fields, contexts)


def pair_with_fields(
    pair: MinimalSet, row: Mapping[str, Any], spelt: Spelling, own: Collection[str] = ()
) -> MinimalSet:
    """Return a row's pair with what has to be kept of the row (see `kept_fields`).

    `spelt` makes a row's columns of a pair. What a suite would mend in the texts is kept, too.
    """
    return replace(pair, fields=kept_fields(row, spelt(mended_set(pair)), own))


def kept_fields(
    row: Mapping[str, Any], spelt: Mapping[str, Any], own: Collection[str] = ()
) -> dict[str, Any] | None:
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


def whole_row(
    fields: Mapping[str, Any], spelt: Mapping[str, Any], *, as_kept: bool
) -> dict[str, Any]:
    """Return the row that `kept_fields` was given.

    `as_kept` says that the texts which were kept are those of the pair, up to white space. If not,
    the pair has been changed since, and its own texts take their places.
    """
    row = {key: value for key, value in spelt.items() if key not in fields} | dict(fields)
    return row if as_kept else row | dict(spelt)


def sentences_under(good: str, bad: str) -> Callable[[MinimalSet], dict[str, str]]:
    """Return the spelling of a pair as its two sentences, in columns of these names."""
    return lambda pair: {good: pair.grammatical, bad: pair.ungrammatical[0]}


def row_of_sentences(fields: Mapping[str, Any], spelt: Mapping[str, str]) -> dict[str, Any]:
    """Return the whole row of a pair whose columns are its two sentences."""
    kept = all(has_words(fields.get(key, text), text) for key, text in spelt.items())
    return whole_row(fields, spelt, as_kept=kept)


def has_words(value: Any, text: str) -> bool:
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


def kept_texts(fields: Mapping[str, Any] | None, name: str) -> tuple[str, ...] | None:
    """Return the list of texts that stands under a name, None if there is no such thing."""
    value = (fields or {}).get(name)
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return tuple(value)
    return None


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
    pairs: list[MinimalSet] = []
    faults: list[Fault] = []
    for number, line in enumerate(DecodedText.of(text).lines, start=1):
        place = Place(file=file, line=number, column=1)
        cells = [" ".join(words_in(cell)) for cell in line.split("\t")]
        if number == 1 and cells == [GRAMMATICAL, UNGRAMMATICAL]:
            continue
        if len(cells) != _N_COLUMNS or not all(map(str.strip, cells)):
            hint = "write the grammatical sentence, a tab, the ungrammatical one"
            faults.append(place.fault("this is no pair of sentences", hint))
        else:
            pairs.append(MinimalSet.of(*cells))
    if not pairs and not faults:
        hint = "write a pair a line, with a tab between"
        nowhere = Place(file=file, line=0, column=0)
        faults = [nowhere.fault("there is no pair of sentences", hint)]
    if faults:
        raise SuiteError(faults)
    return pairs


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
