"""Runs whose verdicts are float32's though their model is of half precision."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.builders import Sentences, make_suite
from tests.half_model import STEP, HalfModel
from tests.word_model import WordModel

from pommel.errors import StoreError
from pommel.models.family import NamedModel
from pommel.models.model import Model, ModelInfo, Policy, Spans
from pommel.scoring import Choices, Run
from pommel.scoring.run_record import RunRecord
from pommel.store import Store
from pommel.store.store import run_and_keep
from pommel.surprisal import ScoredSentence

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


def kept(store: Store, model: Model, choices: Choices = SETTLED) -> Run:
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


@dataclass(slots=True)
class Overtaken:
    """A model of half precision, all of which another process has scored when it answers."""

    model: HalfModel
    path: Path
    bits: Mapping[str, float | None]

    @property
    def info(self) -> ModelInfo:
        return self.model.info

    def in_float32(self) -> WordModel:
        return self.model.exact

    def score(
        self, sentences: Sequence[str], policy: Policy, spans: Sequence[Spans | None] | None = None
    ) -> Iterator[tuple[int, ScoredSentence]]:
        theirs = HalfModel(WordModel(bits=self.bits))
        with Store.open(self.path) as other:
            list(run_and_keep(TOY, theirs, [SUITE], store=other))
        return self.model.score(sentences, policy, spans)


def test_verdicts_are_settled_by_the_numbers_that_hold(store: Store) -> None:
    # Nobody would ask again for item 5 by our numbers; theirs are on the other side of equal.
    theirs = {**BITS, "b5": BITS["a5"] - STEP}
    run = kept(store, Overtaken(half(), store.path, theirs))
    again = {*run.result.provenance["verdicts"]["sentences"]}
    with Store.open(store.path.with_name("other.sqlite")) as other:
        by_us = kept(other, half())
    assert again - {*by_us.result.provenance["verdicts"]["sentences"]} >= {*TEXTS[10:12]}
    assert run.result.predictions[0].holds.all()
    held = store.cache.known(store.cache.key(half().info, run.surprisals.policy), TEXTS)
    for row in run.surprisals.sentences:
        for each in row:
            assert each.text in again or each == held[each.text]
    assert tokens(store.runs.run(RunRecord.of(run).run_id)) == tokens(run)


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
