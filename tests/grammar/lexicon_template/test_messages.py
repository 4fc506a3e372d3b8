"""Everything that can be wrong with templates and lexicons, word by word."""

from pathlib import Path

import pytest
from tests.grammar.lexicon_template.examples import write

from pommel.errors import GrammarError, InputError
from pommel.grammar.lexicon_template.source import LexiconTemplateSource

LEXICON = """\
word,kind,tags,form_a,form_b
one,x,red big,1a,1b
two,x,red,2a,_
three,y,big,_,3b
"""


def faults_of(folder: Path, template: str, lexicon: str) -> list[str]:
    path = write(folder, template, l=lexicon)
    with pytest.raises(GrammarError) as caught:
        LexiconTemplateSource(path)
    return str(caught.value).replace(f"{folder}/", "").splitlines()


@pytest.mark.parametrize(
    ("template", "lexicon", "faults"),
    [
        (
            "",
            LEXICON,
            [
                (
                    "x.template: there is no condition; write condition match: {S.word} | "
                    "{V.form[NUM]} | ."
                ),
            ],
        ),
        (
            "slott S:\n",
            LEXICON,
            [
                "x.template:1:1: there is no statement 'slott'; did you mean slot?",
            ],
        ),
        (
            "slot S kind = x\n",
            LEXICON,
            [
                (
                    "x.template:1:1: this line has no colon; write slot S: category = n, "
                    "class = human"
                ),
            ],
        ),
        (
            "  slot S:\n",
            LEXICON,
            [
                (
                    "x.template:1:3: an indented line goes on with the one above, and there "
                    "is none; begin it in the first column"
                ),
            ],
        ),
        (
            "slot:\ncondition a: {S.word}\n",
            LEXICON,
            [
                "x.template:1:5: slot has no name; write slot S: category = n, class = human",
            ],
        ),
        (
            "slot S T:\n",
            LEXICON,
            [
                (
                    "x.template:1:6: 'S T' cannot be a name; one word of letters; write "
                    "slot S: category = n, class = human"
                ),
            ],
        ),
        (
            "prediction x: (1;%a%)\n",
            LEXICON,
            [
                (
                    "x.template:1:12: prediction has no name of its own, and here is 'x'; "
                    "write prediction: (2;%match%) < (2;%mismatch%)"
                ),
            ],
        ),
        (
            "condition a%: x\n",
            LEXICON,
            [
                (
                    "x.template:1:11: 'a%' cannot be a name; without % { } |; write "
                    "condition match: {S.word} | {V.form[NUM]} | ."
                ),
            ],
        ),
        (
            "lexicon:\n",
            LEXICON,
            [
                "x.template:1:9: nothing follows the colon; write lexicon: nouns.csv",
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind =\n",
            LEXICON,
            [
                ("x.template:2:15: this ends too early; write slot S: category = n, class = human"),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = x,\n",
            LEXICON,
            [
                ("x.template:2:18: this ends too early; write slot S: category = n, class = human"),
            ],
        ),
        (
            'lexicon: l.csv\nslot S: kind = "x\n',
            LEXICON,
            [
                (
                    "x.template:2:16: this quotation mark has no partner; write it twice, "
                    "around a value"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind == x\n",
            LEXICON,
            [
                (
                    "x.template:2:15: '=' has no place here; write slot S: category = n, "
                    "class = human"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = (x y)\n",
            LEXICON,
            [
                "x.template:2:16: a list has no place here; write in (a b), or has (a b)",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nslot S:\n",
            LEXICON,
            [
                "x.template:3:6: S is there already; line 2 has it; give each a name of its own",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nchoose S: a\n",
            LEXICON,
            [
                "x.template:3:8: S is there already; line 2 has it; give each a name of its own",
            ],
        ),
        (
            "condition a: {S.word\n",
            LEXICON,
            [
                (
                    "x.template:1:21: '{S.word' is not closed; write {SLOT.feature}, "
                    "without blanks between the braces"
                ),
            ],
        ),
        (
            "condition a: {S.word | x\n",
            LEXICON,
            [
                (
                    "x.template:1:21: '{S.word' is not closed; write {SLOT.feature}, "
                    "without blanks between the braces"
                ),
            ],
        ),
        (
            "condition a: S.word} x\n",
            LEXICON,
            [
                (
                    "x.template:1:20: this brace has no partner; write {SLOT.feature}, or "
                    "\\} for the character itself"
                ),
            ],
        ),
        (
            "condition a: {S word}\n",
            LEXICON,
            [
                (
                    "x.template:1:16: '{S' is not closed; write {SLOT.feature}, without "
                    "blanks between the braces"
                ),
            ],
        ),
        (
            "condition a: {S.word!}\n",
            LEXICON,
            [
                "x.template:1:21: '!' has no place between braces; write {SLOT.feature}",
            ],
        ),
        (
            "condition a: a\\b\n",
            LEXICON,
            [
                (
                    "x.template:1:15: this backslash stands before no { } | # or \\; write "
                    "\\\\ for a backslash"
                ),
            ],
        ),
        (
            "condition a: {}\n",
            LEXICON,
            [
                (
                    "x.template:1:15: this brace has no partner; write {SLOT.feature}, or "
                    "\\} for the character itself"
                ),
            ],
        ),
        (
            "choose N: a a\n",
            LEXICON,
            [
                "x.template:1:13: a is chosen from twice; write it once",
            ],
        ),
        (
            "choose N: S.word a\n",
            LEXICON,
            [
                "x.template:1:11: S.word is a reference, not a value; write choose NUM: sg pl",
            ],
        ),
        (
            "choose N:\n",
            LEXICON,
            [
                "x.template:1:10: this ends too early; write choose NUM: sg pl",
            ],
        ),
        (
            "regions: a | b\nregions: c\n",
            LEXICON,
            [
                "x.template:2:8: regions are named twice; name them once",
            ],
        ),
        (
            "distinct: S.word\n",
            LEXICON,
            [
                "x.template:1:17: this ends too early; write distinct: S.word O.word",
            ],
        ),
        (
            "description: x\n",
            LEXICON,
            [
                (
                    "x.template:1:1: this describes no prediction; write it below the "
                    "prediction that it describes"
                ),
            ],
        ),
        (
            "prediction: (1;%a%) <\n",
            LEXICON,
            [
                "x.template:1:22: the formula ends too early",
            ],
        ),
        (
            "prediction: (1;%a%) < (1;%b%) < (2;%a%)\n",
            LEXICON,
            [
                (
                    "x.template:1:31: comparisons cannot be chained; write ((1;%a%) < "
                    "(1;%b%) & (1;%b%) < (2;%a%))"
                ),
            ],
        ),
        (
            "meta generator: x\nmeta metric: sum total\nmeta metric: x\n",
            LEXICON,
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
            "meta : x\n",
            LEXICON,
            [
                "x.template:1:5: meta has no name; write meta language: hi",
            ],
        ),
        (
            "lexicon: l.csv\nlexicon: l.csv\n",
            LEXICON,
            [
                (
                    "x.template:2:8: l.csv is there already; line 1 has it; give each a "
                    "name of its own"
                ),
            ],
        ),
    ],
)
def test_lines_that_cannot_be_read(
    tmp_path: Path, template: str, lexicon: str, faults: list[str]
) -> None:
    assert faults_of(tmp_path, template, lexicon) == faults


@pytest.mark.parametrize(
    ("template", "lexicon", "faults"),
    [
        (
            "# x\n",
            LEXICON,
            [
                (
                    "x.template: there is no condition; write condition match: {S.word} | "
                    "{V.form[NUM]} | ."
                ),
            ],
        ),
        (
            "slot S:\ncondition a: {S.word}\n",
            LEXICON,
            [
                "x.template: there is no lexicon to fill slots from; write lexicon: nouns.csv",
            ],
        ),
        (
            "lexicon: m.csv\nslot S:\ncondition a: {S.word}\n",
            LEXICON,
            [
                (
                    "x.template:1:10: there is no file 'm.csv'; a lexicon is found from the "
                    "template's folder"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nregions: a | b\ncondition a: {S.word}\n",
            LEXICON,
            [
                (
                    "x.template:4:11: condition a has 1 region, the line regions has 2; put "
                    "| between regions; one that is empty is written | |"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\ncondition b: x | y\n",
            LEXICON,
            [
                (
                    "x.template:4:11: condition b has 2 regions, condition a has 1; put | "
                    "between regions; one that is empty is written | |"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nregions: a || a\ncondition a: {S.word} | | x\n",
            LEXICON,
            [
                "x.template:3:13: this region has no name; write regions: subject | verb | end",
                "x.template:3:15: the region a is there already; give each a name of its own",
            ],
        ),
        (
            "condition a: |\n",
            LEXICON,
            [
                (
                    "x.template:1:11: all regions of condition a are empty; write condition "
                    "match: {S.word} | {V.form[NUM]} | ."
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\ngloss b: x\ngloss a: x | y\n",
            LEXICON,
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
            LEXICON,
            [
                "x.template:4:13: there is no condition 'b'; there are: 'a'",
                "x.template:4:23: condition 'a' has no region 2; its regions are 1",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nslot T: kind = x\ncondition a: {S.word}\nchoose N: a b\n",
            LEXICON,
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
        (
            "lexicon: l.csv\nslot S: kinf = x\ncondition a: {S.word}\n",
            LEXICON,
            [
                "x.template:2:9: l.csv has no column 'kinf'; did you mean 'kind'?",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.wrd} {S.zzzzz} {T.word} {S} {N}\n",
            LEXICON,
            [
                "x.template:3:15: l.csv has no column 'wrd'; did you mean 'word'?",
                (
                    "x.template:3:23: l.csv has no column 'zzzzz'; its columns are word, "
                    "kind, tags, form_a, form_b"
                ),
                "x.template:3:33: there is no slot 'T'; there is S",
                (
                    "x.template:3:42: {S} names a slot, and no feature of it; write "
                    "{S.FEATURE}; its columns are word, kind, tags, form_a, form_b"
                ),
                "x.template:3:46: there is no slot or choice 'N'; there is S",
            ],
        ),
        (
            (
                "lexicon: l.csv\nslot S: word != T.word\nslot T: word != S.word\ncondition "
                "a: {S.word}\n"
            ),
            LEXICON,
            [
                (
                    "x.template:2:17: T is defined below, and a constraint is about what "
                    "stands above it; move T up, or the constraint down to T"
                ),
            ],
        ),
        (
            (
                "lexicon: l.csv\nchoose N: a b\nslot S:\nslot T: word = S, word = N.x, "
                "word = form[N], word = T.form[S], word = T.foo[N], word = U.word\n"
                "condition a: {S.word} {T.word} {N.x} {N[a]}\n"
            ),
            LEXICON,
            [
                (
                    'x.template:4:16: S is a slot, not a value; write S.FEATURE, or "S" for '
                    "the value"
                ),
                "x.template:4:26: N is a choice, and has no features; write N",
                "x.template:4:38: form[N] does not say whose feature it is; write T.form[N]",
                "x.template:4:61: S is a slot, and chooses no column; write S.FEATURE",
                (
                    "x.template:4:72: l.csv has no column that begins with 'foo_'; its "
                    "columns are word, kind, tags, form_a, form_b"
                ),
                "x.template:4:89: there is no slot 'U'; there is N, S, T",
                "x.template:5:33: N is a choice, and has no features; write N",
                "x.template:5:39: N is a choice, and has no features; write N",
            ],
        ),
        (
            "lexicon: l.csv\nchoose N: a c\nslot S:\ncondition a: {S.form[N]} {S.form[q]}\n",
            LEXICON,
            [
                (
                    "x.template:4:15: l.csv has no column 'form_c', which S.form[N] is "
                    "where N = c; its columns are form_a, form_b"
                ),
                "x.template:4:27: l.csv has no column 'form_q'; its columns are form_a, form_b",
            ],
        ),
        (
            "lexicon: l.csv\nchoose N: a b, N != c, M = N\nslot S:\ncondition a: {S.word} {N}\n",
            LEXICON,
            [
                "x.template:2:21: N is never 'c'; there is a, b",
                "x.template:2:24: there is no slot or choice 'M'; there is N, S",
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = y, word = one\ncondition a: {S.word}\n",
            LEXICON,
            [
                (
                    "x.template:2:6: no row can be S (kind = y: 1 row, word = one: 0 rows); "
                    "change word = one"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = xx\ncondition a: {S.word}\n",
            LEXICON,
            [
                (
                    "x.template:2:6: no row can be S (kind = xx: 0 rows); no row has 'xx' "
                    "as its kind; did you mean x?"
                ),
            ],
        ),
        (
            (
                "lexicon: l.csv\nslot S: kind in (x z), tags lacks rd, tags != _\n"
                "condition a: {S.word}\n"
            ),
            LEXICON,
            [
                "x.template:2:20: no row has 'z' as its kind; there is x, y",
                "x.template:2:35: no row has 'rd' as its tags; did you mean red?",
            ],
        ),
        (
            "lexicon: l.csv\nchoose N: a b, N = c\nslot S:\ncondition a: {S.word} {N}\n",
            LEXICON,
            [
                (
                    "x.template:2:8: no value can be N (N = c: 0 values); N is never 'c'; "
                    "there is a, b"
                ),
            ],
        ),
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
                ),
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
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = y\ncondition a: {S.word}\ncondition b: {S.word}\n",
            LEXICON,
            [
                (
                    "x.template:4:11: condition b has the sentence of a in the only item; "
                    "make them differ, or remove one"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nchoose K: x y z\nslot S: kind = K\ncondition a: {S.word}\n",
            LEXICON,
            [
                "x.template:2:15: no row has 'z' as its kind; there is x, y",
            ],
        ),
        (
            "slott S:\nslot S: =\ncondition : x\nprediction: (1;%a%) <\n  (1;%b%) <\n",
            LEXICON,
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
def test_what_no_line_alone_shows(
    tmp_path: Path, template: str, lexicon: str, faults: list[str]
) -> None:
    assert faults_of(tmp_path, template, lexicon) == faults


@pytest.mark.parametrize(
    ("template", "lexicon", "faults"),
    [
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
                    "l.csv:3:14: 'two' has no form_b, which {S.form[N]} asks for, nor has "
                    "l.csv:4; write it, or leave such rows out: S.form[N] != _ in the line "
                    "of S"
                ),
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
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\nslot T:\ncondition a: {T.form[S.tags]}\n",
            "word,tags,form_a\none,a,1\ntwo,_,2\n",
            [
                (
                    "l.csv:3:5: 'two' has no tags, which {T.form[S.tags]} asks for; write "
                    "it, or leave such rows out: T.form[S.tags] != _ in the line of T"
                ),
            ],
        ),
    ],
)
def test_rows_without_a_feature_that_an_item_needs(
    tmp_path: Path, template: str, lexicon: str, faults: list[str]
) -> None:
    assert faults_of(tmp_path, template, lexicon) == faults


@pytest.mark.parametrize(
    ("template", "lexicon", "faults"),
    [
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "",
            [
                "l.csv:1:1: the file is empty; its first line names the features: word,category",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word;kind\na;b\n",
            [
                "l.csv:1:1: the columns are separated by ';'; separate them by commas",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word,kind\n",
            [
                "l.csv:1:1: there is nothing but a header; write some rows",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word,kind,word,\na,b,c,d\n",
            [
                (
                    "l.csv:1:11: the column 'word' stands here for the second time; remove "
                    "one of the two"
                ),
                "l.csv:1:16: this column has no name; name its feature",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word,kind,tags\na\nb,c\nx,y,z,q\nx,y,z\nx,y, z\n",
            [
                (
                    "l.csv:2:1: this row has 1 field, the header has 3; kind, tags are "
                    "missing; write _ for what does not apply"
                ),
                (
                    "l.csv:3:3: this row has 2 fields, the header has 3; tags is missing; "
                    "write _ for what does not apply"
                ),
                (
                    "l.csv:4:7: this row has 4 fields, the header has 3; remove what is too "
                    "much, or put text with a comma between quotes"
                ),
                (
                    "l.csv:6:1: this row is the same as line 5; remove it; its items would "
                    "come twice"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            'word,kind\n"a,b\n',
            [
                (
                    "l.csv:2:1: this quote is never closed; close it; a quote that is part "
                    'of the text is written "", and between quotes'
                ),
            ],
        ),
        (
            "lexicon: l.csv\nlexicon: m.csv\nslot S: kinf = x\n",
            "word,kind,word\na\n",
            [
                (
                    "l.csv:1:11: the column 'word' stands here for the second time; remove "
                    "one of the two"
                ),
                (
                    "l.csv:2:1: this row has 1 field, the header has 3; kind, word are "
                    "missing; write _ for what does not apply"
                ),
                (
                    "x.template:2:10: there is no file 'm.csv'; a lexicon is found from the "
                    "template's folder"
                ),
            ],
        ),
    ],
)
def test_lexicons_that_are_wrong(
    tmp_path: Path, template: str, lexicon: str, faults: list[str]
) -> None:
    assert faults_of(tmp_path, template, lexicon) == faults


def test_a_template_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.template: No such file or directory$"):
        LexiconTemplateSource(tmp_path / "x.template")


def test_lexicons_that_are_not_utf8(tmp_path: Path) -> None:
    path = write(tmp_path, "lexicon: l.csv\nlexicon: m.csv\nslot S:\ncondition a: {S.word}\n")
    (tmp_path / "l.csv").write_bytes("word\nélève\n".encode("latin-1"))
    (tmp_path / "m.csv").write_text("word,word\n", "utf-8")
    with pytest.raises(GrammarError) as caught:
        LexiconTemplateSource(path)
    assert [str(each).rpartition("/")[2] for each in caught.value.faults] == [
        "l.csv:2:1: the byte 0xe9 is not UTF-8; save the file with the encoding UTF-8",
        "m.csv:1:1: there is nothing but a header; write some rows",
        "m.csv:1:6: the column 'word' stands here for the second time; remove one of the two",
    ]


def test_more_states_than_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pommel.grammar.lexicon_template.space._MOST_STATES", 50)
    lexicon = "word,gloss\n" + "".join(f"a{n},b{n}\n" for n in range(60))
    template = (
        "lexicon: l.csv\nslot S:\nslot T:\nslot U:\n"
        "distinct: S.word U.word\ndistinct: S.gloss U.gloss\n"
        "condition a: {S.word} {T.word} {U.word}\n"
    )
    assert faults_of(tmp_path, template, lexicon) == [
        (
            "x.template: the constraints tie so many values together that items cannot be "
            "counted; compare features that have fewer values: classes, not words"
        )
    ]
