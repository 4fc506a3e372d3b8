"""Result files of single papers: bert-syntax (Goldberg 2019), BLiMP's accuracies, CLAMS."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pommel.errors import Fault, SuiteError, UsageError, counted, quoted
from pommel.files import DecodedText
from pommel.scoring import ModelFacts, PredictionResult, SuiteFacts, SuiteResult
from pommel.sources import BertResult, JsonLine
from pommel.statistics import CHANCE
from pommel.store.imports.items import found_columns, left_out, unused_columns
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    Result,
    ResultFormat,
    ResultTable,
    hashes,
    head_rows,
    number_of,
    raise_faults,
    read_table,
    whole_of,
)
from pommel.store.imports.shares import (
    Counts,
    ShareCell,
    SharesSeen,
    check_models,
    decimals_of,
    most_decimals,
    reported_result,
    share_cells,
    share_fault,
)

# Results of Goldberg's (2019) `bert-syntax`: lines of True and False, with both forms' logits. The
# two forms are words of one softmax, so that the difference of their logits is the logarithm of how
# much more probable one is: the margin in bits is that difference over ln 2. With attractors there
# is one suite, or one for each number of intervening nouns, which is its complexity. What was
# skipped, since BERT has no such word, is a skipped item: items have the numbers that they have
# among all sentences, in all models' files. Marvin & Linzen's sentences are a suite a case.

_SKIPPED = "skipping "


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """An item's number in its file; `correct` is None where it was skipped."""

    number: int
    correct: bool | None
    margin_bits: float
    case: str
    n_attractors: int | None

    @property
    def is_of_no_suite(self) -> bool:
        """Whether it belongs to no suite where there is one for each number of attractors."""
        return not self.case and self.n_attractors is None


def read_bert_syntax_results(paths: Sequence[Path], options: ImportOptions) -> Imported:
    """Read files of result lines, a model each.

    A model is called by its file unless `options.model` names it, the suite "bert-syntax" unless
    `options.suite` does. Raises `SuiteError` with every line that is no result, and `UsageError`
    where a name would stand for several files.
    """
    if options.model and len(paths) > 1:
        raise UsageError("--model names the model of one file; import the files one by one")
    files: list[tuple[str, str]] = []
    results: list[Result] = []
    notes: list[str] = []
    steps: tuple[str, ...] = ()
    faults: list[Fault] = []
    for path in paths:
        try:
            found = BertResult.read(path)
        except SuiteError as error:
            faults += error.faults
            continue
        items = [*_items(found)]
        model = options.model or path.stem
        files.append((path.name, DecodedText.read(path).sha256))
        n_skipped = sum(each.correct is None for each in items)
        notes.append(f"{model}: {counted(len(items), 'item')}, {n_skipped} of them skipped")
        results += _results(model, items, options)
        if options.by_attractors and any(each.is_of_no_suite for each in items):
            steps = ("of what was skipped nobody says how many nouns intervene; it is left out",)
    if faults:
        raise SuiteError(faults)
    source = options.source or "bert-syntax"
    origin = Origin(source=source, format=BERT_SYNTAX_RESULTS.name, files=files, steps=steps)
    return Imported(records=origin.records(results), notes=(*notes, *steps))


def _items(found: Sequence[BertResult]) -> Iterator[_Item]:
    number = 0
    for each in found:
        has_attractors = each.n_attractors is not None
        # Of Marvin & Linzen's, what was skipped follows nevertheless.
        for _ in range(_n_skipped(each.lines_before) if has_attractors else 0):
            number += 1
            yield _skipped(number)
        number += 1
        yield _Item(
            number=number,
            correct=each.correct,
            margin_bits=_margin_bits(*each.logits) if each.logits else math.nan,
            case=each.case,
            n_attractors=each.n_attractors,
        )
        for _ in range(_n_skipped(each.lines_after) if has_attractors else 0):
            number += 1
            yield _skipped(number)


def _skipped(number: int) -> _Item:
    return _Item(number=number, correct=None, margin_bits=math.nan, case="", n_attractors=None)


def _n_skipped(lines: Sequence[str]) -> int:
    return sum(line.startswith(_SKIPPED) for line in lines)


def _margin_bits(correct: float, wrong: float) -> float:
    return (correct - wrong) / math.log(2)


def _results(model: str, items: Sequence[_Item], options: ImportOptions) -> Iterator[Result]:
    name = options.suite or "bert-syntax"
    suites: dict[tuple[str, int | None], list[_Item]] = {}
    for each in items:
        if options.by_attractors and not each.case:
            if not each.is_of_no_suite:
                suite = f"{name}-{each.n_attractors}"
                suites.setdefault((suite, each.n_attractors), []).append(each)
        else:
            suites.setdefault((each.case or name, None), []).append(each)
    for (suite, complexity), own in sorted(suites.items(), key=lambda found: found[0][0]):
        yield (
            _suite_result(model, suite, own),
            ModelFacts(),
            SuiteFacts(
                language=options.language or "en",
                group=name if options.by_attractors else "",
                complexity=None if complexity is None else float(complexity),
                chance=CHANCE,
            ),
        )


