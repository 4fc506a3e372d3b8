"""Taking in what another store has: the union of both, as often and in any order.

Rows are the same that mean the same: their keys are matched by hashes and fingerprints.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import astuple, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from pommel.errors import StoreError, quoted
from pommel.scoring import Run
from pommel.store.database import KEYS, damaged
from pommel.store.run_rows import SHARED, RunRows
from pommel.store.surprisal_cache import (
    decode_tokens,
    encode_tokens,
    merged_tokens,
    owner_seal,
    scored_seal,
)
from pommel.values import frozen, positional

if TYPE_CHECKING:
    from pommel.store.store import Store

# By how many bits a token may differ that two machines have scored, by the model's number format.
# Without one, numbers are looked up or counted, and are the same everywhere. In float32 it is what
# pommel promises of sentences in other batches. In halves it is eight steps between neighbours of
# a logit from 16 to 32: 8 * 2**(4 - 10) / ln 2 of float16, 8 * 2**(4 - 7) / ln 2 of bfloat16.
TOLERANCE_BITS = {"float32": 1e-4, "float16": 0.18, "bfloat16": 1.45}


@positional
class TakenIn:
    """How many runs and scored sentences another store had, and how many of them are new here.

    `n_evaluated_again` of the new runs rested on sentences of which other numbers were here.
    """

    n_runs: int = 0
    n_new_runs: int = 0
    n_scored: int = 0
    n_new_scored: int = 0
    n_evaluated_again: int = 0

    def __add__(self, other: "TakenIn") -> "TakenIn":
        return TakenIn(*map(sum, zip(astuple(self), astuple(other), strict=True)))


def take_in(store: "Store", other: Path, *, since: int = 0, unchanged: bool = False) -> TakenIn:
    """Take in what another store has, in one transaction.

    Of a sentence that both have, the numbers stay that are here, and tokens are filled in that were
    not asked for here. Of a run that both have, the one here stays, unless it is interrupted, or
    the model has failed at sentences of it, and theirs is better. Runs that rest on numbers that
    did not stay are evaluated again. With `since`, only sentences are taken whose keys are larger,
    and no runs. A file that stays `unchanged` by anybody is read without a lock.
    Raises `StoreError` for numbers that differ by more than rounding (`TOLERANCE_BITS`), and for
    what cannot be read or written; then nothing is taken.
    """
    database = store.database
    with database.attached(other, unchanged=unchanged), database.transaction() as connection:
        return _Merge(store=store, other=other, connection=connection, since=since).run()


# By what a row is known that both may have; and of which rows only those that are needed are taken.
_KNOWN_BY = {
    "models": ("fingerprint",),
    "policies": ("fingerprint",),
    "sentences": ("hash",),
    "sessions": ("started", "provenance"),
    "suites": ("sha256",),
    "documents": ("hash",),
}
_NEEDED = {
    "sentences": (
        "t.sentence_id IN (SELECT sentence_id FROM theirs.scored WHERE scored_id > :since)"
    ),
    "suites": "NOT :since",
    "documents": "NOT :since",
}

# Their tokens, and the keys that here stand for what they are of.
_THEIRS = """
    FROM theirs.scored AS t
    JOIN temp.sentences_keys AS s ON s.theirs = t.sentence_id
    JOIN temp.models_keys AS m ON m.theirs = t.model_id
    JOIN temp.policies_keys AS p ON p.theirs = t.policy_id
    LEFT JOIN temp.sessions_keys AS e ON e.theirs = t.session_id
"""
_DIFFERING = f"""
    CREATE TEMP TABLE scored_keys AS SELECT t.scored_id AS theirs, o.scored_id AS ours {_THEIRS}
    JOIN main.scored AS o
    ON (o.sentence_id, o.model_id, o.policy_id) = (s.ours, m.ours, p.ours)
    WHERE t.scored_id > :since AND t.tokens <> o.tokens
