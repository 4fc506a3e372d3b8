"""Attribute-varying grammars from text, and everything that can be wrong with them."""

from pathlib import Path

import pytest

from pommel.errors import GrammarError, InputError
from pommel.sources.grammar.attribute_varying import (
    AttributeGrammar,
    Preterminal,
    parse_grammar,
    read_grammar,
)

PUBLISHED = """\
# verbs agree
vary: V[]

S[] le N[s] V[s,3]
S[] les N[p] V[3,p]
N[s] chat | chauffeur de taxi
N[p] chats| chauffeurs de taxi
V[3,s] dort | est vieux
V[3,p]  dorment  |  sont vieux
"""
ARROWS = """\
vary: V[ ]
S -> le N[s] V[s, 3] | les N[p] V[3,p]
N[s] -> chat | chauffeur de taxi
N[p] -> chats | chauffeurs de taxi
V[3, s] -> dort | est vieux
V[3, p] -> dorment | sont vieux
"""


def parsed(*texts: str) -> AttributeGrammar:
    return parse_grammar([(text, f"{number}.avg") for number, text in enumerate(texts, start=1)])


def faults_of(*texts: str) -> list[str]:
    with pytest.raises(GrammarError) as caught:
        parsed(*texts)
    return str(caught.value).splitlines()


def shape(grammar: AttributeGrammar) -> object:
    """Return what a grammar says, without where it says so."""
    templates = [
        [str(symbol.preterminal) if symbol.preterminal else symbol.text for symbol in each.symbols]
        for each in grammar.templates
    ]
    lists = {str(name): each.texts for name, each in grammar.alternatives.items()}
    return templates, lists, [(each.name, each.attributes) for each in grammar.vary]


def test_the_published_files_and_the_papers_arrows_say_the_same() -> None:
    grammar = parsed(PUBLISHED)
    assert shape(grammar) == shape(parsed(ARROWS))
    assert shape(grammar) == (
        [["le", "N[s]", "V[3,s]"], ["les", "N[p]", "V[3,p]"]],
        {
            "N[s]": ("chat", "chauffeur de taxi"),
            "N[p]": ("chats", "chauffeurs de taxi"),
            "V[3,s]": ("dort", "est vieux"),
            "V[3,p]": ("dorment", "sont vieux"),
        },
        [("V", frozenset())],
    )


def test_attributes_are_a_set() -> None:
    one = Preterminal(name="V", attributes=frozenset({"s", "3"}))
    assert one in parsed(PUBLISHED).alternatives


def test_places_are_those_in_the_file() -> None:
    symbol = parsed(PUBLISHED).templates[1].symbols[2]
    assert (symbol.text, symbol.place.file) == ("V[3,p]", "1.avg")
    assert (symbol.place.line, symbol.place.column) == (5, 14)


def test_rules_of_several_files_add_up(tmp_path: Path) -> None:
    (tmp_path / "common.avg").write_text("N[s] chat\nV[s] dort\nV[p] dorment\n", "utf-8")
    case = tmp_path / "simple.avg"
    case.write_text("vary: V[]\nS[] le N[s] V[s]\nN[s] élève\n", "utf-8")
    grammar, _ = read_grammar(case)
    assert shape(grammar) == (
        [["le", "N[s]", "V[s]"]],
        {"N[s]": ("chat", "élève"), "V[s]": ("dort",), "V[p]": ("dorment",)},
        [("V", frozenset())],
    )
    # By itself the common part is no grammar, and without it the other one is not complete.
    with pytest.raises(GrammarError, match=r"common\.avg: there is no template"):
        read_grammar(tmp_path / "common.avg")
    (tmp_path / "common.avg").unlink()
    with pytest.raises(GrammarError, match=r"simple\.avg:2:13: there is no rule for V\[s\]"):
        read_grammar(case)


def test_a_file_that_is_not_there_or_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "x.avg"
    with pytest.raises(InputError, match=r"x\.avg: No such file or directory$"):
        read_grammar(path)
    path.write_bytes("S[] élève".encode("latin-1"))
    with pytest.raises(InputError, match=r"x\.avg:1:5: the byte 0xe9 is not UTF-8"):
        read_grammar(path)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("vary V[]", "1:1: vary has no colon; write vary: NAME[attributes]"),
        (
            "vary: V[] ; [x]",
            (
                "1:13: '[x]' names nothing that could be varied; write NAME[attributes], several "
                "with ; between"
            ),
        ),
        (
            "S[] Det[s] V[s",
            (
                "1:13: this bracket has no partner; write NAME[attribute,attribute], with nothing "
                "between name and bracket"
            ),
        ),
        (
            "N[s] a b ]",
            (
                "1:10: this bracket has no partner; write NAME[attribute,attribute], with nothing "
                "between name and bracket"
            ),
        ),
        ("S[]", "1:4: nothing follows the name; write what it may be: NAME[attributes] a | b"),
        ("V[s] ->", "1:8: nothing follows the name; write what it may be: NAME[attributes] a | b"),
        (
            "N[s] a || b",
            "1:9: there is nothing between two |; take one of them away, or write a word",
        ),
        (
            "N[s] a |",
            "1:9: there is nothing between two |; take one of them away, or write a word",
        ),
        ("N foo", "1:1: 'N' has no brackets; write N[], or N[attributes]"),
        # The published program dies of it, with a TypeError.
        (
            "N[s] V[s] | x",
            (
                "1:6: N[s] is made of V[s]; only S[] may be made of preterminals; write out what "
                "it stands for"
            ),
        ),
    ],
)
def test_lines_that_are_wrong(line: str, fault: str) -> None:
    others = "vary: V[]\nS[] a V[s]\nV[s] x\nV[p] y"
    assert faults_of(f"{line}\n{others}") == [f"1.avg:{fault}"]


def test_a_name_may_begin_like_vary() -> None:
    grammar = parsed("vary : varying[]\nS[] a varying[s]\nvarying[s] x\nvarying[p] y\n")
    assert [each.name for each in grammar.vary] == ["varying"]


def test_all_faults_are_reported_at_once() -> None:
    found = faults_of("N foo\nS[] V[s\n", "V[s] |\n")
    assert [each.partition(": ")[0] for each in found] == ["1.avg:1:1", "1.avg:2:6", "2.avg:1:6"]


def test_lines_that_are_wrong_hide_no_others() -> None:
    # Of W and V nothing is known, as their lines cannot be read.
    text = "vary: V[]\nvary: X[]\nS[] a Q[s] W[s] V[s]\nW[s] ]\nV[s] x |\nV[p] y\nR[s] a || b\n"
    assert faults_of(text) == [
        "1.avg:2:7: no template has a symbol that vary: X[] concerns; templates have Q, W, V",
        "1.avg:3:7: there is no rule for Q[s]; there is V[p]",
        (
            "1.avg:4:6: this bracket has no partner; write NAME[attribute,attribute], with nothing "
            "between name and bracket"
        ),
        "1.avg:5:9: there is nothing between two |; take one of them away, or write a word",
        "1.avg:7:9: there is nothing between two |; take one of them away, or write a word",
    ]


def test_lines_end_where_editors_end_them() -> None:
    text = "vary: V[]\rS[] a\u2028b V[s]\r\nV[s] x\x85y\nV[p] y\nbad"
    assert faults_of(text) == [
        "1.avg:5:4: nothing follows the name; write what it may be: NAME[attributes] a | b"
    ]
    assert parsed(text.removesuffix("bad")).templates[0].symbols[1].text == "b"
