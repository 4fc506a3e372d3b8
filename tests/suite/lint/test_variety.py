"""How much items differ from each other."""

from collections.abc import Mapping, Sequence

import pytest
from tests.builders import Sentences, make_suite, suite_value

from pommel.suite.lint import Remark, check_suite
from pommel.suite.suite import Suite

LESS = "(2;%a%) < (2;%b%)"
WHOLE = "(*;%a%) < (*;%b%)"
RULES = ["few-words", "closed-class"]
# Verbs that have nothing in common, so that each is a word of its own.
VERBS = [f"{one}{other}" for one in "bdfglmnprst" for other in ("ark", "oil", "uzz")]


def agreement(verbs: Sequence[tuple[str, str]], n_items: int) -> list[Sentences]:
    pairs = [verbs[i % len(verbs)] for i in range(n_items)]
    return [
        {"a": (f"The noun{i}", less, "."), "b": (f"The noun{i}", more, ".")}
        for i, (less, more) in enumerate(pairs)
    ]


def inflected(n_verbs: int) -> list[tuple[str, str]]:
    return [(f"{verb}s", verb) for verb in VERBS[:n_verbs]]


def found(items: Sequence[Sentences], rules: Sequence[str], formula: str = LESS) -> list[Remark]:
    return check_suite(make_suite(items, [formula]), rules)


def with_source(
    items: Sequence[Sentences], rows: Sequence[Mapping[str, str]], rules: Sequence[str]
) -> list[Remark]:
    value = suite_value(items, [LESS])
    for item, row in zip(value["items"], rows, strict=True):
        item["source"] = row
    return check_suite(Suite.from_dict(value), rules)


@pytest.mark.parametrize("formula", [LESS, WHOLE])
def test_few_words_in_many_items(formula: str) -> None:
    (remark,) = found(agreement(inflected(12), 24), RULES, formula)
    assert remark.rule == "few-words"
    assert remark.message == (
        "prediction 0 compares only 12 words, all forms of each as one, in 24 items: 'bark', "
        "'barks' in 2 of them"
    )
    assert remark.hint == (
        "a score is one of these words; compare more, 30 where the language has them"
    )
    assert remark.path == ("predictions", 0, "formula")
    assert remark.predictions == (0,)


@pytest.mark.parametrize(
    ("n_words", "n_items"),
    # Enough; not half as many as items; few items.
    [(30, 200), (12, 23), (2, 7)],
)
def test_words_that_are_not_few(n_words: int, n_items: int) -> None:
    assert found(agreement(inflected(n_words), n_items), RULES) == []


CLOSED = [("is", "are"), ("was", "were"), ("who", "what"), ("him", "her"), ("any", "some")]


@pytest.mark.parametrize(
    ("verbs", "rule"),
    [
        (CLOSED, "closed-class"),
        # So few may be all that there are, whatever they look like.
        (inflected(4), "closed-class"),
        (inflected(5), "few-words"),
        # So many are not of a closed class.
        ([*CLOSED, *[("mine", "yours"), ("I", "we"), ("he", "it"), ("you", "me")]], "closed-class"),
        ([*CLOSED, *[(f"x{verb}", f"{verb}y") for verb in VERBS[:5]]], "few-words"),
    ],
)
def test_closed_classes_are_another_rule(verbs: list[tuple[str, str]], rule: str) -> None:
    assert [each.rule for each in found(agreement(verbs, 40), RULES)] == [rule]


def test_a_word_that_is_the_same_on_both_sides_is_one() -> None:
    items: list[Sentences] = [
        {"a": (f"No noun{i} has", "ever", "."), "b": (f"The noun{i} has", "ever", ".")}
        for i in range(8)
    ]
    (remark,) = found(items, RULES)
    assert remark.rule == "closed-class"
    assert remark.message == (
        "prediction 0 compares only 1 word, all forms of each as one, in 8 items: 'ever' in 8 of "
        "them"
    )


def test_source_says_which_forms_are_one_word() -> None:
    # Each of 10 verbs is there in two tenses.
    verbs = [
        pair for verb in VERBS[:10] for pair in ((f"{verb}s", verb), (f"{verb}ed", f"{verb}d"))
    ]
    items = agreement(verbs, 40)
    (remark,) = found(items, RULES)
    assert "only 20 words," in remark.message
    words = [VERBS[i % 20 // 2] for i in range(40)]
    (remark,) = with_source(items, [{"V.word": word} for word in words], RULES)
    assert "only 10 words," in remark.message
    # What fills another slot does not count, nor does a feature that the forms tell.
    subjects = [{"S.word": f"noun{i}"} for i in range(40)]
    tenses = [{"T": "past" if i % 2 else "present"} for i in range(40)]
    for rows in (subjects, tenses):
        (remark,) = with_source(items, rows, RULES)
        assert "only 20 words," in remark.message


def test_many_items_with_the_same_words_before() -> None:
    items: list[Sentences] = [
        {"a": (f"The noun{i % 5}", f"{verb}s", "."), "b": (f"The noun{i % 5}", verb, ".")}
        for i, verb in enumerate(VERBS[:8])
    ]
    (remark,) = found(items, ["shared-context"])
    assert remark.message == (
        "before what prediction 0 compares, 8 items have only 5 different beginnings"
    )
    assert remark.predictions == (0,)
    assert len(found(items, ["shared-context"], WHOLE)) == 1
    assert found(items[:6], ["shared-context"]) == []


def test_no_words_before_or_another_order_is_no_shared_context() -> None:
    first: list[Sentences] = [{"a": ("Dogs", verb), "b": ("Cats", verb)} for verb in VERBS[:8]]
    assert found(first, ["shared-context"], "(1;%a%) < (1;%b%)") == []
    moved: list[Sentences] = [
        {"a": ("The", f"dog {verb}"), "b": ("The", f"{verb} dog")} for verb in VERBS[:8]
    ]
    assert found(moved, ["shared-context"], WHOLE) == []


def features(n_items: int, **slots: str) -> list[Remark]:
    rows = [
        {slot: values[i % len(values)] for slot, values in table.items()}
        for i, table in enumerate([{k: v.split() for k, v in slots.items()}] * n_items)
    ]
    return with_source(agreement(inflected(30), n_items), rows, ["uneven-feature"])


def test_an_attractor_that_has_one_number_too_often() -> None:
    (remark,) = features(40, ATT="sg sg sg pl")
    assert remark.message == "ATT is sg in 30, pl in 10 of 40 items"
    assert remark.hint == (
        "a score is more of one kind than of the other; have as many of each (`balance: ATT` in a "
        "template)"
    )
    assert remark.path == ("items",)


def test_an_attractor_that_mostly_matches() -> None:
    (remark,) = features(40, NUM="SG PL SG PL SG PL SG PL", ATT="SG PL SG PL SG PL PL SG")
    assert remark.message == "NUM and ATT are the same in 30 of 40 items"
    assert "`balance: NUM ATT`" in remark.hint


@pytest.mark.parametrize(
    "slots",
    [
        {"ATT": "sg pl"},
        # By chance as likely as not.
        {"ATT": "sg sg sg pl pl"},
        # A number is not a gender, and words are neither; a constant has nothing to be even with.
        {"NUM": "sg pl", "GENDER": "m f"},
        {"P": "near near near behind"},
        {"NUM": "pl"},
        {"GENDER": "M F N"},
    ],
)
def test_features_that_are_even(slots: dict[str, str]) -> None:
    assert features(40, **slots) == []


def test_without_source_nothing_is_known_of_attractors() -> None:
    assert found(agreement(inflected(30), 40), ["uneven-feature"]) == []
