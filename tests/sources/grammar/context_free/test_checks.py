"""Grammars that are wrong though each of their lines is right, and counts of contrasts."""

import pytest
from hypothesis import given
from tests.sources.grammar.context_free.random_grammars import generated, grammars

from pommel.sources.grammar.context_free.checks import MANY, SiteCounts, check, example
from pommel.sources.grammar.context_free.grammar import parse_grammar

VERBS = "V_sg -> 'lacht'\nV_pl -> 'lachen'\n"
BOTH = "%contrast V_sg V_pl\n%contrast V_pl V_sg\n"


def faults_of(text: str, depth: int | None = None) -> list[str]:
    grammar = parse_grammar(text, file="x.cfg")
    faults = check(grammar, depth=depth, file="x.cfg")
    return list(map(str, sorted(faults, key=lambda fault: (fault.line, fault.column))))


def test_a_grammar_that_is_right() -> None:
    text = f"S -> NP V_sg | NP_pl V_pl\nNP -> 'er'\nNP_pl -> 'sie'\nUnused -> NP\n{VERBS}{BOTH}"
    assert faults_of(text) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "S -> 'a'",
            (
                "x.cfg: nothing is contrasted; write %contrast V_sg V_pl, or %contrast 'terminal' "
                "'terminal'"
            ),
        ),
        (
            f"S -> NP V_sg\nNP -> 'er' | NP PP\nPP -> 'mit' NP\n{VERBS}%contrast V_sg V_pl",
            (
                "x.cfg:2:14: sentences have no end: NP -> NP; give a depth (--depth N), or take "
                "the recursion out"
            ),
        ),
        (
            f"S -> NP V_sg\nNP -> 'er' | 'er' PP\nPP -> 'mit' NP\n{VERBS}%contrast V_sg V_pl",
            (
                "x.cfg:3:13: sentences have no end: NP -> PP -> NP; give a depth (--depth N), or "
                "take the recursion out"
            ),
        ),
        (
            f"S -> NP V_sg\nNP -> 'er' PP\nPP -> 'mit' NP\n{VERBS}%contrast V_sg V_pl",
            (
                "x.cfg:2:7: no string comes of NP: each alternative leads back to it, NP -> PP -> "
                "NP; write an alternative that comes to an end"
            ),
        ),
        (
            f"S -> 'er' V_sg\n{VERBS}{BOTH}",
            "x.cfg:5:11: no sentence of S has V_pl; leave its contrast out",
        ),
        (
            f"S -> 'er' V_sg\n{VERBS}%contrast V_sg V_pl\n%contrast 'mich' 'sich'",
            "x.cfg:5:11: no sentence of S has 'mich'; leave its contrast out",
        ),
        (
            f"S -> 'er' V_sg\n{VERBS}%contrast V_sg V_pl\n%contrast 'ers' 'sich'",
            "x.cfg:5:11: no sentence of S has 'ers'; did you mean 'er'?",
        ),
        # The place is that of the alternative that lacks one, not that of all sentences with it.
        (
            f"S -> NP VP '.'\nNP -> 'er'\nVP -> V_sg | 'schläft'\n{VERBS}%contrast V_sg V_pl",
            (
                "x.cfg:3:14: a sentence with this alternative has no contrast: 'er schläft .'; "
                "name one of its symbols in %contrast"
            ),
        ),
        (
            f"S -> NP V_sg\nNP -> 'er' | 'wer' RC\nRC -> 'da' V_sg\n{VERBS}%contrast V_sg V_pl",
            (
                "x.cfg:2:14: a sentence with this alternative has more than one contrast: 'wer da "
                "[lacht] [lacht]'; sets differ in one place; give what is not to change a symbol "
                "of its own"
            ),
        ),
        (
            f"S -> V_sg V_sg\n{VERBS}%contrast V_sg V_pl",
            (
                "x.cfg:1:6: a sentence with this alternative has more than one contrast: '[lacht] "
                "[lacht]'; sets differ in one place; give what is not to change a symbol of its own"
            ),
        ),
        # It is deeper than sentences of a depth would be.
        (
            f"S -> 'dass' S | V_sg |\n{VERBS}%contrast V_sg V_pl",
            (
                "x.cfg:1:22: a sentence with this alternative has no contrast: ''; name one of its "
                "symbols in %contrast"
            ),
        ),
    ],
)
def test_what_is_wrong(text: str, fault: str) -> None:
    depth = None if "no end" in fault else 3
    assert faults_of(text, depth) == [fault]


