"""The pages of what models do: what each is asked with, and what it says, as plain values.

A page is a function of the shelf and of what was asked. Its answer is what its JSON has and what
its template shows, and both are described by their types (see `pommel.serve.app`).

A baseline is a model that is pinned: others are shown with how far they are from it. It goes from
page to page in the address.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from pommel.analysis import circuit_cell, grouped
from pommel.report import ListedRun, SuiteSheet
from pommel.scoring import RunRecord, SuiteSurprisals
from pommel.serve.shelf import (
    Catalog,
    NotShownError,
    Numbers,
    Scores,
    Shelf,
    ShownModel,
    ShownSuite,
    Tally,
    suite_key,
)
from pommel.serve.site import Download, Nothing
from pommel.sources import SuiteCard
from pommel.statistics import mean_score
from pommel.store import Store
from pommel.suite import Suite
from pommel.values import frozen

# Rows of a page.
_SHOWN = 50
# Models whose tokens an item's page shows.
MOST_MODELS = 4
# Models that a form offers to choose from; of more, a name is written.
_MOST_OFFERED = 100
# Suites that the first page names of a circuit.
_MOST_NAMED = 6
# Tokens are shaded in so many steps, of so many bits each.
_SHADES, _BITS_OF_SHADE = 9, 2.0

PageNumber = Annotated[int, msgspec.Meta(ge=1, description="Which page, from 1.")]
Baseline = Annotated[
    str, msgspec.Meta(description="The model from which others are shown to differ; its label.")
]


T = TypeVar("T", bound=Sequence[Any] | Numbers)


def _paged(rows: T, number: int) -> tuple[T, int]:
    """Return the rows of a page, and how many pages there are."""
    first = (number - 1) * _SHOWN
    return rows[first : first + _SHOWN], max(1, math.ceil(len(rows) / _SHOWN))  # type: ignore[return-value]


def _sorted(rows: Numbers, by: NDArray[Any], *, down: bool) -> Numbers:
    """Return rows by what there is for each, those without a number last; else as they were."""
    values = np.asarray(by, dtype=np.float64)
    last = np.isnan(values)
    places = np.arange(len(rows))
    return rows[np.lexsort((places, np.where(last, 0, -values if down else values), last))]


def _ranks(texts: Sequence[str]) -> Numbers:
    """Return the places of texts in alphabetical order; the same for the same text."""
    numbers = {text: n for n, text in enumerate(sorted({*texts}, key=_in_alphabet))}
    return np.array([numbers[text] for text in texts], dtype=np.int64)


def _in_alphabet(text: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return what sorts texts as people do: step900 before step1000."""
    parts = _DIGITS.split(text.casefold())
    # Numbers by how long they are first; between them are texts, which are all alike in that.
    numbered = ((len(part.lstrip("0")) if n % 2 else 0, part) for n, part in enumerate(parts))
    return tuple(numbered), text


_DIGITS = re.compile("([0-9]+)")


def _has(part: str, texts: Iterable[str]) -> NDArray[np.bool_]:
    """Say of each text whether it has a part, in capitals or not."""
    folded = part.casefold()
    return np.array([folded in text.casefold() for text in texts], dtype=np.bool_)


# A row of `pommel runs list --format json`, and `suite_key`, which addresses its suite.
Row = Mapping[str, Any]


def _row(record: RunRecord) -> Row:
    key = suite_key(record.result.suite_name, record.suite)
    row = {**ListedRun(record).to_row(), "suite_key": key}
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }


@frozen
class SuiteLink:
    """A suite in a list of links."""

    key: str
    name: str
    n_models: int


@frozen
class CircuitRow:
    """A circuit in a language: how many suites it has, and the first of them."""

    circuit: str
    n_suites: int
    suites: list[SuiteLink]


@frozen
class Start:
    """What is in the store: the latest runs, and the suites by language and circuit.

    `offered` are the labels of all models, if they are few enough to choose from.
    """

    n_runs: int
    n_models: int
    n_suites: int
    n_families: int
    offered: list[str]
    latest: list[Row]
    suites: dict[str, list[CircuitRow]]


def start(shelf: Shelf, _asked: Nothing) -> Start:
    """What is in the store."""
    catalog = shelf.catalog()
    with shelf.opened() as store:
        index = catalog.index
        latest = _heads(store, catalog, index.by_age[::-1][:20])
    n_models = np.bincount(catalog.suite_of, minlength=len(catalog.suites)).tolist()
    every = sorted(
        catalog.suites,
        key=lambda each: (each.language, circuit_cell(each.circuit), _in_alphabet(each.name)),
    )
    return Start(
        n_runs=len(index.keys),
        n_models=len(catalog.models),
        n_suites=len(catalog.suites),
        n_families=len(catalog.families),
        offered=_offered(catalog),
        latest=latest,
        suites={
            language: [
                CircuitRow(
                    circuit=circuit,
                    n_suites=len(own),
                    suites=[
                        SuiteLink(key=each.key, name=each.name, n_models=n_models[each.number])
                        for each in own[:_MOST_NAMED]
                    ],
                )
                for circuit, own in grouped(of_it, lambda each: circuit_cell(each.circuit)).items()
            ]
            for language, of_it in grouped(every, lambda each: each.language).items()
        },
    )


