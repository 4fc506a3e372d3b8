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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pommel.errors import Fault, check_choice, quoted
from pommel.models.family import Membership
from pommel.scoring.run_record import ModelFacts, SuiteFacts
from pommel.store.imports.item_cells import NAMES, REQUIRED, Row, item_row, row_faults
from pommel.store.imports.item_facts import ItemFacts, chance_told, prediction_name, run_name
from pommel.store.imports.item_runs import ItemRow, ItemRuns, Key, RunKey, suite_result
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    Result,
    ResultFormat,
    source_of,
)
from pommel.store.imports.result_tables import (
    ResultTable,
    hashes,
    head_rows,
    number_of,
    parameters_of,
    raise_faults,
    read_table,
)
from pommel.store.imports.table_columns import found_columns, left_out, unused_columns
from pommel.suite.published_designs import published_circuit, published_without_modifier

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


def read_items(paths: Sequence[Path], options: ImportOptions) -> Imported:
    """Read tables that belong together; a model's suites may lie in several files.

    Raises `FaultyFileError` with all rows that say nothing or contradict another, and `UsageError`
    for a column that does not exist, and for several files without a source.
    """
    for name in options.columns:
        check_choice("a column", name, NAMES)
    reading = _Reading(options)
    tables = [read_table(path, reading.faults) for path in paths]
    runs = ItemRuns()
    for table in tables:
        found = [*_rows(table, reading)]
        reading.faults += runs.add(found)
    notes = runs.filled()
    raise_faults(reading.faults)
    steps = left_out(reading.unused)
    source = source_of(options, paths)
    origin = Origin(source=source, format=ITEMS.name, files=hashes(tables), steps=tuple(steps))
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
            circuit=facts.of("circuit", suite) or published_circuit(suite),
            membership=_membership(model, reading),
        ),
        _model_facts(model, facts),
        _suite_facts(suite, facts, options, chance_told(key, run, rule, facts.of)),
    )


def _rows(table: ResultTable, reading: _Reading) -> Iterator[ItemRow]:
    options, names = reading.options, _names(reading.options)
    needed = _needed(options)
    required = list(dict.fromkeys([*needed, *options.columns]))
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
        modifier_of=(base if base != suite else "") or published_without_modifier(suite),
        group=facts.of("group", suite),
        complexity=float(complexity) if complexity else None,
        chance=chance if options.chance is None else options.chance,
    )


def _is_like(head: str, options: ImportOptions) -> bool:
    header = set(head_rows(head)[0])
    names = _names(options)
    return all(header.intersection(names[column]) for column in _needed(options))


ITEMS = ResultFormat(
    name="items",
    title="a row an item, as pommel's own predictions.csv",
    is_like=_is_like,
    read=read_items,
    takes=frozenset({"model", "suite", "language", "score_rule", "columns", "chance"}),
)
