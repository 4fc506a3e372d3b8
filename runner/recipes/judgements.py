"""Sentences of shipped suites, to be judged by somebody who does not know what they should be.

A sheet has sentences in random order and nothing else; a key says where each is from, and what it
was meant to be. Judged, they become a language's `judgements.csv`.
"""

import random
from pathlib import Path

import pandas as pd

from pommel.errors import InputError
from pommel.files import replacing
from pommel.suite import LoadedSuite

ACCEPTABLE, UNACCEPTABLE = "acceptable", "unacceptable"
# Somebody who judges may also say that it cannot be said.
LABELS = (ACCEPTABLE, UNACCEPTABLE, "doubtful")
# Of a sentence: where it is from, what it was meant to be, what it was judged to be, and why.
COLUMNS = ("suite", "item_number", "condition_name", "sentence", "intended", "judged", "note")


def drawn_sentences(folder: Path, *, n_items: int, seed: int) -> pd.DataFrame:
    """Return the sentences of so many items of each suite below a folder, in random order.

    A suite's `meta.unacceptable` names the conditions that are meant to be so, with blanks between.
    A sentence that comes twice is there once.
    """
    random_numbers = random.Random(seed)  # noqa: S311 - choosing sentences, not secrets
    found: dict[str, tuple[str | int, ...]] = {}
    for path in sorted(folder.rglob("*.json")):
        suite = LoadedSuite.read(path).suite
        for item in random_numbers.sample(suite.items, min(n_items, len(suite.items))):
            for condition in item.conditions:
                name, sentence = condition.name, condition.sentence(suite.joiner).text
                intended = UNACCEPTABLE if name in suite.unacceptable else ACCEPTABLE
                row = (suite.name, item.number, name, sentence, intended, "", "")
                found.setdefault(sentence, row)
    rows = list(found.values())
    random_numbers.shuffle(rows)
    return pd.DataFrame(rows, columns=COLUMNS)


def write_sheet(sentences: pd.DataFrame, sheet: Path, key: Path) -> None:
    """Write the sheet (number, sentence, and columns to fill in) and its key."""
    numbered = sentences.assign(number=range(1, len(sentences) + 1))
    write_rows(numbered[["number", "sentence", "judged", "note"]], sheet)
    write_rows(numbered[["number", *COLUMNS]], key)


def read_judged(sheet: Path, key: Path) -> pd.DataFrame:
    """Return a key's sentences with what the sheet says of them, by suite, item and condition.

    Raises `InputError` if a sentence was not judged, or with a word that is no label.
    """
    said, known = (pd.read_csv(path, dtype=str, keep_default_na=False) for path in (sheet, key))
    said = said[["number", "judged", "note"]]
    judged = known.drop(columns=["judged", "note"]).merge(said, on="number", how="left")
    for number in judged["number"][~judged["judged"].isin(LABELS)]:
        labels = ", ".join(LABELS)
        raise InputError(f"{sheet}: sentence {number} is judged as none of {labels}")
    judged = judged.astype({"item_number": int})
    return judged.sort_values(["suite", "item_number", "condition_name"])[[*COLUMNS]]


def write_rows(rows: pd.DataFrame, path: Path) -> None:
    """Write a table, such as a language's `judgements.csv`."""
    with replacing(path) as aside:
        rows.to_csv(aside, index=False, lineterminator="\n")