"""
_NEW_SCORED = f"""
    INSERT INTO main.scored (sentence_id, model_id, policy_id, tokens, session_id, check_sum)
    SELECT s.ours, m.ours, p.ours, t.tokens, e.ours, t.check_sum {_THEIRS}
    WHERE t.scored_id > :since AND NOT EXISTS (
        SELECT 1 FROM main.scored AS o
        WHERE (o.sentence_id, o.model_id, o.policy_id) = (s.ours, m.ours, p.ours)
    )
"""  # noqa: S608 - our own text
# Of complete runs, those are better in which the model has failed at no sentence.
_BETTER_RUNS = """
    CREATE TEMP TABLE runs_keys AS SELECT t.run_key AS theirs, o.run_key AS ours
    FROM theirs.runs AS t LEFT JOIN main.runs AS o ON o.run_id = t.run_id
    WHERE NOT :since AND (
        o.run_key IS NULL
        OR t.status = 'complete' AND (
            o.status <> 'complete'
            OR json_extract(t.record, '$.failed') IS NULL
            AND json_extract(o.record, '$.failed') IS NOT NULL
        )
    )
    ORDER BY t.run_key
"""
_RESULTS = """
    INSERT INTO main.results (run_key, items)
    SELECT o.run_key, r.items FROM temp.runs_keys AS k
    JOIN theirs.results AS r ON r.run_key = k.theirs
    JOIN theirs.runs AS t ON t.run_key = k.theirs
    JOIN main.runs AS o ON o.run_id = t.run_id
    ORDER BY o.run_key
"""
# Rows that are not as they were written; `is_said` is a function of ours.
_GARBLED = """
    SELECT text FROM theirs.scored JOIN theirs.sentences USING (sentence_id)
    JOIN theirs.models AS m USING (model_id) JOIN theirs.policies AS p USING (policy_id)
    WHERE scored_id > :since
    AND NOT is_said(m.fingerprint, p.fingerprint, hash, tokens, check_sum) LIMIT 1
"""
_BOTH = """
    SELECT o.scored_id, o.model_id, o.policy_id, x.hash, x.text, m.description, m.fingerprint,
    p.fingerprint, o.tokens, t.tokens, a.provenance, b.provenance
    FROM temp.scored_keys AS k
    JOIN theirs.scored AS t ON t.scored_id = k.theirs
    JOIN main.scored AS o ON o.scored_id = k.ours
    JOIN main.sentences AS x ON x.sentence_id = o.sentence_id
    JOIN main.models AS m ON m.model_id = o.model_id
    JOIN main.policies AS p ON p.policy_id = o.policy_id
    LEFT JOIN main.sessions AS a ON a.session_id = o.session_id
    LEFT JOIN theirs.sessions AS b ON b.session_id = t.session_id
"""
# New runs of models of which other numbers stayed than theirs. What was settled in another number
# format is of two models.
_RESTING = """
    SELECT DISTINCT o.run_id, o.run_key, json_extract(o.record, '$.verdicts') IS NULL
    FROM temp.runs_keys AS k JOIN theirs.runs AS t ON t.run_key = k.theirs
    JOIN main.runs AS o ON o.run_id = t.run_id JOIN main.models AS m
    WHERE o.status = 'complete' AND o.suite_id IS NOT NULL
    AND (m.model_id, o.policy_id) IN (
        SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?)
    )
    AND m.fingerprint IN (
        (SELECT fingerprint FROM main.models WHERE model_id = o.model_id),
        json_extract(o.record, '$.verdicts.fingerprint')
    )
