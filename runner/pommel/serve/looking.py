"""The pages of what models do: what each is asked with, and what it says, as plain values.

A page is a function of the shelf and of what was asked. Its answer is what its JSON has and what
its template shows, and both are described by their types (see `pommel.serve.app`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np

from pommel.analysis import circuit_cell, grouped
from pommel.report import ListedRun
from pommel.scoring import RunRecord, SuiteSurprisals
from pommel.serve.shelf import Catalog, NotShownError, Shelf, ShownSuite
from pommel.serve.site import Nothing
from pommel.store import Store
from pommel.suite import Suite
from pommel.values import frozen

# Rows of a page.
_SHOWN = 50
# Models whose tokens an item's page shows.
_MOST_MODELS = 4
# Tokens are shaded in so many steps, of so many bits each.
_SHADES, _BITS_OF_SHADE = 9, 2.0

PageNumber = Annotated[int, msgspec.Meta(ge=1, description="Which page, from 1.")]


T = TypeVar("T")


def _paged(rows: Sequence[T], number: int) -> tuple[Sequence[T], int]:
    """Return the rows of a page, and how many pages there are."""
    first = (number - 1) * _SHOWN
    return rows[first : first + _SHOWN], max(1, math.ceil(len(rows) / _SHOWN))


# A row of `pommel runs list --format json`, and `suite_key`, which addresses its suite.
Row = Mapping[str, Any]


def _row(record: RunRecord) -> Row:
    row = {**ListedRun(record).to_row(), "suite_key": Catalog.key(record)}
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }


@frozen
class SuiteRow:
    """A suite in a list."""

    key: str
    name: str
    circuit: str
    language: str
    n_models: int


@frozen
class Start:
    """What is in the store: the latest runs, the models, and the suites by language and circuit."""

    n_runs: int
    models: list[str]
    latest: list[Row]
    suites: dict[str, dict[str, list[SuiteRow]]]


def start(shelf: Shelf, _asked: Nothing) -> Start:
    """What is in the store."""
    with shelf.opened() as store:
        catalog = shelf.catalog(store)
    rows = sorted(
        (
            SuiteRow(
                key=key,
                name=each.name,
                circuit=circuit_cell(each.circuit),
                language=each.language,
                n_models=len(each.runs),
            )
            for key, each in catalog.suites.items()
        ),
        key=lambda each: (each.language, each.circuit, each.name),
    )
    return Start(
        n_runs=len(catalog.newest_first),
        models=[*catalog.models],
        latest=[*map(_row, catalog.newest_first[:20])],
        suites={
            language: grouped(own, lambda each: each.circuit)
            for language, own in grouped(rows, lambda each: each.language).items()
        },
    )


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
    with shelf.opened() as store:
        found = [each for each in shelf.catalog(store).newest_first if _fits(each, asked)]
    if (asked.order, asked.down) != ("created", True):
        found.sort(key=lambda each: _sorted_by(each, asked.order), reverse=asked.down)
    rows, n_pages = _paged(found, asked.page)
    return Runs(asked=asked, rows=[*map(_row, rows)], n=len(found), n_pages=n_pages)


def _fits(record: RunRecord, asked: RunsAsked) -> bool:
    result = record.result
    texts = (
        (asked.model, result.model_name),
        (asked.suite, result.suite_name),
        (asked.circuit, result.circuit),
        (asked.language, record.suite.language),
    )
    return all(part.casefold() in text.casefold() for part, text in texts if part)


def _sorted_by(record: RunRecord, order: Order) -> tuple[float, str]:
    result = record.result
    if order == "score":
        return (-1.0 if math.isnan(result.score) else result.score), ""
    texts = {
        "created": record.created,
        "model": result.model_name,
        "suite": result.suite_name,
        "circuit": result.circuit,
        "language": record.suite.language,
    }
    return 0.0, texts[order]


@frozen
class OnPrediction:
    """How often a prediction of a suite holds, by model; `words` say what it is, line by line."""

    formula: str
    description: str
    words: list[str]
    shares: dict[str, float | None]


@frozen
class ItemRow:
    """An item of a suite, and of how many models all its predictions hold."""

    number: int
    n_holding: int
    n_models: int


@frozen
class SuiteAsked:
    """Which of a suite's models are listed."""

    model: str = ""
    page: PageNumber = 1


@frozen
class OneSuite:
    """A suite across all models; `rows` have their runs, the highest score first.

    `has_sentences` says whether the suite is known, and not only results on it.
    """

    asked: SuiteAsked
    key: str
    name: str
    circuit: str
    language: str
    rows: list[Row]
    n: int
    n_pages: int
    has_sentences: bool
    predictions: list[OnPrediction]
    items: list[ItemRow]


