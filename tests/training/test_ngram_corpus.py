"""A text becomes numbers; which words are known is what was asked for."""

from collections.abc import Sequence
from typing import Any

import pytest

from pommel.errors import InputError
from pommel.training.ngram_corpus import Corpus, read_corpus

TEXT = [["the", "dog", "saw", "the", "cat"], [], ["a", "dog", "<unk>", "barks"], ["the", "end"]]


def _spelled(corpus: Corpus) -> list[str]:
    return [corpus.vocabulary[number] for number in corpus.ids.tolist()]


def test_sentences_stand_between_marks() -> None:
    corpus = read_corpus(TEXT)
    assert " ".join(_spelled(corpus)) == (
        "<s> the dog saw the cat </s> <s> a dog <unk> barks </s> <s> the end </s>"
    )
    assert corpus.n_left.tolist() == [7, 6, 5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1, 4, 3, 2, 1]
    assert (corpus.n_sentences, corpus.n_words) == (3, 11)
    assert corpus.estimate([]).n_unknown_words == 1


@pytest.mark.parametrize(
    ("options", "known"),
    [
        pytest.param({}, ["a", "barks", "cat", "dog", "end", "saw", "the"], id="all"),
        pytest.param({"min_count": 2}, ["dog", "the"], id="frequent"),
        pytest.param({"min_count": 9}, [], id="none"),
        # Of equal frequency, the first in the order of their text.
        pytest.param({"size": 3}, ["a", "dog", "the"], id="at most three"),
        pytest.param({"size": 3, "min_count": 2}, ["dog", "the"], id="both"),
        pytest.param({"size": 99}, ["a", "barks", "cat", "dog", "end", "saw", "the"], id="fewer"),
        pytest.param(
            {"vocabulary": ["zebra", "</s>", "the", "<unk>"], "min_count": 9},
            ["the", "zebra"],
            id="a vocabulary",
        ),
    ],
)
def test_the_vocabulary_is_what_was_asked_for(options: dict[str, Any], known: list[str]) -> None:
    corpus = read_corpus(TEXT, **options)
    assert corpus.vocabulary == ("<unk>", "<s>", "</s>", *known)
    words = [word for word in _spelled(corpus) if word not in {"<s>", "</s>"}]
    expected = [word for sentence in TEXT for word in sentence]
    assert words == [word if word in known else "<unk>" for word in expected]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([], "there is no sentence to estimate an n-gram model from"),
        ([[], []], "there is no sentence to estimate an n-gram model from"),
        (
            [["a"], ["a", "</s>", "b"]],
            (
                'a sentence has the word "</s>", which marks where sentences begin or end; '
                "leave it out"
            ),
        ),
    ],
)
def test_refuses_text_that_cannot_be_counted(
    sentences: Sequence[Sequence[str]], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        read_corpus(sentences)
    assert str(caught.value) == message
