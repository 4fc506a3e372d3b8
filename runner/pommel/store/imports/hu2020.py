"""Per-item results of Hu et al. (2020), with the procedure of the code that came with the paper.

CSV files with the columns `model,suite,item,correct`. A model is NAME_CORPUS_SEED, with an empty
corpus where a model was used as it was published. Items count from 0, in the suites and here from
1. Of suites with two predictions there is one result, that of the first: the score rule is "first",
and so is what holds by chance (`PublishedSuite.chance`).

What the paper's code does before it averages, in this order:

1. runs of gpt-2 on the corpora bllip-lg-gptbpe and bllip-md-gptbpe whose seed is below
   1,600,000,000 are dropped;
2. suites whose names begin with gardenpath or nn-nv are dropped: 33 suites are left;
3. the models 1gram and ngram-no-rand are dropped;
4. ngram, which decides ties by chance, is one model a corpus, not one a seed: an item holds where
   more than half of the seeds say so.

Source: Hu et al. (2020), "A systematic assessment of syntactic generalization in neural language
models", and the notebook in cpllab/syntactic-generalization.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pommel.errors import Fault, counted, quoted
from pommel.models import Membership
from pommel.scoring import ModelFacts, RunRecord, SuiteFacts
from pommel.store.imports.items import (
    ItemRow,
    ItemRuns,
    Key,
    RunKey,
    found_columns,
    left_out,
    suite_result,
    unused_columns,
)
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    ResultFormat,
    ResultTable,
    hashes,
    head_rows,
    raise_faults,
    read_table,
    truth_of,
    whole_of,
)
from pommel.suite import PublishedSuite

_COLUMNS = ("model", "suite", "item", "correct")
_MODEL = re.compile(r"(?P<name>.+)_(?P<corpus>[^_]*)_(?P<seed>[0-9]+)")
_DROPPED_SUITES = re.compile(r"gardenpath|nn-nv")
_DROPPED_MODELS = frozenset({"1gram", "ngram-no-rand"})
_RERUN = ("gpt-2", frozenset({"bllip-lg-gptbpe", "bllip-md-gptbpe"}))
_FIRST_KEPT_SEED = 1_600_000_000
_VOTERS = "ngram"

Runs = dict[RunKey, dict[Key, ItemRow]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """What a model's name says of it."""

    name: str
    corpus: str
    seed: str

    @property
    def is_replaced(self) -> bool:
        """Whether there are later runs that count in its place."""
        name, corpora = _RERUN
        return self.name == name and self.corpus in corpora and int(self.seed) < _FIRST_KEPT_SEED


def read_hu2020(paths: Sequence[Path], options: ImportOptions) -> Imported:
    """Read files that belong together: those of all seeds of ngram, to begin with.

    `options.keep_all` leaves out the procedure. Raises `FaultyFileError` with every row that is no
    result, or differs from another of the same item, and seeds of ngram without the same items.
    """
    faults: list[Fault] = []
    unused: list[str] = []
    tables = [read_table(path, faults) for path in paths]
    runs = ItemRuns()
    models: dict[str, _Model] = {}
    for table in tables:
        found = [*_rows(table, models, unused, faults)]
        faults += runs.add(found)
    kept = dict(runs.runs)
    steps = left_out(unused)
    if not options.keep_all:
        kept = _dropped(kept, models, steps)
        kept, models = _voted(kept, models, steps, faults)
    raise_faults(faults)
    source = options.source or HU2020.name
    origin = Origin(source=source, format=HU2020.name, files=hashes(tables), steps=tuple(steps))
    notes = [*steps, *ItemRuns(runs=kept).uneven(), *runs.repeated()]
    return Imported(records=_records(kept, models, origin), notes=tuple(notes))


def _records(runs: Runs, models: Mapping[str, _Model], origin: Origin) -> tuple[RunRecord, ...]:
    """Return the records of runs, with what the paper says of their suites."""
    families = _memberships({model: models[model] for model, _ in runs})
    return origin.records(
        (
            suite_result(
                run,
                score_rule="first",
                circuit=PublishedSuite(suite).circuit,
                membership=families[model],
            ),
            ModelFacts(),
            SuiteFacts(
                language="en",
                modifier_of=PublishedSuite(suite).without_modifier,
                chance=PublishedSuite(suite).chance,
            ),
        )
        for (model, suite), run in runs.items()
    )


def _rows(
    table: ResultTable, models: dict[str, _Model], unused: list[str], faults: list[Fault]
) -> Iterator[ItemRow]:
    columns = found_columns(table, {name: (name,) for name in _COLUMNS}, _COLUMNS, faults)
    if len(columns) < len(_COLUMNS):
        return
    unused += unused_columns(table, columns.values())
    at_model, at_suite, at_item, at_result = (columns[name] for name in _COLUMNS)
    for row in table.rows:
        model, suite = row.fields[at_model], row.fields[at_suite]
        item, result = whole_of(row.fields[at_item]), truth_of(row.fields[at_result])
        if model not in models:
            if found := _MODEL.fullmatch(model):
                models[model] = _Model(**found.groupdict())
            else:
                hint = "write NAME_CORPUS_SEED, such as rnng_bllip-lg_0111 or grnn__0"
                message = f"{quoted(model)} names no model and seed"
                faults.append(table.fault(row, at_model, message, hint))
                continue
        if item is None:
            message = f"{quoted(row.fields[at_item])} is no number of an item"
            faults.append(table.fault(row, at_item, message, "items are counted from 0"))
        elif result is None:
            message = f"{quoted(row.fields[at_result])} is neither True nor False"
            faults.append(table.fault(row, at_result, message, "write one of the two"))
        else:
            yield ItemRow(
                model=model,
                suite=suite,
                item=item + 1,
                prediction=0,
                result=result,
                table=table,
                row=row,
            )


