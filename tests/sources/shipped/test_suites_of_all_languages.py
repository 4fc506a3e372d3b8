"""Every suite that ships: what it says of itself, where it is from, and that any script runs."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.models.tiny_tokenizers import byte_level

import pommel
from pommel.models.model import Model, Policy, score_all
from pommel.sources.generation import open_grammar
from pommel.sources.grammar.source import has_items
from pommel.sources.load import SuiteCard, find_suites, load_suites, suite_files
from pommel.suite.lint import RULES, check_suite
from pommel.suite.suite import Suite
from recipes.suites import listed_versions, made_again

SUITES = Path(__file__).parents[3] / "suites"
# At least so many suites in each language.
WANTED = {"en": 33, "es": 26, "de": 15, "fr": 7, "ru": 7, "he": 7, "eu": 8, "hi": 6, "sw": 6}
# Languages whose readers need no help.
WITHOUT_GLOSSES = ("de", "en", "es", "fr")
MODIFIED = ("version", "license", "reference", "author", "comment")
N_POSITIONS = 400
# How many doubts rules have, all of them true, that the card of the language explains.
TRUE_DOUBTS = {
    # 16 verbs with a reflexive, and nothing but an adverb that items differ in.
    ("de_reflexive_acc", "duplicate-prefix"): 1,
    ("de_reflexive_case", "duplicate-prefix"): 2,
    # The number of the possessor, which attracts both of the verbs that are compared.
    ("hi_s_ne_possprn_possn_o_v", "uneven-feature"): 1,
    ("hi_s_possprn_possn_o_v", "uneven-feature"): 1,
}


@pytest.fixture(scope="module")
def suites() -> Sequence[Suite]:
    """All suites, read strictly; none has anything to warn of."""
    loaded = load_suites(["suites:all"], strict=True)
    assert not loaded.warnings
    return loaded.suites


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A byte-level model of random weights: any script is text to it."""
    torch = pytest.importorskip("torch")
    transformers: Any = import_module("transformers")
    torch.manual_seed(7)
    folder = tmp_path_factory.mktemp("bytes")
    tokenizer = byte_level()
    tokenizer.save_pretrained(folder)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=N_POSITIONS,
        n_embd=16,
        n_layer=1,
        n_head=2,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return pommel.load_model(f"huggingface://{folder}")


def test_there_are_as_many_as_there_should_be(suites: Sequence[Suite]) -> None:
    found = Counter(suite.language for suite in suites)
    assert {language: found[language] >= n for language, n in WANTED.items()} == dict.fromkeys(
        WANTED, True
    )
    assert set(found) == set(WANTED)


def test_names_say_where_a_suite_lies(suites: Sequence[Suite]) -> None:
    names = Counter(suite.name for suite in suites)
    assert [name for name, n in names.items() if n > 1] == []
    for path, suite in zip(suite_files(), suites, strict=True):
        language, circuit, stem = path.relative_to(path.parents[2]).with_suffix("").parts
        assert (suite.language, suite.circuit, suite.name) == (language, circuit, stem)
        assert language == "en" or stem.startswith(f"{language}_")


def test_a_version_has_one_content(suites: Sequence[Suite]) -> None:
    known = listed_versions(SUITES / "versions.csv")
    found = {(suite.name, suite.version): suite.sha256 for suite in suites}
    assert {each: known.get(each) for each in found} == found, "`make suites` says what to do"


def test_a_suite_says_what_has_to_be_known(suites: Sequence[Suite]) -> None:
    names = {suite.name for suite in suites}
    for suite in suites:
        missing = [key for key in MODIFIED if not suite.meta.get(key)]
        assert missing == [], suite.name
        assert suite.meta["license"] == "CC-BY-4.0"
        assert suite.meta.get("modifier_of") in {None, *names}, suite.name
        assert suite.predictions, suite.name
        assert all(each.description for each in suite.predictions), suite.name
        least = 200 if "generator" in suite.meta and suite.circuit != "argument-structure" else 20
        assert len(suite.items) >= least, suite.name


