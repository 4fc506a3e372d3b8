"""The n-gram recipe: a model file, its figures, its card."""

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pommel.files.shipped import shipped_folder
from pommel.models.model import Policy, score_all
from pommel.models.ngram.arpa import read_arpa
from pommel.models.ngram.model import open_arpa
from pommel.models.registry import load_model
from recipes.__main__ import main
from recipes.ngram import MODEL_FILE, NgramFigures, train_ngram
from recipes.texts import TEXTS

SCALE = 2_000 / TEXTS["en"].full_size
KINDS = ("unigram", "ngram")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, NgramFigures]:
    folder = tmp_path_factory.mktemp("ngram") / "small"
    return folder, train_ngram(folder, scale=SCALE, seed=3, order=3)


def test_writes_model_figures_and_card(made: tuple[Path, NgramFigures]) -> None:
    folder, figures = made
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md",
        MODEL_FILE,
        "training.json",
    ]
    record = json.loads((folder / "training.json").read_text("utf-8"))
    assert record["recipe"]["n_sentences"] == record["figures"]["n_sentences"] == 2_000
    assert record["figures"]["sha256"] == figures.sha256
    card = (folder / "README.md").read_text("utf-8")
    assert figures.sha256 in card
    assert f"{figures.held_out_perplexity:.2f} per word" in card


def test_figures_are_those_of_a_model_that_has_learned(made: tuple[Path, NgramFigures]) -> None:
    folder, figures = made
    model = open_arpa(folder / MODEL_FILE, reference="small", name="small")
    assert model.info.fingerprint == figures.sha256
    assert model.info.details["n_ngrams"] == sum(figures.n_ngrams)
    assert figures.held_out_perplexity < figures.vocabulary_size / 10
    assert 0 < figures.held_out_oov_rate < 0.2


def test_the_text_is_cut_as_the_model_cuts_it(made: tuple[Path, NgramFigures]) -> None:
    folder, _ = made
    model = open_arpa(folder / MODEL_FILE, reference="small", name="small")
    apart, together, capitals = score_all(
        model, ["The woman is happy .", "the woman is happy.", "THE WOMAN IS HAPPY ."], Policy()
    )
    bits = [token.surprisal_bits for token in apart.tokens]
    assert [token.surprisal_bits for token in together.tokens] == bits
    assert [token.surprisal_bits for token in capitals.tokens] == bits
    assert not any(token.oov for token in apart.tokens)


def test_the_same_arguments_make_the_same_file(
    made: tuple[Path, NgramFigures], tmp_path: Path
) -> None:
    options = ["ngram", "--seed", "3", "--scale", str(SCALE), "--order", "3"]
    result = CliRunner().invoke(main, [*options, "--out", str(tmp_path / "again")])
    assert result.exit_code == 0, result.output
    folder, figures = made
    assert f"{figures.held_out_bits_per_word:.3f} bits per held-out word\n" in result.output
    again = (tmp_path / "again" / MODEL_FILE).read_bytes()
    assert again == (folder / MODEL_FILE).read_bytes()


def test_a_unigram_of_another_language(tmp_path: Path) -> None:
    figures = train_ngram(tmp_path, language="sw", scale=0.01, order=1)
    assert figures.n_sentences == 400
    assert figures.n_ngrams == (figures.vocabulary_size,)
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "# sw-unigram\n" in card
    assert "language: sw\n" in card
    assert "estimated from Swahili that was" in card
    assert "ngram --language sw --seed 1 --scale 0.01 --order 1 --out" in card
    assert " kB |" in card
    bits = [
        [token.surprisal_bits for token in sentence.tokens]
        for sentence in score_all(
            load_model(f"ngram://{tmp_path / MODEL_FILE}"), ["ni yetu .", "yetu . ni"], Policy()
        )
    ]
    # Nothing depends on what stands before.
    assert bits[0][:3] == [bits[1][2], *bits[1][:2]]


@pytest.mark.parametrize("name", [f"{each}-{kind}" for each in TEXTS for kind in KINDS])
def test_the_shipped_model_is_the_one_that_its_figures_describe(name: str) -> None:
    folder = shipped_folder("builtin") / name
    path = folder / MODEL_FILE
    record = json.loads((folder / "training.json").read_text("utf-8"))
    assert path.stat().st_size == record["figures"]["n_bytes"]
    assert path.stat().st_size <= (4_000_000 if name == "en-ngram" else 1_000_000)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == record["figures"]["sha256"]
    assert list(read_arpa(path).n_ngrams) == record["figures"]["n_ngrams"]
