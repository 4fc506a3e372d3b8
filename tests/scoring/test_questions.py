"""Which sentence costs what, when a model fails: that one only, if it is to blame."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from tests.builders import by_word

from pommel.errors import ContainerError, ModelError
from pommel.models.model import ModelInfo, Policy, SpansOfEach
from pommel.scoring.questions import Questions
from pommel.surprisal import ScoredSentence

MANY = [f"sentence {number:03}" for number in range(200)]


@dataclass
class FailingModel:
    """Ends at sentences of `fails_at`, like a program that prints no line before all is there.

    What it says of the sentence at which it failed is right, unless it `misleads`: then it is the
    first of the call. It blames those of `blames` by itself, `at_once` or at the end; `lost` is
    raised in the call of that number.
    """

    fails_at: frozenset[str] = frozenset()
    blames: frozenset[str] = frozenset()
    at_once: bool = False
    misleads: bool = False
    lost: dict[int, ModelError] = field(default_factory=dict)
    asked: list[list[str]] = field(default_factory=list)

    info = ModelInfo(reference="toy://failing", name="failing", kind="toy", fingerprint="0")

    def score(
        self,
        sentences: Sequence[str],
        policy: Policy,  # noqa: ARG002
        spans: SpansOfEach = None,  # noqa: ARG002
    ) -> Iterator[tuple[int, ScoredSentence]]:
        self.asked.append([*sentences])
        blamed = {each: f"{each}: too long" for each in sentences if each in self.blames}
        if blamed and self.at_once:
            raise ModelError.of_sentences(blamed)
        return self._scored(sentences, blamed)

    def _scored(
        self, sentences: Sequence[str], blamed: dict[str, str]
    ) -> Iterator[tuple[int, ScoredSentence]]:
        if error := self.lost.get(len(self.asked)):
            raise error
        answered: list[str] = []
        for index, text in enumerate(sentences):
            if text in self.fails_at:
                error = ContainerError(f"it ended;\n    a\n    {len(self.asked)}")
                error.suspect = sentences[0] if self.misleads else text
                error.spoiled = frozenset(answered)
                raise error
            if text not in blamed:
                answered.append(text)
                yield index, by_word(text)
        if blamed:
            raise ModelError.of_sentences(blamed)


def asked(
    model: FailingModel, texts: Sequence[str] = MANY, *, is_strict: bool = False
) -> Questions:
    needed = dict.fromkeys(texts)
    questions = Questions(model, Policy(), needed, is_strict=is_strict)
    counts = Counter(texts)
    assert sum(questions.ask(counts)) == counts.total()
    assert all(map(questions.has, texts))
    return questions


def failed(questions: Questions) -> dict[str, str]:
    return {text: each.failure for text, each in questions.scored.items() if each.failure}


@pytest.mark.parametrize("at_once", [False, True])
def test_a_sentence_that_the_model_blames(*, at_once: bool) -> None:
    model = FailingModel(blames=frozenset(MANY[3:5]), at_once=at_once)
    questions = asked(model)
    assert failed(questions) == {text: f"{text}: too long" for text in MANY[3:5]}
    rest = [[text for text in MANY if text not in MANY[3:5]]]
    assert model.asked == [MANY, *(rest if at_once else [])]


def test_a_sentence_at_which_it_ends_is_found_with_three_calls() -> None:
    model = FailingModel(fails_at=frozenset({"sentence 077"}))
    questions = asked(model)
    assert failed(questions) == {"sentence 077": "it ended; 2"}
    # All, the one that is suspected, another one, all others.
    assert [len(each) for each in model.asked] == [200, 1, 1, 198]
    assert model.asked[1] == ["sentence 077"]


@pytest.mark.parametrize("misleads", [False, True])
@pytest.mark.parametrize("numbers", [(0,), (199,), (0, 1, 2), (17, 80, 81, 199)])
def test_those_at_which_it_ends_are_found(numbers: tuple[int, ...], *, misleads: bool) -> None:
    wrong = {MANY[number] for number in numbers}
    model = FailingModel(fails_at=frozenset(wrong), misleads=misleads)
    assert failed(asked(model)).keys() == wrong
    assert len(model.asked) <= 60


def test_a_model_that_ends_at_everything_is_asked_few_times() -> None:
    model = FailingModel(fails_at=frozenset(MANY))
    with pytest.raises(ContainerError, match=r"it ended;\n    a\n    1$"):
        asked(model)
    assert [len(each) for each in model.asked] == [200, 1, 1]


def test_a_model_that_ends_at_too_many_is_given_up() -> None:
    model = FailingModel(fails_at=frozenset(MANY[1::2]))
    questions = Questions(model, Policy(), dict.fromkeys(MANY))
    with pytest.raises(ContainerError, match=r"it ended;\n    a\n    1$"):
        list(questions.ask(Counter(MANY)))
    assert not failed(questions)
    assert 64 < len(model.asked) < 100


def test_the_only_sentence_is_the_model() -> None:
    with pytest.raises(ContainerError, match="it ended"):
        asked(FailingModel(fails_at=frozenset(MANY)), MANY[:1])


def test_what_blames_no_sentence_ends_the_search() -> None:
    lost = ContainerError("the engine is lost")
    model = FailingModel(fails_at=frozenset({"sentence 077"}), lost={4: lost})
    questions = Questions(model, Policy(), dict.fromkeys(MANY))
    with pytest.raises(ContainerError, match=r"^the engine is lost$"):
        list(questions.ask(Counter(MANY)))
    # That it failed there is not certain as yet.
    assert not failed(questions)


@pytest.mark.parametrize(
    "model",
    [
        FailingModel(fails_at=frozenset(MANY[3:4])),
        FailingModel(blames=frozenset(MANY[3:4])),
        FailingModel(blames=frozenset(MANY[3:4]), at_once=True),
    ],
)
def test_a_strict_run_asks_once(model: FailingModel) -> None:
    with pytest.raises(ModelError):
        asked(model, is_strict=True)
    assert model.asked == [MANY]


def test_all_that_has_failed_is_the_models_failure() -> None:
    questions = asked(FailingModel(blames=frozenset(MANY[:2])), MANY[:3])
    questions.check_any(MANY[1:3])
    with pytest.raises(ModelError) as caught:
        questions.check_any(MANY[:2])
    assert str(caught.value) == ("sentence 000: too long (and 1 other sentence that it fails on)")
