"""Lines that are no statements of a template."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import LEXICON, faults_of


@pytest.mark.parametrize(
    ("template", "faults"),
    [
        (
            "slott S:\n",
            [
                "x.template:1:1: there is no statement 'slott'; did you mean slot?",
            ],
        ),
        (
            "slot S kind = x\n",
            [
                (
                    "x.template:1:1: this line has no colon; write slot S: category = n, "
                    "class = human"
                ),
            ],
        ),
        (
            "  slot S:\n",
            [
                (
                    "x.template:1:3: an indented line goes on with the one above, and there "
                    "is none; begin it in the first column"
                ),
            ],
        ),
        (
            "slot:\ncondition a: {S.word}\n",
            [
                "x.template:1:5: slot has no name; write slot S: category = n, class = human",
            ],
        ),
        (
            "slot S T:\n",
            [
                (
                    "x.template:1:6: 'S T' cannot be a name; one word of letters; write "
                    "slot S: category = n, class = human"
                ),
            ],
        ),
        (
            "prediction x: (1;%a%)\n",
            [
                (
                    "x.template:1:12: prediction has no name of its own, and here is 'x'; "
                    "write prediction: (2;%match%) < (2;%mismatch%)"
                ),
            ],
        ),
        (
            "condition a%: x\n",
            [
                (
                    "x.template:1:11: 'a%' cannot be a name; without % { } |; write "
                    "condition match: {S.word} | {V.form[NUM]} | ."
                ),
            ],
        ),
        (
            "meta : x\n",
            [
                "x.template:1:5: meta has no name; write meta language: hi",
            ],
        ),
    ],
)
def test_lines_that_are_no_statements(tmp_path: Path, template: str, faults: list[str]) -> None:
    assert faults_of(tmp_path, template, LEXICON) == faults
