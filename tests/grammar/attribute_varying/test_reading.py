"""Attribute-varying grammars from text, and everything that can be wrong with them."""

from pathlib import Path

import pytest

from pommel.errors import GrammarError, InputError
from pommel.grammar.attribute_varying.reading import parse_grammar, read_grammar
from pommel.grammar.attribute_varying.tree import AttributeGrammar, Preterminal

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
    grammar = read_grammar(case)
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
    assert faults_of(line) == [f"1.avg:{fault}"]


def test_a_name_may_begin_like_vary() -> None:
    grammar = parsed("vary : varying[]\nS[] a varying[s]\nvarying[s] x\nvarying[p] y\n")
    assert [each.name for each in grammar.vary] == ["varying"]


def test_all_faults_are_reported_at_once() -> None:
    found = faults_of("N foo\nS[] V[s\n", "V[s] |\n")
    assert [each.partition(": ")[0] for each in found] == ["1.avg:1:1", "1.avg:2:6", "2.avg:1:6"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "# nothing",
            "1.avg: there is no template; write one: S[] NAME[attributes] NAME[attributes]",
        ),
        (
            "S[] a V[s]\nV[s] x",
            "1.avg: nothing is varied; write which symbol is: vary: NAME[]",
        ),
        # The published program forgets what was before the unknown symbol, and goes on.
        (
            "vary: V[]\nS[] a V[s,3] b\nV[s] x",
            "1.avg:2:7: there is no rule for V[3,s]; did you mean V[s]?",
        ),
        (
            "vary: V[]\nS[] W[] V[s]\nV[s] x",
            "1.avg:2:5: there is no rule for W[]; there is V[s]",
        ),
        # The published program writes an empty file.
        (
            "vary: N[]\nS[] a V[s]\nV[s] x",
            "1.avg:1:7: no template has a symbol that vary: N[] concerns; templates have V",
        ),
        (
            "vary: V[p]\nS[] a V[s]\nV[s] x",
            "1.avg:1:7: no template has a symbol that vary: V[p] concerns; templates have V[s]",
        ),
        (
            "vary: V[]\nS[] a V[s]\nS[] a W[]\nV[s] x\nV[p] y\nW[] w",
            (
                "1.avg:3:5: nothing of this template is varied, so that no sentence would come of "
                "it; name one of its symbols in vary:"
            ),
        ),
        # The published program calls a sentence grammatical if its last varied word is.
        (
            "vary: V[]\nS[] a V[s] b V[p]\nV[s] x\nV[p] y",
            (
                "1.avg:2:14: this template varies V[s] and V[p]: an ambiguous contrast; sets "
                "differ in one symbol; name the other one differently, or vary it elsewhere"
            ),
        ),
        # The published program dies of it, or ignores what is too much.
        (
            "vary: V[]\nS[] a V[s]\nV[s] x | z\nV[p] y",
            (
                "1.avg:4:1: V[p] has 1 alternative, V[s] has 2; the lists must run parallel: the "
                "nth of each are forms of one word"
            ),
        ),
    ],
)
def test_grammars_that_are_wrong_though_each_line_is_right(text: str, fault: str) -> None:
    assert faults_of(text) == [fault]
