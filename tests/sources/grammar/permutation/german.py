"""A German design of four templates: masculine nouns, which differ in all three cases."""

from pathlib import Path

from pommel.sources.grammar.permutation.reading import read_design
from pommel.sources.grammar.permutation.source import PermutationSource
from pommel.sources.grammar.source import GrammarError

NOUNS = """\
word,nom,acc,dat
Lehrer,der Lehrer,den Lehrer,dem Lehrer
Schüler,der Schüler,den Schüler,dem Schüler
Baum,der Baum,den Baum,dem Baum
Vater,der Vater,den Vater,dem Vater
Sohn,der Sohn,den Sohn,dem Sohn
Ball,der Ball,den Ball,dem Ball
Händler,der Händler,den Händler,dem Händler
Kunde,der Kunde,den Kunden,dem Kunden
Mantel,der Mantel,den Mantel,dem Mantel
Koch,der Koch,den Koch,dem Koch
Gast,der Gast,den Gast,dem Gast
Fisch,der Fisch,den Fisch,dem Fisch
"""
DESIGN = """\
# who does what to whom, in any order
language: de
lexicon: nouns.csv
cases: nom acc dat
frame: wir wissen , dass | {1} | {2} | {3} | {verb} | .
violations: double

template: nom Lehrer | acc Baum | dat Schüler | verb zeigt
template: nom Vater | acc Ball | dat Sohn | verb schenkt
template: nom Händler | acc Mantel | dat Kunde | verb verkauft
template: dat Gast | verb bringt | nom Koch | acc Fisch   # in any order
"""


def written(folder: Path, design: str = DESIGN, nouns: str | None = NOUNS) -> Path:
    """Write a design, and its lexicon beside it."""
    path = folder / "arguments.design"
    path.write_text(design, "utf-8")
    if nouns is not None:
        (folder / "nouns.csv").write_text(nouns, "utf-8")
    return path


def source(folder: Path, design: str = DESIGN, nouns: str = NOUNS) -> PermutationSource:
    """Return the source that a design is."""
    return PermutationSource(written(folder, design, nouns))


def faults_of(folder: Path, design: str = DESIGN, nouns: str | None = NOUNS) -> list[str]:
    """Return the lines that are said of a design, without its folder."""
    path = written(folder, design, nouns)
    try:
        read_design(path)
    except GrammarError as error:
        return str(error).replace(f"{folder}/", "").splitlines()
    return []
