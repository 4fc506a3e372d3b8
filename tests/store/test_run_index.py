"""All runs in brief: which count is what the selection says, however the store has come about."""

import contextlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from tests.store.run_samples import agreement, imported, made, member, own, reported, store_at

from pommel.errors import StoreError
from pommel.models.family import Membership
from pommel.scoring.run_record import RunRecord, SuiteFacts
from pommel.store import Selection, Store, run_index
from pommel.store.run_index import RunIndex, RunPlace
from pommel.store.selection import one_each, told_apart_records


def shown(index: RunIndex) -> list[tuple[object, ...]]:
    """Return what an index says of each run."""
    return [
        (key, *index.ways[way].model_names, index.places[place], created, str(score), complete)
        for key, way, place, created, score, complete in zip(
            index.keys.tolist(),
            index.way_of.tolist(),
            index.place_of.tolist(),
            index.created.tolist(),
            index.scores.tolist(),
            index.is_complete.tolist(),
            strict=True,
        )
    ]


Counted = Mapping[str, tuple[str, Membership | None]]


def counted(index: RunIndex, run_ids: Sequence[str]) -> Counted:
    """Return the ids of the runs that count, and what their models are called."""
    found = index.counted
    return {
        run_ids[row]: (
            found.models[kin].result.model_name,
            found.models[kin].result.membership,
        )
        for row, kin in zip(found.rows.tolist(), found.kins.tolist(), strict=True)
    }


def selected(heads: Sequence[RunRecord]) -> Counted:
    """Return the same as the selection says it."""
    told = told_apart_records([each for each in heads if each.status == "complete"])
    scored = {each.run_id for each in told if each.result.scored}
    return {
        each.run_id: (each.result.model_name, each.result.membership)
        for each in one_each(told, scored=scored).records
    }


def assert_same(store: Store, index: RunIndex) -> None:
    """Fail unless the index says what the store says."""
    heads = store.runs.heads(Selection(complete_only=False))
    assert counted(index, [each.run_id for each in heads]) == selected(heads)
    assert shown(index) == shown(store.runs.index())


def index_of(records: Sequence[RunRecord]) -> RunIndex:
    """Return the index of runs, without a store."""
    ways = [
        replace(
            each,
            run_id="",
            created="",
            suite=SuiteFacts(),
            status="complete",
            result=replace(each.result, suite_name="", predictions=(), item_numbers=()),
        )
        for each in records
    ]
    places = [
        RunPlace(suite_name=each.result.suite_name, circuit="", facts=each.suite)
        for each in records
    ]
    known = RunIndex().known
    distinct = {repr(each): each for each in ways}
    known.ways.extend(distinct.values())
    numbers = {text: number for number, text in enumerate(distinct)}
    for place in places:
        number = known.suite_numbers.setdefault(place.suite_key, len(known.suite_numbers))
        known.places.append(place)
        known.suites.append(number)
        known.is_limited.append(bool(place.facts.first_items_of))
    block = run_index.Block(
        digest="",
        keys=np.arange(len(records)),
        ways=np.array([numbers[repr(each)] for each in ways]),
        places=np.arange(len(records)),
        created=np.array([each.created for each in records], dtype=np.object_),
        scores=np.zeros(len(records)),
        is_complete=np.array([each.status == "complete" for each in records]),
        is_scored=np.array([bool(each.result.scored) for each in records]),
    )
    return RunIndex(blocks={0: block}, known=known)


def drawn(seed: int, number: int = 0) -> list[RunRecord]:
    """Draw runs of few models, families, suites, days and ways, so that they meet."""
    chance = random.Random(seed)  # noqa: S311 - for cases, not for secrets
    n = chance.randint(3, 14 if seed % 2 else 40)
    return [drawn_run(chance, number + each) for each in range(n)]


def drawn_run(chance: random.Random, number: int) -> RunRecord:
    """Draw a run of our own, of a member of a family, or of others."""
    pick = chance.choice
    facts: Any = {
        "day": chance.randint(1, 2),
        "suite": pick("ab"),
        "rule": pick(["all", "all", "first"]),
        "policy": pick(["", "", "other"]),
    }
    fingerprint, kind = pick(["a", "b", ""]), pick(["own", "own", "member", "member", "imported"])
    # Its number format is a part of what a fingerprint is of.
    facts["loaded"] = {"a": {"dtype": "float32"}, "b": {"dtype": "float16"}}.get(fingerprint)
    if kind == "own":
        reference, name = pick(["toy://a", "toy://b"]), pick(["words", "toy/seed-1"])
        record = own(number, reference, name=name, fingerprint=fingerprint, **facts)
    elif kind == "member":
        folder, family = pick(["toy", "other"]), pick(["toy", "other"])
        seed = chance.randint(1, 2)
        record = member(number, seed, fingerprint, folder=folder, family=family, **facts)
    else:
        source = pick(["paper", "site"])
        record = imported(
            f"{number:012x}", model="words", suite=facts["suite"], source=source, rule=facts["rule"]
        )
    bare = replace(record.result, predictions=(), item_numbers=())
    if chance.random() < 0.2:
        record = replace(record, result=bare)
    if chance.random() < 0.15:
        record = replace(record, suite=replace(record.suite, first_items_of=9))
    if chance.random() < 0.1:
        language = replace(record.suite, language="de")
        record = replace(record, suite=language, settings={"oov": "skip"})
    if chance.random() < 0.1:
        record = replace(record, result=bare, status="interrupted")
        # Its id says what it is of.
        record = replace(record, run_id=RunRecord.id_of({"is": repr(record)}))
    return record


