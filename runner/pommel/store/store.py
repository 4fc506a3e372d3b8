"""The store: one file with all that is kept of runs."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pommel.errors import StoreError
from pommel.files import own_path
from pommel.models import Model, Named, NamedModel
from pommel.scoring import Choices, Run, RunRecord, run_suites
from pommel.store.database import Database, explained
from pommel.store.late_runs import late_runs
from pommel.store.merging import take_in
from pommel.store.run_rows import SHARED, RunRows
from pommel.store.run_tables import RunTables, suite_from_document
from pommel.store.surprisal_cache import (
    MOST_SECONDS,
    CachedModel,
    CacheKey,
    SurprisalCache,
    delete_unused,
    hashes_of,
)
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

if TYPE_CHECKING:
    from pommel.store.salvage import Salvaged


@frozen
class Store:
    """An open store: scored sentences (`cache`) and runs with their results (`runs`).

    A context manager. For one thread; another one, or another process, opens the file itself. With
    `rescore` what it has is scored again, and the new scores take the place of the old ones.
    """

    database: Database
    cache: SurprisalCache
    runs: RunTables
    rescore: bool = False
    late_runs = staticmethod(late_runs)
    take_in = take_in

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        read_only: bool = False,
        create: bool = True,
        rescore: bool = False,
        any_thread: bool = False,
    ) -> Self:
        """Open the store in a file, which is made if it is missing.

        With `any_thread` several threads may use it, one after the other.
        With `read_only` or without `create` a missing one is an error. What would change a store
        that is open for reading raises `StoreError`, and so does a file that is no store or may not
        be used.
        """
        database = Database.open(path, create=create and not read_only, any_thread=any_thread)
        if read_only and not database.read_only:
            database.connection.execute("PRAGMA query_only = ON")
        cache = SurprisalCache(database=database, provenance=Run.environment)
        rows = RunRows(connection=database.connection)
        runs = RunTables(database=database, cache=cache, rows=rows)
        return cls(database=database, cache=cache, runs=runs, rescore=rescore)

    @property
    def path(self) -> Path:
        """The store's file."""
        return self.database.path

    @property
    def last_scored(self) -> int:
        """The key of the sentence that was the last to be scored; keys grow. 0 if there is none."""
        ((last,),) = self.database.rows("SELECT max(scored_id) FROM scored")
        return last or 0

    @property
    def n_changes(self) -> int:
        """What is another number as soon as somebody else has kept something."""
        return self.database.n_changes

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still the one that was opened."""
        return self.database.is_in_place

    @property
    def is_read_only(self) -> bool:
        """Whether the file may not be written."""
        return self.database.read_only

    def cached(self, model: Model) -> CachedModel:
        """Return a model that answers from the store what the store has, and keeps what it asks."""
        return CachedModel(model, self.cache, rescore=self.rescore)

    def reopened(self) -> Self:
        """Open the same file again, for another thread."""
        return self.open(self.path, rescore=self.rescore)

    def collect_garbage(self, *, dry_run: bool = False) -> "Collected":
        """Delete surprisals that no run's suite needs, and what nothing refers to any more.

        A run needs all sentences of its suite under its model and policy, whether it is complete or
        was interrupted. All is one transaction, and what another process has begun by then is
        needed, too. `dry_run` deletes nothing, and says what would go. Raises `StoreError`.
        """
        # Reading suites takes longer than everything else: it is done before others have to wait.
        with explained(self.path):
            sentences = dict(_suite_sentences(self.database, {}))
        with self.database.transaction() as connection:
            before = _counts(connection)
            sentences |= _suite_sentences(self.database, sentences)
            _delete(connection, sentences)
            after = _counts(connection)
            if dry_run:
                connection.rollback()
        return Collected(
            n_deleted={name: before[name] - after[name] for name in _COUNTED}, n_left=after
        )

    @staticmethod
    def salvage(damaged: Path, target: Path) -> "Salvaged":
        """Write what can be read of a damaged store to a new one (`pommel.store.salvage`)."""
        from pommel.store.salvage import salvage

        return salvage(damaged, target)

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def default_store_path() -> Path:
    """Return the user's own store, there or not: POMMEL_STORE, or where such data lies."""
    return own_path("store")


def run_and_keep(  # noqa: PLR0913 - each of these is a choice of the caller's
    named: NamedModel,
    model: Model,
    suites: Sequence[Suite],
    choices: Choices | None = None,
    *,
    store: Store | None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Run]:
    """Yield what `run_suites` yields, under the model's name in its family.

    With a store, sentences that it has are not scored again. All others are kept, and complete
    runs, once a second and at the end, in one transaction; a run is yielded when it has been kept.
    Until then it is listed as interrupted.
    """
    choices = choices or Choices()
    suites = [*map(choices.as_run, suites)]
    info = model.info
    called = Named(name=named.name or info.name, membership=named.membership)
    if store is None:
        for run in run_suites(model, suites, choices, progress=progress):
            yield run.renamed(called)
        return
    begun = [(RunRecord.begun(info, suite, choices, called=called), suite) for suite in suites]
    store.runs.begin(begun, info, choices.policy)
    cached = store.cached(model)
    waiting = _Waiting(
        store=store,
        key=store.cache.key(info, choices.policy),
        forgotten=cached.forgotten,
        last=time.monotonic(),
        progress=progress,
    )
    # Verdicts are settled by the numbers that hold: those are kept before they are looked at.
    if not choices.settles(info):
        cached = replace(cached, waiting=waiting.sentences)
    try:
        for run in run_suites(cached, suites, choices, progress=waiting.go_on):
            waiting.runs.append(run.renamed(called))
            waiting.go_on()
            yield from waiting.kept_runs()
    except BaseException as failure:
        # What the store has refused once it would refuse again.
        if not isinstance(failure, StoreError):
            try:
                waiting.keep()
            except StoreError as error:
                raise error from failure
        if not isinstance(failure, GeneratorExit):
            yield from waiting.kept_runs()
        raise
    waiting.keep()
    yield from waiting.kept_runs()


