"""What is in the store that a server shows, read again when it has changed."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from pommel.analysis import ModelsCompared
from pommel.errors import UsageError, nearest
from pommel.scoring import RunRecord
from pommel.store import Store
from pommel.values import frozen


@frozen
class ShownSuite:
    """A suite in one version, and the runs on it that count, by what their models are called."""

    name: str
    circuit: str
    language: str
    sha256: str
    runs: dict[str, RunRecord] = field(default_factory=dict)


@frozen
class Catalog:
    """The runs that count, without their items: the newest of each model on each suite.

    `newest_first` has all runs, those that were interrupted, too. `suites` are by what addresses
    call them (`key`).
    """

    newest_first: tuple[RunRecord, ...]
    models: Mapping[str, tuple[RunRecord, ...]]
    suites: Mapping[str, ShownSuite]

    @classmethod
    def of(cls, store: Store) -> "Catalog":
        """Read the catalog of a store."""
        heads = store.runs.heads()
        complete = [each for each in heads if each.status == "complete"]
        counted = store.runs.newest(store.runs.told_apart(complete)).records
        models = {each.label: each.records for each in ModelsCompared.of(counted).models}
        suites: dict[str, ShownSuite] = {}
        for label, records in models.items():
            for each in records:
                facts, result = each.suite, each.result
                suite = suites.setdefault(
                    cls.key(each),
                    ShownSuite(
                        name=result.suite_name,
                        circuit=result.circuit,
                        language=facts.language,
                        sha256=facts.sha256,
                    ),
                )
                suite.runs[label] = each
        in_order = sorted(heads, key=lambda each: each.created)[::-1]
        return cls(newest_first=tuple(in_order), models=models, suites=suites)

    @staticmethod
    def key(record: RunRecord) -> str:
        """Return by what a run's suite is addressed: its SHA-256's beginning, or its name's."""
        name = record.result.suite_name.encode("utf-8", "surrogatepass")
        return (record.suite.sha256 or hashlib.sha256(name).hexdigest())[:_DIGITS]

    def suite(self, key: str) -> ShownSuite:
        """Return a suite; raises `NotShownError` for one that is not there."""
        if key not in self.suites:
            raise NotShownError(f"no model has run on a suite {key!r}")
        return self.suites[key]

    def check_models(self, *labels: str) -> None:
        """Raise `NotShownError` for a name that no model has."""
        for label in labels:
            if label not in self.models:
                meant = nearest(label, self.models)
                hint = f"; did you mean {meant!r}?" if meant else ""
                raise NotShownError(f"no model is called {label!r}{hint}")


# Of a SHA-256, in addresses.
_DIGITS = 16


class NotShownError(UsageError):
    """An address names what is not there."""


class Shelf:
    """The store, opened for each page, and its catalog, which is kept as long as it holds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._known: tuple[object, Catalog] | None = None

    @contextlib.contextmanager
    def opened(self) -> Iterator[Store]:
        """Open the store, to be read; raises `StoreError` as `Store.open` does."""
        with Store.open(self.path, read_only=True) as store:
            yield store

    def catalog(self, store: Store) -> Catalog:
        """Return the catalog as it is now; one thread reads it, and the others wait."""
        with self._lock:
            state = store.runs.state
            if self._known is None or self._known[0] != state:
                self._known = state, Catalog.of(store)
            return self._known[1]
