"""Plain sentences: words, sums, and what is unscored."""

import math

import pytest
from tests.word_model import WordModel

from pommel import Policy, score
from pommel.errors import UsageError
from pommel.scoring.sentences import SentenceScores
from pommel.surprisal import ScoredSentence, Token


def _scored(text: str, *tokens: Token) -> SentenceScores:
    model = WordModel(sentences={text: ScoredSentence(text=text, tokens=tokens)})
    return SentenceScores.of(model, [text])


def _token(text: str, start: int, bits: float | None, role: str = "text") -> Token:
    return Token(
        text=text,
        start=start,
        end=start + len(text.strip("$")),
        surprisal_bits=bits,
        role=role,  # type: ignore[arg-type]
    )


def test_a_token_counts_in_the_word_that_it_begins_in() -> None:
    scores = _scored(
        "New York isn't far",
        _token("New Yo", 0, 1.0),
        _token("rk", 6, 2.0),
        _token(" is", 8, 4.0),
        _token("n't", 11, 8.0),
        _token(" far", 14, 16.0),
        _token("$", 18, 32.0, "eos"),
    )
    (words,) = scores.words()
    assert [(each.text, each.surprisal_bits) for each in words] == [
        ("New", 1.0),
        ("York", 2.0),
        ("isn't", 12.0),
        ("far", 16.0),
    ]
    assert [each.surprisal_bits for each in scores.wholes()] == [63.0]
    frame = scores.to_frame("tokens")
    assert frame["word"].tolist() == ["New", "York", "isn't", "isn't", "far", ""]
    assert frame["word_number"].isna().tolist() == [False] * 5 + [True]


def test_a_word_without_a_token_of_its_own_has_no_surprisal() -> None:
    (words,) = _scored("a b", _token("a b", 0, 1.0)).words()
    assert words[0].surprisal_bits == 1.0
    assert math.isnan(words[1].surprisal_bits)
    assert words[1].tokens == ()


def test_what_is_unscored_is_not_0() -> None:
    scores = score("dummy://uniform?bits=2", "The dog barks", Policy(bos="never"))
    assert [each.surprisal_bits for each in scores.sentences[0].tokens] == [None, 2.0, 2.0]
    assert [(each.surprisal_bits, each.n_unscored) for each in scores.wholes()] == [(4.0, 1)]
    assert scores.to_frame("words")["surprisal_bits"].isna().tolist() == [True, False, False]


def test_tables_have_a_row_a_token_a_word_or_a_sentence() -> None:
    scores = score("dummy://uniform?bits=2", ["It isn't.", "The dog", "It isn't."])
    assert [len(scores.to_frame(each)) for each in ("tokens", "words", "sentences")] == [12, 6, 3]
    sentences = scores.to_frame("sentences")
    assert sentences.columns.tolist() == [
        "model_name",
        "sentence_number",
        "sentence",
        "surprisal_bits",
        "n_tokens",
        "n_unscored",
        "n_words",
        "failure",
    ]
    assert sentences["surprisal_bits"].tolist() == [10.0, 4.0, 10.0]
    assert sentences["sentence_number"].tolist() == [1, 2, 3]
    with pytest.raises(UsageError, match="the table"):
        scores.to_frame("regions")  # type: ignore[arg-type]


def test_each_text_is_scored_once() -> None:
    model = WordModel()
    assert len(SentenceScores.of(model, ["a b", "a b"])) == 2
    assert model.asked == [["a b"]]


@pytest.mark.parametrize("sentences", [[], [""], ["a", " "]])
def test_nothing_is_no_sentence(sentences: list[str]) -> None:
    with pytest.raises(UsageError, match="there is nothing to score"):
        score("dummy://", sentences)
