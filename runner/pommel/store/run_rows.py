"""A run as the tables have it: its row, what it shares with other runs, and its packed items."""

import hashlib
import json
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from pommel.errors import PommelError, StoreError
from pommel.files import is_encodable
from pommel.models import Membership
from pommel.scoring import ModelFacts, RunRecord, Score, ScoreRule, SuiteFacts, SuiteResult
from pommel.store.database import insert_row, key_of, now
from pommel.values import frozen


def _of_model(kept: Mapping[str, Any]) -> tuple[ModelFacts, Membership | None, Mapping[str, Any]]:
    member = kept.get("membership")
    facts = ModelFacts(**kept.get("model", {}))
    return facts, Membership(**member) if member else None, kept.get("provenance", {})


def _of_suite(kept: Mapping[str, Any]) -> tuple[SuiteFacts, tuple[int, ...], Any, Any]:
    # Of predictions: the id, the formula and the description.
    asked = tuple(map(tuple, kept.get("predictions", ())))
    numbers = tuple(kept.get("item_numbers", ()))
    return SuiteFacts(**kept.get("suite", {})), numbers, asked, kept.get("provenance", {})


def _of_choices(kept: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    return kept.get("policy", {}), kept.get("settings", {})


# What many runs have alike: the columns of `runs` with the keys of documents, and what is made of
# each. Of a document that a damaged store has lost, there is nothing in it.
SHARED: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "of_model": _of_model,
    "of_suite": _of_suite,
    "of_choices": _of_choices,
}

# What the provenance of a run has of its own.
_OWN = ("date", "scored", "verdicts", "failed")

# What a column of whole numbers holds, and what analyses can count with.
_LARGEST = 2**63 - 1

_STATUS_OF_ROW: Mapping[str, Literal["interrupted", "complete"]] = {
    "running": "interrupted",
    "complete": "complete",
}
_ROW_OF_STATUS = {status: word for word, status in _STATUS_OF_ROW.items()}


class RunRow(NamedTuple):
    """What a record is made of: columns of `runs`, and the packed items if they are read."""

    run_id: str
    source: str
    created: str
    model_name: str
    suite_name: str
    circuit: str
    language: str
    score_rule: ScoreRule
    scores: str
    record: str
    of_model: int | None
    of_suite: int | None
    of_choices: int | None
    status: str
    check_sum: int | None
    run_key: int | None = None
    items: bytes | None = None


# What of a row its check sum is over, before the documents that it names, and the items.
_SEALED = slice(0, RunRow._fields.index("of_model"))
_COLUMNS = RunRow._fields[:-1]


