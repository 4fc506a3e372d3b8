"""Results of any kind as CSV or TSV with a row an item: the general door for those of others.

The columns are `model`, `suite`, `item` (a whole number) and `result` (true or false, 1 or 0; empty
where the item was skipped), under these or other usual names; the option `columns` says how else
they are called. All others may be missing. Columns that have no meaning here are left out, and
named in a note; one that is like a known name is taken for a misspelt one. What a row says of a
model or a suite (a circuit, say) has to be the same in all of its rows.

This reads `predictions.csv`, too, which `pommel run -o` and `pommel runs export` write, and the
table of `pommel stats items`. Neither of them has formulas: how often a prediction holds by chance
is in the column `chance`, and how often all of a suite's do in `suite_chance`, or nobody knows.
"""

import math
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from pommel.errors import Fault, UsageError, counted, listed, nearest, quoted
from pommel.files import CsvRow
from pommel.models import Membership
from pommel.scoring import ModelFacts, PredictionResult, ScoreRule, SuiteFacts, SuiteResult
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    Result,
    ResultFormat,
    ResultTable,
    hashes,
    head_rows,
    is_missing,
    number_of,
    parameters_of,
    raise_faults,
    source_of,
    truth_of,
    whole_of,
)
from pommel.store.imports.scores import (
    SCORE_NAMES,
    USUAL_NAMES,
    Recipe,
    Scored,
    is_scored,
    json_header,
    names_model,
)
from pommel.store.imports.shares import share_fault
from pommel.suite import PublishedSuite

# A prediction and an item number.
Key = tuple[int, int]
# A model and a suite.
RunKey = tuple[str, str]

# More runs than these are not named.
_MOST_NOTES = 10

