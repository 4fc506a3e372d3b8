"""Minimal pairs as two columns of TSV: the grammatical sentence, the ungrammatical one."""

from collections.abc import Iterable, Iterator

from pommel.errors import Fault, Place, SuiteError
from pommel.files.text import lines, read_text
from pommel.sources.formats.pair_rows import sameness
from pommel.sources.formats.set_format import SetFormat, TextPieces
from pommel.suite.minimal_sets import GRAMMATICAL, UNGRAMMATICAL, MinimalSet, words_in

_N_COLUMNS = 2


def pair_lines(sets: Iterable[MinimalSet]) -> Iterator[str]:
    """Yield a line with the columns' names, then the text of each set: a line a pair."""
    yield f"{GRAMMATICAL}\t{UNGRAMMATICAL}\n"
    for each in sets:
        good = each.grammatical
        yield "".join(f"{good}\t{bad}\n" for bad in each.ungrammatical)


def parse_pairs(text: str, *, file: str) -> list[MinimalSet]:
    """Return the pairs of a file's text; a first line with the columns' names is none.

    Sentences keep their words and lose doubled spaces. Raises `SuiteError` with every line that
    does not have two sentences, or twice the same, and a text without a pair.
    """
    pairs: list[MinimalSet] = []
    faults: list[Fault] = []
    for number, line in enumerate(lines(text), start=1):
        place = Place(file=file, line=number, column=1)
        cells = [" ".join(words_in(cell)) for cell in line.split("\t")]
        if number == 1 and cells == [GRAMMATICAL, UNGRAMMATICAL]:
            continue
        if len(cells) != _N_COLUMNS or not all(map(str.strip, cells)):
            hint = "write the grammatical sentence, a tab, the ungrammatical one"
            faults.append(place.fault("this is no pair of sentences", hint))
        elif same := sameness(*cells):
            faults.append(place.fault(*same))
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
    read=lambda path: parse_pairs(read_text(path).text, file=str(path)),
    written=TextPieces(pair_lines),
    is_like=_is_like,
)
