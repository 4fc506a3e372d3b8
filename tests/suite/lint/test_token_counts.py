"""The tokens of the regions that are compared."""

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
