"""Results of others, item by item or as shares, as the records of runs.

A table of items has the columns `model`, `suite`, `item` (a whole number) and `result` (true or
false, 1 or 0; empty where the item was skipped), or the scores of its sentences (`scores`). One of
shares has `model`, `suite` and `share`, or is a matrix: a row a model, a column a suite. Columns
have these or other usual names; the option `columns` says how else they are called. All others may
be missing. Columns that have no meaning here are left out, and named in a note; one that is like a
known name is taken for a misspelt one. What a row says of a model or a suite (a circuit, say) has
to be the same in all of its rows. Of published files that are no such table one is made first
(`published`).

This reads `predictions.csv`, too, which `pommel run -o` and `pommel runs export` write, and the
table of `pommel stats items`. Neither of them has formulas: how often a prediction holds by chance
is in the column `chance`, and how often all of a suite's do in `suite_chance`, or nobody knows.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pommel.errors import (
    Fault,
    FaultyFileError,
    InputError,
    UsageError,
    counted,
    listed,
    nearest,
    package_version,
    quoted,
)
from pommel.files import DecodedText
from pommel.models import Membership
from pommel.scoring import (
    ModelFacts,
    PredictionResult,
    RunRecord,
    Score,
    ScoreRule,
    SuiteFacts,
    SuiteResult,
)
from pommel.statistics import CHANCE
from pommel.store.database import now
from pommel.store.imports.published import PublishedFiles, bert_syntax, blimp, clams, hu2020
from pommel.store.imports.scores import (
    SCORE_NAMES,
    ScoreColumns,
    Scored,
    is_scored,
    names_model,
    score_columns,
)
from pommel.store.imports.tables import (
    ResultTable,
    Row,
    found_columns,
    head_of,
    is_missing,
    left_out,
    number_of,
    parameters_of,
    read_table,
    truth_of,
    whole_of,
)
from pommel.suite import PublishedSuite
from pommel.values import frozen

if TYPE_CHECKING:
    import pandas as pd

# What an item is marked with, and what it is taken for where nothing is said.
_MARKS = {"tie": False, "defined": True, "swallowed": False, "unscored": False, "oov": False}
_OF_MODELS = ("family", "axis", "member", "axis_value", "n_parameters", "size_family")
_OF_SUITES = ("circuit", "language", "group", "modifier_of", "complexity")
_FACTS = frozenset((*_OF_MODELS, *_OF_SUITES, "chance", "suite_chance"))
# What columns are called, beside their own names; the first of the names that a file has counts.
_OTHER_NAMES = {
    "model": ("model", "model_name"),
    "suite": ("suite", "suite_name"),
    "item": ("item_number", "item"),
    "result": ("result", "correct", "holds"),
    "prediction_id": ("prediction_id", "prediction"),
    "modifier_of": ("modifier_of", "base_suite"),
    "n_parameters": ("n_parameters", "params", "n_params", "parameters"),
}
_OF_ITEMS = ("item", "result", "prediction_id", "margin_bits", *_MARKS, "skipped")
_OF_ITEMS += ("chance", "suite_chance", "seed")
_OF_SHARES = ("share", "n_items")
_OF_BOTH = (*_OF_SUITES, *_OF_MODELS)
# Columns of `pommel stats items` that follow from others, or are about the run.
_OWN = frozenset({"modifier", "source", "run_id", "log10_parameters"})

# More runs than these are not named.
_MOST_NOTES = 10


@frozen
class ImportOptions:
    """What is said about files of results that they do not say themselves.

    `source` is what the results are called, "" for the format's own name for them, or that of their
    file. `model`, `suite` and `language` (a tag: en) stand for what a file does not name. `columns`
    maps what a column is (`item`) to how a file calls it. `n_items` is how many items a published
    share is of, and `n_items_of` that for single models; None and {} leave it unknown. `chance` is
    the share of items that hold by chance, None what the files or the format say. `score_rule` None
    is "all".
    """

    source: str = ""
    model: str = ""
    suite: str = ""
    language: str = ""
    score_rule: ScoreRule | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    n_items: int | None = None
    n_items_of: Mapping[str, int] = field(default_factory=dict)
    chance: float | None = None

    @staticmethod
    def formats() -> list[str]:
        """Return the names of the formats that files of results may have."""
        return [each.name for each in RESULT_FORMATS]


@frozen
class Imported:
    """The records of files of results, and in a line each what was dropped or is missing."""

    records: tuple[RunRecord, ...]
    notes: tuple[str, ...] = ()

    def with_guessed_size_families(self) -> list[RunRecord]:
        """Return the records with the size families that the names of their models speak of.

        Models whose names begin alike up to the first hyphen are of one family (`bloom`,
        `bloom-560m`), if the numbers of parameters of at least two of them are known. What a file
        itself says of a model's family stays.
        """
        sized = {each.result.model_name for each in self.records if each.model.n_parameters}
        stems = {name: name.partition("-")[0] for name in sized}
        sizes = Counter(stems.values())
        families = {name: stem for name, stem in stems.items() if sizes[stem] > 1}
        return [
            replace(each, model=replace(each.model, size_family=families[each.result.model_name]))
            if each.result.model_name in families and not each.model.size_family
            else each
            for each in self.records
        ]


@frozen
class ResultFormat:
    """A format of results, under the name that `--from` gives it.

    A published one is a recipe: a file with columns like all of `signs` is surely one; `columns`
    maps what a column is to how its files call it, which in JSON Lines is a path (`probs.0`);
    `folders` are what the names of a file's folders say, the innermost first. What is said in the
    options goes before. `make` makes a table of files that are none; these have to be named, if
    they have no `signs`. `score_rule` is what all of their results are by; `refused` are the
    options that mean nothing for a format.
    """

    name: str
    signs: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    language: str = ""
    is_shares: bool = False
    make: "Callable[[PublishedFiles], pd.DataFrame] | None" = None
    score_rule: ScoreRule | None = None
    refused: tuple[str, ...] = ("n_items",)

    def is_like(self, head: str, options: ImportOptions) -> bool:
        """Say of how a file begins whether it is surely one of this format."""
        header, cells = head_of(head)
        if self.signs:
            return all(any(fnmatchcase(name, sign) for name in header) for sign in self.signs)
        if self.make:
            return False
        if self is ACCURACIES:
            return _is_matrix(header, cells) or _has_columns({*header}, _SHARES_NEED, options)
        there = {*header}
        if is_scored(header, options.columns):
            there |= {"item", "result", *(("model",) if names_model(options.columns) else ())}
        return _has_columns(there, _ITEMS_NEED, options)

    def options(self, said: ImportOptions) -> ImportOptions:
        """Return what is said, and, where nothing is, what the format says."""
        # A name for all stands for a column.
        own = {name: each for name, each in self.columns.items() if not getattr(said, name, "")}
        return replace(
            said,
            columns={**own, **said.columns},
            language=said.language or self.language,
            source=said.source or (self.name if self.signs or self.make else ""),
            score_rule=said.score_rule or self.score_rule,
        )


_ITEMS_NEED = ("model", "suite", "item", "result")
_SHARES_NEED = ("model", "suite", "share")
_NOT_OF_SHARES = ("model", "suite", "columns", "score_rule")
# A row an item, as pommel's own predictions.csv.
ITEMS = ResultFormat(name="items")
# A matrix of accuracies, models by suites, or a row an accuracy.
ACCURACIES = ResultFormat(name="accuracies", is_shares=True, refused=_NOT_OF_SHARES)
# The first that recognises a file has it.
RESULT_FORMATS: tuple[ResultFormat, ...] = (
    # Gulordava et al. (2018), `best_model.tab` and `all_models.tab`: the rows of `generated.tab`,
    # and behind them a column for each model, with the logarithm of a form's probability.
    ResultFormat(
        name="gulordava",
        signs=("class", "type", "len_prefix", "sent", "*hidden*"),
        columns={"logprob": "*hidden*", "class": "class", "suite": "type"},
    ),
    # Zaczynska et al. (2020): the mean loss of each sentence's tokens. As their program does, pairs
    # are left out whose sentences have different numbers of tokens; of equal losses, which none of
    # the published pairs has, it says that the model is right, and here it is wrong.
    ResultFormat(
        name="gevalm",
        signs=("probs", "candidates", "case"),
        columns={
            "suite": "case",
            "loss_good": "probs.0",
            "loss_bad": "probs.1",
            "n_tokens_good": "tokenized.0.0",
            "n_tokens_bad": "tokenized.1.0",
        },
        folders=("group", "model"),
        language="de",
    ),
    ResultFormat(
        name="hu2020",
        make=hu2020,
        score_rule="first",
        refused=("model", "suite", "columns", "n_items"),
    ),
    ResultFormat(
        name="clams",
        signs=("lang", "model", "published_average"),
        is_shares=True,
        make=clams,
        refused=_NOT_OF_SHARES,
    ),
    ResultFormat(name="blimp", is_shares=True, make=blimp, refused=_NOT_OF_SHARES),
    ResultFormat(name="bert-syntax", make=bert_syntax, refused=("columns", "n_items")),
    ResultFormat(
        name="bert-syntax-attractors",
        make=partial(bert_syntax, by_attractors=True),
        refused=("columns", "n_items"),
    ),
    ITEMS,
    ACCURACIES,
)
# Why options mean nothing for some formats.
_WHY_REFUSED = {
    "model": "--model: its files name the models",
    "suite": "--suite: its files name the suites",
    "columns": "--column: its columns are known",
    "score_rule": "--score: nothing in it has several predictions",
    "n_items": "--items: its files say how many there are, or nobody knows",
}


def read_results(
    paths: Sequence[Path], options: ImportOptions | None = None, *, form: str = ""
) -> Imported:
    """Read files of results that belong together; `form` names their format, "" recognises it.

    Raises `FaultyFileError` with every fault of the files: rows that say nothing or contradict
    another, shares that are none or none of so many items; `InputError` for files that cannot be
    read, and where nothing is left; `UsageError` for files that are like no format, an option that
    means nothing for theirs, a column or a model that there is not, a language that is no tag,
    several files without a source, and a source that is called like our own runs.
    """
    chosen = options or ImportOptions()
    if chosen.language and (fault := PublishedSuite.language_fault(chosen.language)):
        raise UsageError(f"--language: {fault}")
    by_name = {each.name: each for each in RESULT_FORMATS}
    if form:
        UsageError.check_choice("the format", form, by_name)
    known = by_name[form] if form else recognised(paths, chosen)
    for name in known.refused:
        if getattr(chosen, name) or getattr(chosen, f"{name}_of", 0):
            raise UsageError(f"{known.name} has no {_WHY_REFUSED[name]}")
    if known.score_rule and chosen.score_rule not in {None, known.score_rule}:
        what = f"{known.name} has no --score {chosen.score_rule}"
        raise UsageError(f"{what}: its results are by the rule {known.score_rule!r}")
    known_columns = ["model", "suite", *_OF_ITEMS, *_OF_SHARES, *_OF_BOTH, *SCORE_NAMES]
    for name in chosen.columns:
        UsageError.check_choice("a column", name, known_columns)
    reading = _Reading(known.options(chosen), known)
    imported = reading.shares(paths) if known.is_shares else reading.items(paths)
    if not imported.records:
        raise InputError(f"{', '.join(map(str, paths))}: nothing is left")
    if imported.records[0].is_own:
        hint = "say with --name what these results are called"
        raise UsageError(f"{RunRecord.OWN} is the name of pommel's own runs; {hint}")
    languages = sorted({record.suite.language for record in imported.records} - {""})
    odd = [fault for language in languages if (fault := PublishedSuite.language_fault(language))]
    return replace(imported, notes=(*imported.notes, *odd))


def recognised(paths: Sequence[Path], options: ImportOptions | None = None) -> ResultFormat:
    """Return the format of files that belong together, by how they begin.

    Options say what columns are called, or stand for some. Raises `InputError` for a file that
    cannot be read, and `UsageError` for one that is like none, or another than the first.
    """
    found: ResultFormat | None = None
    for path in paths:
        head = DecodedText.head(path)
        alike = (each for each in RESULT_FORMATS if each.is_like(head, options or ImportOptions()))
        own = next(alike, None)
        if own is None:
            # It may be like none since its bytes are no text.
            DecodedText.read(path)
            names = ", ".join(ImportOptions.formats())
            raise UsageError(f"{path}: say with --from what it is, one of {names}")
        if found and own is not found:
            message = f"{paths[0]} is {found.name} and {path} is {own.name}"
            raise UsageError(f"{message}; import them one after the other")
        found = own
    if found is None:
        raise UsageError("name a file of results")
    return found


def _names(column: str, said: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a column may be called; `said` is how some are."""
    return (said[column],) if column in said else _OTHER_NAMES.get(column, (column,))


