"""Sentences that a model has scored, found again by model, policy and text."""

import hashlib
import io
import itertools
import sqlite3
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, get_args

from pommel.errors import ModelError, StoreError, quoted
from pommel.models import DistinctSentence, Model, ModelInfo, Policy, Spans
from pommel.store.database import (
    Database,
    as_json,
    damaged,
    insert_row,
    insert_rows,
    marks,
    now,
    owner_ids,
    pieces,
)
from pommel.surprisal import ScoredSentence, Token, TokenRole, Unscored
from pommel.values import frozen

_HASH_BYTES = 16
_SENTENCES = "SELECT hash, sentence_id FROM sentences WHERE hash IN ({marks})"

_OWN = """
    model_id = (SELECT model_id FROM models WHERE fingerprint = ?)
    AND policy_id = (SELECT policy_id FROM policies WHERE fingerprint = ?)
"""
_STORED = f"""
    SELECT text, hash, scored_id, tokens, check_sum FROM sentences JOIN scored USING (sentence_id)
    WHERE {_OWN} AND sentence_id IN ({{marks}})
"""  # noqa: S608 - our own text

_SCORED_COLUMNS = ("sentence_id", "model_id", "policy_id", "session_id", "tokens", "check_sum")


# What is done in a transaction, too, given the sentences that were there before it.
Also = Callable[[sqlite3.Connection, Mapping[str, ScoredSentence]], object]


