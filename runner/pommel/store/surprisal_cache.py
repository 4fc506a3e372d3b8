"""Sentences that a model has scored, found again by model, policy and text."""

import datetime as dt
import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pommel.errors import StoreError
from pommel.models.model import ModelInfo, Policy
from pommel.store.database import Database
from pommel.store.failures import damaged
from pommel.store.many_rows import insert_rows, marks, pieces
from pommel.store.seals import owner_seal, scored_seal
from pommel.store.token_codec import count_tokens, decode_tokens, encode_tokens
from pommel.surprisal import ScoredSentence, Token

_HASH_BYTES = 16

_SENTENCES = "SELECT hash, sentence_id FROM sentences WHERE hash IN ({marks})"
_STORED = """
    SELECT text, scored_id, tokens FROM sentences JOIN scored USING (sentence_id)
    WHERE sentence_id IN ({marks}) AND model_id = ? AND policy_id = ?
"""
_SCORED_COLUMNS = ("sentence_id", "model_id", "policy_id", "session_id", "tokens", "check_sum")


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheKey:
    """Whose surprisals they are: all that decides them but the sentence.

    `policy` names the method that it means, so that "auto" is no other than the method it stands
    for.
    """

    model: ModelInfo
    policy: Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedCount:
    """What is kept of one model under one policy; the descriptions as they were when it began."""

    model_fingerprint: str
    model: Mapping[str, Any]
    policy_fingerprint: str
    policy: Mapping[str, Any]
    n_sentences: int
    n_tokens: int
    n_bytes: int


