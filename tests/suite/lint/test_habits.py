"""Conditions that have changed places, where only some of the other items tell it."""

from collections.abc import Sequence
from itertools import pairwise, product

from tests.builders import Sentences, make_suite, suite_value

from pommel.suite.lint import Remark, check_suite
from pommel.suite.suite import Suite

RULES = ["odd-word", "odd-form", "swapped-conditions"]
STEMS = ["alt", "list", "buen", "seri", "lent"]
# Of a noun's gender and number, the endings of adjectives that fit it: in all, in one, in none.
ENDINGS = {
    "La niña era": ("a", "as", "o", "os"),
    "Las niñas eran": ("as", "a", "os", "o"),
    "El niño era": ("o", "os", "a", "as"),
    "Los niños eran": ("os", "o", "as", "a"),
}
NAMES = ("match", "gender_only", "number_only", "none")


def found(items: Sequence[Sentences], *, formula: str = "(2;%match%) < (2;%none%)") -> list[Remark]:
    return check_suite(make_suite(items, [formula]), RULES)


def turned(items: Sequence[Sentences], item: int, one: str, other: str) -> list[Sentences]:
    names = {one: other, other: one}
    return [
        {name: each[names.get(name, name)] for name in each} if i == item else each
        for i, each in enumerate(items)
    ]


CROSSED: list[Sentences] = [
    {name: (subject, stem + end, ".") for name, end in zip(NAMES, ends, strict=True)}
    for (subject, ends), stem in product(ENDINGS.items(), STEMS)
]


def test_the_same_words_before_tell_which_forms_go_where() -> None:
    assert found(CROSSED) == []
    for other in NAMES[1:]:
        (remark,) = found(turned(CROSSED, 7, "match", other))
        assert (remark.rule, remark.item_numbers) == ("swapped-conditions", (8,))
        assert remark.message.startswith(f"the sentences of 'match' and '{other}' seem to have")
        assert remark.path == ("items", 7, "conditions", 0)


def test_how_other_conditions_differ_tells_it_where_no_words_are_the_same() -> None:
    apart = [
        {name: (f"{i}", *regions[1:]) for name, regions in each.items()}
        for i, each in enumerate(CROSSED)
    ]
    assert found(apart) == []
    (remark,) = found(turned(apart, 7, "match", "gender_only"))
    assert remark.item_numbers == (8,)
    # Singular and plural change places by this, and either pair may be meant.
    assert remark.message == (
        "the sentences of 'match' and 'gender_only', or those of 'number_only' and 'none' seem to "
        "have changed places in item 8: with each other's names the item is like the others"
    )


def test_source_tells_it_where_words_do_not() -> None:
    value = suite_value(
        [
            {"match": (f"Noun{i}", good), "mismatch": (f"Noun{i}", bad)}
            for i, (good, bad) in enumerate([("runs", "run"), ("run", "runs")] * 6)
        ]
    )
    assert check_suite(Suite.from_dict(value), RULES) == []
    for i, item in enumerate(value["items"]):
        item["source"] = {"NUM": "sg" if (i % 2 == 0) != (i == 4) else "pl"}
    (remark,) = check_suite(Suite.from_dict(value), RULES)
    assert (remark.rule, remark.item_numbers) == ("swapped-conditions", (5,))


def embedded(first: str, second: str, noun: str) -> Sentences:
    return {
        "match": (f"The {noun} that they", first, second, "."),
        "none": (f"The {noun} that they", second, first, "."),
    }


def test_words_that_keep_their_conditions() -> None:
    seconds = ["fell", "broke", "sank", "burnt", "rotted"]
    pairs = [*product(["sold", "kept", "lost", "made", "drew", "bought"], seconds)]
    items = [embedded(one, other, f"thing{i}") for i, (one, other) in enumerate(pairs)]
    assert found(items) == []
    (remark,) = found(turned(items, 9, "match", "none"))
    assert (remark.rule, remark.item_numbers) == ("swapped-conditions", (10,))
    # Where words stand on both sides by design, they tell nothing.
    both = [embedded(*(pair if i % 2 else pair[::-1]), f"thing{i}") for i, pair in enumerate(pairs)]
    assert found(both) == []
    # A word that is nowhere else does not either.
    letters = "abcdefghijklmnopqrstuvwxyz"
    alone = [embedded(one * 2, other * 3, "thing") for one, other in pairwise(letters)]
    assert found(turned(alone, 9, "match", "none")) == []


def test_a_word_that_goes_its_own_way_has_not_changed_places() -> None:
    irregular: Sentences = {
        name: ("La niña era", word, ".")
        for name, word in zip(NAMES, ("feliz", "tal", "gris", "cortés"), strict=True)
    }
    assert [each.rule for each in found([*CROSSED, irregular])] == []


def test_a_few_items_tell_nothing() -> None:
    few = [each for i, each in enumerate(CROSSED) if i % 5 < 3]
    assert found(turned(few, 4, "match", "none")) == []
