"""Runs and their results, kept and found again."""

import contextlib
import datetime as dt
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pommel.errors import StoreError
from pommel.models.model import ModelInfo, Policy
from pommel.scoring.results import ScoreRule
from pommel.scoring.run import Oov, Run
from pommel.scoring.run_record import RunRecord
from pommel.store.database import Database
from pommel.store.failures import explained
from pommel.store.item_table import add_predictions, predictions_of
from pommel.store.progress import progress_of
from pommel.store.record_rows import RUN_COLUMNS, bare_record, run_row
from pommel.store.run_surprisals import cached_policy, evaluated_again, run_of
from pommel.store.seals import seal
from pommel.store.selection import Selection
from pommel.store.suite_documents import describe_suite, suite_of
from pommel.store.surprisal_cache import SurprisalCache, describe_model, describe_policy
from pommel.suite.suite import Suite

# Keys of a run's model, policy and suite; None for what others measured.
_Links = tuple[int | None, int | None, int | None]

_COLUMNS = (*RUN_COLUMNS, "model_id", "policy_id", "suite_id", "finished")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTables:
    """The runs of a store, each known by its `run_id`; whatever writes is one transaction.

    All raise `StoreError` for what cannot be read or written.
    """

    database: Database
    cache: SurprisalCache

    def begin(self, record: RunRecord, suite: Suite, info: ModelInfo, policy: Policy) -> None:
        """Note that a run has begun; one that is known stays as it is, complete or not.

        `policy` is what the model is asked with; whether it names the method that it means is all
        one. What the run needs of the cache is kept for it from now on.
        """
        with self.database.transaction() as connection:
            links = _links(connection, suite, info, policy)
            if _run_key(connection, record.run_id) is None:
                _add(connection, _dated(record), links, finished=None)

    def save(self, run: Run) -> RunRecord:
        """Keep a complete run, in the place of what was known of it; return its record."""
        record = RunRecord.of(run)
        surprisals = run.surprisals
        with self.database.transaction() as connection:
            links = _links(connection, surprisals.suite, surprisals.model, surprisals.policy)
            _replace(connection, record, links)
        return record

    def save_records(self, records: Iterable[RunRecord]) -> int:
        """Keep results that come without tokens, all or none; return how many.

        Each takes the place of the one with its `run_id`, if there is one. One that does not say
        when it was made was made now.
        """
        n_saved = 0
        with self.database.transaction() as connection:
            for record in records:
                _replace(connection, _dated(record), (None, None, None))
                n_saved += 1
        return n_saved

    def renew(self, run_ids: Iterable[str]) -> None:
        """Note that complete runs have been evaluated again, with the same results, just now.

        They are dated to the microsecond, so that they come after what was kept in this second.
        """
        now = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds")
        with self.database.transaction() as connection:
            for run_id in run_ids:
                run_key = _run_key(connection, run_id)
                # Another process may have deleted it.
                if run_key is not None:
                    connection.execute(
                        "UPDATE runs SET created = ? WHERE run_key = ?", (now, run_key)
                    )
                    seal(connection, run_key)

    def records(self, selection: Selection | None = None) -> list[RunRecord]:
        """Return the selected runs (None: all complete ones) in the order in which they began."""
        with _reading(self.database) as connection:
            return _filled(connection, dict(_selected(connection, selection or Selection())))

    def records_of(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Return the runs with these ids that are there, in the order in which they began."""
        where = "WHERE run_id IN (SELECT value FROM json_each(?))"
        with _reading(self.database) as connection:
            return _filled(connection, dict(_bare(connection, where, json.dumps(list(run_ids)))))

    def heads(self, selection: Selection | None = None) -> list[RunRecord]:
        """Return what `records` does, with results that lack predictions and items."""
        with _reading(self.database) as connection:
            return [each for _, each in _selected(connection, selection or Selection())]

    def is_empty(self) -> bool:
        """Say whether there is no run, complete or not."""
        return not self.database.rows("SELECT 1 FROM runs LIMIT 1")

    def run(self, run_id: str) -> Run:
        """Return a run with its tokens, which come from the cache: no model is needed.

        Raises `StoreError` for a run that is not there or not complete, has no tokens, or whose
        tokens are gone.
        """
        records = self.records(Selection(run_ids=(run_id,), complete_only=False))
        if not records:
            raise StoreError(f"{self.database.path}: has no run {run_id}")
        (run,) = self.runs(records)
        return run

    def runs(self, records: Sequence[RunRecord]) -> Iterator[Run]:
        """Yield the runs of records of this store, as `run` returns them."""
        suites: dict[str, Suite] = {}
        for record in records:
            sha256 = record.suite.sha256
            if sha256 not in suites:
                suites[sha256] = suite_of(self.database, record)
            yield run_of(self.cache, record, suites[sha256])

    def evaluate_again(
        self, base: RunRecord, suite: Suite, *, score_rule: ScoreRule, oov: Oov
    ) -> Run:
        """Check a suite's predictions against what the model of a run said; nothing is kept.

        It is the run's own suite, or another one of sentences that the cache has under the same
        model and policy; raises `StoreError`, which says how many it lacks.
        """
        return evaluated_again(self.cache, base, suite, score_rule=score_rule, oov=oov)

    def with_tokens(self, records: Sequence[RunRecord]) -> list[RunRecord]:
        """Return the records of runs that have tokens: not those of results of others."""
        rows = self.database.rows(
            "SELECT run_id FROM runs WHERE model_id IS NOT NULL AND suite_id IS NOT NULL"
        )
        ids = {run_id for (run_id,) in rows}
        return [each for each in records if each.run_id in ids]

    def scored_ids(self) -> set[str]:
        """Return the ids of the complete runs that have a score: not those without predictions."""
        rows = self.database.rows(
            "SELECT run_id FROM runs WHERE status = 'complete' AND "
            "(run_key IN (SELECT run_key FROM predictions) OR "
            "json_extract(record, '$.reported') IS NOT NULL)"
        )
        return {run_id for (run_id,) in rows}

    def progress(self, record: RunRecord) -> tuple[int, int] | None:
        """Return how many distinct sentences of a run's suite are scored, and how many it has.

        None for results of others.
        """
        return progress_of(self.database, record) if self.with_tokens([record]) else None

    def suite(self, record: RunRecord) -> Suite:
        """Return the suite of a run as it was; raises `StoreError` where only results are known."""
        return suite_of(self.database, record)

    def delete(self, run_ids: Sequence[str]) -> int:
        """Delete runs and their results, not their surprisals; return how many there were."""
        with self.database.transaction() as connection:
            sql = "DELETE FROM runs WHERE run_id IN (SELECT value FROM json_each(?))"
            return connection.execute(sql, (json.dumps(list(run_ids)),)).rowcount


def _selected(
    connection: sqlite3.Connection, selection: Selection
) -> Iterator[tuple[int, RunRecord]]:
    """Yield (run_key, record without predictions) of the selected runs."""
    where = ""
    if selection.run_ids:
        begins_so = "substr(run_id, 1, length(value)) = value"
        where = f"WHERE EXISTS (SELECT 1 FROM json_each(?) WHERE {begins_so})"  # noqa: S608 - our own text
    for run_key, record in _bare(connection, where, json.dumps(selection.run_ids)):
        if selection.takes(record):
            yield run_key, record


def _bare(connection: sqlite3.Connection, where: str, ids: str) -> Iterator[tuple[int, RunRecord]]:
    """Yield (run_key, record without predictions); `ids` is what a mark in `where` stands for."""
    sql = f"SELECT run_key, {', '.join(RUN_COLUMNS)} FROM runs {where} ORDER BY run_key"  # noqa: S608 - our own text
    for run_key, *row in connection.execute(sql, (ids,) if where else ()):
        yield run_key, bare_record(row)


def _filled(connection: sqlite3.Connection, bare: Mapping[int, RunRecord]) -> list[RunRecord]:
    """Return records with their predictions, by the keys of their runs."""
    found = predictions_of(connection, list(bare))
    records = []
    for run_key, record in bare.items():
        numbers, predictions = found.get(run_key, (record.result.item_numbers, ()))
        result = replace(record.result, item_numbers=numbers, predictions=predictions)
        records.append(replace(record, result=result))
    return records


def _links(connection: sqlite3.Connection, suite: Suite, info: ModelInfo, policy: Policy) -> _Links:
    return (
        describe_model(connection, info),
        describe_policy(connection, cached_policy(info, policy)),
        describe_suite(connection, suite),
    )


def _run_key(connection: sqlite3.Connection, run_id: str) -> int | None:
    rows = connection.execute("SELECT run_key FROM runs WHERE run_id = ?", (run_id,)).fetchall()
    return int(rows[0][0]) if rows else None


def _add(
    connection: sqlite3.Connection, record: RunRecord, links: _Links, *, finished: str | None
) -> int:
    """Enter a run that is new; return its key."""
    marks = ", ".join("?" * len(_COLUMNS))
    added = connection.execute(
        f"INSERT INTO runs ({', '.join(_COLUMNS)}) VALUES ({marks})",  # noqa: S608 - our own names
        (*run_row(record), *links, finished),
    )
    assert added.lastrowid is not None  # noqa: S101 - one row was added
    return added.lastrowid


def _replace(connection: sqlite3.Connection, record: RunRecord, links: _Links) -> None:
    run_key = _run_key(connection, record.run_id)
    if run_key is None:
        run_key = _add(connection, record, links, finished=_now())
    else:
        anew = ", ".join(f"{name} = ?" for name in _COLUMNS)
        connection.execute(
            f"UPDATE runs SET {anew} WHERE run_key = ?",  # noqa: S608 - our own names
            (*run_row(record), *links, _now(), run_key),
        )
        connection.execute("DELETE FROM predictions WHERE run_key = ?", (run_key,))
    add_predictions(connection, run_key, record.result)
    seal(connection, run_key)


@contextlib.contextmanager
def _reading(database: Database) -> Iterator[sqlite3.Connection]:
    """Give the connection; all that is read is of one moment, whatever others write meanwhile."""
    with explained(database.path, busy_seconds=database.busy_seconds):
        database.connection.execute("BEGIN")
        try:
            yield database.connection
        finally:
            database.connection.execute("ROLLBACK")


def _dated(record: RunRecord) -> RunRecord:
    return record if record.created else replace(record, created=_now())


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