@frozen
class RunRows:
    """The rows of runs, by one connection. Documents are read, and looked for, once each."""

    connection: sqlite3.Connection
    _documents: dict[int, tuple[bytes, str]] = field(default_factory=dict)
    _made: dict[tuple[str, int | None], tuple[bytes, Any]] = field(default_factory=dict)
    _keys: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def insert(self, record: RunRecord, links: Mapping[str, object]) -> None:
        """Insert a run; within a transaction, for which these `RunRows` were made.

        `links` has the columns that the record does not know. A record without a time was made now.
        Raises `StoreError` for an item number that nobody could count with.
        """
        result = record.result
        for number in result.item_numbers:
            if abs(number) > _LARGEST:
                raise StoreError(
                    f"{result.suite_name}: the item number {number} is too large to be kept; "
                    f"number the items from 1"
                )
        provenance = result.provenance
        found = [
            self._document(each)
            for each in (
                {
                    "model": _as_dict(record.model),
                    "membership": result.membership and _as_dict(result.membership),
                    # Each run's own has its place in it: the order of keys is that of a file.
                    "provenance": {
                        name: None if name in _OWN or name == "suite" else value
                        for name, value in provenance.items()
                    },
                },
                {
                    "suite": _as_dict(record.suite),
                    "item_numbers": result.item_numbers,
                    "predictions": [
                        (each.prediction_id, each.formula, each.description)
                        for each in result.predictions
                    ],
                    "provenance": {
                        name: provenance[name] for name in ["suite"] if name in provenance
                    },
                },
                {"policy": dict(record.policy), "settings": dict(record.settings)},
            )
        ]
        own = {name: provenance[name] for name in _OWN if name in provenance}
        scores = [
            (score.label, score.n_holding, score.n_items, score.reported_share, counts)
            for score, counts in result.scored
        ]
        row = RunRow(
            run_id=record.run_id,
            source=storable(record.source),
            created=record.created or now(),
            model_name=storable(result.model_name),
            suite_name=storable(result.suite_name),
            circuit=storable(result.circuit),
            language=storable(record.suite.language),
            score_rule=result.score_rule,
            scores=_json(scores),
            record=_json(own),
            of_model=found[0][0],
            of_suite=found[1][0],
            of_choices=found[2][0],
            status=_ROW_OF_STATUS[record.status],
            check_sum=None,
        )
        items = result.packed_items()
        if record.status == "complete":
            row = row._replace(check_sum=_sum(row, (each for _, each in found), items))
        columns = dict(zip(_COLUMNS, row, strict=False))
        run_key = insert_row(self.connection, "runs", {**columns, **links})
        if items:
            insert_row(self.connection, "results", {"run_key": run_key, "items": items})

    def reopen(self, run_key: int | None) -> None:
        """Make a run one that is not complete; within a transaction."""
        self.connection.execute("DELETE FROM results WHERE run_key = ?", (run_key,))
        self.connection.execute(
            "UPDATE runs SET status = 'running', finished = NULL, scores = '[]', check_sum = NULL "
            "WHERE run_key = ?",
            (run_key,),
        )

    def _document(self, value: object) -> tuple[int, bytes]:
        """Return the key and the hash of a document, which is entered if it is new."""
        text = _json(value)
        if text not in self._keys:
            found = content_hash(text)
            row = {"hash": found, "content": text}
            key = key_of(self.connection, "documents", "hash", found)
            self._keys[text] = key or insert_row(self.connection, "documents", row), found
        return self._keys[text]

    def rows(
        self,
        run_ids: Iterable[str] | None = None,
        *,
        keys: Iterable[int] | None = None,
        items: bool = False,
    ) -> Iterator[RunRow]:
        """Yield these runs (None: all) in the order in which they began, with their items if so.

        They are named by their ids or by their keys.
        """
        last, source = "NULL", "runs"
        if items:
            last, source = "items", "runs LEFT JOIN results USING (run_key)"
        where, values = "", []
        if run_ids is not None:
            where, values = NAMED, [json.dumps([*run_ids])]
        elif keys is not None:
            where, values = _WITH_KEYS, [json.dumps([*keys])]
        columns = ", ".join((*_COLUMNS, last))
        sql = f"SELECT {columns} FROM {source} {where} ORDER BY run_key"  # noqa: S608 - our own text
        return map(RunRow._make, self.connection.execute(sql, values))

    def record(self, row: RunRow) -> RunRecord:
        """Return the record of a row, whose items are not read.

        Raises `ValueError` for a row of which no record can be made.
        """
        try:
            own = _value_of(row.record)
            of_model, of_suite, of_choices = self._shared_by(row)
            model, member, rest = of_model[1]
            suite, numbers, asked, identity = of_suite[1]
            policy, settings = of_choices[1]
            # Without scores there are no results: of a run that was interrupted, or lost them.
            scored = scored_of(row.scores)
            kept = SuiteResult.kept_predictions(asked if scored else (), scored, row.score_rule)
            # Thousands of runs share names; and what a damaged page calls bytes is no text.
            return RunRecord(
                run_id=sys.intern(row.run_id),
                result=SuiteResult(
                    suite_name=sys.intern(row.suite_name),
                    circuit=sys.intern(row.circuit),
                    model_name=sys.intern(row.model_name),
                    score_rule=row.score_rule,
                    item_numbers=numbers,
                    predictions=kept,
                    membership=member,
                    reported=scored[0][0] if scored and not asked else None,
                    provenance={**rest, **identity, **own},
                ),
                model=model,
                suite=suite,
                policy=policy,
                settings=settings,
                source=sys.intern(row.source),
                status=_STATUS_OF_ROW[row.status],
                created=sys.intern(row.created),
            )
        except MAKE_NO_SENSE:
            raise ValueError(row.run_id) from None

    def check_sum(self, row: RunRow) -> int | None:
        """Return the check sum of a row with its items, None if its documents are not there."""
        try:
            return _sum(row, [found for found, _ in self._shared_by(row)], row.items or b"")
        except MAKE_NO_SENSE:
            return None

    def is_whole(self, row: RunRow) -> bool:
        """Say whether a run, read with its items, is as it was left when it was complete."""
        found = self.check_sum(row)
        return row.status != "complete" or (found is not None and found == row.check_sum)

    def _shared_by(self, row: RunRow) -> list[tuple[bytes, Any]]:
        """Return what `shared` returns for each of the documents that a row names."""
        named = (
            ("of_model", row.of_model),
            ("of_suite", row.of_suite),
            ("of_choices", row.of_choices),
        )
        return [self._made.get(each) or self.shared(*each) for each in named]

    def shared(self, place: str, key: int | None) -> tuple[bytes, Any]:
        """Return the hash of a document, and what is made of it at its place."""
        if (place, key) not in self._made:
            found, content = b"", "{}"
            if key is not None:
                if key not in self._documents:
                    self.read_documents([key])
                found, content = self._documents.pop(key)
                if content_hash(content) != found:
                    raise ValueError(key)
            self._made[place, key] = found, SHARED[place](json.loads(content))
        return self._made[place, key]

    def read_documents(self, keys: Iterable[int | None]) -> None:
        """Read documents together, before they are asked for one by one."""
        sql = """
            SELECT document_id, hash, content FROM documents
            WHERE document_id IN (SELECT value FROM json_each(?))
        """
        wanted = {key for key in keys if key is not None} - {*self._documents}
        if wanted:
            for key, found, content in self.connection.execute(sql, [json.dumps([*wanted])]):
                self._documents[key] = found, content