@frozen
class CacheKey:
    """Whose surprisals they are: all that decides them but the sentence.

    `policy` names the method that it means, so that "auto" is no other than the method it stands
    for.
    """

    model: ModelInfo
    policy: Policy

    @property
    def fingerprints(self) -> tuple[str, str]:
        """What model and policy are known by."""
        return self.model.fingerprint, self.policy.fingerprint


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
        keys = self._sentence_ids(hashes_of(texts)).values()
        return {text: scored for text, _, scored in self._stored(key, keys)}

    def keep(
        self,
        key: CacheKey,
        scored: Iterable[ScoredSentence],
        *,
        forgotten: Iterable[str] = (),
        also: Also | None = None,
    ) -> dict[str, ScoredSentence]:
        """Keep scored sentences in one transaction, and return those that were there before.

        What is there keeps its values, so that all use the numbers that were first; tokens that it
        was not asked for are filled in. The sentences are returned as the store has them now. A
        text with half of a surrogate pair, which has no UTF-8, is not kept. What is there of texts
        that are to be `forgotten` is deleted before. `also` is done in the
        same transaction, and is given what is returned.
        Raises `StoreError`; then nothing was kept. One reason is a sentence with other tokens than
        it has in the store: then it is another model.
        """
        new, hashes = {}, {}
        for each in scored:
            if found := sentence_hash(each.text):
                new[each.text], hashes[each.text] = each, found
        before: dict[str, ScoredSentence] = {}
        with self.database.transaction() as connection:
            _forget(connection, key, forgotten)
            ids = owner_ids(connection, key.model, key.policy).values()
            session_id = self._session(connection) if new else self._session_id
            owner = owner_seal(*key.fingerprints)
            sentence_ids = self._sentence_ids(hashes.values())
            for text, scored_id, old in self._stored(key, sentence_ids.values()):
                merged = merged_tokens(old, new.pop(text))
                if merged is None:
                    raise StoreError(
                        f"{self.database.path}: {key.model.reference} does not give {text!r} the "
                        f"tokens that it had before, under the same fingerprint; it has changed: "
                        f"score again what the store has with --rescore, or give another with "
                        f"--store"
                    )
                before[text] = merged
                if merged is not old:
                    sealed = _sealed(owner, hashes[text], merged)
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
            if also:
                also(connection, before)
        # Before the commit, the session might have been lost with the rest.
        self._session_id = session_id
        return before

    def forget_sentences(self, key: CacheKey, texts: Iterable[str]) -> None:
        """Delete what is kept of some sentences, to be scored again; raises `StoreError`."""
        with self.database.transaction() as connection:
            _forget(connection, key, texts)

    def _sentence_ids(self, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the keys of those of the sentences that are there."""
        found: dict[bytes, int] = {}
        for piece in pieces(sorted(hashes)):
            found.update(self.database.rows(_SENTENCES.format(marks=marks(piece)), piece))
        return found

    def _stored(
        self, key: CacheKey, sentence_ids: Iterable[int]
    ) -> Iterator[tuple[str, int, ScoredSentence]]:
        """Yield text, key and tokens of those of the sentences that have been scored.

        Raises `StoreError` for tokens that are another sentence's, model's or policy's.
        """
        owner = owner_seal(*key.fingerprints)
        # In the order in which they lie in the file: a disk reads ahead.
        for piece in pieces(sorted(sentence_ids)):
            rows = self.database.rows(
                _STORED.format(marks=marks(piece)), (*key.fingerprints, *piece)
            )
            for text, hashed, scored_id, tokens, check_sum in rows:
                try:
                    scored = decode_tokens(text, tokens)
                except StoreError as error:
                    raise damaged(self.database.path, str(error)) from None
                if check_sum != scored_seal(owner, hashed, tokens):
                    what = f"the stored tokens of {quoted(text)} are not what {key.model.name} said"
                    raise damaged(self.database.path, what)
                yield text, scored_id, scored

    def _session(self, connection: sqlite3.Connection) -> int:
        if self._session_id is not None:
            return self._session_id
        session = {"started": now(), "provenance": as_json(self.provenance())}
        return insert_row(connection, "sessions", session)


@lru_cache(maxsize=1 << 16)
def sentence_hash(text: str) -> bytes | None:
    """Return what a sentence is found by; None for half of a surrogate pair, which has no UTF-8."""
    try:
        return hashlib.sha256(text.encode()).digest()[:_HASH_BYTES]
    except UnicodeEncodeError:
        return None


def hashes_of(texts: Iterable[str]) -> set[bytes]:
    """Return what the sentences are found by that can be kept."""
    return {found for text in texts if (found := sentence_hash(text))}


def merged_tokens(old: ScoredSentence, new: ScoredSentence) -> ScoredSentence | None:
    """Return `old` with the values of `new` where it was not asked; None for other tokens.

    Returns `old` itself if nothing is to be added.
    """
    if [*map(_identity, old.tokens)] != [*map(_identity, new.tokens)]:
        return None
    pairs = zip(old.tokens, new.tokens, strict=True)
    tokens = tuple(theirs if _was_not_asked(ours) else ours for ours, theirs in pairs)
    return old if tokens == old.tokens else replace(old, tokens=tokens)


# Whether a row has the tokens that the model said, of this sentence: a damaged one may still be one
# that SQLite takes, of another model. These check sums are over what it means, not over its keys.


def owner_seal(model_fingerprint: str, policy_fingerprint: str) -> int:
    """Return what the check sums of all sentences of a model under a policy begin with."""
    return zlib.crc32(f"{model_fingerprint} {policy_fingerprint} ".encode())


def scored_seal(owner: int, sentence_hash: bytes, tokens: bytes) -> int:
    """Return the CRC-32 over whose tokens these are (see `owner_seal`), of what, and which."""
    return zlib.crc32(tokens, zlib.crc32(sentence_hash, owner))


def _forget(connection: sqlite3.Connection, key: CacheKey, texts: Iterable[str]) -> None:
    connection.executemany(
        f"DELETE FROM scored WHERE {_OWN} AND sentence_id = "  # noqa: S608 - our own text
        "(SELECT sentence_id FROM sentences WHERE hash = ?)",
        [(*key.fingerprints, each) for each in hashes_of(texts)],
    )


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


def _identity(token: Token) -> tuple[object, ...]:
    return token.text, token.start, token.end, token.role


def _was_not_asked(token: Token) -> bool:
    return token.surprisal_bits is None and token.why_unscored == "not asked for"


# How much work may be lost.
MOST_SECONDS = 1.0
Scored = tuple[DistinctSentence, ScoredSentence]


@dataclass(frozen=True, slots=True, eq=False)
class CachedModel:
    """Scores no sentence that the store has, and commits all others once a second, and at the end.

    Sentences whose numbers depend, by rounding, on what they are computed with
    (`ModelInfo.n_together`) are cut into batches that follow from what is asked for alone, and a
    batch is kept whole or not at all. So a run that was killed comes out the same, to the last bit,
    as one that was not.

    With `rescore` everything is asked for again; what the store has is `forgotten` when the first
    new answers are kept. What the store has is read once, and `seen` from then on: a run asks how
    much there is to do before it asks for the answers. Answers that a failure puts in doubt
    (`ModelError.spoiled`) are not kept.

    With a place for what is `waiting` it commits nothing: answers are put there as soon as they may
    be kept, by whoever gave the place, and handed out at once.
    """

    model: Model
    cache: SurprisalCache
    rescore: bool = False
    waiting: dict[str, ScoredSentence] | None = None
    forgotten: set[str] = field(default_factory=set)
    seen: dict[Policy, dict[str, ScoredSentence]] = field(default_factory=dict)

    @property
    def info(self) -> ModelInfo:
        """Which model it is."""
        return self.model.info

    @property
    def in_float32(self) -> "Callable[[], CachedModel]":
        """What gives the same model in float32, as the model has it: its sentences are kept, too.

        Raises `AttributeError` for a model that has nothing of the kind.
        """
        in_float32: Callable[[], Model] = self.model.in_float32  # type: ignore[attr-defined]
        return lambda: replace(self, model=in_float32(), forgotten=set(), seen={})

    def close(self) -> None:
        """Have the model let go of what it holds; the store is its owner's."""
        if close := getattr(self.model, "close", None):
            close()

    def work(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None]
    ) -> tuple[int, int]:
        """Return what a call would have a network compute, as the model's own `work` does.

        Nothing where the store has all of it; otherwise all, so that a run which goes on decides as
        it did when it was begun.
        """
        work = getattr(self.model, "work", None)
        if work is None:
            return 0, 0
        wanted = DistinctSentence.all_of(sentences, spans)
        key = self.cache.key(self.info, policy)
        if not self._found(key, wanted)[1]:
            return 0, 0
        found: tuple[int, int] = work(sentences, policy, spans)
        return found

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,
        spans: Sequence[Spans | None] | None = None,
    ) -> Iterator[tuple[int, ScoredSentence]]:
        """Return an iterator over (index, scored sentence); see `Model.score`.

        Raises what the model raises, as early as it does, and `StoreError`.
        """
        key = self.cache.key(self.info, policy)
        wanted = DistinctSentence.all_of(sentences, spans)
        if self.info.n_together is None:
            # As they were given, which is how failures are told.
            wanted.sort(key=lambda each: each.indices)
        if self.rescore:
            self.forgotten.update(each.text for each in wanted)
        there, missing = self._found(key, wanted)
        # What the model refuses it refuses now, whatever batches it will come in.
        answers = self._ask(missing, wanted, policy) if missing else iter(())
        if self.info.n_together is None:
            kept = self._committed(key, answers)
        else:
            # Of all that was asked for: what the store has by now must not move what it has not.
            lacking = {each.text for each in missing}
            every = pieces(wanted, self.info.n_together)
            parts = [[each for each in part if each.text in lacking] for part in every]
            kept = self._kept_together(key, policy, [*filter(None, parts)], answers)
        found = itertools.chain(there, kept)
        return ((index, scored) for each, scored in found for index in each.indices)

    def _found(
        self, key: CacheKey, wanted: Sequence[DistinctSentence]
    ) -> tuple[list[Scored], list[DistinctSentence]]:
        """Return what the store has of sentences as they are wanted, and what it lacks."""
        known = self.seen.setdefault(key.policy, {})
        new = [each.text for each in wanted if each.text not in known]
        known |= {} if self.rescore else self.cache.known(key, new)
        there, missing = [], []
        for each in wanted:
            scored = known.get(each.text)
            if scored and scored.has_all_of(each.spans):
                there.append((each, scored))
            else:
                # Its other parts may come.
                known.pop(each.text, None)
                missing.append(each)
        return there, missing

    def _committed(
        self, key: CacheKey, answers: Iterable[Scored], *, together: bool = False
    ) -> Iterator[Scored]:
        """Keep answers as they come, or all of them `together`, and yield them as they are kept."""
        batch: list[Scored] = []
        last = time.monotonic()
        try:
            for answer in answers:
                batch.append(answer)
                is_due = self.waiting is not None or time.monotonic() - last >= MOST_SECONDS
                if is_due and not together:
                    # Emptied first: what is handed out has been kept, whatever becomes of it.
                    full, batch = batch, []
                    yield from self._kept(key, full)
                    last = time.monotonic()
        except GeneratorExit:
            self._kept(key, batch)
            raise
        except BaseException as error:
            # A model would fail again; what it has answered by then need not be asked for again.
            if isinstance(error, ModelError) or not together:
                yield from self._kept(key, self._sound(key, batch, error))
            raise
        yield from self._kept(key, batch)

    def _kept_together(
        self,
        key: CacheKey,
        policy: Policy,
        batches: Sequence[Sequence[DistinctSentence]],
        answers: Iterator[Scored],
    ) -> Iterator[Scored]:
        blamed: dict[str, str] = {}
        for batch in batches:
            # Another process may have been here meanwhile.
            there, missing = self._found(key, batch)
            yield from there
            if missing:
                is_all = len(batches) == 1 and not there
                asked = answers if is_all else self._ask(missing, missing, policy)
                try:
                    yield from self._committed(key, asked, together=True)
                except ModelError as error:
                    # The other batches stay as they are.
                    if not error.blamed:
                        raise
                    blamed.update(error.blamed)
        if blamed:
            raise ModelError.of_sentences(blamed)

    def _sound(
        self, key: CacheKey, batch: Sequence[Scored], error: BaseException
    ) -> Sequence[Scored]:
        """Return what a failure does not put in doubt; what of it was kept before is deleted."""
        if not isinstance(error, ModelError) or not error.spoiled:
            return batch
        self.cache.forget_sentences(key, error.spoiled)
        for text in error.spoiled:
            (self.waiting or {}).pop(text, None)
        return [each for each in batch if each[0].text not in error.spoiled]

    def _ask(
        self,
        missing: Sequence[DistinctSentence],
        wanted: Sequence[DistinctSentence],
        policy: Policy,
    ) -> Iterator[Scored]:
        """Return the answers for what is missing of all that is wanted."""
        asked = wanted if self.info.all_at_once else missing
        texts, spans = [each.text for each in asked], [each.spans for each in asked]
        answers = self.model.score(texts, policy, spans)
        lacking = {each.text for each in missing}
        return ((asked[index], scored) for index, scored in answers if asked[index].text in lacking)

    def _kept(self, key: CacheKey, batch: Sequence[Scored]) -> list[Scored]:
        """Commit a batch; return it as the store has it now.

        Where another process was first, its numbers hold; where parts of a sentence were there,
        they stay.
        """
        answers = {each.text: scored for each, scored in batch}
        if self.waiting is not None:
            self.waiting.update(answers)
        elif batch:
            answers |= self.cache.keep(key, answers.values(), forgotten=self.forgotten)
            self.forgotten.clear()
        return [(each, answers[each.text]) for each, _ in batch]