def _offered(catalog: Catalog) -> list[str]:
    labels = [each.label for each in catalog.models]
    return labels if len(labels) <= _MOST_OFFERED else []


def _heads(store: Store, catalog: Catalog, rows: Numbers) -> list[Row]:
    """Return runs of the index as rows, in this order; those that are gone are left out."""
    keys = catalog.index.keys[rows].tolist()
    found = store.runs.at(keys)
    return [_row(found[key]) for key in keys if key in found]


Order = Literal["created", "model", "suite", "circuit", "language", "score"]


@frozen
class RunsAsked:
    """Which runs are listed: parts of names, and their order; "down" is from the last."""

    model: str = ""
    suite: str = ""
    circuit: str = ""
    language: str = ""
    order: Order = "created"
    down: bool = True
    page: PageNumber = 1


@frozen
class Runs:
    """A page of the list of runs, of all `n` that fit."""

    asked: RunsAsked
    rows: list[Row]
    n: int
    n_pages: int


def runs(shelf: Shelf, asked: RunsAsked) -> Runs:
    """The list of runs."""
    catalog = shelf.catalog()
    with shelf.opened() as store:
        index, places = catalog.index, catalog.index.places
        names = {
            "model": [each.result.model_name for each in index.ways],
            "suite": [each.suite_name for each in places],
            "circuit": [each.circuit for each in places],
            "language": [each.facts.language for each in places],
        }
        numbers = dict.fromkeys(names, index.place_of) | {"model": index.way_of}
        rows = index.by_age[::-1]
        for name, texts in names.items():
            if part := getattr(asked, name):
                rows = rows[_has(part, texts)[numbers[name][rows]]]
        if asked.order == "created":
            by: NDArray[Any] = index.ages[rows]
        elif asked.order == "score":
            by = index.scores[rows]
        else:
            by = _ranks(names[asked.order])[numbers[asked.order][rows]]
        on_page, n_pages = _paged(_sorted(rows, by, down=asked.down), asked.page)
        shown = _heads(store, catalog, on_page)
    return Runs(asked=asked, rows=shown, n=len(rows), n_pages=n_pages)


@frozen
class ModelRow:
    """A model over all suites; `score` is the mean of those of its suites.

    `difference` is that from the baseline, the mean over the `n_shared` suites that both have a
    score on; on `n_better` of them the model's is higher, on `n_worse` lower.
    """

    name: str
    family: str
    family_key: str
    n_suites: int
    score: float | None
    difference: float | None
    n_shared: int
    n_better: int
    n_worse: int


ModelOrder = Literal["name", "family", "suites", "score", "difference"]


@frozen
class ModelsAsked:
    """Which models are listed: parts of their names, and their order."""

    name: str = ""
    family: str = ""
    order: ModelOrder = "name"
    down: bool = False
    page: PageNumber = 1
    baseline: Baseline = ""


@frozen
class Models:
    """A page of the list of models, of all `n` that fit."""

    asked: ModelsAsked
    rows: list[ModelRow]
    n: int
    n_pages: int


def models(shelf: Shelf, asked: ModelsAsked) -> Models:
    """The list of models, over all suites."""
    catalog = shelf.catalog()
    every, numbers = catalog.models, catalog.model_of
    n_suites = np.bincount(numbers, minlength=len(every))
    means = _means(numbers, catalog.scores, len(every))
    base = catalog.by_suite(catalog.model(asked.baseline)) if asked.baseline else None
    far = catalog.scores - base[catalog.suite_of] if base is not None else catalog.scores * np.nan
    far_means = _means(numbers, far, len(every))
    counts = [
        np.bincount(numbers[which], minlength=len(every)).tolist()
        for which in (~np.isnan(far), far > _ROUNDING, far < -_ROUNDING)
    ]
    rows = np.flatnonzero(
        _has(asked.name, [each.label for each in every])
        & _has(asked.family, [each.family for each in every])
    )
    orders: Mapping[ModelOrder, NDArray[Any]] = {
        "name": _ranks([each.label for each in every]),
        "family": _ranks([each.family for each in every]),
        "suites": n_suites,
        "score": means,
        "difference": far_means,
    }
    rows = _sorted(rows, orders[asked.order][rows], down=asked.down)
    on_page, n_pages = _paged(rows, asked.page)
    return Models(
        asked=asked,
        rows=[
            ModelRow(
                name=every[n].label,
                family=every[n].family,
                family_key=every[n].family_key,
                n_suites=int(n_suites[n]),
                score=finite(means[n]),
                difference=finite(far_means[n]),
                n_shared=counts[0][n],
                n_better=counts[1][n],
                n_worse=counts[2][n],
            )
            for n in on_page.tolist()
        ],
        n=len(rows),
        n_pages=n_pages,
    )


# A share that differs by less is the same share.
_ROUNDING = 1e-12


def _means(numbers: Numbers, values: Scores, n: int) -> Scores:
    """Return the mean of the values of each number, without those that are NaN; NaN for none."""
    known = ~np.isnan(values)
    sums = np.bincount(numbers[known], weights=values[known], minlength=n)
    counts = np.bincount(numbers[known], minlength=n)
    found = np.full(n, np.nan)
    np.divide(sums, counts, out=found, where=counts > 0)
    return found


