"""What other stores have, taken in."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.store.run_samples import SEED, agreement, assert_same, imported, made, store_at
from tests.word_model import WordModel

from pommel.errors import ModelError, StoreError
from pommel.models import NamedModel
from pommel.models.model import Policy
from pommel.scoring import Choices
from pommel.scoring.run_record import RunRecord
from pommel.store import Selection, Store, run_and_keep
from pommel.store.merging import TOLERANCE_BITS, TakenIn
from pommel.suite.suite import Suite

OTHER_ITEMS = (
    {"good": ("The dogs", "bark", "."), "bad": ("The dogs", "barks", ".")},
    {"good": ("A wren", "sings", "."), "bad": ("A wren", "sing", ".")},
)
SUITES = (agreement(), agreement("other", OTHER_ITEMS), agreement("first", OTHER_ITEMS[:1]))

# Everything that a store says, without keys and dates.
SAID = (
    "SELECT fingerprint, description FROM models",
    "SELECT fingerprint, description FROM policies",
    "SELECT sha256, name, document FROM suites",
    "SELECT provenance FROM sessions",
    "SELECT hash, content FROM documents",
    (
        "SELECT text, m.fingerprint, p.fingerprint, tokens, provenance, check_sum FROM scored "
        "JOIN sentences USING (sentence_id) JOIN models AS m USING (model_id) "
        "JOIN policies AS p USING (policy_id) LEFT JOIN sessions USING (session_id)"
    ),
    (
        "SELECT run_id, status, source, model_name, suite_name, circuit, language, score_rule, "
        "m.fingerprint, p.fingerprint, sha256, a.hash, b.hash, c.hash, scores, items FROM runs "
        "LEFT JOIN results USING (run_key) LEFT JOIN models AS m USING (model_id) "
        "LEFT JOIN policies AS p USING (policy_id) LEFT JOIN suites USING (suite_id) "
        "LEFT JOIN documents AS a ON a.document_id = of_model "
        "LEFT JOIN documents AS b ON b.document_id = of_suite "
        "LEFT JOIN documents AS c ON c.document_id = of_choices"
    ),
)


def said(store: Store) -> list[list[tuple[Any, ...]]]:
    return [sorted({*store.database.rows(sql)}, key=repr) for sql in SAID]


def kept(
    path: Path, suites: Sequence[Suite], model: WordModel | None = None, **chosen: Any
) -> Path:
    """Make a store in which a model has run on suites; return its file."""
    model = model or WordModel()
    named = NamedModel(reference=model.info.reference)
    with Store.open(path) as store:
        list(run_and_keep(named, model, suites, Choices(**chosen), store=store))
    return path


def undated(record: RunRecord) -> RunRecord:
    provenance = {**record.result.provenance, "date": ""}
    return replace(record, created="", result=replace(record.result, provenance=provenance))


def bits(store: Store, text: str) -> list[float | None]:
    (row,) = store.database.rows(
        "SELECT m.description FROM scored JOIN sentences USING (sentence_id) "
        "JOIN models AS m USING (model_id) WHERE text = ?",
        (text,),
    )
    info = replace(WordModel().info, fingerprint=json.loads(row[0])["fingerprint"])
    found = store.cache.known(store.cache.key(info, Policy()), [text])
    return [token.surprisal_bits for token in found[text].tokens]


def test_two_halves_are_the_whole(tmp_path: Path) -> None:
    halves = [kept(tmp_path / "one", SUITES[:2]), kept(tmp_path / "two", SUITES[1:])]
    whole = kept(tmp_path / "whole", SUITES)
    with store_at(tmp_path) as store, Store.open(whole) as single:
        taken = [store.take_in(each) for each in halves]
        assert taken == [
            TakenIn(n_runs=2, n_new_runs=2, n_scored=8, n_new_scored=8),
            TakenIn(n_runs=2, n_new_runs=1, n_scored=4, n_new_scored=0),
        ]
        assert said(store) == said(single)
        for one, other in zip(store.runs.records(), single.runs.records(), strict=True):
            assert_same(undated(one), undated(other))
        (run,) = store.runs.runs(store.runs.records()[:1])
        assert run.surprisals.sentences[0][0].text == "The dogs bark ."
        assert store.database.rows("PRAGMA foreign_key_check") == []
        assert store.database.rows("PRAGMA integrity_check") == [("ok",)]


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    other = kept(tmp_path / "one", SUITES)
    with store_at(tmp_path) as store:
        store.take_in(other)
        before = list(store.database.connection.iterdump())
        assert store.take_in(other) == TakenIn(n_runs=3, n_scored=8)
        assert list(store.database.connection.iterdump()) == before


@settings(max_examples=8, deadline=None)
@given(
    parts=st.lists(
        st.tuples(
            st.sets(st.integers(0, 2), min_size=1),
            st.sampled_from(["0", "1"]),
            st.sampled_from(["all", "needed"]),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_the_order_of_stores_makes_no_difference(
    parts: list[tuple[set[int], str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("orders")
    paths = [
        kept(
            folder / f"{number}",
            [SUITES[each] for each in sorted(suites)],
            WordModel(fingerprint=fingerprint),
            regions=regions,
        )
        for number, (suites, fingerprint, regions) in enumerate(parts)
    ]
    found: list[list[list[tuple[Any, ...]]]] = []
    for order in permutations(paths):
        with Store.open(folder / f"merged-{len(found)}") as store:
            for path in order:
                store.take_in(path)
            # What a run was asked for beside its predictions is that of the first.
            *rest, runs = said(store)
            del rest[4]
            found.append([*rest, [(*run[:11], run[12], *run[14:]) for run in runs]])
    assert all(each == found[0] for each in found)


def test_results_of_others_and_families_come_along(tmp_path: Path) -> None:
    with Store.open(tmp_path / "other") as other:
        other.runs.save_records([imported()])
        record = RunRecord.of(made(other, SUITES[0], membership=SEED))
    with store_at(tmp_path) as store:
        store.take_in(tmp_path / "other")
        first, second = store.runs.records()
        assert_same(first, replace(imported(), result=first.result))
        assert second.run_id == record.run_id
        assert second.result.membership == SEED
        assert store.runs.suite(second) == SUITES[0]


def test_a_complete_run_takes_the_place_of_an_interrupted_one(tmp_path: Path) -> None:
    whole = kept(tmp_path / "whole", SUITES)
    failing = WordModel(fails_at="A wren sings .")
    named = NamedModel(reference=failing.info.reference)
    with store_at(tmp_path) as store:
        with pytest.raises(ModelError, match="it fails"):
            list(run_and_keep(named, failing, SUITES, Choices(strict_model=True), store=store))
        begun = [each.status for each in store.runs.heads(Selection(complete_only=False))]
        assert "interrupted" in begun
        store.take_in(whole)
        records = store.runs.heads(Selection(complete_only=False))
        assert [(each.result.suite_name, each.status) for each in records] == [
            ("agreement", "complete"),
            ("other", "complete"),
            ("first", "complete"),
        ]
    # And not the other way round.
    with Store.open(whole) as store:
        before = said(store)[-1]
        store.take_in(tmp_path / "store.sqlite")
        assert said(store)[-1] == before


DOGS = "The dogs bark ."


@pytest.mark.parametrize(
    ("dtype", "more", "fits"),
    [
        (None, 1e-12, False),
        ("float32", 0.9e-4, True),
        ("float32", 1.1e-4, False),
        ("float16", 0.17, True),
        ("float16", 0.19, False),
        ("bfloat16", 1.4, True),
        ("bfloat16", 1.5, False),
    ],
)
def test_numbers_may_differ_by_rounding_only(
    tmp_path: Path, dtype: str | None, more: float, *, fits: bool
) -> None:
    one = kept(tmp_path / "one", SUITES[:1])
    two = kept(tmp_path / "two", SUITES[1:2], WordModel(bits={"bark": 4 + more}))
    for path, host in ((one, "thrush"), (two, "rook")):
        changed(path, dtype, host)
    with Store.open(one) as store:
        if fits:
            taken = store.take_in(two)
            assert (taken.n_new_runs, taken.n_evaluated_again) == (1, 1)
            assert bits(store, DOGS)[2] == 4
            return
        before = list(store.database.connection.iterdump())
        with pytest.raises(StoreError) as caught:
            store.take_in(two)
        assert str(caught.value) == (
            f"{two}: words gives 'The dogs bark .' {4 + more!r} bits at 'bark' there, scored on "
            f"rook, shard 2/2, and 4.0 in {one}, scored on thrush, shard 2/2: that is more "
            f"than rounding, so one of the two is wrong; nothing of it was merged. Score it again "
            f"with --rescore where it is, or leave it out"
        )
        assert list(store.database.connection.iterdump()) == before


def changed(path: Path, dtype: str | None, host: str) -> None:
    """Have a store's model be of a number format, and its sessions on a machine."""
    with sqlite3.connect(path) as connection:
        ((described,),) = connection.execute("SELECT description FROM models")
        connection.execute(
            "UPDATE models SET description = ?",
            (json.dumps(json.loads(described) | {"dtype": dtype}),),
        )
        session = json.dumps({"host": host, "shard": "2/2"})
        connection.execute("UPDATE sessions SET provenance = ?", (session,))
    connection.close()