def _has_columns(header: set[str], needed: Sequence[str], options: ImportOptions) -> bool:
    return all(
        getattr(options, column, "") or header.intersection(_names(column, options.columns))
        for column in needed
    )


def _is_matrix(header: Sequence[str], cells: Sequence[str]) -> bool:
    """Say whether there is nothing but numbers beside the models.

    Those with a decimal comma, which is a fault between tabs, are some, too.
    """
    is_one = len(header) > 1 and header[0] in _OTHER_NAMES["model"] and len(cells) == len(header)
    return is_one and all(
        is_missing(cell) or number_of(cell.replace(",", ".")) is not None for cell in cells[1:]
    )


# --- Rows


class _Item(NamedTuple):
    """What one item came to in one run, None where it is skipped; and where that is said."""

    result: bool | None = None
    margin_bits: float | None = None
    marks: tuple[bool, ...] = tuple(_MARKS.values())
    where: str = ""


# Items by prediction and number.
_Items = dict[tuple[int, int], _Item]
# A result, and how often it holds by chance.
_Result = tuple[SuiteResult, float | None]


@dataclass(slots=True)
class _Reading:
    """What the files of one import say together.

    `told` has what rows say of models and suites, and where they first do, by (column, name);
    `seeds` maps a model's name with its seed to both; `unused` are columns that mean nothing;
    `made` is what was dropped or combined where a table was made of the files.
    """

    options: ImportOptions
    form: ResultFormat
    faults: list[Fault] = field(default_factory=list)
    scored: Scored = field(default_factory=Scored)
    told: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    seeds: dict[str, tuple[str, str]] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    files: list[tuple[str, str]] = field(default_factory=list)

    def items(self, paths: Sequence[Path]) -> Imported:
        """Read tables of items; a model's suites may lie in several files."""
        runs: dict[tuple[str, str], _Items] = {}
        n_repeated = 0
        for row in (row for table in self._tables(paths) for row in self._rows_of(table)):
            model, suite = self._model_of(row), row["suite"]
            number = whole_of(row["item"]) or 0
            prediction = (whole_of(row["prediction_id"]) or 0) if "prediction_id" in row else 0
            self._note(row, model, suite, prediction)
            item = _item(row)
            first = runs.setdefault((model, suite), {}).setdefault((prediction, number), item)
            if first[:3] != item[:3]:
                what = f"item {number} of {suite} has another result for {model} here than in"
                row.refuse("", f"{what} {first.where}", "keep one of the two")
            elif first is not item:
                n_repeated += 1
        incomplete = [*_incomplete(runs)]
        notes = incomplete[:_MOST_NOTES]
        if more := incomplete[_MOST_NOTES:]:
            notes.append(f"{len(more)} more like these")
        notes += _uneven(runs)
        if n_repeated:
            notes.append(f"{counted(n_repeated, 'row')} repeated, counted once")
        results = (self._result(*key, items) for key, items in runs.items())
        return self._imported(results, paths, notes)

    def shares(self, paths: Sequence[Path]) -> Imported:
        """Read tables of shares; models that stand in several files have more suites."""
        results: list[_Result] = []
        seen: dict[tuple[str, str], Row] = {}
        for table in self._tables(paths):
            rows = [*self._rows_of(table)]
            n_decimals = max((_decimals_of(row["share"]) for row in rows), default=0)
            for row in rows:
                model, suite = row["model"], row["suite"]
                self._note(row, model, suite)
                first = seen.setdefault((model, suite), row)
                if first is not row:
                    message = f"{model} has a share on {suite} in {first.where} already"
                    row.refuse("share", message, "keep one of the two")
                    continue
                n_items = whole_of(row["n_items"]) if "n_items" in row else self.options.n_items
                n_items = self.options.n_items_of.get(model, n_items)
                try:
                    score = share_of(float(row["share"]), n_items, n_decimals)
                except ValueError as error:
                    hint = f"say with --items {model}=N how many items {model} was given"
                    row.refuse("share", str(error), hint)
                    continue
                result = SuiteResult(
                    suite_name=suite,
                    circuit=self._said("circuit", suite),
                    model_name=model,
                    score_rule="all",
                    item_numbers=(),
                    predictions=(),
                    reported=score,
                )
                results.append((result, CHANCE))
        models = Counter(result.model_name for result, _ in results)
        self._check()
        for model in self.options.n_items_of:
            if model not in models:
                meant = nearest(model, models)
                hint = f"; did you mean {meant}?" if meant else ""
                raise UsageError(f"--items {model}: there is no such model{hint}")
        suites = {result.suite_name for result, _ in results}
        notes = [
            f"{model} has no share on {counted(len(suites) - n_suites, 'suite')}"
            for model, n_suites in models.items()
            if n_suites < len(suites)
        ]
        return self._imported(results, paths, notes)

    def _tables(self, paths: Sequence[Path]) -> Iterator[ResultTable]:
        """Yield the tables of the files, or the one that is made of them."""
        if not self.form.make:
            for path in paths:
                table = read_table(path, self.faults, self.options.columns.values())
                self.files.append((path.name, table.sha256))
                yield table
            return
        model, suite = self.options.model, self.options.suite
        read = PublishedFiles(paths=paths, faults=self.faults, model=model, suite=suite)
        made = read.made(self.form.make(read))
        self.made, self.files = read.notes, read.files
        # A table of files with faults may have too few columns for more of them.
        self._check()
        yield made

    def _rows_of(self, table: ResultTable) -> Iterator[Row]:
        """Yield the rows of a table that are good; faults are added to those there are."""
        if not table.header:
            return
        names = [each.name for each in table.path.absolute().parents]
        folders = dict(zip(self.form.folders, names, strict=False))
        said = {name: text for name, text in folders.items() if name not in table.header}
        if not self.form.make:
            own = {name: getattr(self.options, name) for name in ("model", "suite")}
            said |= {name: text for name, text in own.items() if text}
        is_matrix = self.form.is_shares and "share" not in table.header
        for row in self._cells(table) if is_matrix else self._plain_rows(table, said):
            n_faults = len(self.faults)
            _check_row(row)
            if len(self.faults) == n_faults:
                yield row

    def _plain_rows(self, table: ResultTable, said: Mapping[str, str]) -> Iterator[Row]:
        """Yield rows with the columns that are needed, or what follows from their scores."""
        columns_said, is_shares = self.options.columns, self.form.is_shares
        of_rows = _OF_SHARES if is_shares else _OF_ITEMS
        names = {
            column: _names(column, columns_said)
            for column in ("model", "suite", *of_rows, *_OF_BOTH)
        }
        needed = {*(_SHARES_NEED if is_shares else _ITEMS_NEED)} - said.keys()
        compared: list[ScoreColumns] = []
        if not is_shares and is_scored(table.header, columns_said):
            has_model = "model" in columns_said or not {*names["model"]}.isdisjoint(table.header)
            compared = score_columns(table, columns_said, has_model=has_model)
            if not compared:
                return
            if len(compared) > 1 and self.options.model:
                there = listed([each.good for each in compared])
                what = f"{len(compared)} columns have scores: {there}"
                table.refuse_all(what, "leave out --model: they are called like their columns")
                return
            needed -= {"item", "result", *(["model"] if compared[0].model else [])}
        required = [name for name in names if name in needed or name in columns_said]
        columns = found_columns(table, names, required)
        if not columns.keys() >= needed:
            return
        used = {table.header[index] for index in columns.values()}
        used.update(name for each in compared for name in each.names)
        # Some of `pommel stats items` are no facts of an item.
        used |= {*_OWN, "item"} if _OWN.issubset(table.header) else set()
        self.unused += (name for name in table.header if name and name not in used)
        row_of = partial(Row, table, columns)
        if not compared:
            yield from (row_of(said, row) for row in table.rows)
        for each in compared:
            of_model = {"model": each.model, **said} if each.model else said
            yield from self.scored.rows(table, each, partial(row_of, of_model))

    def _cells(self, table: ResultTable) -> Iterator[Row]:
        """Yield the shares of a matrix, row by row, without empty cells."""
        header = table.header
        if header[0] not in _OTHER_NAMES["model"] or len(header) == 1:
            what, hint = "the first column is not that of models", "the first column is model"
            table.refuse_column(0, what, f"{hint}, the others are suites")
            return
        columns = {"model": 0}
        if sizes := [name for name in _OTHER_NAMES["n_parameters"] if name in header]:
            columns["n_parameters"] = header.index(sizes[0])
        suites = {index: name for index, name in enumerate(header) if index not in columns.values()}
        for index in (index for index, name in suites.items() if not name):
            table.refuse_column(index, "this column has no name", "name the suite")
        for row in table.rows:
            for index, name in suites.items():
                cell = {**columns, "share": index}
                if name and not is_missing(row.fields[index]):
                    yield Row(table, cell, {"suite": name}, row)

    # --- What is said of models and suites

    def _note(self, row: Row, model: str, suite: str, prediction: int = 0) -> None:
        """Take in what a row says; what another one says otherwise is a fault."""
        for column in (*row.columns, *row.said):
            if column not in _FACTS or column not in row:
                continue
            name = _about(column, model, suite, prediction)
            value, where = self.told.setdefault((column, name), (row[column], row.where))
            if value != row[column]:
                here = f"the {column} of {name} is {quoted(row[column])} here"
                message = f"{here}, and {quoted(value)} in {where}"
                row.refuse(column, message, "write the same in all of its rows")

    def _said(self, column: str, name: str) -> str:
        return self.told.get((column, name), ("", ""))[0]

    def _model_of(self, row: Row) -> str:
        """Return what a row's model is called: with its seed, where nothing else tells seeds."""
        if self.options.model or "seed" not in row or "axis" in row:
            return row["model"]
        name = f"{row['model']}/seed-{row['seed']}"
        self.seeds[name] = (row["model"], row["seed"])
        return name

    def _model(self, model: str) -> ModelFacts:
        return ModelFacts(
            n_parameters=parameters_of(self._said("n_parameters", model)),
            size_family=self._said("size_family", model),
        )

    def _membership(self, model: str) -> Membership | None:
        family = self._said("family", model)
        if model in self.seeds:
            name, seed = self.seeds[model]
            return Membership(family=family or name, axis="seed", label=seed, value=number_of(seed))
        if not family:
            return None
        axis = self._said("axis", model)
        return Membership(
            family=family,
            axis=next((each for each in Membership.AXES if each == axis), "member"),
            label=self._said("member", model) or model,
            value=number_of(self._said("axis_value", model)),
        )

    def _suite(self, suite: str, chance: float | None) -> SuiteFacts:
        base, options = self._said("modifier_of", suite), self.options
        language = self._said("language", suite) or options.language
        published = PublishedSuite(suite)
        return SuiteFacts(
            language=language or (published.language if self.form.is_shares else ""),
            # A suite without intervening material may be called its own base.
            modifier_of=(base if base != suite else "") or published.without_modifier,
            group=self._said("group", suite),
            complexity=number_of(self._said("complexity", suite)),
            chance=chance if options.chance is None else options.chance,
        )

    def _result(self, model: str, suite: str, items: _Items) -> _Result:
        rule = self.options.score_rule or "all"
        numbers = sorted({number for _, number in items})
        predictions = sorted({prediction for prediction, _ in items})
        result = SuiteResult(
            suite_name=suite,
            circuit=self._said("circuit", suite) or PublishedSuite(suite).circuit,
            model_name=model,
            score_rule=rule,
            item_numbers=tuple(numbers),
            predictions=tuple(
                _prediction(each, [items.get((each, number), _Item()) for number in numbers])
                for each in predictions
            ),
            membership=self._membership(model),
        )
        return result, self._chance(model, suite, predictions, rule)

    def _chance(
        self, model: str, suite: str, predictions: Sequence[int], rule: ScoreRule
    ) -> float | None:
        """Return the share of items on which what the score rule counts holds by chance.

        None where the rows do not say it: of several predictions that have to hold together it
        needs the column `suite_chance`, since they may depend on each other. Under "each" it is
        that of each, if all have the same.
        """
        counted = predictions[:1] if rule == "first" else predictions
        own = {self._said("chance", _about("chance", model, suite, each)) for each in counted}
        if (rule == "all" and len(counted) > 1) or (own == {""} and len(predictions) == 1):
            own = {self._said("suite_chance", _about("suite_chance", model, suite))}
        return number_of(own.pop()) if len(own) == 1 else None

    def _imported(
        self, results: Iterable[_Result], paths: Sequence[Path], notes: Iterable[str]
    ) -> Imported:
        """Return results as records of where they come from.

        A record's `run_id` follows from source, model, suite and score rule: what is imported again
        replaces what was there.
        """
        self._check()
        steps = [*self.made, *left_out(self.unused), *self.scored.notes()]
        if not self.options.source and len(paths) > 1:
            raise UsageError("say with --name what these results are called")
        source = self.options.source or paths[0].stem
        date = now()
        provenance = {
            "source": source,
            "format": self.form.name,
            "files": [{"name": name, "sha256": sha256} for name, sha256 in self.files],
            "steps": steps,
            "pommel": package_version("pommel"),
            "date": date,
        }
        records = tuple(
            RunRecord(
                run_id=RunRecord.id_of(
                    {
                        "imported": source,
                        "model": result.model_name,
                        "suite": result.suite_name,
                        "score_rule": result.score_rule,
                    }
                ),
                result=replace(result, provenance=provenance),
                model=self._model(result.model_name),
                suite=self._suite(result.suite_name, chance),
                source=source,
                created=date,
            )
            for result, chance in results
        )
        return Imported(records=records, notes=(*steps, *notes))

    def _check(self) -> None:
        """Raise `FaultyFileError` with the faults, if there are any, by files and lines."""
        if self.faults:
            files = list(dict.fromkeys(fault.file for fault in self.faults))
            # In a matrix a row has many shares, and what is wrong with it is found with each.
            raise FaultyFileError(
                sorted(
                    dict.fromkeys(self.faults),
                    key=lambda each: (files.index(each.file), each.line, each.column),
                )
            )


