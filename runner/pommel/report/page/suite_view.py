"""A suite's section of the report, as its template takes it: curves, predictions, items."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pommel.report.page.charts import Chart, curves
from pommel.report.page.predictions import (
    FailureRow,
    PredictionRow,
    PredictionText,
    failure_rows,
    prediction_table,
    prediction_texts,
    verdict_rows,
)
from pommel.report.page.scores import AllAccuracies, bits_text
from pommel.report.page.sections import Packed, ReportModel, Section, packed
from pommel.scoring import PredictionResult, Run, SuiteResult
from pommel.suite import Condition

_RIGHT_TO_LEFT = frozenset(
    ["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]
)
_RIGHT_TO_LEFT_SCRIPTS = frozenset(["arab", "hebr", "syrc", "thaa", "nkoo"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a sentence; `region` is the number of one that counts, None for the others."""

    text: str
    region: int | None = None


def pieces(condition: Condition, joiner: str, marked: Sequence[int]) -> Iterator[Piece]:
    """Yield a sentence in pieces; what joins two regions is a piece by itself.

    A marked region without text is a piece without text.
    """
    sentence = condition.sentence(joiner)
    if condition.context:
        yield Piece(text=condition.context)
    for region, (start, end) in zip(condition.regions, sentence.spans, strict=True):
        joining = end - start - len(region.text)
        if joining:
            yield Piece(text=sentence.text[start : start + joining])
        is_marked = region.number in marked
        if region.text or is_marked:
            yield Piece(text=region.text, region=region.number if is_marked else None)


def direction(language: str) -> str:
    """Return "rtl" for languages written from right to left, "auto" where the text decides."""
    subtags = language.lower().replace("_", "-").split("-")
    is_rtl = subtags[0] in _RIGHT_TO_LEFT or not _RIGHT_TO_LEFT_SCRIPTS.isdisjoint(subtags[1:])
    return "rtl" if is_rtl else "auto"


UNSCORED, UNKNOWN = "†", "‡"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceRow:
    """A condition's sentence, and for each model the surprisals that count in it."""

    condition: str
    pieces: tuple[Piece, ...]
    is_whole: bool
    gloss: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a prediction came to; `kind` is "h" (holds), "f" (fails), "s" (skipped), or ""."""

    text: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRows:
    """An item: its sentences, none where they are not known, and what predictions came to.

    `verdicts` have one for each model, by the number of the prediction.
    """

    number: int
    sentences: tuple[SentenceRow, ...]
    verdicts: Mapping[int, Sequence[Verdict]]


def item_table(section: Section) -> tuple[list[str], list[ItemRows]]:
    """Return the models with results by item, and the items of a suite, in its order.

    There are no items where results were published without them.
    """
    records = section.records.items()
    results = {label: each.result for label, each in records if each.result.predictions}
    known = [_verdicts(result) for result in results.values()]
    ids = sorted({each.prediction_id for result in results.values() for each in result.predictions})
    suite = section.suite
    # The suite's items in its order, behind them those that only results have.
    numbers = [item.number for item in suite.items] if suite else []
    numbers += [number for result in results.values() for number in result.item_numbers]
    labels = list(results)
    rows = [
        ItemRows(
            number=number,
            sentences=tuple(_sentence_rows(section, labels, number)),
            verdicts={each: [own.get((each, number), Verdict()) for own in known] for each in ids},
        )
        for number in dict.fromkeys(numbers)
    ]
    return labels, rows if labels else []


def _sentence_rows(section: Section, labels: Sequence[str], number: int) -> Iterator[SentenceRow]:
    suite = section.suite
    found = suite and next((each for each in suite.items if each.number == number), None)
    if not suite or not found:
        return
    i = suite.items.index(found)
    for c, name in enumerate(suite.condition_names):
        condition = found.condition(name)
        looked_at = {
            reference.region
            for prediction in suite.predictions
            for reference in prediction.formula.references
            if reference.condition == name
        }
        is_whole, regions = None in looked_at, sorted(r for r in looked_at if r is not None)
        cells = (
            _surprisals(section.runs.get(label), (i, c), regions, is_whole=is_whole)
            for label in labels
        )
        yield SentenceRow(
            condition=name,
            pieces=tuple(pieces(condition, suite.joiner, regions)),
            is_whole=is_whole,
            gloss=_gloss(condition.as_written.get("gloss")),
            cells=tuple(cells),
        )


def _surprisals(
    run: Run | None, sentence: tuple[int, int], regions: Sequence[int], *, is_whole: bool
) -> str:
    """Return the metric of what counts in a sentence; "3: 1.20" where several regions do."""
    if run is None:
        return ""
    table, metric = run.surprisals.table, run.surprisals.suite.metrics[0]
    is_several = len(regions) + is_whole > 1
    shown = []
    for number in regions:
        cell = (*sentence, table.region_numbers.index(number))
        marks = UNSCORED * bool(table.n_unscored[cell] > 0) + UNKNOWN * (cell in table.oovs)
        name = f"{number}: " if is_several else ""
        bits = math.nan if table.swallowed[cell] else float(table.values[metric][cell])
        shown.append(f"{name}{bits_text(bits)}{marks}")
    if is_whole:
        name = "all: " if is_several else ""
        shown.append(f"{name}{bits_text(float(table.whole[metric][sentence]))}")
    return " ".join(shown)


def _gloss(gloss: object) -> str:
    return " ".join(map(str, gloss)) if isinstance(gloss, list) else str(gloss or "")


def _verdicts(result: SuiteResult) -> dict[tuple[int, int], Verdict]:
    """Return what each prediction came to in each item, by their numbers."""
    return {
        (each.prediction_id, number): _verdict(each, place)
        for each in result.predictions
        for place, number in enumerate(result.item_numbers)
    }


def _verdict(prediction: PredictionResult, place: int) -> Verdict:
    if prediction.skipped[place]:
        return Verdict(text="skipped", kind="s")
    margin = float(prediction.margin_bits[place])
    holds = bool(prediction.holds[place])
    marks = UNSCORED * bool(prediction.unscored[place]) + UNKNOWN * bool(prediction.oov[place])
    words = [
        "✓" if holds else "✗",
        "" if math.isnan(margin) else bits_text(margin, sign="+") + marks,
        "tie" if prediction.tie[place] else "",
        "" if prediction.defined[place] else "no value",
    ]
    return Verdict(text=" ".join(filter(None, words)), kind="h" if holds else "f")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteView:
    """A section: `number` counts the suites of the report, and is part of its anchors.

    `verdicts` are packed rows of what predictions came to, from which the page sorts and makes CSV.
    """

    number: int
    section: Section
    metric: str
    texts: Sequence[PredictionText]
    predictions: Sequence[PredictionRow]
    chart: Chart
    failures: Sequence[FailureRow]
    labels: Sequence[str]
    items: Sequence[ItemRows]
    notes: Sequence[str]
    verdicts: Packed


def suite_view(
    number: int, section: Section, models: Sequence[ReportModel], found: AllAccuracies
) -> SuiteView:
    """Return a suite's section."""
    suite, (labels, items) = section.suite, item_table(section)
    return SuiteView(
        number=number,
        section=section,
        metric=suite.metrics[0] if suite else "",
        texts=prediction_texts(section),
        predictions=prediction_table(section, models, found),
        chart=curves(f"curves-{number}", section),
        failures=failure_rows(section),
        labels=labels,
        items=items,
        notes=[note for run in section.runs.values() for note in run.notes()],
        verdicts=packed([*verdict_rows(section)]),
    )
