"""Contents of statements that cannot be parsed."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "lexicon: l.csv\nslot S: kind =\n",
            [
                ("x.template:2:15: this ends too early; write slot S: category = n, class = human"),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = x,\n",
            [
                ("x.template:2:18: this ends too early; write slot S: category = n, class = human"),
            ],
        ),
        (
            'lexicon: l.csv\nslot S: kind = "x\n',
            [
                (
                    "x.template:2:16: this quotation mark has no partner; write it twice, "
                    "around a value"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind == x\n",
            [
                (
                    "x.template:2:15: '=' has no place here; write slot S: category = n, "
                    "class = human"
                ),
            ],
        ),
        (
            "lexicon: l.csv\nslot S: kind = (x y)\n",
            [
                "x.template:2:16: a list has no place here; write in (a b), or has (a b)",
            ],
        ),
        (
            "condition a: {S.word\n",
            [
                (
                    "x.template:1:21: '{S.word' is not closed; write {SLOT.feature}, "
                    "without blanks between the braces"
                ),
            ],
        ),
        (
            "condition a: {S.word | x\n",
            [
                (
                    "x.template:1:21: '{S.word' is not closed; write {SLOT.feature}, "
                    "without blanks between the braces"
                ),
            ],
        ),
        (
            "condition a: S.word} x\n",
            [
                (
                    "x.template:1:20: this brace has no partner; write {SLOT.feature}, or "
                    "\\} for the character itself"
                ),
            ],
        ),
        (
            "condition a: {S word}\n",
            [
                (
                    "x.template:1:16: '{S' is not closed; write {SLOT.feature}, without "
                    "blanks between the braces"
                ),
            ],
        ),
        (
            "condition a: {S.word!}\n",
            [
                "x.template:1:21: '!' has no place between braces; write {SLOT.feature}",
            ],
        ),
        (
            "condition a: a\\b\n",
            [
                (
                    "x.template:1:15: this backslash stands before no { } | # or \\; write "
                    "\\\\ for a backslash"
                ),
            ],
        ),
        (
            "condition a: {}\n",
            [
                (
                    "x.template:1:15: this brace has no partner; write {SLOT.feature}, or "
                    "\\} for the character itself"
                ),
            ],
        ),
        (
            "choose N:\n",
            [
                "x.template:1:10: this ends too early; write choose NUM: sg pl",
            ],
        ),
        (
            "distinct: S.word\n",
            [
                "x.template:1:17: this ends too early; write distinct: S.word O.word",
            ],
        ),
    ],
)
def test_contents_that_cannot_be_parsed(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == faults
