"""Templates that are wrong, whatever their lexicons have or with what they have."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of, write

from pommel.sources.grammar.lexicon_template import space
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.source import GrammarError


def test_what_every_template_has(tmp_path: Path) -> None:
    assert faults_of(tmp_path, "# x\n", LEXICON) == [
        "x.template: there is no condition; write condition match: {S.word} | {V.form[NUM]} | ."
    ]
    assert faults_of(tmp_path, "slot S:\ncondition a: {S.word}\n", LEXICON) == [
        "x.template: there is no lexicon to fill slots from; write lexicon: nouns.csv"
    ]


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "lexicon: l.csv\nslot S:\nregions: a | b\ncondition a: {S.word}\n",
            [
                (
                    "4:11: condition a has 1 region, the line regions has 2; put | between "
                    "regions; one that is empty is written | |"
                )
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\ncondition b: x | y\n",
            [
                (
                    "4:11: condition b has 2 regions, condition a has 1; put | between regions; "
                    "one that is empty is written | |"
                )
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nregions: a | b | a\ncondition a: {S.word} | | x\n",
            ["3:18: the region a is there already; give each a name of its own"],
        ),
        (
            "lexicon: l.csv\nslot S:\nonce: verb\nregions: a\ncondition a: {S.word}\n",
            ["3:7: there is no region 'verb'; there is a"],
        ),
        (
            "lexicon: l.csv\nslot S:\nonce: verb\ncondition a: {S.word}\n",
            ["3:7: there is no region 'verb'; name them: regions: subject | verb | end"],
        ),
        (
            "condition a: |\n",
            [
                (
                    "1:11: all regions of condition a are empty; write condition match: {S.word} | "
                    "{V.form[NUM]} | ."
                )
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\ngloss b: x\ngloss a: x | y\n",
            [
                "4:7: there is no condition 'b'; there is a",
                (
                    "5:7: gloss a has 2 regions, condition a has 1; put | between regions; one "
                    "that is empty is written | |"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\nprediction: (1;%b%) < (2;%a%)\n",
            [
                "4:13: there is no condition 'b'; there are: 'a'",
                "4:23: condition 'a' has no region 2; its regions are 1",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nslot T: kind = x\ncondition a: {S.word}\nchoose N: a b\n",
            [
                (
                    "3:6: slot T is never used; put it into a condition, or remove it; items would "
                    "only be repeated"
                ),
                (
                    "5:8: choice N is never used; put it into a condition, or remove it; items "
                    "would only be repeated"
                ),
            ],
        ),
    ],
)
def test_what_no_line_alone_shows(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == [f"x.template:{each}" for each in faults]


@pytest.mark.parametrize(
    ("template", "lexicon", "faults"),
    [
        (
            (
                "lexicon: l.csv\nslot S: kind = x\nslot T: kind = y, kind = S.kind, tags "
                "shares S.tags\ncondition a: {S.word} {T.word}\n"
            ),
            LEXICON,
            [
                (
                    "x.template:3:6: nothing can be T once S is there; no row of the "
                    "lexicon fits: kind = S.kind, tags shares S.tags"
                )
            ],
        ),
        (
            (
                "lexicon: l.csv\nslot S: kind = x\ncondition a: {S.word}\ncondition b: "
                "{S.word}\ncondition c: {S.word} {S.tags}\n"
            ),
            LEXICON,
            [
                (
                    "x.template:4:11: condition b has the sentence of a in each of 2 items; "
                    "make them differ, or remove one"
                )
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = y\ncondition a: {S.word}\ncondition b: {S.word}\n",
            LEXICON,
            [
                (
                    "x.template:4:11: condition b has the sentence of a in the only item; "
                    "make them differ, or remove one"
                )
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.form_a} {S.form_b}\n",
            LEXICON,
            [
                (
                    "l.csv:3:14: 'two' has no form_b, which {S.form_b} asks for; write it, "
                    "or leave such rows out: S.form_b != _ in the line of S"
                ),
                (
                    "l.csv:4:13: 'three' has no form_a, which {S.form_a} asks for; write "
                    "it, or leave such rows out: S.form_a != _ in the line of S"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nchoose N: a b\nslot S:\ncondition a: {S.form[N]}\n",
            LEXICON,
            [
                (
                    "l.csv:3:14: 'two' has no form_b, which {S.form[N]} asks for, nor has l.csv:4; "
                    "write it, or leave such rows out: S.form[N] != _ in the line of S"
                )
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.form_a}\n",
            (
                "word,kind,tags,form_a,form_b\none,x,red big,1a,1b\ntwo,x,red,2a,_\n"
                "three,y,big,_,3b\nw0,x,_,_,1\nw1,x,_,_,1\nw2,x,_,_,1\nw3,x,_,_,1\n"
                "w4,x,_,_,1\nw5,x,_,_,1\n"
            ),
            [
                (
                    "l.csv:4:13: 'three' has no form_a, which {S.form_a} asks for, nor have "
                    "l.csv:5, l.csv:6, l.csv:7, ...; write it, or leave such rows out: "
                    "S.form_a != _ in the line of S"
                )
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nslot T:\ncondition a: {T.form[S.tags]}\n",
            "word,tags,form_a\none,a,1\ntwo,_,2\n",
            [
                (
                    "l.csv:3:5: 'two' has no tags, which {T.form[S.tags]} asks for; write "
                    "it, or leave such rows out: T.form[S.tags] != _ in the line of T"
                )
            ],
        ),
    ],
)
def test_items_that_are_wrong(
    tmp_path: Path, template: str, lexicon: str, faults: list[str]
) -> None:
    assert faults_of(tmp_path, template, lexicon) == faults


def test_more_states_than_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon = "word,gloss\n" + "".join(f"a{n},b{n}\n" for n in range(60))
    template = (
        "lexicon: l.csv\nslot S:\nslot T:\nslot U:\n"
        "distinct: S.word U.word\ndistinct: S.gloss U.gloss\n"
        "condition a: {S.word} {T.word} {U.word}\n"
    )
    path = write(tmp_path, template, l=lexicon)
    monkeypatch.setattr(space, "MOST_STATES", 50)
    with pytest.raises(GrammarError) as caught:
        LexiconTemplateSource(path)
    assert str(caught.value).replace(f"{tmp_path}/", "") == (
        "x.template: the constraints tie so many values together that items cannot be counted; "
        "compare features that have fewer values: classes, not words"
    )
