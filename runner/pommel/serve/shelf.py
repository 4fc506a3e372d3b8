"""What is in the store that a server shows, kept up as it changes."""

import contextlib
import hashlib
import math
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pommel.analysis import ModelsCompared
from pommel.errors import UsageError, listed, nearest
from pommel.models import Membership
from pommel.scoring import RunRecord, SuiteFacts
from pommel.serve.recent import Recent
from pommel.store import RunIndex, Store
from pommel.suite import Suite
from pommel.values import frozen

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


@frozen
class ShownModel:
    """A model as tables call it; `number` is its place in `Catalog.models`.

    `variant` is what of the label tells it from others of its name. `about` has no results.
    """

    number: int
    label: str
    variant: str
    about: RunRecord

    @property
    def step(self) -> Membership | None:
        """Which step or epoch of which family it is, if it is one with a number."""
        member = self.about.result.membership
        return member if member and member.is_ordered and member.value is not None else None

    @property
    def step_value(self) -> float:
        """The number of its step or epoch; NaN without one."""
        return math.nan if self.step is None or self.step.value is None else self.step.value

    @property
    def axis(self) -> str:
        """What its family's members differ in, "" without one."""
        return self.step.axis if self.step else ""

    @property
    def family_key(self) -> str:
        """By what its family is addressed, "" if there is none."""
        return digest(self.family) if self.family else ""

    @property
    def family(self) -> str:
        """What the family is called whose step it is, "" if there is none."""
        if self.step is None:
            return ""
        return f"{self.step.family} ({self.variant})" if self.variant else self.step.family


@frozen
class ShownSuite:
    """A suite in one version, by what addresses call it; `number` is its place in the catalog."""

    number: int
    key: str
    name: str
    circuit: str
    language: str
    sha256: str


