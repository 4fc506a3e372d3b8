"""Runs and their results, kept and found again."""

import contextlib
import datetime as dt
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from pommel.errors import InputError, StoreError, counted, package_version, quoted
from pommel.files import is_encodable
from pommel.models import Membership, ModelInfo, Policy
from pommel.scoring import (
    Choices,
    ModelFacts,
    NeededSentences,
    PredictionResult,
    Run,
    RunRecord,
    Score,
    SuiteFacts,
    SuiteResult,
    SuiteSurprisals,
)
from pommel.store.database import (
    Database,
    ItemRow,
    damaged,
    explained,
    kept_results,
    marks,
    pieces,
    seal,
)
from pommel.store.selection import OneEach, Selection, in_a_family_too, one_each, told_apart_records
from pommel.store.surprisal_cache import (
    CacheKey,
    SurprisalCache,
    describe_model,
    describe_policy,
    sentence_hash,
)
from pommel.suite import LoadedSuite, Suite
from pommel.surprisal import ScoredSentence

# The columns of `runs` that a record is made of again; their order is that of `run_row`.
RUN_COLUMNS = (
    "run_id",
    "status",
    "source",
    "created",
    "model_name",
    "suite_name",
    "circuit",
    "language",
    "score_rule",
    "record",
)

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
        """Keep a complete run, in the place of what was known of it; return its record.

        How far a server repeated itself stays known where this time the store answered for it.
        """
        record = RunRecord.of(run)
        surprisals = run.surprisals
        with self.database.transaction() as connection:
            links = _links(connection, surprisals.suite, surprisals.model, surprisals.policy)
            record = _with_repetition(connection, record)
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
                    self.database.check_whole(run_key, run=f"run {run_id}")
                    connection.execute(
                        "UPDATE runs SET created = ? WHERE run_key = ?", (now, run_key)
                    )
                    seal(connection, run_key)

    def records(self, selection: Selection | None = None) -> list[RunRecord]:
        """Return the selected runs (None: all complete ones) in the order in which they began."""
        with _reading(self.database):
            return _filled(self.database, dict(_selected(self.database, selection or Selection())))

    def records_of(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Return the runs with these ids that are there, in the order in which they began."""
        where, ids = "WHERE run_id IN (SELECT value FROM json_each(?))", json.dumps(list(run_ids))
        with _reading(self.database):
            return _filled(self.database, dict(_bare(self.database, where, ids)))

    def heads(self, selection: Selection | None = None) -> list[RunRecord]:
        """Return what `records` does, with results that lack predictions and items."""
        with _reading(self.database):
            return [each for _, each in _selected(self.database, selection or Selection())]

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

    def evaluate_again(self, base: RunRecord, suite: Suite, choices: Choices) -> Run:
        """Check a suite's predictions against what the model of a run said; nothing is kept.

        It is the run's own suite, or another one of sentences that the cache has under the same
        model and policy; raises `StoreError`, which says how many it lacks.
        """
        return evaluated_again(self.cache, base, suite, choices)

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

    def newest(self, records: Sequence[RunRecord], *, any_rule: bool = False) -> OneEach:
        """Choose the newest run of each model on each suite under each score rule (`one_each`)."""
        return one_each(records, scored=self.scored_ids(), any_rule=any_rule)

    def without_twins(self, records: Sequence[RunRecord]) -> list[RunRecord]:
        """Leave out runs of a model alone that has run in a family on the suite just so."""
        twins = in_a_family_too(records, scored=self.scored_ids())
        return [each for each in records if each.run_id not in twins]

    @staticmethod
    def told_apart(records: Sequence[RunRecord]) -> list[RunRecord]:
        """Return records of the store in which no two models share a name, nor two families."""
        return told_apart_records(records)

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


def _selected(database: Database, selection: Selection) -> Iterator[tuple[int, RunRecord]]:
    """Yield (run_key, record without predictions) of the selected runs."""
    where = ""
    if selection.run_ids:
        begins_so = "substr(run_id, 1, length(value)) = value"
        where = f"WHERE EXISTS (SELECT 1 FROM json_each(?) WHERE {begins_so})"  # noqa: S608 - our own text
    for run_key, record in _bare(database, where, json.dumps(selection.run_ids)):
        if selection.takes(record):
            yield run_key, record


def _bare(database: Database, where: str, ids: str) -> Iterator[tuple[int, RunRecord]]:
    """Yield (run_key, record without predictions); `ids` is what a mark in `where` stands for."""
    connection = database.connection
    sql = f"SELECT run_key, {', '.join(RUN_COLUMNS)} FROM runs {where} ORDER BY run_key"  # noqa: S608 - our own text
    for run_key, *row in connection.execute(sql, (ids,) if where else ()):
        record = readable_record(row)
        if record is None:
            raise damaged(database.path, f"what is kept of run {row[0]} makes no sense")
        yield run_key, record


def _filled(database: Database, bare: Mapping[int, RunRecord]) -> list[RunRecord]:
    """Return records with their predictions, by the keys of their runs; each has to be whole."""
    records = []
    for run_key, record in bare.items():
        kept = list(kept_results(database.connection, run_key))
        result = record.result
        run = f"run {record.run_id} ({result.model_name} on {result.suite_name})"
        database.check_whole(run_key, kept, run=run)
        predictions = tuple(prediction_of(*head, ItemRows.of(rows)) for head, rows in kept)
        numbers = result.item_numbers
        if kept:
            numbers = tuple(number for _, number, *_ in kept[0][1])
        result = replace(record.result, item_numbers=numbers, predictions=predictions)
        records.append(replace(record, result=result))
    return records


def _links(connection: sqlite3.Connection, suite: Suite, info: ModelInfo, policy: Policy) -> _Links:
    asked = cached_policy(info, policy)
    return (
        describe_model(connection, info),
        describe_policy(connection, asked),
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


def _with_repetition(connection: sqlite3.Connection, record: RunRecord) -> RunRecord:
    """Return a record with what is kept of sentences that its server was asked for again."""
    sql = (
        "SELECT json_extract(record, '$.provenance.model.details.asked_again') FROM runs "
        "WHERE run_id = ?"
    )
    kept = [each for (each,) in connection.execute(sql, (record.run_id,)) if each]
    model = record.result.provenance["model"]
    if not kept or "asked_again" in model["details"]:
        return record
    details = {**model["details"], "asked_again": json.loads(kept[0])}
    provenance = {**record.result.provenance, "model": {**model, "details": details}}
    return replace(record, result=replace(record.result, provenance=provenance))


@contextlib.contextmanager
def _reading(database: Database) -> Iterator[None]:
    """Have all that is read be of one moment, whatever others write meanwhile."""
    with explained(database.path, busy_seconds=database.busy_seconds):
        database.connection.execute("BEGIN")
        try:
            yield
        finally:
            database.connection.execute("ROLLBACK")


def _dated(record: RunRecord) -> RunRecord:
    return record if record.created else replace(record, created=_now())


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def progress_of(database: Database, record: RunRecord) -> tuple[int, int]:
    """Return how many of the distinct sentences of a run's suite are scored, and how many it has.

    Sentences that another run had scored before count, too. Raises `StoreError` where only results
    are known.
    """
    suite = suite_of(database, record)
    texts = {each.text for row in suite.sentences() for each in row}
    hashes = [found for each in texts if (found := sentence_hash(each)) is not None]
    n_scored = sum(_n_scored(database, record.run_id, piece) for piece in pieces(hashes))
    return n_scored, len(texts)


def _n_scored(database: Database, run_id: str, hashes: Sequence[bytes]) -> int:
    ((n_scored,),) = database.rows(
        "SELECT count(*) FROM runs JOIN scored USING (model_id, policy_id) "  # noqa: S608 - marks
        f"JOIN sentences USING (sentence_id) WHERE run_id = ? AND hash IN ({marks(hashes)})",
        (run_id, *hashes),
    )
    return int(n_scored)


def cached_policy(info: ModelInfo, policy: Policy) -> Policy:
    """Return the policy under which the cache has a model's tokens.

    It names the method that it means, "auto" for a model that has none to name (a container, a
    recording); what that is known to have been made with makes no difference.
    """
    return replace(policy, method=info.method(policy) if info.methods else "auto")


def run_of(cache: SurprisalCache, record: RunRecord, suite: Suite) -> Run:
    """Return the run of a record and its suite, with the tokens that the cache has.

    Raises `StoreError` for a run that is not complete, and for tokens that are gone.
    """
    surprisals = stored_surprisals(cache, record, suite)
    provenance = without_scoring_choices(record.result.provenance)
    return Run(surprisals=replace(surprisals, provenance=provenance), result=record.result)


def evaluated_again(cache: SurprisalCache, base: RunRecord, suite: Suite, choices: Choices) -> Run:
    """Return the run of any suite from what a run's model said under the run's policy.

    Its provenance says when and from which run (`scored`): model, machine and packages are those
    that scored it. Raises as `stored_surprisals` does.
    """
    surprisals = stored_surprisals(cache, base, suite)
    scored = without_scoring_choices(base.result.provenance)
    origin = {"run_id": base.run_id, "date": scored["date"], "pommel": scored["pommel"]}
    provenance = {
        **scored,
        "suite": suite.identity,
        "pommel": package_version("pommel"),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "scored": scored.get("scored", origin),
    }
    surprisals = replace(surprisals, provenance=provenance)
    result = surprisals.evaluate(choices)
    return Run(surprisals=surprisals, result=replace(result, membership=base.result.membership))


def stored_surprisals(cache: SurprisalCache, record: RunRecord, suite: Suite) -> SuiteSurprisals:
    """Return the surprisals of any suite from what a run's model said under the run's policy.

    Their provenance is empty. Raises `StoreError` for a run that is not complete, and if the cache
    lacks a sentence, or a region that the predictions look at.
    """
    if record.status != "complete":
        raise StoreError(
            f"{cache.database.path}: run {record.run_id} was interrupted; the command that began "
            f"it goes on with it"
        )
    scored = record.result.provenance
    info = replace(ModelInfo.from_dict(scored["model"]), name=record.result.model_name)
    policy = _asked(scored["policy"])
    choices = Choices(policy=policy, compat=scored["compat"], regions="needed")
    needed = NeededSentences.of(suite, info, choices)
    key = CacheKey(model=info, policy=cached_policy(info, policy))
    sentences = cache.known(key, needed.texts)
    _check_complete(cache, record, suite.name, sentences, needed)
    method = scored["method"]
    return SuiteSurprisals.from_sentences(needed, sentences, method=method, provenance={})


def _asked(described: dict[str, Any]) -> Policy:
    choices = {name: value for name, value in described.items() if name != "fingerprint"}
    return Policy(**choices)


def _check_complete(
    cache: SurprisalCache,
    record: RunRecord,
    suite_name: str,
    sentences: dict[str, ScoredSentence],
    needed: NeededSentences,
) -> None:
    missing = [
        text for text in needed.texts if text not in sentences or not needed.are_in(sentences[text])
    ]
    if missing:
        raise StoreError(
            f"{cache.database.path}: {record.result.model_name} has not scored "
            f"{len(missing)} of {counted(len(needed.texts), 'sentence')} of {suite_name} "
            f"under this policy, the first {quoted(missing[0])}; `pommel run "
            f"{record.model.reference} SUITE` scores them"
        )


def describe_suite(connection: sqlite3.Connection, suite: Suite) -> int:
    """Return the key of a suite, which is entered if it is new; within a transaction."""
    sha256 = suite.sha256
    sql = "SELECT suite_id FROM suites WHERE sha256 = ?"
    if known := connection.execute(sql, (sha256,)).fetchone():
        return int(known[0])
    # A text with half of a surrogate pair is written with its escape.
    document = zlib.compress(suite.to_text().encode())
    connection.execute(
        "INSERT INTO suites (sha256, name, document) VALUES (?, ?, ?)",
        (sha256, storable(suite.name), document),
    )
    return int(connection.execute(sql, (sha256,)).fetchone()[0])


def suite_of(database: Database, record: RunRecord) -> Suite:
    """Return the suite that a run was made with; raises `StoreError` if only results are known."""
    rows = database.rows(
        "SELECT document FROM runs JOIN suites USING (suite_id) "
        "WHERE run_id = ? AND document IS NOT NULL",
        (record.run_id,),
    )
    if not rows:
        raise StoreError(
            f"{database.path}: of run {record.run_id} ({record.result.model_name} on "
            f"{record.result.suite_name}) there are results only, no suite and no tokens"
        )
    suite = suite_from_document(database, rows[0][0])
    if record.suite.sha256 not in {"", suite.sha256}:
        raise damaged(database.path, f"run {record.run_id} has another run's suite")
    return suite


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
    except (zlib.error, UnicodeDecodeError, InputError) as error:
        raise damaged(database.path, f"a suite cannot be read: {error}") from None


# What a bit of `item_results.flags` says of an item.
_TIE, _UNDEFINED, _UNSCORED, _OOV, _SKIPPED, _SWALLOWED = 1, 2, 4, 8, 16, 32

# What a column of whole numbers holds.
_LARGEST = 2**63 - 1
_STATUS_OF_ROW = {"running": "interrupted", "complete": "complete"}
_ROW_OF_STATUS = {status: word for word, status in _STATUS_OF_ROW.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRows:
    """Rows of `item_results` of one prediction, in the order of the items, as columns."""

    item_numbers: NDArray[np.int64]
    holds: NDArray[np.bool_]
    margin_bits: NDArray[np.float64]
    flags: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[ItemRow]) -> Self:
        """Return rows (position, item number, holds, margin, flags) as columns."""
        _, numbers, holds, margins, flags = zip(*rows, strict=True) if rows else [()] * 5
        return cls(
            item_numbers=np.array(numbers, dtype=np.int64),
            holds=np.array(holds, dtype=np.bool_),
            # NumPy takes None for NaN where floats are asked for.
            margin_bits=np.array(margins, dtype=np.float64),
            flags=np.array(flags, dtype=np.uint8),
        )


def run_row(record: RunRecord) -> tuple[str, ...]:
    """Return what `runs` holds of a record, in the order of `RUN_COLUMNS`."""
    result = record.result
    described = {
        "model": asdict(record.model),
        "suite": asdict(record.suite),
        "policy": dict(record.policy),
        "settings": dict(record.settings),
        "membership": asdict(result.membership) if result.membership else None,
        "reported": asdict(result.reported) if result.reported else None,
        # Where there are predictions, their items have the numbers.
        "item_numbers": [] if result.predictions else list(result.item_numbers),
        "provenance": dict(result.provenance),
    }
    return (
        record.run_id,
        _ROW_OF_STATUS[record.status],
        storable(record.source),
        record.created,
        storable(result.model_name),
        storable(result.suite_name),
        storable(result.circuit),
        storable(record.suite.language),
        result.score_rule,
        json.dumps(described, separators=(",", ":")),
    )


def bare_record(row: Sequence[Any]) -> RunRecord:
    """Return the record of a row of `runs` (`RUN_COLUMNS`), as yet without predictions."""
    run_id, status, source, created, model_name, suite_name, circuit, _language, rule, text = row
    described = json.loads(text)
    member, reported = described["membership"], described["reported"]
    return RunRecord(
        run_id=run_id,
        result=SuiteResult(
            suite_name=suite_name,
            circuit=circuit,
            model_name=model_name,
            score_rule=rule,
            item_numbers=tuple(described["item_numbers"]),
            predictions=(),
            membership=Membership(**member) if member else None,
            reported=Score(**reported) if reported else None,
            provenance=described["provenance"],
        ),
        model=ModelFacts(**described["model"]),
        suite=SuiteFacts(**described["suite"]),
        policy=described["policy"],
        settings=described["settings"],
        source=source,
        status=_STATUS_OF_ROW[status],  # type: ignore[arg-type]
        created=created,
    )


def readable_record(row: Sequence[Any]) -> RunRecord | None:
    """Return what `bare_record` does; None for a row of which no record can be made."""
    try:
        return bare_record(row)
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def item_rows(
    result: SuiteResult, prediction: PredictionResult
) -> Iterator[tuple[int, int, bool, float | None, int]]:
    """Yield (position, item number, holds, margin in bits, flags) of each item.

    Raises `StoreError` for an item number that no column holds.
    """
    too_large = next((each for each in result.item_numbers if abs(each) > _LARGEST), None)
    if too_large is not None:
        raise StoreError(
            f"{result.suite_name}: the item number {too_large} is too large to be kept; number "
            f"the items from 1"
        )
    flags = (
        _TIE * prediction.tie.astype(np.uint8)
        + _UNDEFINED * (~prediction.defined).astype(np.uint8)
        + _UNSCORED * prediction.unscored.astype(np.uint8)
        + _OOV * prediction.oov.astype(np.uint8)
        + _SKIPPED * prediction.skipped.astype(np.uint8)
        + _SWALLOWED * prediction.swallowed.astype(np.uint8)
    )
    columns = (
        result.item_numbers,
        prediction.holds.tolist(),
        prediction.margin_bits.tolist(),
        flags.tolist(),
    )
    # SQLite takes NaN for NULL, too.
    for position, (number, holds, margin, flag) in enumerate(zip(*columns, strict=True)):
        yield position, number, holds, margin, flag


def prediction_of(
    prediction_id: int, formula: str, description: str, items: ItemRows
) -> PredictionResult:
    """Return the prediction that rows describe."""

    def has(flag: int) -> NDArray[np.bool_]:
        return (items.flags & flag) > 0

    return PredictionResult(
        prediction_id=prediction_id,
        formula=formula,
        description=description,
        holds=items.holds,
        margin_bits=items.margin_bits,
        tie=has(_TIE),
        defined=~has(_UNDEFINED),
        swallowed=has(_SWALLOWED),
        unscored=has(_UNSCORED),
        oov=has(_OOV),
        skipped=has(_SKIPPED),
    )


def storable(text: str) -> str:
    """Return a text as a column can hold it: a file's name may have bytes that are no UTF-8."""
    return text if is_encodable(text) else text.encode("utf-8", "backslashreplace").decode()


def without_scoring_choices(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provenance of surprisals: that of a result without what was chosen to score it."""
    chosen = {"score_rule", "oov", "swallowed"}
    return {key: value for key, value in provenance.items() if key not in chosen}


def add_predictions(connection: sqlite3.Connection, run_key: int, result: SuiteResult) -> None:
    """Write the predictions of a run that has none; within a transaction."""
    for each in result.predictions:
        added = connection.execute(
            "INSERT INTO predictions (run_key, prediction_id, formula, description) "
            "VALUES (?, ?, ?, ?)",
            (run_key, each.prediction_id, storable(each.formula), storable(each.description)),
        )
        connection.executemany(
            "INSERT INTO item_results "
            "(prediction_key, position, item_number, holds, margin_bits, flags) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            ((added.lastrowid, *row) for row in item_rows(result, each)),
        )
