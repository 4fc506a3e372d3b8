"""A container that answers in a session: one start a call, which has to end well."""

import gc
from pathlib import Path

import pytest
from tests.builders import make_suite
from tests.models.container.asking import answers_of
from tests.models.container.conftest import ImageOf
from tests.models.container.local_engine import LocalEngine
from tests.models.container.toy_image import SCORE_MAIN

from pommel.errors import ContainerError, ModelError
from pommel.models.container.engines.engine import Sandbox
from pommel.models.container.model import open_model
from pommel.models.family import NamedModel
from pommel.models.model import LoadOptions, Policy, closing, score_all
from pommel.store import Store, run_and_keep

ONE_IN_FIVE = """
say(HEADER)
for block in blocks():
    for r in block:
        error = {"id": r["id"], "error": "a dog"}
        say(error if "dog" in r["sentence"] else answer(r))
"""
ANOTHER_EACH_TIME = f"HEADER['model']['fingerprint'] = str(os.getpid())\n{ONE_IN_FIVE}"


def test_one_start_for_all_that_is_asked_at_once(image: ImageOf, engine: LocalEngine) -> None:
    answers = answers_of(image(2))
    assert list(answers.score([], Policy())) == []
    assert engine.n_running == 1
    for n in range(3):
        assert len(dict(answers.score([f"suite {n}"] * 5000, Policy()))) == 5000
        assert engine.commands == ["score"] * (n + 1)
        assert engine.n_running == 0
    answers.close()


# All is answered before the end: at once, at the end of the input, later than is admitted.
@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("    sys.stdout.flush(); os._exit(1)\n", "it ended with exit status 1"),
        ("sys.exit(1)\n", "it ended with exit status 1"),
        ("sys.exit(99)\n", r"the image does not support this \(exit status 99\)"),
        ("os.kill(os.getpid(), 9)\n", r"it was killed \(exit status 137\)"),
        ("say('bye')\n", "it printed more than it was asked for: '\"bye\"'"),
        ("import time; time.sleep(60)\n", "it had not ended after 2 s"),
    ],
)
def test_who_answers_all_and_does_not_end_well_is_not_believed(
    image: ImageOf, engine: LocalEngine, tmp_path: Path, end: str, reason: str
) -> None:
    reference = image(2, score=SCORE_MAIN + end)
    suites = [
        make_suite([{"a": (f"A {noun}",), "b": (f"A {noun}",)}], ["1 < 2"], name=noun)
        for noun in ("dog", "cat")
    ]
    named = NamedModel(reference=reference)
    with Store.open(tmp_path / "store.sqlite") as store:
        for _ in range(2):
            model = open_model(reference, LoadOptions(sandbox=Sandbox(timeout_s=2)))
            with closing(model), pytest.raises(ContainerError, match=f"score: {reason}"):
                list(run_and_keep(named, model, suites, store=store))
            assert not store.runs.records()
    assert engine.commands.count("score") == 2
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


def test_a_sentence_that_it_cannot_score_costs_no_start(
    image: ImageOf, engine: LocalEngine
) -> None:
    answers = answers_of(image(2, score=ONE_IN_FIVE))
    scoring = answers.score(["a dog", "a cat", "dogs", "a cow"], Policy())
    assert [next(scoring)[0], next(scoring)[0]] == [1, 3]
    with pytest.raises(ModelError) as caught:
        next(scoring)
    assert caught.value.blamed == {
        "a dog": "local://toy: score: sentence 1 ('a dog'): a dog",
        "dogs": "local://toy: score: sentence 3 ('dogs'): a dog",
    }
    assert not caught.value.spoiled
    assert engine.commands == ["score"]


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
    assert engine.n_running == 0


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
