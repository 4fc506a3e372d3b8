"""How a table of pairs is read where nobody says so: by a recipe, or by its names and sentences."""

import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice, permutations
from pathlib import Path
from typing import Any

from pommel.errors import SuiteError, UsageError, listed, nearest
from pommel.files import TableReading
from pommel.sources.formats.long_csv import COLUMNS
from pommel.sources.formats.pair_rows import are_opposite, is_sentence
from pommel.sources.formats.pair_tables import PairColumns, PairTable, TablePairs, text_of
from pommel.sources.formats.set_format import SetFormat, first_line_of
from pommel.sources.minimal_sets import are_unspaced, characters_in, words_in
from pommel.values import frozen

_LABEL = re.compile("label|gold|answer", re.IGNORECASE)
_KEY = re.compile(r'"([^"\\]*)"\s*:')
_BETWEEN_NAMES = re.compile(r'[,;\t"]+')
_SUITE = re.compile(r'\s*\{\s*"(meta|region_meta|predictions|items)"\s*:')
# So many rows are looked at, and in so many of ten sentences have to share half of their words.
_N_ROWS, _OF_TEN = 100, 8
# More columns of texts are not compared with one another.
_MOST_COLUMNS = 40
# Sentences of a pair; a label with so many values may mean either.
_TWO = 2


@frozen
class Recipe:
    """Which columns a published table has for pairs, and what its source states of itself.

    `marks` are columns that tell its files; without any, it is asked for by its name. `group` is
    the column of its paradigms. `licence` is an SPDX identifier, "" if none is known.
    """

    name: str
    title: str
    pairs: PairColumns
    marks: tuple[str, ...] = ()
    group: str = ""
    language: str = ""
    licence: str = ""
    address: str = ""
    note: str = ""

    @staticmethod
    @cache
    def known() -> "tuple[Recipe, ...]":
        """Return all recipes."""
        text = files("pommel.sources.formats").joinpath("recipes.toml").read_text("utf-8")
        tables: list[Mapping[str, Any]] = tomllib.loads(text)["recipe"]
        return tuple(
            Recipe(
                **{
                    **each,
                    "pairs": PairColumns.of_source({"format": PAIRS.name, **each["pairs"]}),
                    "marks": tuple(each.get("marks", ())),
                }
            )
            for each in tables
        )

    @staticmethod
    def named(name: str) -> "Recipe":
        """Return the recipe of that name; raises `UsageError` if there is none."""
        by_name = {each.name: each for each in Recipe.known()}
        if name not in by_name:
            meant = nearest(name, by_name)
            hint = f"did you mean {meant}? " if meant else ""
            there = listed([*by_name], most=len(by_name))
            raise UsageError(f"there is no recipe {name!r}; {hint}there are {there}")
        return by_name[name]

    @staticmethod
    def of_names(names: Sequence[str]) -> "Recipe | None":
        """Return the recipe whose files have these columns."""
        return next((r for r in Recipe.known() if r.marks and {*r.marks} <= {*names}), None)

    @property
    def about(self) -> Mapping[str, Any]:
        """What a suite that is made of it says of where it is from."""
        known = {
            "language": self.language,
            "license": self.licence,
            "reference": self.title,
            "repository": self.address,
        }
        return {key: value for key, value in known.items() if value}

    @property
    def story(self) -> str:
        """What has to be known of a table that is read by it."""
        licence = self.licence or "no licence known, so nobody may pass it on"
        parts = [f"read as {self.title}, {licence}; {self.address}"]
        if self.group:
            by = f"--by {shlex.quote(self.group)}"
            parts.append(f"{by} writes a suite for each paradigm")
        return "; ".join((*parts, self.note) if self.note else parts)


def guessed(table: PairTable) -> tuple[PairColumns, str] | None:
    """Return which columns are pairs, and what tells that; None if nothing does.

    Raises `UsageError` where that can be read in several ways, with the commands that say which.
    """
    # A suite's table has regions, not sentences.
    if {*COLUMNS[1:3]} & {*table.names}:
        return None
    rows = [row.cells for row in islice(table.rows(None), _N_ROWS)]
    texts: dict[str, list[str]] = {}
    for name in table.names if rows else ():
        found = [str(row[name]) if is_sentence(row.get(name)) else "" for row in rows]
        # A few that are missing are faults, which are told with their places.
        if 10 * found.count("") <= (10 - _OF_TEN) * len(rows) and len(texts) < _MOST_COLUMNS:
            texts[name] = found
    shares = {
        (one, other): _likeness(texts[one], texts[other], "rows")
        for one, other in permutations(texts, 2)
    }
    alike = [pair for pair, share in shares.items() if share]
    # Words of a pair's sentences in columns of their own are no other pair; but what columns are
    # named for goes before what they share.
    alike = [
        pair
        for pair in alike
        if not any(
            _are_within(texts, pair, each)
            for each in alike
            if are_opposite(*each) or not are_opposite(*pair)
        )
    ]
    named = [pair for pair in alike if are_opposite(*pair)]
    readings = [PairColumns(pair) for pair in named or alike]
    if readings:
        share = shares[(named or alike)[0]]
        # Where a label has two values, either sentence may be the good one.
        labels = [
            replace(readings[0], label=name, value=value)
            for name in table.names
            if _LABEL.search(name)
            and len(there := {text_of(row.get(name)) for row in rows}) == _TWO
            for value in sorted(there)
        ]
        readings = ([*readings, *labels] if named else labels) or readings
    else:
        readings, share = _sentence_readings(table, rows, texts)
    if not readings:
        return None
    (columns, *others), file = readings, table.file
    if all("|" in text for name in columns.columns for text in texts[name]):
        # Sentences in regions are refused, whichever are good (`TablePairs.check`).
        return columns, ""
    if others or not (named or columns.are_sentences):
        what = f"{file}: this can be read in {len(readings)} ways ({share}); say which"
        raise UsageError("\n  ".join([f"{what}:", *(_command(file, each) for each in readings)]))
    if columns.are_sentences:
        why = f"{columns.columns[0]!r} is read as sentences, two rows a pair, and {columns.label!r}"
        return columns, f"{why} as which is good: {share} (--good and --label say otherwise)"
    good, bad = map(repr, columns.columns)
    why = f"{good} is read as the good sentence and {bad} as the bad one: so they are named"
    return columns, f"{why}, and {share} (--good and --bad say otherwise)"