@frozen
class SuiteRow:
    """A suite in a list: how many models have run on it, the mean and the best of their scores.

    `score` is that of the model that is asked for, `baseline` that of the one that is pinned, and
    `difference` how much higher the first is; without such a model they are null.
    """

    key: str
    name: str
    circuit: str
    language: str
    n_models: int
    mean: float | None
    best: float | None
    score: float | None
    baseline: float | None
    difference: float | None


SuiteOrder = Literal["name", "circuit", "language", "models", "mean", "best", "score", "difference"]


@frozen
class SuitesAsked:
    """Which suites are listed: parts of names, and their order; of a `model`, those it has run on.

    A circuit or a language that is in quotation marks is meant as a whole.
    """

    name: str = ""
    circuit: str = ""
    language: str = ""
    model: str = ""
    order: SuiteOrder = "circuit"
    down: bool = False
    page: PageNumber = 1
    baseline: Baseline = ""


@frozen
class Suites:
    """A page of the list of suites, of all `n` that fit; `model` is the label that is meant."""

    asked: SuitesAsked
    model: str
    reference: str
    rows: list[SuiteRow]
    n: int
    n_pages: int


def suites(shelf: Shelf, asked: SuitesAsked) -> Suites:
    """The list of suites, over all models or of one."""
    catalog = shelf.catalog()
    every, numbers = catalog.suites, catalog.suite_of
    model = catalog.model(asked.model) if asked.model else None
    nothing = np.full(len(every), np.nan)
    scores = catalog.by_suite(model) if model else nothing
    base = catalog.by_suite(catalog.model(asked.baseline)) if asked.baseline else nothing
    n_models = np.bincount(numbers, minlength=len(every))
    means, best = _means(numbers, catalog.scores, len(every)), np.full(len(every), -np.inf)
    known = ~np.isnan(catalog.scores)
    np.maximum.at(best, numbers[known], catalog.scores[known])
    best[np.isinf(best)] = np.nan
    fits = _has(asked.name, [each.name for each in every])
    for part, texts in (
        (asked.circuit, [circuit_cell(each.circuit) for each in every]),
        (asked.language, [each.language for each in every]),
    ):
        is_whole = len(part) > 1 and part[0] == part[-1] == '"'
        fits &= np.array([each == part[1:-1] for each in texts]) if is_whole else _has(part, texts)
    if model:
        fits[np.setdiff1d(np.arange(len(every)), numbers[catalog.of_model(model)])] = False
    by_name = np.argsort(_ranks([each.name for each in every]), kind="stable")
    rows = by_name[fits[by_name]]
    orders: Mapping[SuiteOrder, NDArray[Any]] = {
        "name": _ranks([each.name for each in every]),
        "circuit": _ranks([f"{each.language}\n{each.circuit}" for each in every]),
        "language": _ranks([each.language for each in every]),
        "models": n_models,
        "mean": means,
        "best": best,
        "score": scores,
        "difference": scores - base,
    }
    in_order = _sorted(rows, orders[asked.order][rows], down=asked.down)
    on_page, n_pages = _paged(in_order, asked.page)
    return Suites(
        asked=asked,
        model=model.label if model else "",
        reference=model.about.model.reference if model else "",
        rows=[
            SuiteRow(
                key=every[n].key,
                name=every[n].name,
                circuit=circuit_cell(every[n].circuit),
                language=every[n].language,
                n_models=int(n_models[n]),
                mean=finite(means[n]),
                best=finite(best[n]),
                score=finite(scores[n]),
                baseline=finite(base[n]),
                difference=finite(scores[n] - base[n]),
            )
            for n in on_page.tolist()
        ],
        n=len(rows),
        n_pages=n_pages,
    )


@frozen
class OnPrediction:
    """A prediction of a suite; `words` say what it is, line by line."""

    formula: str
    description: str
    words: list[str]


@frozen
class OnSuite:
    """A model on a suite: its run, and how often each prediction holds.

    `difference` is how much higher its score is than the baseline's.
    """

    run: Row
    shares: list[float | None]
    difference: float | None


@frozen
class ItemRow:
    """An item of a suite, and of how many models all its predictions hold; of the baseline, too."""

    number: int
    n_holding: int
    n_models: int
    baseline: bool | None


@frozen
class SuiteAsked:
    """Which of a suite's models are listed, and in which order; and which page of its items."""

    model: str = ""
    order: Literal["model", "score"] = "score"
    down: bool = True
    page: PageNumber = 1
    items_by: Literal["hardest", "number"] = "hardest"
    items_page: PageNumber = 1
    baseline: Baseline = ""


@frozen
class OneSuite:
    """A suite across all models; `rows` have their runs, those of `n` that fit.

    `has_sentences` says whether the suite is known, and not only results on it. `items` are counted
    over all models.
    """

    asked: SuiteAsked
    key: str
    name: str
    circuit: str
    language: str
    offered: list[str]
    rows: list[OnSuite]
    n: int
    n_models: int
    n_pages: int
    baseline: float | None
    has_sentences: bool
    predictions: list[OnPrediction]
    items: list[ItemRow]
    n_items: int
    n_items_pages: int