def _about(column: str, model: str, suite: str, prediction: int = 0) -> str:
    """Return what a column tells of: a suite, a model, a run, or one of its predictions."""
    if column in _OF_SUITES:
        return suite
    run = f"{suite} (of {model})"
    return {"chance": f"prediction {prediction} of {run}", "suite_chance": run}.get(column, model)


def _item(row: Row) -> _Item:
    """Return what a row without faults says of an item."""
    truths = {name: truth_of(row[name]) for name in ("result", "skipped", *_MARKS) if name in row}
    return _Item(
        result=None if truths.get("skipped") else truths.get("result"),
        margin_bits=float(row["margin_bits"]) if "margin_bits" in row else None,
        marks=tuple(bool(truths.get(name, usual)) for name, usual in _MARKS.items()),
        where=row.where,
    )


def _prediction(prediction_id: int, items: Sequence[_Item]) -> PredictionResult:
    """Return a prediction whose formula nobody has told; its arrays are (n_items,)."""
    skipped = np.array([each.result is None for each in items], dtype=np.bool_)
    # NumPy takes None for NaN where floats are asked for.
    margins = np.array([each.margin_bits for each in items], dtype=np.float64)
    margins[skipped] = math.nan
    marks = dict(zip(_MARKS, np.array([each.marks for each in items]).T, strict=True))
    marks["tie"] &= ~skipped
    return PredictionResult(
        prediction_id=prediction_id,
        formula="",
        description="",
        holds=np.array([bool(each.result) for each in items], dtype=np.bool_),
        margin_bits=margins,
        skipped=skipped,
        **marks,
    )


