"""Names in templates, their lexicons, and the rows that can fill a slot."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import FOUR_ROWS, LEXICON, faults_of, write

from pommel.sources.grammar.lexicon_template.reading import read_template
from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource
from pommel.sources.grammar.source import GrammarError


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "lexicon: l.csv\nslot S: kinf = x\ncondition a: {S.word}\n",
            ["2:9: l.csv has no column 'kinf'; did you mean 'kind'?"],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.wrd} {S.zzzzz} {T.word} {S} {N}\n",
            [
                "3:15: l.csv has no column 'wrd'; did you mean 'word'?",
                (
                    "3:23: l.csv has no column 'zzzzz'; its columns are word, kind, tags, form_a, "
                    "form_b"
                ),
                "3:33: there is no slot 'T'; there is S",
                (
                    "3:42: {S} names a slot, and no feature of it; write {S.FEATURE}; its columns "
                    "are word, kind, tags, form_a, form_b"
                ),
                "3:46: there is no slot or choice 'N'; there is S",
            ],
        ),
        (
            (
                "lexicon: l.csv\nslot S: word != T.word\nslot T: word != S.word\ncondition "
                "a: {S.word}\n"
            ),
            [
                (
                    "2:17: T is defined below, and a constraint is about what stands above it; "
                    "move T up, or the constraint down to T"
                )
            ],
        ),
        (
            (
                "lexicon: l.csv\nchoose N: a b\nslot S:\nslot T: word = S, word = N.x, "
                "word = form[N], word = T.form[S], word = T.foo[N], word = U.word\n"
                "condition a: {S.word} {T.word} {N.x} {N[a]}\n"
            ),
            [
                '4:16: S is a slot, not a value; write S.FEATURE, or "S" for the value',
                "4:26: N is a choice, and has no features; write N",
                "4:38: form[N] does not say whose feature it is; write T.form[N]",
                "4:61: S is a slot, and chooses no column; write S.FEATURE",
                (
                    "4:72: l.csv has no column that begins with 'foo_'; its columns are word, "
                    "kind, tags, form_a, form_b"
                ),
                "4:89: there is no slot 'U'; there is N, S, T",
                "5:33: N is a choice, and has no features; write N",
                "5:39: N is a choice, and has no features; write N",
            ],
        ),
        (
            "lexicon: l.csv\nchoose N: a c\nslot S:\ncondition a: {S.form[N]} {S.form[q]}\n",
            [
                (
                    "4:15: l.csv has no column 'form_c', which S.form[N] is where N = c; its "
                    "columns are form_a, form_b"
                ),
                "4:27: l.csv has no column 'form_q'; its columns are form_a, form_b",
            ],
        ),
        (
            "lexicon: l.csv\nchoose N: a b, N != c, M = N\nslot S:\ncondition a: {S.word} {N}\n",
            [
                "2:21: N is never 'c'; there is a, b",
                "2:24: there is no slot or choice 'M'; there is N, S",
            ],
        ),
    ],
)
def test_names_that_mean_nothing(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == [f"x.template:{each}" for each in faults]


def test_indices_of_a_slot_itself(tmp_path: Path) -> None:
    text = "lexicon: l.csv\nslot O:\nchoose N: def\ncondition a: {O[O.case][N]} {O[N]}\n"
    what = "names a slot, and no feature of it; write"
    columns = "its columns are word, case, np_def_sg"
    assert faults_of(tmp_path, text, "word,case,np_def_sg\na,def,x\n") == [
        f"x.template:4:15: {{O[O.case][N]}} {what} {{O.FEATURE[O.case][N]}}; {columns}",
        f"x.template:4:30: {{O[N]}} {what} {{O.FEATURE[N]}}; {columns}",
    ]


@pytest.mark.parametrize(
    ("template", "lexicon", "faults"),
    [
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.word}\n",
            "word,kind\nx,y\nx,z\nx,y\n",
            ["l.csv:4:1: this row is the same as line 2; remove it; its items would come twice"],
        ),
        (
            "lexicon: l.csv\nlexicon: m.csv\nslot S: kinf = x\n",
            "word,kind\na\n",
            [
                (
                    "l.csv:2:1: this row has 1 field, and the header has 2; an empty field has its "
                    "comma, too"
                ),
                (
                    "x.template:2:10: m.csv: No such file or directory; a lexicon is found from "
                    "this file's folder"
                ),
            ],
        ),
    ],
)
def test_lexicons_that_are_wrong(
    tmp_path: Path, template: str, lexicon: str, faults: list[str]
) -> None:
    assert faults_of(tmp_path, template, lexicon) == faults


def test_lexicons_that_are_not_utf8_or_have_control_characters(tmp_path: Path) -> None:
    names = "".join(f"lexicon: {each}.csv\n" for each in "lmn")
    path = write(tmp_path, f"{names}slot S:\ncondition a: {{S.word}}\n")
    (tmp_path / "l.csv").write_bytes("word\nélève\n".encode("latin-1"))
    (tmp_path / "m.csv").write_text("word,word\n", "utf-8")
    (tmp_path / "n.csv").write_text("word\na\nb\0\0\nc\x85\n", "utf-8")
    with pytest.raises(GrammarError) as caught:
        LexiconTemplateSource(path)
    assert [str(each).rpartition("/")[2] for each in caught.value.faults] == [
        "l.csv:2:1: the byte 0xe9 is not UTF-8; save the file with the encoding UTF-8",
        "m.csv:1:1: there is nothing but a header; write some rows",
        "m.csv:1:6: the column 'word' stands here for the second time; remove one of the two",
        "n.csv:3:2: this line has the character '\\x00'; take it out; words have none",
        "n.csv:4:2: this line has the character '\\x85'; take it out; words have none",
    ]


def test_rows_of_several_files(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    text = "lexicon: words/a.csv\nlexicon: b.csv\nslot S:\ncondition a: {S.word}\n"
    lexicons = {"words/a": "word,x\none,1\n", "b": "y,word\n2,two\n"}
    template, faults = read_template(write(tmp_path, text, **lexicons))
    assert (faults, template.lexicon_names) == ([], "a.csv and b.csv")
    assert [*template.lexicons] == ["words/a.csv", "b.csv"]
    assert template.columns == ["word", "x", "y"]
    assert [dict(each.cells) for each in template.rows] == [
        {"word": "one", "x": "1"},
        {"y": "2", "word": "two"},
    ]


def test_the_same_row_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("kind,word\nx,one\n", "utf-8")
    text = "lexicon: l.csv\nlexicon: m.csv\nslot S:\ncondition a: {S.word}\n"
    assert faults_of(tmp_path, text, "word,kind\none,x\n") == [
        "m.csv:2:1: this row is the same as line 2 of l.csv; remove it; its items would come twice"
    ]


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        ("", "one two three four"),
        ("kind = x", "one two"),
        ("kind != x", "three four"),
        ("kind = _", "four"),
        ("kind != _", "one two three"),
        ("kind in (x, y)", "one two three"),
        ("kind in (y _)", "three four"),
        ("kind not in (x)", "three four"),
        ("kind not in (x _)", "three"),
        ("tags has red", "one two"),
        ("tags has (red big)", "one"),
        ("tags lacks red", "three four"),
        ("tags lacks (red big)", "four"),
        ("tags shares (red big)", "one two three"),
        ('tags = "red big"', "one"),
        ("tags = red", "two"),
        ("form[b] = _", "two"),
        ("form_b != S.form_a, kind = x", "one two"),
        ('word = "one"', "one"),
    ],
)
def test_what_constraints_mean(tmp_path: Path, constraint: str, words: str) -> None:
    text = f"lexicon: l.csv\nslot S: {constraint}\ncondition a: {{S.word}}\n"
    found = LexiconTemplateSource(write(tmp_path, text, l=FOUR_ROWS))
    assert [item.conditions[0].sentence for item in found.items()] == words.split()


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "lexicon: l.csv\nslot S: kind = y, word = one\ncondition a: {S.word}\n",
            ["2:6: no row can be S (kind = y: 1 row, word = one: 0 rows); change word = one"],
        ),
        (
            "lexicon: l.csv\nslot S: kind = xx\ncondition a: {S.word}\n",
            [
                (
                    "2:6: no row can be S (kind = xx: 0 rows); no row has 'xx' as its kind; did "
                    "you mean x?"
                )
            ],
        ),
        (
            (
                "lexicon: l.csv\nslot S: kind in (x z), tags lacks rd, tags != _\n"
                "condition a: {S.word}\n"
            ),
            [
                "2:20: no row has 'z' as its kind; there is x, y",
                "2:35: no row has 'rd' as its tags; did you mean red?",
            ],
        ),
        (
            "lexicon: l.csv\nchoose N: a b, N = c\nslot S:\ncondition a: {S.word} {N}\n",
            ["2:8: no value can be N (N = c: 0 values); N is never 'c'; there is a, b"],
        ),
        (
            "lexicon: l.csv\nchoose K: x y z\nslot S: kind = K\ncondition a: {S.word}\n",
            ["2:15: no row has 'z' as its kind; there is x, y"],
        ),
    ],
)
def test_what_nothing_can_be(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == [f"x.template:{each}" for each in faults]
