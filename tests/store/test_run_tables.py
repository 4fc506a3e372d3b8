"""Runs in the store: what is saved comes back, and is there once."""

import json
import math
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from tests.builders import by_word, make_suite, token
from tests.store.run_samples import (
    ITEMS,
    SEED,
    agreement,
    assert_same,
    assert_same_result,
    imported,
    made,
    named,
    reported,
    store_at,
)
from tests.word_model import WordModel

from pommel.errors import ModelError, StoreError
from pommel.files.json import WrittenFloat
from pommel.models.family import Membership
from pommel.models.model import Policy
from pommel.scoring import Choices
from pommel.scoring.choices import Oov, ScoreRule
from pommel.scoring.results import PredictionResult, Score, SuiteResult
from pommel.scoring.run import Run
from pommel.scoring.run_record import ModelFacts, RunRecord, SuiteFacts
from pommel.store import Selection, Store
from pommel.store.store import run_and_keep
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(tmp_path) as opened:
        yield opened


# --- what is saved comes back

_texts = st.text(st.characters(codec="utf-8"), max_size=8)
_flags = st.lists(st.booleans(), min_size=6, max_size=6)
_items = st.lists(st.tuples(_flags, st.booleans(), st.floats(allow_nan=True)), min_size=1)


@st.composite
def _results(draw: st.DrawFn) -> SuiteResult:
    numbers = draw(st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, max_size=5))
    predictions = []
    for prediction_id in range(draw(st.integers(0, 3))):
        n = len(numbers)
        items = draw(st.lists(_items.map(lambda found: found[0]), min_size=n, max_size=n))
        flags = np.array([each[0] for each in items], dtype=np.bool_)
        predictions.append(
            PredictionResult(
                prediction_id=prediction_id,
                formula=draw(_texts),
                description=draw(_texts),
                holds=np.array([each[1] for each in items], dtype=np.bool_),
                margin_bits=np.array([each[2] for each in items], dtype=np.float64),
                tie=flags[:, 0],
                defined=flags[:, 1],
                swallowed=flags[:, 5],
                unscored=flags[:, 2],
                oov=flags[:, 3],
                skipped=flags[:, 4],
            )
        )
    score = Score(label="", n_holding=0, n_items=0, reported_share=draw(st.floats(0, 1)))
    value = draw(st.none() | st.floats(allow_nan=False, allow_infinity=False))
    member = Membership(family=draw(_texts), axis="step", label=draw(_texts), value=value)
    return SuiteResult(
        suite_name=draw(_texts),
        circuit=draw(_texts),
        model_name=draw(_texts),
        score_rule=draw(st.sampled_from(["all", "first", "each"])),
        item_numbers=tuple(numbers),
        predictions=tuple(predictions),
        membership=draw(st.none() | st.just(member)),
        reported=None if predictions else draw(st.none() | st.just(score)),
        provenance=draw(st.dictionaries(_texts, st.none() | st.floats(0) | _texts | st.integers())),
    )


_records = st.builds(
    RunRecord,
    run_id=st.text("0123456789abcdef", min_size=12, max_size=12),
    result=_results(),
    model=st.builds(ModelFacts, reference=_texts, n_parameters=st.none() | st.integers(0)),
    suite=st.builds(
        SuiteFacts,
        language=_texts,
        complexity=st.none() | st.floats(0, 9),
        chance=st.none() | st.floats(0, 1),
    ),
    policy=st.dictionaries(_texts, _texts),
    settings=st.dictionaries(_texts, _texts),
    source=_texts,
    status=st.sampled_from(["complete", "interrupted"]),
    created=st.just("2026-01-01T00:00:00+00:00"),
)


@settings(max_examples=25)
@given(st.lists(_records, max_size=4, unique_by=lambda each: each.run_id))
def test_records_come_back_as_they_were_saved(records: list[RunRecord]) -> None:
    with tempfile.TemporaryDirectory() as folder, store_at(Path(folder)) as store:
        assert store.runs.save_records(records) == len(records)
        found = store.runs.records(Selection(complete_only=False))
    assert len(found) == len(records)
    for one, other in zip(records, found, strict=True):
        assert_same(one, other)


