"""What can be read of damaged stores comes back, and nothing else does."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.damaged_stores import (
    KEPT,
    N_RUNS,
    N,
    made_good,
    pages_of,
    results_of,
    salvaged,
)
from tests.store.store_samples import (
    ROBIN,
    WREN,
    cache_of,
    filled,
    found_in,
    numbered,
    words_scored,
)

from pommel.errors import StoreError
from pommel.models.model import Policy
from pommel.store.database import KEYS, PAGE_BYTES, Database
from pommel.store.salvage import Salvaged, salvage
from pommel.store.surprisal_cache import delete_unused, encode_tokens, sentence_hash


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store of 2,000 sentences and eight runs."""
    return made_good(tmp_path_factory.mktemp("good") / "store")


@pytest.fixture(scope="module")
def places(good: bytes) -> dict[str, tuple[int, int]]:
    """The pages of the text and of the tokens of each sentence."""
    found = {}
    for each in KEPT:
        encoded = each.text.encode()
        hashed = sentence_hash(each.text)
        assert hashed is not None
        # Where a root became too small, it still has an old copy of what is further down now.
        text_page = good.rindex(hashed + encoded) // PAGE_BYTES
        found[each.text] = (text_page, good.rindex(encode_tokens(each)) // PAGE_BYTES)
    return found


@pytest.fixture
def expected(
    good: bytes, places: dict[str, tuple[int, int]]
) -> Callable[[Collection[int]], set[str]]:
    """What has to be there if some pages are lost: all sentences whose own pages are not."""
    needed = [
        pages_of(good, fingerprint.encode())
        for fingerprint in (WREN.fingerprint, Policy(method="causal").fingerprint)
    ]

    def survivors(lost: Collection[int]) -> set[str]:
        # Either the table or its index says which model and policy it was.
        if any(all(page in lost for page in pages) for pages in needed):
            return set()
        return {text for text, pages in places.items() if not any(page in lost for page in pages)}

    return survivors


def test_a_good_store_comes_back_whole(good: bytes, tmp_path: Path) -> None:
    target, counts = salvaged(tmp_path, good)
    assert counts == Salvaged(
        kept={
            "models": 1,
            "policies": 1,
            "sentences": N,
            "sessions": 1,
            "suites": 0,
            "scored": N,
            # What is known of the model, how they were scored, and what each was asked.
            "documents": 2 + N_RUNS,
            "runs": N_RUNS,
            "results": N_RUNS,
        },
        lost=dict.fromkeys(KEYS, 0),
        n_reopened=0,
        n_unlinked=0,
    )
    with Database.open(target) as database, closing(sqlite3.connect(tmp_path / "damaged")) as old:
        for table, key in KEYS.items():
            sql = f"SELECT * FROM {table} ORDER BY {key}"  # noqa: S608
            assert database.rows(sql) == old.execute(sql).fetchall()


@pytest.mark.parametrize("seed", range(8))
def test_a_store_that_was_cut_off(
    good: bytes, expected: Callable[[Collection[int]], set[str]], tmp_path: Path, seed: int
) -> None:
    n_pages = len(good) // PAGE_BYTES
    length = random.Random(seed).randrange(PAGE_BYTES * 2, len(good))  # noqa: S311 - no secret
    (tmp_path / "damaged").write_bytes(good[:length])
    with pytest.raises(StoreError) as raised:
        Database.open(tmp_path / "damaged")
    assert str(raised.value) == (
        f"{tmp_path / 'damaged'}: is damaged (database disk image is malformed); `pommel runs "
        f"recover {tmp_path / 'damaged'} -o NEW` saves what can be read"
    )
    target, counts = salvaged(tmp_path, good[:length])
    wanted = expected(range(length // PAGE_BYTES, n_pages))
    found = found_in(target, KEPT)
    assert set(found) == wanted
    assert all(found[each.text] == each for each in KEPT if each.text in found)
    assert counts.kept["scored"] + counts.lost["scored"] == N
    assert counts.kept["sentences"] + counts.lost["sentences"] == N


@pytest.mark.parametrize("seed", range(1, 10, 2))
def test_pages_of_garbage(
    good: bytes, expected: Callable[[Collection[int]], set[str]], tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    n_pages = len(good) // PAGE_BYTES
    lost = set(chance.sample(range(n_pages), 1 + 2 * seed))
    data = bytearray(good)
    for page in lost:
        data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = chance.randbytes(PAGE_BYTES)
    target, counts = salvaged(tmp_path, bytes(data))
    found = found_in(target, KEPT)
    assert set(found) == expected(lost)
    assert all(found[each.text] == each for each in KEPT if each.text in found)
    # What counts as complete is; the rest is known to be missing.
    (tmp_path / "good").write_bytes(good)
    truth, results = results_of(tmp_path / "good"), results_of(target)
    assert all(results[run_id] == truth[run_id] for run_id in results)
    assert counts.kept["runs"] == len(results) + counts.n_reopened


def test_the_pages_that_lead_to_the_others(
    good: bytes, expected: Callable[[Collection[int]], set[str]], tmp_path: Path
) -> None:
    (tmp_path / "good").write_bytes(good)
    with Database.open(tmp_path / "good") as database:
        roots = database.rows("SELECT rootpage - 1 FROM sqlite_master")
    (tmp_path / "good").unlink()
    lost = {0, *(page for (page,) in roots)} - set(pages_of(good, WREN.fingerprint.encode())[:1])
    lost -= set(pages_of(good, Policy(method="causal").fingerprint.encode())[:1])
    data = bytearray(good)
    for page in lost:
        data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)
    target, _ = salvaged(tmp_path, bytes(data))
    assert set(found_in(target, KEPT)) == expected(lost) == {each.text for each in KEPT}


def test_a_lost_model_has_its_fingerprint(good: bytes, tmp_path: Path) -> None:
    data = bytearray(good)
    # Its description is in the table only.
    (page,) = {page for page in pages_of(good, b'"reference":"wren"') if page}
    data[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)
    target, counts = salvaged(tmp_path, bytes(data))
    assert (counts.kept["models"], counts.lost["models"]) == (1, 0)
    with Database.open(target) as database:
        cache, key = cache_of(database)
        assert len(cache.known(key, [each.text for each in KEPT])) == N
        ((fingerprint, name),) = database.rows(
            "SELECT fingerprint, json_extract(description, '$.name') FROM models"
        )
    assert (fingerprint, name) == (WREN.fingerprint, "(lost)")


def test_what_is_still_in_the_log(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    folder.mkdir()
    path = tmp_path / "store"
    filled(path, 1000)
    with Database.open(path) as database:
        cache, key = cache_of(database)
        cache.keep(key, numbered(1500))
        # As a machine would leave it that loses power now.
        for name in ("store", "store-wal"):
            shutil.copyfile(tmp_path / name, folder / name)
    data = (folder / "store").read_bytes()
    (folder / "store").write_bytes(data[: PAGE_BYTES * 30])
    salvage(folder / "store", folder / "new")
    found = found_in(folder / "new", numbered(1500))
    assert {each.text for each in numbered(500, 1000)} <= set(found)
    assert len(found) > 500
    assert sorted(each.name for each in folder.iterdir()) == ["new", "store", "store-wal"]


def test_sentences_longer_than_a_page(tmp_path: Path) -> None:
    long = [words_scored(f"{n} " + "wrens sing " * 600) for n in range(4)]
    path = tmp_path / "store"
    with Database.open(path) as database:
        cache, key = cache_of(database)
        cache.keep(key, [*long, *numbered(100)])
        roots = database.rows(
            "SELECT rootpage FROM sqlite_master WHERE name IN ('sentences', 'scored')"
        )
    data = bytearray(path.read_bytes())
    for (page,) in roots:
        data[(page - 1) * PAGE_BYTES : page * PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(data)
    counts = salvage(path, tmp_path / "new")
    scored = [*long, *numbered(100)]
    assert found_in(tmp_path / "new", scored) == {each.text: each for each in scored}
    assert (counts.lost["sentences"], counts.lost["scored"]) == (0, 0)


def test_what_was_deleted_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 300)
    with Database.open(path) as database:
        cache, key = cache_of(database, ROBIN)
        cache.keep(key, numbered(100))
        with database.transaction() as connection:
            connection.execute("DELETE FROM scored WHERE model_id = 1")
            delete_unused(connection)
        ((page,),) = database.rows("SELECT rootpage FROM sqlite_master WHERE name = 'scored'")
    data = bytearray(path.read_bytes())
    data[(page - 1) * PAGE_BYTES : page * PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(data)
    salvage(path, tmp_path / "new")
    assert found_in(tmp_path / "new", numbered(300)) == {}
    with Database.open(tmp_path / "new") as database:
        cache, key = cache_of(database, ROBIN)
        assert len(cache.known(key, [each.text for each in numbered(300)])) == 100


def test_garbled_tokens_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "store"
    filled(path, 10)
    with Database.open(path) as database, database.transaction() as connection:
        ids = dict(connection.execute("SELECT text, sentence_id FROM sentences").fetchall())
        third, fifth = (ids[numbered(10)[n].text] for n in (2, 4))
        sql = "UPDATE scored SET tokens = x'0102' WHERE sentence_id = ?"
        connection.execute(sql, (third,))
        sql = "UPDATE sentences SET text = 'robins' WHERE sentence_id = ?"
        connection.execute(sql, (fifth,))
    counts = salvage(path, tmp_path / "new")
    assert (counts.lost["sentences"], counts.lost["scored"]) == (1, 2)
    found = found_in(tmp_path / "new", numbered(10))
    wanted = [each for n, each in enumerate(numbered(10), 1) if n not in {3, 5}]
    assert found == {each.text: each for each in wanted}
