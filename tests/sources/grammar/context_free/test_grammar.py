"""Context-free grammars as they are read, and what is wrong with their lines and names."""

import pytest
from hypothesis import given, settings, strategies as st
from nltk.grammar import CFG, Nonterminal

from pommel.errors import Place
from pommel.sources.grammar.context_free.grammar import (
    ContextFreeGrammar,
    Symbol,
    cycles,
    heights,
    logical_lines,
    parse_grammar,
)
from pommel.sources.grammar.source import GrammarError

GRAMMAR = """\
# subjects agree with their verbs
S -> NP_sg V_sg | NP_pl V_pl
  NP_sg -> 'der Mann' | "das  Kind" \\
    | Det N
NP_pl -> "Rita's Kinder"
Det->x -> 'the'
Det -> 'ein' |
N -> 'Autor'
%start S
N -> 'Gärtner'
V_sg -> 'lacht'
V_pl -> 'lachen'
%contrast V_sg V_pl
%contrast V_pl V_sg
%contrast 'der Mann' 'des Mannes' 'den Mann'
"""


def faults_of(text: str) -> list[str]:
    with pytest.raises(GrammarError) as caught:
        parse_grammar(text, file="x.cfg")
    return str(caught.value).splitlines()


def productions(grammar: ContextFreeGrammar) -> list[tuple[str, list[str]]]:
    return [
        (str(left), [str(each) for each in alternative.symbols])
        for left, alternatives in grammar.rules.items()
        for alternative in alternatives
    ]


def test_what_a_grammar_says() -> None:
    grammar = parse_grammar(GRAMMAR, file="x.cfg")
    assert str(grammar.start) == "S"
    assert productions(grammar) == [
        ("S", ["NP_sg", "V_sg"]),
        ("S", ["NP_pl", "V_pl"]),
        ("NP_sg", ["'der Mann'"]),
        ("NP_sg", ["'das Kind'"]),
        ("NP_sg", ["Det", "N"]),
        ("NP_pl", ['"Rita\'s Kinder"']),
        ("Det->x", ["'the'"]),
        ("Det", ["'ein'"]),
        ("Det", []),
        ("N", ["'Autor'"]),
        ("N", ["'Gärtner'"]),
        ("V_sg", ["'lacht'"]),
        ("V_pl", ["'lachen'"]),
    ]
    assert [[*map(str, each)] for each in grammar.contrasts] == [
        ["V_sg", "V_pl"],
        ["V_pl", "V_sg"],
        ["'der Mann'", "'des Mannes'", "'den Mann'"],
    ]


def test_places_are_those_in_the_file() -> None:
    grammar = parse_grammar(GRAMMAR, file="x.cfg")
    rules = {str(left): alternatives for left, alternatives in grammar.rules.items()}
    assert [(each.place.line, each.place.column) for each in rules["NP_sg"]] == [
        (3, 12),
        (3, 25),
        (4, 7),
    ]
    empty = rules["Det"][1]
    assert (empty.place.file, empty.place.line, empty.place.column) == ("x.cfg", 7, 14)


def test_the_first_rule_is_where_sentences_start() -> None:
    assert str(parse_grammar("A -> B\nB -> 'b'\n", file="x.cfg").start) == "A"
    assert str(parse_grammar("A -> B\nB -> 'b'\n%start B\n", file="x.cfg").start) == "B"