@dataclass(slots=True, kw_only=True)
class SurprisalCache:
    """The scored sentences of a store.

    `provenance` says which program, packages and machine score what is added. It is asked when the
    first sentence comes, as packages are loaded by then, and a session of it is entered.
    """

    database: Database
    provenance: Callable[[], Mapping[str, Any]] = dict
    _session_id: int | None = None

    def key(self, info: ModelInfo, policy: Policy) -> CacheKey:
        """Return the key of a model under a policy.

        Raises `UnsupportedFeatureError` for a method that the model does not take.
        """
        return CacheKey(model=info, policy=replace(policy, method=info.method(policy)))

    def known(self, key: CacheKey, texts: Iterable[str]) -> dict[str, ScoredSentence]:
        """Return those of the texts that have been scored; raises `StoreError`."""
        ids = self._ids(key)
        if ids is None:
            return {}
        hashes = filter(None, {sentence_hash(text) for text in texts})
        keys = self._sentence_ids(hashes).values()
        return {text: scored for text, _, scored in self._stored(ids, keys)}

    def keep(self, key: CacheKey, scored: Sequence[ScoredSentence]) -> dict[str, ScoredSentence]:
        """Keep scored sentences in one transaction, and return those that were there before.

        What is there keeps its values, so that all use the numbers that were first; tokens that it
        was not asked for are filled in. The sentences are returned as the store has them now. A
        text with half of a surrogate pair, which has no UTF-8, is not kept.
        Raises `StoreError`; then nothing was kept. One reason is a sentence with other tokens than
        it has in the store: then it is another model.
        """
        new, hashes = {}, {}
        for each in scored:
            if (found := sentence_hash(each.text)) is not None:
                new[each.text], hashes[each.text] = each, found
        owner = owner_seal(key.model.fingerprint, key.policy.fingerprint)
        before = {}
        with self.database.transaction() as connection:
            ids = (describe_model(connection, key.model), describe_policy(connection, key.policy))
            session_id = self._session(connection)
            sentence_ids = self._sentence_ids(hashes.values())
            for text, scored_id, old in self._stored(ids, sentence_ids.values()):
                before[text] = self._merged(key, old, new.pop(text))
                if before[text] is not old:
                    sealed = _sealed(owner, hashes[text], before[text])
                    sql = "UPDATE scored SET tokens = ?, check_sum = ? WHERE scored_id = ?"
                    connection.execute(sql, (*sealed, scored_id))
            texts = {hashes[text]: text for text in new if hashes[text] not in sentence_ids}
            sentence_ids |= _enter_sentences(connection, texts)
            rows = [
                (sentence_ids[hashes[text]], *ids, session_id, *_sealed(owner, hashes[text], each))
                for text, each in new.items()
            ]
            # As the sentences lie. Their keys differ, so that nothing behind these is compared.
            insert_rows(connection, "scored", _SCORED_COLUMNS, sorted(rows))
        # Before the commit, the session might have been lost with the rest.
        self._session_id = session_id
        return before

    def forget_sentences(self, key: CacheKey, texts: Iterable[str]) -> None:
        """Delete what is kept of some sentences, to be scored again; raises `StoreError`."""
        hashes = {sentence_hash(text) for text in texts} - {None}
        with self.database.transaction() as connection:
            ids = self._ids(key)
            if ids is not None:
                connection.executemany(
                    "DELETE FROM scored WHERE model_id = ? AND policy_id = ? AND sentence_id = "
                    "(SELECT sentence_id FROM sentences WHERE hash = ?)",
                    [(*ids, each) for each in hashes],
                )

    def counts(self) -> list[CachedCount]:
        """Return what is kept of each model and policy, in the order in which they came."""
        connection = self.database.connection
        connection.create_function("n_tokens", 1, count_tokens, deterministic=True)
        rows = self.database.rows(
            "SELECT m.fingerprint, m.description, p.fingerprint, p.description, c.* FROM ("
            "  SELECT model_id, policy_id, count(*), sum(n_tokens(tokens)), sum(length(tokens))"
            "  FROM scored GROUP BY model_id, policy_id"
            ") c JOIN models m USING (model_id) JOIN policies p USING (policy_id) "
            "ORDER BY c.model_id, c.policy_id"
        )
        return [
            CachedCount(
                model_fingerprint=row[0],
                model=json.loads(row[1]),
                policy_fingerprint=row[2],
                policy=json.loads(row[3]),
                n_sentences=row[6],
                n_tokens=row[7],
                n_bytes=row[8],
            )
            for row in rows
        ]

    def _ids(self, key: CacheKey) -> tuple[int, int] | None:
        rows = self.database.rows(
            "SELECT model_id, policy_id FROM models m, policies p "
            "WHERE m.fingerprint = ? AND p.fingerprint = ?",
            (key.model.fingerprint, key.policy.fingerprint),
        )
        return (rows[0][0], rows[0][1]) if rows else None

    def _sentence_ids(self, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the keys of those of the sentences that are there."""
        found: dict[bytes, int] = {}
        for piece in pieces(sorted(hashes)):
            found.update(self.database.rows(_SENTENCES.format(marks=marks(piece)), piece))
        return found

    def _stored(
        self, ids: tuple[int, int], sentence_ids: Iterable[int]
    ) -> Iterator[tuple[str, int, ScoredSentence]]:
        """Yield text, key and tokens of those of the sentences that have been scored."""
        # In the order in which they lie in the file: a disk reads ahead.
        for piece in pieces(sorted(sentence_ids)):
            rows = self.database.rows(_STORED.format(marks=marks(piece)), (*piece, *ids))
            for text, scored_id, tokens in rows:
                yield text, scored_id, self._decoded(text, tokens)

    def _decoded(self, text: str, tokens: bytes) -> ScoredSentence:
        try:
            return decode_tokens(text, tokens)
        except StoreError as error:
            raise damaged(self.database.path, str(error)) from None

    def _merged(self, key: CacheKey, old: ScoredSentence, new: ScoredSentence) -> ScoredSentence:
        merged = merged_tokens(old, new)
        if merged is None:
            raise StoreError(
                f"{self.database.path}: {key.model.reference} does not give {old.text!r} the "
                f"tokens that it had before, under the same fingerprint; it has changed: "
                f"score again what the store has with --rescore, or give another with --store"
            )
        return merged

    def _session(self, connection: sqlite3.Connection) -> int:
        if self._session_id is not None:
            return self._session_id
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        sql = "INSERT INTO sessions (started, provenance) VALUES (?, ?)"
        return _added(connection, sql, (now, _json(self.provenance())))


def sentence_hash(text: str) -> bytes | None:
    """Return what a sentence is found by; None for half of a surrogate pair, which has no UTF-8."""
    try:
        return hashlib.sha256(text.encode()).digest()[:_HASH_BYTES]
    except UnicodeEncodeError:
        return None


def merged_tokens(old: ScoredSentence, new: ScoredSentence) -> ScoredSentence | None:
    """Return `old` with the values of `new` where it was not asked; None for other tokens.

    Returns `old` itself if nothing is to be added.
    """
    if [*map(_identity, old.tokens)] != [*map(_identity, new.tokens)]:
        return None
    pairs = zip(old.tokens, new.tokens, strict=True)
    tokens = tuple(theirs if _was_not_asked(ours) else ours for ours, theirs in pairs)
    return old if tokens == old.tokens else replace(old, tokens=tokens)


def describe_model(connection: sqlite3.Connection, info: ModelInfo) -> int:
    """Return the key of a model, which is entered if it is new; within a transaction."""
    sql = "SELECT model_id FROM models WHERE fingerprint = ?"
    for (key,) in connection.execute(sql, (info.fingerprint,)):
        return int(key)
    sql = "INSERT INTO models (fingerprint, description) VALUES (?, ?)"
    return _added(connection, sql, (info.fingerprint, _json(info.to_dict())))


def describe_policy(connection: sqlite3.Connection, policy: Policy) -> int:
    """Return the key of a policy, which is entered if it is new; within a transaction."""
    sql = "SELECT policy_id FROM policies WHERE fingerprint = ?"
    for (key,) in connection.execute(sql, (policy.fingerprint,)):
        return int(key)
    sql = "INSERT INTO policies (fingerprint, description) VALUES (?, ?)"
    return _added(connection, sql, (policy.fingerprint, _json(policy.to_dict())))


def delete_unused(connection: sqlite3.Connection) -> None:
    """Delete the texts, models and policies that nothing refers to; within a transaction."""
    connection.execute(
        "DELETE FROM sentences WHERE sentence_id NOT IN (SELECT sentence_id FROM scored)"
    )
    for table, column in (("models", "model_id"), ("policies", "policy_id")):
        connection.execute(
            f"DELETE FROM {table} WHERE {column} NOT IN ("  # noqa: S608 - our own names
            f"SELECT {column} FROM scored UNION "
            f"SELECT {column} FROM runs WHERE {column} IS NOT NULL)"
        )


def _sealed(owner: int, sentence_hash: bytes, sentence: ScoredSentence) -> tuple[bytes, int]:
    """Return the tokens of a sentence as they are stored, and their check sum."""
    tokens = encode_tokens(sentence)
    return tokens, scored_seal(owner, sentence_hash, tokens)


def _enter_sentences(
    connection: sqlite3.Connection, texts: Mapping[bytes, str]
) -> dict[bytes, int]:
    """Enter sentences that are new, and return their keys by their hashes.

    They get keys in the order of their hashes: what lies together in the index comes together,
    which makes filling a large store a twentieth faster.
    """
    sql = "SELECT max(seq) FROM sqlite_sequence WHERE name = 'sentences'"
    ((last,),) = connection.execute(sql)
    entered = {each: key for key, each in enumerate(sorted(texts), (last or 0) + 1)}
    rows = [(key, each, texts[each]) for each, key in entered.items()]
    insert_rows(connection, "sentences", ("sentence_id", "hash", "text"), rows)
    return entered


def _added(connection: sqlite3.Connection, sql: str, values: Sequence[Any]) -> int:
    """Insert one row, and return its key."""
    connection.execute(sql, values)
    return int(connection.execute("SELECT last_insert_rowid()").fetchone()[0])


def _identity(token: Token) -> tuple[object, ...]:
    return token.text, token.start, token.end, token.role


def _was_not_asked(token: Token) -> bool:
    return token.surprisal_bits is None and token.why_unscored == "not asked for"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