def _incomplete(runs: Mapping[tuple[str, str], _Items]) -> Iterator[str]:
    """Yield which items one prediction of a run has and another lacks: they count as skipped."""
    for (model, suite), items in runs.items():
        numbers = {number for _, number in items}
        for prediction in sorted({prediction for prediction, _ in items}):
            if missing := sorted(each for each in numbers if (prediction, each) not in items):
                yield (
                    f"prediction {prediction} of {suite} has no result of {model} on "
                    f"{_numbers(missing)}, which other predictions have: taken for skipped"
                )


def _uneven(runs: Mapping[tuple[str, str], _Items]) -> Iterator[str]:
    """Yield what models lack of the items that others have on the same suite."""
    numbers: dict[str, set[int]] = {}
    for (_, suite), items in runs.items():
        numbers.setdefault(suite, set()).update(number for _, number in items)
    for (model, suite), items in runs.items():
        if missing := sorted(numbers[suite] - {number for _, number in items}):
            yield (
                f"{model} lacks {_numbers(missing)} of {suite}, which others have: its score is "
                f"the share of the items that it has"
            )


def _numbers(numbers: Sequence[int]) -> str:
    shown = listed([str(each) for each in numbers], most=5)
    return f"item {shown}" if len(numbers) == 1 else f"{counted(len(numbers), 'item')} ({shown})"


