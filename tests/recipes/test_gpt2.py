"""The recipe of the built-in neural model, on a small model and little of the text."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from recipes.gpt2 import Recipe, TrainingFigures, train_gpt2, train_tokenizer
from recipes.texts import TEXTS

# Small batches, and float32: many steps in a few seconds, on processors without bfloat16, too.
SMALL = Recipe(
    scale=0.03,
    n_validation_sentences=200,
    n_tokenizer_sentences=3_000,
    vocabulary_size=600,
    width=64,
    n_layers=2,
    batch_size=8,
    learning_rate=7e-3,
    bfloat16=False,
)
# Too little to learn from: what is written is the same.
LITTLE = replace(SMALL, scale=0.0005)
SHIPPED = Path(__file__).parents[2] / "runner" / "pommel" / "shipped" / "builtin"
# Sampling the text of the tokenizer takes seconds.
LANGUAGES = [
    each if each in ("en", "sw") else pytest.param(each, marks=pytest.mark.full) for each in TEXTS
]
SENTENCE = "The author that the senators praised is famous ."


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainingFigures]:
    folder = tmp_path_factory.mktemp("en-gpt2")
    return folder, train_gpt2(folder, LITTLE)


@pytest.mark.full
def test_little_of_the_text_is_enough_to_learn(tmp_path: Path) -> None:
    figures = train_gpt2(tmp_path, SMALL)
    assert figures.start_bits_per_token > 9
    assert figures.unigram_bits_per_token < figures.start_bits_per_token
    assert figures.validation_bits_per_token < 0.7 * figures.unigram_bits_per_token


def test_figures_and_recipe_are_recorded(trained: tuple[Path, TrainingFigures]) -> None:
    folder, figures = trained
    record = json.loads((folder / "training.json").read_text("utf-8"))
    assert record["figures"]["steps"] == figures.steps
    assert record["recipe"]["scale"] == 0.0005
    assert f"{figures.validation_bits_per_token:.3f}" in (folder / "README.md").read_text("utf-8")


def test_the_folder_loads_and_computes_in_float32(trained: tuple[Path, TrainingFigures]) -> None:
    folder = trained[0]
    model = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert tokenizer.bos_token == tokenizer.eos_token == "<|endoftext|>"
    encoding = tokenizer(SENTENCE, return_offsets_mapping=True)
    pieces = [SENTENCE[start:end] for start, end in encoding["offset_mapping"]]
    assert "".join(pieces) == SENTENCE
    assert not (folder / "generation_config.json").exists()


def test_bfloat16_trains_as_float32_does(
    trained: tuple[Path, TrainingFigures], tmp_path: Path
) -> None:
    figures = [trained[1], train_gpt2(tmp_path, replace(LITTLE, bfloat16=True))]
    assert figures[0].steps == figures[1].steps == 19
    wide, narrow = (each.validation_bits_per_token for each in figures)
    assert wide < figures[0].start_bits_per_token - 0.5
    assert narrow == pytest.approx(wide, abs=0.05)
    assert narrow != wide


def test_the_tokenizer_splits_words_and_loses_nothing() -> None:
    tokenizer = train_tokenizer(Recipe(n_tokenizer_sentences=3_000, vocabulary_size=800))
    encoding = tokenizer.encode("The Zürich gardener waited , naïve \u2014 .")
    assert tokenizer.get_vocab_size() == 800
    assert len(encoding.ids) > 7
    assert tokenizer.decode(encoding.ids) == "The Zürich gardener waited , naïve \u2014 ."


def test_the_tokenizer_is_the_same_at_every_scale() -> None:
    small, large = (
        train_tokenizer(Recipe(scale=scale, n_tokenizer_sentences=1_000, vocabulary_size=500))
        for scale in (0.1, 1.0)
    )
    assert small.to_str() == large.to_str()


def test_the_number_of_sentences_follows_the_scale() -> None:
    assert Recipe(scale=0.1).n_sentences == Recipe().n_sentences // 10
    assert Recipe(scale=0).n_sentences == Recipe().batch_size


def test_other_languages_have_a_smaller_model_and_the_same_card(tmp_path: Path) -> None:
    recipe = Recipe.of("sw", scale=0.005)
    assert recipe.n_sentences == TEXTS["sw"].full_size // 200
    figures = train_gpt2(tmp_path, replace(recipe, n_tokenizer_sentences=500))
    assert figures.n_parameters < 300_000
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "# sw-gpt2\n" in card
    assert "trained on Swahili that was" in card
    assert "English" not in card


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shipped_model_was_made_by_this_recipe_from_this_text(language: str) -> None:
    folder = SHIPPED / f"{language}-gpt2"
    record = json.loads((folder / "training.json").read_text("utf-8"))
    recipe = Recipe.of(language)
    assert record["recipe"] == asdict(recipe)
    shipped = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    # The tokenizer's merges change with the grammar: then the model has to be trained again.
    assert json.loads(train_tokenizer(recipe).to_str())["model"] == shipped["model"]