# What there is of an item that is skipped.
_SKIPPED: dict[str, Any] = {
    "result": None,
    "margin_bits": math.nan,
    "tie": False,
    "defined": True,
    "swallowed": False,
    "unscored": False,
    "oov": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """What one item came to in one run, and the row that says so; None where it is skipped."""

    model: str
    suite: str
    item: int
    prediction: int
    result: bool | None
    margin_bits: float = math.nan
    tie: bool = False
    defined: bool = True
    swallowed: bool = False
    unscored: bool = False
    oov: bool = False
    table: ResultTable
    row: CsvRow

    @property
    def told(self) -> tuple[object, ...]:
        """What two rows of one item have to agree in."""
        margin = None if math.isnan(self.margin_bits) else self.margin_bits
        marks = (self.tie, self.defined, self.swallowed, self.unscored, self.oov)
        return (self.result, margin, *marks)

    @property
    def where(self) -> str:
        """The file's name and the line."""
        return f"{self.table.path.name}, line {self.row.line}"

    def fault(self, message: str, hint: str) -> Fault:
        """Return what is wrong with the row."""
        return self.table.fault(self.row, 0, message, hint)


@dataclass(slots=True)
class ItemRuns:
    """Rows by model and suite, then by prediction and item; both in the order of the files.

    `n_repeated` counts rows that say again what another one has said; they count once.
    """

    runs: dict[RunKey, dict[Key, ItemRow]] = field(default_factory=dict)
    n_repeated: int = 0

    def add(self, rows: Iterable[ItemRow]) -> Iterator[Fault]:
        """Take rows in; yield two of one item that differ."""
        for row in rows:
            run = self.runs.setdefault((row.model, row.suite), {})
            first = run.setdefault((row.prediction, row.item), row)
            if first is row:
                continue
            if first.told == row.told:
                self.n_repeated += 1
                continue
            message = (
                f"item {row.item} of {row.suite} has another result for {row.model} here than in "
                f"{first.where}"
            )
            yield row.fault(message, "keep one of the two")

    def filled(self) -> list[str]:
        """Take items that one prediction of a run has and another lacks for skipped; say which."""
        notes = []
        for run in self.runs.values():
            items = {item for _, item in run}
            for prediction in sorted({prediction for prediction, _ in run}):
                own = {item for each, item in run if each == prediction}
                if missing := sorted(items - own):
                    first = next(row for row in run.values() if row.prediction == prediction)
                    notes.append(
                        f"prediction {prediction} of {first.suite} has no result of {first.model} "
                        f"on {_items(missing)}, which other predictions have: taken for skipped"
                    )
                    for item in missing:
                        run[prediction, item] = replace(first, **_SKIPPED, item=item)
        more = len(notes) - _MOST_NOTES
        return [*notes[:_MOST_NOTES], *([f"{more} more like these"] if more > 0 else [])]

    def repeated(self) -> list[str]:
        """Return how many rows say again what another one has said, nothing if none does."""
        if not self.n_repeated:
            return []
        return [f"{counted(self.n_repeated, 'row')} repeated, counted once"]

    def uneven(self) -> list[str]:
        """Return what models lack of the items that others have on the same suite."""
        items: dict[str, set[int]] = {}
        for (_, suite), run in self.runs.items():
            items.setdefault(suite, set()).update(item for _, item in run)
        notes = []
        for (model, suite), run in self.runs.items():
            if missing := sorted(items[suite] - {item for _, item in run}):
                notes.append(
                    f"{model} lacks {_items(missing)} of {suite}, which others have: its score is "
                    f"the share of the items that it has"
                )
        return notes


def suite_result(
    run: Mapping[Key, ItemRow],
    *,
    score_rule: ScoreRule,
    circuit: str = "",
    model_name: str = "",
    membership: Membership | None = None,
) -> SuiteResult:
    """Return the result of a run whose predictions all have the same items, sorted by number.

    `model_name` is by default what the rows call it.
    """
    items = sorted({item for _, item in run})
    ids = sorted({prediction for prediction, _ in run})
    first = next(iter(run.values()))
    return SuiteResult(
        suite_name=first.suite,
        circuit=circuit,
        model_name=model_name or first.model,
        score_rule=score_rule,
        item_numbers=tuple(items),
        predictions=tuple(prediction(each, [run[each, item] for item in items]) for each in ids),
        membership=membership,
    )


def prediction(prediction_id: int, rows: Sequence[ItemRow]) -> PredictionResult:
    """Return a prediction whose formula nobody has told; rows and arrays are (n_items,)."""
    skipped = np.array([row.result is None for row in rows], dtype=np.bool_)
    margins = np.array([row.margin_bits for row in rows], dtype=np.float64)
    margins[skipped] = math.nan
    return PredictionResult(
        prediction_id=prediction_id,
        formula="",
        description="",
        holds=np.array([bool(row.result) for row in rows], dtype=np.bool_),
        margin_bits=margins,
        tie=np.array([row.tie for row in rows], dtype=np.bool_) & ~skipped,
        defined=np.array([row.defined for row in rows], dtype=np.bool_),
        swallowed=np.array([row.swallowed for row in rows], dtype=np.bool_),
        unscored=np.array([row.unscored for row in rows], dtype=np.bool_),
        oov=np.array([row.oov for row in rows], dtype=np.bool_),
        skipped=skipped,
    )


def _items(numbers: Sequence[int]) -> str:
    shown = listed([str(each) for each in numbers], most=5)
    if len(numbers) == 1:
        return f"item {shown}"
    return f"{counted(len(numbers), 'item')} ({shown})"


REQUIRED = ("model", "suite", "item", "result")
# What columns are called; the first of the names that a file has counts.
NAMES: dict[str, tuple[str, ...]] = {
    **USUAL_NAMES,
    "result": ("result", "correct", "holds"),
    "prediction_id": ("prediction_id", "prediction"),
    "margin_bits": ("margin_bits",),
    "tie": ("tie",),
    "defined": ("defined",),
    "swallowed": ("swallowed",),
    "unscored": ("unscored",),
    "oov": ("oov",),
    "skipped": ("skipped",),
    "circuit": ("circuit",),
    "language": ("language",),
    "group": ("group",),
    "modifier_of": ("modifier_of", "base_suite"),
    "complexity": ("complexity",),
    "chance": ("chance",),
    "suite_chance": ("suite_chance",),
    "seed": ("seed",),
    "family": ("family",),
    "axis": ("axis",),
    "member": ("member",),
    "axis_value": ("axis_value",),
    "n_parameters": ("n_parameters", "params"),
    "size_family": ("size_family",),
}
_MARKS = {
    "tie": False,
    "defined": True,
    "swallowed": False,
    "unscored": False,
    "oov": False,
    "skipped": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row, and its cells by what their columns are."""

    table: ResultTable
    row: CsvRow
    columns: Mapping[str, int]

    def __contains__(self, column: str) -> bool:
        return column in self.columns and not is_missing(self[column])

    def __getitem__(self, column: str) -> str:
        return self.row.fields[self.columns[column]].strip()

    def fault(self, column: str, message: str, hint: str) -> Fault:
        """Return what is wrong with a cell."""
        return self.table.fault(self.row, self.columns[column], message, hint)

    @property
    def where(self) -> str:
        """The file's name and the line."""
        return f"{self.table.path.name}, line {self.row.line}"


def item_row(row: Row, model: str, suite: str) -> ItemRow:
    """Return what a row without faults says of an item."""
    marks = {
        name: bool(truth_of(row[name])) if name in row else usual for name, usual in _MARKS.items()
    }
    is_skipped = marks.pop("skipped") or "result" not in row
    return ItemRow(
        model=model,
        suite=suite,
        item=whole_of(row["item"]) or 0,
        prediction=(whole_of(row["prediction_id"]) or 0) if "prediction_id" in row else 0,
        result=None if is_skipped else truth_of(row["result"]),
        margin_bits=float(row["margin_bits"]) if "margin_bits" in row else math.nan,
        **marks,
        table=row.table,
        row=row.row,
    )


def row_faults(row: Row, needed: Sequence[str]) -> Iterator[Fault]:
    """Yield what is wrong with a row's cells; the columns that are `needed` are there."""
    for name in ("model", "suite"):
        if name in needed and not row[name]:
            yield row.fault(name, f"this row names no {name}", "write its name")
    yield from _number_faults(row)
    for name in ("result", *_MARKS):
        if name in row and truth_of(row[name]) is None:
            hint = "write one of the two, and nothing where it is not known"
            yield row.fault(name, f"{quoted(row[name])} is neither true nor false", hint)
    if "axis" in row and row["axis"] not in Membership.AXES:
        hint = f"write one of {', '.join(Membership.AXES)}"
        yield row.fault("axis", f"{quoted(row['axis'])} is nothing that models differ in", hint)


def _number_faults(row: Row) -> Iterator[Fault]:
    if whole_of(row["item"]) is None:
        message = f"{quoted(row['item'])} is no number of an item"
        yield row.fault("item", message, "number the items of a suite from 1")
    if "prediction_id" in row and whole_of(row["prediction_id"]) is None:
        message = f"{quoted(row['prediction_id'])} is no number of a prediction"
        yield row.fault("prediction_id", message, "number a suite's predictions from 0")
    for name in ("margin_bits", "complexity", "axis_value"):
        if name in row and number_of(row[name]) is None:
            message = f"{quoted(row[name])} is no number"
            yield row.fault(name, message, "write one like 2.5, and nothing where there is none")
    for name in ("chance", "suite_chance"):
        if name in row and share_fault(number_of(row[name])):
            message = f"{quoted(row[name])} is no share of items that hold by chance"
            yield row.fault(name, message, "write one from 0 to 1, and nothing where nobody knows")
    if "n_parameters" in row and parameters_of(row["n_parameters"]) is None:
        message = f"{quoted(row['n_parameters'])} is no number of parameters"
        yield row.fault("n_parameters", message, "write it in full, such as 560000000")


@dataclass(slots=True)
class ItemFacts:
    """What rows say of models and suites, and where they first do: by (column, name)."""

    told: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def add(self, column: str, name: str, value: str, where: str) -> str:
        """Take a value in; return where another one stands, "" if there is none."""
        first, place = self.told.setdefault((column, name), (value, where))
        return "" if first == value else place

    def of(self, column: str, name: str) -> str:
        """Return what is said, "" if nothing."""
        return self.told.get((column, name), ("", ""))[0]


def run_name(run: RunKey) -> str:
    """Return what a run is called, whose predictions hold together by a certain chance."""
    model, suite = run
    return f"{suite} (of {model})"


def prediction_name(run: RunKey, prediction: int) -> str:
    """Return what a prediction of a run is called, which holds by a certain chance."""
    return f"prediction {prediction} of {run_name(run)}"


def chance_told(
    run: RunKey, keys: Iterable[Key], rule: ScoreRule, told: Callable[[str, str], str]
) -> float | None:
    """Return the share of items on which what the score rule counts holds by chance.

    `told` returns what a column says of a name, "" if nothing. None where the rows do not say it:
    of several predictions that have to hold together it needs the column `suite_chance`, since
    they may depend on each other. Under "each" it is that of each, if all have the same.
    """
    predictions = sorted({prediction for prediction, _ in keys})
    counted = predictions[:1] if rule == "first" else predictions
    own = {told("chance", prediction_name(run, each)) for each in counted}
    if (rule == "all" and len(counted) > 1) or (own == {""} and len(predictions) == 1):
        own = {told("suite_chance", run_name(run))}
    text = own.pop() if len(own) == 1 else ""
    return float(text) if text else None


# So much of a name has to be right for it to be a misspelt one: `margin_bit`, `Circuit`.
_MISSPELT = 0.85
# More columns than these are not named.
_MOST_NAMED = 20


def found_columns(
    table: ResultTable,
    names: Mapping[str, Sequence[str]],
    required: Sequence[str],
    faults: list[Fault],
    *,
    can_be_said: bool = False,
) -> dict[str, int]:
    """Return where columns stand: by what they are, of the names that each may have.

    One that is required and not there is a fault, and so is a name that none of them has and that
    is like one which is not there. `can_be_said`: the option --column says what columns are called.
    """
    found = {
        column: table.header.index(name)
        for column, known in names.items()
        if (name := next((each for each in known if each in table.header), None)) is not None
    }
    if not table.header:
        return found
    others = [name for index, name in enumerate(table.header) if index not in found.values()]
    for column in required:
        if column not in found:
            meant = _like(names[column], others)
            if meant:
                others.remove(meant)
            message = f"there is no column {' or '.join(map(repr, names[column]))}"
            hint = _hint(column, meant, can_be_said=can_be_said)
            faults.append(table.table.fault((1, 1), message, hint))
    optional = {column: names[column] for column in names if column not in {*found, *required}}
    faults += _misspelt(table, others, optional, can_be_said=can_be_said)
    return found


def left_out(unused: Iterable[str]) -> list[str]:
    """Return a line that names columns which mean nothing here, none if there are none."""
    names = list(dict.fromkeys(unused))
    if not names:
        return []
    columns = f"the column{'s' if len(names) > 1 else ''} {listed(names, most=_MOST_NAMED)}"
    count = f" ({counted(len(names), 'column')})" if len(names) > _MOST_NAMED else ""
    return [f"left out {columns}{count}, which mean{'' if len(names) > 1 else 's'} nothing here"]


def unused_columns(table: ResultTable, used: Collection[int]) -> list[str]:
    """Return the names of the columns that are not used, which stand at other places."""
    return [name for index, name in enumerate(table.header) if name and index not in used]


def _hint(column: str, meant: str, *, can_be_said: bool) -> str:
    if not can_be_said:
        return f"rename {meant!r}" if meant else "add it"
    first = f"rename {meant!r}" if meant else "add it"
    said = shlex.quote(f"{column}={meant}") if meant else f"{column}=NAME"
    return f"{first}, or say which one it is: --column {said}"


def _misspelt(
    table: ResultTable,
    others: Sequence[str],
    optional: Mapping[str, Sequence[str]],
    *,
    can_be_said: bool,
) -> Iterator[Fault]:
    head = table.table.rows[0]
    for column, known in optional.items():
        if meant := _like(known, others, likeness=_MISSPELT):
            said = f", say --column {shlex.quote(f'{column}={meant}')}" if can_be_said else ""
            hint = f"did you mean {column!r}? Rename it{said}, or remove it"
            yield table.fault(head, table.header.index(meant), f"{meant!r} means nothing", hint)


def _like(known: Sequence[str], others: Sequence[str], *, likeness: float = 0.6) -> str:
    """Return which of the other names was probably meant for a known one, "" if none."""
    plain = {name.casefold().replace(" ", "_").replace("-", "_"): name for name in others}
    found = (nearest(name, plain, likeness=likeness) for name in known)
    return next((plain[each] for each in found if each), "")


_OF_MODELS = ("family", "axis", "member", "axis_value", "n_parameters", "size_family")
_OF_SUITES = ("circuit", "language", "group", "modifier_of", "complexity")
# Columns of `pommel stats items` that follow from others, or are about the run.
_OWN = frozenset({"modifier", "source", "run_id", "log10_parameters"})


@dataclass(slots=True)
class _Reading:
    """What the files of one import say together.

    `seeds` maps a model's name with its seed to both; `unused` are columns that mean nothing.
    """

    options: ImportOptions
    facts: ItemFacts = field(default_factory=ItemFacts)
    seeds: dict[str, tuple[str, str]] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def read_items(
    paths: Sequence[Path], options: ImportOptions, recipe: Recipe | None = None
) -> Imported:
    """Read tables that belong together; a model's suites may lie in several files.

    A recipe says what the columns of a published format are, where the options do not.
    Raises `FaultyFileError` with all rows that say nothing or contradict another, and `UsageError`
    for a column that does not exist, and for several files without a source.
    """
    for name in options.columns:
        UsageError.check_choice("a column", name, NAMES | SCORE_NAMES)
    options = recipe.options(options) if recipe else options
    reading = _Reading(options)
    scored = Scored(options, recipe, reading.faults)
    of_files = [scored.read(path) for path in paths]
    tables = [table for each in of_files for table in each]
    runs = ItemRuns()
    for table in tables:
        found = [*_rows(table, reading)]
        reading.faults += runs.add(found)
    notes = runs.filled()
    raise_faults(reading.faults)
    steps = [*left_out(reading.unused), *scored.notes()]
    source = source_of(options, paths)
    name = recipe.name if recipe else ITEMS.name
    files = hashes([each[0] for each in of_files if each])
    origin = Origin(source=source, format=name, files=files, steps=tuple(steps))
    records = origin.records(_result(key, run, reading) for key, run in runs.runs.items())
    notes = [*steps, *notes, *runs.uneven(), *runs.repeated()]
    return Imported(records=records, notes=tuple(notes))


def _result(key: RunKey, run: Mapping[Key, ItemRow], reading: _Reading) -> Result:
    model, suite = key
    facts, options = reading.facts, reading.options
    rule = options.score_rule or "all"
    return (
        suite_result(
            run,
            score_rule=rule,
            circuit=facts.of("circuit", suite) or PublishedSuite(suite).circuit,
            membership=_membership(model, reading),
        ),
        _model_facts(model, facts),
        _suite_facts(suite, facts, options, chance_told(key, run, rule, facts.of)),
    )


def _rows(table: ResultTable, reading: _Reading) -> Iterator[ItemRow]:
    options, names = reading.options, _names(reading.options)
    needed = _needed(options)
    said = [column for column in options.columns if column not in SCORE_NAMES]
    required = list(dict.fromkeys([*needed, *said]))
    columns = found_columns(table, names, required, reading.faults, can_be_said=True)
    if not columns.keys() >= set(needed):
        return
    others = unused_columns(table, columns.values())
    reading.unused += (name for name in others if not _is_own(table, name))
    for each in table.rows:
        row = Row(table=table, row=each, columns=columns)
        wrong = [*row_faults(row, needed)]
        reading.faults += wrong
        if wrong:
            continue
        model = options.model or _model_name(row, reading.seeds)
        item = item_row(row, model, options.suite or row["suite"])
        reading.faults += _contradictions(row, reading.facts, item)
        yield item


def _names(options: ImportOptions) -> dict[str, tuple[str, ...]]:
    """Return what columns may be called, by what they are."""
    said = {column: (name,) for column, name in options.columns.items()}
    return {column: said.get(column, known) for column, known in NAMES.items()}


def _needed(options: ImportOptions) -> list[str]:
    return [name for name in REQUIRED if not getattr(options, name, "")]


def _is_own(table: ResultTable, name: str) -> bool:
    """Say whether a column is one of `pommel stats items` that is no fact of the item."""
    return _OWN.issubset(table.header) and name in {*_OWN, "item"}


def _model_name(row: Row, seeds: dict[str, tuple[str, str]]) -> str:
    """Return what a row's model is called: with its seed, where nothing else tells seeds apart."""
    if "seed" not in row or "axis" in row:
        return row["model"]
    name = f"{row['model']}/seed-{row['seed']}"
    seeds[name] = (row["model"], row["seed"])
    return name


def _contradictions(row: Row, facts: ItemFacts, item: ItemRow) -> Iterator[Fault]:
    told = (
        (_OF_MODELS, item.model),
        (_OF_SUITES, item.suite),
        (("chance",), prediction_name((item.model, item.suite), item.prediction)),
        (("suite_chance",), run_name((item.model, item.suite))),
    )
    for columns, name in told:
        for column in columns:
            if column not in row:
                continue
            if where := facts.add(column, name, row[column], row.where):
                other = facts.of(column, name)
                message = (
                    f"the {column} of {name} is {quoted(row[column])} here, and {quoted(other)} in "
                    f"{where}"
                )
                yield row.fault(column, message, "write the same in all of its rows")


def _membership(model: str, reading: _Reading) -> Membership | None:
    facts, seeds = reading.facts, reading.seeds
    family = facts.of("family", model)
    if model in seeds:
        name, seed = seeds[model]
        return Membership(family=family or name, axis="seed", label=seed, value=number_of(seed))
    if not family:
        return None
    value = facts.of("axis_value", model)
    return Membership(
        family=family,
        axis=Membership.axis_called(facts.of("axis", model) or "") or "member",
        label=facts.of("member", model) or model,
        value=float(value) if value else None,
    )


def _model_facts(model: str, facts: ItemFacts) -> ModelFacts:
    written = facts.of("n_parameters", model)
    return ModelFacts(
        n_parameters=parameters_of(written) if written else None,
        size_family=facts.of("size_family", model),
    )


def _suite_facts(
    suite: str, facts: ItemFacts, options: ImportOptions, chance: float | None
) -> SuiteFacts:
    complexity, base = facts.of("complexity", suite), facts.of("modifier_of", suite)
    return SuiteFacts(
        language=facts.of("language", suite) or options.language,
        # A suite without intervening material may be called its own base.
        modifier_of=(base if base != suite else "") or PublishedSuite(suite).without_modifier,
        group=facts.of("group", suite),
        complexity=float(complexity) if complexity else None,
        chance=chance if options.chance is None else options.chance,
    )


def _is_like(head: str, options: ImportOptions) -> bool:
    header = {*(json_header(head) if head.lstrip().startswith("{") else head_rows(head)[0])}
    names = _names(options)
    if is_scored(header, options):
        header |= {"item", "result", *(("model",) if names_model(options) else ())}
    return all(header.intersection(names[column]) for column in _needed(options))


ITEMS = ResultFormat(
    name="items",
    title="a row an item, as pommel's own predictions.csv",
    is_like=_is_like,
    read=read_items,
    takes=frozenset({"model", "suite", "language", "score_rule", "columns", "chance"}),
)


def _of_recipe(
    recipe: Recipe, title: str, is_like: Callable[[Sequence[str]], bool]
) -> ResultFormat:
    """Return the format of a recipe; `is_like` looks at a file's columns."""

    def begins_so(head: str, _: ImportOptions) -> bool:
        is_json = head.lstrip().startswith("{")
        return is_like(json_header(head) if is_json else head_rows(head)[0])

    return ResultFormat(
        name=recipe.name,
        title=title,
        is_like=begins_so,
        read=lambda paths, options: read_items(paths, options, recipe),
        takes=ITEMS.takes,
    )


# Gulordava et al. (2018), `best_model.tab` and `all_models.tab`: the rows of `generated.tab`, and
# behind them a column for each model, with the logarithm of a form's probability.
GULORDAVA_RESULTS = _of_recipe(
    Recipe(name="gulordava", columns={"logprob": "*hidden*", "class": "class", "suite": "type"}),
    "scores of Gulordava et al. (2018), a column a model",
    lambda header: (
        {"class", "type", "len_prefix", "sent"} <= {*header}
        and any("hidden" in name for name in header)
    ),
)
# Zaczynska et al. (2020): the mean loss of each sentence's tokens. As their program does, pairs are
# left out whose sentences have different numbers of tokens; of equal losses, which none of the
# published pairs has, it says that the model is right, and here it is wrong.
GEVALM_RESULTS = _of_recipe(
    Recipe(
        name="gevalm",
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
    "losses of Zaczynska et al. (2020), gevalm's output",
    lambda header: {"probs", "candidates", "case"} <= {*header},
)