def _are_within(
    texts: Mapping[str, Sequence[str]], pair: Sequence[str], other: Sequence[str]
) -> bool:
    """Say whether what two columns have stands in what two others have, in all rows."""
    twos = [
        (part, whole)
        for inner, outer in zip(pair, other, strict=True)
        for part, whole in zip(texts[inner], texts[outer], strict=True)
    ]
    return not {*pair} & {*other} and all(part in whole != part for part, whole in twos)


@lru_cache(maxsize=1 << 13)  # Each text of a column is compared with those of all others.
def _units(text: str) -> Counter[str]:
    """Return the words of a text, or its characters, in no order."""
    return Counter(characters_in(text) if are_unspaced([text]) else words_in(text))


def _are_alike(first: str, second: str) -> bool:
    """Say whether two texts of some words share half of those of the longer one."""
    one, other = _units(first), _units(second)
    longest = max(one.total(), other.total())
    return longest > 1 and 2 * (one & other).total() >= longest


def _likeness(firsts: Sequence[str], seconds: Sequence[str], noun: str) -> str:
    """Return in how many twos texts are sentences of the same words; "" if in too few."""
    twos = [*zip(firsts, seconds, strict=False)]
    n_alike = sum(_are_alike(*two) for two in twos)
    n_equal = sum(first == second for first, second in twos)
    if not twos or 10 * n_alike < _OF_TEN * len(twos) or 2 * n_equal > len(twos):
        return ""
    return f"they share most of their words in {n_alike} of {len(twos)} {noun}"


def _sentence_readings(
    table: PairTable, rows: Sequence[Mapping[str, Any]], texts: Mapping[str, Sequence[str]]
) -> tuple[list[PairColumns], str]:
    """Return how two rows that follow one another may be a pair, and what tells that."""
    found: list[PairColumns] = []
    told = ""
    for name, column in texts.items():
        share = _likeness(column[::2], column[1::2], "pairs")
        for label in table.names if share else ():
            columns = PairColumns((name,), label=label)
            goods = [*map(columns.is_good, rows)]
            if all({*two} == {True, False} for two in zip(goods[::2], goods[1::2], strict=False)):
                found.append(columns)
                told = told or share
    return found, told


def _command(file: str, columns: PairColumns) -> str:
    words = ["pommel", "convert", file]
    for option, value in zip(("--good", "--bad"), columns.columns, strict=False):
        words += [option, value]
    if columns.label:
        words += ["--label", f"{columns.label}={columns.value}" if columns.value else columns.label]
    return shlex.join(words)


class UntoldError(UsageError):
    """Nothing tells which columns of a table are pairs."""


def read_pairs(
    path: Path, columns: PairColumns | None = None, reading: TableReading | None = None
) -> tuple[TablePairs, Recipe | None, str]:
    """Return the pairs of a table, the recipe that knows it, and what tells which they are.

    Raises `UntoldError` if nothing does, and it may be a suite; otherwise `UsageError`, and as
    `guessed` and `TablePairs.check`.
    """
    table = PairTable.read(path, reading)
    recipe, told = None if columns else Recipe.of_names(table.names), ""
    if recipe:
        columns, told = recipe.pairs, recipe.story
    if not columns:
        may_be_suite = path.suffix.lower() == ".json" or {*COLUMNS} & {*table.names}
        if table.faults and not may_be_suite:
            raise SuiteError(table.faults)
        found = guessed(table)
        if not found:
            named = [pair for pair in permutations(table.names, 2) if are_opposite(*pair)]
            if len(named) == 1 and not may_be_suite:
                # Too many cells without a sentence are why these are no pairs.
                TablePairs(table=table, columns=PairColumns(named[0])).check()
            there = listed([*map(repr, table.names)], most=20)
            hint = f"name two columns with --good and --bad; it has {there}"
            error = UntoldError if may_be_suite else UsageError
            raise error(f"{path}: nothing tells which columns are pairs; {hint}")
        columns, told = found
    pairs = TablePairs(table=table, columns=replace(columns, separator=table.separator))
    pairs.check()
    return pairs, recipe, told


def begins_as_suite(text: str) -> bool:
    """Say of a file's beginning whether it is a suite's, whose items may be rows of a table."""
    return _SUITE.match(text) is not None


def _is_table(text: str) -> bool:
    """Say of a file's beginning whether a recipe knows its columns, or two are named as a pair."""
    if begins_as_suite(text):
        return False
    is_json = text.lstrip().startswith(("{", "["))
    found = _KEY.findall(text) if is_json else _BETWEEN_NAMES.split(first_line_of(text))
    names = [each.strip() for each in found]
    is_pair = len(names) == _TWO and are_opposite(*names)
    return is_pair or Recipe.of_names(names) is not None


PAIRS = SetFormat(
    name="pairs",
    endings=(".csv", ".tsv", ".jsonl", ".json"),
    load=lambda path: [*read_pairs(path)[0]],
    pieces=PairColumns(("good", "bad")).lines,
    has_contexts=True,
    is_like=_is_table,
)
