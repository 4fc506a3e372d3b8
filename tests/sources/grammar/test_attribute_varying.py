"""Attribute-varying grammars: what they say, what is wrong with them, and their sets."""

import hashlib
import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pommel.errors import InputError
from pommel.sources.grammar.attribute_varying import (
    AttributeGrammar,
    AttributeVaryingSource,
    GrammarSets,
    Preterminal,
    parse_grammar,
    read_grammar,
)
from pommel.sources.grammar.source import GrammarError, has_items, has_sets
from pommel.sources.minimal_sets import MinimalSet

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
        [str(symbol.preterminal) if symbol.preterminal else symbol.text for symbol in each]
        for each in grammar.templates
    ]
    lists = {str(name): tuple(each.texts) for name, each in grammar.alternatives.items()}
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
    symbol = parsed(PUBLISHED).templates[1][2]
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
        ("N[s] a |", "1:9: there is nothing between two |; take one of them away, or write a word"),
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


def test_all_faults_of_each_step_at_once() -> None:
    text = "vary: V[]\nvary: X[]\nS[] a Q[s] W[s] V[s]\nW[s] ]\nV[s] x |\nV[p] y\nR[s] a || b\n"
    assert faults_of(text) == [
        (
            "1.avg:4:6: this bracket has no partner; write NAME[attribute,attribute], with nothing "
            "between name and bracket"
        ),
        "1.avg:5:9: there is nothing between two |; take one of them away, or write a word",
        "1.avg:7:9: there is nothing between two |; take one of them away, or write a word",
    ]
    text = "vary: V[]\nvary: X[]\nS[] a Q[s] V[s]\nV[s] x\nV[p] y z | y\n"
    assert faults_of(text) == [
        "1.avg:2:7: no template has a symbol that vary: X[] concerns; templates have Q, V",
        "1.avg:3:7: there is no rule for Q[s]; did you mean V[s]?",
    ]


def test_lines_end_where_editors_end_them() -> None:
    text = "vary: V[]\rS[] a\u2028b V[s]\r\nV[s] x\x85y\nV[p] y\nbad"
    assert faults_of(text) == [
        "1.avg:5:4: nothing follows the name; write what it may be: NAME[attributes] a | b"
    ]
    assert parsed(text.removesuffix("bad")).templates[0][1].text == "b"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "# nothing",
            "1.avg: there is no template; write one: S[] NAME[attributes] NAME[attributes]",
        ),
        ("S[] a V[s]\nV[s] x", "1.avg: nothing is varied; write which symbol is: vary: NAME[]"),
        # The published program forgets what was before the unknown symbol, and goes on.
        (
            "vary: V[]\nS[] a V[s,3] b\nV[s] x",
            "1.avg:2:7: there is no rule for V[3,s]; did you mean V[s]?",
        ),
        ("vary: V[]\nS[] W[] V[s]\nV[s] x", "1.avg:2:5: there is no rule for W[]; there is V[s]"),
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


def test_lists_that_several_templates_vary_are_compared_once() -> None:
    text = "vary: V[]\nS[] a V[s]\nS[] b V[s]\nS[] c V[p]\nV[s] x | z\nV[p] y"
    assert [each.partition(": ")[2].partition(";")[0] for each in faults_of(text)] == [
        "V[s] has 2 alternatives, V[p] has 1",
        "V[p] has 1 alternative, V[s] has 2",
    ]


def test_thousands_of_unknown_names() -> None:
    rules = "".join(f"S[] a{n} Q{n}[s] V[s]\nP{n}[s] a\n" for n in range(1000))
    found = faults_of(f"vary: V[]\n{rules}V[s] x\nV[p] y\n")
    assert len(found) == 1000
    assert found[0] == "1.avg:2:8: there is no rule for Q0[s]; did you mean P0[s]?"
    # There are too many to look for what was meant by each.
    assert found[-1] == (
        "1.avg:2000:10: there is no rule for Q999[s]; there is P0[s], P1[s], P2[s], P3[s], P4[s], "
        "P5[s], P6[s], P7[s], P8[s], P9[s], P10[s], P11[s], ..."
    )


