"""What the shipped suites give away to scorers that see no syntax.

It is the table of docs/controls.md, and what `pommel suites show` knows of them.

The n-gram models of a suite are trained on sentences that its own template makes by another seed:
the acceptable ones, without any sentence of the suite. The English suites use up their templates;
they have the text of the built-in models.
"""

import json
import math
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pommel.cli.suites_controls import ControlRow, ngrams_of
from pommel.files import write_text
from pommel.models import Model
from pommel.report.markdown import markdown_table
from pommel.suite import LoadedSuite, Suite
from recipes.english.grammar import sample_corpus
from recipes.suites import drawn_otherwise

if TYPE_CHECKING:
    from rich.table import Table

# Items of a template, and sentences of English, that n-gram models are trained on.
_N_ITEMS = 1_000
_N_ENGLISH = 20_000
_SEED = 2
_DIGITS = 4


def control_rows(folder: Path, files: Iterable[Path]) -> Iterator[ControlRow]:
    """Yield the rows of suites below a folder of languages.

    Raises as `recipes.suites.made_again` does.
    """
    english = cache(lambda: _ngrams(sample_corpus(_N_ENGLISH, _SEED)))
    for path in files:
        suite = LoadedSuite.read(path).suite
        if "generator" not in suite.meta:
            yield ControlRow.of(suite, english())
        elif sentences := other_sentences(folder, path, suite):
            yield ControlRow.of(suite, _ngrams(sentences))
        else:
            yield ControlRow.of(suite, {}, "its template makes no other sentences")


def other_sentences(folder: Path, path: Path, suite: Suite) -> list[str]:
    """Return the acceptable sentences of a suite's template that are not in the suite."""
    own = {sentence.text.casefold() for row in suite.sentences() for sentence in row}
    return [
        condition.sentence
        for item in drawn_otherwise(folder, path, n_items=_N_ITEMS, seed=_SEED)
        for condition in item
        if condition.name not in suite.unacceptable and condition.sentence.casefold() not in own
    ]


def known_lines(files: Iterable[Path], rows: Iterable[ControlRow]) -> str:
    """Return what `SuiteCard.known_controls` reads, for the suites of these files: a line each.

    "text" is what the n-gram models have seen, in words, and "sha256" the suite's.
    """
    lines = []
    for path, row in zip(files, rows, strict=True):
        suite = LoadedSuite.read(path).suite
        shares = {
            name: None if math.isnan(value) else round(value, _DIGITS)
            for name, value in asdict(row).items()
            if isinstance(value, float)
        }
        text = (
            "other sentences of its template"
            if "generator" in suite.meta
            else "sentences of the built-in models' grammar"
        )
        known = {
            "suite": suite.name,
            "sha256": suite.sha256,
            **shares,
            "text": "" if shares["unigram"] is None else text,
            "notes": row.notes,
        }
        lines.append(json.dumps(known, ensure_ascii=False) + "\n")
    return "".join(lines)


def with_table(page: str, table: "Table") -> str:
    """Return a page with this table in place of the one that it has."""
    lines = page.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    others = [line for line in lines if not line.startswith("|")]
    return "".join([*others[:first], markdown_table(table), *others[first:]])


def _ngrams(sentences: Iterable[str]) -> dict[str, Model]:
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        write_text(text, "".join(f"{each}\n" for each in sentences))
        return ngrams_of(text)