def _dropped(runs: Runs, models: Mapping[str, _Model], steps: list[str]) -> Runs:
    """Return the runs that the first three steps leave, and say what they drop."""
    replaced = {model for model, said in models.items() if said.is_replaced}
    kept, dropped = _parted(runs, lambda model, _: model in replaced)
    if dropped:
        seeds = counted(len({model for model, _ in dropped}), "seed")
        corpora = " and ".join(sorted({models[model].corpus for model, _ in dropped}))
        steps.append(
            f"dropped {_n_rows(dropped)} of {seeds} of {_RERUN[0]} on {corpora}: they are below "
            f"{_FIRST_KEPT_SEED:,}"
        )
    kept, dropped = _parted(kept, lambda _, suite: _DROPPED_SUITES.match(suite) is not None)
    if dropped:
        names = ", ".join(sorted({suite for _, suite in dropped}))
        steps.append(f"dropped {_n_rows(dropped)} of the suites that do not count: {names}")
    kept, dropped = _parted(kept, lambda model, _: models[model].name in _DROPPED_MODELS)
    if dropped:
        names = ", ".join(sorted({models[model].name for model, _ in dropped}))
        steps.append(f"dropped {_n_rows(dropped)} of the models that do not count: {names}")
    return kept


def _parted(runs: Runs, is_dropped: Callable[[str, str], bool]) -> tuple[Runs, Runs]:
    dropped = {key: run for key, run in runs.items() if is_dropped(*key)}
    return {key: run for key, run in runs.items() if key not in dropped}, dropped


def _n_rows(runs: Runs) -> str:
    number = sum(map(len, runs.values()))
    return f"{number:,} {'row' if number == 1 else 'rows'}"


def _voted(
    runs: Runs, models: Mapping[str, _Model], steps: list[str], faults: list[Fault]
) -> tuple[Runs, dict[str, _Model]]:
    """Return the runs with one model a corpus for ngram, and what all models are."""
    votes: dict[tuple[str, str], list[dict[Key, ItemRow]]] = {}
    kept: Runs = {}
    for (model, suite), run in runs.items():
        if models[model].name == _VOTERS:
            votes.setdefault((models[model].corpus, suite), []).append(run)
        else:
            kept[model, suite] = run
    known = dict(models)
    n_voters: dict[str, int] = {}
    for (corpus, suite), voters in votes.items():
        model = f"{_VOTERS}_{corpus}"
        known[model] = _Model(name=_VOTERS, corpus=corpus, seed="")
        n_voters[corpus] = max(len(voters), n_voters.get(corpus, 0))
        different = [run for run in voters if run.keys() != voters[0].keys()]
        faults += (_no_voter(run, voters[0]) for run in different)
        if not different:
            kept[model, suite] = {key: _majority(model, key, voters) for key in voters[0]}
    for corpus, number in sorted(n_voters.items()):
        steps.append(f"{_VOTERS}_{corpus}: what more than half of {number} seeds say of an item")
    return kept, known


def _majority(model: str, key: Key, voters: Sequence[Mapping[Key, ItemRow]]) -> ItemRow:
    n_true = sum(run[key].result is True for run in voters)
    return replace(voters[0][key], model=model, result=2 * n_true > len(voters))


def _no_voter(run: Mapping[Key, ItemRow], first: Mapping[Key, ItemRow]) -> Fault:
    row, other = next(iter(run.values())), next(iter(first.values()))
    message = f"{row.model} has other items of {row.suite} than {other.model}"
    return row.fault(message, "seeds that vote have the same items; add the missing rows")


def _memberships(models: Mapping[str, _Model]) -> dict[str, Membership]:
    """Return which member of its family each model is.

    Members differ in their "seed" where nothing else tells them apart, not where they were trained
    on several corpora.
    """
    families: dict[str, list[_Model]] = {}
    for said in models.values():
        families.setdefault(said.name, []).append(said)
    are_seeds = {
        name: len(own) > 1 and len({said.corpus for said in own}) == 1
        for name, own in families.items()
    }
    return {
        model: _membership(said, is_seed=are_seeds[said.name]) for model, said in models.items()
    }


def _membership(said: _Model, *, is_seed: bool) -> Membership:
    label = "_".join(filter(None, (said.corpus, said.seed)))
    return Membership(
        family=said.name,
        axis="seed" if is_seed else "member",
        label=said.seed if is_seed else label,
        value=float(said.seed) if is_seed else None,
    )


def _is_like(head: str, _: ImportOptions) -> bool:
    header, first = head_rows(head)
    if header != _COLUMNS or len(first) != len(_COLUMNS):
        return False
    model, suite, item = first[:3]
    is_theirs = PublishedSuite(suite).circuit or _DROPPED_SUITES.match(suite)
    return item == "0" and _MODEL.fullmatch(model) is not None and bool(is_theirs)


HU2020 = ResultFormat(
    name="hu2020",
    title="per-item results of Hu et al. (2020)",
    is_like=_is_like,
    read=read_hu2020,
    takes=frozenset({"keep_all"}),
)
