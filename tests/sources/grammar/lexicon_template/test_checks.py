"""Templates that are wrong whatever their lexicons have."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "# x\n",
            [
                (
                    "x.template: there is no condition; write condition match: {S.word} | "
                    "{V.form[NUM]} | ."
                ),
            ],
        ),
        (
            "slot S:\ncondition a: {S.word}\n",
            [
                "x.template: there is no lexicon to fill slots from; write lexicon: nouns.csv",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nregions: a | b\ncondition a: {S.word}\n",
            [
                (
                    "x.template:4:11: condition a has 1 region, the line regions has 2; put "
                    "| between regions; one that is empty is written | |"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\ncondition b: x | y\n",
            [
                (
                    "x.template:4:11: condition b has 2 regions, condition a has 1; put | "
                    "between regions; one that is empty is written | |"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nregions: a || a\ncondition a: {S.word} | | x\n",
            [
                "x.template:3:13: this region has no name; write regions: subject | verb | end",
                "x.template:3:15: the region a is there already; give each a name of its own",
            ],
        ),
        (
            "condition a: |\n",
            [
                (
                    "x.template:1:11: all regions of condition a are empty; write condition "
                    "match: {S.word} | {V.form[NUM]} | ."
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\ngloss b: x\ngloss a: x | y\n",
            [
                "x.template:4:7: there is no condition 'b'; there is a",
                (
                    "x.template:5:7: gloss a has 2 regions, condition a has 1; put | "
                    "between regions; one that is empty is written | |"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\nprediction: (1;%b%) < (2;%a%)\n",
            [
                "x.template:4:13: there is no condition 'b'; there are: 'a'",
                "x.template:4:23: condition 'a' has no region 2; its regions are 1",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nslot T: kind = x\ncondition a: {S.word}\nchoose N: a b\n",
            [
                (
                    "x.template:3:6: slot T is never used; put it into a condition, or "
                    "remove it; items would only be repeated"
                ),
                (
                    "x.template:5:8: choice N is never used; put it into a condition, or "
                    "remove it; items would only be repeated"
                ),
            ],
        ),
    ],
)
def test_what_no_line_alone_shows(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == faults