def test_two_symbols_that_vary_are_blamed_on_what_joins_them() -> None:
    text = "S -> A B 'x'\nA -> 'a' | 'b'\nB -> 'a' | 'c'\n%contrast 'a' 'd'"
    assert [each.partition("; ")[0] for each in faults_of(text)] == [
        "x.cfg:1:6: a sentence with this alternative has no contrast: 'b c x'",
        "x.cfg:1:6: a sentence with this alternative has more than one contrast: '[a] [a] x'",
    ]


def test_all_faults_are_reported_at_once() -> None:
    text = (
        "S -> NP V_sg | 'schläft' | NP V_sg V_sg\nNP -> 'er' | NP PP\nPP -> 'mit' NP\n"
        f"{VERBS}%contrast V_sg V_pl\n%contrast 'mich' 'sich'"
    )
    assert [each.partition("; ")[0] for each in faults_of(text)] == [
        "x.cfg:1:16: a sentence with this alternative has no contrast: 'schläft'",
        (
            "x.cfg:1:28: a sentence with this alternative has more than one contrast: 'er [lacht] "
            "[lacht]'"
        ),
        "x.cfg:2:14: sentences have no end: NP -> NP",
        "x.cfg:7:11: no sentence of S has 'mich'",
    ]


@given(grammars(recursive=False))
def test_a_grammar_is_right_if_each_sentence_has_one_contrast(rules: str) -> None:
    sentences = generated(rules)
    text = f"{rules}\n%contrast 'a' 'b'"
    right = all(each.split().count("a") == 1 for each in sentences)
    found = faults_of(text)
    assert right == (not found)
    for each in found:
        if "this alternative has" in each:
            text = each.partition(": '")[2].partition("'; ")[0]
            assert text.endswith("...") or text.replace("[a]", "a") in sentences
            assert text.count("[a]") != 1


def n_contrasts(sentence: str) -> int:
    return min(MANY, sentence.split().count("a"))


@given(grammars(recursive=False))
def test_all_counts_that_sentences_have_and_an_example_of_each(rules: str) -> None:
    text = f"{rules}\n%contrast 'a' 'b'"
    grammar = parse_grammar(text, file="x.cfg")
    counts = SiteCounts(grammar)
    sentences = generated(rules)
    assert {*counts.of(grammar.start)} == {n_contrasts(each) for each in sentences}
    for count in counts.of(grammar.start):
        text = example(counts.of(grammar.start)[count][1])
        if not text.endswith("..."):
            assert text.replace("[a]", "a") in sentences
            assert min(MANY, text.count("[a]")) == count


@given(grammars(recursive=True))
def test_recursive_grammars_have_the_counts_of_their_shallow_sentences(rules: str) -> None:
    grammar = parse_grammar(f"{rules}\n%contrast 'a' 'b'", file="x.cfg")
    counts = SiteCounts(grammar)
    found = {n_contrasts(each) for each in generated(rules, depth=4)}
    assert found <= {*counts.of(grammar.start)}
    for count in counts.of(grammar.start):
        text = example(counts.of(grammar.start)[count][1])
        assert text.endswith("...") or min(MANY, text.count("[a]")) == count


def test_a_symbol_of_which_nothing_comes_has_no_counts() -> None:
    grammar = parse_grammar("S -> S 'x' | A\nA -> A", file="x.cfg")
    assert not SiteCounts(grammar).of(grammar.start)


def test_an_example_that_doubles_with_each_rule_is_cut() -> None:
    rules = "\n".join(f"A{n} -> A{n + 1} A{n + 1}" for n in range(200))
    grammar = parse_grammar(f"{rules}\nA200 -> 'x'\n%contrast 'x' 'y'", file="x.cfg")
    counts = SiteCounts(grammar)
    assert [*counts.of(grammar.start)] == [MANY]
    assert example(counts.of(grammar.start)[MANY][1]) == f"{'[x] ' * 24}..."


def test_a_contrasted_symbol_is_shown_as_one() -> None:
    grammar = parse_grammar(
        "S -> 'er' V\nV -> 'hat' 'gelacht'\nW -> 'x'\n%contrast V W", file="x.cfg"
    )
    counts = SiteCounts(grammar)
    assert [*counts.of(grammar.start)] == [1]
    assert example(counts.of(grammar.start)[1][1]) == "er [hat gelacht]"