# --- What can be wrong with a row


def _share(text: str) -> float | None:
    value = number_of(text)
    return value if value is not None and 0 <= value <= 1 else None


_A_NUMBER = (number_of, "is no number", "write one like 2.5, and nothing where there is none")
_A_CHANCE = (
    _share,
    "is no share of items that hold by chance",
    "write one from 0 to 1, and nothing where nobody knows",
)
_A_TRUTH = (
    truth_of,
    "is neither true nor false",
    "write one of the two, and nothing where it is not known",
)
# What makes a value of a cell, None of one that is wrong; what is wrong then, and what to do.
_CHECKS: Mapping[str, tuple[Callable[[str], object], str, str]] = {
    "item": (whole_of, "is no number of an item", "number the items of a suite from 1"),
    "prediction_id": (
        whole_of,
        "is no number of a prediction",
        "number a suite's predictions from 0",
    ),
    "n_items": (
        lambda text: whole_of(text) or None,
        "is no number of items",
        "write one, and nothing where nobody knows",
    ),
    "n_parameters": (
        parameters_of,
        "is no number of parameters",
        "write it in full, such as 560000000, and nothing where it is not known",
    ),
    "axis": (
        lambda text: text if text in Membership.AXES else None,
        "is nothing that models differ in",
        f"write one of {', '.join(Membership.AXES)}",
    ),
    **dict.fromkeys(("margin_bits", "complexity", "axis_value"), _A_NUMBER),
    **dict.fromkeys(("chance", "suite_chance"), _A_CHANCE),
    **dict.fromkeys(("result", "skipped", *_MARKS), _A_TRUTH),
}