def suite(shelf: Shelf, asked: SuiteAsked, *, key: str) -> OneSuite:
    """A suite across all models."""
    with shelf.opened() as store:
        own = shelf.catalog(store).suite(key)
        part = asked.model.casefold()
        fitting = [(label, each) for label, each in own.runs.items() if part in label.casefold()]
        fitting.sort(key=lambda each: _sorted_by(each[1], "score"), reverse=True)
        on_page, n_pages = _paged(fitting, asked.page)
        shown = _read(store, dict(on_page))
        document = _document(store, store.runs.with_tokens([*shown.values()]))
    return OneSuite(
        asked=asked,
        key=key,
        name=own.name,
        circuit=circuit_cell(own.circuit),
        language=own.language,
        rows=[{**_row(each), "model_name": label} for label, each in shown.items()],
        n=len(fitting),
        n_pages=n_pages,
        has_sentences=document is not None,
        predictions=[*_on_predictions(shown, document)],
        items=[*_item_rows(shown)],
    )


def _read(store: Store, heads: Mapping[str, RunRecord]) -> dict[str, RunRecord]:
    """Return runs with their items, by the same labels; what a catalog holds stays without."""
    found = {
        each.run_id: each
        for each in store.runs.records_of([each.run_id for each in heads.values()])
    }
    return {label: found[each.run_id] for label, each in heads.items() if each.run_id in found}


def _document(store: Store, with_tokens: Sequence[RunRecord]) -> Suite | None:
    """Return the suite itself; None where only results are known."""
    return store.runs.suite(with_tokens[0]) if with_tokens else None


def _on_predictions(
    shown: Mapping[str, RunRecord], document: Suite | None
) -> Iterator[OnPrediction]:
    predictions = {
        each.prediction_id: each for record in shown.values() for each in record.result.predictions
    }
    for number, prediction in sorted(predictions.items()):
        yield OnPrediction(
            formula=prediction.formula,
            description=prediction.description,
            words=[*_words(document, number)],
            shares={
                label: each.n_holding / each.n_items if each.n_items else None
                for label, record in shown.items()
                for each in record.result.predictions
                if each.prediction_id == number
            },
        )


def _words(document: Suite | None, number: int) -> Sequence[str]:
    """Return what a prediction of a suite says, in lines; none where the suite is not known."""
    if document is None or number >= len(document.predictions):
        return ()
    prediction = document.predictions[number]
    metric = document.metric_of(prediction)
    return prediction.formula.in_few_words(document.region_names, metric=metric)


def _item_rows(shown: Mapping[str, RunRecord]) -> Iterator[ItemRow]:
    holding: dict[int, int] = {}
    n_models: dict[int, int] = {}
    for record in shown.values():
        for number, holds in zip(record.result.item_numbers, _holding(record), strict=True):
            holding[number] = holding.get(number, 0) + holds
            n_models[number] = n_models.get(number, 0) + 1
    for number, n_holding in sorted(holding.items(), key=lambda each: each[1]):
        yield ItemRow(number=number, n_holding=n_holding, n_models=n_models[number])


def _holding(record: RunRecord) -> list[bool]:
    """Return whether all predictions of a suite hold, item by item."""
    predictions = record.result.predictions
    if not predictions:
        return []
    whole: list[bool] = np.logical_and.reduce([each.holds for each in predictions]).tolist()
    return whole


@frozen
class ComparedAsked:
    """Which two models, on which suite (its key); "" are all that both have run on."""

    left: str
    right: str
    suite: str = ""
    page: PageNumber = 1


@frozen
class ComparedSuite:
    """Two models on a suite: their scores, and on how many items a verdict differs."""

    key: str
    name: str
    circuit: str
    left: float | None
    right: float | None
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
    models: list[str]
    suites: list[ComparedSuite]
    items: list[ComparedItem]
    n: int
    n_pages: int


def compare(shelf: Shelf, asked: ComparedAsked) -> Compared:
    """Two models side by side."""
    with shelf.opened() as store:
        catalog = shelf.catalog(store)
        catalog.check_models(asked.left, asked.right)
        both = {
            key: {"left": own.runs[asked.left], "right": own.runs[asked.right]}
            for key, own in catalog.suites.items()
            if {asked.left, asked.right} <= {*own.runs} and asked.suite in ("", key)
        }
        if asked.suite and asked.suite not in both:
            raise NotShownError(f"{asked.left} and {asked.right} have not both run on that suite")
        known = catalog.suites
        every = sorted(both, key=lambda key: (known[key].circuit, known[key].name))
        # Pages are of suites, and where one is asked for, of its items.
        keys, n_pages = (every, 1) if asked.suite else _paged(every, asked.page)
        pairs = {key: _read(store, both[key]) for key in keys}
    compared = {key: _compared_items(pair) for key, pair in pairs.items()}
    n, items = len(every), list[ComparedItem]()
    if asked.suite:
        n = len(compared[asked.suite])
        shown, n_pages = _paged(compared[asked.suite], asked.page)
        items = [*shown]
    return Compared(
        asked=asked,
        models=[*catalog.models],
        suites=[
            _compared_suite(key, known[key], pairs[key], found) for key, found in compared.items()
        ],
        items=items,
        n=n,
        n_pages=n_pages,
    )


