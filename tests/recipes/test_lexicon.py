"""Inflection: the regular forms by rule, the irregular ones by list."""

import pytest

from recipes.english.lexicon import Verb, fields, people, verb
from recipes.english.phrases import with_article


@pytest.mark.parametrize(
    ("base", "forms"),
    [
        ("praise", "praises praised praised praising"),
        ("cry", "cries cried cried crying"),
        ("play", "plays played played playing"),
        ("stop", "stops stopped stopped stopping"),
        ("miss", "misses missed missed missing"),
        ("watch", "watches watched watched watching"),
        ("fix", "fixes fixed fixed fixing"),
        ("echo", "echoes echoed echoed echoing"),
        ("free", "frees freed freed freeing"),
        ("die", "dies died died dying"),
        ("give", "gives gave given giving"),
        ("bring", "brings brought brought bringing"),
        ("hurt", "hurts hurt hurt hurting"),
        ("swim", "swims swam swum swimming"),
        ("have", "has had had having"),
        ("do", "does did done doing"),
        ("flee", "flees fled fled fleeing"),
    ],
)
def test_paradigm(base: str, forms: str) -> None:
    assert verb(base) == Verb(base, *forms.split())


def test_a_past_tense_that_is_a_participle_is_ambiguous() -> None:
    verbs = map(verb, ("bring", "send", "give", "throw"))
    assert [each.past == each.participle for each in verbs] == [True, True, False, False]


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("senator", "senators"), ("woman", "women"), ("child", "children"), ("boss", "bosses"),
        ("coach", "coaches"), ("secretary", "secretaries"), ("boy", "boys"), ("thief", "thieves"),
    ],
)  # fmt: skip
def test_plural(singular: str, plural: str) -> None:
    assert {noun.singular: noun.plural for noun in people()}[singular] == plural


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("artist", "an artist"),
        ("honest man", "an honest man"),
        ("uniform", "a uniform"),
        ("useless box", "a useless box"),
        ("ugly hat", "an ugly hat"),
        ("hat", "a hat"),
    ],
)
def test_article(phrase: str, expected: str) -> None:
    assert with_article(phrase) == expected


def test_numbers_of_nouns_differ() -> None:
    nouns = [*people(), *(noun for field in fields().values() for noun in field.nouns)]
    assert len(nouns) > 350
    assert not [noun for noun in nouns if noun.singular == noun.plural]


def test_nobody_is_listed_twice() -> None:
    names = [noun.singular for noun in people()]
    assert len(names) == len(set(names))
