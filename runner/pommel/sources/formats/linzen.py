"""The number agreement sentences of Linzen et al. (2016) as Gulordava et al. (2018) publish them.

Two files beside one another, a sentence a line: `NAME.text` has its words and `<eos>`, `NAME.gold`
the index of a word (from 0), its correct form, the wrong one, and the number of attractors, with
tabs between. Of their own sentences (`generated.gold`) it has twelve columns and no attractors, and
the text has the word of the corpus where the forms belong.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pommel.errors import Fault, InputError, Place, UsageError, counted, quoted
from pommel.files import DecodedText
from pommel.sources.formats.focus_word import (
    EOS,
    focus_set,
    form_faults,
    whole_number,
    words_of,
)
from pommel.sources.formats.pair_rows import mended_set
from pommel.sources.formats.set_format import SetFormat, checked_sets, placed_lines
from pommel.sources.minimal_sets import MinimalSet

TEXT_ENDING, GOLD_ENDING = ".text", ".gold"

# A field of a set: how many nouns of the other number intervene.
N_ATTR = "n_attr"

# A field of a set beside its columns: the line of text where it is not the sentence with `<eos>`
# behind it (the published gold has "Are" once where the text has "are").
TEXT = "text"


class _Columns(NamedTuple):
    """The columns of a `.gold`, and where index, correct form and wrong form stand."""

    names: tuple[str, ...]
    places: tuple[int, int, int]


_COLUMNS = _Columns(("index", "correct form", "wrong form", "number of attractors"), (0, 1, 2))
# Of twelve, as the fields of a set; r is the word that agrees, l the one that it agrees with.
_OWN_COLUMNS = _Columns(
    (
        *("pattern", "constr_id", "sent_id", "r_idx", "r_pos", "r_morph"),
        *("form", "form_alt", "lemma", "l_idx", "l_pos", "prefix"),
    ),
    (3, 6, 7),
)


def read_linzen(path: Path) -> list[MinimalSet]:
    """Return the sets of two files, of which `path` is one; as `parse_linzen`.

    Raises `InputError` if the other is not there.
    """
    paths = _both(path)
    for each in paths:
        if path.exists() and not each.exists():
            two = " and ".join(file.name for file in paths)
            raise InputError(f"{each}: there is no such file; {two} belong together")
    text, gold = (DecodedText.read(each).text for each in paths)
    text_file, gold_file = map(str, paths)
    return parse_linzen(text, gold, text_file=text_file, gold_file=gold_file)


def parse_linzen(text: str, gold: str, *, text_file: str, gold_file: str) -> list[MinimalSet]:
    """Return the sets of the text of both files.

    Raises `SuiteError` with every line that has no such columns, or no such word where it says,
    letters' cases aside.
    """
    texts, golds = placed_lines(text, text_file), placed_lines(gold, gold_file)
    faults = []
    if len(texts) != len(golds):
        what = f"this file has {counted(len(golds), 'line')}, and {text_file} {len(texts)}"
        faults.append(Place(file=gold_file).fault(what, "write one for each sentence"))
    elif not texts:
        hint = "write one a line, with <eos> at its end"
        faults.append(Place(file=text_file).fault("there is no sentence", hint))
    n_columns = golds[0][1].count("\t") + 1 if golds else 0
    columns = _OWN_COLUMNS if n_columns == len(_OWN_COLUMNS.names) else _COLUMNS
    rows = [
        _Row(*in_text, in_gold, line.split("\t"), columns)
        for in_text, (in_gold, line) in zip(texts, golds, strict=False)
    ]
    return checked_sets(rows, _Row.faults, _Row.minimal_set, faults)


def _both(path: Path) -> tuple[Path, Path]:
    if path.suffix not in (TEXT_ENDING, GOLD_ENDING):
        hint = f"let its name end in {TEXT_ENDING} or {GOLD_ENDING}"
        two = f"NAME{TEXT_ENDING} and NAME{GOLD_ENDING}"
        raise UsageError(f"{path}: Linzen's files are two, {two}; {hint}")
    return path.with_suffix(TEXT_ENDING), path.with_suffix(GOLD_ENDING)


class _Row(NamedTuple):
    """A line of both files."""

    text_place: Place
    text: str
    gold_place: Place
    cells: Sequence[str]
    columns: _Columns

    def fault(self, column: int, message: str, hint: str) -> Fault:
        """Return what is wrong with a cell of the `.gold`."""
        start = sum(len(cell) + 1 for cell in self.cells[:column])
        return self.gold_place.further(start).fault(message, hint)

    def faults(self) -> Iterator[Fault]:
        names, cells, text_file = self.columns.names, self.cells, self.text_place.file
        words = words_of(self.text)
        if not words:
            yield self.text_place.fault("this line has no words", "write a sentence")
        if len(cells) != len(names):
            hint = f"write {', '.join(names)}, with tabs between"
            yield self.fault(0, f"this line has {counted(len(cells), 'column')}", hint)
            return
        at_index, at_correct, at_wrong = self.columns.places
        correct, index = cells[at_correct], whole_number(cells[at_index])
        if index is None:
            hint = "write how many words stand before the form"
            yield self.fault(at_index, f"{quoted(cells[at_index])} is no index", hint)
        elif words and index >= len(words):
            line = self.text_place.line
            hint = f"line {line} of {text_file} has the words 0 to {len(words) - 1}"
            yield self.fault(at_index, f"there is no word {index}", hint)
        elif words and self.columns is _COLUMNS and words[index].casefold() != correct.casefold():
            what = f"word {index} of {text_file} is {quoted(words[index])}, not {quoted(correct)}"
            yield self.fault(at_correct, what, "write the form that stands there")
        for at, message in form_faults(correct, cells[at_wrong]):
            hint = "write the correct form and the wrong one"
            yield self.fault((at_correct, at_wrong)[at], message, hint)
        if self.columns is _COLUMNS and whole_number(cells[3]) is None:
            hint = "write how many nouns of the other number intervene"
            yield self.fault(3, f"{quoted(cells[3])} is no number of attractors", hint)

    def minimal_set(self) -> MinimalSet:
        fields: dict[str, object] = dict(zip(self.columns.names, self.cells, strict=True))
        if self.columns is _COLUMNS:
            fields = {N_ATTR: int(self.cells[-1])}
        index, *forms = (self.cells[at] for at in self.columns.places)
        found = focus_set(words_of(self.text), int(index), forms, fields)
        if f"{mended_set(found).grammatical} {EOS}" != self.text:
            fields[TEXT] = self.text
        return found


LINZEN = SetFormat(
    name="linzen",
    endings=(TEXT_ENDING, GOLD_ENDING),
    load=read_linzen,
    compared="contrast",
)