# The runs of a list of ids; by their keys, since by ids they would have to be sorted.
NAMED = """
    WHERE run_key IN (SELECT run_key FROM runs WHERE run_id IN (SELECT value FROM json_each(?)))
"""

_WITH_KEYS = "WHERE run_key IN (SELECT value FROM json_each(?))"

# What values raise that are not as they were written.
MAKE_NO_SENSE = (
    PommelError,
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    RecursionError,
    zlib.error,
)


def content_hash(text: str) -> bytes:
    """Return what a document is found by."""
    return hashlib.sha256(text.encode()).digest()


_as_dict = lru_cache(maxsize=4096)(asdict)


@lru_cache(maxsize=1 << 16)
def scored_of(text: str) -> tuple[tuple[Score, tuple[int, ...]], ...]:
    """Return what stands in the column `scores`; raises `MAKE_NO_SENSE` for something else."""
    return tuple(
        (
            Score(label=label, n_holding=n_holding, n_items=n_items, reported_share=share),
            tuple(counts),
        )
        for label, n_holding, n_items, share, counts in json.loads(text)
    )


def _value_of(text: str) -> Any:
    """Return the value of a text of JSON, before which there is no space, as `json.loads` does.

    That takes several times as long for a short one. Raises `ValueError`; `TypeError` for bytes.
    """
    value, end = _DECODER.raw_decode(text)
    return value if end == len(text) else json.loads(text)


_DECODER = json.JSONDecoder()


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _sum(row: RunRow, hashes: Iterable[bytes], items: bytes) -> int:
    """Return the CRC-32 over what a run says of itself, what it shares, and its items."""
    said = zlib.crc32(ascii(row[_SEALED]).encode())
    return zlib.crc32(items, zlib.crc32(b"".join(hashes), said))


def storable(text: str) -> str:
    """Return a text as a column can hold it: a file's name may have bytes that are no UTF-8."""
    return text if is_encodable(text) else text.encode("utf-8", "backslashreplace").decode()