@pytest.mark.parametrize("score_rule", ["all", "first", "each"])
@pytest.mark.parametrize("oov", ["keep", "skip"])
def test_a_run_comes_back_with_its_tokens(store: Store, score_rule: ScoreRule, oov: Oov) -> None:
    text = "The cat purr ."
    unknown = by_word(text)
    tokens = tuple(replace(each, oov=each.text == "purr") for each in unknown.tokens)
    model = WordModel(
        bits={"An": None, "sit": math.inf},
        sentences={text: ScoredSentence(text=text, tokens=tokens)},
    )
    run = made(store, agreement(metric="all"), model, score_rule=score_rule, oov=oov)
    assert run.result.predictions[0].n_skipped == (1 if oov == "skip" else 0)
    assert_same_run(store.runs.run(RunRecord.of(run).run_id), run)


def test_a_run_of_a_family_under_another_policy_comes_back(store: Store) -> None:
    model = WordModel(methods=("pll", "unmasked-ce"))
    policy = Policy(bos="never", method="unmasked-ce")
    run = made(store, agreement(), model, policy=policy, membership=SEED)
    again = store.runs.run(RunRecord.of(run).run_id)
    assert again.result.model_name == again.surprisals.model.name == "toy/seed-1"
    assert again.result.membership == SEED
    assert_same_run(again, run)


def test_a_run_with_the_retired_alignment_comes_back(store: Store) -> None:
    # The retired tool gave a region as many tokens as it has words.
    text = "A cat purrs"
    pieces = tuple(
        token(each, at, 1.0) for each, at in (("A", 0), ("ca", 2), ("t", 4), ("purrs", 6))
    )
    model = WordModel(
        sentences={text: ScoredSentence(text=text, tokens=pieces)}, details={"offsets": "recovered"}
    )
    suite = make_suite([{"a": ("A cat", "purrs"), "b": ("A cat", "purr")}], ["(2;%a%) < (2;%b%)"])
    run = made(store, suite, model, compat="syntaxgym")
    again = store.runs.run(RunRecord.of(run).run_id)
    assert again.surprisals.assigner is run.surprisals.assigner
    assert_same_run(again, run)
    other = made(store, suite, model)
    assert RunRecord.of(other).run_id != RunRecord.of(run).run_id
    assert_same_run(store.runs.run(RunRecord.of(other).run_id), other)


def test_a_run_of_the_needed_regions_comes_back_with_what_others_have_asked_for(
    store: Store,
) -> None:
    run = made(store, agreement(formulas=["(2;%good%) < (2;%bad%)"]), regions="needed")
    run_id = RunRecord.of(run).run_id
    assert store.runs.run(run_id).to_frame("regions")["sum_bits"].isna().sum() == 12
    whole = made(store, agreement("other"))
    again = store.runs.run(run_id)
    assert_same_result(again.result, run.result)
    columns = ["item_number", "condition_name", "region_number", "sum_bits"]
    pd.testing.assert_frame_equal(
        again.to_frame("regions")[columns], whole.to_frame("regions")[columns]
    )


def test_a_suite_comes_back_as_it_was_written(store: Store) -> None:
    weight = WrittenFloat("1.50")
    suite = agreement(weight=weight, comment="dès l'aube", number=[1, 2], large=10**30)
    run = made(store, suite)
    again = store.runs.suite(RunRecord.of(run))
    assert again == suite
    assert again.sha256 == suite.sha256
    assert again.to_text() == suite.to_text()
    assert '"weight": 1.50' in again.to_text()
    # No file can hold such a text.
    made(store, Suite.from_dict({**suite.to_dict(), "comment": "half \ud800"}))


def test_runs_read_together_are_those_read_alone(store: Store) -> None:
    runs = [made(store, agreement(name), score_rule=rule) for name, rule in _FOUR]
    again = list(store.runs.runs(store.runs.records()))
    assert [each.result.suite_name for each in again] == ["a", "a", "b", "b"]
    for one, other in zip(again, runs, strict=True):
        assert_same_run(one, other)


_FOUR: list[tuple[str, ScoreRule]] = [("a", "all"), ("a", "each"), ("b", "all"), ("b", "first")]


def assert_same_run(one: Run, other: Run) -> None:
    """Fail unless two runs have the same results, tokens, regions and provenance."""
    assert_same_result(one.result, other.result)
    assert repr(one.surprisals.provenance) == repr(other.surprisals.provenance)
    assert one.surprisals.policy == other.surprisals.policy
    assert one.surprisals.method == other.surprisals.method
    for table in ("tokens", "regions", "suites"):
        pd.testing.assert_frame_equal(one.to_frame(table), other.to_frame(table), check_exact=True)


