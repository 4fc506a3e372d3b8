"""The models that ship with pommel: each does what a model promises."""

import pytest

from pommel.files.shipped import shipped_folder
from pommel.models.registry import builtin_models, load_model
from pommel.testing import check_model

LANGUAGES = ("de", "en", "es", "eu", "fr", "he", "hi", "ru", "sw")
# Sentences in the scripts of all languages.
SENTENCES = (
    "The cat sat .",
    "Der Bäcker lacht .",
    "Ассистент стоит .",
    "הספרן שותק .",
    "लड़का सोता है ।",
    "Mtoto amefika leo .",
)


def test_there_are_three_of_each_language() -> None:
    kinds = ("gpt2", "ngram", "unigram")
    assert builtin_models() == tuple(f"{each}-{kind}" for each in LANGUAGES for kind in kinds)


@pytest.mark.parametrize("name", builtin_models())
def test_each_does_what_models_promise(name: str) -> None:
    check_model(load_model(f"builtin://{name}"), SENTENCES)


@pytest.mark.parametrize("name", builtin_models())
def test_its_card_says_first_that_it_is_a_toy(name: str) -> None:
    card = (shipped_folder("builtin") / name / "README.md").read_text("utf-8")
    _, _, text = card.partition(f"# {name}\n\n")
    assert text.startswith("A toy, and circular: ")


def test_all_of_them_are_small_enough_to_ship() -> None:
    files = [path for path in shipped_folder("builtin").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 20_000_000
