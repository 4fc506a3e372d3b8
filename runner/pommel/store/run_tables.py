"""Runs and their results, kept and found again."""

import contextlib
import datetime as dt
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from pommel.errors import (
    InputError,
    StoreError,
    UsageError,
    counted,
    listed,
    package_version,
    quoted,
)
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
    insert_row,
    kept_results,
    key_of,
    marks,
    now,
    owner_ids,
    pieces,
    seal,
)
from pommel.store.selection import OneEach, Selection, in_a_family_too, one_each, told_apart_records
from pommel.store.surprisal_cache import (
    CacheKey,
    SurprisalCache,
    hashes_of,
)
from pommel.suite import LoadedSuite, Suite
from pommel.surprisal import ScoredSentence
from pommel.values import frozen

# The columns of `runs` that a record is made of again.
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


@frozen
class RunTables:
    """The runs of a store, each known by its `run_id`; whatever writes is one transaction.

    All raise `StoreError` for what cannot be read or written.
    """

    database: Database
    cache: SurprisalCache
    told_apart = staticmethod(told_apart_records)

    def begin(
        self, begun: Iterable[tuple[RunRecord, Suite]], info: ModelInfo, policy: Policy
    ) -> None:
        """Note that runs have begun; one that is known stays as it is, complete or not.

        `policy` is what the model is asked with; whether it names the method that it means is all
        one. What the runs need of the cache is kept for them from now on.
        """
        with self.database.transaction() as connection:
            for record, suite in begun:
                links = _links(connection, suite, info, policy)
                if key_of(connection, "runs", "run_id", record.run_id) is None:
                    insert_row(connection, "runs", {**run_row(record), **links})

    def save(self, run: Run) -> RunRecord:
        """Keep a complete run, in the place of what was known of it; return its record.

        How far a server repeated itself stays known where this time the store answered for it.
        """
        with self.database.transaction() as connection:
            return self.write(connection, run)

    @staticmethod
    def write(connection: sqlite3.Connection, run: Run) -> RunRecord:
        """Do what `save` does, within a transaction."""
        surprisals = run.surprisals
        links = _links(connection, surprisals.suite, surprisals.model, surprisals.policy)
        record = _with_repetition(connection, RunRecord.of(run))
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
                _replace(connection, record, {})
                n_saved += 1
        return n_saved

    def renew(self, run_ids: Iterable[str]) -> None:
        """Note that complete runs have been evaluated again, with the same results, just now.

        They are dated to the microsecond, so that they come after what was kept in this second.
        """
        just_now = dt.datetime.now(dt.UTC).isoformat(timespec="microseconds")
        with self.database.transaction() as connection:
            # Another process may have deleted one.
            sql = f"SELECT run_key, run_id FROM runs {_NAMED}"  # noqa: S608 - our own text
            for run_key, run_id in connection.execute(sql, _ids(run_ids)).fetchall():
                self.database.check_whole(run_key, run=f"run {run_id}")
                connection.execute(
                    "UPDATE runs SET created = ? WHERE run_key = ?", (just_now, run_key)
                )
                seal(connection, run_key)

    def records(self, selection: Selection | None = None) -> list[RunRecord]:
        """Return the selected runs (None: all complete ones) in the order in which they began."""
        with _reading(self.database):
            return _filled(self.database, _selected(self.database, selection))

    def records_of(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Return the runs with these ids that are there, in the order in which they began."""
        with _reading(self.database):
            return _filled(self.database, dict(_bare(self.database, _NAMED, _ids(run_ids))))

    def heads(self, selection: Selection | None = None) -> list[RunRecord]:
        """Return what `records` does, with results that lack predictions and items."""
        with _reading(self.database):
            return [*_selected(self.database, selection).values()]

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
        return run

    def runs(self, records: Sequence[RunRecord]) -> Iterator[Run]:
        """Yield the runs of records of this store, as `run` returns them."""
        suites: dict[str, Suite] = {}
        for record in records:
            sha256 = record.suite.sha256
            if sha256 not in suites:
                suites[sha256] = self.suite(record)
            provenance = _without_choices(record.result.provenance)
            surprisals = self._surprisals(record, suites[sha256], provenance)
            yield Run(surprisals=surprisals, result=record.result)

    def evaluate_again(self, base: RunRecord, suite: Suite, choices: Choices) -> Run:
        """Check a suite's predictions against what the model of a run said; nothing is kept.

        It is the run's own suite, or another one of sentences that the cache has under the same
        model and policy; raises `StoreError`, which says how many it lacks. The provenance says
        when and from which run (`scored`): model, machine and packages are those that scored it.
        """
        scored = _without_choices(base.result.provenance)
        origin = {"run_id": base.run_id, "date": scored["date"], "pommel": scored["pommel"]}
        provenance = {
            **scored,
            "suite": suite.identity,
            "pommel": package_version("pommel"),
            "date": now(),
            "scored": scored.get("scored", origin),
        }
        surprisals = self._surprisals(base, suite, provenance)
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

    def _surprisals(
        self, record: RunRecord, suite: Suite, provenance: Mapping[str, Any]
    ) -> SuiteSurprisals:
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
        scored = record.result.provenance
        info = replace(ModelInfo.from_dict(scored["model"]), name=record.result.model_name)
        policy = Policy(**{k: v for k, v in scored["policy"].items() if k != "fingerprint"})
        choices = Choices(policy=policy, compat=scored["compat"], regions="needed")
        needed = NeededSentences.of(suite, info, choices)
        key = CacheKey(model=info, policy=cached_policy(info, policy))
        sentences = {
            text: ScoredSentence(text=text, tokens=(), failure=why)
            for text, why in scored.get("failed", {}).items()
        }
        sentences |= self.cache.known(key, needed.texts)
        if exact := scored.get("verdicts"):
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
        method = scored["method"]
        return SuiteSurprisals.from_sentences(
            needed, sentences, method=method, provenance=provenance
        )

    def with_tokens(self, records: Sequence[RunRecord]) -> list[RunRecord]:
        """Return the records of runs that have tokens: not those of results of others."""
        rows = self.database.rows(
            "SELECT run_id FROM runs WHERE model_id IS NOT NULL AND suite_id IS NOT NULL"
        )
        ids = {run_id for (run_id,) in rows}
        return [each for each in records if each.run_id in ids]

    def check_tokens(self, records: Sequence[RunRecord]) -> None:
        """Raise `UsageError` if there are records of runs that have no tokens."""
        own = {each.run_id for each in self.with_tokens(records)}
        if without := [each.run_id for each in records if each.run_id not in own]:
            raise UsageError(
                f"there are no tokens of {listed(without)}: only results were imported; run the "
                f"model with `pommel run`"
            )

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
            sql = f"DELETE FROM runs {_NAMED}"  # noqa: S608 - our own text
            return connection.execute(sql, _ids(run_ids)).rowcount


_NAMED = "WHERE run_id IN (SELECT value FROM json_each(?))"


def _ids(run_ids: Iterable[str]) -> tuple[str]:
    """Return what a mark in `_NAMED` stands for."""
    return (json.dumps([*run_ids]),)


def _selected(database: Database, selection: Selection | None) -> dict[int, RunRecord]:
    """Return the selected runs without predictions, by their keys."""
    chosen = selection or Selection()
    return {run_key: record for run_key, record in _bare(database) if chosen.takes(record)}


def _bare(
    database: Database, where: str = "", values: tuple[str, ...] = ()
) -> Iterator[tuple[int, RunRecord]]:
    """Yield (run_key, record without predictions) in the order in which runs began."""
    sql = f"SELECT run_key, {', '.join(RUN_COLUMNS)} FROM runs {where} ORDER BY run_key"  # noqa: S608 - our own text
    for run_key, *row in database.connection.execute(sql, values):
        try:
            record = bare_record(row)
        except ValueError:
            what = f"what is kept of run {row[0]} makes no sense"
            raise damaged(database.path, what) from None
        yield run_key, record


def _filled(database: Database, bare: Mapping[int, RunRecord]) -> list[RunRecord]:
    """Return records with their predictions, by the keys of their runs; each has to be whole."""
    records = []
    for run_key, record in bare.items():
        kept = list(kept_results(database.connection, run_key))
        result = record.result
        run = f"run {record.run_id} ({result.model_name} on {result.suite_name})"
        database.check_whole(run_key, kept, run=run)
        predictions = tuple(_prediction_of(*head, rows) for head, rows in kept)
        numbers = result.item_numbers
        if kept:
            numbers = tuple(number for _, number, *_ in kept[0][1])
        result = replace(record.result, item_numbers=numbers, predictions=predictions)
        records.append(replace(record, result=result))
    return records


# The keys of a run's model, policy and suite; none for what others measured.
_Links = Mapping[str, int]


def _links(connection: sqlite3.Connection, suite: Suite, info: ModelInfo, policy: Policy) -> _Links:
    ids = owner_ids(connection, info, cached_policy(info, policy))
    suite_id = key_of(connection, "suites", "sha256", suite.sha256)
    if suite_id is None:
        # A text with half of a surrogate pair is written with its escape.
        document = zlib.compress(suite.to_text().encode())
        row = {"sha256": suite.sha256, "name": storable(suite.name), "document": document}
        suite_id = insert_row(connection, "suites", row)
    return {**ids, "suite_id": suite_id}


def _replace(connection: sqlite3.Connection, record: RunRecord, links: _Links) -> None:
    """Keep a complete run with its results, in the place of what was known of it."""
    run_key = key_of(connection, "runs", "run_id", record.run_id)
    # With its results; its key stays, by which runs are in the order in which they began.
    connection.execute("DELETE FROM runs WHERE run_key = ?", (run_key,))
    row = {"run_key": run_key, **run_row(record), **links, "finished": now()}
    run_key = insert_row(connection, "runs", row)
    for each in record.result.predictions:
        prediction = {
            "run_key": run_key,
            "prediction_id": each.prediction_id,
            "formula": storable(each.formula),
            "description": storable(each.description),
        }
        key = insert_row(connection, "predictions", prediction)
        connection.executemany(
            "INSERT INTO item_results "
            "(prediction_key, position, item_number, holds, margin_bits, flags) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            ((key, *row) for row in _item_rows(record.result, each)),
        )
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
    with explained(database.path):
        database.connection.execute("BEGIN")
        try:
            yield
        finally:
            database.connection.execute("ROLLBACK")


def cached_policy(info: ModelInfo, policy: Policy) -> Policy:
    """Return the policy under which the cache has a model's tokens.

    It names the method that it means, "auto" for a model that has none to name (a container, a
    recording); what that is known to have been made with makes no difference.
    """
    return replace(policy, method=info.method(policy) if info.methods else "auto")


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


# What a bit of `item_results.flags` says of an item.
_FLAGS = {"tie": 1, "undefined": 2, "unscored": 4, "oov": 8, "skipped": 16, "swallowed": 32}

# What a column of whole numbers holds.
_LARGEST = 2**63 - 1
_STATUS_OF_ROW: Mapping[str, Literal["interrupted", "complete"]] = {
    "running": "interrupted",
    "complete": "complete",
}
_ROW_OF_STATUS = {status: word for word, status in _STATUS_OF_ROW.items()}


def run_row(record: RunRecord) -> dict[str, str]:
    """Return what `runs` holds of a record (`RUN_COLUMNS`); one without a time was made now."""
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
    return {
        "run_id": record.run_id,
        "status": _ROW_OF_STATUS[record.status],
        "source": storable(record.source),
        "created": record.created or now(),
        "model_name": storable(result.model_name),
        "suite_name": storable(result.suite_name),
        "circuit": storable(result.circuit),
        "language": storable(record.suite.language),
        "score_rule": result.score_rule,
        "record": json.dumps(described, separators=(",", ":")),
    }


def bare_record(row: Sequence[Any]) -> RunRecord:
    """Return the record of a row of `runs` (`RUN_COLUMNS`), as yet without predictions.

    Raises `ValueError` for a row of which no record can be made.
    """
    run_id, status, source, created, model_name, suite_name, circuit, _, rule, text = row
    # What a damaged page calls bytes is no text.
    if not all(isinstance(each, str) for each in (run_id, source, created, model_name, suite_name)):
        raise ValueError(run_id)
    try:
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
            status=_STATUS_OF_ROW[status],
            created=created,
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise ValueError(run_id) from None


def _item_rows(
    result: SuiteResult, prediction: PredictionResult
) -> Iterator[tuple[int, int, bool, float | None, int]]:
    """Return (position, item number, holds, margin in bits, flags) of each item.

    Raises `StoreError` for an item number that no column holds.
    """
    for number in result.item_numbers:
        if abs(number) > _LARGEST:
            raise StoreError(
                f"{result.suite_name}: the item number {number} is too large to be kept; number "
                f"the items from 1"
            )
    flags = np.zeros(len(result.item_numbers), dtype=np.uint8)
    for name, flag in _FLAGS.items():
        marked = ~prediction.defined if name == "undefined" else getattr(prediction, name)
        flags |= flag * marked.astype(np.uint8)
    holds, margins = prediction.holds.tolist(), prediction.margin_bits.tolist()
    positions = range(len(result.item_numbers))
    # SQLite takes NaN for NULL, too.
    return zip(positions, result.item_numbers, holds, margins, flags.tolist(), strict=True)


def _prediction_of(
    prediction_id: int, formula: str, description: str, rows: Sequence[ItemRow]
) -> PredictionResult:
    """Return the prediction of rows (position, item number, holds, margin, flags)."""
    _, _, holds, margins, flags = zip(*rows, strict=True) if rows else [()] * 5
    bits = np.array(flags, dtype=np.uint8)
    marks = {name: (bits & flag) > 0 for name, flag in _FLAGS.items()}
    return PredictionResult(
        prediction_id=prediction_id,
        formula=formula,
        description=description,
        holds=np.array(holds, dtype=np.bool_),
        # NumPy takes None for NaN where floats are asked for.
        margin_bits=np.array(margins, dtype=np.float64),
        defined=~marks.pop("undefined"),
        **marks,
    )


def storable(text: str) -> str:
    """Return a text as a column can hold it: a file's name may have bytes that are no UTF-8."""
    return text if is_encodable(text) else text.encode("utf-8", "backslashreplace").decode()


def _without_choices(provenance: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the provenance of surprisals: that of a result without what was chosen to score it."""
    chosen = {"score_rule", "oov", "swallowed", "failed"}
    return {key: value for key, value in provenance.items() if key not in chosen}
