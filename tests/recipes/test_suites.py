"""Suites that are made again by their own recipes."""

import json
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.samples import suite_value
from tests.sources.grammar.lexicon_template.examples import ENGLISH, NOUNS, VERBS

from pommel.errors import InputError
from pommel.files.text import write_text
from pommel.sources.generation import Generation, open_grammar
from recipes.__main__ import main
from recipes.suites import indexed, made_again

COLLECTIONS = """all = ["**/*.json"]
others = ["en/agreement/o*.json"]
[models.pretrained]
[models.own]
en = ["builtin://en-gpt2"]
other = ["ngram://mine.arpa"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of languages with one generated suite and one that is written by hand."""
    sources = tmp_path / "en" / "sources"
    for name, text in (("near.template", ENGLISH), ("nouns.csv", NOUNS), ("verbs.csv", VERBS)):
        write_text(sources / name, text)
    generation = Generation(
        source=open_grammar(sources / "near.template"), name="near", n_sampled=5, seed=3
    )
    text = "".join(generation.content(as_sets=False).suite_pieces())
    write_text(tmp_path / "en" / "agreement" / "near.json", text)
    other = suite_value("other")
    other["meta"]["language"] = "en"
    write_text(tmp_path / "en" / "agreement" / "other.json", json.dumps(other))
    write_text(tmp_path / "collections.toml", COLLECTIONS)
    return tmp_path


def test_it_comes_out_as_it_was(folder: Path) -> None:
    ((path, text),) = made_again(folder)
    assert path.name == "near.json"
    assert path.read_text("utf-8") == text


def test_what_has_changed_is_written_again(folder: Path) -> None:
    nouns = folder / "en" / "sources" / "nouns.csv"
    path = folder / "en" / "agreement" / "near.json"
    before = path.read_text("utf-8")
    nouns.write_text(NOUNS.replace("pilot,pilots", "copilot,copilots"))
    outcome = CliRunner().invoke(main, ["suites", str(folder)])
    assert outcome.output == f"{path}\n{folder / 'index.jsonl'}\n"
    assert "copilot" in path.read_text("utf-8") != before
    assert CliRunner().invoke(main, ["suites", str(folder)]).output == ""


def test_by_another_version_of_pommel_alone_nothing_is_written_again(folder: Path) -> None:
    path = folder / "en" / "agreement" / "near.json"
    recipe = json.loads(path.read_bytes())["meta"]["generator"]
    older = path.read_text("utf-8").replace(f'"pommel": "{recipe["pommel"]}"', '"pommel": "0.0.1"')
    path.write_text(older, "utf-8")
    ((_, text),) = made_again(folder)
    assert text == older
    nouns = folder / "en" / "sources" / "nouns.csv"
    nouns.write_text(NOUNS.replace("pilot,pilots", "copilot,copilots"))
    ((_, text),) = made_again(folder)
    assert json.loads(text)["meta"]["generator"]["pommel"] == recipe["pommel"]


def test_a_grammar_that_is_gone(folder: Path) -> None:
    (folder / "en" / "sources" / "near.template").unlink()
    with pytest.raises(InputError) as caught:
        list(made_again(folder))
    path = folder / "en" / "agreement" / "near.json"
    assert str(caught.value) == f"{path}: its grammar is not in {folder / 'en' / 'sources'}"


def test_the_index_says_what_each_suite_is(folder: Path) -> None:
    ((path, text),) = indexed(folder)
    assert path == folder / "index.jsonl"
    near, other = map(json.loads, text.splitlines())
    assert (near["collections"], other["collections"]) == (["all"], ["all", "others"])
    content = (folder / "en" / "agreement" / "other.json").read_bytes()
    assert (other["file"], other["sha256"]) == (
        "en/agreement/other.json",
        sha256(content).hexdigest(),
    )
    assert other["card"] == {
        "name": "other",
        "language": "en",
        "circuit": "",
        "version": "",
        "modifier_of": "",
        "n_items": 3,
        "n_predictions": 1,
        "condition_names": ["match", "mismatch"],
        "models": ["builtin://en-gpt2", "ngram://mine.arpa"],
        "pretrained_models": [],
    }


def test_the_shipped_index_is_that_of_the_shipped_suites(repository: Path) -> None:
    ((path, text),) = indexed(repository / "suites")
    assert path.read_text("utf-8") == text, "`make suites` writes it"