def test_a_symbol_is_the_same_wherever_it_stands() -> None:
    grammar = parse_grammar("S -> A A\nA -> 'x'", file="x.cfg")
    (alternative,) = grammar.rules[grammar.start]
    first, second = alternative.symbols
    assert first.place != second.place
    assert {first, second} == {Symbol(place=first.place, text="A", is_terminal=False)}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "S NP VP",
            "1:3: there is no arrow behind 'S'; write NAME -> NAME 'terminal' | 'terminal'",
        ),
        ("S", "1:2: there is no arrow behind 'S'; write NAME -> NAME 'terminal' | 'terminal'"),
        ("S->NP VP", "1:7: 'S->NP' is one name, in which -> may stand; put a space in front of ->"),
        (
            "'a' -> NP",
            (
                "1:1: the left side of a rule is a nonterminal, not a terminal; write NAME -> NAME "
                "'terminal' | 'terminal'"
            ),
        ),
        (
            "-> NP",
            (
                "1:1: there is nothing in front of the arrow; write NAME -> NAME 'terminal' | "
                "'terminal'"
            ),
        ),
        (
            "§5 -> NP",
            (
                "1:1: '§5' is no nonterminal; names are made of letters, digits and _ / ^ < > -, "
                "and terminals stand in straight quotes"
            ),
        ),
        ("S -> 'der Mann", "1:6: this quote is not closed: 'der Mann; write ' behind the terminal"),
        ("S -> \"Rita's", '1:6: this quote is not closed: "Rita\'s; write " behind the terminal'),
        ("'S -> A", "1:1: this quote is not closed: 'S -> A; write ' behind the terminal"),
        (
            "S -> 'a' [0.25] | 'b' [.75]",
            "1:10: [0.25] is a probability: all sentences are generated; take it away",
        ),
        ("S -> 'a' # why", "1:10: a comment stands behind a rule; write it on a line of its own"),
        (
            "S -> 'a' S -> 'b'",
            "1:12: there is a second arrow; write each rule on a line of its own",
        ),
        (
            "S -> 'a' , 'b'",
            (
                "1:10: ',' has no place here; names are made of letters, digits and _ / ^ < > -, "
                "and terminals stand in straight quotes"
            ),
        ),
        # The place is that in the file, not in the line that two lines make.
        (
            "S -> 'a' \\\n   [x",
            (
                "2:4: '[x' has no place here; names are made of letters, digits and _ / ^ < > -, "
                "and terminals stand in straight quotes"
            ),
        ),
        # NLTK forgets the rule.
        (
            "S -> 'a'\nA -> 'b' \\",
            "2:10: a backslash continues the line, but none follows; take it away",
        ),
        ("%", "1:1: % is no directive by itself; there is %start and %contrast"),
        ("%stat S\nS -> 'a'", "1:1: there is no directive %stat; did you mean %start?"),
        ("%x S\nS -> 'a'", "1:1: there is no directive %x; there is %start and %contrast"),
        (
            "%start\nS -> 'a'",
            (
                "1:1: %start names no symbol, or not only one nonterminal; write %start and one "
                "nonterminal"
            ),
        ),
        (
            "%start S S\nS -> 'a'",
            (
                "1:1: %start names no symbol, or not only one nonterminal; write %start and one "
                "nonterminal"
            ),
        ),
        (
            "%start 'a'\nS -> 'a'",
            (
                "1:1: %start names no symbol, or not only one nonterminal; write %start and one "
                "nonterminal"
            ),
        ),
        # NLTK forgets the first one.
        (
            "%start S\nS -> A\nA -> 'a'\n%start A",
            "4:1: %start is given twice: S and A; leave one of them out",
        ),
        (
            "S -> V\nV -> 'a'\n%contrast V",
            (
                "3:1: %contrast lacks what a symbol is contrasted with; write %contrast V_sg V_pl, "
                "or %contrast 'terminal' 'terminal'"
            ),
        ),
        (
            "S -> V\nV -> 'a'\n%contrast V 'b'",
            (
                "3:13: V is contrasted with 'b': a terminal and a nonterminal; write %contrast "
                "V_sg V_pl, or %contrast 'terminal' 'terminal'"
            ),
        ),
        (
            "S -> V\nV -> 'a'\n%contrast V V",
            "3:13: V is contrasted with itself; name the one that is ungrammatical in its place",
        ),
        ("# nothing", "there is no rule; write one: S -> NP VP"),
        ("%start S", "there is no rule; write one: S -> NP VP"),
    ],
)
def test_lines_that_are_wrong(text: str, fault: str) -> None:
    separator = ":" if fault[0].isdigit() else ": "
    assert faults_of(text) == [f"x.cfg{separator}{fault}"]