@dataclass(slots=True, kw_only=True, eq=False)
class _Waiting:
    """What a model has said of suites, and the runs that came of it, until they are kept.

    Of several processes that score a sentence, the numbers of the first one hold: runs are
    evaluated again with the sentences of others (`theirs`) before they are kept.
    """

    store: Store
    key: CacheKey
    forgotten: set[str]
    last: float
    progress: Callable[[int], None] | None
    sentences: dict[str, ScoredSentence] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    theirs: dict[str, ScoredSentence] = field(default_factory=dict)
    kept: list[Run] = field(default_factory=list)

    def go_on(self, n_scored: int = 0) -> None:
        """Keep what waits once a second; then tell of sentences that have just been scored."""
        if time.monotonic() - self.last >= MOST_SECONDS:
            self.keep()
        if self.progress and n_scored:
            self.progress(n_scored)

    def keep(self) -> None:
        """Keep what waits in one transaction; raises `StoreError`, and then it goes on waiting."""
        if self.sentences or self.runs:
            self.store.cache.keep(
                self.key, self.sentences.values(), forgotten=self.forgotten, also=self._save
            )
            self.forgotten.clear()
            self.sentences.clear()
            self.kept += self.runs
            self.runs.clear()
        self.last = time.monotonic()

    def _save(self, connection: sqlite3.Connection, before: Mapping[str, ScoredSentence]) -> None:
        self.theirs |= before
        if self.theirs:
            self.runs = [each.resting_on(self.theirs) for each in self.runs]
        self.store.runs.write(connection, self.runs)

    def kept_runs(self) -> Iterator[Run]:
        """Yield each run that has been kept, once."""
        while self.kept:
            yield self.kept.pop(0)


# What is counted, and where.
_COUNTED = {
    "surprisals": "scored",
    "sentences": "sentences",
    "models": "models",
    "policies": "policies",
    "suites": "suites",
    "sessions": "sessions",
}


@frozen
class Collected:
    """How much was deleted: scored sentences (`surprisals`), their texts, models, ..."""

    n_deleted: Mapping[str, int]
    n_left: Mapping[str, int]


def _suite_sentences(
    database: Database, known: Mapping[int, set[bytes]]
) -> Iterator[tuple[int, set[bytes]]]:
    """Yield the hashes of a suite's sentences by its key, for all that runs have and are new."""
    rows = database.connection.execute(
        "SELECT suite_id, document FROM suites WHERE document IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM runs WHERE runs.suite_id = suites.suite_id)"
    )
    for suite_id, document in rows.fetchall():
        if suite_id not in known:
            suite = suite_from_document(database, document)
            yield suite_id, hashes_of(each.text for row in suite.sentences() for each in row)


def _delete(connection: sqlite3.Connection, sentences: Mapping[int, set[bytes]]) -> None:
    connection.execute(
        "CREATE TEMP TABLE suite_sentences (sentence_id INTEGER, suite_id INTEGER, "
        "PRIMARY KEY (sentence_id, suite_id)) WITHOUT ROWID"
    )
    connection.executemany(
        "INSERT INTO suite_sentences SELECT sentence_id, ? FROM sentences WHERE hash = ?",
        ((suite_id, each) for suite_id, hashes in sentences.items() for each in hashes),
    )
    connection.execute(
        "CREATE TEMP TABLE suite_runs (suite_id INTEGER, model_id INTEGER, policy_id INTEGER, "
        "PRIMARY KEY (suite_id, model_id, policy_id)) WITHOUT ROWID"
    )
    connection.execute(
        "INSERT INTO suite_runs SELECT suite_id, model_id, policy_id FROM runs "
        "WHERE suite_id IS NOT NULL AND model_id IS NOT NULL AND policy_id IS NOT NULL "
        # What was scored again in another number format, too.
        "UNION SELECT suite_id, models.model_id, policy_id FROM runs JOIN models "
        "ON models.fingerprint = json_extract(record, '$.verdicts.fingerprint') "
        "WHERE json_valid(record) AND suite_id IS NOT NULL AND policy_id IS NOT NULL"
    )
    connection.execute(
        "DELETE FROM scored WHERE NOT EXISTS ("
        "  SELECT 1 FROM suite_sentences JOIN suite_runs USING (suite_id)"
        "  WHERE suite_sentences.sentence_id = scored.sentence_id"
        "  AND suite_runs.model_id = scored.model_id"
        "  AND suite_runs.policy_id = scored.policy_id)"
    )
    connection.execute(
        "DELETE FROM suites WHERE NOT EXISTS "
        "(SELECT 1 FROM runs WHERE runs.suite_id = suites.suite_id)"
    )
    used = " UNION ".join(f"SELECT {each} FROM runs" for each in SHARED)  # noqa: S608 - our own names
    connection.execute(f"DELETE FROM documents WHERE document_id NOT IN ({used})")  # noqa: S608 - likewise
    delete_unused(connection)
    connection.execute("DROP TABLE temp.suite_sentences")
    connection.execute("DROP TABLE temp.suite_runs")


def _counts(connection: sqlite3.Connection) -> dict[str, int]:
    return {
        name: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
        for name, table in _COUNTED.items()
    }
