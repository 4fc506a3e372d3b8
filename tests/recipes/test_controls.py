"""The table of what shipped suites give away to scorers that see no syntax."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.sources.grammar.lexicon_template.examples import ENGLISH, NOUNS, VERBS

from pommel.cli.suites_controls import ControlRow
from pommel.files.text import write_text
from pommel.report.markdown import markdown_table
from pommel.sources.generation import Generation, open_grammar
from pommel.suite.read import LoadedSuite
from recipes.__main__ import main
from recipes.controls import control_rows, other_sentences

PAGE = "# Controls\n\nBefore.\n\n| language | suite |\n|---|---|\n| xx | gone |\n\nBehind.\n"
UNACCEPTABLE = "meta unacceptable: mismatch_near mismatch_far\nlexicon: nouns.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of languages: a suite of some items of its template, and one of all."""
    folder = tmp_path / "suites"
    for name, n_sampled in (("some", 5), ("whole", None)):
        sources = folder / "en" / "sources"
        write_text(sources / "nouns.csv", NOUNS)
        write_text(sources / "verbs.csv", VERBS)
        template = sources / f"{name}.template"
        write_text(template, ENGLISH.replace("lexicon: nouns.csv", UNACCEPTABLE))
        generation = Generation(source=open_grammar(template), name=name, n_sampled=n_sampled)
        text = "".join(generation.content(as_sets=False).suite_pieces())
        write_text(folder / "en" / "agreement" / f"{name}.json", text)
    return folder


def table(page: str) -> dict[str, list[str]]:
    """Return the cells of each suite's row."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    return {row[1].replace("\\", ""): row for row in rows}


def shares(known: Mapping[str, Any]) -> list[str]:
    """Return what the table has of what is known of a suite."""
    names = ("chance", "context_free", "nearest_region", "unigram", "bigram")
    return ["-" if known[name] is None else f"{known[name]:.2f}" for name in names]


def acceptable(path: Path) -> set[str]:
    suite = LoadedSuite.read(path).suite
    conditions = (each for item in suite.items for each in item.conditions)
    return {each.sentence().text for each in conditions if each.name.startswith("match")}


def test_the_text_is_what_else_the_template_makes(folder: Path) -> None:
    some, whole = sorted(folder.rglob("*.json"))
    suite = LoadedSuite.read(some).suite
    others = set(other_sentences(folder, some, suite))
    assert others
    assert others.isdisjoint(acceptable(some))
    assert others | acceptable(some) == acceptable(whole)
    assert other_sentences(folder, whole, LoadedSuite.read(whole).suite) == []


def test_a_template_that_is_used_up_has_no_text(folder: Path) -> None:
    some, whole = control_rows(folder, sorted(folder.rglob("*.json")))
    assert (some.notes, whole.notes) == ("", "its template makes no other sentences")
    assert [math.isnan(each.bigram) for each in (some, whole)] == [False, True]


def test_a_page_has_the_table_in_place_of_the_one_before(folder: Path, tmp_path: Path) -> None:
    page, known = tmp_path / "controls.md", folder / "controls.jsonl"
    write_text(page, PAGE)
    outcome = CliRunner().invoke(main, ["controls", str(folder), "--page", str(page)])
    assert (outcome.exit_code, outcome.output) == (0, "")
    text = page.read_text("utf-8")
    assert text.startswith("# Controls\n\nBefore.\n\n| language | suite |")
    assert text.endswith("|\n\nBehind.\n")
    assert list(table(text)) == ["some", "whole"]
    lines = [json.loads(line) for line in known.read_text("utf-8").splitlines()]
    suites = [LoadedSuite.read(path).suite for path in sorted(folder.rglob("*.json"))]
    assert [(each["suite"], each["sha256"]) for each in lines] == [
        (suite.name, suite.sha256) for suite in suites
    ]
    assert [(each["text"], each["notes"]) for each in lines] == [
        ("other sentences of its template", ""),
        ("", "its template makes no other sentences"),
    ]
    assert [shares(each) for each in lines] == [row[3:8] for row in table(text).values()]


def test_every_suite_has_a_row_and_some_are_made_again(repository: Path) -> None:
    folder = repository / "suites"
    shown = table((repository / "docs" / "controls.md").read_text("utf-8"))
    files = {path.stem: path for path in sorted(folder.rglob("*.json"))}
    assert list(shown) == list(files)
    some = ("es_basic_sva", "fr_vp_coord", "sw_n_of_poss_v")
    rows = list(control_rows(folder, [files[name] for name in some]))
    made = table(markdown_table(ControlRow.table(rows)))
    assert made == {name: shown[name] for name in some}, "`python -m recipes controls` writes it"
    known = (folder / "controls.jsonl").read_text("utf-8").splitlines()
    found = {each["suite"]: shares(each) for each in map(json.loads, known)}
    assert found == {name: row[3:8] for name, row in shown.items()}
