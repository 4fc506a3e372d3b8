"""Symbols without rules, and contrasts of what is unlike."""

import pytest

from pommel.errors import GrammarError
from pommel.sources.grammar.context_free.grammar import parse_grammar

AGREEMENT = "S -> NP V_sg\nNP -> 'er'\nV_sg -> 'lacht' | 'singt'\n"


def faults_of(text: str) -> list[str]:
    with pytest.raises(GrammarError) as caught:
        parse_grammar(text, file="x.cfg")
    return str(caught.value).splitlines()


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
