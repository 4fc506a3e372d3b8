"""Results of Goldberg's (2019) `bert-syntax`: lines of True and False, with both forms' logits.

The two forms are words of one softmax, so that the difference of their logits is the logarithm of
how much more probable one is: the margin in bits is that difference over ln 2.

With attractors there is one suite, or one for each number of intervening nouns, which is its
complexity. What was skipped, since BERT has no such word, is a skipped item: items have the numbers
that they have among all sentences, in all models' files. Marvin & Linzen's sentences are a suite
a case.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pommel.errors import Fault, SuiteError, UsageError, counted
from pommel.files.text import DecodedText
from pommel.scoring.results import PredictionResult, SuiteResult
from pommel.scoring.run_record import ModelFacts, SuiteFacts
from pommel.sources.formats.bert_syntax import BertResult
from pommel.statistics import CHANCE
from pommel.store.imports.result_format import (
    Imported,
    ImportOptions,
    Origin,
    Result,
    ResultFormat,
)

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
