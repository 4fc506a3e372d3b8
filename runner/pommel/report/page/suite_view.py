"""A suite's section of the report, as its template takes it: curves, predictions, items."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pommel.analysis import Accuracy
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
from pommel.report.page.sections import ReportModel, Section, packed
from pommel.scoring import PredictionResult, Run, SuiteResult
from pommel.suite import Condition, Suite

_RIGHT_TO_LEFT = frozenset(
    ["ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi"]
)
_RIGHT_TO_LEFT_SCRIPTS = frozenset(["arab", "hebr", "syrc", "thaa", "nkoo"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A piece of a sentence; `region` is the number of one that counts, None for the others."""

    text: str
    region: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What predictions look at in a condition: regions, and maybe the whole sentence."""

    regions: tuple[int, ...]
    is_whole: bool


def compared(suite: Suite) -> Mapping[str, Compared]:
    """Return what predictions look at, by condition; regions in ascending order."""
    found: dict[str, set[int | None]] = {name: set() for name in suite.condition_names}
    for prediction in suite.predictions:
        for reference in prediction.formula.references:
            found[reference.condition].add(reference.region)
    return {
        name: Compared(
            regions=tuple(sorted(number for number in regions if number is not None)),
            is_whole=None in regions,
        )
        for name, regions in found.items()
    }


def pieces(condition: Condition, joiner: str, marked: tuple[int, ...]) -> Iterator[Piece]:
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
class VerdictRow:
    """A prediction's verdict and margin in an item, for each model."""

    prediction_id: int
    cells: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRows:
    """An item: its sentences, none where they are not known, and what predictions came to."""

    number: int
    sentences: tuple[SentenceRow, ...]
    verdicts: tuple[VerdictRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTable:
    """The items of a suite, in its order; the columns are the models with results by item."""

    labels: tuple[str, ...]
    items: tuple[ItemRows, ...]


def item_table(section: Section) -> ItemTable:
    """Return the table; without items where results were published without them."""
    results = {
        label: record.result
        for label, record in section.records.items()
        if record.result.predictions
    }
    labels = tuple(results)
    verdicts = [_Verdicts.of(result) for result in results.values()]
    rows = [
        ItemRows(
            number=number,
            sentences=tuple(_sentence_rows(section, labels, number)),
            verdicts=tuple(
                VerdictRow(
                    prediction_id=prediction_id,
                    cells=tuple(each.verdict(prediction_id, number) for each in verdicts),
                )
                for prediction_id in _prediction_ids(results.values())
            ),
        )
        for number in _item_numbers(section, results.values())
    ]
    return ItemTable(labels=labels, items=tuple(rows) if labels else ())


def _sentence_rows(section: Section, labels: Sequence[str], number: int) -> Iterator[SentenceRow]:
    suite = section.suite
    found = suite and next((each for each in suite.items if each.number == number), None)
    if not suite or not found:
        return
    looked_at = compared(suite)
    i = suite.items.index(found)
    for c, name in enumerate(suite.condition_names):
        condition, of_it = found.condition(name), looked_at[name]
        cells = (_surprisals(section.runs.get(label), i, c, of_it) for label in labels)
        yield SentenceRow(
            condition=name,
            pieces=tuple(pieces(condition, suite.joiner, of_it.regions)),
            is_whole=of_it.is_whole,
            gloss=_gloss(condition.as_written.get("gloss")),
            cells=tuple(cells),
        )


def _surprisals(run: Run | None, i: int, c: int, of_it: Compared) -> str:
    """Return the metric of what counts in a sentence; "3: 1.20" where several regions do."""
    if run is None:
        return ""
    table, metric = run.surprisals.table, run.surprisals.suite.metrics[0]
    is_several = len(of_it.regions) + of_it.is_whole > 1
    shown = []
    for number in of_it.regions:
        cell = (i, c, table.region_numbers.index(number))
        marks = UNSCORED * bool(table.n_unscored[cell] > 0) + UNKNOWN * (cell in table.oovs)
        name = f"{number}: " if is_several else ""
        bits = math.nan if table.swallowed[cell] else float(table.values[metric][cell])
        shown.append(f"{name}{bits_text(bits)}{marks}")
    if of_it.is_whole:
        name = "all: " if is_several else ""
        shown.append(f"{name}{bits_text(float(table.whole[metric][i, c]))}")
    return " ".join(shown)


def _gloss(gloss: object) -> str:
    return " ".join(map(str, gloss)) if isinstance(gloss, list) else str(gloss or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdicts:
    """A model's predictions by their ids, and where its items stand."""

    predictions: Mapping[int, PredictionResult]
    places: Mapping[int, int]

    @classmethod
    def of(cls, result: SuiteResult) -> "_Verdicts":
        return cls(
            predictions={each.prediction_id: each for each in result.predictions},
            places={number: place for place, number in enumerate(result.item_numbers)},
        )

    def verdict(self, prediction_id: int, number: int) -> Verdict:
        prediction, place = self.predictions.get(prediction_id), self.places.get(number)
        if prediction is None or place is None:
            return Verdict()
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


def _prediction_ids(results: Iterable[SuiteResult]) -> list[int]:
    return sorted({each.prediction_id for result in results for each in result.predictions})


def _item_numbers(section: Section, results: Iterable[SuiteResult]) -> list[int]:
    """Return the suite's items in its order, behind them those that only results have."""
    suite = section.suite
    own = [item.number for item in suite.items] if suite else []
    return list(
        dict.fromkeys([*own, *(number for each in results for number in each.item_numbers)])
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteView:
    """A section: `number` counts the suites of the report, and is part of its anchors.

    `verdicts` are packed rows of what predictions came to, from which the page sorts and makes CSV.
    """

    number: int
    section: Section
    metric: str
    texts: tuple[PredictionText, ...]
    counts: tuple[str, ...]
    predictions: tuple[PredictionRow, ...]
    chart: Chart
    failures: tuple[FailureRow, ...]
    items: ItemTable
    notes: tuple[str, ...]
    verdicts: dict[str, Any]


def suite_view(
    number: int, section: Section, models: Sequence[ReportModel], found: AllAccuracies
) -> SuiteView:
    """Return a suite's section."""
    suite = section.suite
    return SuiteView(
        number=number,
        section=section,
        metric=suite.metrics[0] if suite else "",
        texts=tuple(prediction_texts(section)),
        counts=Accuracy.COUNTS,
        predictions=tuple(prediction_table(section, models, found)),
        chart=curves(f"curves-{number}", section),
        failures=tuple(failure_rows(section)),
        items=item_table(section),
        notes=tuple(note for run in section.runs.values() for note in run.notes()),
        verdicts=packed([*verdict_rows(section)]),
    )