@frozen(slots=False, eq=False)
class Catalog:
    """The runs that count, as columns: the newest of each model on each suite.

    `index` has all runs, those that were interrupted, too. `rows` are the places of those that
    count in it, ascending; `model_of` and `suite_of` say by number which these are of, and `scores`
    have their scores, NaN where there is none.
    """

    index: RunIndex
    called: "_Called"
    models: Sequence[ShownModel]
    suites: Sequence[ShownSuite]
    rows: Numbers
    model_of: Numbers
    suite_of: Numbers
    scores: Scores

    @classmethod
    def of(cls, index: RunIndex, before: "Catalog | None" = None) -> "Catalog":
        """Return the catalog of all runs of a store; `before` is that of some moment before."""
        counted = index.counted
        called = _Called.of(counted.models, before.called if before else None)
        labels, of_kin = called.labels, called.of_kin
        rows, kins = counted.rows, counted.kins
        # Where no two kins are called alike, each model has one run on a suite already.
        if len(labels) < len(counted.models):
            is_newest = _is_newest(of_kin[kins], index.suite_of[rows], index.ages[rows])
            rows, kins = rows[is_newest], kins[is_newest]
        # Models in the order in which their first runs began.
        first = np.full(len(labels), len(rows))
        np.minimum.at(first, of_kin[kins], np.arange(len(rows)))
        in_order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(rows))]
        numbers = np.zeros(len(labels), dtype=np.int64)
        numbers[in_order] = np.arange(len(in_order))
        models = [
            ShownModel(number=n, label=label, variant=variant, about=about)
            for n, (label, variant, about) in enumerate(labels[each] for each in in_order.tolist())
        ]
        suites: dict[str, ShownSuite] = {}
        suite_of_place = np.zeros(len(index.places), dtype=np.int64)
        for place in np.flatnonzero(np.bincount(index.place_of[rows])).tolist():
            each = index.places[place]
            key = suite_key(each.suite_name, each.facts)
            suite = suites.setdefault(
                key,
                ShownSuite(
                    number=len(suites),
                    key=key,
                    name=each.suite_name,
                    circuit=each.circuit,
                    language=each.facts.language,
                    sha256=each.facts.sha256,
                ),
            )
            suite_of_place[place] = suite.number
        return cls(
            index=index,
            called=called,
            models=models,
            suites=[*suites.values()],
            rows=rows,
            model_of=numbers[of_kin[kins]],
            suite_of=suite_of_place[index.place_of[rows]],
            scores=index.scores[rows],
        )

    @cached_property
    def _model_numbers(self) -> Mapping[str, int]:
        return {each.label: each.number for each in self.models}

    @cached_property
    def _suite_numbers(self) -> Mapping[str, int]:
        return {each.key: each.number for each in self.suites}

    @cached_property
    def families(self) -> Mapping[str, Sequence[ShownModel]]:
        """The steps and epochs of each family, in the order of training, by the family's key."""
        found: dict[str, list[ShownModel]] = {}
        for each in self.models:
            if each.family:
                found.setdefault(each.family_key, []).append(each)
        for own in found.values():
            own.sort(key=lambda each: (each.step_value, each.label))
        return found

    def suite(self, key: str) -> ShownSuite:
        """Return a suite; raises `NotShownError` for one that is not there."""
        if key not in self._suite_numbers:
            raise NotShownError(f"no model has run on a suite {key!r}")
        return self.suites[self._suite_numbers[key]]

    def model(self, called: str) -> ShownModel:
        """Return the model of a label, or the only one that has this in its label.

        Raises `NotShownError` where there is none, and where there are several.
        """
        if called in self._model_numbers:
            return self.models[self._model_numbers[called]]
        part = called.casefold()
        having = [each for each in self.models if part and part in each.label.casefold()]
        if len(having) == 1:
            return having[0]
        if having:
            names = listed([each.label for each in having], most=_MOST_NAMES)
            raise NotShownError(f"{len(having)} models have {called!r} in their names: {names}")
        meant = nearest(called, self._model_numbers)
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise NotShownError(f"no model is called {called!r}{hint}")

    def on(self, suite: ShownSuite) -> Numbers:
        """Return which of `rows` are on a suite."""
        return np.flatnonzero(self.suite_of == suite.number)

    def by_model(self, suite: ShownSuite) -> dict[int, int]:
        """Return which of `rows` is on a suite, by the number of its model."""
        own = self.on(suite)
        return dict(zip(self.model_of[own].tolist(), own.tolist(), strict=True))

    def label(self, row: int) -> str:
        """Return what the model of one of `rows` is called."""
        return self.models[int(self.model_of[row])].label

    def of_model(self, model: ShownModel) -> Numbers:
        """Return which of `rows` are of a model."""
        return np.flatnonzero(self.model_of == model.number)

    def by_suite(self, model: ShownModel) -> Scores:
        """Return a model's score on each suite, NaN where there is none."""
        found = np.full(len(self.suites), np.nan)
        own = self.of_model(model)
        found[self.suite_of[own]] = self.scores[own]
        return found

    def read(
        self, store: Store, which: Iterable[int], *, items: bool = True
    ) -> dict[int, RunRecord]:
        """Return those of `rows` that are still there, with their items if so.

        They are called as tables call their models.
        """
        keys = {int(self.index.keys[self.rows[each]]): each for each in which}
        found = store.runs.at(keys, items=items)
        return {each: found[key] for key, each in keys.items() if key in found}

    def with_tokens(self, store: Store, which: Numbers) -> list[int]:
        """Return those of `rows` whose tokens are known, in this order."""
        keys = dict(zip(self.index.keys[self.rows[which]].tolist(), which.tolist(), strict=True))
        return [keys[key] for key in store.runs.with_tokens_at(keys)]


def suite_key(name: str, facts: SuiteFacts) -> str:
    """Return by what a suite is addressed: the beginning of its SHA-256, or of its name's."""
    return facts.sha256[:KEY_DIGITS] or digest(
        f"{facts.language}\n{name}" if facts.language else name
    )


