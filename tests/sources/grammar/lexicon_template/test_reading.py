"""Statements that say what they cannot, or say it twice."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of

from pommel.errors import InputError
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.lexicon_template.template import parse_template


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "",
            [
                (
                    "x.template: there is no condition; write condition match: {S.word} | "
                    "{V.form[NUM]} | ."
                ),
            ],
        ),
        (
            "lexicon:\n",
            [
                "x.template:1:9: nothing follows the colon; write lexicon: nouns.csv",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nslot S:\n",
            [
                "x.template:3:6: S is there already; line 2 has it; give each a name of its own",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nchoose S: a\n",
            [
                "x.template:3:8: S is there already; line 2 has it; give each a name of its own",
            ],
        ),
        (
            "choose N: a a\n",
            [
                "x.template:1:13: a is chosen from twice; write it once",
            ],
        ),
        (
            "choose N: S.word a\n",
            [
                "x.template:1:11: S.word is a reference, not a value; write choose NUM: sg pl",
            ],
        ),
        (
            "regions: a | b\nregions: c\n",
            [
                "x.template:2:8: regions are named twice; name them once",
            ],
        ),
        (
            "description: x\n",
            [
                (
                    "x.template:1:1: this describes no prediction; write it below the "
                    "prediction that it describes"
                ),
            ],
        ),
        (
            "prediction: (1;%a%) <\n",
            [
                "x.template:1:22: the formula ends too early",
            ],
        ),
        (
            "prediction: (1;%a%) < (1;%b%) < (2;%a%)\n",
            [
                (
                    "x.template:1:31: comparisons cannot be chained; write ((1;%a%) < "
                    "(1;%b%) & (1;%b%) < (2;%a%))"
                ),
            ],
        ),
        (
            "meta generator: x\nmeta metric: sum total\nmeta metric: x\n",
            [
                (
                    "x.template:1:6: meta has the key 'generator'; leave it out; it is how "
                    "the suite was made, which pommel writes itself"
                ),
                (
                    "x.template:2:14: there is no metric 'total'; there are sum, mean, "
                    "median, min, max, range, and all"
                ),
                (
                    "x.template:3:6: metric is there already; line 2 has it; give each a "
                    "name of its own"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nlexicon: l.csv\n",
            [
                (
                    "x.template:2:8: l.csv is there already; line 1 has it; give each a "
                    "name of its own"
                ),
            ],
        ),
        (
            "slott S:\nslot S: =\ncondition : x\nprediction: (1;%a%) <\n  (1;%b%) <\n",
            [
                "x.template:1:1: there is no statement 'slott'; did you mean slot?",
                (
                    "x.template:2:9: '=' has no place here; write slot S: category = n, "
                    "class = human"
                ),
                (
                    "x.template:3:10: condition has no name; write condition match: "
                    "{S.word} | {V.form[NUM]} | ."
                ),
                "x.template:5:12: the formula ends too early",
            ],
        ),
    ],
)
def test_statements_that_cannot_be(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == faults


def test_what_meta_says() -> None:
    text = 'meta joiner: ""\nmeta name: a  "b"\n  c\nmeta version: " 1 "\nmeta metric: sum mean\n'
    template = parse_template(f"{text}condition a: x\n", file="x.template")
    assert template.meta == {
        "joiner": "",
        "name": 'a "b" c',
        "version": " 1 ",
        "metric": ["sum", "mean"],
    }


def test_a_template_that_is_not_there_or_has_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "x.template"
    with pytest.raises(InputError, match=r"x\.template: No such file or directory$"):
        LexiconTemplateSource(path)
    path.write_text("condition a: x\x00y\n", "utf-8")
    with pytest.raises(InputError, match=r"x\.template:1:15: this line has the character '\\x00'"):
        LexiconTemplateSource(path)