def test_runs_rest_on_the_numbers_that_stay(tmp_path: Path) -> None:
    """What turns a verdict is a sentence of another store, by less than rounding."""
    one = kept(tmp_path / "one", SUITES[2:], WordModel(bits={"bark": 5.0, "barks": 5.00005}))
    two = kept(tmp_path / "two", SUITES[:1], WordModel(bits={"bark": 5.00005, "barks": 5.0}))
    for path in (one, two):
        changed(path, "float32", "rook")
    with Store.open(two) as store:
        (before,) = store.runs.records()
    with Store.open(one) as store:
        assert store.take_in(two).n_evaluated_again == 1
        _, after = store.runs.records()
    assert (after.run_id, after.created) == (before.run_id, before.created)
    held = [each.result.predictions[0].holds.tolist() for each in (before, after)]
    assert held == [[False, False, False], [True, False, False]]
    assert after.result.provenance.keys() == before.result.provenance.keys()


def test_other_tokens_are_another_model(tmp_path: Path) -> None:
    one, two = kept(tmp_path / "one", SUITES[:1]), kept(tmp_path / "two", SUITES[:1])
    with sqlite3.connect(two) as connection:
        connection.execute(
            "UPDATE scored SET tokens = (SELECT tokens FROM scored AS s WHERE s.scored_id <> "
            "scored.scored_id LIMIT 1)"
        )
    connection.close()
    with Store.open(one) as store, pytest.raises(StoreError) as caught:
        store.take_in(two)
    assert f"{two}: is damaged (the stored tokens of" in str(caught.value)


