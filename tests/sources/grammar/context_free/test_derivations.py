"""How many derivations there are, and each by its number, against NLTK."""

import itertools

from hypothesis import given, strategies as st
from tests.sources.grammar.context_free.random_grammars import generated, grammars

from pommel.sources.grammar.context_free.derivations import (
    MOST_NODES,
    MOST_SETS,
    Derivations,
    least_depth,
)
from pommel.sources.grammar.context_free.grammar import parse_grammar


def derivations_of(text: str, depth: int | None = None) -> Derivations:
    return Derivations(parse_grammar(text, file="x.cfg"), depth)


def sentences_of(derivations: Derivations) -> list[str]:
    strings = (derivations.string(derivations.start, n) for n in range(derivations.n_sets))
    return [before.strip() for before, _, _ in strings]


@given(grammars(recursive=False))
def test_all_of_them_in_the_order_of_nltk(rules: str) -> None:
    assert sentences_of(derivations_of(rules)) == generated(rules)


@given(grammars(recursive=False), st.integers(-1, 8))
def test_a_depth_means_what_it_means_in_nltk(rules: str, depth: int) -> None:
    assert sentences_of(derivations_of(rules, depth)) == generated(rules, depth)


@given(grammars(recursive=True), st.integers(0, 4))
def test_a_depth_of_recursive_grammars(rules: str, depth: int) -> None:
    derivations = derivations_of(rules, depth)
    # NLTK refuses to make more than a million steps.
    if derivations.n_sets <= 2000:
        assert sentences_of(derivations) == generated(rules, depth)


@given(grammars(recursive=False))
def test_the_least_depth_is_the_first_that_has_sentences(rules: str) -> None:
    least = least_depth(parse_grammar(rules, file="x.cfg"))
    assert not generated(rules, least - 1)
    assert generated(rules, least)


@given(grammars(recursive=True), st.integers(0, 4))
def test_leaves_are_the_words_of_the_sentences(rules: str, depth: int) -> None:
    derivations = derivations_of(rules, depth)
    if derivations.n_sets <= 2000:
        words = {word for each in sentences_of(derivations) for word in each.split()}
        leaves = " ".join(leaf.string[0] for leaf in derivations.leaves())
        assert {*leaves.split()} == words


def test_counts_are_products_and_sums() -> None:
    forms = [[f"'w{n}.{i}'" for i in range(10)] for n in range(60)]
    lists = "\n".join(f"W{n} -> {' | '.join(each)}" for n, each in enumerate(forms))
    row = " ".join(f"W{n}" for n in range(60))
    derivations = derivations_of(f"S -> {row} | W0 W1\n{lists}")
    assert derivations.n_sets == 10**60 + 100
    number = 123456789 * 10**51
    expected = [*"123456789", *["0"] * 51]
    words = derivations.string(derivations.start, number)[0].split()
    assert words == [f"w{n}.{digit}" for n, digit in enumerate(expected)]
    assert derivations.string(derivations.start, 10**60 + 37)[0].split() == ["w0.3", "w1.7"]


def test_numbers_that_are_too_large_do_not_grow() -> None:
    derivations = derivations_of("S -> S S | 'a' | 'b'", 1000)
    assert derivations.n_sets > MOST_SETS
    doubling = "\n".join(f"A{n} -> A{n + 1} A{n + 1}" for n in range(300))
    derivations = derivations_of(f"{doubling}\nA300 ->")
    assert derivations.n_sets == 1
    assert derivations.n_nodes > MOST_NODES


def test_a_deep_derivation() -> None:
    derivations = derivations_of("S -> 'a' S | 'b'", 1000)
    assert derivations.n_sets == 999
    # The deepest one comes first.
    assert [each.count("a") for each in itertools.islice(sentences_of(derivations), 3)] == [
        998,
        997,
        996,
    ]


def test_many_rules_above_one_another() -> None:
    chain = "\n".join(f"A{n} -> A{n + 1}" for n in range(3000))
    assert sentences_of(derivations_of(f"{chain}\nA3000 -> 'x' | 'y'")) == ["x", "y"]
