"""Templates as they are read: statements, and what stands behind their colons."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of, write

from pommel.errors import InputError
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        ("lexicon:\n", ["1:9: nothing follows the colon; write lexicon: nouns.csv"]),
        (
            "lexicon: l.csv\nslot S:\nslot S:\n",
            ["3:6: S is there already; line 2 has it; give each a name of its own"],
        ),
        (
            "lexicon: l.csv\nslot S:\nchoose S: a\n",
            ["3:8: S is there already; line 2 has it; give each a name of its own"],
        ),
        ("choose N: a a\n", ["1:13: a is chosen from twice; write it once"]),
        (
            "choose N: S.word a\n",
            ["1:11: S.word is a reference, not a value; write choose NUM: sg pl"],
        ),
        (
            "regions: a | b\nregions: c\n",
            ["2:8: regions is there already; line 1 has it; leave one of them out"],
        ),
        (
            "description: x\n",
            ["1:1: this describes no prediction; write it below the prediction that it describes"],
        ),
        ("prediction: (1;%a%) <\n", ["1:22: the formula ends too early"]),
        (
            "prediction: (1;%a%) < (1;%b%) < (2;%a%)\n",
            ["1:31: comparisons cannot be chained; write ((1;%a%) < (1;%b%) & (1;%b%) < (2;%a%))"],
        ),
        (
            "meta generator: x\nmeta metric: sum total\nmeta metric: x\n",
            [
                (
                    "1:6: meta has the key 'generator'; leave it out; it is how the suite was "
                    "made, which pommel writes itself"
                ),
                (
                    "2:14: there is no metric 'total'; there are sum, mean, median, min, max, "
                    "range, and all"
                ),
                "3:6: metric is there already; line 2 has it; give each a name of its own",
            ],
        ),
        (
            "lexicon: l.csv\nlexicon: l.csv\n",
            ["2:8: l.csv is there already; line 1 has it; give each a name of its own"],
        ),
        (
            "slott S:\nslot S: =\ncondition : x\nprediction: (1;%a%) <\n  (1;%b%) <\n",
            [
                "1:1: there is no statement 'slott'; did you mean slot?",
                "2:9: '=' has no place here; write slot S: category = n, class = human",
                "3:10: condition has no name; write condition match: {S.word} | {V.form[NUM]} | .",
                "5:12: the formula ends too early",
            ],
        ),
    ],
)
def test_statements_that_cannot_be(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == [f"x.template:{each}" for each in faults]


def test_what_meta_says(tmp_path: Path) -> None:
    text = 'meta joiner: ""\nmeta name: a  "b"\n  c\nmeta version: " 1 "\nmeta metric: sum mean\n'
    found = LexiconTemplateSource(write(tmp_path, f"{text}condition a: x\n"))
    assert found.head["meta"] == {
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


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        (
            "lexicon: l.csv\nslot S: kind =\n",
            "2:15: this ends too early; write slot S: category = n, class = human",
        ),
        (
            "lexicon: l.csv\nslot S: kind = x,\n",
            "2:18: this ends too early; write slot S: category = n, class = human",
        ),
        (
            'lexicon: l.csv\nslot S: kind = "x\n',
            "2:16: this quotation mark has no partner; write it twice, around a value",
        ),
        (
            "lexicon: l.csv\nslot S: kind == x\n",
            "2:15: '=' has no place here; write slot S: category = n, class = human",
        ),
        (
            "lexicon: l.csv\nslot S: kind = (x y)\n",
            "2:16: a list has no place here; write in (a b), or has (a b)",
        ),
        (
            "condition a: {S.word\n",
            (
                "1:21: '{S.word' is not closed; write {SLOT.feature}, without blanks between the "
                "braces"
            ),
        ),
        (
            "condition a: {S.word | x\n",
            (
                "1:21: '{S.word' is not closed; write {SLOT.feature}, without blanks between the "
                "braces"
            ),
        ),
        ("condition a: {S.word}\uff5cx", "1:22: \uff5c (U+FF5C) is no |; write | in ASCII"),
        ("condition a: \uff5bS.word}", "1:14: \uff5b (U+FF5B) is no {; write { in ASCII"),
        (
            "condition a: S.word} x\n",
            (
                "1:20: this brace has no partner; write {SLOT.feature}, or \\} for the character "
                "itself"
            ),
        ),
        (
            "condition a: {S word}\n",
            "1:16: '{S' is not closed; write {SLOT.feature}, without blanks between the braces",
        ),
        ("condition a: {S.word!}\n", "1:21: '!' has no place between braces; write {SLOT.feature}"),
        (
            'condition a: x | {"y} z\n',
            (
                "1:19: '{\"y}' does not say what stands before a region; "
                'write {""} or {" "}, or {"" if SLOT.feature}'
            ),
        ),
        (
            'condition a: x | {"" if } z\n',
            (
                "1:25: '{\"\" if }' does not say what stands before a region; "
                'write {""} or {" "}, or {"" if SLOT.feature}'
            ),
        ),
        (
            'condition a: x | {""\n',
            (
                "1:21: '{\"\"' does not say what stands before a region; "
                'write {""} or {" "}, or {"" if SLOT.feature}'
            ),
        ),
        (
            'condition a: {"-"} x | y\n',
            "1:14: nothing stands before the first region; leave it out",
        ),
        (
            'condition a: x | y {""}z\n',
            (
                "1:20: what stands before a region is written once, at its beginning; "
                'write | {""}{SLOT.feature}, or leave it out'
            ),
        ),
        (
            'condition a: x | {""}{" "}y\n',
            (
                "1:22: what stands before a region is written once, at its beginning; "
                'write | {""}{SLOT.feature}, or leave it out'
            ),
        ),
        (
            'condition a: x | y\ngloss a: x | {""} y\n',
            "2:14: a gloss has nothing between its regions; leave it out",
        ),
        (
            "condition a: a\\b\n",
            "1:15: this backslash stands before no { } | # or \\; write \\\\ for a backslash",
        ),
        (
            "condition a: {}\n",
            (
                "1:15: this brace has no partner; write {SLOT.feature}, or \\} for the character "
                "itself"
            ),
        ),
        ("choose N:\n", "1:10: this ends too early; write choose NUM: sg pl"),
        (
            "regions: a || b\n",
            "1:13: '|' has no place here; write regions: subject | verb | end",
        ),
        ("distinct: S.word\n", "1:17: this ends too early; write distinct: S.word O.word"),
    ],
)
def test_contents_that_cannot_be_parsed(tmp_path: Path, template: str, fault: str) -> None:
    assert faults_of(tmp_path, template, LEXICON) == [f"x.template:{fault}"]


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        (
            "slot S kind = x\n",
            "1:1: this line has no colon; write slot S: category = n, class = human",
        ),
        (
            "  slot S:\n",
            (
                "1:3: an indented line goes on with the one above, and there is none; begin it in "
                "the first column"
            ),
        ),
        (
            "slot:\ncondition a: {S.word}\n",
            "1:5: slot has no name; write slot S: category = n, class = human",
        ),
        (
            "slot S T:\n",
            (
                "1:6: 'S T' cannot be a name; one word of letters; write slot S: category = n, "
                "class = human"
            ),
        ),
        (
            "prediction x: (1;%a%)\n",
            (
                "1:12: prediction has no name of its own, and here is 'x'; write prediction: "
                "(2;%match%) < (2;%mismatch%)"
            ),
        ),
        (
            "condition a%: x\n",
            (
                "1:11: 'a%' cannot be a name; without % { } |; write condition match: {S.word} | "
                "{V.form[NUM]} | ."
            ),
        ),
        ("meta : x\n", "1:5: meta has no name; write meta language: hi"),
    ],
)
def test_lines_that_are_no_statements(tmp_path: Path, template: str, fault: str) -> None:
    assert faults_of(tmp_path, template, LEXICON) == [f"x.template:{fault}"]
