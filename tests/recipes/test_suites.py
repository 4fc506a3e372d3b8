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
from pommel.suite.suite import Suite
from recipes.__main__ import main
from recipes.suites import indexed, made_again, with_versions

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
    assert outcome.output == f"{path}\n{folder / 'versions.csv'}\n{folder / 'index.jsonl'}\n"
    assert "copilot" in path.read_text("utf-8") != before
    assert CliRunner().invoke(main, ["suites", str(folder)]).output == ""


def _with_version(folder: Path, version: str, nouns: str) -> str:
    """Make the suites again of a template of this version; return what is said."""
    sources = folder / "en" / "sources"
    write_text(sources / "near.template", f"meta version: {version}\n{ENGLISH}")
    write_text(sources / "nouns.csv", nouns)
    outcome = CliRunner().invoke(main, ["suites", str(folder)])
    assert outcome.exit_code == (3 if outcome.stderr else 0)
    return outcome.stderr


def test_a_version_never_has_another_content(folder: Path) -> None:
    near, listed = folder / "en" / "agreement" / "near.json", folder / "versions.csv"
    other = NOUNS.replace("pilot,pilots", "copilot,copilots")
    assert _with_version(folder, "1.0.0", NOUNS) == ""
    first = near.read_text("utf-8")
    before = {path: path.read_bytes() for path in (near, listed, folder / "index.jsonl")}
    assert _with_version(folder, "1.0.0", other) == (
        f"{near}: version 1.0.0 has another content; write a new `meta version` into its grammar, "
        f"or, if nobody has that version yet, delete its line in {listed}\n"
    )
    assert {path: path.read_bytes() for path in before} == before
    assert _with_version(folder, "1.1.0", other) == ""
    second = near.read_text("utf-8")
    hashes = [Suite.from_dict(json.loads(text)).sha256 for text in (first, second)]
    rows = [f"near,{n},{each}\n" for n, each in zip(("1.0.0", "1.1.0"), hashes, strict=True)]
    assert listed.read_text("utf-8") == "suite,version,sha256\n" + "".join(rows)
    # That of old is still taken, with what it had, and with nothing else.
    assert "version 1.0.0 has" in _with_version(
        folder, "1.0.0", NOUNS.replace("car,cars", "cab,cabs")
    )
    assert _with_version(folder, "1.0.0", NOUNS) == ""
    assert near.read_text("utf-8") == first


def test_a_suite_that_is_refused_costs_no_other(folder: Path) -> None:
    near, far = (folder / "en" / "agreement" / f"{name}.json" for name in ("near", "far"))
    write_text(folder / "versions.csv", "suite,version,sha256\nfar,1.0.0,0\n")
    texts = [(far, _text("far", "1.0.0")), (near, _text("near", "1.0.0"))]
    found: list[Path] = []
    with pytest.raises(InputError, match=r"far\.json: version 1\.0\.0 has another content"):
        found.extend(path for path, _ in with_versions(folder, texts))
    assert found == [near]


def test_a_version_that_two_branches_have_listed(folder: Path) -> None:
    listed = folder / "versions.csv"
    write_text(listed, "suite,version,sha256\nnear,1.0.0,0\nfar,1.0.0,0\nnear,1.0.0,1\n")
    with pytest.raises(InputError) as caught:
        next(with_versions(folder, []))
    said = "near 1.0.0 stands here twice; give one a new version"
    assert str(caught.value) == f"{listed}: {said}"


def _text(name: str, version: str) -> str:
    value = suite_value(name)
    value["meta"]["version"] = version
    return json.dumps(value)


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