# --- a run is there once


def test_a_run_that_has_begun_is_not_complete(store: Store) -> None:
    model = WordModel(fails_at="An owl sat .")
    with pytest.raises(ModelError):
        list(run_and_keep(named(model), model, [agreement()], store=store))
    assert store.runs.records() == []
    (record,) = store.runs.records(Selection(complete_only=False))
    assert record.status == "interrupted"
    assert not record.result.predictions
    ((n_scored,),) = store.database.rows("SELECT count(*) FROM scored")
    assert 0 < n_scored < 6
    assert store.runs.progress(record) == (n_scored, 6)
    with pytest.raises(StoreError, match=r"run [0-9a-f]{12} was interrupted; the command that"):
        store.runs.run(record.run_id)


def test_the_same_command_again_is_the_same_run(store: Store) -> None:
    for _ in range(2):
        model = WordModel()
        (run,) = run_and_keep(named(model), model, [agreement()], store=store)
    (record,) = store.runs.records(Selection(complete_only=False))
    assert_same(record, RunRecord.of(run))
    n_bytes = store.database.rows("SELECT length(items) FROM results")
    assert n_bytes == [(len(ITEMS) * 2 * 9,)]


def test_a_complete_run_that_begins_again_stays_complete(store: Store) -> None:
    run = made(store, agreement())
    before = store.runs.records()[0]
    begun = replace(before, status="interrupted", created="")
    for _ in range(2):
        store.runs.begin([(begun, agreement())], run.surprisals.model, Policy())
    assert_same(store.runs.records()[0], before)


def test_a_run_that_is_saved_anew_has_its_new_results(store: Store) -> None:
    store.runs.save_records([imported(holds="110"), reported()])
    store.runs.save_records([imported(holds="1-")])
    first, second = store.runs.records()
    assert first.result.predictions[0].results == (True, None)
    assert second.result.scores[0].share == 0.826
    assert store.database.rows("SELECT count(*) FROM results") == [(1,)]


@pytest.mark.parametrize("method", ["auto", "causal"])
def test_begin_takes_the_policy_as_asked_for_or_as_it_was_meant(store: Store, method: str) -> None:
    # A recording has no method to name, though it knows how it was made.
    model = WordModel(details={"method": "causal"})
    run = made(store, agreement(), model)
    record = replace(RunRecord.of(run), status="interrupted")
    store.runs.delete([record.run_id])
    policy = Policy(method="causal") if method == "causal" else Policy()
    store.runs.begin([(record, agreement())], model.info, policy)
    assert store.runs.progress(record) == (6, 6)