def test_sentences_have_glosses_where_readers_need_them(suites: Sequence[Suite]) -> None:
    for suite in suites:
        if suite.language in WITHOUT_GLOSSES:
            continue
        conditions = [each for item in suite.items for each in item.conditions]
        assert all(each.as_written.get("gloss") for each in conditions), suite.name


def test_the_german_design_has_all_its_sentences(suites: Sequence[Suite]) -> None:
    (suite,) = (each for each in suites if each.name == "de_argument_structure")
    assert len(suite.items) == 50
    for item in suite.items:
        assert len({condition.sentence().text for condition in item.conditions}) == 144


def test_the_suites_of_clams_have_one_measure(suites: Sequence[Suite]) -> None:
    names = {path.stem for path in find_suites("suites:clams")}
    for suite in suites:
        if suite.name in names:
            pairs = [(name.replace("mismatch", "match"), name) for name in suite.unacceptable]
            wanted = {f"(*;%{match}%) < (*;%{mismatch}%)" for match, mismatch in pairs}
            assert {each.formula.text for each in suite.predictions} == wanted, suite.name


def test_no_item_is_there_twice(suites: Sequence[Suite]) -> None:
    for suite in suites:
        texts = [
            tuple(sorted(condition.sentence(suite.joiner).text for condition in item.conditions))
            for item in suite.items
        ]
        assert len(set(texts)) == len(texts), suite.name


@pytest.mark.full
def test_no_design_leaves_a_doubt(suites: Sequence[Suite]) -> None:
    rules = [name for name, rule in RULES.items() if not rule.is_pedantic]
    found = [(suite.name, each) for suite in suites for each in check_suite(suite, rules)]
    counts = Counter((name, each.rule) for name, each in found)
    assert counts == TRUE_DOUBTS


def generated() -> list[Path]:
    """Return the files of the suites that are generated."""
    return [path for path in suite_files() if "generator" in json.loads(path.read_bytes())["meta"]]


@pytest.mark.full
def test_suites_come_out_of_their_grammars_again() -> None:
    made = {path.name: path.read_text("utf-8") == text for path, text in made_again(SUITES)}
    assert [name for name, is_same in made.items() if not is_same] == []
    assert set(made) == {path.name for path in suite_files()}


