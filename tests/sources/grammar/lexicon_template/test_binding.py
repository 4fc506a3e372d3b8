"""Names in templates that mean nothing."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "lexicon: l.csv\nslot S: kinf = x\ncondition a: {S.word}\n",
            [
                "x.template:2:9: l.csv has no column 'kinf'; did you mean 'kind'?",
            ],
        ),
        (
            "lexicon: l.csv\nslot S:\ncondition a: {S.wrd} {S.zzzzz} {T.word} {S} {N}\n",
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
            [
                "x.template:2:21: N is never 'c'; there is a, b",
                "x.template:2:24: there is no slot or choice 'M'; there is N, S",
            ],
        ),
    ],
)
def test_names_that_mean_nothing(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == faults


def test_indices_of_a_slot_itself(tmp_path: Path) -> None:
    text = "lexicon: l.csv\nslot O:\nchoose N: def\ncondition a: {O[O.case][N]} {O[N]}\n"
    what = "names a slot, and no feature of it; an index chooses among columns whose names begin"
    assert faults_of(tmp_path, text, "word,case,np_def_sg\na,def,x\n") == [
        (
            f"x.template:4:15: {{O[O.case][N]}} {what} alike: for np_def_sg, write "
            "{O.np[O.case][N]}"
        ),
        f"x.template:4:30: {{O[N]}} {what} alike: for np_def_sg, write {{O.np_def[N]}}",
    ]
    assert faults_of(tmp_path, text, "word\na\n")[-1] == (
        f"x.template:4:30: {{O[N]}} {what} alike: for np_sg, write {{O.np[N]}}"
    )