def test_two_writers_of_one_run_leave_it_once(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def write() -> None:
        try:
            with store_at(tmp_path) as own:
                for _ in range(5):
                    made(own, agreement())
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            errors.append(error)

    with store_at(tmp_path) as store:
        threads = [threading.Thread(target=write) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert errors == []
        (record,) = store.runs.records()
        assert len(record.result.predictions) == 2
        assert store.database.rows("SELECT length(items) FROM results") == [(6 * 9,)]
        assert store.database.rows("SELECT count(*) FROM suites") == [(1,)]


def test_imported_records_are_all_kept_or_none(store: Store) -> None:
    wrong = imported("00000000beef")
    result = replace(wrong.result, item_numbers=(1, 2, 2**63))
    with pytest.raises(StoreError) as raised:
        store.runs.save_records([imported(), replace(wrong, result=result)])
    assert str(raised.value) == (
        "agreement: the item number 9223372036854775808 is too large to be kept; number the items "
        "from 1"
    )
    assert store.runs.heads(Selection(complete_only=False)) == []


def test_a_record_without_a_time_was_made_now(store: Store) -> None:
    store.runs.save_records([replace(imported(), created="")])
    assert store.runs.records()[0].created.startswith("20")


def test_a_name_of_bytes_that_are_no_text_is_kept_with_escapes(store: Store) -> None:
    store.runs.save_records([imported(model="models/\udce9t\udce9")])
    assert store.runs.records()[0].result.model_name == "models/\\udce9t\\udce9"


def test_keys_are_not_used_up(store: Store) -> None:
    """How many rows a damaged file has had is read off the last key."""
    for _ in range(3):
        run = made(store, agreement())
        store.runs.begin([(RunRecord.of(run), agreement())], run.surprisals.model, Policy())
    rows = store.database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'runs'")
    assert rows == [(1,)]


# --- what is asked for


RUN_ID = "0123456789ab"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE results SET items = zeroblob(length(items)) WHERE run_key = 1",
        "UPDATE results SET items = 'many' WHERE run_key = 1",
        "UPDATE results SET items = x'00ff' WHERE run_key = 1",
        "DELETE FROM results WHERE run_key = 1",
        "UPDATE runs SET scores = '[[\"\", 3, 3, null, [0, 0, 0, 0, 0, 0]]]' WHERE run_key = 1",
        "UPDATE runs SET of_suite = of_model WHERE run_key = 1",
        "UPDATE runs SET of_suite = 99 WHERE run_key = 1",
        "UPDATE runs SET model_name = CAST(model_name AS BLOB) WHERE run_key = 1",
        "UPDATE runs SET model_name = 'gpt3' WHERE run_key = 1",
        "UPDATE runs SET check_sum = 0 WHERE run_key = 1",
        "UPDATE runs SET record = '{\"date\": 1}' WHERE run_key = 1",
        "UPDATE runs SET record = 'no JSON' WHERE run_key = 1",
    ],
)
def test_a_damaged_run_is_not_read(tmp_path: Path, damage: str) -> None:
    with store_at(tmp_path) as store:
        store.runs.save_records(map(imported, (RUN_ID, "b" * 12, "c" * 12)))
        store.database.connection.execute(damage)
    path = tmp_path / "store.sqlite"
    says = rf"store.sqlite: is damaged \(.* run {RUN_ID}.*\); `pommel runs recover .* -o NEW`"
    with store_at(tmp_path) as store:
        with pytest.raises(StoreError, match=says):
            store.runs.records()
        with pytest.raises(StoreError, match=says):
            store.runs.records_of([RUN_ID])
        # It is not made whole by being noted anew, either; others can be read.
        with pytest.raises(StoreError, match=says):
            store.runs.renew([RUN_ID])
        assert len(store.runs.records_of(["b" * 12])) == 1
        # Where most are wanted, all rows are read: what is wrong with others is no matter.
        assert len(store.runs.records_of(["b" * 12, "c" * 12])) == 2
    # There is one way to mend it, and that works: what is damaged is to be made again.
    Store.salvage(path, tmp_path / "new")
    with Store.open(tmp_path / "new") as new:
        assert [each.run_id for each in new.runs.records()] == ["b" * 12, "c" * 12]


def test_items_of_a_run_that_is_damaged_are_not_read_with_those_of_others(store: Store) -> None:
    store.runs.save_records([imported(each * 12) for each in "abc"] + [reported("d" * 12)])
    store.database.connection.execute("UPDATE runs SET check_sum = 0 WHERE run_key IN (2, 4)")
    heads = store.runs.heads(items=True)
    assert [each.run_id[0] for each in heads if each.result.is_read] == ["a", "c"]
    assert_same(store.runs.filled(heads[:1])[0], imported("a" * 12))
    # Nobody is told before one is wanted; and one is, whose only result is a share.
    for wanted in (heads[1:2], heads[3:]):
        with pytest.raises(StoreError, match=f"results of run {wanted[0].run_id}"):
            store.runs.filled(wanted)


def test_all_records_are_one_look_at_all_rows(store: Store) -> None:
    store.runs.save_records([imported(each * 12) for each in "abc"])
    said: list[str] = []
    store.database.connection.set_trace_callback(said.append)
    store.runs.records()
    assert len([each for each in said if "ORDER BY run_key" in each]) == 1