def suite(shelf: Shelf, asked: SuiteAsked, *, key: str) -> OneSuite:
    """A suite across all models."""
    catalog = shelf.catalog()
    with shelf.opened() as store:
        own = catalog.suite(key)
        every = catalog.on(own)
        on = catalog.by_model(own)
        pinned = catalog.model(asked.baseline) if asked.baseline else None
        base = on.get(pinned.number) if pinned else None
        labels = [catalog.label(each) for each in every.tolist()]
        rows = every[_has(asked.model, labels)]
        names = np.zeros(len(catalog.rows), dtype=np.int64)
        names[every] = _ranks(labels)
        by = names if asked.order == "model" else catalog.scores
        rows = _sorted(rows, by[rows], down=asked.down)
        on_page, n_pages = _paged(rows, asked.page)
        wanted = [*on_page.tolist(), *([] if base is None else [base])]
        read = catalog.read(store, wanted)
        document = shelf.document(store, catalog, own)
        tally = _tally(shelf, store, catalog, own)
    base_score = math.nan if base is None else float(catalog.scores[base])
    items = [*_item_rows(tally, None if base is None else _identity(catalog, base))]
    if asked.items_by == "hardest":
        items.sort(key=lambda each: each.n_holding - each.n_models)
    items_shown, n_items_pages = _paged(items, asked.items_page)
    return OneSuite(
        asked=asked,
        key=key,
        name=own.name,
        circuit=circuit_cell(own.circuit),
        language=own.language,
        offered=sorted(labels, key=_in_alphabet) if len(labels) <= _MOST_OFFERED else [],
        rows=[
            OnSuite(
                run={**_row(read[n]), "model_name": catalog.label(n)},
                shares=[
                    each.n_holding / each.n_items if each.n_items else None
                    for each in read[n].result.predictions
                ],
                difference=finite(float(catalog.scores[n]) - base_score),
            )
            for n in on_page.tolist()
            if n in read
        ],
        n=len(rows),
        n_models=len(every),
        n_pages=n_pages,
        baseline=finite(base_score),
        has_sentences=document is not None,
        predictions=[*_on_predictions(read.values(), document)],
        items=items_shown,
        n_items=len(items),
        n_items_pages=n_items_pages,
    )


def _on_predictions(records: Iterable[RunRecord], document: Suite | None) -> Iterator[OnPrediction]:
    """Yield the predictions of a suite as the run that has most of them has them."""
    asked = max((each.result.predictions for each in records), key=len, default=())
    for prediction in asked:
        yield OnPrediction(
            formula=prediction.formula,
            description=prediction.description,
            words=[*_words(document, prediction.prediction_id)],
        )


def _words(document: Suite | None, number: int) -> Sequence[str]:
    """Return what a prediction of a suite says, in lines; none where the suite is not known."""
    if document is None or number >= len(document.predictions):
        return ()
    prediction = document.predictions[number]
    metric = document.metric_of(prediction)
    return prediction.formula.in_few_words(document.region_names, metric=metric)


def _identity(catalog: Catalog, row: int) -> tuple[int, str]:
    place = catalog.rows[row]
    return int(catalog.index.keys[place]), str(catalog.index.created[place])


def _tally(shelf: Shelf, store: Store, catalog: Catalog, own: ShownSuite) -> Tally:
    """Return on which items all predictions hold, of all runs on a suite; new ones are read."""
    known = shelf.tallies.get(own.key, dict)
    runs = {_identity(catalog, row): row for row in catalog.on(own).tolist()}
    found = {each: known[each] for each in runs if each in known}
    if new := {row: each for each, row in runs.items() if each not in found}:
        for row, record in catalog.read(store, new).items():
            found[new[row]] = record.result.item_numbers, _holding(record)
        shelf.tallies.put(own.key, found)
    return found


def _holding(record: RunRecord) -> NDArray[np.bool_]:
    """Return whether all predictions of a suite hold, item by item."""
    predictions = record.result.predictions
    if not predictions:
        return np.zeros(0, dtype=np.bool_)
    whole: NDArray[np.bool_] = np.logical_and.reduce([each.holds for each in predictions])
    return whole


def _item_rows(tally: Tally, baseline: tuple[int, str] | None) -> Iterator[ItemRow]:
    """Yield the items in the order of their numbers."""
    found: dict[int, tuple[int, int]] = {}
    with_verdicts = [(numbers, holds) for numbers, holds in tally.values() if len(holds)]
    for numbers, own in grouped(with_verdicts, lambda each: each[0]).items():
        counts = np.sum([holds for _, holds in own], axis=0).tolist()
        for number, n_holding in zip(numbers, counts, strict=True):
            before = found.get(number, (0, 0))
            found[number] = before[0] + n_holding, before[1] + len(own)
    numbers, holds = tally.get(baseline, ((), [])) if baseline else ((), [])
    pinned = dict(zip(numbers, map(bool, holds), strict=False))
    for number, (n_holding, n_models) in sorted(found.items()):
        yield ItemRow(
            number=number, n_holding=n_holding, n_models=n_models, baseline=pinned.get(number)
        )


