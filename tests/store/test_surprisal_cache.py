"""What was scored is found again, by whom it was scored for, and is never changed."""

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.store_samples import ROBIN, WREN, cache_of, numbered, words_scored

from pommel.errors import StoreError, UnsupportedFeatureError
from pommel.models.model import Policy
from pommel.store.database import Database
from pommel.store.surprisal_cache import CacheKey, SurprisalCache, sentence_hash
from pommel.surprisal import ScoredSentence, Token

SING = words_scored("wrens sing", 1.25, 0.1 + 0.2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with Database.open(path) as database:
        yield database


@pytest.fixture
def cache(database: Database) -> SurprisalCache:
    return cache_of(database)[0]


@pytest.fixture
def key(cache: SurprisalCache) -> CacheKey:
    return cache.key(WREN, Policy())


def test_nothing_is_known_of_a_new_model(cache: SurprisalCache, key: CacheKey) -> None:
    assert cache.known(key, ["wrens sing"]) == {}


def test_what_was_kept_is_known_to_the_next_process(path: Path) -> None:
    odd = ScoredSentence(
        text="Zaunkönig\0 鷦鷯 🐦",
        tokens=(
            Token(text="Zaun", start=0, end=4, surprisal_bits=None),
            Token(text="##könig", start=4, end=10, surprisal_bits=math.inf, oov=True),
            Token(
                text="鷦鷯", start=11, end=13, surprisal_bits=None, why_unscored="not comparable"
            ),
            Token(text="🐦", start=14, end=15, surprisal_bits=-0.0),
            Token(text="</s>", start=15, end=15, surprisal_bits=1e-300, role="eos"),
        ),
    )
    empty = ScoredSentence(text="", tokens=())
    with Database.open(path) as database:
        cache, key = cache_of(database)
        assert cache.keep(key, [SING, odd, empty]) == {}
    with Database.open(path) as database:
        cache, key = cache_of(database)
        asked = [SING.text, "robins sing", odd.text, odd.text, ""]
        assert cache.known(key, asked) == {SING.text: SING, odd.text: odd, "": empty}


def test_as_many_as_are_asked_for(cache: SurprisalCache, key: CacheKey) -> None:
    scored = numbered(1203)
    cache.keep(key, scored[:1100])
    known = cache.known(key, [each.text for each in scored])
    assert known == {each.text: each for each in scored[:1100]}


def test_each_model_and_policy_has_its_own(cache: SurprisalCache, key: CacheKey) -> None:
    raw = words_scored("wrens sing", 3.0, 4.0)
    cache.keep(key, [SING])
    for other in (cache.key(ROBIN, Policy()), cache.key(WREN, Policy(bos="never"))):
        assert cache.known(other, ["wrens sing"]) == {}
        assert cache.keep(other, [raw]) == {}
        assert cache.known(other, ["wrens sing"]) == {"wrens sing": raw}
    assert cache.known(key, ["wrens sing"]) == {"wrens sing": SING}


def test_auto_is_the_method_that_it_means(cache: SurprisalCache, key: CacheKey) -> None:
    cache.keep(key, [SING])
    named = cache.key(WREN, Policy(method="causal"))
    assert named == key
    assert cache.known(named, ["wrens sing"]) == {"wrens sing": SING}
    with pytest.raises(UnsupportedFeatureError, match="does not take the method 'pll'"):
        cache.key(WREN, Policy(method="pll"))


def test_a_model_is_known_by_its_fingerprint(cache: SurprisalCache, key: CacheKey) -> None:
    cache.keep(key, [SING])
    moved = cache.key(replace(WREN, reference="/elsewhere/wren", device="cuda"), Policy())
    assert cache.known(moved, ["wrens sing"]) == {"wrens sing": SING}


def test_what_is_there_keeps_its_values(cache: SurprisalCache, key: CacheKey) -> None:
    cache.keep(key, [SING])
    other = words_scored("wrens sing", 7.0, 8.0)
    new = words_scored("robins sing")
    assert cache.keep(key, [other, new]) == {"wrens sing": SING}
    assert cache.known(key, ["wrens sing", "robins sing"]) == {
        "wrens sing": SING,
        "robins sing": new,
    }


def test_what_was_not_asked_for_is_filled_in(cache: SurprisalCache, key: CacheKey) -> None:
    text = "wrens sing today"
    cache.keep(key, [words_scored(text, 1.0, None, None, asked=False)])
    merged = cache.keep(key, [words_scored(text, 5.0, 2.0, None, asked=False)])[text]
    assert [token.surprisal_bits for token in merged.tokens] == [1.0, 2.0, None]
    assert cache.known(key, [text]) == {text: merged}
    # A later process reads the same, and what was asked for and has no surprisal stays so.
    final = cache.keep(key, [words_scored(text, 5.0, 5.0, None, asked=True)])[text]
    assert [token.surprisal_bits for token in final.tokens] == [1.0, 2.0, None]
    assert final.tokens[2].why_unscored == "no context"
    assert cache.keep(key, [words_scored(text, 5.0, 5.0, 5.0)]) == {text: final}


def test_other_tokens_are_of_another_model(
    cache: SurprisalCache, key: CacheKey, path: Path
) -> None:
    cache.keep(key, [SING])
    whole = Token(text="wrens sing", start=0, end=10, surprisal_bits=1.0)
    new = [words_scored("robins sing"), ScoredSentence(text="wrens sing", tokens=(whole,))]
    with pytest.raises(StoreError) as raised:
        cache.keep(key, new)
    assert str(raised.value) == (
        f"{path}: wren does not give 'wrens sing' the tokens that it had before, under the same "
        f"fingerprint; it has changed: score again what the store has with --rescore, or give "
        f"another with --store"
    )
    assert cache.known(key, ["wrens sing", "robins sing"]) == {"wrens sing": SING}


def test_half_a_character_is_not_kept(cache: SurprisalCache, key: CacheKey) -> None:
    half = words_scored("half \ud800")
    assert cache.keep(key, [half, SING]) == {}
    assert cache.known(key, [half.text, SING.text]) == {SING.text: SING}
    assert sentence_hash(half.text) is None


def test_keys_have_no_gaps(cache: SurprisalCache, key: CacheKey, database: Database) -> None:
    # What a damaged store has lost is told from them.
    for other in (key, cache.key(ROBIN, Policy()), key):
        cache.keep(other, numbered(5))
    assert database.rows("SELECT name, seq FROM sqlite_sequence ORDER BY name") == [
        ("models", 2),
        ("policies", 2),
        ("scored", 10),
        ("sentences", 5),
        ("sessions", 1),
    ]


def test_who_scored_it(path: Path) -> None:
    for n in range(3):
        with Database.open(path) as database:
            cache, key = cache_of(database)
            cache.keep(key, numbered(2 * min(n, 1) + 2))
            cache.keep(key, numbered(1, 10 * n + 10))
    with Database.open(path) as database:
        rows = database.rows("SELECT session_id, count(*) FROM scored GROUP BY session_id")
        assert rows == [(1, 3), (2, 3), (3, 1)]
        rows = database.rows("SELECT DISTINCT provenance, length(started) FROM sessions")
        assert rows == [('{"pommel":"0"}', len("2026-01-01T00:00:00+00:00"))]


def test_a_process_that_adds_nothing_has_no_session(path: Path) -> None:
    with Database.open(path) as database:
        cache, key = cache_of(database)
        cache.known(key, ["wrens sing"])
        assert database.rows("SELECT * FROM sessions") == []


def test_garbled_tokens_are_an_error(cache: SurprisalCache, key: CacheKey, path: Path) -> None:
    cache.keep(key, [SING])
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE scored SET tokens = substr(tokens, 1, 20)")
        other.commit()
    with pytest.raises(StoreError) as raised:
        cache.known(key, ["wrens sing"])
    assert str(raised.value) == (
        f"{path}: is damaged (the stored tokens of 'wrens sing' cannot be read: their check sum is "
        f"wrong); `pommel runs recover {path} -o NEW` saves what can be read"
    )


@pytest.mark.parametrize(
    "damage", ["check_sum = check_sum + 1", "check_sum = NULL", "model_id = 2, policy_id = 2"]
)
def test_tokens_that_are_not_what_the_model_said_are_damaged(
    database: Database, cache: SurprisalCache, key: CacheKey, damage: str
) -> None:
    robin = cache.key(ROBIN, Policy())
    cache.keep(key, [SING])
    cache.keep(robin, [words_scored("robins sing", 1.0, 2.0)])
    database.connection.execute(f"UPDATE scored SET {damage} WHERE model_id = 1")  # noqa: S608 - our own text
    whose = robin if "model_id" in damage else key
    says = f"is damaged .the stored tokens of 'wrens sing' are not what {whose.model.name} said"
    with pytest.raises(StoreError, match=says):
        cache.known(whose, [SING.text])
    with pytest.raises(StoreError, match=says):
        cache.keep(whose, [SING])
