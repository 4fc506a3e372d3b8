"""Models that are asked for one item while it is written."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.serve.test_drafts import document

from pommel.errors import ModelError
from pommel.models import ModelInfo, Policy, load_model
from pommel.scoring import Choices, SuiteSurprisals
from pommel.serve.live import Asked, Live
from pommel.store import Store
from pommel.suite import Suite
from pommel.surprisal import ScoredSentence

NGRAM = "builtin://en-ngram"


def suite(text: str = "The dogs") -> Suite:
    return Suite.from_dict(document(text))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    Store.open(path).close()
    return path


class SlowModel:
    """A model that answers when it is let, and tells what it was asked."""

    def __init__(self) -> None:
        self.model = load_model(NGRAM)
        self.asked: list[list[str]] = []
        self.goes_on, self.has_begun = threading.Event(), threading.Event()

    @property
    def info(self) -> ModelInfo:
        return self.model.info

    def score(
        self, sentences: list[str], policy: Policy, _spans: object = None
    ) -> Iterator[tuple[int, ScoredSentence]]:
        self.asked.append([*sentences])
        self.has_begun.set()
        assert self.goes_on.wait(20)
        if "fail" in sentences[0]:
            raise ModelError("it fails at this one")
        yield from self.model.score(sentences, policy)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> SlowModel:
    model = SlowModel()
    monkeypatch.setattr("pommel.serve.live.load_model", lambda _reference, **_options: model)
    return model


def test_it_says_what_a_run_says_and_the_store_keeps_it(store: Path) -> None:
    live = Live(store, (NGRAM,))
    answer = live.ask("A", Asked(reference=NGRAM, suite=suite()), seconds=30)
    assert answer.state == "scored"
    assert answer.surprisals
    model = load_model(NGRAM)
    of_run = SuiteSurprisals.of(model, suite(), Choices(regions="all"))
    assert answer.surprisals.sentences == of_run.sentences
    live.close()
    with Store.open(store) as opened:
        texts = [each.text for row in suite().sentences() for each in row]
        key = opened.cache.key(model.info, Policy())
        assert opened.cache.known(key, texts) == {
            each.text: each for row in of_run.sentences for each in row
        }


def test_only_models_that_were_named_are_asked(store: Path) -> None:
    live = Live(store, (NGRAM,))
    answer = live.ask("A", Asked(reference="builtin://en-gpt2", suite=suite()), seconds=30)
    assert (answer.state, answer.why) == (
        "failed",
        "this server was not started with builtin://en-gpt2",
    )
    live.close()


def test_the_newest_question_of_a_window_counts(store: Path, slow: SlowModel) -> None:
    live = Live(store, ("m",))
    assert live.ask("A", Asked(reference="m", suite=suite("one")), seconds=0).state == "waiting"
    assert slow.has_begun.wait(10)
    for text in ("two", "three", "four"):
        found = live.ask("A", Asked(reference="m", suite=suite(text)), seconds=0)
        assert found.state == "waiting"
    slow.goes_on.set()
    last = Asked(reference="m", suite=suite("four"))
    assert live.ask("A", last, seconds=20).state == "scored"
    assert [sentences[0].split()[0] for sentences in slow.asked] == ["one", "four"]
    # What was answered is not asked again.
    assert live.ask("B", last, seconds=0).state == "scored"
    assert len(slow.asked) == 2
    live.close()


def test_nobody_waits_longer_than_asked_and_others_are_not_taken_back(
    store: Path, slow: SlowModel
) -> None:
    live = Live(store, ("m",))
    first, second = (Asked(reference="m", suite=suite(text)) for text in ("one", "two"))
    assert live.ask("A", first, seconds=0.01).state == "waiting"
    assert live.ask("B", second, seconds=0.01).state == "waiting"
    slow.goes_on.set()
    assert live.ask("A", first, seconds=20).state == "scored"
    assert live.ask("B", second, seconds=20).state == "scored"
    live.close()


def test_what_fails_is_told_and_the_next_one_is_answered(store: Path, slow: SlowModel) -> None:
    slow.goes_on.set()
    live = Live(store, ("m",))
    answer = live.ask("A", Asked(reference="m", suite=suite("fail")), seconds=20)
    assert answer.surprisals is None or answer.surprisals.failed
    assert live.ask("A", Asked(reference="m", suite=suite()), seconds=20).state == "scored"
    live.close()


def test_a_model_that_cannot_be_loaded_says_why(store: Path) -> None:
    live = Live(store, ("builtin://nothing",))
    answer = live.ask("A", Asked(reference="builtin://nothing", suite=suite()), seconds=20)
    assert answer.state == "failed"
    assert answer.why.startswith("there is no built-in model 'nothing'")
    live.close()


def test_a_closed_one_lets_go_of_its_models(store: Path, slow: SlowModel) -> None:
    closed = []
    slow.close = lambda: closed.append(True)  # type: ignore[attr-defined]
    slow.goes_on.set()
    live = Live(store, ("m",))
    live.ask("A", Asked(reference="m", suite=suite()), seconds=20)
    live.close()
    assert closed == [True]