def _suite_result(model: str, suite: str, items: Sequence[_Item]) -> SuiteResult:
    margins = np.array([each.margin_bits for each in items], dtype=np.float64)
    skipped = np.array([each.correct is None for each in items], dtype=np.bool_)
    no_item = np.zeros(len(items), dtype=np.bool_)
    prediction = PredictionResult(
        prediction_id=0,
        formula="",
        description="the correct form is more probable",
        holds=np.array([bool(each.correct) for each in items], dtype=np.bool_),
        margin_bits=margins,
        tie=margins == 0,
        defined=~no_item,
        swallowed=no_item,
        unscored=no_item,
        oov=no_item,
        skipped=skipped,
    )
    return SuiteResult(
        suite_name=suite,
        circuit="",
        model_name=model,
        score_rule="all",
        item_numbers=tuple(each.number for each in items),
        predictions=(prediction,),
    )


BERT_SYNTAX_RESULTS = ResultFormat(
    name="bert-syntax",
    title="what Goldberg's bert-syntax prints",
    is_like=lambda head, _: BertResult.is_like(head),
    read=read_bert_syntax_results,
    takes=frozenset({"model", "suite", "language", "by_attractors"}),
)


# Accuracies on BLiMP (Warstadt et al. 2020): those of models, and what people said. Of models
# there are JSON Lines with `UID`, `linguistics_term`, and a column a model; a paradigm has 1,000
# pairs. Of people there is a CSV with `Condition`, `total_mean` (the share of judgements that agree
# with the labels), `accepted` (in how many of five pairs most people agree) and `count` (of
# judgements). A paradigm's term is its circuit and its group.

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


def _is_summary(head: str, _: ImportOptions) -> bool:
    first = head.lstrip().partition("\n")[0]
    if first.startswith("{"):
        return f'"{_UID}"' in first and f'"{_TERM}"' in first and '"sentence_good"' not in first
    return set(_HUMAN_COLUMNS) <= set(head_rows(head)[0])


BLIMP_SUMMARY = ResultFormat(
    name="blimp-summary",
    title="accuracies on BLiMP (Warstadt et al. 2020)",
    is_like=_is_summary,
    read=read_blimp_summary,
    takes=frozenset({"n_items"}),
)


# Accuracies of Mueller et al. (2020) as a table: a row a language and model. The columns `lang`
# and `model`, then a construction each. `table` says which table of the paper a row is from: of the
# first, `mono` and `multi` are LSTMs of one language and of all five. A suite is a construction in
# a language (`fr-simple`), and the construction is its group.

_REQUIRED = ("lang", "model")
_OTHERS = ("table", *_REQUIRED)
# What the paper has computed from the other columns, and pommel computes again.
_AVERAGES = "published_average"
_NAMES = {"mono": "LSTM mono", "multi": "LSTM multi"}


def read_clams_table(paths: Sequence[Path], options: ImportOptions) -> Imported:
    """Read tables of shares, which are means over the five seeds of a model.

    Raises `FaultyFileError` with all cells that are no shares.
    """
    faults: list[Fault] = []
    tables = [read_table(path, faults) for path in paths]
    seen = SharesSeen()
    results = [result for each in tables for result in _language_results(each, seen, faults)]
    raise_faults(faults)
    steps = [
        f"left out the column {_AVERAGES}, which follows from the others"
        for each in tables
        if _AVERAGES in each.header
    ][:1]
    source = options.source or "clams"
    files = hashes(tables)
    origin = Origin(source=source, format=CLAMS_TABLE.name, files=files, steps=tuple(steps))
    return Imported(records=origin.records(results), notes=tuple(steps))


def _language_results(table: ResultTable, seen: SharesSeen, faults: list[Fault]) -> list[Result]:
    columns = found_columns(table, {name: (name,) for name in _REQUIRED}, _REQUIRED, faults)
    if len(columns) < len(_REQUIRED):
        return []

    def said(cell: ShareCell) -> tuple[str, str]:
        language, model = (cell.row.fields[columns[name]].strip() for name in _REQUIRED)
        return language, _NAMES.get(model, model)

    for row in table.rows:
        for name in _REQUIRED:
            if not row.fields[columns[name]].strip():
                message = f"this row has no {name}"
                faults.append(table.fault(row, columns[name], message, "write one"))
    cells = share_cells(table, (*_OTHERS, _AVERAGES), faults)
    # The sets of sentences are of different sizes, and no table has them.
    counts = Counts(None, {}, most_decimals(cells))
    known = [
        (cell, model, f"{lang}-{cell.column}") for cell in cells for lang, model in [said(cell)]
    ]
    return [
        (
            reported_result(said(cell)[1], f"{said(cell)[0]}-{cell.column}", score),
            ModelFacts(),
            SuiteFacts(language=said(cell)[0], group=cell.column, chance=CHANCE),
        )
        for cell, score in seen.scored(known, counts, faults)
    ]


def _is_clams(head: str, _: ImportOptions) -> bool:
    header = head_rows(head)[0]
    return header[:2] == _REQUIRED or header[:3] == _OTHERS


CLAMS_TABLE = ResultFormat(
    name="clams",
    title="accuracies of Mueller et al. (2020)",
    is_like=_is_clams,
    read=read_clams_table,
)