def test_all_faults_of_each_step_are_reported_at_once() -> None:
    text = "S -> NP V\nN -> 'a\n%contrast V\nNP -> N Nn\nV [x\n"
    assert [each.partition("; ")[0] for each in faults_of(text)] == [
        "x.cfg:2:6: this quote is not closed: 'a",
        "x.cfg:3:1: %contrast lacks what a symbol is contrasted with",
        "x.cfg:5:3: there is no arrow behind 'V'",
    ]
    text = "S -> NP V\nN -> 'a'\n%contrast V W\nNP -> N Nn\n"
    assert [each.partition("; ")[0] for each in faults_of(text)] == [
        "x.cfg:1:9: there is no rule for V",
        "x.cfg:3:11: there is no rule for V",
        "x.cfg:3:13: there is no rule for W",
        "x.cfg:4:9: there is no rule for Nn",
    ]


PIECES = [
    *("S", "NP", "S NP", "S -> ", "NP -> ", "->", " -> ", "|", " | "),
    *(" ", "\t", "\n", "\n", "\r\n"),
    *("'a'", '"b c"', "''", "'", '"', "\\\n", "\\", "#", "# x", "[0.5]", "^", "<", "-", "/", "_"),
    *("%start S", "%start NP", "%start ", "%", "ä", "7", ",", "\u2028"),
]


def nltk_reads(text: str) -> list[tuple[str, list[str]]] | None:
    """Return start symbol and productions as NLTK reads them; None if it does not."""
    try:
        grammar = CFG.fromstring(text)
    except ValueError:
        return None
    lefts = dict.fromkeys(each.lhs() for each in grammar.productions())
    return [(str(grammar.start()), [])] + [
        (str(left), [_shown(each) for each in production.rhs()])
        for left in lefts
        for production in grammar.productions(lhs=left)
    ]


def _shown(symbol: Nonterminal | str) -> str:
    if isinstance(symbol, Nonterminal):
        return str(symbol)
    words = " ".join(symbol.split())
    return f'"{words}"' if "'" in words else f"'{words}'"


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_what_nltk_reads_is_read_alike(text: str) -> None:
    expected = nltk_reads(text)
    lines = [line.strip() for line in text.split("\n")]
    # What NLTK loses: all but the last %start, and a line that is continued by none.
    lost = text.count("%start") > 1 or (lines[-1].endswith("\\"))
    if expected is None or lost:
        # A line may begin with a backslash; nothing is lost by it.
        if not any(line == "\\" for line in lines):
            with pytest.raises(GrammarError):
                parse_grammar(text, file="x.cfg")
        return
    (start, _), *rules = expected
    lefts = {left for left, _ in rules}
    named = {each for _, right in rules for each in right if each[0] not in "'\""}
    if {start} | named <= lefts:
        grammar = parse_grammar(text, file="x.cfg")
        assert (str(grammar.start), productions(grammar)) == (start, rules)
    else:
        assert any("there is no rule for" in each for each in faults_of(text))


AGREEMENT = "S -> NP V_sg\nNP -> 'er'\nV_sg -> 'lacht' | 'singt'\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("S -> NP_sg\nNP_pl -> 'x'", "1:6: there is no rule for NP_sg; did you mean NP_pl?"),
        (
            "S -> lacht\n",
            "1:6: there is no rule for lacht; write one, or quotes if it is a terminal",
        ),
        # A rule that is not used may be shared with others, but has to be a rule.
        (
            "S -> 'a'\nX -> Y",
            "2:6: there is no rule for Y; write one, or quotes if it is a terminal",
        ),
        (
            "%start np\nNP -> 'a'",
            "1:8: there is no rule for np; write one, or quotes if it is a terminal",
        ),
        (
            f"{AGREEMENT}%contrast V_sg V_pl",
            "4:16: there is no rule for V_pl; write one, or quotes if it is a terminal",
        ),
        (
            f"{AGREEMENT}V_pl -> 'lachen' V\nV -> 'x'\n%contrast V_sg V_pl",
            (
                "6:16: V_pl is contrasted, but made of V; only symbols that are made of terminals "
                "alone can be"
            ),
        ),
        (
            f"{AGREEMENT}V -> 'x'\n%contrast S V",
            (
                "5:11: S is contrasted, but made of NP, V_sg; only symbols that are made of "
                "terminals alone can be"
            ),
        ),
        (
            f"{AGREEMENT}V_pl -> 'lachen'\n%contrast V_sg V_pl",
            (
                "4:9: V_pl has 1 alternative, V_sg has 2; the lists must run parallel: the nth of "
                "each are forms of one word"
            ),
        ),
        (
            f"{AGREEMENT}V_pl -> 'lachen' | 'singen' | 'sang'\n%contrast V_sg V_pl",
            (
                "4:9: V_pl has 3 alternatives, V_sg has 2; the lists must run parallel: the nth of "
                "each are forms of one word"
            ),
        ),
        (
            f"{AGREEMENT}V_pl -> 'lachen' | 'singen'\n%contrast V_sg V_pl\n%contrast 'singt' 'x'",
            (
                "3:19: V_sg is contrasted, and so is 'singt', which it is made of; leave one of "
                "the contrasts out"
            ),
        ),
    ],
)
def test_names_that_are_wrong(text: str, fault: str) -> None:
    assert faults_of(text) == [f"x.cfg:{fault}"]