@contextlib.contextmanager
def opened(records: Iterable[RunRecord]) -> Iterator[Store]:
    """Open a store of these runs, which is gone afterwards."""
    with TemporaryDirectory() as folder, store_at(Path(folder)) as store:
        store.runs.save_records(records)
        yield store


# Beside the first ones, those in which it makes a difference which runs of a kin are looked at.
@pytest.mark.parametrize("seeds", [range(500), (8570, 9982, 11610)], ids=["first", "telling"])
def test_what_counts_is_what_the_selection_says(seeds: Iterable[int]) -> None:
    for seed in seeds:
        records = drawn(seed)
        run_ids = [each.run_id for each in records]
        assert counted(index_of(records), run_ids) == selected(records), seed


@pytest.mark.parametrize("seed", range(12))
def test_an_index_is_kept_up(seed: int) -> None:
    with opened(drawn(seed)) as store:
        index = store.runs.index()
        assert store.runs.index(index) is index
        # Some in the place of the first ones, some behind them.
        store.runs.save_records(drawn(seed + 100, number=5))
        index = store.runs.index(index)
        assert_same(store, index)
        store.runs.delete([f"{number:012x}" for number in range(seed, 40, 5)])
        assert_same(store, store.runs.index(index))


def test_only_blocks_that_have_changed_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    block = run_index._Reading._block  # noqa: SLF001 - what is counted

    def counted_block(
        self: run_index._Reading,
        rows: list[tuple[Any, ...]],
        digest: str,
    ) -> run_index.Block:
        read.append(rows[0][0] // 1024)
        return block(self, rows, digest)

    with opened(imported(f"{n:012x}", suite=f"{n}") for n in range(3000)) as store:
        monkeypatch.setattr(run_index._Reading, "_block", counted_block)  # noqa: SLF001 - likewise
        index = store.runs.index()
        assert read == [0, 1, 2]
        for change, blocks in (
            (lambda: store.runs.save_records([imported("f" * 12)]), [2]),
            # What is kept anew, and what is gone, wherever it is.
            (lambda: store.runs.renew([f"{1500:012x}"]), [1]),
            (lambda: store.runs.delete([f"{7:012x}", f"{2900:012x}"]), [0, 2]),
            (lambda: store.runs.delete([f"{n:012x}" for n in range(1100)]), [1]),
            (lambda: None, []),
        ):
            read.clear()
            change()
            index = store.runs.index(index)
            assert read == blocks
            assert_same(store, index)
        assert len(index.keys) == 3001 - 1101


def test_a_run_counts_when_it_is_complete(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        run = made(store, agreement())
        record = RunRecord.of(run)
        bare = replace(record.result, predictions=(), item_numbers=())
        store.runs.save_records([replace(record, status="interrupted", result=bare)])
        index = store.runs.index()
        assert (len(index.keys), len(index.counted.rows)) == (1, 0)
        store.runs.save(run)
        index = store.runs.index(index)
        assert (index.is_complete.tolist(), len(index.counted.rows)) == ([True], 1)
        assert index.scores.tolist() == [record.result.score]


def test_a_score_that_was_published_by_itself_is_one(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        store.runs.save_records([reported(share=0.826)])
        assert store.runs.index().scores.tolist() == [0.826]


def test_runs_far_apart_are_found(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        store.runs.save_records([imported(f"{n:012x}", suite=f"{n}") for n in range(3)])
        with store.database.transaction() as connection:
            connection.execute("UPDATE sqlite_sequence SET seq = 9000000000 WHERE name = 'runs'")
        store.runs.save_records([imported("3".zfill(12))])
        assert store.runs.index().keys.tolist() == [1, 2, 3, 9_000_000_001]


def test_a_run_of_which_the_documents_make_no_sense_is_damage(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        store.runs.save_records([imported()])
        with store.database.transaction() as connection:
            connection.execute("UPDATE documents SET content = '[]'")
        with pytest.raises(StoreError, match="is damaged"):
            store.runs.index()


def test_a_model_alone_keeps_its_name_where_its_family_has_the_suite() -> None:
    # The family's run on that suite is neither its oldest nor its newest.
    records = [
        member(1, 1, "a", suite="b", day=1),
        member(2, 1, "a", suite="a", day=2),
        member(3, 1, "a", suite="c", day=3),
        own(4, fingerprint="a", suite="a", rule="first"),
    ]
    found = counted(index_of(records), [each.run_id for each in records])
    assert found == selected(records)
    assert found[records[3].run_id] == ("words", None)
