"""What a format of minimal sets offers: how its files are recognised, read and written."""

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pommel.errors import Fault, InputError, Place, SuiteError, listed
from pommel.files import DecodedText
from pommel.sources.minimal_sets import Compared, MinimalSet
from pommel.values import frozen

_Row = TypeVar("_Row")


@frozen
class SetFormat:
    """A format of minimal sets, under the name that `--from` and `--format` give it.

    Files end in one of `endings`, and where several formats share an ending, `is_like` says of the
    first 4,096 characters of a file whether they are this one's; what is no text is told by its
    ending alone. `compared` is what publications compare: the whole sentence, or the contrast only,
    and `metric` by what of its tokens. `has_lone` says that a set may be without an ungrammatical
    sentence, and `has_contexts` that it may have contexts. `named_by` is the field of sets that
    says what their suite is called, whatever the file is, and `folder` what the folder of a file
    says of its suite, a key of the suite's meta.

    A format that is one text has `parse`, which returns the sets of a text, given the file's name
    for messages. Another one has `load` instead, for a file, or several beside one another. A
    format that is written, too, has `pieces`, which yields the text of a file of sets. Reading
    raises `InputError` with every fault of the file; writing raises it for a set that cannot be
    said in the format, and names what it lacks. Where a format has only pairs, a set is as many as
    it has ungrammatical sentences.
    """

    name: str
    endings: tuple[str, ...]
    parse: Callable[[str, str], list[MinimalSet]] | None = None
    pieces: Callable[[Iterable[MinimalSet]], Iterator[str]] | None = None
    load: Callable[[Path], list[MinimalSet]] | None = None
    compared: Compared = "sentence"
    metric: str = "sum"
    has_lone: bool = False
    has_contexts: bool = False
    named_by: str = ""
    folder: str = ""
    is_like: Callable[[str], bool] = lambda _: True

    def read(self, path: Path) -> list[MinimalSet]:
        """Return the sets of a file; raises `InputError` with every fault of it."""
        if self.load:
            return self.load(path)
        assert self.parse  # noqa: S101 - a format has one of the two
        return self.parse(DecodedText.read(path).text, str(path))


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
        raise SuiteError(Fault.in_order(found))
    return sets


def check_columns(columns: Collection[str], others: Collection[str], what: str) -> None:
    """Raise `InputError` if a row (`what`) has other columns than the first one has."""
    if {*columns} == {*others}:
        return
    odd = [each for each in (*columns, *others) if each not in columns or each not in others]
    if odd:
        hint = "all rows of a table have the same columns"
        raise InputError(f"{what} and the first one do not both have {listed(odd)}; {hint}")


def first_line_of(text: str) -> str:
    """Return the first line that is not empty; the others are not looked at."""
    return text.lstrip("\r\n").partition("\n")[0].partition("\r")[0]


def placed_lines(text: str, file: str) -> list[tuple[Place, str]]:
    """Return the lines of a file's text, and where each begins."""
    lines = enumerate(DecodedText.of(text).lines, start=1)
    return [(Place(file=file, line=number, column=1), line) for number, line in lines]
