"""The words of the regions that are compared."""

from tests.builders import Sentences, make_suite

from pommel.suite.lint import Frequencies, Remark, check_suite

FREQUENCIES = Frequencies(file="list", counts={"the": 9999, "dog": 99, "barks": 99, "hound": 0})


def remarks(a: str, b: str, formula: str = "(1;%a%) < (1;%b%)") -> list[Remark]:
    item: Sentences = {"a": (a, "barks"), "b": (b, "barks")}
    suite = make_suite([item] * 8, [formula])
    return check_suite(suite, ["word-frequency"], frequencies=FREQUENCIES)


def test_the_mean_over_the_words_of_a_side() -> None:
    (remark,) = remarks("The dog", "the hound")
    assert "log10 frequency 1.0 apart on average" in remark.message
    (remark,) = remarks("The dog", "Hound", "(*;%a%) < (*;%b%)")
    # (4 + 2 + 2) / 3 against (0 + 2) / 2
    assert "log10 frequency 1.7 apart on average" in remark.message


def test_a_word_that_is_not_listed_is_as_rare_as_can_be() -> None:
    (remark,) = remarks("the dog", "the poodle")
    assert remark.message.endswith("list lacks 1 of 3 words")
    assert remarks("the hound", "the poodle") == []


def test_marks_are_no_words() -> None:
    assert remarks("the dog", "...") == []
    assert remarks("the dog,", '"The dog!"') == []
