"""Minimal pairs as two columns of TSV: the grammatical sentence, the ungrammatical one."""

from collections.abc import Iterable, Iterator

from pommel.errors import Fault, SuiteError
from pommel.formats.set_format import SetFormat
from pommel.minimal_sets import GRAMMATICAL, UNGRAMMATICAL, MinimalSet
from pommel.text_file import read_text

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
    for number, line in enumerate(text.splitlines(), start=1):
        cells = [cell.strip() for cell in line.split("\t")]
        if number == 1 and cells == [GRAMMATICAL, UNGRAMMATICAL]:
            continue
        if len(cells) != _N_COLUMNS or not all(cells):
            hint = "write the grammatical sentence, a tab, the ungrammatical one"
            faults.append(_fault(file, number, "this is no pair of sentences", hint))
        elif cells[0].split() == cells[1].split():
            hint = "write what is ungrammatical"
            faults.append(_fault(file, number, "both sentences are the same", hint))
        else:
            pairs.append(MinimalSet.of(*cells))
    if not pairs and not faults:
        hint = "write a pair a line, with a tab between"
        faults.append(_fault(file, 0, "there is no pair of sentences", hint))
    if faults:
        raise SuiteError(faults)
    return pairs


def _fault(file: str, line: int, message: str, hint: str) -> Fault:
    return Fault(file=file, line=line, column=1, path="", message=message, hint=hint)


def _is_like(text: str) -> bool:
    return text.partition("\n")[0].count("\t") == _N_COLUMNS - 1


PAIR_TABLE = SetFormat(
    name="tsv",
    title="two columns",
    endings=(".tsv",),
    read=lambda path: parse_pairs(read_text(path).text, file=str(path)),
    pieces=pair_lines,
    is_like=_is_like,
)
