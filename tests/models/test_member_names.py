"""What members of families are called, and in which order they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pommel.errors import UsageError
from pommel.models.family import Member, axis_number, members_of, natural_key, split_places


def members(reference: str, index: int, *texts: str) -> list[Member]:
    """Return the members that differ in the text of one place."""
    split = split_places(reference)
    written = [each.text for each in split.places]
    choices = [(*written[:index], text, *written[index + 1 :]) for text in texts]
    return members_of(split, choices, index)


def test_a_member_is_called_by_what_it_is_in() -> None:
    first, second = members("lstm://models/en/seed-*", 2, "seed-10", "seed-2")
    assert (first.texts, first.name) == (("models", "en", "seed-2"), "en/seed-2")
    own = second.membership
    assert (own.family, own.axis, own.label, own.value) == ("en", "seed", "seed-10", 10)
    assert own.pattern == "lstm://models/en/seed-*"


def test_or_by_what_its_name_begins_with() -> None:
    found = members("lstm://models/lstm-en-seed-{1,2}", 1, "lstm-en-seed-1", "lstm-en-seed-2")
    assert [each.name for each in found] == ["lstm-en-seed-1", "lstm-en-seed-2"]
    assert {each.membership.family for each in found} == {"lstm-en"}
    assert [each.membership.label for each in found] == ["seed-1", "seed-2"]


@pytest.mark.parametrize(
    ("reference", "index", "texts"),
    [
        # The folder's number is not the member's.
        ("ngram://exp3/{1..2}gram.arpa", 1, ["1gram.arpa", "2gram.arpa"]),
        ("lstm://v2/{1a,2b}", 1, ["1a", "2b"]),
        ("builtin://{en-gpt2,en-ngram}", 0, ["en-gpt2", "en-ngram"]),
        ("{1..2}gram.arpa", 0, ["1gram.arpa", "2gram.arpa"]),
        ("huggingface://m@{v1,v2}", 1, ["v1", "v2"]),
    ],
)
def test_without_a_word_for_it_a_member_has_no_number(
    reference: str, index: int, texts: list[str]
) -> None:
    found = members(reference, index, *texts)
    assert [each.texts[index] for each in found] == texts
    assert {(each.membership.axis, each.membership.value) for each in found} == {("member", None)}


def test_the_word_of_a_number_may_stand_above_it() -> None:
    found = members("huggingface://checkpoints/{100,20k,best}", 1, "100", "20k", "best")
    assert [(each.membership.axis, each.membership.value) for each in found] == [
        ("step", 100),
        ("step", 20_000),
        ("step", None),
    ]


def test_two_of_one_label() -> None:
    with pytest.raises(UsageError) as caught:
        members("ngram://n/*", 1, "a.arpa", "a.arpa.gz")
    assert str(caught.value) == (
        "ngram://n/*: two of its models would be called 'a', ngram://n/a.arpa and "
        "ngram://n/a.arpa.gz; name one of them"
    )


def test_where_the_number_of_an_axis_stands() -> None:
    assert axis_number("seed-12.d") == (5, 7)
    # The last one: what varies most is written last.
    assert axis_number("seed-1-step_20k") == (12, 14)
    assert axis_number("proceed1") is None
    assert axis_number("v2") is None


@given(st.lists(st.integers(0, 10**6), min_size=1))
def test_numbers_in_names_are_sorted_as_numbers(numbers: list[int]) -> None:
    names = [f"x-{number}b" for number in numbers]
    assert sorted(names, key=natural_key) == [f"x-{number}b" for number in sorted(numbers)]


@given(st.lists(st.text("ab1209.-")))
def test_every_two_names_compare(names: list[str]) -> None:
    assert sorted(sorted(names, key=natural_key)) == sorted(names)