@frozen
class ComparedAsked:
    """Which two models, on which suite (its key); "" are all that both have run on.

    A name that is in one label only will do. Without a second model it is the baseline.
    """

    left: str
    right: str = ""
    suite: str = ""
    order: Literal["circuit", "name", "difference"] = "circuit"
    down: bool = False
    page: PageNumber = 1
    baseline: Baseline = ""


@frozen
class ComparedSuite:
    """Two models on a suite: their scores, and on how many items a verdict differs."""

    key: str
    name: str
    circuit: str
    left: float | None
    right: float | None
    difference: float | None
    n_items: int
    n_differing: int


@frozen
class ComparedItem:
    """An item: what each prediction came to, left and right; margins are in bits."""

    number: int
    differs: bool
    holds: list[tuple[bool | None, bool | None]]
    margins_bits: list[tuple[float | None, float | None]]


@frozen
class Compared:
    """Two models side by side; of one suite, the items on which they differ first."""

    asked: ComparedAsked
    left: str
    right: str
    offered: list[str]
    suites: list[ComparedSuite]
    predictions: list[OnPrediction]
    has_sentences: bool
    items: list[ComparedItem]
    n: int
    n_pages: int


def compare(shelf: Shelf, asked: ComparedAsked) -> Compared:
    """Two models side by side."""
    catalog = shelf.catalog()
    with shelf.opened() as store:
        right = asked.right or asked.baseline
        if not (asked.left and right):
            raise NotShownError("which models? give left and right, or pin a baseline")
        pair = catalog.model(asked.left), catalog.model(right)
        on = [
            {int(catalog.suite_of[n]): n for n in catalog.of_model(each).tolist()} for each in pair
        ]
        both = [n for n in on[0] if n in on[1]]
        if asked.suite:
            chosen = catalog.suite(asked.suite).number
            if chosen not in both:
                raise NotShownError(
                    f"{pair[0].label} and {pair[1].label} have not both run on that suite"
                )
            both = [chosen]
        rows = _compared_order(catalog, both, on, asked)
        # Pages are of suites, and where one is asked for, of its items.
        keys, n_pages = ([*rows], 1) if asked.suite else _paged([*rows], asked.page)
        read = catalog.read(store, [own[n] for n in keys for own in on])
        pairs = {
            n: (read[on[0][n]], read[on[1][n]])
            for n in keys
            if on[0][n] in read and on[1][n] in read
        }
        of_one = pairs[keys[0]] if asked.suite and pairs else ()
        document = shelf.document(store, catalog, catalog.suites[keys[0]]) if of_one else None
    compared = {n: _Aligned.of(each) for n, each in pairs.items()}
    n, items = len(rows), list[ComparedItem]()
    for found in compared.values() if asked.suite else ():
        n = len(found.numbers)
        places, n_pages = _paged(found.rows(), asked.page)
        items = [found.item(place) for place in places.tolist()]
    return Compared(
        asked=asked,
        left=pair[0].label,
        right=pair[1].label,
        offered=_offered(catalog),
        suites=[
            _compared_suite(catalog.suites[n], pairs[n], found) for n, found in compared.items()
        ],
        predictions=[*_on_predictions(of_one, document)],
        has_sentences=document is not None,
        items=items,
        n=n,
        n_pages=n_pages,
    )


def _compared_order(
    catalog: Catalog, both: Sequence[int], on: Sequence[Mapping[int, int]], asked: ComparedAsked
) -> list[int]:
    """Return the numbers of suites as they are asked for."""
    every = catalog.suites
    rows = sorted(both, key=lambda n: _in_alphabet(every[n].name), reverse=asked.down)
    if asked.order == "circuit":
        rows.sort(key=lambda n: _in_alphabet(every[n].circuit), reverse=asked.down)
    elif asked.order == "difference":
        scores = catalog.scores
        far = np.array([scores[on[0][n]] - scores[on[1][n]] for n in rows], dtype=np.float64)
        rows = [*map(int, _sorted(np.array(rows, dtype=np.int64), far, down=asked.down))]
    return rows


def _compared_suite(
    own: ShownSuite, pair: tuple[RunRecord, RunRecord], found: "_Aligned"
) -> ComparedSuite:
    left, right = (each.result.score for each in pair)
    return ComparedSuite(
        key=own.key,
        name=own.name,
        circuit=circuit_cell(own.circuit),
        left=finite(left),
        right=finite(right),
        difference=finite(left - right),
        n_items=len(found.numbers),
        n_differing=int(found.differs.sum()),
    )


