"""Slots that nothing can fill, and values that no row has."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "lexicon: l.csv\nslot S: kind = y, word = one\ncondition a: {S.word}\n",
            [
                (
                    "x.template:2:6: no row can be S (kind = y: 1 row, word = one: 0 rows); "
                    "change word = one"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = xx\ncondition a: {S.word}\n",
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
            [
                "x.template:2:20: no row has 'z' as its kind; there is x, y",
                "x.template:2:35: no row has 'rd' as its tags; did you mean red?",
            ],
        ),
        (
            "lexicon: l.csv\nchoose N: a b, N = c\nslot S:\ncondition a: {S.word} {N}\n",
            [
                (
                    "x.template:2:8: no value can be N (N = c: 0 values); N is never 'c'; "
                    "there is a, b"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nchoose K: x y z\nslot S: kind = K\ncondition a: {S.word}\n",
            [
                "x.template:2:15: no row has 'z' as its kind; there is x, y",
            ],
        ),
    ],
)
def test_what_nothing_can_be(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == faults
