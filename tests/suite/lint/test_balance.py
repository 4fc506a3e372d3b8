"""Sides that differ systematically in the frequency of their words, or in their tokens."""

from collections.abc import Sequence

import pytest
from tests.builders import Sentences, by_word, make_suite, token

from pommel.suite.lint import Frequencies, Remark, Tokenized, check_suite
from pommel.surprisal import ScoredSentence

LESS = "(2;%a%) < (2;%b%)"
FREQUENCIES = Frequencies(
    file="words.tsv", counts={"barks": 999, "bark": 99, "is": 99_999, "walk": 499, "the": 900_000}
)


def item(a: str, b: str) -> Sentences:
    return {"a": ("The dog", a, "."), "b": ("The dogs", b, ".")}


def by_frequency(items: Sequence[Sentences], formula: str = LESS) -> list[Remark]:
    suite = make_suite(items, [formula])
    return check_suite(suite, ["word-frequency"], frequencies=FREQUENCIES)


def test_words_that_are_more_frequent_on_one_side() -> None:
    (remark,) = by_frequency([item("barks", "bark")] * 9)
    assert remark.message == (
        "what should be less surprising has the more frequent words, which alone favours it: log10 "
        "frequency 1.0 apart on average, so in 9 of 9 items (sign test: p = 0.004); words.tsv "
        "lacks 0 of 2 words"
    )
    assert remark.hint == "match the words, or add the reverse comparison"
    assert remark.path == ("predictions", 0, "formula")


def test_words_that_are_rarer_where_they_should_be_less_surprising() -> None:
    items = [item("bark", "barks")] * 17 + [item("is", "walked"), item("barks", "barks")]
    (remark,) = by_frequency(items)
    assert remark.message == (
        "what should be less surprising has the rarer words, which works against it: log10 "
        "frequency 0.6 apart on average, so in 17 of 19 items, the reverse in 1 (sign test: "
        "p = 0.0001); words.tsv lacks 1 of 4 words"
    )


def test_a_comparison_without_direction() -> None:
    (remark,) = by_frequency([item("barks", "bark")] * 9, "(2;%b%) = (2;%a%)")
    assert remark.message.startswith(
        "the words of 'a' are more frequent than those it is compared with: log10 frequency 1.0"
    )


@pytest.mark.parametrize(
    "items",
    [
        [item("barks", "bark")] * 7,  # too few to tell
        [item("barks", "bark"), item("bark", "barks")] * 9,  # no system
        [item("barks", "walk")] * 30,  # twice as frequent only
        [item("barks", "barks")] * 30,
        [item(".", "bark")] * 30,  # no words
    ],
)
def test_what_is_in_balance(items: list[Sentences]) -> None:
    assert by_frequency(items) == []


def test_a_crossed_design_is_in_balance() -> None:
    crossed: Sentences = {**item("barks", "bark"), "c": ("Dogs", "bark"), "d": ("Dogs", "barks")}
    assert by_frequency([crossed] * 9, f"{LESS} & (2;%c%) < (2;%d%)") == []
    assert len(by_frequency([crossed] * 9, f"{LESS} & (2;%d%) < (2;%c%)")) == 1
    assert len(by_frequency([crossed] * 9)) == 1


def in_letters(text: str) -> ScoredSentence:
    """Return a sentence whose tokens are letters, with a mark behind it; nothing is scored."""
    letters = [token(letter, i, None) for i, letter in enumerate(text) if letter != " "]
    end = token("</s>", len(text), None, end=len(text), role="eos")
    return ScoredSentence(text=text, tokens=(*letters, end))


def by_tokens(items: Sequence[Sentences], formula: str = LESS, *, words: bool = False) -> list[str]:
    suite = make_suite(items, [formula])
    texts = [each.text for row in suite.sentences() for each in row]
    sentences = {text: by_word(text) if words else in_letters(text) for text in texts}
    tokenized = Tokenized(model_name="letters", sentences=sentences)
    return [each.message for each in check_suite(suite, ["token-count"], tokenized=tokenized)]


def test_tokens() -> None:
    items = [item("barks", "barked")] * 8 + [item("is", "are")] * 4 + [item("walked", "is")]
    agreement = (
        "has more tokens for letters: 0.6 more on average, so in 12 of 13 items, the reverse in 1 "
        "(sign test: p = 0.003)"
    )
    assert by_tokens(items) == [f"what should be more surprising {agreement}"]
    assert by_tokens(items, "(2;%b%) < (2;%a%)") == [f"what should be less surprising {agreement}"]
    assert by_tokens(items, "(2;%a%) = (2;%b%)") == [f"'b' {agreement}"]
    assert by_tokens(items, words=True) == []
    assert by_tokens([item("walked", "barked")] * 20) == []


def test_all_tokens_of_a_sentence_but_its_end() -> None:
    last: Sentences = {"a": ("Dogs", "barks"), "b": ("Dogs", "barked")}
    (message,) = by_tokens([last] * 8, "(*;%a%) < (*;%b%)")
    assert message == (
        "what should be more surprising has more tokens for letters: 1.0 more on average, so in 8 "
        "of 8 items (sign test: p = 0.008)"
    )


def test_without_evidence_nothing_is_said() -> None:
    suite = make_suite([item("barks", "bark")] * 9, [LESS])
    assert check_suite(suite, ["word-frequency", "token-count"]) == []
