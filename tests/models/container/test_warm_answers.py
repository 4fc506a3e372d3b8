"""A container that stays warm: one start for all that is asked, a new one after a failure."""

import gc

import pytest
from tests.models.container.asking import answers_of
from tests.models.container.conftest import ImageOf
from tests.models.container.local_engine import LocalEngine

from pommel.errors import ContainerError, ModelError
from pommel.models.container.model import open_model
from pommel.models.model import LoadOptions, Policy, score_all

ONE_IN_FIVE = """
say(HEADER)
for block in blocks():
    for r in block:
        error = {"id": r["id"], "error": "a dog"}
        say(error if "dog" in r["sentence"] else answer(r))
"""
ANOTHER_EACH_TIME = f"HEADER['model']['fingerprint'] = str(os.getpid())\n{ONE_IN_FIVE}"


def test_one_start_for_all(image: ImageOf, engine: LocalEngine) -> None:
    answers = answers_of(image(2))
    for n in range(5):
        assert len(dict(answers.score([f"suite {n}", "a cat"], Policy()))) == 2
    assert list(answers.score([], Policy())) == []
    assert engine.commands == ["score"]
    assert engine.n_running == 1
    answers.close()
    assert engine.n_running == 0


def test_a_failure_ends_it_and_the_next_question_starts_anew(
    image: ImageOf, engine: LocalEngine
) -> None:
    answers = answers_of(image(2, score=ONE_IN_FIVE))
    with pytest.raises(ModelError, match=r"^local://toy: score: sentence 2 \('a dog'\): a dog$"):
        list(answers.score(["a cat", "a dog", "a cow"], Policy()))
    assert engine.n_running == 0
    ((_, found),) = answers.score(["a cat"], Policy())
    assert found.text == "a cat"
    assert engine.commands == ["score", "score"]
    answers.close()


def test_who_stops_asking_ends_it(image: ImageOf, engine: LocalEngine) -> None:
    answers = answers_of(image(2))
    scoring = answers.score(["a cat"] * 10_000, Policy())
    next(scoring)
    del scoring
    gc.collect()
    assert engine.n_running == 0
    assert len(dict(answers.score(["a cow"], Policy()))) == 1
    answers.close()


def test_two_questions_at_once(image: ImageOf, engine: LocalEngine) -> None:
    answers = answers_of(image(2))
    pairs = zip(
        answers.score([f"a {n}" for n in range(50)], Policy()),
        answers.score([f"b {n}" for n in range(50)], Policy(eos="never")),
        strict=True,
    )
    for (_, first), (_, second) in pairs:
        assert first.text.replace("a", "b") == second.text
        assert len(first.tokens) == len(second.tokens) + 1
    assert engine.commands == ["score", "score"]
    answers.close()
    assert engine.n_running == 0


def test_another_model_in_its_place(image: ImageOf) -> None:
    answers = answers_of(image(2, score=ANOTHER_EACH_TIME))
    with pytest.raises(ModelError):
        list(answers.score(["a dog"], Policy()))
    before = answers.header["fingerprint"]
    with pytest.raises(ContainerError) as caught:
        list(answers.score(["a cat"], Policy()))
    message = str(caught.value)
    now = message.split("'")[3]
    assert message == (
        "local://toy: score: started again, it says that it is another model: "
        f"its 'fingerprint' is '{now}', and was '{before}'"
    )


def test_half_a_surrogate_pair(image: ImageOf, engine: LocalEngine) -> None:
    answers = answers_of(image(2))
    with pytest.raises(ModelError, match=r"sentence 2 \('\\ud800'\): it holds half of a surrogate"):
        list(answers.score(["a", "\ud800"], Policy()))
    assert engine.n_running == 1
    answers.close()


def test_a_model_that_nobody_has_is_removed(image: ImageOf, engine: LocalEngine) -> None:
    model = open_model(image(2), LoadOptions())
    assert engine.n_running == 1
    del model
    gc.collect()
    assert engine.n_running == 0


def test_an_iterator_keeps_its_model(image: ImageOf, engine: LocalEngine) -> None:
    scoring = open_model(image(2), LoadOptions()).score(["a cat"] * 5000, Policy())
    gc.collect()
    assert sum(1 for _ in scoring) == 5000
    del scoring
    gc.collect()
    assert engine.n_running == 0


def test_a_closed_model_may_be_asked_again(image: ImageOf, engine: LocalEngine) -> None:
    model = open_model(image(2), LoadOptions())
    before = score_all(model, ["a cat"], Policy())
    model.close()
    model.close()
    assert engine.n_running == 0
    assert score_all(model, ["a cat"], Policy()) == before
    model.close()