def test_regions_that_one_did_not_ask_for_are_filled_in(tmp_path: Path) -> None:
    suite = agreement(formulas=("(2;%good%) < (2;%bad%)",))
    every = kept(tmp_path / "every", [suite], regions="all")
    some = kept(tmp_path / "some", [suite], regions="needed")
    with Store.open(some) as store:
        assert None in bits(store, DOGS)
        store.take_in(every)
        filled = bits(store, DOGS)
    with Store.open(every) as store:
        assert filled == bits(store, DOGS)
        before = said(store)
        store.take_in(some)
        assert said(store)[5] == before[5]


def test_only_sentences_that_came_since(tmp_path: Path) -> None:
    other = kept(tmp_path / "other", SUITES[:1])
    with Store.open(other) as store:
        ((last,),) = store.database.rows("SELECT max(scored_id) FROM scored")
    kept(other, SUITES)
    with store_at(tmp_path) as store:
        assert store.take_in(other, since=last) == TakenIn(n_scored=2, n_new_scored=2)
        assert store.database.rows("SELECT text FROM sentences ORDER BY text") == [
            ("A wren sing .",),
            ("A wren sings .",),
        ]
        assert store.runs.is_empty()


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no store " * 1000)
    with store_at(tmp_path) as store:
        for path, message in (
            (tmp_path / "none", "there is no store"),
            (store.path, "is the store itself"),
            (tmp_path, "is a folder; give the store's file with --store"),
            (text, "is no SQLite file, and was not changed"),
        ):
            with pytest.raises(StoreError) as caught:
                store.take_in(path)
            assert str(caught.value).startswith(f"{path}: {message}")
        assert store.runs.is_empty()


def test_what_is_damaged_is_not_taken_in(tmp_path: Path) -> None:
    other = kept(tmp_path / "other", SUITES)
    with Store.open(other) as store:
        store.database.rows("PRAGMA journal_mode = DELETE")
    content = bytearray(other.read_bytes())
    page = content.index(b"A wren sings .") // 4096
    content[page * 4096 : page * 4096 + 8] = bytes(8)
    other.write_bytes(content)
    with store_at(tmp_path) as store:
        with pytest.raises(StoreError) as caught:
            store.take_in(other)
        assert str(caught.value).startswith(f"{other}: is damaged (")
        assert store.runs.is_empty()
        # The connection is as it was.
        assert store.take_in(kept(tmp_path / "sound", SUITES)).n_new_runs == 3


def test_a_store_that_may_only_be_read_is_merged(tmp_path: Path) -> None:
    other = kept(tmp_path / "folder" / "other", SUITES)
    other.chmod(0o444)
    other.parent.chmod(0o555)
    before = [path.name for path in other.parent.iterdir()]
    try:
        with store_at(tmp_path) as store:
            assert store.take_in(other, unchanged=True).n_new_runs == 3
            assert [path.name for path in other.parent.iterdir()] == before
            assert store.take_in(other).n_new_runs == 0
    finally:
        other.parent.chmod(0o755)


def test_tolerances_are_of_known_formats() -> None:
    limits: Mapping[str, float] = TOLERANCE_BITS
    assert [*limits] == ["float32", "float16", "bfloat16"]
    assert sorted(limits.values()) == [*limits.values()]