def digest(text: str) -> str:
    """Return by what something that has only a name is addressed."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_DIGITS]


# Of a SHA-256, in addresses.
KEY_DIGITS = 16
_MOST_NAMES = 8


@frozen(eq=False)
class _Called:
    """What tables call models as they ran (`told`), each of which `of_kin` gives one of `labels`.

    A label comes with what of it is a variant, and a run of the model.
    """

    told: Sequence[RunRecord]
    labels: Sequence[tuple[str, str, RunRecord]]
    of_kin: Numbers

    @classmethod
    def of(cls, models: Sequence[RunRecord], before: "_Called | None") -> "_Called":
        """Return what they are called; what was found `before` holds for the same models."""
        # Of runs on one suite only the newest would be told of; when they began does not matter.
        told = [
            replace(each, run_id=str(n), suite=SuiteFacts(language=str(n)), created="")
            for n, each in enumerate(models)
        ]
        if before and before.told == told:
            return before
        labels, of_kin = [], np.zeros(len(told), dtype=np.int64)
        for number, model in enumerate(ModelsCompared.of(told).models):
            labels.append((model.label, model.variant, model.records[0]))
            of_kin[[int(each.run_id) for each in model.records]] = number
        return cls(told=told, labels=labels, of_kin=of_kin)


def _is_newest(models: Numbers, suites: Numbers, ages: Numbers) -> NDArray[np.bool_]:
    """Say of each run whether it is the newest of its model on its suite, of any version."""
    pairs = models * (int(suites.max(initial=0)) + 1) + suites
    in_order = np.lexsort((ages, pairs))
    found = np.zeros(len(pairs), dtype=np.bool_)
    found[in_order] = np.r_[pairs[in_order][1:] != pairs[in_order][:-1], True][: len(pairs)]
    return found


class NotShownError(UsageError):
    """An address names what is not there."""


class Shelf:
    """The store, opened for each page; its catalog is renewed when the store has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        # Open as long as the shelf is there: what is to be known is whether something has changed.
        self._watched: Store | None = None
        self._seen, self._seen_at = -1, -1.0
        self._catalog = Catalog.of(RunIndex())
        # Suites by their SHA-256.
        self._suites: Recent[str, Suite | None] = Recent(_SUITES)
        # Of each suite: by the key of a run and when it began, its items and which hold wholly.
        self.tallies: Recent[str, Tally] = Recent(_TALLIES)
        # Charts by what they show.
        self.charts: Recent[str, tuple[str, str]] = Recent(_CHARTS)
        self.drawing = threading.Lock()

    @contextlib.contextmanager
    def opened(self) -> Iterator[Store]:
        """Open the store, to be read; raises `StoreError` as `Store.open` does."""
        with Store.open(self.path, read_only=True) as store:
            yield store

    def catalog(self) -> Catalog:
        """Return the catalog as it is now, or was after this was called.

        One thread reads what has changed; those who wait meanwhile take what it has found. Raises
        `StoreError` as `Store.open` does.
        """
        asked = time.monotonic()
        with self._lock:
            if self._seen_at < asked:
                now = time.monotonic()
                store = self._watch()
                seen = store.n_changes
                if seen != self._seen:
                    index = store.runs.index(self._catalog.index)
                    if index is not self._catalog.index:
                        self._catalog = Catalog.of(index, self._catalog)
                self._seen, self._seen_at = seen, now
            return self._catalog

    def _watch(self) -> Store:
        """Return the store that is watched; one that is new in its place begins anew."""
        if self._watched is not None and not self._watched.is_in_place:
            self._watched.close()
            self._watched = None
        if self._watched is None:
            self._watched = Store.open(self.path, read_only=True, any_thread=True)
            self._seen, self._catalog = -1, Catalog.of(RunIndex())
            weakref.finalize(self, self._watched.close)
        return self._watched

    def document(self, store: Store, catalog: Catalog, shown: ShownSuite) -> Suite | None:
        """Return the suite itself; None where only results are known."""

        def read() -> Suite | None:
            with_tokens = catalog.with_tokens(store, catalog.on(shown))
            for record in catalog.read(store, with_tokens[:1], items=False).values():
                return store.runs.suite(record)
            return None

        return self._suites.get(shown.sha256, read) if shown.sha256 else None


# By run, which items it has, and on which all predictions hold.
Tally = dict[tuple[int, str], tuple[tuple[int, ...], NDArray[np.bool_]]]

_SUITES, _TALLIES, _CHARTS = 8, 32, 128
