"""A model's tokens: how many there are in what is compared, and regions without one."""

from collections.abc import Callable

from tests.builders import Sentences, by_word, make_suite, token

from pommel.suite.lint import Remark, Tokenized, check_suite
from pommel.surprisal import ScoredSentence

ITEM: Sentences = {"a": ("The", "dog", "barks"), "b": ("The", "big dog", "barks")}


def remarks(formula: str, tokens: Callable[[str], ScoredSentence] = by_word) -> list[Remark]:
    suite = make_suite([ITEM] * 8, [formula])
    texts = {each.text for row in suite.sentences() for each in row}
    sentences = {text: tokens(text) for text in texts}
    tokenized = Tokenized(model_name="words", sentences=sentences)
    return check_suite(suite, ["token-count"], tokenized=tokenized)


def test_the_regions_that_are_compared_count() -> None:
    (remark,) = remarks("(2;%a%) < (2;%b%)")
    assert remark.message.startswith(
        "what should be more surprising has more tokens for words: 1.0 more on average, so in 8 of "
        "8 items"
    )
    assert remark.path == ("predictions", 0, "formula")
    assert len(remarks("(1;%a%) + (2;%a%) < (1;%b%) + (2;%b%)")) == 1
    assert remarks("(3;%a%) < (3;%b%)") == []


def test_marks_around_a_sentence_do_not_count() -> None:
    def marked(text: str) -> ScoredSentence:
        # Two marks in front of what is one token shorter.
        n_marks = 0 if "big" in text else 2
        marks = [token("<s>", 0, None, end=0, role="bos") for _ in range(n_marks)]
        return ScoredSentence(text=text, tokens=(*marks, *by_word(text).tokens))

    assert remarks("(*;%a%) < (*;%b%)", marked)[0].message.startswith("what should be more")


def joined(text: str) -> ScoredSentence:
    """Cut a sentence into words, but make "big dog" one token with the word before it."""
    if "big dog" not in text:
        return by_word(text)
    end = text.index("big dog") + len("big dog")
    tokens = (token(text[:end], 0, None), token(text[end:], end, None))
    return ScoredSentence(text=text, tokens=tokens)


def test_a_region_that_a_token_covers_is_named_with_its_items() -> None:
    other: Sentences = {"a": ("The", "dog", "barks"), "b": ("The", "dog", "barks")}
    empty: Sentences = {"a": ("The", "dog", "barks"), "b": ("The big dog", "", "barks")}
    formulas = ["(3;%a%) < (3;%b%)", "(2;%a%) < (2;%b%)", "(*;%a%) < (*;%b%)"]
    suite = make_suite([other, ITEM, ITEM, empty], formulas)
    sentences = {each.text: joined(each.text) for row in suite.sentences() for each in row}
    tokenized = Tokenized(model_name="words", sentences=sentences)
    (remark,) = check_suite(suite, ["swallowed-region"], tokenized=tokenized)
    assert remark.message == (
        "region 2 of 'b', which prediction 1 names, has no token of its own for words in 2 of 4 "
        "items (2, 3): one that begins before it covers it"
    )
    assert (remark.item_numbers, remark.predictions) == ((2, 3), (1,))
    assert remark.path == ("items", 1, "conditions", 1)
    assert check_suite(suite, ["swallowed-region"]) == []