LANGUAGES = {"fr": "French", "de": "German", "he": "Hebrew", "ru": "Russian"}
CASES = (
    "simple_agrmt",
    "vp_coord",
    "long_vp_coord",
    "subj_rel",
    "obj_rel_within_anim",
    "obj_rel_across_anim",
    "prep_anim",
)
# Mueller et al. (2020), Table 6: minimal sets by case, in the order above.
TABLE_6 = {
    "fr": (280, 980, 500, 11200, 11200, 11200, 14000),
    "de": (140, 980, 500, 11200, 11200, 11200, 12600),
    "he": (140, 980, 500, 11200, 11200, 11200, 5600),
    "ru": (280, 980, 500, 10080, 11200, 11200, 5880),
}
# Mueller et al. (2020), section 4.2.
JE_PENSE = "S[] je V[1,s]\nV[1,s] pense\nV[2,s] penses\nV[1,p] pensons\nV[2,p] pensez\n"


def grammar_of(text: str) -> AttributeGrammar:
    return parse_grammar([(text, "x.avg")])


def alternatives(stem: str, n: int) -> str:
    return " | ".join(f"{stem}.{number}" for number in range(n))


def published_lines(sets: list[MinimalSet]) -> str:
    return "".join(
        "".join([f"True\t{each.grammatical}\n", *(f"False\t{s}\n" for s in each.ungrammatical)])
        for each in sets
    )


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_published_sets_byte_for_byte(shared_data: Path, language: str, case: str) -> None:
    folder = shared_data / "clams"
    grammar, _ = read_grammar(folder / f"{language}_replication" / f"{case}.avg")
    sets = list(GrammarSets(grammar).sets())
    assert len(sets) == GrammarSets(grammar).n_sets == TABLE_6[language][CASES.index(case)]
    table = (folder / "evalset_counts_sha256.tsv").read_text("utf-8")
    rows = [row.split("\t") for row in table.splitlines()]
    (expected,) = (row[-1] for row in rows if row[:2] == [language, case])
    assert hashlib.sha256(published_lines(sets).encode()).hexdigest() == expected


@pytest.mark.parametrize(
    ("vary", "ungrammatical"),
    [
        ("V[]", ("je penses", "je pensons", "je pensez")),
        ("V[1]", ("je pensons",)),
        ("V[1, s]", ()),
        ("V[1] ; V[s]", ("je penses", "je pensons")),
    ],
)
def test_the_papers_examples(vary: str, ungrammatical: tuple[str, ...]) -> None:
    (found,) = GrammarSets(grammar_of(f"vary: {vary}\n{JE_PENSE}")).sets()
    assert (found.grammatical, found.ungrammatical) == ("je pense", ungrammatical)


def test_a_form_that_is_spelt_as_the_grammatical_one_is_no_contrast() -> None:
    text = "vary: V[]\nS[] il V[3,s]\nV[1,s] pense\nV[3,s] pense\nV[2,s] penses\nV[3,p] penses\n"
    (found,) = GrammarSets(grammar_of(text)).sets()
    assert found.ungrammatical == ("il penses",)


def test_words_on_either_side_of_the_contrast() -> None:
    text = "vary: V[]\nS[] V[s] N[] ? | N[] V[s]\nN[] x | y z\nV[s] is\nV[p] are\n"
    assert [each.grammatical for each in GrammarSets(grammar_of(text)).sets()] == [
        "is x ?",
        "is y z ?",
        "x is",
        "y z is",
    ]
    first = next(GrammarSets(grammar_of(text)).sets())
    assert (first.before, first.form, first.others, first.after) == ("", "is", ("are",), "x ?")


def test_the_last_symbol_changes_slowest_and_the_varied_one_fastest() -> None:
    text = "vary: V[]\nS[] A[] V[s] B[]\nA[] a | b\nB[] c | d\nV[s] x | y\nV[p] u | v\n"
    assert ", ".join(each.grammatical for each in GrammarSets(grammar_of(text)).sets()) == (
        "a x c, a y c, b x c, b y c, a x d, a y d, b x d, b y d"
    )