# The tokens of a scored sentence as bytes, and back, exactly.
#
#     u8   version of this form (1)
#     u32  CRC-32 of the sentence's UTF-8 and of all that follows
#     u8   w, the bytes of a number: 1, 2 or 4
#     w    n, how many tokens
#     n f64  surprisals in bits, 0 for none
#     n u8   flags: 1 oov; 2, 4 role; 8, 16 why there is no surprisal; 32 no surprisal; 64, 128 name
#     n w    where each token begins, in characters of the sentence
#     n w    where it ends
#     then, for each token whose flags say so, w: how many characters of its name follow
#     then these names in UTF-8, one behind the other
#
# Little-endian. A token's name is, by its flags: the characters that it stands for (0); what is
# written here and these characters without the spaces in front (64: `Ġdog`, `##s`); or what is
# written here (128). The check sum finds a damaged page that SQLite takes for a good one; it holds
# for one sentence only.

_VERSION = 1
_HEAD = struct.Struct("<BI")
_WIDTHS = {1: "B", 2: "H", 4: "I"}
_HEADS = {width: struct.Struct(f"<B{code}") for width, code in _WIDTHS.items()}
_ROLES: tuple[TokenRole, ...] = get_args(TokenRole)
_REASONS: tuple[Unscored, ...] = get_args(Unscored)
_NO_SURPRISAL = 32
_WITH_MARK, _OTHER_NAME = 64, 128