def test_runs_come_in_the_order_in_which_they_began(store: Store) -> None:
    ids = ["b" * 12, "a" * 12, "c" * 12]
    store.runs.save_records(map(imported, ids))
    store.runs.save_records([imported("b" * 12, holds="111")])
    assert [each.run_id for each in store.runs.records()] == ids
    assert [each.run_id for each in store.runs.heads()] == ids


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (Selection(), "1 2 3"),
        (Selection(complete_only=False), "1 2 3 4"),
        (Selection(run_ids=("1111",)), "1"),
        (Selection(run_ids=("1111", "3")), "1 3"),
        (Selection(run_ids=("11112",)), ""),
        (Selection(run_ids=("%",)), ""),
        (Selection(models=("gpt2",)), "1 3"),
        (Selection(models=("gpt*",)), "1 2 3"),
        (Selection(models=("GPT2",)), ""),
        (Selection(models=("GPT",)), "1 2 3"),
        (Selection(models=("toy", "bert"), complete_only=False), "4"),
        (Selection(models=("toy://*",), complete_only=False), "4"),
        (Selection(models=("gpt[2]",), sources=("paper",)), "1"),
        (Selection(suites=("npi*",)), "2"),
        (Selection(circuits=("agreement",), languages=("e?",)), "1 2 3"),
        (Selection(languages=("de",)), ""),
        (Selection(sources=("paper", "poster")), "1 2 3"),
        (Selection(score_rules=("first",)), "3"),
        (Selection(choices=(("method", "pll"),)), "2"),
        (Selection(choices=(("method", "pll"), ("oov", "skip"))), ""),
        (Selection(choices=(("oov", "skip"),)), "3"),
    ],
)
def test_a_selection(store: Store, selection: Selection, expected: str) -> None:
    second = replace(imported("2" * 12, model="gpt2-xl", suite="npi"), policy={"method": "pll"})
    third = imported("3" * 12, source="poster", rule="first")
    fourth = imported("4" * 12, model="toy/1", source="pommel")
    member = replace(fourth.result, membership=SEED)
    facts = ModelFacts(reference="toy://seed-1")
    records = [
        imported("1" * 12),
        second,
        replace(third, settings={"oov": "skip"}),
        replace(fourth, result=member, model=facts, status="interrupted"),
    ]
    store.runs.save_records(records)
    found = [each.run_id[0] for each in store.runs.records(selection)]
    assert found == expected.split()
    assert [each.run_id[0] for each in store.runs.heads(selection)] == found


def test_runs_that_are_deleted_leave_their_surprisals(store: Store) -> None:
    run_id = RunRecord.of(made(store, agreement())).run_id
    assert store.runs.delete([run_id, "0" * 12]) == 1
    assert store.runs.heads(Selection(complete_only=False)) == []
    assert store.database.rows("SELECT count(*) FROM results") == [(0,)]
    assert store.database.rows("SELECT count(*) FROM scored") == [(6,)]
    model = WordModel()
    made(store, agreement(), model)
    assert model.asked == []


# --- what cannot be had


def test_a_run_that_is_not_there(store: Store) -> None:
    with pytest.raises(StoreError) as raised:
        store.runs.run("0" * 12)
    assert str(raised.value) == f"{store.path}: has no run 000000000000"


def test_imported_results_have_no_tokens(store: Store) -> None:
    store.runs.save_records([imported()])
    with pytest.raises(StoreError) as raised:
        store.runs.run("0123456789ab")
    assert str(raised.value) == (
        f"{store.path}: of run 0123456789ab (gpt2 on agreement) there are results only, no suite "
        f"and no tokens"
    )
    own = RunRecord.of(made(store, agreement()))
    assert store.runs.with_tokens(store.runs.records())[0].run_id == own.run_id


def test_tokens_that_are_gone(store: Store) -> None:
    run = made(store, agreement())
    run_id = RunRecord.of(run).run_id
    key = store.cache.key(run.surprisals.model, run.surprisals.policy)
    store.cache.forget_sentences(
        key, [each.text for row in run.surprisals.sentences for each in row]
    )
    with pytest.raises(StoreError) as raised:
        store.runs.run(run_id)
    assert str(raised.value) == (
        f"{store.path}: words has not scored 6 of 6 sentences of agreement under this policy, the "
        f"first 'The dogs bark .'; `pommel run toy://words SUITE` scores them"
    )


def test_a_suite_that_is_damaged(store: Store) -> None:
    run_id = RunRecord.of(made(store, agreement())).run_id
    with store.database.transaction() as connection:
        connection.execute("UPDATE suites SET document = x'00'")
    with pytest.raises(StoreError, match=r"is damaged \(a suite cannot be read: .*runs recover"):
        store.runs.run(run_id)


# --- checked again


def again(store: Store, run: Run, suite: Any, rule: ScoreRule = "all", oov: Oov = "keep") -> Run:
    return store.runs.evaluate_again(RunRecord.of(run), suite, Choices(score_rule=rule, oov=oov))


