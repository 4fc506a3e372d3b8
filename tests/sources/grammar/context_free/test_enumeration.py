"""All sets one after another: the same as one by one, however many are written out at once."""

import itertools

from hypothesis import given
from hypothesis import strategies as st
from tests.sources.grammar.context_free.random_grammars import generated, grammars

from pommel.sources.grammar.context_free.derivations import Derivations
from pommel.sources.grammar.context_free.grammar import parse_grammar
from pommel.sources.grammar.context_free.source import Enumeration, minimal_set

# None of these is the contrast.
OTHERS = ("'b'", "'der Mann'", '"c"', "''")


def around(left: str, right: str) -> str:
    """Return rules of which each sentence has one contrast, in the middle."""
    rename = {name: f"{name}2" for name in ("S", "NP", "N1", "V^x", "P/Q")}
    lines = []
    for line in right.splitlines():
        words = line.replace("'der Mann'", "'dem'").split(" ")
        lines.append(" ".join(rename.get(each, each) for each in words))
    return "\n".join(["Top -> S V S2 | V", "V -> 'x' | 'u v'", left, *lines])


@given(
    grammars(recursive=False, terminals=OTHERS),
    grammars(recursive=True, terminals=OTHERS),
    st.integers(2, 5),
    st.integers(1, 40),
)
def test_every_set_in_the_order_of_nltk(left: str, right: str, depth: int, most: int) -> None:
    rules = around(left, right)
    text = f"{rules}\nW -> 'y z' | ''\n%contrast V W"
    derivations = Derivations(parse_grammar(text, file="x.cfg"), depth)
    if derivations.n_sets > 2000:
        return
    sets = list(Enumeration(derivations, most_strings=most))
    assert [each.grammatical for each in sets] == generated(rules, depth)
    ungrammatical = {"x": ("y z",), "u v": ("",)}
    assert all(each.others == ungrammatical[each.form] for each in sets)
    one_by_one = [
        minimal_set(derivations.string(derivations.start, n)) for n in range(derivations.n_sets)
    ]
    assert sets == one_by_one


def test_the_first_of_very_many() -> None:
    words = " | ".join(f"'w{n}'" for n in range(100))
    text = f"S -> {'N ' * 30} V {'N ' * 5}\nN -> {words}\nV -> 'x'\nW -> 'y'\n%contrast V W"
    derivations = Derivations(parse_grammar(text, file="x.cfg"), None)
    assert derivations.n_sets == 10**70
    first = list(itertools.islice(Enumeration(derivations), 12_000))
    assert first[-1].after == "w0 w0 w1 w19 w99"
    for index in (0, 1, 5000, 11_999):
        assert first[index] == minimal_set(derivations.string(derivations.start, index))


def test_each_iteration_begins_anew() -> None:
    text = "S -> N V\nN -> 'a' | 'b'\nV -> 'x'\nW -> 'y'\n%contrast V W"
    enumeration = Enumeration(Derivations(parse_grammar(text, file="x.cfg"), None))
    assert list(enumeration) == list(enumeration)
    assert len(list(enumeration)) == 2


def test_a_deep_grammar() -> None:
    text = "S -> 'a' S | 'b' S | V\nV -> 'x'\nW -> 'y'\n%contrast V W"
    derivations = Derivations(parse_grammar(text, file="x.cfg"), 300)
    first = next(iter(Enumeration(derivations)))
    assert first.before.split() == ["a"] * 297