_MEANINGS = {
    oov | role << 1 | reason << 3: (bool(oov), _ROLES[role], _REASONS[reason])
    for oov, role, reason in itertools.product(range(2), range(len(_ROLES)), range(len(_REASONS)))
}

_FLAGS = {meaning: flags for flags, meaning in _MEANINGS.items()}


def encode_tokens(sentence: ScoredSentence) -> bytes:
    """Return the tokens of a sentence that has passed `ScoredSentence.check`."""
    text, tokens = sentence.text, sentence.tokens
    n = len(tokens)
    # Column by column: this runs a million times where a store is filled.
    starts = [token.start for token in tokens]
    ends = [token.end for token in tokens]
    bits = [token.surprisal_bits for token in tokens]
    flags = [_FLAGS[token.oov, token.role, token.why_unscored] for token in tokens]
    names = []
    for index, token in enumerate(tokens):
        name, characters = token.text, text[starts[index] : ends[index]]
        if name != characters:
            bare = characters.lstrip()
            if bare and name.endswith(bare):
                flags[index] |= _WITH_MARK
                name = name[: -len(bare)]
            else:
                flags[index] |= _OTHER_NAME
            names.append(name)
    if None in bits:
        flags = [flag | (bits[i] is None) * _NO_SURPRISAL for i, flag in enumerate(flags)]
        bits = [0.0 if each is None else each for each in bits]
    lengths = [*map(len, names)]
    largest = max(len(text), n, *lengths)
    width = 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
    numbers = f"<B{_WIDTHS[width]}{n}d{n}B{2 * n + len(names)}{_WIDTHS[width]}"
    body = struct.pack(numbers, width, n, *bits, *flags, *starts, *ends, *lengths)
    body += "".join(names).encode("utf-8", "surrogatepass")
    return _HEAD.pack(_VERSION, _check_sum(text, body)) + body