"""


class _Both(NamedTuple):
    """A sentence that both stores have, with other tokens; `session`s are where it was scored."""

    scored_id: int
    model_id: int
    policy_id: int
    hash: bytes
    text: str
    model: str
    model_fingerprint: str
    policy_fingerprint: str
    tokens: bytes
    their_tokens: bytes
    session: str | None
    their_session: str | None


@frozen
class _Merge:
    """One store, another one attached to it as `theirs`, and a transaction."""

    store: "Store"
    other: Path
    connection: sqlite3.Connection
    since: int

    def run(self) -> TakenIn:
        """Take all in; leave nothing behind but what was taken in."""
        self._check()
        for table, names in _KNOWN_BY.items():
            self._enter(table, names)
        self._do(_DIFFERING)
        stayed = {found for each in self._both() if (found := self._filled_in(each))}
        n_new_scored = self._do(_NEW_SCORED)
        self._do(_BETTER_RUNS)
        n_new_runs = self._take_runs()
        resting = self.connection.execute(_RESTING, (json.dumps([*stayed]),)).fetchall()
        for run_id, run_key, is_plain in resting:
            self._evaluate_again(run_id, run_key, is_plain=is_plain)
        taken = TakenIn(
            n_runs=0 if self.since else self._count("runs", ""),
            n_new_runs=n_new_runs,
            n_scored=self._count("scored", "WHERE scored_id > :since"),
            n_new_scored=n_new_scored,
            n_evaluated_again=len(resting),
        )
        for table in (*_KNOWN_BY, "scored", "runs"):
            self._do(f"DROP TABLE temp.{table}_keys")
        return taken

    def _do(self, sql: str) -> int:
        return self.connection.execute(sql, {"since": self.since}).rowcount

    def _count(self, table: str, where: str) -> int:
        sql = f"SELECT count(*) FROM theirs.{table} {where}"  # noqa: S608 - our own names
        return int(self.connection.execute(sql, {"since": self.since}).fetchone()[0])

    def _check(self) -> None:
        """Raise `StoreError` for another store that is not as it was left."""
        faults = self.connection.execute("PRAGMA theirs.quick_check(1)").fetchall()
        if faults != [("ok",)]:
            raise damaged(self.other, str(faults[0][0]))
        self.connection.create_function("is_said", 5, _is_said, deterministic=True)
        for (text,) in self.connection.execute(_GARBLED, {"since": self.since}).fetchall():
            raise damaged(self.other, f"the stored tokens of {quoted(text)} are another's")

    def _enter(self, table: str, names: Sequence[str]) -> None:
        """Enter rows of a table that are new; keep which key here stands for which of theirs."""
        key, needed = KEYS[table], _NEEDED.get(table, "1")
        info = self.connection.execute(f"PRAGMA main.table_info({table})").fetchall()
        columns = ", ".join(each[1] for each in info if each[1] != key)
        same = " AND ".join(f"o.{name} = t.{name}" for name in names)
        self._do(
            f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM theirs.{table} AS t "  # noqa: S608 - our own names
            f"WHERE {needed} AND NOT EXISTS (SELECT 1 FROM main.{table} AS o WHERE {same}) "
            f"ORDER BY t.{names[0]}"
        )
        self._do(f"CREATE TEMP TABLE {table}_keys (theirs INTEGER PRIMARY KEY, ours INTEGER)")
        self._do(
            f"INSERT INTO temp.{table}_keys SELECT t.{key}, min(o.{key}) FROM theirs.{table} AS t "  # noqa: S608 - likewise
            f"JOIN main.{table} AS o ON {same} WHERE {needed} GROUP BY t.{key}"
        )

    def _both(self) -> Iterator[_Both]:
        return map(_Both._make, self.connection.execute(_BOTH))

    def _filled_in(self, both: _Both) -> tuple[int, int] | None:
        """Fill in the tokens here that were not asked for; return whose other numbers stayed.

        Raises `StoreError` for numbers that differ by more than rounding.
        """
        ours = decode_tokens(both.text, both.tokens)
        theirs = decode_tokens(both.text, both.their_tokens)
        merged = merged_tokens(ours, theirs)
        differing = [
            (one, another)
            for one, another in zip(ours.tokens, theirs.tokens, strict=False)
            if None not in {one.surprisal_bits, another.surprisal_bits} and one != another
        ]
        if merged is None:
            self._refuse(both, f"{len(ours.tokens)} tokens", "others")
        limit = TOLERANCE_BITS.get(json.loads(both.model).get("dtype"), 0.0)
        for one, another in differing:
            here, there = float(one.surprisal_bits or 0), float(another.surprisal_bits or 0)
            if not abs(here - there) <= limit:
                self._refuse(both, f"{here!r}", f"{there!r} bits at {quoted(one.text)}")
        if merged is not ours:
            tokens = encode_tokens(merged)
            owner = owner_seal(both.model_fingerprint, both.policy_fingerprint)
            sql = "UPDATE main.scored SET tokens = ?, check_sum = ? WHERE scored_id = ?"
            sealed = tokens, scored_seal(owner, both.hash, tokens)
            self.connection.execute(sql, (*sealed, both.scored_id))
        return (both.model_id, both.policy_id) if differing else None

    def _refuse(self, both: _Both, here: str, there: str) -> NoReturn:
        name = json.loads(both.model)["name"]
        raise StoreError(
            f"{self.other}: {name} gives {quoted(both.text)} {there} there, scored on "
            f"{_machine(both.their_session)}, and {here} in {self.store.path}, scored on "
            f"{_machine(both.session)}: that is more than rounding, so one of the two is wrong; "
            f"nothing of it was merged. Score it again with --rescore where it is, or leave it out"
        )

    def _take_runs(self) -> int:
        info = self.connection.execute("PRAGMA main.table_info(runs)").fetchall()
        tables = {KEYS[table]: table for table in _KNOWN_BY} | dict.fromkeys(SHARED, "documents")
        names = [each[1] for each in info]
        links = {name: tables[name] for name in names if name in tables}
        values = {name: f"t.{name}" for name in names} | {"run_key": "k.ours"}
        values |= {name: f"{name}_k.ours" for name in links}
        joins = " ".join(
            f"LEFT JOIN temp.{table}_keys AS {name}_k ON {name}_k.theirs = t.{name}"
            for name, table in links.items()
        )
        self._do("DELETE FROM main.runs WHERE run_key IN (SELECT ours FROM temp.runs_keys)")
        n_new = self._do(
            f"INSERT INTO main.runs ({', '.join(values)}) SELECT {', '.join(values.values())} "  # noqa: S608 - our own names
            f"FROM temp.runs_keys AS k JOIN theirs.runs AS t ON t.run_key = k.theirs {joins} "
            f"ORDER BY t.run_key"
        )
        self._do(_RESULTS)
        return n_new

    def _evaluate_again(self, run_id: str, run_key: int, *, is_plain: bool) -> None:
        """Have a run rest on the numbers that are here; one that may lack some is interrupted."""
        runs = replace(self.store.runs, rows=RunRows(connection=self.connection))
        if not is_plain:
            # Other numbers may leave verdicts open; the command that it came from settles them.
            runs.rows.reopen(run_key)
            return
        (record,) = runs.records_of([run_id])
        surprisals = runs.surprisals(record, runs.suite(record))
        result = surprisals.evaluate(record.choices)
        result = replace(result, membership=record.result.membership)
        runs.write(self.connection, [Run(surprisals=surprisals, result=result)])


def _is_said(
    model: str, policy: str, sentence: bytes, tokens: bytes, check_sum: int | None
) -> bool:
    return check_sum == scored_seal(_owner_seal(model, policy), sentence, tokens)


_owner_seal = lru_cache(maxsize=4096)(owner_seal)


def _machine(session: str | None) -> str:
    """Return where a session was, as its provenance says."""
    said = json.loads(session or "{}")
    shard = f", shard {said['shard']}" if "shard" in said else ""
    return f"{said.get('host') or said.get('platform') or 'an unknown machine'}{shard}"
