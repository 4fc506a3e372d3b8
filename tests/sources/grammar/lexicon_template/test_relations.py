"""What constraints mean: which rows of a small lexicon fill a slot."""

from pathlib import Path

import pytest
from tests.sources.grammar.lexicon_template.examples import FOUR_ROWS, write

from pommel.sources.grammar.lexicon_template.source import LexiconTemplateSource


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
    assert [item[0].sentence for item in found.items()] == words.split()
