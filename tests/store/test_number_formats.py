"""Runs whose verdicts are float32's though their model is of half precision."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders import Sentences, make_suite
from tests.half_model import STEP, HalfModel
from tests.word_model import WordModel

from pommel.errors import StoreError
from pommel.models.family import NamedModel
from pommel.scoring import Choices, Run
from pommel.scoring.run_record import RunRecord
from pommel.store import Store
from pommel.store.store import run_and_keep

TOY = NamedModel(reference="toy://words")
SETTLED = Choices(verdicts="float32")
ITEMS: list[Sentences] = [
    {c: (f"The dog{n}", f"{c}{n}", f"x{c}{n}") for c in "ab"} for n in range(200)
]
SUITE = make_suite(ITEMS, ["(2;%a%) < (2;%b%)"], name="many")
TEXTS = [each.text for row in SUITE.sentences() for each in row]
# One item in ten is open.
BITS = {
    f"{c}{n}": 4.01 + n / 200 + (c == "b") * (0.02 if n % 10 == 0 else 3)
    for c in "ab"
    for n in range(200)
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.sqlite") as opened:
        yield opened


def half() -> HalfModel:
    return HalfModel(WordModel(bits=BITS))


def kept(store: Store, model: HalfModel | WordModel, choices: Choices = SETTLED) -> Run:
    (run,) = run_and_keep(TOY, model, [SUITE], choices, store=store)
    return run


def tokens(run: Run) -> list[list[float | None]]:
    return [
        [each.surprisal_bits for each in sentence.tokens]
        for row in run.surprisals.sentences
        for sentence in row
    ]


def test_what_was_scored_in_either_format_is_not_asked_for_again(store: Store) -> None:
    first, again = kept(store, half()), half()
    second = kept(store, again)
    assert (again.asked, again.exact.asked) == ([], [])
    assert tokens(second) == tokens(first)
    # What float32 was asked for is that model's: it is asked for the rest only.
    exact = WordModel(bits=BITS)
    kept(store, exact)
    n_exact = len(first.result.provenance["verdicts"]["sentences"])
    assert [len(each) for each in exact.asked] == [400 - n_exact]


def test_each_model_keeps_what_it_has_said_itself(store: Store) -> None:
    run = kept(store, half())
    infos = [run.surprisals.model, replace(run.surprisals.model, fingerprint="0")]
    rounded, exact = (
        store.cache.known(store.cache.key(info, run.surprisals.policy), TEXTS) for info in infos
    )
    assert len(rounded) == 400
    assert {*exact} == {*run.result.provenance["verdicts"]["sentences"]}
    assert all(
        token.surprisal_bits is not None and token.surprisal_bits % STEP == 0
        for each in rounded.values()
        for token in each.tokens
    )


def test_numbers_of_another_process_take_no_place_of_float32s(store: Store) -> None:
    run = kept(store, half())
    again = run.result.provenance["verdicts"]["sentences"]
    theirs = {
        each.text: replace(each, tokens=tuple(replace(t, surprisal_bits=7.0) for t in each.tokens))
        for row in run.surprisals.sentences
        for each in row
    }
    resting = run.resting_on(theirs)
    for row, others in zip(run.surprisals.sentences, resting.surprisals.sentences, strict=True):
        for own, other in zip(row, others, strict=True):
            assert other == (own if own.text in again else theirs[own.text])


def test_the_run_is_one_of_its_own_and_is_begun_as_what_it_will_be(store: Store) -> None:
    settled, plain = kept(store, half()), kept(store, half(), Choices())
    record, other = (RunRecord.of(run) for run in (settled, plain))
    assert record.run_id != other.run_id
    assert (record.choice("verdicts"), other.choice("verdicts")) == ("float32", None)
    assert [each.run_id for each in store.runs.records()] == [record.run_id, other.run_id]
    # Of a model that rounds nothing it is no choice.
    exact = kept(store, WordModel(bits=BITS))
    assert RunRecord.of(exact).choice("verdicts") is None
    assert len(store.runs.records()) == 3


def test_a_kept_run_has_the_tokens_of_both_formats(store: Store) -> None:
    run = kept(store, half())
    run_id = RunRecord.of(run).run_id
    assert tokens(store.runs.run(run_id)) == tokens(run)
    (record,) = store.runs.records()
    again = store.runs.evaluate_again(record, SUITE, record.choices)
    assert again.result.to_frame("predictions").equals(run.result.to_frame("predictions"))
    assert RunRecord.of(again).run_id == run_id
    store.collect_garbage()
    assert tokens(store.runs.run(run_id)) == tokens(run)


def test_other_predictions_may_leave_other_verdicts_open(store: Store) -> None:
    kept(store, half())
    (record,) = store.runs.records()
    harmless = replace(SUITE, predictions=make_suite(ITEMS, ["(2;%a%) > 1"]).predictions)
    assert store.runs.evaluate_again(record, harmless, record.choices).result.score == 1
    other = replace(SUITE, predictions=make_suite(ITEMS, ["(2;%a%) < 4.5"]).predictions)
    with pytest.raises(StoreError) as caught:
        store.runs.evaluate_again(record, other, record.choices)
    message = str(caught.value)
    assert message.startswith(f"{store.path}: of many, ")
    assert message.endswith(
        " sentences would have to be scored again in float32 for these predictions; run "
        "toy://words with --verdicts float32 on it"
    )


def test_tokens_of_float32_that_are_gone_are_missed(store: Store) -> None:
    run = kept(store, half())
    store.cache.forget_sentences(
        store.cache.key(replace(run.surprisals.model, fingerprint="0"), run.surprisals.policy),
        run.result.provenance["verdicts"]["sentences"][:3],
    )
    with pytest.raises(StoreError, match="has not scored 3 of 400 sentences of many"):
        store.runs.run(RunRecord.of(run).run_id)