def _check_row(row: Row) -> None:
    """Note what is wrong with a row's cells."""
    for name in ("model", "suite"):
        if not row[name]:
            row.refuse(name, f"this row names no {name}", "write its name")
    for name in row.columns:
        if name in _CHECKS and (name in row or name == "item"):
            value_of, what, hint = _CHECKS[name]
            if value_of(row[name]) is None:
                row.refuse(name, f"{quoted(row[name])} {what}", hint)
    if "share" in row.columns and _share(row["share"]) is None:
        value = number_of(row["share"])
        what, hint = "is no number", "write a share such as 0.87, and nothing where there is none"
        if value is not None:
            is_percent = 1 < value <= 100  # noqa: PLR2004 - percent
            hint = "write 87% as 0.87" if is_percent else "a share is between 0 and 1"
            what = "is no share"
        row.refuse("share", f"{quoted(row['share'])} {what}", hint)


# --- Shares


def share_of(share: float, n_items: int | None, n_decimals: int) -> Score:
    """Return a share with its counts, of so many items; None: nobody knows of how many.

    Raises `ValueError` with what is wrong where no count, or more than one, gives this share when
    it is rounded to `n_decimals`.
    """
    if n_items is None:
        return Score(label="", n_holding=0, n_items=0, reported_share=share)
    n_holding = round(share * n_items)
    # Half of the last decimal, and what floats are off by.
    most = 0.5 * 10.0**-n_decimals + 1e-9
    if abs(n_holding / n_items - share) > most:
        raise ValueError(f"no number of {n_items:,} items is a share of {share:g}")
    if 1 / n_items <= most:
        raise ValueError(
            f"a share with {n_decimals} decimals does not tell {n_holding:,} of {n_items:,} items "
            f"from {n_holding + 1:,}"
        )
    return Score(label="", n_holding=n_holding, n_items=n_items, reported_share=share)


def _decimals_of(text: str) -> int:
    """Return how many decimals a number is written with; an exponent moves the point."""
    digits, _, exponent = text.strip().lower().partition("e")
    _, _, decimals = digits.partition(".")
    return max(len(decimals) - int(exponent or 0), 0)
