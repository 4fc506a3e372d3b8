"""The nouns of a permutation design: a lexicon with a column `word`, and one for each case."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from pommel.errors import Fault, Place
from pommel.sources.grammar.lexicon_file import LexiconFile, Row, read_lexicon_file, repeated

WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Nouns by their word. Where it is not `is_whole`, rows were wrong and are not among them."""

    source: LexiconFile
    nouns: Mapping[str, Row]
    is_whole: bool

    @property
    def name(self) -> str:
        """The name of its file."""
        return PurePath(self.source.file).name

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, cases and others."""
        return self.source.columns

    @property
    def has_header(self) -> bool:
        """Whether its first row names columns, the one of the words among them."""
        return WORD in self.columns


def read_lexicon(name: str, place: Place, *, folder: Path) -> tuple[Lexicon | None, list[Fault]]:
    """Return the lexicon that a design in a folder names at a place, and what is wrong with it.

    None if there is no such file, or none that can be read; other columns may be in it, too.
    """
    source, faults = read_lexicon_file(name, place, folder=folder, required=(WORD,))
    if source is None:
        return None, faults
    rows = source.rows if len(set(source.columns)) == len(source.columns) else ()
    if WORD in source.columns:
        for row in rows:
            if WORD not in row.cells:
                faults.append(row.place(WORD).fault("this row has no word", "write one"))
    named = [row for row in rows if WORD in row.cells]
    for row, before in repeated(named, lambda each: each.cells[WORD]):
        what = f"{row.cells[WORD]} stands here for the second time, after line "
        hint = "give one of the two another name"
        faults.append(row.place(WORD).fault(f"{what}{before.written.line}", hint))
    nouns: dict[str, Row] = {}
    for row in named:
        nouns.setdefault(row.cells[WORD], row)
    return Lexicon(source=source, nouns=nouns, is_whole=not faults), faults