def test_rules_that_are_not_used_are_none_of_our_business() -> None:
    assert len(parse_grammar(f"{AGREEMENT}Other -> NP 'x'", file="x.cfg").rules) == 4


TEXT = """\
# a comment \\
  S -> A \\
\t| B

   # another
A -> 'a' \\
"""


def test_comments_and_empty_lines_are_left_out_and_backslashes_continue() -> None:
    lines = list(logical_lines(TEXT, "x.cfg"))
    assert [line.text for line in lines] == ["  S -> A \n\t| B", "A -> 'a' \n"]


def test_nothing_follows_the_last_line() -> None:
    (line,) = logical_lines("A -> 'a' \\", "x.cfg")
    assert line.text == "A -> 'a' \\"


def test_places_of_lines_are_those_in_the_file() -> None:
    line = next(logical_lines(TEXT, "x.cfg"))
    places = [line.at(offset) for offset in (2, 7, 11, 13, 14)]
    assert [(each.line, each.column) for each in places] == [(2, 3), (2, 8), (3, 2), (3, 4), (3, 5)]
    assert {each.file for each in places} == {"x.cfg"}


PLACE = Place(file="x.cfg", line=1, column=1)


def symbol(name: str) -> Symbol:
    return Symbol(place=PLACE, text=name, is_terminal=False)


def graph_of(text: str) -> dict[Symbol, list[Symbol]]:
    """Return the graph of "A:BC B: C:A"."""
    pairs = (each.split(":") for each in text.split())
    return {symbol(left): [symbol(each) for each in right] for left, right in pairs}


def names_of(text: str) -> list[str]:
    return ["".join(each.text for each in cycle) for cycle in cycles(graph_of(text))]


def test_cycles_begin_where_the_way_from_the_top_meets_them() -> None:
    assert names_of("S:AB A:B B:CD C:B D:") == ["BC"]
    assert names_of("S:AB A:A B:CB C:") == ["A", "B"]
    assert names_of("S:AB A: B:A") == []
    # The longer one shares its symbols with the shorter one, which comes first.
    assert names_of("A:BC B:A C:B") == ["AB"]


def test_how_many_stand_above_one_another() -> None:
    found = heights(graph_of("S:AB A:BB B:C C: D:D E:D"))
    assert {each.text: height for each, height in found.items()} == {"C": 1, "B": 2, "A": 3, "S": 4}


@given(st.dictionaries(st.sampled_from("ABCDEF"), st.text("ABCDEF", max_size=4)))
def test_without_the_symbols_of_all_cycles_none_is_left(below: dict[str, str]) -> None:
    graph = graph_of(" ".join(f"{left}:{right}" for left, right in below.items()))
    found = list(cycles(graph))
    for cycle in found:
        for one, other in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            assert other in graph[one]
    on_cycles = [each for cycle in found for each in cycle]
    assert len(on_cycles) == len({*on_cycles})
    rest = {each: others for each, others in graph.items() if each not in on_cycles}
    assert not list(cycles(rest))
    complete = {each: [one for one in others if one in graph] for each, others in graph.items()}
    assert (len(heights(complete)) == len(graph)) == (not found)
