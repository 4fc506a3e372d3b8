"""The training text of every language: what it depends on, and what it has of the suites."""

import hashlib
import json
from itertools import islice
from pathlib import Path

import pytest

from pommel.files.shipped import shipped_folder
from pommel.sources.text_grammar import TextGrammar
from recipes.texts import TEXTS

OTHERS = sorted(TEXTS.keys() - {"en"})


def test_every_language_of_the_suites_has_a_text(repository: Path) -> None:
    folders = {path.name for path in (repository / "suites").iterdir() if path.is_dir()}
    assert TEXTS.keys() == folders - {"studies", "texts"}


@pytest.mark.parametrize("language", OTHERS)
def test_a_text_of_templates_is_that_of_the_grammar_that_ships(language: str) -> None:
    grammar, text = TextGrammar.named(f"texts:{language}"), TEXTS[language]
    assert list(text.sample(20, 5)) == list(grammar.sentences(20, 5))
    assert list(text.held_out(20, 5)) == list(grammar.held_out(20, 5))


@pytest.mark.parametrize("language", OTHERS)
def test_the_text_depends_on_number_and_seed_alone(language: str) -> None:
    text = TEXTS[language]
    drawn = list(text.sample(20, 5))
    assert drawn == list(islice(text.sample(1_000, 5), 20))
    assert drawn != list(text.sample(20, 6))
    assert drawn != list(text.held_out(20, 5))


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_the_shipped_models_were_made_of_this_text(language: str) -> None:
    for kind in ("unigram", "ngram"):
        path = shipped_folder("builtin") / f"{language}-{kind}" / "training.json"
        record = json.loads(path.read_text("utf-8"))
        assert record["figures"]["text_sha256"] == TEXTS[language].sha256(record["recipe"]["seed"])


def test_the_beginning_of_a_text_is_known_by_its_sum() -> None:
    lines = "".join(f"{each}\n" for each in TEXTS["sw"].sample(200, 5))
    assert TEXTS["sw"].sha256(5) == hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize("language", OTHERS)
def test_sentences_are_written_as_those_of_the_suites(language: str) -> None:
    for sentence in TEXTS[language].sample(200, 3):
        assert sentence == " ".join(sentence.split())
        assert sentence.endswith((" .", " ।", " ?"))
        assert sentence[0] == sentence[0].upper()
        assert not set(sentence) & set("_{}[]∅")


@pytest.mark.parametrize("language", OTHERS)
def test_hardly_any_sentence_is_one_of_a_suite(language: str, repository: Path) -> None:
    drawn = {each.casefold() for each in TEXTS[language].sample(2_000, 3)}
    for path in (repository / "suites" / language).rglob("*.json"):
        # Read as JSON, which is quick, and enough: all are joined by blanks.
        suite = json.loads(path.read_bytes())
        own = {
            " ".join(" ".join(region["content"] for region in condition["regions"]).split())
            for item in suite["items"]
            for condition in item["conditions"]
            if condition["condition_name"] not in suite["meta"].get("unacceptable", "").split()
        }
        found = {each for each in own if each.casefold() in drawn}
        assert len(found) < 0.01 * len(own), path.name