def decode_tokens(text: str, encoded: bytes) -> ScoredSentence:
    """Return the sentence `text` with its tokens; raises `StoreError` for what is no encoding."""
    try:
        version, check_sum = _HEAD.unpack_from(encoded)
        if version != _VERSION:
            raise _damaged(text, f"they are written in form {version}, which is unknown")
        body = encoded[_HEAD.size :]
        if check_sum != _check_sum(text, body):
            raise _damaged(text, "their check sum is wrong")
        return ScoredSentence(text=text, tokens=Token.of_rows(_rows_of_tokens(text, body)))
    except (struct.error, LookupError, ValueError, TypeError, AttributeError):
        raise _damaged(text, "they are cut off or garbled") from None


def _rows_of_tokens(text: str, body: bytes) -> Iterator[tuple[object, ...]]:
    """Yield what `Token.of_rows` makes tokens of."""
    width, n = _HEADS[body[0]].unpack_from(body)
    code = _WIDTHS[width]
    at = _HEADS[width].size
    columns = struct.unpack_from(f"<{n}d{n}B{2 * n}{code}", body, at)
    bits, flags, starts, ends = (columns[part * n : (part + 1) * n] for part in range(4))
    if max(flags, default=0) >= _WITH_MARK | _OTHER_NAME:
        raise ValueError(flags)
    n_names = sum(each >= _WITH_MARK for each in flags)
    names = _names(body[at + n * (9 + 2 * width) :], f"<{n_names}{code}")
    for surprisal_bits, marked, start, end in zip(bits, flags, starts, ends, strict=True):
        if not start <= end <= len(text):
            raise ValueError(end)
        oov, role, reason = _MEANINGS[marked & _NO_SURPRISAL - 1]
        written = text[start:end]
        if marked >= _WITH_MARK:
            written = next(names) + (written.lstrip() if marked & _WITH_MARK else "")
        said = None if marked & _NO_SURPRISAL else surprisal_bits
        yield written, start, end, said, oov, role, reason


def _names(encoded: bytes, form: str) -> Iterator[str]:
    lengths = struct.unpack_from(form, encoded)
    characters = encoded[struct.calcsize(form) :].decode("utf-8", "surrogatepass")
    if sum(lengths) != len(characters):
        raise ValueError(lengths)
    left = io.StringIO(characters, newline="")
    return map(left.read, lengths)


def _check_sum(text: str, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(text.encode("utf-8", "surrogatepass")))


def _damaged(text: str, what: str) -> StoreError:
    return StoreError(f"the stored tokens of {quoted(text)} cannot be read: {what}")
