"""What can be wrong with attribute-varying grammars though each of their lines is right."""

import pytest

from pommel.errors import GrammarError
from pommel.sources.grammar.attribute_varying import parse_grammar


def faults_of(text: str) -> list[str]:
    with pytest.raises(GrammarError) as caught:
        parse_grammar([(text, "1.avg")])
    return str(caught.value).splitlines()


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