@pytest.mark.full
def test_hashing_changes_nothing(tmp_path: Path) -> None:
    # All of them come out again above, under a seed of chance; here of each language the largest.
    largest: dict[str, Path] = {}
    for path in sorted(generated(), key=lambda path: path.stat().st_size):
        largest[path.parents[1].name] = path
    for language, path in largest.items():
        folder = tmp_path / language
        folder.mkdir()
        (folder / "sources").symlink_to(SUITES / language / "sources")
        shutil.copy(path, folder)
    program = (
        "import pathlib\n"
        "from recipes.suites import listed_versions, made_again\n"
        "for path, text in made_again(pathlib.Path()):\n"
        "    assert path.read_text('utf-8') == text, path\n"
        "    print(path.name)\n"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert sorted(done.stdout.split()) == sorted(path.name for path in largest.values())


def test_any_script_is_scored_to_its_end(suites: Sequence[Suite], model: Model) -> None:
    policy = Policy()
    for suite in suites:
        part = replace(suite, items=suite.items[:1])
        found = pommel.compute_surprisals(model, part, policy)
        sums = found.table.values["sum"].sum(axis=-1)
        item = part.items[0]
        texts = [item.condition(name).sentence(suite.joiner).text for name in suite.condition_names]
        for bits, scored in zip(sums[0], score_all(model, texts, policy), strict=True):
            tokens = [token.surprisal_bits for token in scored.tokens]
            assert None not in tokens, suite.name
            assert bits == pytest.approx(sum(filter(None, tokens)), abs=1e-3), suite.name


def test_every_language_has_a_card_and_judgements() -> None:
    for language in WANTED:
        card = (SUITES / language / "README.md").read_text("utf-8")
        assert "CC-BY-4.0" in card, language
        assert "doubts" in card.lower(), language
        assert "## A second reading" in card, language
        assert re.search(r"\b(Neither|No) reader was a native speaker", card), language


def test_a_card_says_which_models_have_been_run() -> None:
    for language in WANTED:
        readme = (SUITES / language / "README.md").read_text("utf-8")
        said = readme.partition("## Models that have been run on these suites\n")[2]
        cards, _ = SuiteCard.of_source(f"suites:{language}")
        models = {model for card in cards for model in card.models or ()}
        assert all(model in said for model in models), language
        assert said.startswith("None.") == (not models), language
        if not any(card.pretrained_models for card in cards):
            assert "**No pretrained model has been run on them**" in said, language
            assert all("no pretrained one" in card.caveats[0] for card in cards)


def test_what_is_known_of_controls_is_that_of_the_suites_as_they_are(
    suites: Sequence[Suite],
) -> None:
    known = (SUITES / "controls.jsonl").read_text("utf-8").splitlines()
    found = {each["suite"]: each["sha256"] for each in map(json.loads, known)}
    # Of another one, `pommel suites show` shows none.
    assert found == {suite.name: suite.sha256 for suite in suites}, "`python -m recipes controls`"
    assert all(SuiteCard.known_controls(suite)["suite"] == suite.name for suite in suites[::20])
    assert SuiteCard.known_controls(suites[0].first_items(1)) == {}


def test_what_was_judged_is_what_ships(suites: Sequence[Suite]) -> None:
    texts = {
        (suite.name, item.number, condition.name): condition.sentence(suite.joiner).text
        for suite in suites
        for item in suite.items
        for condition in item.conditions
    }
    for language in WANTED:
        with (SUITES / language / "judgements.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            place = (row["suite"], int(row["item_number"]), row["condition_name"])
            assert texts[place] == row["sentence"], place
        assert {row["suite"] for row in rows} == {
            suite.name for suite in suites if suite.language == language
        }
        assert {row["judged"] for row in rows} <= {"acceptable", "unacceptable", "doubtful"}
        # Some designs are about what speakers differ in. Readers of thousands misread some, and
        # the card says so.
        otherwise = [row for row in rows if row["judged"] not in (row["intended"], "doubtful")]
        assert len(otherwise) <= len(rows) // 100, language
        card = (SUITES / language / "README.md").read_text("utf-8")
        were = "was" if len(otherwise) == 1 else "were"
        told = f"{len(otherwise)} {were} judged the opposite"
        assert not otherwise or told in card, language


def test_items_differ_up_to_what_is_tested_and_test_many_verbs(suites: Sequence[Suite]) -> None:
    """What `once` says of a template is so of its suite; `duplicate-prefix` asks each pair."""
    n_tried = 0
    for suite in suites:
        template = SUITES / suite.language / "sources" / f"{suite.name}.template"
        source = open_grammar(template) if template.is_file() else None
        once_to = source.once_to if source and has_items(source) else None
        if once_to is None:
            continue
        n_tried += 1
        begun = {
            tuple(region.text for each in item.conditions for region in each.regions[:once_to])
            for item in suite.items
        }
        assert len(begun) == len(suite.items), suite.name
        # The slot of the verb is the last, but where a main verb follows the one that is tested.
        place = -2 if "obj_rel_within" in suite.name else -1
        verbs = {[*item.as_written["source"].values()][place] for item in suite.items}
        assert len(verbs) >= 30, suite.name
    assert n_tried == 37


def test_the_table_of_the_docs_is_true() -> None:
    rows = SuiteCard.circuits(SuiteCard.of_source("suites:all")[0])
    text = (SUITES.parent / "docs" / "suites.md").read_text("utf-8")
    for row in rows:
        cells = (row.language, row.circuit, row.n_suites, row.n_items, row.n_predictions)
        shown = [f"{cell:,}" if isinstance(cell, int) else cell for cell in cells]
        lines = [
            [cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines()
        ]
        assert shown in lines, f"docs/suites.md lacks {shown}"
