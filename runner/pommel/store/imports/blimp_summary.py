"""Accuracies on BLiMP (Warstadt et al. 2020): those of models, and what people said.

Of models there are JSON Lines with `UID`, `linguistics_term`, and a column a model; a paradigm has
1,000 pairs. Of people there is a CSV with `Condition`, `total_mean` (the share of judgements that
agree with the labels), `accepted` (in how many of five pairs most people agree) and `count` (of
judgements). A paradigm's term is its circuit and its group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pommel.errors import Fault, counted, quoted
from pommel.files.text import DecodedText
from pommel.scoring.run_record import ModelFacts, SuiteFacts
from pommel.sources.formats.json_lines import JsonLine
from pommel.statistics import CHANCE
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    Result,
    ResultFormat,
)
from pommel.store.imports.result_tables import (
    ResultTable,
    head_rows,
    number_of,
    raise_faults,
    read_table,
    whole_of,
)
from pommel.store.imports.share_matrix import check_models
from pommel.store.imports.shares import Counts, decimals_of, reported_result, share_fault
from pommel.store.imports.table_columns import found_columns, left_out, unused_columns

_UID, _TERM = "UID", "linguistics_term"
_EXAMPLE = f'{{"{_UID}": "...", "{_TERM}": "...", "gpt2": 0.87}}'
# Rows that the file itself has computed: of a term, or of all.
_MEAN_UID = "overall"
_N_PAIRS = 1_000
_HUMAN_COLUMNS = ("Condition", "accepted", "total_mean")
# Judgements are not what is counted.
_N_JUDGEMENTS = "count"
_HUMAN = "human"
# Of five pairs, most people have to agree with the labels of so many (Warstadt et al. 2020, 3.3).
_FEWEST_ACCEPTED = 4


@dataclass(slots=True)
class _Reading:
    """What the files of one import say together: terms by paradigm, what was left out, faults."""

    terms: dict[str, str] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def read_blimp_summary(paths: Sequence[Path], options: ImportOptions) -> Imported:
    """Read summaries: of models, of people, or both; terms of paradigms come from those of models.

    Raises `FaultyFileError` with all that is no share, and paradigms that stand there twice;
    `UsageError` for a model of `options.n_items_of` that there is not.
    """
    reading = _Reading()
    files: list[tuple[str, str]] = []
    results: list[Result] = []
    tables = []
    for path in paths:
        read = DecodedText.read(path)
        files.append((path.name, read.sha256))
        if read.text.lstrip().startswith("{"):
            results += _of_models(path, read.text, options, reading)
        else:
            tables.append(read_table(path, reading.faults))
    models = dict.fromkeys(result.model_name for result, _, _ in results)
    for table in tables:
        results += _of_people(table, reading)
    raise_faults(reading.faults)
    check_models(options.n_items_of, models)
    steps = (*reading.steps, *left_out(reading.unused))
    source = options.source or "blimp"
    origin = Origin(source=source, format=BLIMP_SUMMARY.name, files=files, steps=steps)
    return Imported(records=origin.records(results), notes=steps)


def _of_models(path: Path, text: str, options: ImportOptions, reading: _Reading) -> list[Result]:
    every, faults = JsonLine.parse(text, file=str(path), example=_EXAMPLE)
    reading.faults += faults
    lines = [line for line in every if line.value.get(_UID) != _MEAN_UID]
    if n_means := len(every) - len(lines):
        means = counted(n_means, "row")
        reading.steps.append(f"left out {means} of means, which follow from the others")
    seen: dict[str, int] = {}
    rows = [
        (line, found)
        for line in lines
        if (found := _shares(line, seen, reading.faults)) is not None
    ]
    texts = [str(getattr(share, "text", share)) for _, found in rows for share in found.values()]
    counts = Counts.of(options, max(map(decimals_of, texts), default=0), usual=_N_PAIRS)
    results: list[Result] = []
    for line, found in rows:
        uid, term = line.value[_UID], line.value[_TERM]
        reading.terms[uid] = term
        for model, share in found.items():
            try:
                score = counts.score(model, share)
            except ValueError as error:
                hint = "say with --items how many pairs there are"
                reading.faults.append(line.fault((model,), str(error), hint))
                continue
            result = reported_result(model, uid, score, circuit=term)
            results.append((result, ModelFacts(), _suite_facts(term)))
    return results


def _shares(
    line: JsonLine, seen: dict[str, int], faults: list[Fault]
) -> Mapping[str, float] | None:
    """Return the shares of a line by model; None if it is none, which is added to `faults`."""
    before = len(faults)
    faults += [
        line.fault((key,) if key in line.value else (), f"there is no {key}", f"write {_EXAMPLE}")
        for key in (_UID, _TERM)
        if not isinstance(line.value.get(key), str) or not line.value[key]
    ]
    uid = line.value.get(_UID)
    if isinstance(uid, str) and seen.setdefault(uid, line.number) != line.number:
        message = f"{quoted(uid)} stands in line {seen[uid]} already"
        faults.append(line.fault((_UID,), message, "remove one of the two"))
    shares = {}
    for model, value in line.value.items():
        if model in (_UID, _TERM):
            continue
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if wrong := share_fault(float(value) if is_number else None):
            faults.append(line.fault((model,), f"the share of {model} {wrong[0]}", wrong[1]))
        else:
            shares[model] = value
    return shares if len(faults) == before else None


def _of_people(table: ResultTable, reading: _Reading) -> list[Result]:
    faults = reading.faults
    columns = found_columns(
        table, {name: (name,) for name in _HUMAN_COLUMNS}, _HUMAN_COLUMNS, faults
    )
    if len(columns) < len(_HUMAN_COLUMNS):
        return []
    at_name, at_accepted, at_mean = (columns[name] for name in _HUMAN_COLUMNS)
    others = unused_columns(table, columns.values())
    reading.unused += (name for name in others if name != _N_JUDGEMENTS)
    results: list[Result] = []
    dropped = []
    seen: dict[str, int] = {}
    for row in table.rows:
        uid, mean = row.fields[at_name], number_of(row.fields[at_mean])
        accepted = whole_of(row.fields[at_accepted])
        if seen.setdefault(uid, row.line) != row.line:
            message = f"{quoted(uid)} stands in line {seen[uid]} already"
            faults.append(table.fault(row, at_name, message, "remove one of the two"))
        if accepted is None:
            message = f"{quoted(row.fields[at_accepted])} is no number of pairs"
            faults.append(table.fault(row, at_accepted, message, "write one from 0 to 5"))
        elif accepted < _FEWEST_ACCEPTED:
            dropped.append(uid)
        elif wrong := share_fault(mean):
            message = f"{quoted(row.fields[at_mean])} {wrong[0]}"
            faults.append(table.fault(row, at_mean, message, wrong[1]))
        elif mean is not None:
            # Judgements are no items: several people judge one pair.
            score = Counts(None, {}, 0).score(_HUMAN, mean)
            term = reading.terms.get(uid, "")
            result = reported_result(_HUMAN, uid, score, circuit=term)
            results.append((result, ModelFacts(), _suite_facts(term)))
    if dropped:
        reading.steps.append(
            f"left out {', '.join(dropped)}: most people agree with the labels of fewer than "
            f"{_FEWEST_ACCEPTED} pairs of five, and BLiMP is without them"
        )
    return results


def _suite_facts(term: str) -> SuiteFacts:
    return SuiteFacts(language="en", group=term, chance=CHANCE)


def _is_like(head: str, _: ImportOptions) -> bool:
    first = head.lstrip().partition("\n")[0]
    if first.startswith("{"):
        return f'"{_UID}"' in first and f'"{_TERM}"' in first and '"sentence_good"' not in first
    return set(_HUMAN_COLUMNS) <= set(head_rows(head)[0])


BLIMP_SUMMARY = ResultFormat(
    name="blimp-summary",
    title="accuracies on BLiMP (Warstadt et al. 2020)",
    is_like=_is_like,
    read=read_blimp_summary,
    takes=frozenset({"n_items"}),
)
