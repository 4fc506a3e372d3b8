"""How many contrasts there may be, against all sentences that NLTK generates."""

from hypothesis import given
from tests.sources.grammar.context_free.random_grammars import generated, grammars

from pommel.sources.grammar.context_free.checks import MANY, SiteCounts
from pommel.sources.grammar.context_free.grammar import parse_grammar


def counts_of(text: str) -> SiteCounts:
    return SiteCounts(parse_grammar(text, file="x.cfg"))


def n_contrasts(sentence: str) -> int:
    return min(MANY, sentence.split().count("a"))


@given(grammars(recursive=False))
def test_all_counts_that_sentences_have_and_an_example_of_each(rules: str) -> None:
    text = f"{rules}\n%contrast 'a' 'b'"
    grammar = parse_grammar(text, file="x.cfg")
    counts = SiteCounts(grammar)
    sentences = generated(rules)
    assert counts.of(grammar.start) == {n_contrasts(each) for each in sentences}
    for count in counts.of(grammar.start):
        example = counts.example([(grammar.start, count)])
        if not example.endswith("..."):
            assert example.replace("[a]", "a") in sentences
            assert min(MANY, example.count("[a]")) == count


@given(grammars(recursive=True))
def test_recursive_grammars_have_the_counts_of_their_shallow_sentences(rules: str) -> None:
    grammar = parse_grammar(f"{rules}\n%contrast 'a' 'b'", file="x.cfg")
    counts = SiteCounts(grammar)
    found = {n_contrasts(each) for each in generated(rules, depth=4)}
    assert found <= counts.of(grammar.start)
    for count in counts.of(grammar.start):
        example = counts.example([(grammar.start, count)])
        assert example.endswith("...") or min(MANY, example.count("[a]")) == count


def test_a_symbol_of_which_nothing_comes_has_no_counts() -> None:
    grammar = parse_grammar("S -> S 'x' | A\nA -> A", file="x.cfg")
    assert SiteCounts(grammar).of(grammar.start) == frozenset()


def test_an_example_that_doubles_with_each_rule_is_cut() -> None:
    rules = "\n".join(f"A{n} -> A{n + 1} A{n + 1}" for n in range(200))
    grammar = parse_grammar(f"{rules}\nA200 -> 'x'\n%contrast 'x' 'y'", file="x.cfg")
    counts = SiteCounts(grammar)
    assert counts.of(grammar.start) == {MANY}
    assert counts.example([(grammar.start, MANY)]) == f"{'[x] ' * 24}..."


def test_a_contrasted_symbol_is_shown_as_one() -> None:
    grammar = parse_grammar(
        "S -> 'er' V\nV -> 'hat' 'gelacht'\nW -> 'x'\n%contrast V W", file="x.cfg"
    )
    counts = SiteCounts(grammar)
    assert counts.of(grammar.start) == {1}
    assert counts.example([(grammar.start, 1)]) == "er [hat gelacht]"
