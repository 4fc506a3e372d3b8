"""What every sentence of the training English has to keep to, checked on samples."""

import random
import re

import pytest

from recipes.english.grammar import Grammar, held_out_corpus, sample_corpus
from recipes.english.lexicon import people, weights, words
from recipes.english.phrases import NounPhrase, be, have

N_SENTENCES = 20_000
PLURALS = {noun.plural: noun for noun in people()}
SINGULARS = {noun.singular: noun for noun in people()}


@pytest.fixture(scope="module")
def sample() -> list[str]:
    return list(sample_corpus(N_SENTENCES, 11))


def test_sentences_are_tokenised_as_the_suites_are(sample: list[str]) -> None:
    for sentence in sample:
        assert re.fullmatch(r"[A-Z][A-Za-z]*( ([A-Za-z]+|,))* \.", sentence), sentence


def test_the_vocabulary_is_wide(sample: list[str]) -> None:
    assert len({word for sentence in sample for word in sentence.split()}) > 2_500


def test_few_sentences_are_drawn_twice(sample: list[str]) -> None:
    assert len(set(sample)) > 0.93 * N_SENTENCES


def test_a_held_out_set_shares_few_sentences(sample: list[str]) -> None:
    held_out = set(held_out_corpus(2_000, 11))
    assert len(held_out & set(sample)) < 0.1 * len(held_out)


SINGULAR_VERBS = {"is", "was", "has", "does"}
PLURAL_VERBS = {"are", "were", "have", "do"}


def test_verbs_agree_with_the_noun_before_them(sample: list[str]) -> None:
    pairs = [sentence.split()[:3] for sentence in sample]
    checked = 0
    for the, noun, verb in (pair for pair in pairs if len(pair) == 3):
        if the in {"The", "No", "Few"} and verb in SINGULAR_VERBS | PLURAL_VERBS:
            if noun in SINGULARS:
                assert verb in SINGULAR_VERBS
                checked += 1
            elif noun in PLURALS:
                assert verb in PLURAL_VERBS
                checked += 1
    assert checked > 300


ACROSS_PREPOSITION = re.compile(
    r"The (\w+) (?:near|behind|beside|opposite|next to|in front of) the (\w+) (is|are|was|were) "
)


def test_verbs_agree_across_a_distractor_of_either_number(sample: list[str]) -> None:
    seen = set()
    for subject, other, verb in (
        match.groups() for sentence in sample if (match := ACROSS_PREPOSITION.match(sentence))
    ):
        if (subject in SINGULARS or subject in PLURALS) and (
            other in SINGULARS or other in PLURALS
        ):
            assert (verb in PLURAL_VERBS) == (subject in PLURALS), (subject, verb)
            seen.add((subject in PLURALS, other in PLURALS))
    assert len(seen) == 4


REFLEXIVE = re.compile(r"(?:The|No) (\w+) \w+ (himself|herself|themselves) ")


def test_reflexives_agree_with_their_subject(sample: list[str]) -> None:
    seen = set()
    for noun, reflexive in (
        match.groups() for sentence in sample if (match := REFLEXIVE.match(sentence))
    ):
        if noun in PLURALS:
            assert reflexive == "themselves"
        elif noun in SINGULARS:
            gender = SINGULARS[noun].gender
            expected = {"m": {"himself"}, "f": {"herself"}}.get(gender, {"himself", "herself"})
            assert reflexive in expected
        seen.add(reflexive)
    assert seen == {"himself", "herself", "themselves"}


def test_polarity_items_stand_under_a_negation_above_them(sample: list[str]) -> None:
    polar = [sentence for sentence in sample if re.search(r" (ever|any) ", sentence)]
    assert len(polar) > 500
    for sentence in polar:
        assert re.match(r"(No|Few) ", sentence) or re.search(
            r" (has|have) not (ever|\w+ any) ", sentence
        ), sentence


def test_a_negation_inside_a_relative_clause_licenses_nothing(sample: list[str]) -> None:
    distracted = [
        sentence
        for sentence in sample
        if re.match(r"The \w+ (that|who) (no \w+ \w+|\w+ no \w+) (has|have) ", sentence)
    ]
    assert len(distracted) > 50
    for sentence in distracted:
        assert " not " in sentence or not re.search(r" (ever|any) ", sentence)


def test_a_subordinate_clause_has_its_main_clause(sample: list[str]) -> None:
    fronted = [s for s in sample if s.split()[0] in words("subordinators")]
    with_comma = [s for s in fronted if " , " in s]
    assert 0.8 < len(with_comma) / len(fronted) < 0.97
    for sentence in with_comma:
        assert len(sentence.split(" , ", 1)[1].split()) >= 3, sentence


def test_a_comma_joins_no_two_clauses_by_itself(sample: list[str]) -> None:
    for sentence in sample:
        first = sentence.split()[0]
        if " , " in sentence and first not in words("subordinators"):
            lead, rest = sentence.split(" , ", 1)
            assert rest.split()[0] in {"and", "but"} or lead.split()[0] in {
                "On", "At", "In", "After", "Before", "During",
            }  # fmt: skip


def test_reduced_relatives_are_rarer_than_main_verbs(sample: list[str]) -> None:
    ambiguous = [s for s in sample if re.match(r"The \w+ (brought|sent|offered|handed) the ", s)]
    finite = re.compile(r" (is|are|was|were|has|have|did|does|do|will|can) ")
    reduced = [sentence for sentence in ambiguous if finite.search(sentence)]
    assert len(ambiguous) > 20
    assert len(reduced) < 0.5 * len(ambiguous)


@pytest.mark.parametrize("kind", weights("sentence"))
def test_every_kind_of_sentence_can_be_drawn(kind: str) -> None:
    grammar = Grammar(random.Random(4))  # noqa: S311 - sampling text, not secrets
    texts = {getattr(grammar, f"_{kind}_sentence")() for _ in range(50)}
    assert len(texts) > 40


@pytest.mark.parametrize(
    ("past", "plural", "form"),
    [(True, True, "were"), (True, False, "was"), (False, True, "are"), (False, False, "is")],
)
def test_be(*, past: bool, plural: bool, form: str) -> None:
    assert be(NounPhrase("", plural, "n"), past=past) == form


def test_have() -> None:
    assert [have(NounPhrase("", plural, "n")) for plural in (True, False)] == ["have", "has"]


def test_first_person_takes_its_own_forms(sample: list[str]) -> None:
    assert not [s for s in sample if re.match(r"I (is|are|were|has|does) ", s)]
    assert [s for s in sample if re.match(r"I (am|was) \w+ing ", s)]