def _compared_suite(
    key: str, own: ShownSuite, pair: Mapping[str, RunRecord], items: Sequence[ComparedItem]
) -> ComparedSuite:
    return ComparedSuite(
        key=key,
        name=own.name,
        circuit=circuit_cell(own.circuit),
        left=_number(pair["left"].result.score),
        right=_number(pair["right"].result.score),
        n_items=len(items),
        n_differing=sum(each.differs for each in items),
    )


def _compared_items(pair: Mapping[str, RunRecord]) -> list[ComparedItem]:
    """Return the items of both runs, first those on which verdicts differ, by how far."""
    verdicts = [_verdicts(pair[side]) for side in ("left", "right")]
    found = []
    for number in verdicts[0]:
        if number not in verdicts[1]:
            continue
        both = [*zip(verdicts[0][number], verdicts[1][number], strict=False)]
        far = [abs(left[1] - right[1]) for left, right in both]
        item = ComparedItem(
            number=number,
            differs=any(left[0] != right[0] for left, right in both),
            holds=[(left[0], right[0]) for left, right in both],
            margins_bits=[(_number(left[1]), _number(right[1])) for left, right in both],
        )
        found.append((item, max((each for each in far if math.isfinite(each)), default=0.0)))
    found.sort(key=lambda each: (not each[0].differs, -each[1], each[0].number))
    return [item for item, _ in found]


def _verdicts(record: RunRecord) -> dict[int, list[tuple[bool | None, float]]]:
    """Return whether each prediction holds and by how many bits, by the items' numbers."""
    columns = [
        [*zip(each.results, each.margin_bits.tolist(), strict=True)]
        for each in record.result.predictions
    ]
    return dict(
        zip(record.result.item_numbers, map(list, zip(*columns, strict=True)), strict=False)
    )


@frozen
class ItemAsked:
    """Whose surprisals are shown; () are those of the first models of the suite."""

    model: tuple[str, ...] = ()


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
class OneItem:
    """An item: sentences by model, and what each prediction came to by model."""

    key: str
    suite: str
    language: str
    number: int
    before: int | None
    after: int | None
    models: list[str]
    shown: dict[str, list[ShadedSentence]]
    predictions: list[OnPrediction]
    margins_bits: list[dict[str, float | None]]


def item(shelf: Shelf, asked: ItemAsked, *, key: str, number: int) -> OneItem:
    """An item of a suite, token by token."""
    with shelf.opened() as store:
        own = shelf.catalog(store).suite(key)
        if unknown := {*asked.model} - {*own.runs}:
            raise NotShownError(f"{min(unknown)!r} has not run on {own.name}")
        labels = asked.model or [*own.runs][:_MOST_MODELS]
        read = _read(store, own.runs)
        known = store.runs.with_tokens([*read.values()])
        document = _document(store, known)
        if document is None:
            raise NotShownError(f"only results of {own.name} are known, not the suite itself")
        numbers = [each.number for each in document.items]
        if number not in numbers:
            raise NotShownError(f"{own.name} has no item {number}")
        at = numbers.index(number)
        alone = replace(document, items=(document.items[at],))
        with_tokens = {each.run_id for each in known}
        shown = {
            label: [*_shaded(store.runs.surprisals(read[label], alone))]
            for label in labels[:_MOST_MODELS]
            if label in read and read[label].run_id in with_tokens
        }
    verdicts = {label: _verdicts(each).get(number, []) for label, each in read.items()}
    return OneItem(
        key=key,
        suite=own.name,
        language=own.language,
        number=number,
        before=numbers[at - 1] if at else None,
        after=numbers[at + 1] if at + 1 < len(numbers) else None,
        models=[*read],
        shown=shown,
        predictions=[*_on_predictions(read, document)],
        margins_bits=[
            {label: _number(each[n][1]) for label, each in verdicts.items() if n < len(each)}
            for n in range(len(document.predictions))
        ],
    )


def _shaded(surprisals: SuiteSurprisals) -> Iterator[ShadedSentence]:
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
                    surprisal_bits=None if bits is None else _number(bits),
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
            regions_bits={number: _number(sums[number]) for number in numbers},
        )


def _shade(bits: float) -> int:
    return 1 + int(min(_SHADES - 1, max(0.0, bits) // _BITS_OF_SHADE))


def _number(value: float) -> float | None:
    """Return a number as JSON has it."""
    return value if math.isfinite(value) else None