@frozen(eq=False)
class _Aligned:
    """What two runs on a suite came to on the items that both have.

    The arrays are of (left and right, predictions, items).
    """

    numbers: Numbers
    holds: NDArray[np.bool_]
    skipped: NDArray[np.bool_]
    margins_bits: NDArray[np.float64]

    @classmethod
    def of(cls, pair: tuple[RunRecord, RunRecord]) -> "_Aligned":
        """Return the items of both, in the order of their numbers."""
        numbers = [np.array(each.result.item_numbers, dtype=np.int64) for each in pair]
        common, *places = np.intersect1d(numbers[0], numbers[1], return_indices=True)
        n = min(len(each.result.predictions) for each in pair)
        sides = [[*each.result.predictions][:n] for each in pair]

        def both(name: str, kind: type[Any]) -> Any:
            found = np.zeros((2, n, len(common)), dtype=kind)
            for side, own in enumerate(sides):
                for number, each in enumerate(own):
                    found[side, number] = getattr(each, name)[places[side]]
            return found

        return cls(
            numbers=common,
            holds=both("holds", np.bool_),
            skipped=both("skipped", np.bool_),
            margins_bits=both("margin_bits", np.float64),
        )

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Whether a verdict differs, item by item."""
        different = (self.holds[0] != self.holds[1]) | (self.skipped[0] != self.skipped[1])
        found: NDArray[np.bool_] = different.any(axis=0)
        return found

    def rows(self) -> Numbers:
        """Return the places of items, first those on which verdicts differ, by how far."""
        far = np.abs(self.margins_bits[0] - self.margins_bits[1])
        far = np.where(np.isfinite(far), far, 0.0).max(axis=0, initial=0.0)
        return np.lexsort((self.numbers, -far, ~self.differs))

    def item(self, place: int) -> ComparedItem:
        """Return an item."""
        known = self.holds[:, :, place].astype(object)
        known[self.skipped[:, :, place]] = None
        margins = self.margins_bits[:, :, place].T.tolist()
        return ComparedItem(
            number=int(self.numbers[place]),
            differs=bool(self.differs[place]),
            holds=[(left, right) for left, right in known.T.tolist()],
            margins_bits=[(finite(left), finite(right)) for left, right in margins],
        )


@frozen
class ItemAsked:
    """Whose surprisals are shown, () the first models of the suite; and whose margins."""

    model: tuple[str, ...] = ()
    named: str = ""
    page: PageNumber = 1
    baseline: Baseline = ""


@frozen
class ShadedToken:
    """A piece of a sentence: a token, or what stands between two.

    `shade` is 0 without a surprisal, and up to 9 the more surprising it is; `region` is the number
    of the region that the token belongs to.
    """

    text: str
    surprisal_bits: float | None = None
    shade: int = 0
    region: int | None = None


@frozen
class ShadedSentence:
    """A sentence as a model has read it, and the surprisal of each of its regions."""

    condition: str
    text: str
    pieces: list[ShadedToken]
    regions_bits: dict[int, float | None]


@frozen
class ItemMargins:
    """What each prediction came to for a model: whether it holds, and by how many bits."""

    name: str
    holds: list[bool | None]
    margins_bits: list[float | None]


@frozen
class OneItem:
    """An item: sentences by model, and what each prediction came to, for a page of `n` models."""

    asked: ItemAsked
    key: str
    suite: str
    language: str
    number: int
    before: int | None
    after: int | None
    region_names: dict[int, str]
    shown: dict[str, list[ShadedSentence]]
    predictions: list[OnPrediction]
    margins: list[ItemMargins]
    n: int
    n_pages: int


def document_of(shelf: Shelf, store: Store, catalog: Catalog, shown: ShownSuite) -> Suite:
    """Return the suite itself; raises `NotShownError` where only results are known."""
    document = shelf.document(store, catalog, shown)
    if document is None:
        raise NotShownError(f"only results of {shown.name} are known, not the suite itself")
    return document


def sheet(shelf: Shelf, _asked: Nothing, *, key: str) -> Download:
    """The data sheet of a suite, as Markdown."""
    catalog = shelf.catalog()
    with shelf.opened() as store:
        document = document_of(shelf, store, catalog, catalog.suite(key))
    content = document.once(_sheet).encode()
    return Download(
        name=f"{document.name}.md", content=content, media_type="text/markdown; charset=utf-8"
    )


def _sheet(suite: Suite) -> str:
    known = SuiteCard.known_controls(suite)
    return SuiteSheet(suite=suite, item=suite.items[0], controls=known).markdown


def item(shelf: Shelf, asked: ItemAsked, *, key: str, number: int) -> OneItem:
    """An item of a suite, token by token."""
    catalog = shelf.catalog()
    with shelf.opened() as store:
        own = catalog.suite(key)
        every = catalog.on(own)
        on = catalog.by_model(own)
        labels = [catalog.label(each) for each in every.tolist()]
        rows = every[_has(asked.named, labels)]
        rows = _sorted(rows, catalog.scores[rows], down=True)
        on_page, n_pages = _paged(rows, asked.page)
        wanted = [catalog.model(each) for each in asked.model]
        pinned = [catalog.model(asked.baseline)] if asked.baseline else []
        if unknown := [each.label for each in wanted if each.number not in on]:
            raise NotShownError(f"{unknown[0]!r} has not run on {own.name}")
        document = document_of(shelf, store, catalog, own)
        alone = item_alone(document, number)
        first = [on[each.number] for each in wanted or pinned if each.number in on]
        first += [] if wanted else [n for n in rows.tolist() if n not in first]
        tellers = catalog.with_tokens(store, np.array(first, dtype=np.int64))[:MOST_MODELS]
        read = catalog.read(store, [*tellers, *on_page.tolist()])
        shown = {
            catalog.label(n): [*shaded(store.runs.surprisals(read[n], alone))]
            for n in tellers
            if n in read
        }
    numbers = [each.number for each in document.items]
    at = numbers.index(number)
    return OneItem(
        asked=asked,
        key=key,
        suite=own.name,
        language=own.language,
        number=number,
        before=numbers[at - 1] if at else None,
        after=numbers[at + 1] if at + 1 < len(numbers) else None,
        region_names=dict(document.region_names),
        shown=shown,
        predictions=[*_on_predictions(read.values(), document)],
        margins=[
            ItemMargins(name=catalog.label(n), holds=holds, margins_bits=margins)
            for n in on_page.tolist()
            if n in read
            for holds, margins in [_verdicts(read[n], number)]
        ],
        n=len(rows),
        n_pages=n_pages,
    )


def item_alone(document: Suite, number: int) -> Suite:
    """Return a suite with one of its items; raises `NotShownError` for one that it lacks."""
    for each in document.items:
        if each.number == number:
            return replace(document, items=(each,))
    raise NotShownError(f"{document.name} has no item {number}")


def _verdicts(record: RunRecord, number: int) -> tuple[list[bool | None], list[float | None]]:
    """Return whether each prediction holds in an item, and by how many bits."""
    if number not in record.result.item_numbers:
        return [], []
    at = record.result.item_numbers.index(number)
    own = [*record.result.predictions]
    holds = [None if each.skipped[at] else bool(each.holds[at]) for each in own]
    return holds, [finite(float(each.margin_bits[at])) for each in own]


@frozen
class FamilyRow:
    """A family along its training: the mean score of its first and its last step over all suites.

    `first_step` and `last_step` are numbers of the axis ("step", "epoch").
    """

    key: str
    name: str
    axis: str
    n_steps: int
    n_suites: int
    first_step: float
    last_step: float
    first_score: float | None
    last_score: float | None


@frozen
class FamiliesAsked:
    """Which families are listed: a part of their names."""

    name: str = ""
    page: PageNumber = 1


@frozen
class Families:
    """A page of the list of families whose members are steps or epochs, of all `n` that fit."""

    asked: FamiliesAsked
    rows: list[FamilyRow]
    n: int
    n_pages: int


def families(shelf: Shelf, asked: FamiliesAsked) -> Families:
    """The list of models along their training."""
    catalog = shelf.catalog()
    part = asked.name.casefold()
    fitting = [
        (key, own) for key, own in catalog.families.items() if part in own[0].family.casefold()
    ]
    fitting.sort(key=lambda each: _in_alphabet(each[1][0].family))
    on_page, n_pages = _paged(fitting, asked.page)
    means = _means(catalog.model_of, catalog.scores, len(catalog.models))
    rows = []
    for key, own in on_page:
        of_it = np.isin(catalog.model_of, [each.number for each in own])
        first, last = own[0], own[-1]
        rows.append(
            FamilyRow(
                key=key,
                name=first.family,
                axis=first.axis,
                n_steps=len(own),
                n_suites=len({*catalog.suite_of[of_it].tolist()}),
                first_step=first.step_value,
                last_step=last.step_value,
                first_score=finite(means[first.number]),
                last_score=finite(means[last.number]),
            )
        )
    return Families(asked=asked, rows=rows, n=len(fitting), n_pages=n_pages)


@frozen
class FamilyAsked:
    """Over what scores are means: the suites of a circuit, all suites; or each suite by itself."""

    by: Literal["circuit", "suite", "all"] = "circuit"
    name: str = ""
    page: PageNumber = 1
    steps_page: PageNumber = 1
    baseline: Baseline = ""


@frozen
class StepRow:
    """A step with its scores, one a circuit (or suite) of the page; null where it lacks a suite."""

    step: float
    model: str
    scores: list[float | None]


@frozen
class OneFamily:
    """A model along its training: the mean score of each circuit at each step.

    `units` are the circuits (or suites) of the page, of `n`. A step that lacks a suite of a circuit
    that another one has would have another mean, and has none. `steps` are those of a page, too;
    `paths` has all steps of each unit, for a chart.
    """

    asked: FamilyAsked
    key: str
    name: str
    axis: str
    n_steps: int
    units: list[str]
    n_suites: list[int]
    steps: list[StepRow]
    paths: list[list[tuple[float, float]]]
    baseline: list[float | None]
    n: int
    n_pages: int
    n_steps_pages: int


# Circuits of a page, each a facet of the chart.
_MOST_UNITS = 12


def family(shelf: Shelf, asked: FamilyAsked, *, key: str) -> OneFamily:
    """A model along its training."""
    catalog = shelf.catalog()
    if key not in catalog.families:
        raise NotShownError(f"no family of steps or epochs is called {key!r}")
    own = catalog.families[key]
    scores, suites = _steps_by_suites(catalog, own)
    pinned = catalog.model(asked.baseline) if asked.baseline else None
    base = _steps_by_suites(catalog, [pinned], suites)[0][0] if pinned else None
    units = _units(catalog, suites, asked)
    on_page = units[(asked.page - 1) * _MOST_UNITS :][:_MOST_UNITS]
    columns = np.stack(
        [np.full(len(own), np.nan), *(_unit_means(scores[:, each]) for _, each in on_page)], axis=1
    )[:, 1:]
    steps, n_steps_pages = _paged(own, asked.steps_page)
    first = (asked.steps_page - 1) * _SHOWN
    values = [each.step_value for each in own]
    return OneFamily(
        asked=asked,
        key=key,
        name=own[0].family,
        axis=own[0].axis,
        n_steps=len(own),
        units=[name for name, _ in on_page],
        n_suites=[len(each) for _, each in on_page],
        steps=[
            StepRow(
                step=each.step_value,
                model=each.label,
                scores=[finite(score) for score in columns[first + n].tolist()],
            )
            for n, each in enumerate(steps)
        ],
        paths=[
            [
                (value, score)
                for value, score in zip(values, column, strict=True)
                if not math.isnan(score)
            ]
            for column in columns.T.tolist()
        ],
        baseline=[
            None if base is None else finite(float(_unit_means(base[np.newaxis, each])[0]))
            for _, each in on_page
        ],
        n=len(units),
        n_pages=max(1, math.ceil(len(units) / _MOST_UNITS)),
        n_steps_pages=n_steps_pages,
    )


def _steps_by_suites(
    catalog: Catalog, own: Sequence[ShownModel], suites: Sequence[int] | None = None
) -> tuple[Scores, Sequence[int]]:
    """Return scores, (models, suites), NaN where there is none; and which suites these are.

    Of whatever version a suite is. None: all on which one of the models has a score.
    """
    place = np.full(len(catalog.models), -1, dtype=np.int64)
    place[[each.number for each in own]] = np.arange(len(own))
    rows = np.flatnonzero((place[catalog.model_of] >= 0) & ~np.isnan(catalog.scores))
    numbers = catalog.index.suite_of[catalog.rows[rows]]
    wanted = np.array(np.sort([*{*numbers.tolist()}]) if suites is None else suites, dtype=np.int64)
    column = np.full(int(max(numbers.max(initial=-1), wanted.max(initial=-1))) + 1, -1)
    column[wanted] = np.arange(len(wanted))
    found = np.full((len(own), len(wanted)), np.nan)
    there = column[numbers] >= 0
    found[place[catalog.model_of[rows]][there], column[numbers][there]] = catalog.scores[rows][
        there
    ]
    return found, wanted.tolist()


def _units(
    catalog: Catalog, suites: Sequence[int], asked: FamilyAsked
) -> list[tuple[str, list[int]]]:
    """Return circuits (or suites) by their names, and which columns of scores are theirs."""
    if asked.by == "all":
        return [("all suites", [*range(len(suites))])] if suites else []
    index = catalog.index
    counted = np.flatnonzero(np.bincount(index.place_of[catalog.rows])).tolist()
    place_of = {index.suites_of_places[n]: index.places[n] for n in counted}
    languages = {place_of[each].facts.language for each in suites}
    found: dict[str, list[int]] = {}
    for n, each in enumerate(suites):
        place = place_of[each]
        name = place.suite_name if asked.by == "suite" else circuit_cell(place.circuit)
        if len(languages) > 1:
            name = f"{name} ({place.facts.language or 'no language'})"
        found.setdefault(name, []).append(n)
    part = asked.name.casefold()
    return sorted(
        ((name, own) for name, own in found.items() if part in name.casefold()),
        key=lambda each: _in_alphabet(each[0]),
    )


def _unit_means(scores: Scores) -> Scores:
    """Return the mean of each row; NaN where it lacks a suite that another row has."""
    has = ~np.isnan(scores)
    wanted = has.any(axis=0)
    found = np.full(len(scores), np.nan)
    complete = has[:, wanted].all(axis=1) & wanted.any()
    found[complete] = [mean_score(row) for row in scores[complete][:, wanted].tolist()]
    return found


def shaded(surprisals: SuiteSurprisals) -> Iterator[ShadedSentence]:
    suite, table = surprisals.suite, surprisals.table
    (found,) = suite.items
    for c, name in enumerate(suite.condition_names):
        condition, scored = found.condition(name), surprisals.sentences[0][c]
        numbers = [each.number for each in condition.regions]
        regions = condition.sentence(suite.joiner).regions_of(scored.tokens)
        pieces, end = [], 0
        for token, region in zip(scored.tokens, regions, strict=True):
            # What stands for no character of its own, such as an end-of-sentence mark, is not seen.
            if token.end == token.start:
                continue
            if between := scored.text[end : token.start]:
                pieces.append(ShadedToken(text=between))
            bits = token.surprisal_bits
            pieces.append(
                ShadedToken(
                    text=scored.text[max(end, token.start) : token.end],
                    surprisal_bits=None if bits is None else finite(bits),
                    shade=0 if bits is None else _shade(bits),
                    region=None if region is None else numbers[region],
                )
            )
            end = max(end, token.end)
        if rest := scored.text[end:]:
            pieces.append(ShadedToken(text=rest))
        sums = dict(zip(table.region_numbers, table.values["sum"][0, c].tolist(), strict=True))
        yield ShadedSentence(
            condition=name,
            text=scored.text,
            pieces=pieces,
            regions_bits={number: finite(sums[number]) for number in numbers},
        )


def _shade(bits: float) -> int:
    return 1 + int(min(_SHADES - 1, max(0.0, bits) // _BITS_OF_SHADE))


def finite(value: float) -> float | None:
    """Return a number as JSON has it: null for NaN and infinity."""
    return float(value) if math.isfinite(value) else None