def test_sets_come_one_by_one() -> None:
    names = [f"N{number}" for number in range(12)]
    rules = "".join(f"{name}[] {' | '.join(f'w{i}' for i in range(10))}\n" for name in names)
    text = f"vary: V[]\nS[] {' '.join(f'{name}[]' for name in names)} V[s]\n{rules}V[s] x\nV[p] y\n"
    grammar = grammar_of(text)
    assert GrammarSets(grammar).n_sets == 10**12
    first = list(itertools.islice(GrammarSets(grammar).sets(), 1000))
    assert [*GrammarSets(grammar).sets(range(1000))] == first
    assert next(GrammarSets(grammar).sets([10**12 - 1])).form == "x"
    with pytest.raises(IndexError):
        next(GrammarSets(grammar).sets([10**12]))


@given(
    templates=st.lists(
        st.tuples(st.lists(st.integers(0, 3), max_size=4), st.lists(st.integers(0, 3), max_size=3)),
        min_size=1,
        max_size=3,
    ),
    sizes=st.tuples(*[st.integers(1, 4)] * 4),
    n_verbs=st.integers(1, 4),
    n_forms=st.integers(1, 4),
)
def test_how_many_there_are(
    templates: list[tuple[list[int], list[int]]], sizes: tuple[int, ...], n_verbs: int, n_forms: int
) -> None:
    lines = ["vary: V[]"]
    for before, after in templates:
        symbols = [*(f"N{each}[]" for each in before), "V[0]", *(f"N{each}[]" for each in after)]
        lines.append(f"S[] {' '.join(symbols)}")
    lines += [f"N{n}[] {alternatives(f'n{n}', size)}" for n, size in enumerate(sizes)]
    lines += [f"V[{form}] {alternatives(f'v{form}', n_verbs)}" for form in range(n_forms)]
    grammar = grammar_of("\n".join(lines))
    sets = list(GrammarSets(grammar).sets())
    products = (math.prod(sizes[each] for each in (*b, *a)) * n_verbs for b, a in templates)
    assert len(sets) == GrammarSets(grammar).n_sets == sum(products)
    assert [*GrammarSets(grammar).sets(range(len(sets)))] == sets
    assert all(len(each.others) == n_forms - 1 for each in sets)
    if len(templates) == 1:
        assert len({each.grammatical for each in sets}) == len(sets)


COMMON = "N[s] chat | chien noir\nV[s] dort\nV[p] dorment\n"
CASE = "vary: V[]\nS[] le N[s] V[s]\n"


def written(folder: Path) -> Path:
    (folder / "common.avg").write_text(COMMON, "utf-8")
    path = folder / "simple.avg"
    path.write_text(f"\ufeff{CASE}", "utf-8")
    return path


def test_sets_and_words(tmp_path: Path) -> None:
    own = AttributeVaryingSource(written(tmp_path))
    assert (has_sets(own), has_items(own)) == (True, False)
    assert (own.n_sets, own.ungrammatical_counts) == (2, frozenset({1}))
    assert [(each.grammatical, *each.ungrammatical) for each in own.sets()] == [
        ("le chat dort", "le chat dorment"),
        ("le chien noir dort", "le chien noir dorment"),
    ]
    assert [each.grammatical for each in own.sets([1, 0])] == ["le chien noir dort", "le chat dort"]
    assert own.words == ("le", "chat", "chien", "noir", "dort", "dorment")


def test_the_recipe_is_of_what_was_read(tmp_path: Path) -> None:
    path = written(tmp_path)
    own = AttributeVaryingSource(path)
    (tmp_path / "common.avg").write_text("edited", "utf-8")
    path.unlink()
    texts = {"common.avg": COMMON, "simple.avg": f"\ufeff{CASE}"}
    sha256 = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    assert own.recipe == {"kind": "attribute-varying grammar", "files": sha256}


def test_characters_that_no_word_has(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text("vary: V[]\nS[] le\x07 N[s] V[s]\x00\n", "utf-8")
    with pytest.raises(InputError) as caught:
        AttributeVaryingSource(path)
    assert str(caught.value).replace(f"{tmp_path}/", "") == (
        "simple.avg:2:7: this line has the character '\\x07'; take it out; words have none"
    )


def test_joiners_and_marks_of_direction_are_letters_like_others(tmp_path: Path) -> None:
    path = tmp_path / "x.avg"
    path.write_text("vary: V[]\nS[] V[s]\nV[s] a\u200cb\u200f\nV[p] c\u200d\n", "utf-8")
    assert AttributeVaryingSource(path).words == ("a\u200cb\u200f", "c\u200d")