@pytest.mark.parametrize("rule", ["all", "first", "each"])
def test_another_rule_gives_what_the_model_would(store: Store, rule: ScoreRule) -> None:
    run = made(store, agreement(), membership=SEED)
    expected = made(store, agreement(), score_rule=rule, membership=SEED)
    found = again(store, run, agreement(), rule)
    assert RunRecord.of(found).run_id == RunRecord.of(expected).run_id
    without = replace(found.result, provenance={})
    assert_same_result(without, replace(expected.result, provenance={}))


def test_another_suite_of_the_same_sentences_gives_what_the_model_would(store: Store) -> None:
    run = made(store, agreement())
    items = [
        {name: (" ".join(parts[:2]), parts[2]) for name, parts in each.items()} for each in ITEMS
    ]
    edited = agreement(items=items, formulas=["(1;%good%) <= (1;%bad%)"], metric="mean")
    model = WordModel()
    expected = made(store, edited, model)
    assert model.asked == []
    found = again(store, run, edited)
    pd.testing.assert_frame_equal(found.to_frame("regions"), expected.to_frame("regions"))
    pd.testing.assert_frame_equal(found.to_frame("predictions"), expected.to_frame("predictions"))
    assert RunRecord.of(found).run_id == RunRecord.of(expected).run_id


def test_what_is_evaluated_again_is_kept_in_one_transaction(store: Store) -> None:
    first = made(store, agreement())
    new = [again(store, first, agreement(name)) for name in "abc"]
    said: list[str] = []
    store.database.connection.set_trace_callback(said.append)
    store.runs.renew([RunRecord.of(each).run_id for each in (first, *new)], new)
    assert said.count("COMMIT") == 1
    records = store.runs.records()
    assert [each.result.suite_name for each in records] == ["agreement", "a", "b", "c"]
    assert len({each.created for each in records}) == 1


def test_the_provenance_says_which_run_scored_it(store: Store) -> None:
    run = made(store, agreement())
    dated = replace(run.result, provenance={**run.result.provenance, "date": "2020-01-01"})
    run = Run(surprisals=run.surprisals, result=dated)
    base = store.runs.save(run)
    found = store.runs.evaluate_again(base, agreement("b"), Choices(score_rule="first", oov="skip"))
    kept = dict(found.result.provenance)
    pommel = run.result.provenance["pommel"]
    assert kept["scored"] == {"run_id": base.run_id, "date": "2020-01-01", "pommel": pommel}
    assert kept["date"] > "2026"
    assert kept["suite"]["name"] == "b"
    assert (kept["score_rule"], kept["oov"]) == ("first", "skip")
    assert kept["model"] == run.result.provenance["model"]
    # What is checked a third time was still scored the first.
    third = again(store, found, agreement())
    assert third.result.provenance["scored"] == kept["scored"]
    json.dumps(kept)


def test_sentences_that_were_never_scored(store: Store) -> None:
    run = made(store, agreement())
    other = agreement(items=[*ITEMS, {"good": ("A fox", "ran", "."), "bad": ("A fox", "run", ".")}])
    with pytest.raises(StoreError) as raised:
        again(store, run, other)
    assert str(raised.value) == (
        f"{store.path}: words has not scored 2 of 8 sentences of agreement under this policy, the "
        f"first 'A fox ran .'; `pommel run toy://words SUITE` scores them"
    )


def test_regions_that_were_never_asked_for(store: Store) -> None:
    first = agreement(formulas=["(2;%good%) < (2;%bad%)"])
    run = made(store, first, regions="needed")
    third = agreement(formulas=["(3;%good%) < (3;%bad%)"])
    with pytest.raises(StoreError, match="has not scored 6 of 6 sentences"):
        again(store, run, third)
    assert again(store, run, first, "each").result.n_items == 3


def test_runs_are_found_by_their_keys_with_or_without_items(store: Store) -> None:
    run = made(store, agreement())
    store.runs.save_records([imported()])
    ours, theirs = store.runs.index().keys.tolist()
    found = store.runs.at([theirs, ours, 99], items=True)
    assert {*found} == {ours, theirs}
    assert_same(found[ours], RunRecord.of(run))
    assert_same(found[theirs], imported())
    with pytest.raises(LookupError):
        store.runs.at([ours])[ours].result.predictions[0]
    assert store.runs.with_tokens_at([theirs, ours, 99]) == [ours]
