"""A suite as the rules look at it."""

from tests.builders import Sentences, make_suite, suite_value

from pommel.suite import LoadedSuite
from pommel.suite.lint.subject import Side, Subject

ITEM: Sentences = {"a": ("The dog", "", "barks", "."), "b": ("The dog", "never", "barks", "")}
FORMULAS = ["(3;%a%) < (3;%b%)", "(*;%a%) < (*;%b%)", "(3;%b%) < (3;%a%)"]


def subject(joiner: str = " ") -> Subject:
    return Subject(suite=make_suite([ITEM], FORMULAS, joiner=joiner))


def test_the_texts_of_a_side() -> None:
    both = Side(condition="a", regions=(2, 3))
    assert subject().regions(0, both) == [3]
    assert subject().text(0, both) == "barks"
    assert subject().context(0, both) == "The dog"
    whole = Side(condition="a", regions=None)
    assert subject().text(0, whole) == "The dog barks ."
    assert subject().context(0, whole) == ""
    assert subject("").text(0, whole) == "The dogbarks."


def test_lengths() -> None:
    assert (subject().length("The dog"), subject().unit) == (2, "word")
    assert (subject("").length("狗 吠"), subject("").unit) == (2, "character")


def test_each_pair_of_sides_is_a_contrast() -> None:
    first, second = subject().contrasts
    assert subject().predictions_with(first) == (0, 2)
    assert subject().predictions_with(second) == (1,)


def test_what_a_left_to_right_model_goes_by() -> None:
    items: list[Sentences] = [
        {
            "a": ("The dog", "barks", "."),
            "b": ("The dog", "barks", "now"),
            "c": ("The dog", "barks"),
        }
    ]

    def reading(name: str, joiner: str = " ") -> object:
        found = Subject(suite=make_suite(items, [], joiner=joiner))
        laid = found.items[0][name]
        return found.reading(laid, *laid.spans[2])

    assert reading("a") == reading("b")
    # Behind it the sentence ends.
    assert reading("a") != reading("c")
    assert reading("a", "") != reading("b", "")


def test_what_stands_behind_a_region_may_be_its_own() -> None:
    items: list[Sentences] = [{"a": ("The dog", "barks", "."), "b": ("The dog", "barks", "now")}]
    value = suite_value(items, [])
    value["items"][0]["conditions"][0]["regions"][2]["joiner"] = ""
    found = Subject(suite=LoadedSuite.from_dict(value).suite)
    assert found.text(0, Side(condition="a", regions=(2, 3))) == "barks."

    def reading(name: str, region: int) -> object:
        laid = found.items[0][name]
        return found.reading(laid, *laid.spans[region])

    # A token may cross into what no space parts from it.
    assert reading("a", 2) != reading("b", 2)
    assert reading("a", 1) == reading("b", 1)
