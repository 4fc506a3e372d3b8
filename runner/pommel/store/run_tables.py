"""Runs and their results, kept and found again."""

import contextlib
import datetime as dt
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pommel.errors import (
    InputError,
    StoreError,
    UsageError,
    counted,
    listed,
    package_version,
    quoted,
)
from pommel.files import JsonDocument, to_json
from pommel.models import ModelInfo, Policy
from pommel.scoring import (
    Choices,
    Run,
    RunRecord,
    SuiteSurprisals,
)
from pommel.store.database import (
    Database,
    damaged,
    explained,
    insert_row,
    key_of,
    marks,
    now,
    owner_ids,
    pieces,
)
from pommel.store.late_runs import late_run
from pommel.store.run_index import RunIndex
from pommel.store.run_rows import NAMED, RunRow, RunRows, storable
from pommel.store.selection import (
    OneEach,
    Selection,
    in_a_family_too,
    one_each,
    stored_models,
    told_apart_records,
)
from pommel.store.surprisal_cache import (
    CacheKey,
    SurprisalCache,
    hashes_of,
)
from pommel.suite import LoadedSuite, Suite
from pommel.values import frozen


@frozen
class RunTables:
    """The runs of a store, each known by its `run_id`; whatever writes is one transaction.

    All raise `StoreError` for what cannot be read or written.
    """

    database: Database
    cache: SurprisalCache
    rows: RunRows
    told_apart = staticmethod(told_apart_records)

    def begin(
        self, begun: Iterable[tuple[RunRecord, Suite]], info: ModelInfo, policy: Policy
    ) -> None:
        """Note that runs have begun; one that is known stays as it is, complete or not.

        `policy` is what the model is asked with; whether it names the method that it means is all
        one. What the runs need of the cache is kept for them from now on.
        """
        with self.database.transaction() as connection:
            rows = RunRows(connection=connection)
            for record, suite in begun:
                links = _links(connection, suite, info, policy)
                if key_of(connection, "runs", "run_id", record.run_id) is None:
                    rows.insert(record, links)

    def save(self, run: Run) -> RunRecord:
        """Keep a complete run, in the place of what was known of it; return its record.

        How far a server repeated itself stays known where this time the store answered for it.
        """
        with self.database.transaction() as connection:
            (record,) = self.write(connection, [run])
        return record

    @staticmethod
    def write(connection: sqlite3.Connection, runs: Iterable[Run]) -> list[RunRecord]:
        """Do what `save` does for each of some runs, within a transaction."""
        rows, records = RunRows(connection=connection), []
        for run in runs:
            surprisals = run.surprisals
            links = _links(connection, surprisals.suite, surprisals.model, surprisals.policy)
            records.append(_with_repetition(rows, RunRecord.of(run)))
            _replace(rows, records[-1], links)
        return records

    def save_records(self, records: Iterable[RunRecord]) -> int:
        """Keep results that come without tokens, all or none; return how many.

        Each takes the place of the one with its `run_id`, if there is one. One that does not say
        when it was made was made now.
        """
        n_saved = 0
        with self.database.transaction() as connection:
            rows = RunRows(connection=connection)
            for record in records:
                _replace(rows, record, {})
                n_saved += 1
        return n_saved

    def renew(self, run_ids: Iterable[str], new: Iterable[Run] = ()) -> None:
        """Note that runs have been evaluated again just now, and keep those of them that are new.

        All is one transaction. They are dated to the microsecond, so that they come after what was
        kept in this second.
        """
        just_now = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds")
        with self.database.transaction() as connection:
            self.write(connection, new)
            # Another process may have deleted one.
            for row in [*self.rows.rows(run_ids, items=True)]:
                self._check_whole(row)
                check_sum = self.rows.check_sum(row._replace(created=just_now))
                connection.execute(
                    "UPDATE runs SET created = ?, check_sum = ? WHERE run_key = ?",
                    (just_now, check_sum, row.run_key),
                )

    def records(self, selection: Selection | None = None) -> list[RunRecord]:
        """Return the selected runs (None: all complete ones) in the order in which they began."""
        with self.one_moment():
            return self.filled(self.heads(selection, items=selection is None))

    def records_of(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Return the runs with these ids that are there, in the order in which they began."""
        with self.one_moment():
            return self.filled([*self._heads(run_ids, items=True)])

    def heads(self, selection: Selection | None = None, *, items: bool = False) -> list[RunRecord]:
        """Return what `records` does; of predictions, all but what they came to item by item.

        With `items` that is read, too, of runs that are as they were left: where most are wanted,
        that is sooner done than to go through all of them once more (`filled`).
        """
        chosen = selection or Selection()
        with self.one_moment():
            return chosen.taken(self._heads(items=items))

    def at(self, keys: Iterable[int], *, items: bool = False) -> dict[int, RunRecord]:
        """Return the runs that are there of those with these keys in an index, with items if so.

        As many queries as for one: what they share is read together.
        """
        found = {}
        with self.one_moment():
            rows = [*self.rows.rows(keys=keys, items=items)]
            self.rows.read_documents(
                key for row in rows for key in (row.of_model, row.of_suite, row.of_choices)
            )
            for row in rows:
                found[row.run_key or 0] = record = self._record(row)
                if items:
                    self._check_whole(row)
                    record.result.read_items(row.items or b"")
        return found

    def _heads(self, run_ids: Iterable[str] | None = None, *, items: bool) -> Iterator[RunRecord]:
        for row in self.rows.rows(run_ids, items=items):
            record = self._record(row)
            if items and self.rows.is_whole(row):
                record.result.read_items(row.items or b"")
            yield record

    def _record(self, row: RunRow) -> RunRecord:
        try:
            return self.rows.record(row)
        except ValueError:
            what = f"what is kept of run {row.run_id} makes no sense"
            raise damaged(self.database.path, what) from None

    def filled(self, heads: list[RunRecord]) -> list[RunRecord]:
        """Read the items of runs that lack them; each of them has to be as it was left.

        Raises `StoreError` for one that is not, or is not there any more.
        """
        waiting = {each.run_id: each.result for each in heads if not each.result.is_read}
        if not waiting:
            return heads
        with self.one_moment():
            # To look for most of all runs by their ids takes longer than to pass over the others.
            ((n_there,),) = self.database.rows("SELECT count(*) FROM runs")
            are_most = 2 * len(waiting) > n_there
            for row in self.rows.rows(None if are_most else waiting, items=True):
                if own := waiting.pop(row.run_id, None):
                    self._check_whole(row)
                    own.read_items(row.items or b"")
        if waiting:
            raise StoreError(
                f"{self.database.path}: {len(waiting)} of the {len(heads)} runs that it lists "
                f"cannot be found; if nobody deletes runs just now, the file is damaged: `pommel "
                f"runs recover {self.database.path} -o NEW` saves what can be read"
            )
        return heads

    def _check_whole(self, row: RunRow) -> None:
        if not self.rows.is_whole(row):
            run = f"run {row.run_id} ({row.model_name} on {row.suite_name})"
            what = f"the results of {run} are not those that were kept"
            raise damaged(self.database.path, what)

    @contextlib.contextmanager
    def one_moment(self) -> Iterator[None]:
        """Have all that is read be of one moment, whatever others write meanwhile."""
        connection = self.database.connection
        if connection.in_transaction:
            yield
            return
        with explained(self.database.path):
            connection.execute("BEGIN")
            try:
                yield
            finally:
                connection.execute("ROLLBACK")

    def index(self, known: RunIndex | None = None) -> RunIndex:
        """Return all runs in brief, as they are now; of what is `known`, what has changed is read.

        The index that is known has to be of this file, and in the hands of one thread.
        """
        with self.one_moment():
            return (known or RunIndex()).renewed(self.database, self.rows)

    def is_empty(self) -> bool:
        """Say whether there is no run, complete or not."""
        return not self.database.rows("SELECT 1 FROM runs LIMIT 1")

    def run(self, run_id: str) -> Run:
        """Return a run with its tokens, which come from the cache: no model is needed.

        Raises `StoreError` for a run that is not there or not complete, has no tokens, or whose
        tokens are gone.
        """
        records = self.records_of([run_id])
        if not records:
            raise StoreError(f"{self.database.path}: has no run {run_id}")
        (run,) = self.runs(records)
        return Run(surprisals=run.surprisals, result=run.result)

    def runs(self, records: Sequence[RunRecord]) -> Iterator[Run]:
        """Yield the runs of records of this store; their tokens are read when they are looked at.

        That may be when the store is closed: the file is opened for it. Raises what `run` does.
        """
        suites: dict[str, Suite] = {}
        for record in records:
            sha256 = record.suite.sha256
            if sha256 not in suites:
                suites[sha256] = self.suite(record)
            yield late_run(record, suites[sha256], self.database.path)

    def evaluate_again(self, base: RunRecord, suite: Suite, choices: Choices) -> Run:
        """Check a suite's predictions against what the model of a run said; nothing is kept.

        It is the run's own suite, or another one of sentences that the cache has under the same
        model and policy; raises `StoreError`, which says how many it lacks. The provenance says
        when and from which run (`scored`): model, machine and packages are those that scored it.
        """
        suite = choices.as_run(suite)
        scored = base.how_scored
        origin = {"run_id": base.run_id, "date": scored["date"], "pommel": scored["pommel"]}
        provenance = {
            **scored,
            "suite": suite.identity,
            "pommel": package_version("pommel"),
            "date": now(),
            "scored": scored.get("scored", origin),
        }
        surprisals = replace(self.surprisals(base, suite), provenance=provenance)
        if exact := scored.get("verdicts"):
            left_open = surprisals.left_open(exact["noise_bits"], choices) - {*exact["sentences"]}
            if left_open:
                raise StoreError(
                    f"{self.database.path}: of {suite.name}, {counted(len(left_open), 'sentence')} "
                    f"would have to be scored again in {exact['dtype']} for these predictions; run "
                    f"{base.model.reference} with --verdicts {exact['dtype']} on it"
                )
        result = replace(surprisals.evaluate(choices), membership=base.result.membership)
        return Run(surprisals=surprisals, result=result)

    def surprisals(self, record: RunRecord, suite: Suite) -> SuiteSurprisals:
        """Return the surprisals of any suite from what a run's model said under the run's policy.

        Raises `StoreError` for a run that is not complete, and if the cache lacks a sentence, or a
        region that the predictions look at.
        """
        path = self.database.path
        if record.status != "complete":
            raise StoreError(
                f"{path}: run {record.run_id} was interrupted; the command that began it goes on "
                f"with it"
            )
        needed = record.needed(suite)
        info = needed.model
        key = CacheKey(model=info, policy=cached_policy(info, needed.choices.policy))
        sentences = record.failed | self.cache.known(key, needed.texts)
        if exact := record.how_scored.get("verdicts"):
            key = replace(key, model=replace(info, fingerprint=exact["fingerprint"]))
            # A sentence of one format only is none at all.
            sentences = {
                text: sentences[text] for text in {*sentences}.difference(exact["sentences"])
            }
            sentences |= self.cache.known(key, exact["sentences"])
        missing = [
            text
            for text in needed.texts
            if text not in sentences or not needed.are_in(sentences[text])
        ]
        if missing:
            raise StoreError(
                f"{path}: {record.result.model_name} has not scored {len(missing)} of "
                f"{counted(len(needed.texts), 'sentence')} of {suite.name} under this policy, the "
                f"first {quoted(missing[0])}; `pommel run {record.model.reference} SUITE` scores "
                f"them"
            )
        return record.surprisals(needed, sentences)

    def with_tokens(self, records: Sequence[RunRecord]) -> list[RunRecord]:
        """Return the records of runs that have tokens: not those of results of others."""
        rows = self.database.rows(
            f"SELECT run_id FROM runs {NAMED} "  # noqa: S608 - our own text
            "AND model_id IS NOT NULL AND suite_id IS NOT NULL",
            [json.dumps([each.run_id for each in records])],
        )
        ids = {run_id for (run_id,) in rows}
        return [each for each in records if each.run_id in ids]

    def with_tokens_at(self, keys: Iterable[int]) -> list[int]:
        """Return those of the keys in an index whose runs have tokens, in this order."""
        wanted = [*keys]
        rows = self.database.rows(
            "SELECT run_key FROM runs WHERE run_key IN (SELECT value FROM json_each(?)) "
            "AND model_id IS NOT NULL AND suite_id IS NOT NULL",
            [json.dumps(wanted)],
        )
        there = {key for (key,) in rows}
        return [key for key in wanted if key in there]

    def check_tokens(self, records: Sequence[RunRecord]) -> None:
        """Raise `UsageError` if there are records of runs that have no tokens."""
        own = {each.run_id for each in self.with_tokens(records)}
        if without := [each.run_id for each in records if each.run_id not in own]:
            raise UsageError(
                f"there are no tokens of {listed(without)}: only results were imported; run the "
                f"model with `pommel run`"
            )

    def newest(self, records: Sequence[RunRecord], *, any_rule: bool = False) -> OneEach:
        """Choose the newest run of each model on each suite under each score rule (`one_each`)."""
        return one_each(records, scored=_scored_ids(records), any_rule=any_rule)

    def without_twins(self, records: Sequence[RunRecord]) -> list[RunRecord]:
        """Leave out runs of a model alone that has run in a family on the suite just so."""
        twins = in_a_family_too(records, stored_models(records), scored=_scored_ids(records))
        return [each for each in records if each.run_id not in twins]

    def progress(self, record: RunRecord) -> tuple[int, int] | None:
        """Return how many distinct sentences of a run's suite are scored, and how many it has.

        Sentences that another run had scored before count, too. None for results of others.
        """
        if not self.with_tokens([record]):
            return None
        texts = {each.text for row in self.suite(record).sentences() for each in row}
        hashes = [*hashes_of(texts)]
        n_scored = 0
        for piece in pieces(hashes):
            ((n_there,),) = self.database.rows(
                "SELECT count(*) FROM runs JOIN scored USING (model_id, policy_id) "  # noqa: S608 - marks
                f"JOIN sentences USING (sentence_id) WHERE run_id = ? AND hash IN ({marks(piece)})",
                (record.run_id, *piece),
            )
            n_scored += n_there
        return n_scored, len(texts)

    def suite(self, record: RunRecord) -> Suite:
        """Return the suite of a run as it was; raises `StoreError` where only results are known."""
        rows = self.database.rows(
            "SELECT document FROM runs JOIN suites USING (suite_id) "
            "WHERE run_id = ? AND document IS NOT NULL",
            (record.run_id,),
        )
        if not rows:
            raise StoreError(
                f"{self.database.path}: of run {record.run_id} ({record.result.model_name} on "
                f"{record.result.suite_name}) there are results only, no suite and no tokens"
            )
        suite = suite_from_document(self.database, rows[0][0])
        if record.suite.sha256 not in {"", suite.sha256}:
            raise damaged(self.database.path, f"run {record.run_id} has another run's suite")
        return suite

    def delete(self, run_ids: Sequence[str]) -> int:
        """Delete runs and their results, not their surprisals; return how many there were."""
        with self.database.transaction() as connection:
            sql = f"DELETE FROM runs {NAMED}"  # noqa: S608 - our own text
            return connection.execute(sql, (json.dumps(run_ids),)).rowcount


def _scored_ids(records: Iterable[RunRecord]) -> set[str]:
    """Return the ids of the runs that have a score: not of those without predictions."""
    return {each.run_id for each in records if each.result.scored}


# The keys of a run's model, policy and suite; none for what others measured.
_Links = Mapping[str, int]


def _links(connection: sqlite3.Connection, suite: Suite, info: ModelInfo, policy: Policy) -> _Links:
    ids = owner_ids(connection, info, cached_policy(info, policy))
    suite_id = key_of(connection, "suites", "sha256", suite.sha256)
    if suite_id is None:
        row = {"sha256": suite.sha256, "name": storable(suite.name), "document": _document(suite)}
        suite_id = insert_row(connection, "suites", row)
    return {**ids, "suite_id": suite_id}


def _replace(rows: RunRows, record: RunRecord, links: _Links) -> None:
    """Keep a complete run with its results, in the place of what was known of it."""
    run_key = key_of(rows.connection, "runs", "run_id", record.run_id)
    # With its results; its key stays, by which runs are in the order in which they began.
    rows.connection.execute("DELETE FROM runs WHERE run_key = ?", (run_key,))
    rows.insert(record, {"run_key": run_key, **links, "finished": now()})


def _with_repetition(rows: RunRows, record: RunRecord) -> RunRecord:
    """Return a record with what is kept of sentences that its server was asked for again."""
    model = record.result.provenance["model"]
    kept: Mapping[str, Any] = {}
    for row in rows.rows([record.run_id]):
        # One that makes no sense is replaced all the same.
        with contextlib.suppress(ValueError):
            kept = rows.record(row).result.provenance.get("model", {}).get("details", {})
    if not kept.get("asked_again") or "asked_again" in model["details"]:
        return record
    details = {**model["details"], "asked_again": kept["asked_again"]}
    provenance = {**record.result.provenance, "model": {**model, "details": details}}
    return replace(record, result=replace(record.result, provenance=provenance))


def cached_policy(info: ModelInfo, policy: Policy) -> Policy:
    """Return the policy under which the cache has a model's tokens.

    It names the method that it means, "auto" for a model that has none to name (a container, a
    recording); what that is known to have been made with makes no difference.
    """
    return replace(policy, method=info.method(policy) if info.methods else "auto")


def _document(suite: Suite) -> bytes:
    value = suite.to_dict()
    try:
        text = JsonDocument.encoded(value)
    except ValueError:
        # Half of a surrogate pair, which is written with its escape.
        text = to_json(value).encode()
    return zlib.compress(text)


def document_hash(document: bytes) -> str:
    """Return the `Suite.sha256` of the suite in a document, without making the suite of it.

    Raises `zlib.error`, and `ValueError` for what is no JSON.
    """
    content = json.loads(zlib.decompress(document))
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def suite_from_document(database: Database, document: bytes) -> Suite:
    """Return the suite of a row of `suites`; raises `StoreError` for one that is damaged."""
    try:
        return LoadedSuite.parse(zlib.decompress(document).decode(), file="<store>").suite
    except (zlib.error, TypeError, UnicodeDecodeError, InputError) as error:
        raise damaged(database.path, f"a suite cannot be read: {error}") from None
