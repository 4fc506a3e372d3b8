"""Attribute-varying grammars as sources: their words, and what a recipe says of their files."""

import hashlib
from pathlib import Path

import pytest

from pommel.errors import InputError
from pommel.sources.grammar.attribute_varying import AttributeVaryingSource
from pommel.sources.grammar.source import has_items, has_sets

COMMON = "N[s] chat | chien noir\nV[s] dort\nV[p] dorment\n"
CASE = "vary: V[]\nS[] le N[s] V[s]\n"


def written(folder: Path) -> Path:
    (folder / "common.avg").write_text(COMMON, "utf-8")
    path = folder / "simple.avg"
    path.write_text(f"\ufeff{CASE}", "utf-8")
    return path


def test_sets_and_words(tmp_path: Path) -> None:
    own = AttributeVaryingSource(written(tmp_path))
    assert (has_sets(own), has_items(own)) == (True, False)
    assert (own.n_sets, own.ungrammatical_counts) == (2, frozenset({1}))
    assert [(each.grammatical, *each.ungrammatical) for each in own.sets()] == [
        ("le chat dort", "le chat dorment"),
        ("le chien noir dort", "le chien noir dorment"),
    ]
    assert [each.grammatical for each in own.sets([1, 0])] == ["le chien noir dort", "le chat dort"]
    assert own.words == ("le", "chat", "chien", "noir", "dort", "dorment")


def test_the_recipe_is_of_what_was_read(tmp_path: Path) -> None:
    path = written(tmp_path)
    own = AttributeVaryingSource(path)
    (tmp_path / "common.avg").write_text("edited", "utf-8")
    path.unlink()
    texts = {"common.avg": COMMON, "simple.avg": f"\ufeff{CASE}"}
    sha256 = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    assert own.recipe == {"kind": "attribute-varying grammar", "files": sha256}


def test_characters_that_no_word_has(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text("vary: V[]\nS[] le\x07 N[s] V[s]\x00\n", "utf-8")
    with pytest.raises(InputError) as caught:
        AttributeVaryingSource(path)
    assert str(caught.value).replace(f"{tmp_path}/", "") == (
        "simple.avg:2:7: this line has the character '\\x07'; take it out; words have none"
    )


def test_joiners_and_marks_of_direction_are_letters_like_others(tmp_path: Path) -> None:
    path = tmp_path / "x.avg"
    path.write_text("vary: V[]\nS[] V[s]\nV[s] a\u200cb\u200f\nV[p] c\u200d\n", "utf-8")
    assert AttributeVaryingSource(path).words == ("a\u200cb\u200f", "c\u200d")
