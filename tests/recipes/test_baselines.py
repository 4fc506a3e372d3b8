"""The table of what the built-in models score."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from pommel.files.text import write_text
from pommel.models.registry import load_model
from pommel.scoring.run import SuiteSurprisals
from pommel.sources.generation import Generation, open_grammar
from pommel.suite.read import LoadedSuite
from recipes.__main__ import main
from recipes.baselines import BaselineRow, baseline_rows

TEMPLATE = """\
meta language: sw
lexicon: words.csv
slot S: category = n
slot AGR: category = c, class = S.class
slot WRONG: category = c, class != S.class
regions: subject | verb | end
condition good: {S.word} | {AGR.subj}mefika | .
condition bad: {S.word} | {WRONG.subj}mefika | .
prediction: (2;%good%) < (2;%bad%)
"""
# One of the wrong verbs is a word that no text has.
WORDS = "category,word,class,subj\nn,mtoto,1,_\nn,kiti,7,_\nc,_,1,a\nc,_,7,ki\nc,_,9,zzz\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    write_text(tmp_path / "words.csv", WORDS)
    write_text(tmp_path / "arrive.template", TEMPLATE)
    made = Generation(source=open_grammar(tmp_path / "arrive.template"), name="arrive")
    path = tmp_path / "suites" / "sw" / "arrive.json"
    write_text(path, "".join(made.content(as_sets=False).suite_pieces()))
    return path


def test_a_row_has_what_a_run_says(suite: Path) -> None:
    (row,) = baseline_rows([suite])
    loaded = LoadedSuite.read(suite).suite
    expected = [
        SuiteSurprisals.of(load_model(f"builtin://sw-{kind}"), loaded).evaluate().score
        for kind in ("unigram", "ngram", "gpt2")
    ]
    assert list(row.scores) == expected
    assert (row.language, row.suite, row.n_items) == ("sw", "arrive", 4)
    assert row.chance == 0.5
    # Of the eight verbs two.
    assert row.unknown == 0.25


@pytest.mark.usefixtures("suite")
def test_the_table_of_the_page_is_written_again(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write_text(page, "# Before\n\n| language |\n|---|\n| gone |\n\nBehind.\n")
    options = ["baselines", str(tmp_path / "suites"), "--page", str(page)]
    done = CliRunner().invoke(main, options, catch_exceptions=False)
    assert done.exit_code == 0
    text = page.read_text("utf-8")
    assert "gone" not in text
    assert text.startswith("# Before\n\n| language | suite")
    assert "| sw       | arrive |     4 |   0.50 |" in text
    assert text.endswith("\n\nBehind.\n")


def test_columns_are_the_models_in_their_order() -> None:
    row = BaselineRow("sw", "arrive", 4, 0.5, (0.1, 0.2, 0.3), 0.4)
    table = BaselineRow.table([row])
    cells = {str(column.header): list(column.cells) for column in table.columns}
    assert [cells[each] for each in ("unigram", "ngram", "gpt2", "unknown")] == [
        ["0.10"],
        ["0.20"],
        ["0.30"],
        ["0.40"],
    ]
